"""The referee's machine as data: which entry leads from which phase to which. docs/referee.md is
drawn from this table.

Two rules of this file. *An entry moves the machine, nothing else does*: the live table and a replay
walk the same arrows. *Everything that may happen stands here*: an entry that no row allows is
refused before it is written.

A trigger is an entry's kind, refined where one kind leads to different places (`trigger`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from service.journal.entries import (
    SEEN_LATER,
    Body,
    CubeOffered,
    CubeTaken,
    GameStarted,
    HandedBack,
    Neshast,
    OpeningThrown,
    PlayCorrected,
    TurnReopened,
)
from service.referee.state import PLAYING, Phase

P = Phase
DO_FIRST: Final[Mapping[Phase, str]] = {
    P.IDLE: "set up a match first",
    P.SETTING_UP: "begin the game first",
    P.OPENING: "throw for the opening first, or say the roll",
    P.TO_ROLL: "the side on roll throws first, or doubles where it may",
    P.DOUBLED: "answer the double first: take or drop",
    P.MOVING: "play the roll and end the turn first",
    P.PRESSED: "wait until the play was looked at, or answer what is asked about it",
    P.ILLEGAL: "put the play right first, or let it stand",
    P.DIFFERS: "put the board right first, or say what happened",
    P.GAME_OVER: "begin the next game first",
    P.MATCH_OVER: "set up the next match first",
    P.FROZEN: "an arbiter lets play go on first",
    P.ADJOURNED: "resume the match first",
}
"""What to do next where an order comes in a phase in which it means nothing."""
_PLAYING: Final = tuple(p for p in Phase if p in PLAYING)

ROWS: Final[tuple[tuple[tuple[Phase, ...], str, Phase], ...]] = (
    # The match.
    (tuple(p for p in Phase if p is not P.FROZEN), "match_set", P.SETTING_UP),
    ((P.SETTING_UP, P.GAME_OVER), "set_up_verified", P.SETTING_UP),
    ((P.SETTING_UP, P.GAME_OVER), "game_started", P.OPENING),
    ((P.SETTING_UP, P.GAME_OVER), "game_started, starter known", P.TO_ROLL),
    # The opening throw.
    ((P.OPENING,), "opening_thrown, equal", P.OPENING),
    ((P.OPENING,), "opening_thrown, plays it", P.MOVING),
    ((P.OPENING,), "opening_thrown, rolls again", P.TO_ROLL),
    # A turn: cube, roll, play, press, verdict.
    ((P.TO_ROLL,), "cube_offered", P.DOUBLED),
    ((P.DOUBLED,), "cube_beavered", P.DOUBLED),
    ((P.DOUBLED,), "cube_taken", P.TO_ROLL),
    ((P.DOUBLED,), "cube_withdrawn", P.TO_ROLL),
    ((P.DOUBLED,), "cube_dropped", P.DOUBLED),
    ((P.TO_ROLL, P.MOVING, P.PRESSED), "rolled", P.MOVING),
    ((P.TO_ROLL,), "neshast, closed out", P.TO_ROLL),
    ((P.MOVING,), "neshast", P.MOVING),
    ((P.MOVING, P.TO_ROLL), "roll_withdrawn", P.TO_ROLL),
    ((P.TO_ROLL, P.MOVING), "pressed", P.PRESSED),
    ((P.PRESSED, P.ILLEGAL), "handed_back", P.MOVING),
    ((P.PRESSED, P.ILLEGAL), "handed_back, unrolled", P.TO_ROLL),
    ((P.TO_ROLL,), "turn_reopened", P.MOVING),
    ((P.TO_ROLL,), "turn_reopened, unrolled", P.TO_ROLL),
    ((P.TO_ROLL, P.MOVING, P.PRESSED, P.DIFFERS), "played", P.TO_ROLL),
    # What no rule allows.
    ((P.PRESSED,), "illegal_noticed", P.ILLEGAL),
    ((P.ILLEGAL, P.PRESSED, P.MOVING), "illegal_corrected", P.PRESSED),
    ((P.ILLEGAL, P.PRESSED, P.MOVING), "illegal_stood", P.PRESSED),
    # Board and record differ.
    ((P.TO_ROLL, P.DOUBLED, P.MOVING, P.PRESSED, P.ILLEGAL), "differs", P.DIFFERS),
    # Endings.
    ((P.OPENING, *_PLAYING, P.FROZEN), "game_ended", P.GAME_OVER),
    (
        (P.SETTING_UP, P.OPENING, P.GAME_OVER, *_PLAYING, P.FROZEN, P.ADJOURNED),
        "match_ended",
        P.MATCH_OVER,
    ),
)
ANYWHERE: Final[Mapping[str, Phase]] = {
    "position_set": P.TO_ROLL,
    "corrected, rewinds": P.TO_ROLL,
    "frozen": P.FROZEN,
    "adjourned": P.ADJOURNED,
}
"""What may happen in every phase and leads to one."""
HELD: Final = frozenset({"position_set", "corrected, rewinds"})
"""Of these, what takes effect only when play goes on, while the table is frozen or adjourned."""
HALTED: Final = (P.FROZEN, P.ADJOURNED)
BACK: Final = frozenset({"unfrozen", "resumed", "recovered"})
"""What leads back to the phase that was left."""
LEAVES: Final = {P.FROZEN: "unfrozen", P.ADJOURNED: "resumed", P.DIFFERS: "recovered"}
STAY: Final = frozenset(
    {
        "table_opened",
        "restarted",
        "event_chosen",
        "match_amended",
        "match_called",
        "confirmed",
        "phone_pressed",
        "dice_called",
        "cube_offered, seen later",
        "cube_taken, seen later",
        "clock_started",
        "clock_stopped",
        "clock_adjusted",
        "flagged",
        "resigned",
        "director_called",
        "ruled",
        "penalised",
        "appealed",
        "appeal_closed",
        "alert_raised",
        "alert_acknowledged",
        "corrected",
        "game_reopened",
        "source_lost",
        "source_back",
        "noted",
        "names_erased",
    }
)
"""What may happen in every phase and leaves it as it is."""


def _table() -> dict[tuple[Phase, str], Phase]:
    return {(phase, trigger): target for phases, trigger, target in ROWS for phase in phases}


TABLE: Final[Mapping[tuple[Phase, str], Phase]] = _table()

_REFINED: Final[Mapping[type[Body], Callable[[Body], str]]] = {
    HandedBack: lambda b: (
        "handed_back" if isinstance(b, HandedBack) and b.rolled else "handed_back, unrolled"
    ),
    TurnReopened: lambda b: (
        "turn_reopened" if isinstance(b, TurnReopened) and b.rolled else "turn_reopened, unrolled"
    ),
    Neshast: lambda b: (
        "neshast, closed out" if isinstance(b, Neshast) and b.closed_out else "neshast"
    ),
    GameStarted: lambda b: (
        "game_started, starter known"
        if isinstance(b, GameStarted) and b.starter
        else "game_started"
    ),
    OpeningThrown: lambda b: "opening_thrown, " + _opening(b),
    CubeOffered: lambda b: _cube("cube_offered", b),
    CubeTaken: lambda b: _cube("cube_taken", b),
    PlayCorrected: lambda b: (
        "corrected, rewinds" if isinstance(b, PlayCorrected) and b.rewinds else "corrected"
    ),
}


def _cube(kind: str, body: Body) -> str:
    assert isinstance(body, CubeOffered | CubeTaken)
    return f"{kind}, seen later" if body.source == SEEN_LATER else kind


def _opening(body: Body) -> str:
    assert isinstance(body, OpeningThrown)
    if body.starter is None:
        return "equal"
    return "plays it" if body.plays else "rolls again"


def trigger(body: Body) -> str:
    """The name under which the table knows this entry."""
    refine = _REFINED.get(type(body))
    return body.kind if refine is None else refine(body)


class OutOfOrderError(ValueError):
    """An entry that may not follow in this phase: an error of ours, found before it was written."""


def following(phase: Phase, before: Phase, body: Body) -> Phase:
    """The phase after an entry; `before` is where a frozen, adjourned or differing table goes back
    to. Raises OutOfOrderError.
    """
    name = trigger(body)
    if name in STAY or (name in HELD and phase in HALTED):
        return phase
    if name in BACK and LEAVES.get(phase) == name:
        return before
    target = ANYWHERE.get(name) or TABLE.get((phase, name))
    if target is None:
        raise OutOfOrderError(f"{name} cannot follow in phase {phase.value}")
    return target


def drawing() -> str:
    """The machine as a Mermaid diagram; docs/referee.md holds it, and a test compares. Arrows that
    leave a phase as it is are left out where the phase's own name says so."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    arrows: dict[tuple[Phase, Phase], list[str]] = {}
    for phases, name, target in ROWS:
        for phase in phases:
            arrows.setdefault((phase, target), []).append(name)
    for (phase, target), names in arrows.items():
        lines.append(f"    {_id(phase)} --> {_id(target)}: {' / '.join(names)}")
    lines += [f"    anywhere --> {_id(target)}: {name}" for name, target in ANYWHERE.items()]
    lines += [f"    {_id(phase)} --> where_it_was: {name}" for phase, name in LEAVES.items()]
    return "\n".join(lines) + "\n"


def _id(phase: Phase) -> str:
    return phase.value.replace("-", "_")
