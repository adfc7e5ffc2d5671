"""A session: what both sensors say (`Evidence`) and what was decided (`State`), composed.

The table and the simulator use this one function.

`session_step` takes one observation, press, order or tick. It hands the observation to reconcile,
asks it what the present phase needs to know and no more, and tells the referee. What is asked how
often stands in `EVERY_S`: judging costs milliseconds, frames come thirty a second.

All times are table time: what feeds a session turns a sensor's host time into it first
(`Observation.seen_at`, `Press.at`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from rules.board import Placement, Side
from rules.observation import Condition, CubeOwner, Observation
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import (
    Awaiting,
    DoesNotMatch,
    Evidence,
    Expectation,
    Matches,
    Pending,
    decide,
    observe,
    placement_seen,
    prepare,
)
from service.referee.event import seating_of
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
"""No verdict is asked for sooner after a press, s: both sensors must have seen the last hand."""
CALM_S: Final = 1.5
"""From so long after the last change, s, the checkers are looked at only every `STILL_S`: what is
seen has been judged by then.
"""
STILL_S: Final = 1.0
"""Time between two looks at checkers that stand still, s."""
GAP_S: Final = 4.0
"""After so long without a picture, s, it is not known who threw the dice that lie there."""


@dataclass(frozen=True, slots=True)
class Session:
    """State of one table, and evidence once a match is set.

    `looked_at`: when the checkers were last judged; `pictured_at`: when the last picture came,
    `looking_since`: since when they have come without a gap; table time in seconds.
    """

    state: State = field(default_factory=State)
    evidence: Evidence | None = None
    looked_at: float = -1.0
    pictured_at: float = -math.inf
    looking_since: float = -math.inf


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """The session after one input, with the entries to be written, signed by `by`, and commands.

    The entries must be durable before the commands are carried out or the state is shown.
    """

    session: Session
    entries: tuple[e.Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by: e.Who = e.TABLE


def session_step(session: Session, given: SessionInput, now: float) -> SessionOutcome:
    """What follows from one thing that was seen, pressed, ordered, or from time passing.

    `now`: table time in seconds. Same session, input and time: same outcome. Raises OrderError;
    nothing has changed then.
    """
    if not isinstance(given, Observation):
        return _run_referee(session, (given,), now)
    session = _with_observation(session, given, now)
    if session.evidence is None:
        return SessionOutcome(session)
    due = given.condition is Condition.AT_REST and _checkers_are_due(session, session.evidence, now)
    looks = _ask_reconcile(session, session.evidence, given, due, now)
    return _run_referee(replace(session, looked_at=now) if due else session, looks, now)


def fold_own_entry(session: Session, body: e.Body, now: float, by: e.Who = e.TABLE) -> Session:
    """The session after an entry that the table itself wrote: that it was opened, or came back."""
    state = session.state
    return _restart_evidence(
        replace(session, state=fold(state, state.seq + 1, round(max(now, state.at), 4), by, body)),
        (body,),
        now,
    )


def sure_placement(session: Session) -> Placement | None:
    """The placement that stands on the board for sure, None when none does.

    It is a record just verified and not yet touched; a reader learns its colours from it.
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
    """What the referee makes of these inputs, up to the first that writes an entry."""
    entries: tuple[e.Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by = e.TABLE
    for each in given:
        outcome = step(session.state, each, now)
        by = outcome.by
        turned = seating_of(outcome.state) != seating_of(session.state)
        session = replace(session, state=outcome.state)
        # What was seen was read with the checkers' sides or corners as they are no more.
        session = (
            replace(session, evidence=None)
            if turned
            else _restart_evidence(session, outcome.entries, now)
        )
        entries += outcome.entries
        commands += outcome.commands
        if outcome.entries:
            # The next look belongs to the new phase.
            break
    return SessionOutcome(session, entries, commands, by)


# What the evidence begins with.

_NEW_TURN: Final = (
    e.PlayEntered,
    e.GameStarted,
    e.PositionSet,
    e.RollWithdrawn,
    e.OpeningThrown,
    e.PlayCorrected,
    e.TurnReopened,
    e.Recovered,
    e.MatchSet,
)


def _restart_evidence(session: Session, entries: tuple[e.Body, ...], now: float) -> Session:
    """The session after entries: where they settle what stands on the board, the evidence begins
    anew from there, and dice seen before are the last roller's.
    """
    new_turns = [b for b in entries if isinstance(b, _NEW_TURN)]
    state = session.state
    if not new_turns or state.game.placement is None:
        if state.match.setting is not None and session.evidence is None:
            return replace(session, evidence=_evidence_at_start(session, now))
        return session
    last = new_turns[-1]
    if (
        session.evidence is not None
        and isinstance(last, e.OpeningThrown)
        and (last.plays or last.starter is None)
    ):
        # These very dice are played, or lie there until they are thrown again.
        return session
    if (
        session.evidence is not None
        and isinstance(last, e.Recovered)
        and session.evidence.placement == state.game.placement
    ):
        return session
    began = (
        state.match.pressed_at
        if isinstance(last, e.PlayEntered) and state.turn.began == state.match.pressed_at
        else now
    )
    previous = session.evidence
    if previous is not None and isinstance(last, e.TurnReopened):
        # What stands there is the turn that was handed back: no source misreads the board before.
        previous = replace(previous, witnesses=())
    evidence = (
        Evidence.fresh(state.game.placement, now, previous, began)
        if previous
        else Evidence.fresh(state.game.placement, now)
    )
    return replace(session, evidence=evidence)


def _evidence_at_start(session: Session, now: float) -> Evidence:
    """Evidence that begins with the placement on record, or the start of the ruleset."""
    state = session.state
    assert state.match.ruleset is not None
    return Evidence.fresh(
        state.game.placement or Position.start(state.match.ruleset, Side.WHITE).placement, now
    )


def _with_observation(session: Session, seen: Observation, now: float) -> Session:
    """The session with an observation added to its evidence, once a match is set."""
    if session.state.match.setting is None:
        return session
    evidence = observe(session.evidence or _evidence_at_start(session, now), seen, now)
    if not seen.source.kind.sees_dice or seen.condition not in (
        Condition.AT_REST,
        Condition.MOVING,
    ):
        return replace(session, evidence=evidence)
    since = now if now - session.pictured_at > GAP_S else session.looking_since
    return replace(session, evidence=evidence, pictured_at=now, looking_since=since)


# What is looked at.


def _checkers_are_due(session: Session, evidence: Evidence, now: float) -> bool:
    """Whether the checkers should be judged now.

    Not while a hand moves over them before the press; seldom while nothing changes.
    """
    phase = session.state.phase
    every = EVERY_S.get(phase)
    waited = now - session.looked_at
    if every is None or waited < every:
        return False
    if phase is Phase.PRESSED and now - session.state.match.pressed_at < AFTER_PRESS_S:
        return False
    if phase is Phase.MOVING and any(w.condition is Condition.MOVING for w in evidence.witnesses):
        return False
    changed = max(
        [
            evidence.stirred_at,
            session.state.match.pressed_at,
            *(float(w.since.max()) for w in evidence.witnesses),
        ]
    )
    return session.looked_at < changed + CALM_S or waited >= STILL_S


def _ask_reconcile(
    session: Session, evidence: Evidence, seen: Observation, due: bool, now: float
) -> tuple[Input, ...]:
    """What reconcile answers to the questions of the present phase, dice before checkers.

    The checkers are asked about only when `due`.
    """
    phase = session.state.phase
    found: list[Input] = []
    if seen.source.kind.sees_dice and seen.condition in (Condition.AT_REST, Condition.MOVING):
        dice = _ABOUT_DICE.get(phase)
        if dice is not None:
            found += dice(session.state, evidence, session.looking_since, now)
        if seen.cube is not None and phase in (Phase.TO_ROLL, Phase.DOUBLED):
            found += _cube_read(seen)
    if due:
        found += _ABOUT_CHECKERS[phase](session, evidence, now)
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


_ABOUT_DICE: Final[Mapping[Phase, Callable[[State, Evidence, float, float], list[Input]]]] = {
    Phase.OPENING: session_dice.opening,
    Phase.TO_ROLL: session_dice.watch_roll,
    Phase.MOVING: session_dice.roll_and_next,
    Phase.PRESSED: session_dice.roll_and_next,
    Phase.ILLEGAL: session_dice.roll_and_next,
}


def _start_placement(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether the ruleset's start stands on the board."""
    assert session.state.match.ruleset is not None
    start = Position.start(session.state.match.ruleset, Side.WHITE).placement
    return [PlacementWatched(placement_seen(evidence, start, now))]


def _verdict_of_turn(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """What was played in the turn in progress."""
    asked = expectation(session.state)
    if asked is None:
        return []
    if session.state.phase is Phase.MOVING:
        prepare(asked.position, int(now / EVERY_S[Phase.MOVING]))
    return [
        Judged(
            decide(
                session_dice.with_dice_of_turn(session.state, evidence, session.looking_since),
                asked,
                now,
            )
        )
    ]


def _untouched_placement(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether the checkers still stand as recorded before the roll.

    With dice on a board that stands otherwise, a roll that was not read is being played; without,
    board and record differ.
    """
    state = session.state
    eye = evidence.dice_witness()
    asked = expectation(state)
    if state.game.placement is None or asked is None or eye is None or eye.blind(now):
        return []
    seen = placement_seen(evidence, state.game.placement, now)
    if isinstance(seen, Matches) and (state.watch.touched or state.watch.doubt_since is not None):
        return [Judged(Pending("nothing_moved"))]
    if not isinstance(seen, DoesNotMatch):
        return []
    dice = session_dice.split_dice(state, evidence.dice, session.looking_since)
    lying = any(t.gone_at is None for t in dice.mine + dice.late)
    own = replace(evidence, dice=tuple(t for t in evidence.dice if t not in dice.late))
    return [
        Judged(
            decide(own, replace(asked, stage=Awaiting.MOVING if lying else Awaiting.DIFFERS), now)
        )
    ]


def _differing_placement(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether a board that differed stands as recorded again, or what explains it."""
    assert session.state.game.placement is not None
    return [
        PlacementWatched(placement_seen(evidence, session.state.game.placement, now)),
        *_verdict_of_turn(session, evidence, now),
    ]


_ABOUT_CHECKERS: Final[Mapping[Phase, Callable[[Session, Evidence, float], list[Input]]]] = {
    Phase.SETTING_UP: _start_placement,
    Phase.GAME_OVER: _start_placement,
    Phase.TO_ROLL: _untouched_placement,
    Phase.MOVING: _verdict_of_turn,
    Phase.PRESSED: _verdict_of_turn,
    Phase.ILLEGAL: _verdict_of_turn,
    Phase.DIFFERS: _differing_placement,
}


def _cube_read(seen: Observation) -> list[Input]:
    """The cube's value and owner, the likeliest of each; a 64 in the middle means 1."""
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
