"""An RP2040's firmware updated from the page, in a real browser: the release as compiled runs on an
emulated chip behind a pty in real time, leaves for its loader when the port is opened at 1200 baud,
and the loader's drive takes what the table copies there.
"""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import termios
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from firmware_bridge.board_spec import reference_board
from firmware_bridge.flashing import released
from firmware_bridge.greeting import RP2040
from firmware_bridge.loader_drive import INFO
from tests.hardware.emulated import EmulatedBoard
from tests.hardware.firmware import FIRMWARE, make, need
from tests.ports import free_port
from tests.service.table.world import running, state, until
from tests.service.web.browser import PHONE, launch, opened, problems
from tests.service.web.test_board_update import served, write

pytestmark = [pytest.mark.browser, pytest.mark.board]

RELEASE = Path(__file__).parents[3] / "firmware_bridge/data/board.uf2"
OLDER = "01020304"
BLOCK = 512
LONGEST_S = 0.02


def older() -> bytes:
    """The same firmware under another build's number."""
    need("arm-none-eabi-gcc")
    folder = make(FIRMWARE, "rp2040", "BUILD=build/older", f"sum=0x{OLDER}") / "older"
    return (folder / "board.uf2").read_bytes()


class OnUsb:
    """An emulated Pico on a cable: its port while its firmware runs, the loader's drive otherwise.

    Served from a thread of its own, in real time as far as this machine keeps up: where it does
    not, the chip is slow, and nothing comes in heaps.
    """

    def __init__(self, board: EmulatedBoard, time_there: float, room: Path) -> None:
        self._board, self._there, self._here = board, time_there, time.monotonic()
        self.port, self.drive = room / "pico", room / "RPI-RP2"
        self._stop = threading.Event()
        self._master = -1
        self.written: list[bytes] = []
        self._thread = threading.Thread(target=self._serve, name="pico", daemon=True)

    def __enter__(self) -> OnUsb:
        self._plug()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join(10)
        self._unplug()

    def _plug(self) -> None:
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.port.symlink_to(os.ttyname(slave))
        os.close(slave)

    def _unplug(self) -> None:
        if self._master >= 0:
            self.port.unlink()
            os.close(self._master)
            self._master = -1

    def _serve(self) -> None:
        while not self._stop.wait(0.005):
            if self._master >= 0:
                self._talk()
            else:
                self._run()
                self._take()

    def _run(self) -> bytes:
        here = time.monotonic()
        self._there += min(LONGEST_S, here - self._here)
        self._here = here
        return self._board.run(self._there)

    def _talk(self) -> None:
        came = b""
        # Nobody has the port open, or nobody said anything.
        with contextlib.suppress(OSError):
            came = os.read(self._master, 65536)
        if came:
            self._board.receive(came, self._there)
        if data := self._run():
            with contextlib.suppress(OSError):
                os.write(self._master, data)
        if termios.tcgetattr(self._master)[5] == termios.B1200:
            self._leave()

    def _leave(self) -> None:
        """The firmware is asked for the loader: its port goes, the loader's drive comes."""
        self._board.tell("port 1200")
        self._run()
        self._board.tell("port 0")
        until(self._left, "the loader")
        self._unplug()
        self.drive.mkdir()
        (self.drive / INFO).write_text("UF2 Bootloader")

    def _left(self) -> bool:
        self._run()
        return self._board.tell("loader") == "1"

    def _take(self) -> None:
        """What was copied to the drive, once all blocks that it says it has are there."""
        for file in self.drive.glob("*.uf2"):
            image = file.read_bytes()
            blocks = int.from_bytes(image[24:28], "little") if len(image) >= BLOCK else -1
            if len(image) == BLOCK * blocks:
                self._board.tell(f"drive {file}")
                self.written.append(image)
                shutil.rmtree(self.drive)
                self._plug()


@contextlib.contextmanager
def pico_with(image: bytes, room: Path) -> Iterator[OnUsb]:
    """An emulated Pico on which a firmware runs."""
    there = room / "there.uf2"
    there.write_bytes(image)
    with EmulatedBoard(reference_board(), 1, chip="rp2040") as board:
        board.run(0.0)
        board.run(1.0)
        board.tell("port 1200")
        board.run(1.1)
        board.tell("port 0")
        board.run(1.2)
        board.tell(f"drive {there}")
        with OnUsb(board, 1.2, room) as found:
            yield found


def test_a_pico_is_updated_from_the_page_and_put_back(tmp_path: Path) -> None:
    new, data, own = released(RP2040), tmp_path / "data", free_port()
    data.mkdir()
    (data / f"firmware-rp2040-{OLDER}.uf2").write_bytes(older())
    journal, settings = tmp_path / "t1.journal", tmp_path / "takhte.toml"
    with pico_with(older(), tmp_path) as pico:
        settings.write_text(
            f"[table]\ndata = '{data}'\n[page]\nconsole_port = {own}\nport = {free_port()}\n"
            f"[board]\naddress = '{pico.port}'\ndrive = '{pico.drive}'\n"
        )
        with (
            running(tmp_path, "run", "--journal", str(journal), "--camera", "none") as table,
            sync_playwright() as playwright,
        ):
            until(lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table)
            until(lambda: served(own), "the page", table)
            browser = launch(playwright)
            with opened(browser, f"http://127.0.0.1:{own}/first-use", PHONE) as page:
                box = page.locator("#firmware")
                expect(box).to_contain_text(f"1.2 · {OLDER}")
                expect(box).to_contain_text(f"{new.version} · {new.build}")
                write(page, "Update the board")
                expect(box).to_contain_text("Written", timeout=60_000)
                expect(box).to_contain_text("The board has the firmware that came with takhte.")
                assert pico.written == [RELEASE.read_bytes()]
                assert (data / f"firmware-rp2040-{new.build}.uf2").read_bytes() == pico.written[0]
                assert not problems(page)

                write(page, "Put the one before back")
                expect(box).to_contain_text(OLDER, timeout=60_000)
                until(lambda: len(pico.written) == 2, "the way back", table)
                assert pico.written[1] == older()
                until(
                    lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table
                )
                assert not problems(page)
            browser.close()
            assert table.end() == 0
