"""State and evidence together: what a session is, and with what its evidence begins anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rules.board import Placement, Side
from rules.observation import Condition, Observation
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import (
    Denial,
    Earlier,
    Evidence,
    LinesRead,
    Recollection,
    Standpoint,
    laid_beside,
    misread_at_throw,
    observe,
    other_results,
    played_already,
)
from service.referee.inputs import LinesWrong, Press
from service.referee.state import Phase, State
from service.session.cube import CubeSeen
from service.session.entered import (
    begins_turn,
    denied,
    is_guessed,
    is_taken,
    is_unresolved,
    unexplained_of,
)
from service.session.halves import halves_of
from service.session.whose_dice import GLANCE_S, thrown_again_at

UNMEASURED_LAG_S: Final = 2.0
"""So late a camera may be whose pictures nobody has compared with presses yet, s."""
GAP_S: Final = 4.0
"""After so long without a picture, s, it is not known who threw the dice that lie there."""


@dataclass(frozen=True, slots=True)
class Session:
    """State of one table, and evidence once a match is set.

    `looked_at`: when the checkers were last judged; `pictured_at`: when the last picture came,
    `looking_since`: since when they have come without a gap; table time in seconds. `lag_s`: how
    late the pictures are, as far as presses have told. `earlier`: the turn before this one, as long
    as what is seen may still put it right.
    """

    state: State = field(default_factory=State)
    evidence: Evidence | None = None
    looked_at: float = -1.0
    pictured_at: float = -math.inf
    looking_since: float = -math.inf
    lag_s: float = UNMEASURED_LAG_S
    cube: CubeSeen = field(default_factory=CubeSeen)
    earlier: Earlier | None = None
    memory: Recollection | None = None
    """What was seen over the last turns; None where no game is on."""
    standpoint: Standpoint = field(default_factory=Standpoint)
    """From where the camera sees the board."""
    denial: Denial = field(default_factory=Denial)
    """What goes on being read against the record."""
    lines: LinesRead = field(default_factory=LinesRead)
    """What the board was read as when each of the last lines was entered."""
    wrong: LinesWrong | None = None
    """Lines that were wrong already when the record was put right, until they are corrected."""


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


# What the evidence begins with.


def restart_evidence(
    session: Session, entries: tuple[e.Body, ...], now: float, went_on: float | None = None
) -> Session:
    """The session after entries: where they settle what stands on the board, the evidence begins
    anew from there, and dice seen before are the last roller's. `went_on`: since when a position
    that was taken as it stood had stood so, table time.
    """
    new_turns = [body for body in entries if begins_turn(body)]
    state = session.state
    if not new_turns or state.game.placement is None:
        if state.match.setting is not None and session.evidence is None:
            return replace(session, evidence=_evidence_at_start(session, now))
        return session
    taken = is_taken(new_turns[-1]) or isinstance(new_turns[-1], e.GameStarted)
    since = went_on if taken and went_on is not None else now
    return _with_memory(_evidence_anew(session, new_turns, since), entries, since)


def _lies_there_still(thrown: e.OpeningThrown) -> bool:
    """Whether the very dice of an opening throw are played, or were, or lie there until they are
    thrown again.
    """
    return thrown.plays or thrown.starter is None or not thrown.white + thrown.black


def _with_memory(session: Session, entries: Sequence[e.Body], now: float) -> Session:
    """The session with its memory of the last turns, after entries that begin a turn."""
    try:
        position = session.state.position()
    except (PositionError, ValueError):
        return replace(session, memory=None)
    new_turns = [body for body in entries if begins_turn(body)]
    last, memory = new_turns[-1], session.memory
    begun = Recollection.begun(position, now, taken=is_taken(last))
    if isinstance(last, e.OpeningThrown) and (last.starter is None or not _lies_there_still(last)):
        # Thrown anew, after equal dice or by the starter: the opening's dice, which lie there
        # still, are none of any turn.
        begun = begun if memory is None else replace(begun, dice=memory.dice)
    elif isinstance(last, e.OpeningThrown | e.TurnReopened | e.RollWithdrawn | e.Recovered):
        begun = begun if memory is None else memory.begun_again(position)
    elif isinstance(last, e.PlayEntered) and memory is not None:
        began = session.evidence.began if session.evidence is not None else now
        between = None if last.by_hand or last.standing not in _OPEN else _told(session, entries)
        played = [b for b in entries if isinstance(b, e.PlayEntered)]
        for line, (begins, at) in zip(played, between or (), strict=False):
            guessed = unexplained_of(session.state, line) is not None
            memory = memory.with_turn(begins, at, certain=False, guessed=guessed)
        guessed = last.roll is None or is_unresolved(last)
        begun = memory.with_turn(position, began, certain=between is None, guessed=guessed)
    return replace(session, memory=replace(begun, halves=halves_of(session.state)))


def _told(session: Session, entries: Sequence[e.Body]) -> list[tuple[Position, float]] | None:
    """Where and when each turn began that these entries tell of, after the first of them, but for
    the turn that is in progress now; None where they tell anything else than turns one after
    another.
    """
    new_turns = [b for b in entries if begins_turn(b) and not isinstance(b, e.Recovered)]
    if not all(isinstance(b, e.PlayEntered) for b in new_turns):
        return None
    ruleset, began = session.state.match.ruleset, []
    for body in entries:
        if isinstance(body, e.TurnPressed):
            began.append(body.pressed_at)
    later = session.state.match.plays[len(session.state.match.plays) - len(new_turns) + 1 :]
    if later and (ruleset is None or len(began) != len(new_turns)):
        return None
    found = []
    for line, at in zip(later, began, strict=False):
        assert ruleset is not None and line.before is not None
        try:
            found.append((Position.of(line.before, ruleset, line.side, line.first_turn), at))
        except PositionError:
            return None
    return found


def _evidence_anew(session: Session, new_turns: Sequence[e.Body], now: float) -> Session:
    """The session with evidence that begins with the last of these entries."""
    state, last = session.state, new_turns[-1]
    assert state.game.placement is not None
    if (
        session.evidence is not None
        and isinstance(last, e.OpeningThrown)
        and _lies_there_still(last)
    ):
        return session
    if (
        session.evidence is not None
        and isinstance(last, e.Recovered)
        and session.evidence.placement == state.game.placement
    ):
        return session
    revised = len(new_turns) > 1
    previous = session.evidence
    if not isinstance(last, e.PlayEntered):
        began = thrown_again_at(last, previous, now)
    elif revised and state.match.pressed_at >= state.turn.began:
        began = state.match.pressed_at
    else:
        # Its own press may have come with the same look that told of the turn before.
        began = state.turn.began
    if previous is None:
        return replace(session, evidence=Evidence.fresh(state.game.placement, now))
    read, played = previous.witnesses, previous.placement
    handed_back = isinstance(last, e.TurnReopened) and played != state.game.placement
    if handed_back:
        # What stands there is the turn that was handed back: where it was played no source
        # misreads the board before.
        previous = replace(previous, witnesses=())
    said = (isinstance(last, e.PositionSet | e.PlayCorrected) and not is_taken(last)) or (
        isinstance(last, e.PlayEntered) and last.by_hand
    )
    session = replace(session, denial=denied(state, session.denial, previous, new_turns, said))
    # Said once more, after the board was seen to contradict it, a word is believed.
    verified = not said or previous.placement == state.game.placement
    earlier = misread = None
    if isinstance(last, e.PlayEntered):
        session = replace(session, lag_s=measured_lag(session, previous))
        if new_turns == [last]:
            earlier = _remembered(session.state, previous.placement, last, session.earlier)
            if earlier is not None and not last.by_hand:
                misread = misread_at_throw(previous, earlier.position, session.memory)
            if last.by_hand or last.standing not in _OPEN:
                # What else was read of it is settled; that it was changed later is not.
                earlier = earlier and replace(earlier, others=())
    doubted = tuple(p for p, _ in earlier.others) if earlier else ()
    turn = _turn_of(state) if isinstance(last, e.PlayEntered) else None
    if turn is not None and (already := played_already(previous, turn)) is not None:
        # The next side has played while this turn was judged: what it left is no misread.
        doubted = (*doubted, already)
    evidence = Evidence.fresh(
        state.game.placement,
        now,
        previous,
        began,
        verified=verified,
        doubted=doubted,
        guessed=is_taken(last)
        or (isinstance(last, e.PlayEntered) and is_guessed(last, previous.tuning.agree)),
        misread=misread,
    )
    if handed_back:
        evidence = replace(
            evidence, witnesses=tuple(w.trusted(played, state.game.placement) for w in read)
        )
    return replace(session, evidence=evidence, earlier=earlier)


_OPEN: Final = (None, e.Standing.UNRESOLVED)
"""A play that was noticed and stands is not asked about again."""


def _remembered(
    state: State, before: Placement, last: e.PlayEntered, known: Earlier | None
) -> Earlier | None:
    """The turn that was just entered, as it is remembered in the next: one in which nothing moved
    with what the turn before it, as it is `known`, may have left.
    """
    assert state.match.ruleset is not None
    number = state.game.number
    first = sum(p.side is last.side and p.game == number for p in state.match.plays) == 1
    try:
        position = Position.of(before, state.match.ruleset, last.side, first)
    except PositionError:
        return None
    others = other_results(before, last.placement, last.evidence)
    if not others and last.standing is e.Standing.UNRESOLVED:
        others = laid_beside(position, last.roll, last.placement)
    if not others and last.placement == before and known is not None:
        others = known.others
    inferred = last.origin is e.DiceOrigin.INFERRED
    return Earlier(position, last.roll, last.placement, others, inferred)


def _evidence_at_start(session: Session, now: float) -> Evidence:
    """Evidence that begins with the placement on record, or the start of the ruleset."""
    state = session.state
    assert state.match.ruleset is not None
    return Evidence.fresh(
        state.game.placement or Position.start(state.match.ruleset, Side.WHITE).placement, now
    )


def with_observation(session: Session, seen: Observation, now: float) -> Session:
    """The session with an observation added to its evidence, once a match is set."""
    if session.state.match.setting is None:
        return session
    if session.memory is None and session.state.phase in _REMEMBERED:
        session = _with_memory_begun(session, now)
    before = session.evidence or _evidence_at_start(session, now)
    if seen.source.kind.samples:
        stands, turn = _may_stand(session.state, before), _turn_of(session.state)
        standpoint = session.standpoint.of(seen, stands, turn, session.state.turn.roll)
        session, seen = replace(session, standpoint=standpoint), standpoint.put_right(seen)
    evidence = observe(before, seen, now)
    if session.memory is not None:
        session = replace(session, memory=session.memory.after(before, evidence, seen))
    if not seen.source.kind.sees_dice or seen.condition not in (
        Condition.AT_REST,
        Condition.MOVING,
    ):
        return replace(session, evidence=evidence)
    gap = now - session.pictured_at > GAP_S
    cube = session.cube.unseen_since(session.pictured_at) if gap else session.cube
    cube = cube.in_game(session.state.game.seq)
    return replace(
        session,
        evidence=evidence,
        pictured_at=now,
        looking_since=now if gap else session.looking_since,
        cube=cube if seen.cube is None else cube.after(seen.cube, now),
    )


def _may_stand(state: State, evidence: Evidence) -> tuple[Placement, ...]:
    """What may stand on the board, a turn or two aside: what is on record, or the start: a game
    may be given up at any time.
    """
    if state.match.ruleset is None:
        return (evidence.placement,)
    start = Position.start(state.match.ruleset, Side.WHITE).placement
    return (evidence.placement, start)


def _turn_of(state: State) -> Position | None:
    """The position of the turn in progress; None where none is."""
    try:
        return state.position() if state.phase in _REMEMBERED else None
    except (PositionError, ValueError):
        return None


_REMEMBERED: Final = frozenset(
    {Phase.TO_ROLL, Phase.DOUBLED, Phase.MOVING, Phase.PRESSED, Phase.DIFFERS}
)


def _with_memory_begun(session: Session, now: float) -> Session:
    """The session after a restart in the middle of a game: what is seen from now on is remembered,
    but for dice that may have lain there before, and that nobody has looked since the turn began.
    """
    state, position = session.state, _turn_of(session.state)
    if position is None:
        return session
    begun = Recollection.begun(position, now if state.turn.roll is not None else now + GLANCE_S)
    unlooked = ((state.turn.began, now),)
    return replace(session, memory=replace(begun, halves=halves_of(state), unlooked=unlooked))


def with_press(session: Session, press: Press) -> Session:
    """The session that remembers a press, whatever follows from it."""
    memory = session.memory
    return (
        session if memory is None else replace(session, memory=memory.pressed(press.side, press.at))
    )


def measured_lag(session: Session, evidence: Evidence | None) -> float:
    """How late the camera's pictures are, s, by the last hand that it saw after a press: at once
    where it is later than thought, by and by where it is not.
    """
    match, eye = session.state.match, evidence.dice_witness() if evidence else None
    if eye is None or match.pressed_by not in ("button", "page"):
        return session.lag_s
    return min(max(eye.moved_at - match.pressed_at, session.lag_s / 2), 2 * UNMEASURED_LAG_S)
