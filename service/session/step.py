"""A session: what both sensors say (`Evidence`) and what was decided (`State`), composed.

The table and the simulator use this one function.

`session_step` takes one observation, press, order or tick. It hands the observation to reconcile,
asks it what the present phase needs to know and no more, and tells the referee. What is asked how
often stands in `EVERY_S`: judging costs milliseconds, frames come thirty a second.

All times are table time: what feeds a session turns a sensor's host time into it first
(`Observation.seen_at`, `Press.at`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.board import BySide, Side
from rules.observation import Condition, Observation
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import (
    Agreed,
    Awaiting,
    Differs,
    DoesNotMatch,
    Evidence,
    Expectation,
    Matches,
    Pending,
    astray_before_throw,
    decide,
    has_moved,
    placement_seen,
    prepare,
    stood_when_begun,
)
from service.referee.event import seating_of
from service.referee.fold import fold
from service.referee.inputs import (
    Command,
    Input,
    Judged,
    Order,
    PlacementWatched,
    PlayedOver,
    Press,
    RecordDenied,
    RollWatched,
    SourceChanged,
    Tick,
)
from service.referee.state import PLAYING, Phase, State
from service.referee.step import step
from service.session import dice as session_dice
from service.session.belief import (
    Session,
    restart_evidence,
    with_observation,
    with_press,
)
from service.session.expecting import (
    awaits_the_board,
    awaits_the_turns_before,
    expectation,
    is_unwatched,
    may_have_stood_before_double,
)
from service.session.halves import area_of
from service.session.lines import with_lines
from service.session.opening import opening, opening_play
from service.session.overtaken import is_overtaken, is_played_on, without_readings
from service.session.played_on import (
    since_taken,
    watch_play_after_double,
    watch_play_on,
    watch_set_up,
    watch_standing,
)
from service.session.whose_dice import split_dice

SessionInput: TypeAlias = Observation | Press | Order | Tick | SourceChanged

EVERY_S: Final[Mapping[Phase, float]] = {
    Phase.SETTING_UP: 0.25,
    Phase.GAME_OVER: 0.25,
    Phase.OPENING: 0.25,
    Phase.DOUBLED: 0.5,
    Phase.TO_ROLL: 0.25,
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
    if isinstance(given, Press):
        session = with_press(session, given)
        given = replace(given, unseen=_is_unseen(session, now))
    if not isinstance(given, Observation):
        return _run_referee(session, (given,), now)
    session = with_observation(session, given, now)
    if session.evidence is None:
        return SessionOutcome(session)
    due = given.condition is Condition.AT_REST and _checkers_are_due(session, session.evidence, now)
    session = _borne_out(session, session.evidence, due, now)
    assert session.evidence is not None
    looks = _ask_reconcile(session, session.evidence, given, due, now)
    if session.wrong is not None:
        looks = (session.wrong, *looks)
    session = replace(session, looked_at=now if due else session.looked_at, wrong=None)
    return _run_referee(session, looks, now)


def _is_unseen(session: Session, now: float) -> bool:
    """Whether no picture has come of late, or none did for a while since the last turn ended."""
    eye = None if session.evidence is None else session.evidence.dice_witness()
    if eye is None:
        return False
    began = max(session.state.match.pressed_at, session.state.turn.began)
    return bool(eye.blind(now)) or session.looking_since > began


def _borne_out(session: Session, evidence: Evidence, due: bool, now: float) -> Session:
    """The session, with a placement that was only said taken for seen once it is."""
    placement = session.state.game.placement
    if evidence.verified or not due or placement is None:
        return session
    if not isinstance(placement_seen(evidence, placement, now), Matches):
        return session
    return replace(session, evidence=replace(evidence, verified=True))


def fold_own_entry(session: Session, body: e.Body, now: float, by: e.Who = e.TABLE) -> Session:
    """The session after an entry that the table itself wrote: that it was opened, or came back."""
    state = session.state
    return restart_evidence(
        replace(session, state=fold(state, state.seq + 1, round(max(now, state.at), 4), by, body)),
        (body,),
        now,
    )


def _run_referee(session: Session, given: tuple[Input, ...], now: float) -> SessionOutcome:
    """What the referee makes of these inputs, up to the first that writes an entry."""
    entries: tuple[e.Body, ...] = ()
    commands: tuple[Command, ...] = ()
    by = e.TABLE
    for each in given:
        outcome = step(session.state, each, now)
        by = outcome.by
        went_on = since_taken(session.state)
        turned = seating_of(outcome.state) != seating_of(session.state)
        before, session = session.state, replace(session, state=outcome.state)
        if isinstance(each, RecordDenied):
            session = replace(session, denial=session.denial.heard())
        if is_overtaken(each, outcome.state) or is_played_on(session):
            session = without_readings(session, outcome.entries)
        session = with_lines(before, session, outcome.entries)
        # What was seen was read with the checkers' sides or corners as they are no more.
        session = (
            replace(session, evidence=None)
            if turned
            else restart_evidence(session, outcome.entries, now, went_on)
        )
        entries += outcome.entries
        commands += outcome.commands
        if outcome.entries:
            # The next look belongs to the new phase.
            break
    return SessionOutcome(session, entries, commands, by)


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
        if dice is not None and not awaits_the_board(session, evidence, now):
            told_first = awaits_the_turns_before(session, evidence)
            seen_of_dice = dice(session.state, evidence, session.looking_since, now)
            found += [i for i in seen_of_dice if not (told_first and isinstance(i, RollWatched))]
        if phase in (Phase.TO_ROLL, Phase.DOUBLED, Phase.MOVING):
            found += session.cube.watched()
    if due:
        if phase in PLAYING:
            found += watch_set_up(session.state, evidence, session.memory, now)
        if phase in _ABOUT_CHECKERS:
            found += _ABOUT_CHECKERS[phase](session, evidence, now)
        if phase in (Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED):
            watched = not is_unwatched(session)
            found += watch_standing(session.state, evidence, session.memory, now, watched=watched)
        if phase is Phase.DOUBLED:
            found += _after_double(session, evidence, now)
    if session.denial.right is not None and phase is Phase.TO_ROLL:
        found.append(RecordDenied(session.denial.right, sure=True))
    elif session.denial.placement is not None and phase in (Phase.TO_ROLL, Phase.MOVING):
        found.append(RecordDenied(session.denial.placement))
    return tuple(found)


def _after_double(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """What tells that play went on over a double of which nobody saw how it was answered."""
    stands = may_have_stood_before_double(session)
    found = [] if stands else watch_play_after_double(session.state, evidence, now)
    explained = any(each.made or each.stands for each in found)
    thrown = session_dice.thrown_on_after_double(
        session.state, session.memory, is_explained=explained
    )
    return [*found, *thrown]


_ABOUT_DICE: Final[Mapping[Phase, Callable[[State, Evidence, float, float], list[Input]]]] = {
    Phase.OPENING: opening,
    Phase.TO_ROLL: session_dice.watch_roll,
    Phase.DOUBLED: session_dice.after_double,
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
    asked = expectation(session, evidence)
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
        ),
        *_played_over(session, evidence, now),
    ]


def _played_over(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether the opponent has played over a whole play that nobody pressed for."""
    state = session.state
    over = state.watch.thrown_over
    if over is None or not state.press_ends_turn or state.match.ruleset is None:
        return []
    stood, thrown_at, moved = over
    side = state.game.on_roll.other
    try:
        position = Position.of(
            stood.play.placement, state.match.ruleset, side, state.game.first_turns[side]
        )
    except PositionError:
        return []
    dice = split_dice(state, evidence.dice, session.looking_since).late
    asked = Expectation(position, since=thrown_at, dice_area=area_of(state, side))
    verdict = decide(replace(evidence, dice=dice), asked, now)
    made = verdict if isinstance(verdict, Agreed) and verdict.play.moves else None
    if not isinstance(verdict, Pending) or verdict.reason not in ("hand", "unseen"):
        moved = has_moved(evidence, position)
    return [PlayedOver(made, moved)]


def _untouched_placement(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether the checkers still stand as recorded before the roll.

    With dice on a board that stands otherwise, a roll that was not read is being played; without,
    board and record differ.
    """
    state = session.state
    eye = evidence.dice_witness()
    asked = expectation(session, evidence)
    if state.game.placement is None or asked is None or eye is None or eye.blind(now):
        return []
    seen = placement_seen(evidence, state.game.placement, now)
    if isinstance(seen, Matches) and (
        state.watch.touched_since is not None or state.watch.doubt_since is not None
    ):
        return [Judged(Pending("nothing_moved"))]
    if not isinstance(seen, DoesNotMatch):
        return []
    dice = split_dice(state, evidence.dice, session.looking_since)
    own = replace(evidence, dice=tuple(t for t in evidence.dice if t not in dice.late))
    playing = decide(own, replace(asked, stage=Awaiting.MOVING), now)
    lying = any(t.gone_at is None for t in dice.mine + dice.late)
    # Whose first play it was is told by that play alone where nobody saw its dice.
    begun_unseen = state.game.first_turns == BySide.both(True) and not state.turn.opening
    if (begun_unseen or not asked.watched) and astray_before_throw(evidence, asked) is not None:
        # Turns passed while nobody looked: these dice were thrown from what stands there.
        lying = False
    if isinstance(playing, Agreed) and not playing.play.moves and not lying:
        # Whatever a source misreads beside it: nobody has thrown, and nothing was moved.
        return [Judged(Pending("nothing_moved"))]
    if isinstance(playing, Agreed) or lying:
        # A turn is being played, whether or not its dice were seen.
        return [Judged(playing), *_played_over(session, evidence, now)]
    found = decide(own, replace(asked, stage=Awaiting.DIFFERS), now)
    stood = isinstance(found, Differs) and stood_when_begun(own, asked, found.sites)
    return [Judged(found, stood)]


def _differing_placement(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whether a board that differed stands as recorded again, or what explains it."""
    assert session.state.game.placement is not None
    return [
        PlacementWatched(placement_seen(evidence, session.state.game.placement, now)),
        *_verdict_of_turn(session, evidence, now),
        *watch_play_on(
            session.state,
            evidence,
            session.memory,
            now,
        ),
    ]


_ABOUT_CHECKERS: Final[Mapping[Phase, Callable[[Session, Evidence, float], list[Input]]]] = {
    Phase.SETTING_UP: _start_placement,
    Phase.GAME_OVER: _start_placement,
    Phase.OPENING: opening_play,
    Phase.TO_ROLL: _untouched_placement,
    Phase.MOVING: _verdict_of_turn,
    Phase.PRESSED: _verdict_of_turn,
    Phase.ILLEGAL: _verdict_of_turn,
    Phase.DIFFERS: _differing_placement,
}
