"""The greeting: asking until a board answers, whether it is one of ours, and why it started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_bridge import wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.link_events import GapNoted
from firmware_bridge.messages import Hello

OWN_REFERENCE: Final = 0x0101
"""From this firmware on the converter's reference is the sensors' own supply, at AREF."""

MEGA: Final = "mega2560"
RP2040: Final = "rp2040"
RP2040_HZ: Final = 48_000_000
"""What the greeting of an RP2040's firmware says of its clock."""


@dataclass(frozen=True, slots=True)
class Firmware:
    """What runs on a board: its version, the sum of the sources that it was built from, and the
    chip that it is for.
    """

    version: str
    build: str
    chip: str

    @classmethod
    def of(cls, hello: Hello) -> Firmware:
        """What a greeting says of it."""
        version = f"{hello.firmware >> 8}.{hello.firmware & 255}"
        return cls(version, f"{hello.build:08x}", RP2040 if hello.cpu_hz == RP2040_HZ else MEGA)

    def __str__(self) -> str:
        return f"{self.version} (build {self.build})"


class Greeting:
    """Asking who is there, every `every` seconds; after `patience` of them nobody of ours is."""

    def __init__(self, every: float, patience: float) -> None:
        self._every, self._patience = every, patience
        self._asked: dict[int, float] = {}
        self._asked_at = 0.0
        self.since = 0.0
        """When the asking began."""

    def begin(self, now: float) -> None:
        """Ask anew, at once."""
        self.since, self._asked_at = now, -1e9
        self._asked.clear()

    def forgive(self, pause: float) -> None:
        """We ourselves stood still so long: that was not the board's silence."""
        self.since += pause

    def gave_up(self, now: float) -> bool:
        """Whether the patience is over."""
        return now - self.since > self._patience

    def due(self, now: float) -> bool:
        """Whether to ask now."""
        return now - self._asked_at >= self._every

    def due_at(self) -> float:
        """When to ask next."""
        return self._asked_at + self._every

    def sent(self, number: int, now: float) -> None:
        """A question went out under this number."""
        self._asked_at = self._asked[number] = now

    def sent_at(self, number: int) -> float:
        """When the question that a board answers was sent; the beginning, where that is unknown."""
        return self._asked.pop(number, self.since)


def reset_cause(bits: int) -> str:
    """The chip's reset bits in words."""
    names = {
        wire.CAUSE_BROWN_OUT: "brown-out: look at the supply",
        wire.CAUSE_WATCHDOG: "watchdog",
        wire.CAUSE_EXTERNAL: "reset line",
        wire.CAUSE_POWER: "power",
    }
    return next((words for bit, words in names.items() if bits & bit), "cause unknown")


def unanswered(heard: int, last_problem: str) -> str:
    """Why nobody of ours is there, in one line, from how many bytes came and what was wrong."""
    seen = f"{heard} bytes came, but no greeting of ours" if heard else "it says nothing"
    problem = f" (last: {last_problem})" if last_problem else ""
    return (
        f"no takhte board answers here: {seen}{problem}. Is it the right port, and is the firmware"
        " flashed?"
    )


def stranger(hello: Hello, board: BoardSpec) -> str:
    """Why this hello is not from a board that we can speak to; empty when it is."""
    if hello.magic != wire.MAGIC:
        return (
            f"what answers here is no takhte board (it says {hello.magic!r}, expected"
            f" {wire.MAGIC!r})"
        )
    if hello.protocol != wire.VERSION:
        newer = "takhte" if hello.protocol > wire.VERSION else "the board (takhte board update)"
        return (
            f"the board speaks protocol {hello.protocol}, this takhte {wire.VERSION}: update"
            f" {newer}"
        )
    if hello.sensors != len(board.sensors.places) or hello.leds != board.leds.count:
        kind = f"{board.name} has {len(board.sensors.places)} and {board.leds.count}"
        return f"the board has {hello.sensors} sensors and {hello.leds} lights; {kind}"
    return ""


def lacking(hello: Hello) -> str:
    """What a board of ours cannot do that this takhte asks of boards, and what to do; empty when
    there is nothing."""
    name = f"the board's firmware {hello.firmware >> 8}.{hello.firmware & 255}"
    if hello.firmware < OWN_REFERENCE:
        return (
            f"{name} measures against the chip's own supply and joins it to the sensors' where AREF"
            " is wired: takhte board update"
        )
    if not hello.features & wire.FEATURE_LEVELS:
        return f"{name} does not check its multiplexers in every scan: takhte board update"
    return ""


def gap_of_restart(before: Hello, hello: Hello, since: float, now: float) -> GapNoted:
    """The gap between two boots: what was pressed in it is lost."""
    same_board = before.uid == hello.uid
    why = (
        f"the board restarted ({reset_cause(hello.cause)})"
        if same_board
        else "another board was plugged in"
    )
    return GapNoted(f"{why}; presses in between are lost", since, now, True)


def gap_in_one_boot(elsewhere: int, since: float, now: float) -> GapNoted:
    """The gap in one boot: nothing is lost but `elsewhere` presses that another program took."""
    if elsewhere:
        why = f"{elsewhere} presses were acknowledged to another program"
        return GapNoted(why, since, now, True)
    return GapNoted("the link was down; nothing was lost", since, now, False)
