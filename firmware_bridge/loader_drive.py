"""E. The firmware onto an RP2040: its own loader shows itself as a USB drive named RPI-RP2, and
takes a UF2 file that is copied there.

The loader is in the chip's ROM, so that no write, whole or cut short, can lock a board out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import serial

from firmware_bridge.errors import UpdateError

ASKS_FOR_LOADER: Final = 1200
"""Baud: a port opened so and closed again is a board asked for its loader, as on an Arduino."""
LABEL: Final = "RPI-RP2"
DRIVE_S: Final = 15.0
INFO: Final = "INFO_UF2.TXT"
BY_HAND: Final = (
    f"hold BOOTSEL while you plug the board in, mount the drive {LABEL} if this system does not by"
    " itself, and try again with --board THAT_FOLDER"
)


def ask_for_loader(address: str) -> None:
    """Open the port at 1200 baud and close it. Raises UpdateError when it cannot be opened."""
    try:
        port = serial.Serial(address, ASKS_FOR_LOADER, exclusive=True)
    except (serial.SerialException, OSError) as error:
        raise UpdateError(
            "port_taken", f"cannot open {address} ({error}): does another program have it?"
        ) from error
    # Where this line cannot be set by itself, closing the port lets it fall.
    with contextlib.closing(port), contextlib.suppress(OSError):
        port.dtr = False


def mounted_drives(own: Path | None = None) -> tuple[Path, ...]:
    """Folders where a loader's drive is mounted; one that waits for it is mounted if possible.

    `own`: where this machine mounts it, when nobody's desktop does; a look may be what mounts it.
    """
    if own is not None and is_drive(own):
        return (own,)
    waits = Path("/dev/disk/by-label") / LABEL
    found = _found()
    if not found and waits.exists() and (udisks := shutil.which("udisksctl")):
        command = [udisks, "mount", "-b", str(waits)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603
        found = _found()
    return found


def _found() -> tuple[Path, ...]:
    places = [*Path("/media").glob(f"*/{LABEL}"), *Path("/run/media").glob(f"*/{LABEL}")]
    return tuple(p for p in (*places, Path("/Volumes") / LABEL, Path("/mnt")) if is_drive(p))


def is_drive(folder: Path) -> bool:
    """Whether a folder is the loader's drive; a mount whose board has left is none."""
    try:
        return (folder / INFO).is_file()
    except OSError:
        return False


@dataclass(frozen=True)
class Loader:
    """What writing needs of the outside: tests put an emulated chip in."""

    ask: Callable[[str], None] = ask_for_loader
    drives: Callable[[], tuple[Path, ...]] = mounted_drives
    sleep: Callable[[float], None] = time.sleep

    def drive_of(self, address: str) -> Path:
        """Ask the board at a port for its loader; the folder of its drive."""
        if before := self.drives():
            raise UpdateError(
                "other_drive",
                f"another board waits for its firmware at {before[0]}: unplug it, or update it"
                f" first with --board {before[0]}",
            )
        self.ask(address)
        waited = 0.0
        while not (found := self.drives()):
            if waited > DRIVE_S:
                raise UpdateError(
                    "no_drive",
                    f"the board at {address} was asked for its loader, and no drive {LABEL} came"
                    f" within {DRIVE_S:.0f} s; nothing was written. By hand: {BY_HAND}",
                )
            self.sleep(0.2)
            waited += 0.2
        return found[0]

    def write(self, drive: Path, image: bytes) -> None:
        """Copy a UF2 file; the board starts over by itself. Raises UpdateError."""
        try:
            with (drive / "takhte.uf2").open("wb", buffering=0) as file:
                file.write(image)
                # The drive is gone with the last block, sometimes before we are told that it came.
                with contextlib.suppress(OSError):
                    os.fsync(file.fileno())
        except OSError as error:
            raise UpdateError(
                "not_copied",
                f"the firmware could not be written to {drive} ({error}). The loader is still"
                f" there: {BY_HAND}",
            ) from error
        waited = 0.0
        while is_drive(drive) and waited < DRIVE_S:
            self.sleep(0.2)
            waited += 0.2
        if is_drive(drive):
            raise UpdateError(
                "not_started",
                f"{drive} took the file and did not start it: it is not for this chip, or damaged."
                " Write another in the same way",
            )
