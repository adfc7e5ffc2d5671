"""A camera's address where something else answers: what comes is no picture, or never ends. The
camera's own process stays, says why it sees nothing, and sees as soon as a picture comes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from tests.vision.camera.test_camera import until
from vision.camera.camera import open_camera

PICTURE = cv2.imencode(".jpg", np.full((72, 96, 3), 120, np.uint8))[1].tobytes()
LARGE = PICTURE.replace(b"\x00\x48\x00\x60", b"\xff\xdc\xff\xdc", 1)
"""The same, and its header says 65,500 by 65,500."""
PART = b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n"
LIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"


class Elsewhere(BaseHTTPRequestHandler):
    """Answers by the address: with what is no picture, or endlessly."""

    protocol_version = "HTTP/1.0"

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        what = self.path.strip("/").partition(".")[0]
        try:
            getattr(self, f"say_{what}")()
        except OSError:
            return

    def _begin(self, kind: str, **headers: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _parts(self, *pictures: bytes) -> None:
        self._begin("multipart/x-mixed-replace; boundary=x")
        for picture in pictures:
            self.wfile.write(PART % (len(picture), picture))

    def say_html(self) -> None:
        self._begin("text/html")
        self.wfile.write(b"<html>no camera</html>" * 1000)

    def say_round(self) -> None:
        self.send_response(302)
        self.send_header("location", "/round.mjpg")
        self.end_headers()

    def say_file(self) -> None:
        self.send_response(302)
        self.send_header("location", "file:///etc/passwd")
        self.end_headers()

    def say_list(self) -> None:
        self._begin("application/vnd.apple.mpegurl")
        self.wfile.write(LIST)

    def say_cut(self) -> None:
        self._parts(*[PICTURE[: len(PICTURE) // 2]] * 50)

    def say_large(self) -> None:
        self._parts(*[LARGE] * 50)

    def say_headers(self) -> None:
        self.send_response(200)
        for number in range(2000):
            self.send_header(f"x-{number}", "x" * 1000)
        self.end_headers()

    def say_endless(self) -> None:
        self._begin("multipart/x-mixed-replace; boundary=x")
        self.wfile.write(b"--x\r\nContent-Type: image/jpeg\r\n\r\n")
        for _ in range(400):
            self.wfile.write(bytes(65536))


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_what_is_no_camera_is_said_and_the_process_stays(elsewhere: str) -> None:
    names = ("html", "round", "file", "list", "cut", "large", "headers", "endless")
    cameras = {name: open_camera(f"{elsewhere}/{name}.mjpg") for name in names}
    try:
        for name, camera in cameras.items():
            assert until(lambda camera=camera: camera.problem), name  # type: ignore[misc]
            assert camera.latest() is None, name
    finally:
        for camera in cameras.values():
            camera.close()
