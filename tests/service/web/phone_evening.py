"""A real browser as the phone that is a table's camera: its own camera is a film. From the address
of the code on the table's screen to a refereed play, every tap counted.

The browser knows the table no more than a phone does: the certificate's warning is tapped through.
"""

from __future__ import annotations

import bisect
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
from playwright.sync_api import BrowserContext, Page, Playwright

from service.journal.entries import PlayEntered
from service.journal.store import Reader
from service.recording.format import Recording
from tests.ports import free_port
from tests.service.web.browser import ARGS, WITH_ITS_WARNINGS

WIDE = (1280, 800)
RATE = 30
"""Pictures a second at which chromium plays a file of JPEGs."""
SWING_S = 0.6
"""During a pause the picture of so long before is shown in turn with that of its moment."""


@dataclass(frozen=True)
class Pause:
    """At this second of the recording nobody moves for so long."""

    at: float
    seconds: float


def make_film(
    folder: Path, into: Path, still_s: float, pauses: tuple[Pause, ...] = (), *, whole: bool = True
) -> None:
    """Write a recording's pictures as chromium wants its camera's film, after `still_s` seconds of
    the first one; or that one alone.
    """
    shots: list[tuple[float, int]] = []
    packed: list[bytes] = []
    seen = -1
    for taken, pixels in Recording(folder).pictures():
        if taken.index != seen:
            seen = taken.index
            wide = cv2.resize(pixels, WIDE, interpolation=cv2.INTER_CUBIC)
            packed.append(cv2.imencode(".jpg", wide, [cv2.IMWRITE_JPEG_QUALITY, 62])[1].tobytes())
        shots.append((taken.at, len(packed) - 1))
        if not whole:
            break
    length = still_s + (shots[-1][0] + sum(p.seconds for p in pauses) if whole else 0.0)
    times = [taken_at for taken_at, _ in shots]
    with into.open("wb") as film:
        # Chromium begins anew at its end: the last picture stands for long enough.
        for n in range(int(length * RATE) + RATE * 10):
            now = n / RATE - still_s
            for pause in pauses:
                gone = min(max(0.0, now - pause.at), pause.seconds)
                # No camera gives the very same picture for long: two of one moment take turns.
                back = SWING_S if 0.0 < gone < pause.seconds and int(gone) % 2 else 0.0
                now -= gone + back
            at = max(0, bisect.bisect_right(times, now) - 1)
            film.write(packed[shots[at][1]])


@dataclass
class Taps:
    """What a person tapped on the way, in order."""

    made: list[tuple[str, str, float]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def tap(self, kind: str, what: str) -> None:
        self.made.append((kind, what, round(time.monotonic() - self.began, 1)))

    def of(self, kind: str) -> int:
        return sum(k == kind for k, _, _ in self.made)

    def table(self) -> str:
        """The written table."""
        return "\n".join(f"{at:6.1f} s  {kind:12} {what}" for kind, what, at in self.made)


@dataclass
class PhoneTable:
    """`takhte run --camera phone`, with its three doors."""

    process: subprocess.Popen[str]
    plain: int
    secure: int
    console: int
    journal: Path

    def plays(self) -> list[PlayEntered]:
        with Reader(self.journal) as reader:
            return [e.body for e in reader.read() if isinstance(e.body, PlayEntered)]


@contextmanager
def phone_table(folder: Path) -> Iterator[PhoneTable]:
    """A table whose camera will be a phone; it ends with the test."""
    plain, secure, console = (free_port() for _ in range(3))
    journal = folder / "evening.journal"
    command = [sys.executable, "-m", "service.cli", "run", "--camera", "phone", "--no-browser"]
    command += ["--journal", str(journal), "--port", str(plain), "--https-port", str(secure)]
    command += ["--console-port", str(console)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "said.txt").open("w"),
        text=True,
        env=os.environ | {"TAKHTE_SETTINGS": str(_settings(folder))},
    )
    try:
        _until_it_answers(console)
        yield PhoneTable(process, plain, secure, console, journal)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def _settings(folder: Path) -> Path:
    path = folder / "takhte.toml"
    path.write_text("[page]\nmdns = false\n")
    return path


def _until_it_answers(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the table's page does not answer")


class PhoneNetwork:
    """The phone's way to everything (SOCKS 5 on the loopback), which can be cut."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._lines: set[socket.socket] = set()
        self._away = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing gets through from now on; what was open is gone."""
        self._away.set()
        for line in list(self._lines):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def back(self) -> None:
        self._away.clear()

    def close(self) -> None:
        self.cut()
        self._door.close()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), line:
            line.recv(line.recv(2)[1])
            line.sendall(b"\x05\x00")
            kind = line.recv(4)[3]
            host = socket.inet_ntoa(line.recv(4)) if kind == 1 else line.recv(line.recv(1)[0])
            port = int.from_bytes(line.recv(2))
            if self._away.is_set():
                return
            with socket.create_connection((host, port), 5) as there:
                line.sendall(b"\x05\x00\x00\x01" + bytes(6))
                self._lines |= {line, there}
                back = threading.Thread(target=_pipe, args=(there, line), daemon=True)
                back.start()
                _pipe(line, there)
                back.join()
                self._lines -= {line, there}


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        source.settimeout(None)
        while data := source.recv(65_536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def phone_browser(
    playwright: Playwright, film: Path, size: tuple[int, int], lang: str, network: PhoneNetwork
) -> Iterator[BrowserContext]:
    """A browser whose camera is a film. It asks for permission as a phone does; what is granted in
    its settings stands for the tap that allows it.
    """
    browser = playwright.chromium.launch(
        executable_path=WITH_ITS_WARNINGS,
        args=[
            *ARGS,
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={film}",
        ],
    )
    context = browser.new_context(
        proxy={"server": f"socks5://127.0.0.1:{network.port}"},
        viewport={"width": size[0], "height": size[1]},
        locale=lang,
        has_touch=True,
        is_mobile=True,
    )
    try:
        yield context
    finally:
        browser.close()


def through_the_warning(page: Page, taps: Taps) -> None:
    """Tap what a person taps where the browser does not know the certificate."""
    page.wait_for_selector("#details-button", timeout=15_000)
    page.click("#details-button")
    taps.tap("certificate", "Advanced")
    page.click("#proceed-link")
    taps.tap("certificate", "Proceed")
