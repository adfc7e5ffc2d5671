"""Who plays on from a board that differs from the record: nobody has said how it came to stand so,
and the game goes on from there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from rules.board import OFF, Placement, Side
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal.entries import DiceOrigin
from service.reconcile import (
    ONE_THROW_S,
    Agreed,
    Differs,
    DoesNotMatch,
    Evidence,
    Expectation,
    Matches,
    Pending,
    Recollection,
    Track,
    Unseen,
    as_explained,
    as_if_recorded,
    decide,
    is_gone_still,
    placement_seen,
    standing,
    stood_then,
)
from service.referee.inputs import PlayedOn, SetUpWatched, StandingWatched
from service.referee.played_on import is_otherwise
from service.referee.state import Phase, State
from service.referee.turn import PASSING
from service.referee.unanswered import began_surely, perhaps_due
from service.referee.waiting import OVER_S
from service.session import dice as session_dice
from service.session.halves import area_of, side_of

ASTRAY: Final = frozenset({"doubt", "unsettled"})
"""Pending for a reason that tells of no play that may still be going on."""


def watch_play_on(
    state: State,
    evidence: Evidence,
    memory: Recollection | None,
    now: float,
) -> list[PlayedOn]:
    """Whose play stands there, made from what stood there when board and record were found to
    differ; whether nothing that a side may be about to play explains what stands there now.
    """
    base = state.watch.base
    if state.match.ruleset is None:
        return []
    stands = _stands_there(state, evidence, memory, now)
    # What stood there when the turn was over is what was played on from.
    stood = state.watch.stood if base is None else base[0]
    if stood is not None and not _is_back(state.game.placement, stood, stands, evidence):
        stands = _stands_since(state, stood, evidence, memory, now) or stands
    since = _since_seen(evidence, memory, stands)
    if base is None:
        return [PlayedOn(None, astray=True, stands=stands, since=since)]
    stood, stood_since = base
    known = state.watch.played_on
    after = tuple(t for t in evidence.dice if t.first_at > stood_since)
    own = after if known is None else tuple(t for t in after if t.first_at <= known[1])
    begun = replace(as_if_recorded(evidence, stood), dice=own)
    made: list[Agreed] = []
    astray, hidden = True, False
    for side in Side:
        try:
            position = Position.of(stood, state.match.ruleset, side, state.game.first_turns[side])
        except PositionError:
            continue
        asked = Expectation(position, since=stood_since, dice_area=area_of(state, side))
        verdict = decide(begun, asked, now)
        if isinstance(verdict, Agreed) and verdict.play.moves:
            made.append(verdict)
        astray &= isinstance(verdict, Pending) and verdict.reason in ASTRAY
        hidden |= isinstance(verdict, Pending) and verdict.reason in PASSING
    lying = [t for t in own if t.gone_at is None]
    last = tuple(
        t for t in after if t.gone_at is None and t.first_at > after[-1].first_at - ONE_THROW_S
    )
    return [
        PlayedOn(
            made[0] if len(made) == 1 else None,
            hidden=hidden,
            astray=astray and not made,
            thrown_at=max((t.first_at for t in after), default=None),
            lifted=bool(own) and not lying,
            stands=stands,
            thrower=side_of(state, last),
            since=since,
        )
    ]


def _is_back(
    recorded: Placement | None, base: Placement, stands: Placement | None, evidence: Evidence
) -> bool:
    """Whether a checker that was gone when the board was compared (`base`), though nobody had borne
    it off by the record, stands there again: it was in a hand.
    """
    if recorded is None or stands is None or is_gone_still(evidence, recorded, base):
        return False
    return any(
        base.counts(side)[OFF] > stands.counts(side)[OFF] >= recorded.counts(side)[OFF]
        for side in Side
    )


def _since_seen(evidence: Evidence, memory: Recollection | None, stands: Placement | None) -> float:
    """Since when what stands there was seen to stand so: dice thrown later were thrown over it,
    though their hand came over the board as well.
    """
    found = None
    if memory is not None and stands is not None:
        found = memory.stood_since(evidence, stands)
    return evidence.stirred_at if found is None else min(found, evidence.stirred_at)


def _stands_there(
    state: State, evidence: Evidence, memory: Recollection | None, now: float
) -> Placement | None:
    """What stands there, whatever the record says of it; None where that is not sure."""
    try:
        return standing(evidence, state.position(), now, memory, state.turn.roll)
    except (PositionError, ValueError):
        return None


def _stands_since(
    state: State,
    base: Placement,
    evidence: Evidence,
    memory: Recollection | None,
    now: float,
) -> Placement | None:
    """What stands there by what a turn or two of either side may leave of `base`; None where that
    is not sure. What was put back when the base was taken stays while it reads as it did then.
    """
    assert state.match.ruleset is not None
    begun, found = as_if_recorded(evidence, base), set()
    for side in Side:
        try:
            first = state.game.first_turns[side]
            position = Position.of(base, state.match.ruleset, side, first)
        except PositionError:
            continue
        stands = standing(begun, position, now, memory)
        found.add(None if stands is None else as_explained(position, stands))
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _put_right(state: State, evidence: Evidence, side: Side, now: float) -> Placement | None:
    """What stands there where the illegal play that a side had made last was taken back after all,
    and another made of its roll, before the side pressed once more; None where nothing tells that.
    """
    line = state.match.plays[-1] if state.match.plays else None
    if line is None or not is_otherwise(line) or line.side is not side or line.roll is None:
        return None
    try:
        assert state.match.ruleset is not None and line.before is not None
        began = Position.of(line.before, state.match.ruleset, side, line.first_turn)
    except PositionError:
        return None
    # What was borne off against the rules comes back: by the board as it was before that play.
    then = as_if_recorded(evidence, line.before)
    found = standing(then, began, now, roll=line.roll)
    if found is None or not isinstance(judge(began, line.roll, found), Play):
        # A pile that nobody counts may have grown by what was added.
        asked = Expectation(began, line.roll, since=state.turn.began, roll_declared=True)
        verdict = decide(replace(then, dice=()), asked, now)
        found = verdict.play.placement if isinstance(verdict, Agreed) else None
    return None if found == line.placement else found


def _stood_there(
    state: State, evidence: Evidence, memory: Recollection | None, ended: float
) -> Placement | None:
    """What stood there when the turn was over, as it is remembered; None where that is not sure."""
    try:
        position, roll = state.position(), state.turn.roll
        return None if memory is None else stood_then(memory, evidence, position, ended, roll)
    except (PositionError, ValueError):
        return None


PRESSED_S: Final = 2.0
"""So long after a press what stands there is remembered: as a rule it was agreed on by then."""


def watch_standing(
    state: State,
    evidence: Evidence,
    memory: Recollection | None,
    now: float,
    *,
    watched: bool,
) -> list[StandingWatched]:
    """What stands there, while a turn that was ended is not agreed on, or where the other side has
    pressed or moved in a turn that has hardly begun. `watched`: somebody has looked since it began,
    so that the side on roll has played nothing unseen.
    """
    press, ruleset = state.watch.early_press, state.match.ruleset
    ended, touched = state.phase is Phase.PRESSED, state.watch.touched_since
    if ruleset is None:
        return []
    pressed = press is not None and press[0] is not state.game.on_roll
    made, known = None, state.watch.out_of_turn
    looked = watched and not _was_unlooked(state, memory)
    touching = touched is not None and now - touched >= TOUCHED_S
    if not ended and (known or pressed or touching or _other_has_thrown(state, evidence)):
        made = _made_out_of_turn(state, evidence, now)
        asked = known is not None and "choose_play" in state.watch.warned
        unseen = not (looked and session_dice.is_seen_to_play(state))
        if made is None and known is not None and asked and unseen:
            # A hand that picks up dice says nothing against what people were asked about.
            denied = isinstance(
                placement_seen(evidence, known[0].play.placement, now), DoesNotMatch
            )
            made = None if denied else known[0]
    since = press[1] if press else state.match.pressed_at
    stands = None
    if (ended or pressed) and now - since >= PRESSED_S:
        moved_on = not press and memory is not None and memory.moved_on(since)
        stands = None if moved_on else _stands_there(state, evidence, memory, now)
        if pressed and press is not None:
            stands = _put_right(state, evidence, press[0], now) or stands
        if moved_on and state.watch.stood is None:
            # The opponent has begun to play: what stood there at the end of the turn is remembered.
            stands = _stood_there(state, evidence, memory, since)
    # What no play left may have been two turns.
    unplayed = looked and session_dice.is_seen_to_play(state) and began_surely(state)
    sure = unplayed and not _has_thrown(state, evidence) and not perhaps_due(state)
    certain = made is None or sure
    over_at = None if made is None else _over_at(state, evidence)
    if not (stands or made or known):
        return []
    return [StandingWatched(stands, made, certain, over_at, unplayed)]


TOUCHED_S: Final = 1.0
"""Checkers stand otherwise for so long before the other side is thought to play."""


def _thrown_in_turn(state: State, evidence: Evidence) -> list[Track]:
    """The dice that were thrown in this turn, the first of them first."""
    thrown = (t for t in evidence.dice if not t.stale and t.first_at > state.turn.began)
    return sorted(thrown, key=lambda track: track.first_at)


def _other_has_thrown(state: State, evidence: Evidence) -> bool:
    """Whether all dice of this turn lie in the other side's half: it has thrown, and what it bears
    off with them looks to the side on roll as if nothing had been moved.
    """
    thrown = tuple(_thrown_in_turn(state, evidence))
    return len(thrown) > 1 and side_of(state, thrown) is state.game.on_roll.other


def _has_thrown(state: State, evidence: Evidence) -> bool:
    """Whether the side on roll has thrown in this turn, whatever lay there: it may have played what
    nobody saw, such as a checker taken off a pile, and the other side is not out of turn for sure.
    """
    own = area_of(state, state.game.on_roll)
    return any(
        own[0] <= t.where[0] <= own[2] and t.seen_again for t in _thrown_in_turn(state, evidence)
    )


def _was_unlooked(state: State, memory: Recollection | None) -> bool:
    """Whether nobody looked for a while since the last roll was read: what ended that turn was not
    seen then, and the side on roll may have thrown and played.
    """
    return memory is not None and any(until > state.match.rolled_at for _, until in memory.unlooked)


def _dice_out_of_turn(
    state: State, evidence: Evidence, until: float = math.inf
) -> tuple[Track, ...]:
    """The dice that the side whose turn it is not seems to have thrown last `until` then, be it
    that the other has thrown as well since; none if it has not.
    """
    thrown = _thrown_in_turn(state, evidence)
    # What was thrown again, or lay cocked, before a checker was moved is no throw of it.
    touched = state.watch.touched_since
    until = until if touched is None else min(until, touched)
    times = [t.first_at for t in thrown if t.first_at <= until] or [t.first_at for t in thrown[:1]]
    while times:
        last = times[-1]
        first = tuple(t for t in thrown if abs(last - t.first_at) <= ONE_THROW_S)
        if side_of(state, first) is not state.game.on_roll:
            return first
        times = [at for at in times if at < last - ONE_THROW_S]
    return ()


def _over_at(state: State, evidence: Evidence) -> float | None:
    """When the dice of a play out of turn were taken up, or others thrown over it; None while they
    lie there.
    """
    known = state.watch.out_of_turn
    thrown = _thrown_in_turn(state, evidence)
    own = _dice_out_of_turn(state, evidence, math.inf if known is None else known[1])
    after = [t.first_at for t in thrown if own and t.first_at > own[-1].first_at + ONE_THROW_S]
    lifted = [t.last_at for t in own if t.gone_at is not None]
    return min(after + (lifted if len(lifted) == len(own) else []), default=None)


def _made_out_of_turn(state: State, evidence: Evidence, now: float) -> Agreed | None:
    """The play of the side whose turn it is not, with its own dice, that stands there."""
    side, ruleset = state.game.on_roll.other, state.match.ruleset
    first = _dice_out_of_turn(state, evidence)
    if not first or state.game.placement is None or ruleset is None:
        return None
    try:
        position = Position.of(state.game.placement, ruleset, side, state.game.first_turns[side])
    except PositionError:
        return None
    asked = Expectation(position, since=state.turn.began, dice_area=area_of(state, side))
    verdict = decide(replace(evidence, dice=first), asked, now)
    if (
        isinstance(verdict, Agreed)
        and verdict.play.moves
        and verdict.dice is DiceOrigin.READ
        # Where other checkers stand elsewhere as well, the side on roll has played unseen.
        and isinstance(placement_seen(evidence, verdict.play.placement, now), Matches)
    ):
        return verdict
    return None


def _sees_no_throw(state: State, evidence: Evidence) -> bool:
    """Whether somebody looks for dice and has seen none come to lie there in the doubler's turn."""
    looks = any(w.source.kind.sees_dice and not w.blind(state.at) for w in evidence.witnesses)
    return looks and not any(t.first_at > state.turn.began for t in evidence.dice)


def watch_play_after_double(state: State, evidence: Evidence, now: float) -> list[StandingWatched]:
    """The doubler's play, where it stands there though nobody has seen the double taken, or what
    stands there after it and the other side's.
    """
    side, known, placement = state.game.on_roll, state.watch.out_of_turn, state.game.placement
    if placement is None or state.turn.offer is None or state.turn.offer[0] is not side:
        return []
    if known is not None and isinstance(placement_seen(evidence, placement, now), Unseen):
        return []
    try:
        position = state.position()
    except (PositionError, ValueError):
        return []
    # Dice that came over a play that stood already are the other side's.
    dice = tuple(t for t in evidence.dice if known is None or t.first_at <= known[1])
    asked = Expectation(position, since=state.turn.offered_at, dice_area=area_of(state, side))
    verdict = decide(replace(evidence, dice=dice), asked, now)
    made = verdict if isinstance(verdict, Agreed) and verdict.play.moves else None
    if made is not None and made.dice is not DiceOrigin.READ and _sees_no_throw(state, evidence):
        made = None
    told = verdict.explanations[:1] if isinstance(verdict, Differs) else ()
    stands = next((each.placement for each in told if each.kind == "turns"), None)
    return [StandingWatched(stands, made)] if made or stands or known else []


APART: Final = 5
"""At so many sites the start stands otherwise than any play leaves a board that stood there."""


def watch_set_up(
    state: State, evidence: Evidence, memory: Recollection | None, now: float
) -> list[SetUpWatched]:
    """Whether the start stands on the board in the middle of a game."""
    ruleset, placement = state.match.ruleset, state.game.placement
    if ruleset is None or placement is None:
        return []
    start = Position.start(ruleset, Side.WHITE).placement
    apart = sum(
        (start.white[s], start.black[s]) != (placement.white[s], placement.black[s])
        for s in range(26)
    )
    if apart < (1 if state.phase is Phase.DOUBLED else APART):
        return []
    seen = placement_seen(evidence, start, now)
    if not isinstance(seen, Matches):
        # A hand that comes to throw takes nothing of it away.
        known = state.watch.anew_since is not None and isinstance(seen, DoesNotMatch)
        return [SetUpWatched(False)] if known else []
    # Whoever gives up sweeps its own checkers off as well, but not to leave the others lying.
    cleared = None if memory is None else memory.cleared_first(placement, OVER_S)
    return [SetUpWatched(True, cleared)]


def since_taken(state: State) -> float | None:
    """Since when what stands there had stood so, if it is taken for the position now: dice that
    came to lie there later are thrown from it. None where nothing was thrown from it yet: before
    the first game people wait with dice that lie there.
    """
    watch = state.watch
    if state.phase is Phase.SETTING_UP:
        return None
    if state.phase is Phase.GAME_OVER:
        return watch.rest_since
    if watch.early_press is not None:
        return watch.early_press[1]
    return state.match.pressed_at if watch.base is None else watch.base[1]
