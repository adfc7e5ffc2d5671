"""Conduct: who may be told what, what a penalty does, what is late.

Everything here is policy as data: the event file (`rules.event`) chooses, these functions answer.
Nothing acts by itself; what a penalty does to a match comes out as actions for `rules.apply.apply`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rules.board import Side
from rules.game import Action, GameAwarded, GamePhase, MatchAwarded, PointsAdjusted
from rules.infraction import Broken
from rules.match import Match


class Monitor(enum.Enum):
    """Who may be told of an illegal play: the table aloud, the arbiter alone, nobody, or the table
    with hints.
    """

    BOARD = "board"
    ARBITER = "arbiter"
    SILENT = "silent"
    TEACHING = "teaching"


class Listener(enum.Enum):
    PLAYERS = "players"
    """Board, lights, sound, clock face, the house tablet at the table."""
    ARBITER = "arbiter"
    SPECTATORS = "spectators"
    """Wall screens, overlays, phones: they may not point anything out."""
    RECORD = "record"


class News(enum.Enum):
    """Kinds of things that could be told."""

    DICE = "dice"
    """A die cocked, missing, off the board: announced to both sides, always."""
    CLOCK = "clock"
    ILLEGAL_PLAY = "illegal_play"
    HINT = "hint"
    """The nearest legal plays."""
    TOUCH = "touch"
    """What touch rules saw: evidence for the director, never a penalty by itself."""
    CONDUCT = "conduct"
    """Premature rolls, missed presses, slow play."""
    AID = "aid"
    """Pip counts and the like."""
    ANALYSIS = "analysis"
    """Equity, best plays, errors."""


_ALL: Final = frozenset(Listener)
_OFFICIALS: Final = frozenset({Listener.ARBITER, Listener.RECORD})
_RECORD: Final = frozenset({Listener.RECORD})
_NOT_PLAYERS: Final = _ALL - {Listener.PLAYERS}

_TOLD: Final[Mapping[Monitor, Mapping[News, frozenset[Listener]]]] = {
    Monitor.BOARD: {News.ILLEGAL_PLAY: _ALL, News.HINT: _OFFICIALS, News.CONDUCT: _ALL},
    Monitor.ARBITER: {
        News.ILLEGAL_PLAY: _OFFICIALS,
        News.HINT: _OFFICIALS,
        News.CONDUCT: _OFFICIALS,
    },
    Monitor.SILENT: {News.ILLEGAL_PLAY: _RECORD, News.HINT: _RECORD, News.CONDUCT: _RECORD},
    Monitor.TEACHING: {News.ILLEGAL_PLAY: _ALL, News.HINT: _ALL, News.CONDUCT: _ALL},
}
_ALWAYS: Final[Mapping[News, frozenset[Listener]]] = {
    News.DICE: _ALL,
    News.CLOCK: _ALL,
    News.TOUCH: _OFFICIALS,
    News.AID: _NOT_PLAYERS,
    News.ANALYSIS: _NOT_PLAYERS,
}


def may_be_told(monitor: Monitor, news: News, listener: Listener, stands: bool = False) -> bool:
    """Whether a listener may hear of something now. What an illegal play was is public once it
    stands or was corrected (`stands`).

    Analysis never reaches the players, and the audience only with the event's delay, which the
    caller keeps.
    """
    if stands and news is News.ILLEGAL_PLAY:
        return monitor is not Monitor.SILENT or listener is not Listener.PLAYERS
    return listener in (_TOLD[monitor].get(news) or _ALWAYS.get(news, frozenset()))


CONDUCT: Final = frozenset(list(Broken)[list(Broken).index(Broken.COCKED_DIE) :])
"""The infractions of conduct, which make no play illegal."""


# Penalties.


class PointsLost(enum.Enum):
    """Where penalty points go: off the offender's score but not below 0, off it freely, or to the
    opponent.
    """

    DEDUCTED = "deducted"
    DEDUCTED_BELOW_ZERO = "deducted_below_zero"
    AWARDED = "awarded"


class AtFlag(enum.Enum):
    """DIRECTOR: the flag raises the matter, the director rules.

    AUTOMATIC: the ladder is applied at once.
    """

    DIRECTOR = "director"
    AUTOMATIC = "automatic"


class Penalty(enum.Enum):
    WARNING = "warning"
    TIME = "time"
    POINTS = "points"
    GAME = "game"
    MATCH = "match"
    DIRECTOR = "director"
    """The event leaves it to the director."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rung of a ladder; `amount` is points or seconds."""

    penalty: Penalty
    amount: int = 0


Ladder = tuple[Step, ...]


def rung(ladder: Ladder, nth: int) -> Step:
    """What the nth violation costs (from 1); beyond the last rung the last holds.

    Raises ValueError for an nth below 1.
    """
    if nth < 1:
        raise ValueError(f"violations are counted from 1; got {nth}")
    return ladder[min(nth, len(ladder)) - 1] if ladder else Step(Penalty.DIRECTOR)


def consequences(
    match: Match, offender: Side, step: Step, lost: PointsLost, reason: str
) -> tuple[Action, ...]:
    """What a penalty does to the match, as actions.

    Warnings, time and the director's discretion do nothing to it.
    """
    if step.penalty is Penalty.MATCH:
        return (MatchAwarded(offender.other, reason),)
    if step.penalty is Penalty.GAME and match.game.phase is not GamePhase.OVER:
        return (GameAwarded(offender.other, match.game.cube.value, reason),)
    if step.penalty is Penalty.POINTS:
        if lost is PointsLost.AWARDED:
            return (PointsAdjusted(offender.other, step.amount, None, reason),)
        floor = 0 if lost is PointsLost.DEDUCTED else None
        return (PointsAdjusted(offender, -step.amount, floor, reason),)
    return ()


def late_start(minutes: float, length: int) -> Step:
    """UK practice: 1 point after 5 minutes and one more each 5; more than half the match length
    costs the match.
    """
    points = int(minutes // 5)
    if points <= 0:
        return Step(Penalty.WARNING)
    if length and points > length / 2:
        return Step(Penalty.MATCH)
    return Step(Penalty.POINTS, points)


# Time limits that are not the clock's.


def overdue(
    turn_s: float, rested_s: float | None, slow_turn_s: float, missed_press_s: float
) -> tuple[Broken, ...]:
    """What a turn of so many seconds is late with; `rested_s`: how long a complete play has rested
    without a press, None for none.

    A limit of 0 is none.
    """
    found = []
    if slow_turn_s and turn_s > slow_turn_s:
        found.append(Broken.SLOW_PLAY)
    if missed_press_s and rested_s is not None and rested_s > missed_press_s:
        found.append(Broken.MISSED_PRESS)
    return tuple(found)


class PrematureRoll(enum.Enum):
    """A roll before the opponent's turn is over: the opponent lets it stand or has it redone; it
    stands; or the clock may be paused.
    """

    OPPONENT_CHOOSES = "opponent_chooses"
    STANDS = "stands"
    CLOCK_PAUSE = "clock_pause"


def after_premature_roll(policy: PrematureRoll) -> tuple[str, ...]:
    """What the interrupted side may choose: `stand`, `redo`, `pause`."""
    return {
        PrematureRoll.OPPONENT_CHOOSES: ("stand", "redo"),
        PrematureRoll.STANDS: ("stand",),
        PrematureRoll.CLOCK_PAUSE: ("stand", "redo", "pause"),
    }[policy]
