"""What a board says of itself at the greeting: is it one of ours, and why did it start?"""

from __future__ import annotations

from firmware_bridge import wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.messages import Hello


def reset_cause(bits: int) -> str:
    """The chip's reset bits in words."""
    names = {wire.CAUSE_BROWN_OUT: "brown-out: look at the supply", wire.CAUSE_WATCHDOG: "watchdog", wire.CAUSE_EXTERNAL: "reset line",
    wire.CAUSE_POWER: "power"}  # fmt: skip
    return next((words for bit, words in names.items() if bits & bit), "cause unknown")


def stranger(hello: Hello, board: BoardSpec) -> str:
    """Why this hello is not from a board that we can speak to; empty when it is."""
    if hello.magic != wire.MAGIC:
        return (
            f"what answers here is no takhte board (it says {hello.magic!r}, expected"
            f" {wire.MAGIC!r})"
        )
    if hello.protocol != wire.VERSION:
        newer = "takhte" if hello.protocol > wire.VERSION else "the board (takhte board flash)"
        return (
            f"the board speaks protocol {hello.protocol}, this takhte {wire.VERSION}: update"
            f" {newer}"
        )
    if hello.sensors != len(board.sensors.places) or hello.leds != board.leds.count:
        kind = f"{board.name} has {len(board.sensors.places)} and {board.leds.count}"
        return f"the board has {hello.sensors} sensors and {hello.leds} lights; {kind}"
    return ""
