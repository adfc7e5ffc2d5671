"""E. `takhte board update`: the firmware that came with takhte onto an Arduino Mega, through
avrdude, with its version before and after, and what was there kept as the way back.
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
) -> None:
    """Write `image`, or the release, to the Mega at `address`; what it held is kept in `data`.

    Raises BridgeError with what to do when anything on the way fails.
    """
    avrdude = shutil.which("avrdude")
    if avrdude is None:
        raise BoardLost(
            "avrdude is not installed; on Debian and Raspberry Pi OS: sudo apt install avrdude"
        )
    print(f"Before: {_greet(board, address, opener)[1]}", file=out, flush=True)
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
    ours, after = _greet(board, address, opener)
    back = f"takhte board update --board {address} --hex {kept}"
    if not ours:
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


def _greet(board: BoardSpec, address: str, opener: PortOpener) -> tuple[bool, str]:
    """(whether this takhte can speak to what answers there, its firmware or why not)."""
    session = BoardSession(board, address, opener)
    try:
        session.connect(GREET_S)
        assert session.link.hello is not None
        return True, f"firmware {firmware_words(session.link.hello)}"
    except BridgeError as error:
        return False, str(error)
    finally:
        session.close()
