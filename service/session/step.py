"""A session: what both sensors say (Belief) and what was decided (State), composed. The table and
the simulator use this one function.

`session_step` takes one observation, press, order or tick. It hands the observation to reconcile,
asks it what the present phase needs to know and no more, and tells the referee. What is asked how
often stands in `EVERY_S`: judging costs milliseconds, frames come thirty a second.

All times are table time: whoever feeds a session turns a sensor's host time into it first
(`Observation.seen_at`, `Press.at`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from rules.board import Placement, Side
from rules.observation import Condition, CubeOwner, Observation, Source
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile.evidence import Belief, observe
from service.reconcile.hypotheses import prepare
from service.reconcile.verdict import (
    Awaiting,
    DoesNotMatch,
    Expectation,
    Matches,
    Pending,
    decide,
    placement_seen,
)
from service.referee.fold import fold
from service.referee.inputs import (
    Command,
    CubeWatched,
    Input,
    Judged,
    Order,
    PlacementWatched,
    Press,
    SourceChanged,
    Tick,
)
from service.referee.state import Phase, State
from service.referee.step import step
from service.session import dice as session_dice

SessionInput: TypeAlias = Observation | Press | Order | Tick | SourceChanged

EVERY_S: Final[Mapping[Phase, float]] = {
    Phase.SETTING_UP: 0.25,
    Phase.GAME_OVER: 0.25,
    Phase.TO_ROLL: 0.5,
    Phase.MOVING: 0.25,
    Phase.PRESSED: 0.1,
    Phase.ILLEGAL: 0.25,
    Phase.DIFFERS: 0.5,
}
"""How often the checkers are looked at in a phase, s. Phases not named need no look."""
AFTER_PRESS_S: Final = 0.25
"""Nothing is judged sooner after a press: what the last hand did must have reached both sensors
first.
"""
CALM_S: Final = 1.5
"""So long after the last change a verdict has had its say; from then on the checkers are looked at
every `STILL_S`.
"""
STILL_S: Final = 1.0
GAP_S: Final = 4.0
"""After so long without a picture the dice that lie there may be anybody's."""


@dataclass(frozen=True, slots=True)
class Session:
    """State and belief. `looked_at`: when the checkers were last judged; `pictured_at`: when the
    last picture came, `looking_since`: since when they have come without a gap."""

    state: State = field(default_factory=State)
    belief: Belief | None = None
    looked_at: float = -1.0
    pictured_at: float = -math.inf
    looking_since: float = -math.inf


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """`entries`, said by `by`, must be durable before the commands are carried out or the state is
    shown.
    """

    session: Session
    entries: tuple[e.Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by: e.Who = e.TABLE


def session_step(session: Session, given: SessionInput, now: float) -> SessionOutcome:
    """What follows from one thing that was seen, pressed, ordered, or from time passing. Raises
    OrderError; nothing has changed then.

    `now`: table time in seconds. Same session, input and time: same outcome.
    """
    if not isinstance(given, Observation):
        return _run_referee(session, (given,), now)
    session = _observed(session, given, now)
    if session.belief is None:
        return SessionOutcome(session)
    due = given.condition is Condition.AT_REST and _due(session, session.belief, now)
    looks = _looks(session, session.belief, given, due, now)
    return _run_referee(replace(session, looked_at=now) if due else session, looks, now)


def fold_own_entry(session: Session, body: e.Body, now: float, by: e.Who = e.TABLE) -> Session:
    """The session after an entry that the table itself wrote: that it was opened, or came back."""
    state = session.state
    return _restart_belief(
        replace(session, state=fold(state, state.seq + 1, round(max(now, state.at), 4), by, body)),
        (body,),
        now,
    )


def sure_placement(session: Session) -> Placement | None:
    """What stands on the board for sure, for a reader that learns its colours: a record just
    verified and not yet touched.
    """
    state = session.state
    if (
        state.phase in (Phase.OPENING, Phase.TO_ROLL)
        and state.turn.difference is None
        and not state.lost
    ):
        return state.game.placement
    return None


def _run_referee(session: Session, given: tuple[Input, ...], now: float) -> SessionOutcome:
    entries: tuple[e.Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by = e.TABLE
    for each in given:
        outcome = step(session.state, each, now)
        by = outcome.by
        session = _restart_belief(replace(session, state=outcome.state), outcome.entries, now)
        entries += outcome.entries
        commands += outcome.commands
        if outcome.entries:
            # The next look belongs to the new phase.
            break
    return SessionOutcome(session, entries, commands, by)


# What the belief starts from.

_NEW_TURN: Final = (
    e.PlayEntered,
    e.GameStarted,
    e.PositionSet,
    e.RollWithdrawn,
    e.OpeningThrown,
    e.PlayCorrected,
    e.Recovered,
    e.MatchSet,
)


def _restart_belief(session: Session, entries: tuple[e.Body, ...], now: float) -> Session:
    """After entries that settle what stands on the board, the belief starts anew from there; dice
    seen before are the last roller's.
    """
    if any(isinstance(b, e.MatchAmended) and b.what == "seating" for b in entries):
        # What was seen was read with the checkers' sides or corners the wrong way.
        return replace(session, belief=None)
    turned = [b for b in entries if isinstance(b, _NEW_TURN)]
    state = session.state
    if not turned or state.game.placement is None:
        if state.match.setting is not None and session.belief is None:
            return replace(session, belief=_start_belief(session, now))
        return session
    last = turned[-1]
    if (
        session.belief is not None
        and isinstance(last, e.OpeningThrown)
        and (last.plays or last.starter is None)
    ):
        # These very dice are played, or lie there until they are thrown again.
        return session
    if (
        session.belief is not None
        and isinstance(last, e.Recovered)
        and session.belief.placement == state.game.placement
    ):
        return session
    began = (
        state.match.pressed_at
        if isinstance(last, e.PlayEntered) and state.turn.began == state.match.pressed_at
        else now
    )
    previous = session.belief
    belief = (
        Belief.fresh(state.game.placement, now, previous, began)
        if previous
        else Belief.fresh(state.game.placement, now)
    )
    return replace(session, belief=belief)


def _start_belief(session: Session, now: float) -> Belief:
    state = session.state
    assert state.match.ruleset is not None
    return Belief.fresh(
        state.game.placement or Position.start(state.match.ruleset, Side.WHITE).placement, now
    )


def _observed(session: Session, seen: Observation, now: float) -> Session:
    if session.state.match.setting is None:
        return session
    belief = observe(session.belief or _start_belief(session, now), seen, now)
    if seen.source is not Source.CAMERA or seen.condition not in (
        Condition.AT_REST,
        Condition.MOVING,
    ):
        return replace(session, belief=belief)
    since = now if now - session.pictured_at > GAP_S else session.looking_since
    return replace(session, belief=belief, pictured_at=now, looking_since=since)


# What is looked at.


def _due(session: Session, belief: Belief, now: float) -> bool:
    """Whether the checkers should be judged now: not while a hand is over them in somebody's own
    turn, seldom while nothing changes.
    """
    phase = session.state.phase
    every = EVERY_S.get(phase)
    waited = now - session.looked_at
    if every is None or waited < every:
        return False
    if phase is Phase.PRESSED and now - session.state.match.pressed_at < AFTER_PRESS_S:
        return False
    if phase is Phase.MOVING and any(w.condition is Condition.MOVING for w in belief.witnesses):
        return False
    changed = max(
        [
            belief.stirred_at,
            session.state.match.pressed_at,
            *(float(w.since.max()) for w in belief.witnesses),
        ]
    )
    return session.looked_at < changed + CALM_S or waited >= STILL_S


def _looks(
    session: Session, belief: Belief, seen: Observation, due: bool, now: float
) -> tuple[Input, ...]:
    """What the present phase wants to know of the belief, dice before checkers."""
    phase = session.state.phase
    found: list[Input] = []
    if seen.source is Source.CAMERA and seen.condition in (Condition.AT_REST, Condition.MOVING):
        dice = _DICE.get(phase)
        if dice is not None:
            found += dice(session.state, belief, session.looking_since, now)
        if seen.cube is not None and phase in (Phase.TO_ROLL, Phase.DOUBLED):
            found += _cube(seen)
    if due:
        found += _CHECKERS[phase](session, belief, now)
    return tuple(found)


def expectation(state: State) -> Expectation | None:
    """What reconcile is asked about in this state; None when no position is there to play from."""
    try:
        position = state.position()
    except (PositionError, ValueError):
        return None
    stage = {
        Phase.TO_ROLL: Awaiting.AWAITING_ROLL,
        Phase.PRESSED: Awaiting.PRESSED,
        Phase.DIFFERS: Awaiting.DIFFERS,
    }.get(state.phase, Awaiting.MOVING)
    return Expectation(
        position,
        state.turn.roll,
        stage,
        state.match.origin is e.DiceOrigin.ENTERED,
        since=state.match.pressed_at if state.phase is Phase.PRESSED else state.turn.began,
        dice_area=session_dice.area_of(state, state.game.on_roll),
        next_first_turn=state.game.first_turns[state.game.on_roll.other],
    )


_DICE: Final[Mapping[Phase, Callable[[State, Belief, float, float], list[Input]]]] = {
    Phase.OPENING: session_dice.opening,
    Phase.TO_ROLL: session_dice.watch_roll,
    Phase.MOVING: session_dice.roll_and_next,
    Phase.PRESSED: session_dice.roll_and_next,
    Phase.ILLEGAL: session_dice.roll_and_next,
}


def _start(session: Session, belief: Belief, now: float) -> list[Input]:
    assert session.state.match.ruleset is not None
    start = Position.start(session.state.match.ruleset, Side.WHITE).placement
    return [PlacementWatched(placement_seen(belief, start, now))]


def _verdict(session: Session, belief: Belief, now: float) -> list[Input]:
    asked = expectation(session.state)
    if asked is None:
        return []
    if session.state.phase is Phase.MOVING:
        prepare(asked.position, int(now / EVERY_S[Phase.MOVING]))
    return [
        Judged(
            decide(session_dice.of_turn(session.state, belief, session.looking_since), asked, now)
        )
    ]


def _untouched(session: Session, belief: Belief, now: float) -> list[Input]:
    """Before the roll nobody touches a checker. With dice on a board that stands otherwise,
    somebody plays a roll that was not read; without, board and record differ."""
    state = session.state
    camera = belief.witness(Source.CAMERA)
    asked = expectation(state)
    if state.game.placement is None or asked is None or camera is None or camera.blind(now):
        return []
    seen = placement_seen(belief, state.game.placement, now)
    if isinstance(seen, Matches) and (state.watch.touched or state.watch.doubt_since is not None):
        return [Judged(Pending("nothing_moved"))]
    if not isinstance(seen, DoesNotMatch):
        return []
    mine, late = session_dice.shares(state, belief.dice, session.looking_since)
    lying = any(t.gone_at is None for t in mine + late)
    own = replace(belief, dice=tuple(t for t in belief.dice if t not in late))
    return [
        Judged(
            decide(own, replace(asked, stage=Awaiting.MOVING if lying else Awaiting.DIFFERS), now)
        )
    ]


def _differing(session: Session, belief: Belief, now: float) -> list[Input]:
    assert session.state.game.placement is not None
    return [
        PlacementWatched(placement_seen(belief, session.state.game.placement, now)),
        *_verdict(session, belief, now),
    ]


_CHECKERS: Final[Mapping[Phase, Callable[[Session, Belief, float], list[Input]]]] = {
    Phase.SETTING_UP: _start,
    Phase.GAME_OVER: _start,
    Phase.TO_ROLL: _untouched,
    Phase.MOVING: _verdict,
    Phase.PRESSED: _verdict,
    Phase.ILLEGAL: _verdict,
    Phase.DIFFERS: _differing,
}


def _cube(seen: Observation) -> list[Input]:
    """The cube where one face and one place stand out; 64 in the middle means 1."""
    cube = seen.cube
    assert cube is not None
    shown, owner = sum(cube.shown.values()), sum(cube.owner.values())
    if shown <= 0 or owner <= 0:
        return []
    value, v = max(cube.shown.items(), key=lambda item: item[1])
    place, p = max(cube.owner.items(), key=lambda item: item[1])
    sides = {CubeOwner.WHITE: Side.WHITE, CubeOwner.BLACK: Side.BLACK, CubeOwner.CENTRE: None}
    return [
        CubeWatched(
            1 if value == 64 and place is CubeOwner.CENTRE else value,
            sides[place],
            v / shown * p / owner,
        )
    ]
