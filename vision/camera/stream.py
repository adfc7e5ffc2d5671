"""The camera's pictures as MJPEG on the loopback, for the broadcast.  (E)

`GET /stream.mjpg` is a stream for a browser, OBS or another `open_camera`; `GET /frame.jpg` is one
picture. A picture is encoded once however many watch, and not at all when nobody does. Only the
loopback is served: the web room is what faces the world.
"""

from __future__ import annotations

import http.server
import threading
import time
from typing import Final

import cv2
import numpy as np

from vision.arrays import Pixels

_QUALITY: Final = 85
_WATCHERS: Final = 8
_PATIENCE: Final = 10.0
"""Seconds without a new picture after which a stream repeats the last, so that proxies see it live.
"""
_BOUNDARY: Final = "takhte-frame"
_WIDEST: Final = 1280
"""A cropped picture is made no wider than this: it goes over the club's network, many times over.
"""

CropBox = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""


class PictureServer:
    """Serves the newest picture given to `show` on a free loopback port.

    `cropped`: at most so many pictures a second, only what lies in the box that `crop` names, and
    nothing while it names none.
    """

    def __init__(self, port: int = 0, cropped: float | None = None) -> None:
        self._changed = threading.Condition()
        self._picture: Pixels | None = None
        self._turn = 0
        self._jpeg: tuple[int, bytes] = (0, b"")
        self._encoding = threading.Lock()
        self._cropped, self._due = cropped, 0.0
        self._box: CropBox | None = None
        self.watchers = threading.BoundedSemaphore(_WATCHERS)
        server = self

        class Handler(_Handler):
            pictures = server

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self.port: int = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def crop(self, box: CropBox | None) -> None:
        """Show what lies there and nothing else, from the next picture on; None shows nothing, and
        forgets what was shown.
        """
        with self._changed:
            self._box = box
            if self._cropped is not None:
                self._picture = None

    def show(self, picture: Pixels) -> None:
        """Nothing; watchers get this picture next."""
        with self._changed:
            if self._cropped is not None:
                now = time.monotonic()
                if self._box is None or now < self._due:
                    return
                # The camera's own rhythm beats against ours: what comes almost in time is in time.
                self._due = max(self._due, now - 0.5 / self._cropped) + 1 / self._cropped
                left, top, width, height = self._box
                picture = picture[
                    max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)
                ]
                if not picture.size:
                    return
            self._picture, self._turn = picture, self._turn + 1
            self._changed.notify_all()

    def next(self, after: int) -> tuple[int, bytes]:
        """(turn, JPEG) of a picture newer than `after`, or the last one again after a long wait;
        (after, b"") when there is none at all.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._turn > after and self._picture is not None, timeout=_PATIENCE
            )
            picture, turn = self._picture, self._turn
        if picture is None:
            return after, b""
        with self._encoding:
            if self._jpeg[0] != turn:
                encoded, data = cv2.imencode(
                    ".jpg", self._sized(picture), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]
                )
                self._jpeg = (turn, np.asarray(data, np.uint8).tobytes() if encoded else b"")
            return self._jpeg

    def _sized(self, picture: Pixels) -> Pixels:
        height, width = picture.shape[:2]
        if self._cropped is None or width <= _WIDEST:
            return picture
        size = (_WIDEST, max(1, round(height * _WIDEST / width)))
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)

    def close(self) -> None:
        """Nothing; the port is free again."""
        self._http.shutdown()
        self._http.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    pictures: PictureServer
    timeout = 20

    def do_GET(self) -> None:
        """One of two paths; any other is 404, a ninth watcher gets 503."""
        if self.path not in ("/stream.mjpg", "/frame.jpg"):
            self.send_error(404, "expected /stream.mjpg or /frame.jpg")
            return
        if not self.pictures.watchers.acquire(blocking=False):
            self.send_error(503, f"{_WATCHERS} watch already")
            return
        try:
            self._one() if self.path == "/frame.jpg" else self._stream()
        except OSError:
            return  # the watcher went away
        finally:
            self.pictures.watchers.release()

    def _one(self) -> None:
        _, jpeg = self.pictures.next(0)
        if not jpeg:
            self.send_error(503, "no picture yet")
            return
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(jpeg)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(jpeg)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        turn = 0
        while True:
            turn, jpeg = self.pictures.next(turn)
            if jpeg:
                head = (
                    f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length:"
                    f" {len(jpeg)}\r\n\r\n"
                )
                self.wfile.write(head.encode() + jpeg + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the standard handler writes every request to stderr."""
