"""The desk a simulated game reports to: the same calls, whether the whole session answers or reconcile alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Observation
from rules.position import Position
from service.entry import DiceOrigin
from service.reconcile.evidence import Belief, observe
from service.reconcile.verdict import (
    Agreed,
    Ambiguous,
    Differs,
    Expectation,
    Illegal,
    RollProblem,
    RollRead,
    Stage,
    judge,
    roll_seen,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What the desk said. `kind`: rolled, called (dice that are no roll), agreed, asked (a person must decide), illegal, differs,
    recovered."""

    kind: str
    at: float
    placement: Placement | None = None
    roll: Roll | None = None
    origin: DiceOrigin | None = None
    text: str = ""


class Desk(Protocol):
    """Answers are what was said because of the call. `answer` is a person's word: what was truly rolled and stands there."""

    def observe(self, observation: Observation, now: float) -> Sequence[Said]: ...

    def press(self, side: Side, now: float) -> Sequence[Said]: ...

    def answer(self, roll: Roll, placement: Placement, now: float) -> None: ...

    @property
    def on_roll(self) -> Side: ...


class PlainDesk:
    """Reconcile alone, with the least of a referee around it: for finding out which of the two erred."""

    def __init__(self, position: Position, now: float, sight: bool = True) -> None:
        self.position, self.sight = position, sight
        self.belief = Belief.fresh(position.placement, now)
        self.stage, self.since = Stage.AWAITING_ROLL, now
        self.roll: Roll | None = None
        self.called = ""
        self.noticed = False
        self.asked = False
        self.first = {Side.WHITE: True, Side.BLACK: True}

    @property
    def on_roll(self) -> Side:
        return self.position.side

    def _expected(self) -> Expectation:
        return Expectation(self.position, self.roll, self.stage, since=self.since)

    def observe(self, observation: Observation, now: float) -> list[Said]:
        self.belief = observe(self.belief, observation, now)
        if self.stage is Stage.AWAITING_ROLL:
            return self._roll(now)
        return self._verdict(now) if self.stage is Stage.PRESSED else []

    def press(self, side: Side, now: float) -> list[Said]:
        self.stage, self.since = Stage.PRESSED, now
        return self._verdict(now)

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        self._next(placement, now)

    def _roll(self, now: float) -> list[Said]:
        match roll_seen(self.belief, self._expected(), now):
            case RollRead(roll, _):
                self.roll, self.stage, self.since = roll, Stage.MOVING, now
                return [Said("rolled", now, roll=roll, origin=DiceOrigin.READ)]
            case RollProblem(kind, _, _) if kind != self.called:
                self.called = kind
                return [Said("called", now, text=kind)]
        return []

    def _verdict(self, now: float) -> list[Said]:
        match judge(self.belief, self._expected(), now):
            case Agreed(play, roll, dice, _):
                self._next(play.placement, now)
                return [Said("agreed", now, play.placement, roll, dice)]
            case Illegal(infraction, placement, roll, _) if not self.noticed:
                self.noticed = True
                return [Said("illegal", now, placement, roll, text=infraction.code.value)]
            case Ambiguous(options) if not self.asked:
                self.asked = True
                return [Said("asked", now, options[0][0].placement, options[0][1], text=f"{len(options)}")]
            case Differs(explanations) if not self.asked:
                self.asked = True
                return [Said("differs", now, text=explanations[0].kind if explanations else "")]
        return []

    def _next(self, placement: Placement, now: float) -> None:
        side = self.position.side
        self.first[side] = False
        self.position = Position.of(placement, self.position.ruleset, side.other, self.first[side.other])
        self.belief = Belief.fresh(placement, now, self.belief, self.since)
        self.stage, self.since, self.roll = Stage.AWAITING_ROLL, now, None
        self.called, self.noticed, self.asked = "", False, False
