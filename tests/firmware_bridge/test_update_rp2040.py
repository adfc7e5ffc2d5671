"""`takhte board update` on an emulated RP2040: the firmware itself leaves for the loader, the
loader takes the file that was copied, and the ROM's checks start what it holds.
"""

from __future__ import annotations

import errno
import io
import os
import pty
import termios
from importlib import resources
from pathlib import Path

import pytest

from firmware_bridge import console
from firmware_bridge.board_spec import reference_board
from firmware_bridge.console import ConsoleEdges
from firmware_bridge.errors import BoardLost, UpdateError
from firmware_bridge.loader_drive import (
    INFO,
    Loader,
    ask_for_loader,
    is_drive,
    mounted_drives,
)
from tests.hardware.emulated import EmulatedBoard

pytestmark = pytest.mark.board


class Plugged:
    """An emulated Pico at a port whose time runs while somebody waits for it, and its drive."""

    def __init__(self, board: EmulatedBoard, folder: Path) -> None:
        self.board, self.now = board, 0.0
        self.drive = folder / "RPI-RP2"
        self.drive.mkdir()
        self._came = b""

    def opener(self, address: str | None) -> Plugged:
        if address != "/dev/pico":
            raise BoardLost(f"cannot open {address}")
        return self

    def read(self) -> bytes:
        came, self._came = self._came, b""
        return came

    def write(self, data: bytes) -> None:
        self.board.receive(data, self.now)

    def wait(self, seconds: float) -> None:
        self.now += 0.05
        self._came += self.board.run(self.now)

    def close(self) -> None:
        pass

    def ask(self, address: str) -> None:
        self.board.tell("port 1200")
        self.wait(0)
        self.board.tell("port 0")

    def drives(self) -> tuple[Path, ...]:
        there = self.board.tell("loader") == "1"
        if there:
            (self.drive / "INFO_UF2.TXT").write_text("UF2 Bootloader")
        return (self.drive,) if there else ()

    def sleep(self, seconds: float) -> None:
        """The chip goes on, and takes what lies on its drive."""
        self.wait(seconds)
        for file in self.drive.glob("*.uf2"):
            self.board.tell(f"drive {file}")
            file.unlink()
            (self.drive / "INFO_UF2.TXT").unlink()

    def update(self, *words: str) -> tuple[int, str]:
        out = io.StringIO()
        edges = ConsoleEdges(
            out, opener=self.opener, loader=Loader(self.ask, self.drives, self.sleep)
        )
        return console.main(["update", *words], edges), out.getvalue()


def test_update_goes_through_the_loader_and_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    release = (resources.files("firmware_bridge") / "data/board.uf2").read_bytes()
    with EmulatedBoard(reference_board(), 3, chip="rp2040") as board:
        pico = Plugged(board, tmp_path)
        words = ("--board", "/dev/pico", "--data", str(data))
        status, said = pico.update(*words)
        assert status == 0, capsys.readouterr().err
        assert "Before: firmware 1.2" in said
        assert "After: firmware 1.2" in said
        assert "BOOTSEL" in said, "what was there first cannot be read out of the chip"
        (kept,) = data.iterdir()
        assert kept.read_bytes() == release
        status, said = pico.update(*words)
        assert status == 0
        assert f"--hex {kept}" in said

        other = tmp_path / "other.uf2"
        other.write_bytes(b"UF3\n" + release[4:])
        assert pico.update(*words, "--hex", str(other))[0] == 1
        assert "no UF2 file" in capsys.readouterr().err
        assert not pico.drives(), "the board was left alone"
        pico.ask("/dev/pico")
        pico.wait(0)
        assert pico.drives()
        status, said = pico.update("--board", str(pico.drive))
        assert status == 0
        assert not pico.drives()


def test_a_port_without_modem_lines_is_asked_all_the_same() -> None:
    """Such as a pty, or an adapter whose driver knows none."""
    master, slave = pty.openpty()
    try:
        ask_for_loader(os.ttyname(slave))
        assert termios.tcgetattr(master)[5] == termios.B1200
    finally:
        os.close(slave)
        os.close(master)


def test_a_drive_where_this_machine_mounts_it_is_the_first_looked_at(tmp_path: Path) -> None:
    assert tmp_path not in mounted_drives(tmp_path)
    (tmp_path / INFO).write_text("UF2 Bootloader")
    assert mounted_drives(tmp_path) == (tmp_path,)


def test_a_drive_that_does_not_come_is_said(tmp_path: Path) -> None:
    loader = Loader(lambda address: None, tuple, lambda seconds: None)
    with pytest.raises(UpdateError, match="nothing was written"):
        loader.drive_of("/dev/pico")


def test_a_drive_whose_board_has_left_is_no_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mounted by hand (hardware/pico.md), its folder stays when the board starts its firmware."""

    def gone(path: Path) -> bool:
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(Path, "is_file", gone)
    assert not is_drive(tmp_path)
