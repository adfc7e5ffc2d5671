"""The desks that a simulated game may report to: the whole session, or reconcile alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rules.board import BySide, Placement, Side
from rules.dice import Roll
from rules.observation import Observation, Source
from rules.position import Position
from service.journal.codec import Json, encode
from service.journal.entries import (
    AlertRaised,
    Body,
    DiceCalled,
    DiceOrigin,
    IllegalNoticed,
    PlayEntered,
    Role,
    RollEntered,
    Who,
)
from service.journal.entries import BoardDiffered as DiffersEntry
from service.reconcile import (
    Agreed,
    Ambiguous,
    Awaiting,
    Differs,
    Evidence,
    Expectation,
    Illegal,
    RollProblem,
    RollRead,
    decide,
    observe,
    roll_seen,
)
from service.referee.inputs import Order, Press, SourceChanged
from service.referee.refusal import OrderError
from service.referee.state import QUESTIONS, Phase
from service.session.belief import Session
from service.session.settled_placements import to_remember
from service.session.step import SessionInput, session_step

CONSOLE = Who("simulate", Role.CONSOLE)
SET_UP_S = 11.0
"""Table time at which a simulated game begins, s."""


@dataclass(frozen=True, slots=True)
class DeskAnswer:
    """What the desk makes known at `at`, s. `kind`: rolled, called (dice that are no roll), agreed,
    asked (a person must decide), illegal, differs.
    """

    kind: str
    at: float
    placement: Placement | None = None
    roll: Roll | None = None
    origin: DiceOrigin | None = None
    text: str = ""


class PlayedTable(Protocol):
    """What a simulated game reports to; `observe` and `press` return what that is answered."""

    def observe(self, observation: Observation, now: float) -> Sequence[DeskAnswer]: ...

    def press(self, side: Side, now: float) -> Sequence[DeskAnswer]: ...

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        """A person says what was truly rolled and stands there."""
        ...

    def source(self, source: Source, ok: bool, now: float) -> None:
        """A source's cable is pulled, or put back."""
        ...

    def waits_for(self, side: Side) -> bool:
        """Whether this side's turn is still open."""
        ...

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        """Make the record say what is true when it does not; whether that was needed."""
        ...


class SessionDesk:
    """The whole session, as the table runs it. `entries`: everything that was written, with its
    time and who signed it; `remember` is called with what the board is to remember.
    """

    def __init__(
        self,
        position: Position,
        now: float,
        remember: Callable[[Placement | None], None] = lambda _: None,
    ) -> None:
        self.session, self._remember = Session(), remember
        self.entries: list[tuple[float, Who, Body]] = []
        self._give(
            Order(
                "set_match",
                {"ruleset": position.ruleset.name, "length": 9, "clock": "ours"},
                CONSOLE,
            ),
            now,
        )
        self._opening: Position | None = position

    def waits_for(self, side: Side) -> bool:
        state = self.session.state
        return state.phase not in (Phase.GAME_OVER, Phase.MATCH_OVER) and state.game.on_roll is side

    def observe(self, observation: Observation, now: float) -> list[DeskAnswer]:
        answers = self._give(observation, now)
        if self._opening is not None and now >= SET_UP_S:
            # The set-up was looked at; who begins was settled by hand.
            first, self._opening = self._opening, None
            placement = first.placement
            self._order(
                "set_position",
                {
                    "placement": encode(placement),
                    "on_roll": first.side.value,
                    "first_turns": (True, True),
                },
                now,
            )
        return answers

    def press(self, side: Side, now: float) -> list[DeskAnswer]:
        return self._give(Press(side, now), now)

    def source(self, source: Source, ok: bool, now: float) -> None:
        self._give(SourceChanged(source.kind.device, ok), now)

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        dice = encode(roll)
        if self.session.state.phase is Phase.TO_ROLL:
            self._order("declare_roll", {"roll": dice}, now)
        self._order("declare_play", {"placement": encode(placement), "roll": dice}, now)

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        state = self.session.state
        over = state.phase in (Phase.GAME_OVER, Phase.MATCH_OVER)
        if over or (state.game.placement == placement and state.game.on_roll is on_roll):
            return False
        self._order("set_position", {"placement": encode(placement), "on_roll": on_roll.value}, now)
        return True

    def _order(self, name: str, args: Mapping[str, Json], now: float) -> None:
        """Give an order from the console; nothing is done where it is refused."""
        try:
            self._give(Order(name, args, CONSOLE), now)
        except OrderError:
            # The table is in a phase that wants another word; the last resort, set_position, always
            # counts.
            return

    def _give(self, given: SessionInput, now: float) -> list[DeskAnswer]:
        """What players notice of one input to the session."""
        outcome = session_step(self.session, given, now)
        self.session = outcome.session
        self.entries += [(now, outcome.by, body) for body in outcome.entries]
        for placement in to_remember(outcome.entries, self.session.state.game.placement):
            self._remember(placement)
        answers = (what_a_player_notices(body, now) for body in outcome.entries)
        return [answer for answer in answers if answer is not None]


def what_a_player_notices(body: Body, now: float) -> DeskAnswer | None:
    """What a player at the table notices of an entry, None for nothing."""
    match body:
        case RollEntered():
            return DeskAnswer("rolled", now, roll=body.roll, origin=body.origin)
        case DiceCalled():
            return DeskAnswer("called", now, text=body.problem)
        case PlayEntered() if not body.by_hand:
            return DeskAnswer("agreed", now, body.placement, body.roll, body.origin)
        case IllegalNoticed():
            return DeskAnswer("illegal", now, body.placement, body.roll, text=body.code)
        case DiffersEntry():
            return DeskAnswer("differs", now, text=body.reason)
        case AlertRaised() if body.matter in QUESTIONS:
            return DeskAnswer("asked", now, text=body.matter)
    return None


class PlainDesk:
    """Reconcile alone, with hardly a referee around it, to find out which of the two erred."""

    def __init__(self, position: Position, now: float, sight: bool = True) -> None:
        self.position, self.sight = position, sight
        self.evidence = Evidence.fresh(position.placement, now)
        self.stage, self.since = Awaiting.AWAITING_ROLL, now
        self.roll: Roll | None = None
        self.called = ""
        self.noticed = False
        self.asked = False
        self.first = BySide.both(True)

    def waits_for(self, side: Side) -> bool:
        return self.position.side is side

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        if self.position.placement == placement and self.position.side is on_roll:
            return False
        self.position = Position.of(placement, self.position.ruleset, on_roll, self.first[on_roll])
        self.evidence = Evidence.fresh(placement, now, self.evidence, now)
        self.stage, self.since, self.roll = Awaiting.AWAITING_ROLL, now, None
        return True

    def source(self, source: Source, ok: bool, now: float) -> None:
        """Nothing: a source that says nothing is found out by its silence."""

    def _expected(self) -> Expectation:
        return Expectation(self.position, self.roll, self.stage, since=self.since)

    def observe(self, observation: Observation, now: float) -> list[DeskAnswer]:
        self.evidence = observe(self.evidence, observation, now)
        if self.stage is Awaiting.AWAITING_ROLL:
            return self._roll(now)
        return self._verdict(now) if self.stage is Awaiting.PRESSED else []

    def press(self, side: Side, now: float) -> list[DeskAnswer]:
        self.stage, self.since = Awaiting.PRESSED, now
        return self._verdict(now)

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        self._next_turn(placement, now)

    def _roll(self, now: float) -> list[DeskAnswer]:
        """What the dice say before the play."""
        match roll_seen(self.evidence, self._expected(), now):
            case RollRead(roll, _):
                self.roll, self.stage, self.since = roll, Awaiting.MOVING, now
                return [DeskAnswer("rolled", now, roll=roll, origin=DiceOrigin.READ)]
            case RollProblem(kind, _, _) if kind != self.called:
                self.called = kind
                return [DeskAnswer("called", now, text=kind)]
        return []

    def _verdict(self, now: float) -> list[DeskAnswer]:
        """What reconcile says after the press, each question once."""
        match decide(self.evidence, self._expected(), now):
            case Agreed(play, roll, dice, _):
                self._next_turn(play.placement, now)
                return [DeskAnswer("agreed", now, play.placement, roll, dice)]
            case Illegal(infraction, placement, roll, _) if not self.noticed:
                self.noticed = True
                return [DeskAnswer("illegal", now, placement, roll, text=infraction.code.value)]
            case Ambiguous(options) if not self.asked:
                self.asked = True
                return [
                    DeskAnswer(
                        "asked", now, options[0][0].placement, options[0][1], text=f"{len(options)}"
                    )
                ]
            case Differs(explanations) if not self.asked:
                self.asked = True
                return [
                    DeskAnswer("differs", now, text=explanations[0].kind if explanations else "")
                ]
        return []

    def _next_turn(self, placement: Placement, now: float) -> None:
        """Go on to the other side's turn from this placement."""
        side = self.position.side
        self.first = self.first.put(side, False)
        self.position = Position.of(
            placement, self.position.ruleset, side.other, self.first[side.other]
        )
        self.evidence = Evidence.fresh(placement, now, self.evidence, self.since)
        self.stage, self.since, self.roll = Awaiting.AWAITING_ROLL, now, None
        self.called, self.noticed, self.asked = "", False, False
