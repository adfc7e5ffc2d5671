"""The clock as faces and score sheets show it: one part of the state document.

The rest of the document is `service.show.document`; this part lies here because a score sheet,
which knows nothing of faces, writes it too. `Limits`, `Words` and `Known` say of a field what its
type cannot; the document's JSON schema and the page's types are made from them. The module does
without postponed annotations, because `NotRequired` is only understood when it is not a string.
"""

from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

from rules.board import BySide, Side
from rules.clock import Clock, DelayMode
from service.referee.clock import ticking


@dataclass(frozen=True, slots=True)
class Limits:
    """What a number or a list may be: least and most of each number, and how many items."""

    least: int | None = None
    most: int | None = None
    items: int | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """The words that a text may be, where no enum of the house names them."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """Keys of an otherwise free object that pages read, each with its type."""

    keys: tuple[tuple[str, type], ...]


SideWord = Annotated[str, Side]


class BankDocument(TypedDict):
    """One side's time."""

    bank: float
    """Seconds left of the bank at `as_of`."""
    delay: float
    """Seconds left of this turn's delay at `as_of`."""
    flags: int


class ClockDocument(TypedDict):
    """The clock; a page counts on from `as_of` by itself."""

    kind: Annotated[str, Words(("ours", "external", "none"))]
    mode: Annotated[str, DelayMode] | None
    white: BankDocument | None
    black: BankDocument | None
    running: SideWord | None
    as_of: float
    """Table time."""
    paused: NotRequired[SideWord | None]
    """Whose time goes on when the clock does; there with a clock of ours."""
    delay: NotRequired[float]
    """Seconds of each move; there with a clock of ours."""


def clock_document(clock: Clock | None, kind: str, now: float, flags: BySide[int]) -> ClockDocument:
    """The clock of the state document: seconds left of bank and delay as of now."""
    found: ClockDocument = {
        "kind": kind,
        "mode": None,
        "white": None,
        "black": None,
        "running": None,
        "as_of": round(now, 3),
    }
    if clock is None:
        return found
    found["white"] = _bank(clock, Side.WHITE, now, flags.white)
    found["black"] = _bank(clock, Side.BLACK, now, flags.black)
    found["mode"] = clock.control.mode.value
    whose = clock.running.value if clock.running else None
    found["running"] = whose if ticking(clock) else None
    found["paused"] = None if ticking(clock) else whose
    found["delay"] = clock.control.delay
    return found


def _bank(clock: Clock, side: Side, now: float, flags: int) -> BankDocument:
    delay = 0.0
    if clock.running is side:
        delay = clock.delay_left(now)
    elif clock.control.mode is DelayMode.SIMPLE:
        delay = clock.control.delay
    return {"bank": round(clock.left(side, now), 3), "delay": round(delay, 3), "flags": flags}
