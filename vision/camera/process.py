"""The child of `vision.camera`: reads one source, publishes the newest picture.  (E)

When asked it hands pictures on as MJPEG.

Run by the parent as `python -m vision.camera.process DESCRIPTOR SOURCE`; words come on standard
input (`hold`, `release`, `crop LEFT TOP WIDTH HEIGHT`, `crop`), its end is the order to stop.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

from rules.observation import AWAITED
from vision.arrays import Pixels
from vision.camera.controls import Held, hold, release
from vision.camera.memory import FeedState, FeedStatus, PictureMemory
from vision.camera.phone import NoPhoneError
from vision.camera.sources import PictureSource, SourceError, open_source, wait_until
from vision.camera.stream import PictureServer
from vision.frame import Frame

BACK_OFF: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts to open a source again; the last one repeats."""


class CaptureLoop:
    """The loop of the child: source to memory; the parent's words are heeded between pictures."""

    def __init__(self, memory: PictureMemory, server: PictureServer | None) -> None:
        self._memory, self._server = memory, server
        self._number = memory.number()
        self.stop = threading.Event()
        self.words: list[str] = []
        self._held: Held | None = None

    def say(self, state: FeedState, text: str = "") -> None:
        """Nothing; the parent reads this status from now on."""
        self._memory.say(FeedStatus(state, text, self._server.port if self._server else 0))

    def _trouble(self, text: str) -> None:
        # Before the first picture nothing was lost: whoever reads this is told what to bring.
        self.say(FeedState.TROUBLE, text if self._number else f"{AWAITED}{text}")

    def crop(self, numbers: list[str]) -> None:
        """Hand on what lies in this box; nothing where the numbers are no box."""
        box = [int(n) for n in numbers if n.lstrip("-").isdecimal()]
        if self._server:
            self._server.crop(
                (box[0], box[1], box[2], box[3]) if len(box) == 4 == len(numbers) else None
            )

    def run(self, name: str, pace: float, hold_after: float | None) -> None:
        """Until stopped, ended or failed for good."""
        attempt = 0
        self.say(FeedState.STARTING)
        while not self.stop.is_set():
            try:
                with contextlib.closing(open_source(name, pace)) as source:
                    for _ in self._play(source, hold_after):
                        attempt = 0
                if not self.stop.is_set():
                    self.say(FeedState.ENDED)
                return
            except SourceError as error:
                if not error.retry:
                    self.say(FeedState.FAILED, str(error))
                    return
                self._trouble(str(error))
                self.stop.wait(BACK_OFF[min(attempt, len(BACK_OFF) - 1)])
                attempt += 1

    def _play(self, source: PictureSource, hold_after: float | None) -> Iterator[None]:
        begun = time.monotonic()
        while not self.stop.is_set():
            try:
                got = source.read()
            except NoPhoneError as error:
                self._trouble(str(error))
                continue
            if got is None:
                return
            picture, due = got
            taken = due if source.live else 0.0
            if not source.live:
                while time.monotonic() < begun + due and not self.stop.is_set():
                    wait_until(begun + due, 0.2)
            self._publish(picture, taken or time.monotonic())
            self._heed(source, hold_after is not None and time.monotonic() > begun + hold_after)
            yield

    def _publish(self, picture: Pixels, now: float) -> None:
        self._number += 1
        self._memory.publish(Frame(picture, now, self._number))
        if self._memory.status().state is not FeedState.RUNNING:
            self.say(FeedState.RUNNING)
        if self._server:
            self._server.show(picture)

    def _heed(self, source: PictureSource, hold_now: bool) -> None:
        capture = getattr(source, "capture", None)
        words, self.words = self.words, []
        if capture is None:
            return
        if ("hold" in words or hold_now) and self._held is None:
            self._held = hold(capture)
        if "release" in words and self._held is not None:
            release(capture, self._held)
            self._held = None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="vision.camera.process", description=__doc__)
    parser.add_argument("descriptor", type=int)
    parser.add_argument("source")
    parser.add_argument("--broadcast", action="store_true")
    parser.add_argument("--cropped", type=float, metavar="RATE")
    parser.add_argument("--pace", type=float, default=0.5)
    parser.add_argument("--hold-after", type=float)
    asked = parser.parse_args(arguments)
    memory = PictureMemory(asked.descriptor)
    server = PictureServer(cropped=asked.cropped) if asked.broadcast else None
    feed = CaptureLoop(memory, server)
    # A driver can hang inside read() for ever: then only leaving the process at once ends it, which
    # is what the end of stdin asks for.
    threading.Thread(target=_listen, args=(feed,), daemon=True).start()
    feed.run(asked.source, asked.pace, asked.hold_after)
    # The last picture of a file stays on show until the parent has had enough.
    feed.stop.wait()
    return 0


def _listen(feed: CaptureLoop) -> None:
    for line in sys.stdin.buffer:
        word, *numbers = line.decode(errors="replace").split() or [""]
        if word == "crop":
            feed.crop(numbers)
        else:
            feed.words.append(word)
    feed.stop.set()
    leave = threading.Timer(1.0, os._exit, (0,))
    leave.daemon = True
    leave.start()


if __name__ == "__main__":
    sys.exit(main())
