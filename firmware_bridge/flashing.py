"""E. `takhte board update`: the firmware that came with takhte onto an Arduino Mega, through
avrdude, or onto an RP2040, through its own loader; with its version before and after, and the way
back.

`FirmwareUpdate` says nothing by itself: it tells how far it is, and the console and the table's
page have words for that.
"""

from __future__ import annotations

import contextlib
import enum
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Final

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import BridgeError, UpdateError
from firmware_bridge.greeting import RP2040, Firmware
from firmware_bridge.loader_drive import BY_HAND, Loader, is_drive
from firmware_bridge.session import BoardSession
from firmware_bridge.transport import PortOpener, is_pico

GREET_S: Final = 6.0
"""A board answers within its bootloader's two seconds, or is not running our firmware."""
MEGA_KEPT: Final = "firmware-before-*.hex"
RP2040_KEPT: Final = "firmware-rp2040-*.uf2"
IF_NOT: Final = (
    "Close whatever has the port open (takhte itself, a serial monitor); take the 10 uF off RESET,"
    " or bridge the cut RESET-EN, so that avrdude can restart the board; then try again"
)

Run = Callable[[list[str]], int]


class UpdateStep(enum.Enum):
    """How far an update is."""

    ASKING = "asking"
    """The board is asked what runs on it."""
    KEEPING = "keeping"
    """What is on the chip is read back and kept."""
    WRITING = "writing"
    CHECKING = "checking"
    """The board is asked what runs on it now."""
    DONE = "done"


@dataclass(frozen=True, slots=True)
class UpdateNews:
    """How far an update is: what was on the board and what is (None where it does not say), the
    file that leads back (None where there is none), and why a board said nothing before.
    """

    step: UpdateStep = UpdateStep.ASKING
    before: Firmware | None = None
    after: Firmware | None = None
    kept: Path | None = None
    silent: str = ""


def released(chip: str) -> Firmware:
    """The firmware that came with takhte for a chip."""
    given = json.loads((resources.files("firmware_bridge") / "data/release.json").read_text())
    return Firmware(given["version"], given[chip], chip)


def way_back(data: Path, now: Firmware) -> Path | None:
    """The newest file in `data` that leads back from what runs on the board; None where nothing was
    kept.
    """
    found = [
        path
        for path in data.glob(RP2040_KEPT if now.chip == RP2040 else MEGA_KEPT)
        if path != _kept_uf2(data, now)
    ]
    return max(found, key=lambda path: (path.stat().st_mtime, path.name), default=None)


@dataclass(slots=True)
class FirmwareUpdate:
    """One update of the board at `address`, which may be the folder of an RP2040's drive; what
    makes the way back is kept in `data`. `tell` hears how far it is.
    """

    board: BoardSpec
    address: str
    data: Path
    opener: PortOpener
    run: Run
    tell: Callable[[UpdateNews], None]
    loader: Loader = field(default_factory=Loader)
    news: UpdateNews = field(default_factory=UpdateNews)

    def write(self, image: Path | None) -> UpdateNews:
        """Write `image`, or the release, and say how it ended.

        Raises UpdateError with what to do when anything on the way fails.
        """
        drive = Path(self.address)
        if is_drive(drive):
            self._told(step=UpdateStep.WRITING)
            self.loader.write(drive, _uf2(image))
            return self._told(step=UpdateStep.DONE)
        self._told(step=UpdateStep.ASKING)
        before, why = self._greet()
        self._told(before=before, silent=why)
        pico = before.chip == RP2040 if before is not None else is_pico(self.address)
        if pico or (image and image.suffix == ".uf2"):
            self._write_rp2040(image, before)
        else:
            self._write_mega(image)
        return self._told(step=UpdateStep.DONE)

    def _told(
        self,
        step: UpdateStep | None = None,
        before: Firmware | None = None,
        after: Firmware | None = None,
        kept: Path | None = None,
        silent: str = "",
    ) -> UpdateNews:
        """Tell what is known besides from now on."""
        known = self.news
        self.news = replace(
            known,
            step=step or known.step,
            before=before or known.before,
            after=after or known.after,
            kept=kept or known.kept,
            silent=silent or known.silent,
        )
        self.tell(self.news)
        return self.news

    def _write_rp2040(self, image: Path | None, before: Firmware | None) -> None:
        written = _uf2(image)
        kept = _kept_uf2(self.data, before) if before is not None else None
        self._told(step=UpdateStep.WRITING, kept=kept if kept and kept.exists() else None)
        self.loader.write(self.loader.drive_of(self.address), written)
        after = self._check()
        self.data.mkdir(parents=True, exist_ok=True)
        _kept_uf2(self.data, after).write_bytes(written)

    def _write_mega(self, image: Path | None) -> None:
        avrdude = shutil.which("avrdude")
        if avrdude is None:
            raise UpdateError(
                "no_avrdude",
                "avrdude is not installed; on Debian and Raspberry Pi OS: sudo apt install avrdude",
            )
        # The Mega's own bootloader speaks "wiring"; -D because it cannot erase the chip it runs on.
        command = [avrdude, "-p", "m2560", "-c", "wiring", "-P", self.address, "-b", "115200", "-D"]
        with contextlib.ExitStack() as stack:
            if image is None:
                shipped = resources.files("firmware_bridge") / "data/board.hex"
                image = stack.enter_context(resources.as_file(shipped))
            if not image.exists():
                raise UpdateError("no_image", f"no firmware at {image}")
            self._told(step=UpdateStep.KEEPING)
            kept = self._keep(command)
            self._told(step=UpdateStep.WRITING, kept=kept)
            status = self.run([*command, "-U", f"flash:w:{image}:i"])
        if status != 0:
            raise UpdateError(
                "not_written",
                f"avrdude could not write the firmware to {self.address} (it ended with {status})."
                f" {IF_NOT}. A write that was cut short leaves the bootloader as it was",
            )
        self._check()

    def _keep(self, command: list[str]) -> Path:
        """What is on the chip, as a file to write back."""
        self.data.mkdir(parents=True, exist_ok=True)
        kept = self.data / f"firmware-before-{time.strftime('%Y%m%d-%H%M%S')}.hex"
        part = kept.with_suffix(".part")
        status = self.run([*command, "-U", f"flash:r:{part}:i"])
        if status != 0:
            part.unlink(missing_ok=True)
            raise UpdateError(
                "not_read",
                f"avrdude could not read what is on the board (it ended with {status}), so nothing"
                f" was written. {IF_NOT}",
            )
        return part.replace(kept)

    def _check(self) -> Firmware:
        """What runs now. Raises UpdateError where nothing answers."""
        self._told(step=UpdateStep.CHECKING)
        after, why = self._greet()
        if after is None:
            raise UpdateError(
                "silent",
                f"the firmware was written to {self.address}, but {why}. The way back:"
                f" {command_back(self.address, self.news.kept)}",
            )
        self._told(after=after)
        return after

    def _greet(self) -> tuple[Firmware | None, str]:
        """(what answers there, if this takhte can speak to it; why it does not)."""
        session = BoardSession(self.board, self.address, self.opener)
        try:
            session.connect(GREET_S)
            assert session.link.hello is not None
            return Firmware.of(session.link.hello), ""
        except BridgeError as error:
            return None, str(error)
        finally:
            session.close()


def command_back(address: str, kept: Path | None) -> str:
    """What a person types, or does, to have the firmware of before."""
    if kept is None:
        return f"the .uf2 of the firmware that was there; {BY_HAND}"
    return f"takhte board update --board {address} --hex {kept}"


def _uf2(image: Path | None) -> bytes:
    """The file that an RP2040 shall take."""
    if image is None:
        return (resources.files("firmware_bridge") / "data/board.uf2").read_bytes()
    if not image.exists():
        raise UpdateError("no_image", f"no firmware at {image}")
    found = image.read_bytes()
    if not found.startswith(b"UF2\n"):
        raise UpdateError(
            "not_uf2",
            f"{image} is no UF2 file, which is what an RP2040 takes: nothing was written",
        )
    return found


def _kept_uf2(data: Path, firmware: Firmware) -> Path:
    """Where a firmware that this takhte has written is kept: nothing can be read out of the chip
    through its loader."""
    return data / f"firmware-rp2040-{firmware.build}.uf2"
