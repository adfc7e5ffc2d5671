"""E. `takhte board update`: the firmware that came with takhte onto an Arduino Mega, through
avrdude, or onto an RP2040, through its own loader; with its version before and after, and the way
back.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Final, TextIO

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import BoardLost, BridgeError, NotOurBoard
from firmware_bridge.loader_drive import BY_HAND, CPU_HZ, Loader, is_drive
from firmware_bridge.messages import Hello
from firmware_bridge.session import BoardSession
from firmware_bridge.transport import PortOpener

GREET_S: Final = 6.0
"""A board answers within its bootloader's two seconds, or is not running our firmware."""

Run = Callable[[list[str]], int]


def firmware_words(hello: Hello) -> str:
    """A board's firmware in words."""
    return f"{hello.firmware >> 8}.{hello.firmware & 255} (build {hello.build:08x})"


def update(
    board: BoardSpec,
    address: str,
    image: Path | None,
    data: Path,
    opener: PortOpener,
    run: Run,
    out: TextIO,
    loader: Loader | None = None,
) -> None:
    """Write `image`, or the release, to the board at `address`, which may be the folder of an
    RP2040's drive; what makes the way back is kept in `data`.

    Raises BridgeError with what to do when anything on the way fails.
    """
    drive = Path(address)
    if is_drive(drive):
        (loader or Loader()).write(drive, _uf2(image))
        print("The firmware is on the board. Next: takhte board test", file=out)
        return
    hello, before = _greet(board, address, opener)
    if (hello is not None and hello.cpu_hz == CPU_HZ) or (image and image.suffix == ".uf2"):
        print(f"Before: {before}", file=out, flush=True)
        _update_rp2040(board, address, image, data, opener, hello, out, loader or Loader())
    else:
        _update_mega(board, address, image, data, opener, run, out, before)


def _uf2(image: Path | None) -> bytes:
    """The file that an RP2040 shall take."""
    if image is None:
        return (resources.files("firmware_bridge") / "data/board.uf2").read_bytes()
    if not image.exists():
        raise BoardLost(f"no firmware at {image}")
    found = image.read_bytes()
    if not found.startswith(b"UF2\n"):
        raise BoardLost(
            f"{image} is no UF2 file, which is what an RP2040 takes: nothing was written"
        )
    return found


def _kept_uf2(data: Path, hello: Hello) -> Path:
    """Where a firmware that this takhte has written is kept: nothing can be read out of the chip
    through its loader."""
    return data / f"firmware-rp2040-{hello.build:08x}.uf2"


def _update_rp2040(
    board: BoardSpec,
    address: str,
    image: Path | None,
    data: Path,
    opener: PortOpener,
    before: Hello | None,
    out: TextIO,
    loader: Loader,
) -> None:
    written = _uf2(image)
    loader.write(loader.drive_of(address), written)
    after, words = _greet(board, address, opener)
    kept = _kept_uf2(data, before) if before is not None else None
    back = (
        f"takhte board update --board {address} --hex {kept}"
        if kept is not None and kept.exists()
        else f"the .uf2 of the firmware that was there; {BY_HAND}"
    )
    if after is None:
        raise NotOurBoard(
            f"the firmware was written to {address}, but {words}. The way back: {back}"
        )
    data.mkdir(parents=True, exist_ok=True)
    _kept_uf2(data, after).write_bytes(written)
    print(f"After: {words}", file=out)
    print(f"The firmware is on the board. Next: takhte board test. The way back: {back}", file=out)


def _update_mega(
    board: BoardSpec,
    address: str,
    image: Path | None,
    data: Path,
    opener: PortOpener,
    run: Run,
    out: TextIO,
    before: str,
) -> None:
    avrdude = shutil.which("avrdude")
    if avrdude is None:
        raise BoardLost(
            "avrdude is not installed; on Debian and Raspberry Pi OS: sudo apt install avrdude"
        )
    print(f"Before: {before}", file=out, flush=True)
    # The Mega's own bootloader speaks "wiring"; -D because it cannot erase the chip it runs on.
    command = [avrdude, "-p", "m2560", "-c", "wiring", "-P", address, "-b", "115200", "-D"]
    with contextlib.ExitStack() as stack:
        if image is None:
            shipped = resources.files("firmware_bridge") / "data/board.hex"
            image = stack.enter_context(resources.as_file(shipped))
        if not image.exists():
            raise BoardLost(f"no firmware at {image}")
        kept = _keep(command, data, run)
        print(f"What was on the board is kept in {kept}", file=out, flush=True)
        status = run([*command, "-U", f"flash:w:{image}:i"])
    if status != 0:
        raise BoardLost(
            f"avrdude could not write the firmware to {address} (it ended with {status})."
            f" {IF_NOT}. A write that was cut short leaves the bootloader as it was"
        )
    hello, after = _greet(board, address, opener)
    back = f"takhte board update --board {address} --hex {kept}"
    if hello is None:
        raise NotOurBoard(
            f"the firmware was written to {address}, but {after}. The way back: {back}"
        )
    print(f"After: {after}", file=out)
    print(f"The firmware is on the board. Next: takhte board test. The way back: {back}", file=out)


IF_NOT: Final = (
    "Close whatever has the port open (takhte itself, a serial monitor); take the 10 uF off RESET,"
    " or bridge the cut RESET-EN, so that avrdude can restart the board; then try again"
)


def _keep(command: list[str], data: Path, run: Run) -> Path:
    """What is on the chip, as a file to write back."""
    data.mkdir(parents=True, exist_ok=True)
    kept = data / f"firmware-before-{time.strftime('%Y%m%d-%H%M%S')}.hex"
    status = run([*command, "-U", f"flash:r:{kept}:i"])
    if status != 0:
        raise BoardLost(
            f"avrdude could not read what is on the board (it ended with {status}), so nothing was"
            f" written. {IF_NOT}"
        )
    return kept


def _greet(board: BoardSpec, address: str, opener: PortOpener) -> tuple[Hello | None, str]:
    """(the greeting of what answers there, if this takhte can speak to it; its firmware or why
    not)."""
    session = BoardSession(board, address, opener)
    try:
        session.connect(GREET_S)
        assert session.link.hello is not None
        return session.link.hello, f"firmware {firmware_words(session.link.hello)}"
    except BridgeError as error:
        return None, str(error)
    finally:
        session.close()
