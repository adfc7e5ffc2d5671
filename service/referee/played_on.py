"""People who play on from a board that differs from the record have answered what is asked: they
take it as it stands.
"""

from __future__ import annotations

import math
from typing import Final

from rules.board import BAR, Placement, Side
from rules.conduct import News
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import (
    Agreed,
    Explanation,
    Recalled,
    TurnTold,
    is_one_gone,
    no_play_share,
    told_where_it_stands,
)
from service.referee.asking import ask_both_sides
from service.referee.draft import Draft
from service.referee.entering import (
    agree,
    ask_to_compare,
    begin_turn,
    end_turn,
    enter_explained,
    enter_out_of_turn,
    leave_as_it_stands,
    take_position,
)
from service.referee.inputs import PlayedOn, StandingWatched
from service.referee.left_otherwise import say_position
from service.referee.recalled_turns import enter_recalled
from service.referee.set_down import end_played_over, end_played_over_unseen
from service.referee.state import SAID_NOT_SO, Phase, PlayLine, State
from service.referee.unpressed import enter_thrown_again
from service.referee.waiting import HEARD_S, OVER_S, STAYS_S

OUT_OF_TURN_S: Final = 1.5
"""What the other side has played without a press is left so for so long before it counts, s."""


def on_played_on(draft: Draft, given: PlayedOn) -> None:
    """A play made from what stood there is recorded once it is over, with that position."""
    state, watch = draft.state, draft.state.watch
    difference = state.turn.difference
    if difference is not None and difference.reason == SAID_NOT_SO:
        # A person contradicted what is seen: only a person ends it.
        return
    made, known = given.play, watch.played_on
    if made is None:
        if known is not None and not given.hidden:
            draft.watch(played_on=None)
        if _goes_on(draft, given):
            return
        if given.astray:
            _begin_anew(draft, given)
    elif known is None or known[0].play != made.play:
        draft.watch(played_on=(made, draft.now))
    elif _is_over(draft, given, known[1]):
        _take_as_it_stands(draft, given)


def _goes_on(draft: Draft, given: PlayedOn) -> bool:
    """Whether somebody has thrown over what stood there when people were asked, or has played and
    pressed: nobody objects, and what stands there is the position from now on.
    """
    state, stands = draft.state, given.stands
    base, press = state.watch.base, state.watch.early_press
    if base is None or stands is None:
        return False
    thrown = -math.inf if given.thrown_at is None else given.thrown_at
    heard = draft.now - max(thrown, state.watch.raised_at) >= HEARD_S
    if stands == base[0] and thrown > base[1] and heard:
        _enter_base(draft, _thrower(state, given.thrower, stands))
        return True
    known = state.watch.next_base
    if press is None or not has_played(press[0], base[0], stands):
        return False
    if known is None or known[0] != stands or draft.now - max(known[1], press[1]) < STAYS_S:
        return False
    _take_played(draft, stands, press[0].other)
    return True


def _unseen_turns(state: State, stands: Placement) -> Explanation | None:
    """The two turns that nobody saw and that alone explain what stands there, if any do."""
    offered = state.watch.offered
    if offered is None or not offered.unwatched:
        return None
    found = told_where_it_stands(offered.explanations, stands)
    return found if found is not None and len(found.turns) == 2 else None


def _enter_base(draft: Draft, side: Side) -> None:
    """What stood there when people were asked becomes part of the record, with `side` to play from
    it: as what the other side has left of its roll, which was read, or as two turns that nobody
    saw, where they alone explain it, else as the position.
    """
    state, unseen, base = draft.state, draft.state.watch.unseen, draft.state.watch.base
    assert base is not None
    slip = side is state.game.on_roll.other and _is_slip(state, *base)
    if not slip and (unseen is None or side is not state.game.on_roll):
        _take_played(draft, base[0], side)
        # What people have thrown over is not asked once more.
        draft.watch(offered=state.watch.offered)
        return
    grounds = e.Grounds() if state.watch.offered is None else state.watch.offered.grounds
    draft.say(e.Recovered("explained"))
    if draft.state.phase in (Phase.TO_ROLL, Phase.MOVING):
        end_turn(draft, side.other if slip else side, min(base[1], draft.now), e.SEEN_LATER)
    if slip:
        leave_as_it_stands(draft, base[0], None, grounds)
    elif unseen is not None:
        enter_explained(draft, unseen, unseen.p, grounds)


def _is_slip(state: State, stands: Placement, since: float) -> bool:
    """Whether what stands there `since` then is what the side on roll has left of its roll, against
    the rules: its dice were read before that, and no more checkers stand elsewhere than they move.
    """
    roll, before, ruleset = state.turn.roll, state.game.placement, state.match.ruleset
    if roll is None or before is None or ruleset is None or since <= state.match.rolled_at:
        return False
    pairs = [
        pair for side in Side for pair in zip(before.counts(side), stands.counts(side), strict=True)
    ]
    hits = sum(max(stands.counts(side)[BAR] - before.counts(side)[BAR], 0) for side in Side)
    moved = sum(max(now - then, 0) for then, now in pairs) - hits
    try:
        Position.of(stands, ruleset, state.game.on_roll.other)
    except PositionError:
        return False
    return 0 < moved <= (ruleset.doubles if roll.is_double else 2)


def _thrower(state: State, thrower: Side | None, stands: Placement) -> Side:
    """The side that has thrown over what stands there: in whose half the dice lie, but for a side
    to play that has moved nothing and always can; it has thrown into the wrong half, unless its
    roll was read: it throws no other.
    """
    due, before = _next_side(state), state.game.placement
    known = thrower in (None, due) or due is not state.game.on_roll
    if known or before is None or state.turn.roll is not None:
        return thrower or due
    unmoved = before.counts(due) == stands.counts(due)
    return due if unmoved and no_play_share(state.position()) == 0 else thrower or due


def _next_side(state: State) -> Side:
    """The side that throws next: the other one where the turn in progress had been ended."""
    clock = state.match.clock
    if clock is not None and clock.running is not None:
        return clock.running
    ended = state.match.pressed_at > state.turn.began
    return state.game.on_roll.other if ended else state.game.on_roll


def _begin_anew(draft: Draft, given: PlayedOn) -> None:
    """What is played from is another board by now, once that stands still."""
    watch, stands = draft.state.watch, given.stands
    if stands is None or (watch.base is not None and stands == watch.base[0]):
        return
    if watch.next_base is None or watch.next_base[0] != stands:
        draft.watch(next_base=(stands, draft.now if given.since is None else given.since))
    elif watch.base is None or draft.now - watch.next_base[1] >= STAYS_S:
        unseen = _unseen_turns(draft.state, stands)
        draft.watch(base=watch.next_base, next_base=None, unseen=unseen)


def _is_over(draft: Draft, given: PlayedOn, stood_since: float) -> bool:
    """Whether the play is over: dice were thrown over it, its side pressed, or lifted its dice
    where no press is waited for; or it was left so for a while.
    """
    state = draft.state
    assert given.play is not None
    thrown = given.thrown_at is not None and given.thrown_at > stood_since
    press = state.watch.early_press
    pressed = press is not None and press[0] is given.play.play.side and press[1] >= stood_since
    lifted = given.lifted and not state.press_ends_turn
    return thrown or pressed or lifted or draft.now - stood_since >= OVER_S


def _take_as_it_stands(draft: Draft, given: PlayedOn) -> None:
    """The position that was played from becomes part of the record, and the play made from it."""
    base, known = draft.state.watch.base, draft.state.watch.played_on
    assert base is not None and known is not None and given.play is not None
    side, ended = given.play.play.side, max(known[1], base[1])
    _enter_base(draft, side)
    end_turn(draft, side, min(ended, draft.now), e.SEEN_LATER)
    agree(draft, given.play)


def on_standing(draft: Draft, given: StandingWatched) -> None:
    """What stands there while a turn is judged is remembered; where the other side has pressed over
    this turn and has played as well, it is taken for the position once it lies still.
    """
    state, press = draft.state, draft.state.watch.early_press
    if _is_out_of_turn(draft, given) or given.stands is None:
        return
    if press is None:
        if state.phase is not Phase.PRESSED or end_played_over_unseen(draft, given.stands):
            return
        if state.watch.stood != given.stands:
            draft.watch(stood=given.stands)
        return
    if state.game.placement is None or not has_played(press[0], state.game.placement, given.stands):
        return
    if _completes_last(draft, press[0], given.stands):
        return
    known = state.watch.next_base
    if known is None or known[0] != given.stands:
        draft.watch(next_base=(given.stands, draft.now))
    elif draft.now - max(known[1], press[1]) < STAYS_S:
        return
    elif given.made is not None and given.made.play.placement == given.stands:
        # Nobody said whether it was out of turn, and its side has pressed for it.
        _enter_perhaps_out_of_turn(draft, given.made, press[1])
    elif not end_played_over(draft, given.stands, press):
        _take_played(draft, given.stands, press[0].other)
        ask_to_compare(draft)


def _completes_last(draft: Draft, side: Side, stands: Placement) -> bool:
    """Whether what stands there is the whole of the last turn, of which its side had pressed on a
    half that is a play by itself, or on an illegal play that it took back after all, and pressed
    again: the record is put right. Of dice that were read half a play is none; and over a throw of
    the other side's nobody completes what was before it.
    """
    state = draft.state
    if state.watch.dice_lay:
        return False
    line = state.match.plays[-1] if state.match.plays else None
    if line is None or line.side is not side or line.before is None:
        return False
    half = not line.by_hand and line.origin in (e.DiceOrigin.INFERRED, e.DiceOrigin.UNKNOWN)
    otherwise = is_otherwise(line)
    if line.game != state.game.number or not (half or otherwise):
        return False
    try:
        assert state.match.ruleset is not None
        began = Position.of(line.before, state.match.ruleset, side, line.first_turn)
    except PositionError:
        return False
    found = rolls_explaining(began, stands)
    if otherwise:
        found = tuple(each for each in found if each[0] == line.roll)
    if not found or stands == line.placement:
        return False
    only = len(found) == 1
    roll, origin = (found[0][0], e.DiceOrigin.INFERRED) if only else (None, e.DiceOrigin.UNKNOWN)
    if otherwise:
        origin = line.origin
    text = str(found[0][1])
    draft.say(e.PlayCorrected(line.seq, roll, origin, text, stands, rewinds=True))
    return True


def is_otherwise(line: PlayLine) -> bool:
    """Whether a line of the record is no play of its roll, noticed or left open."""
    return bool(line.infraction) or (
        line.standing is e.Standing.UNRESOLVED and line.roll is not None
    )


def _is_out_of_turn(draft: Draft, given: StandingWatched) -> bool:
    """Whether the other side has played in this turn, which is recorded once it has pressed or has
    left it so for a while.
    """
    made, known, press = given.made, draft.state.watch.out_of_turn, draft.state.watch.early_press
    if made is None:
        if known is not None:
            draft.watch(out_of_turn=None)
        return False
    if known is None or known[0].play != made.play:
        draft.watch(out_of_turn=(made, draft.now))
        return True
    pressed = press is not None and press[0] is made.play.side
    # Whose turn it was, the turns as they were seen may tell once both are over: till then nobody
    # is asked.
    since = max(known[1], press[1]) if press is not None and pressed else known[1]
    if not (pressed and given.certain) and draft.now - since < OUT_OF_TURN_S:
        return True
    if not pressed and given.over_at is None and _may_hold(draft.state, made.play.placement):
        return True
    if given.unplayed and enter_thrown_again(draft, made):
        return True
    if given.certain:
        enter_out_of_turn(draft, made)
    elif (over_at := _played_over_at(draft, given)) is not None:
        _enter_perhaps_out_of_turn(draft, made, over_at)
        return True
    else:
        # The side on roll may have thrown what it could not play, and nobody saw it.
        ask_both_sides(draft, "choose_play", News.ILLEGAL_PLAY)
    return given.certain


def _may_hold(state: State, stands: Placement) -> bool:
    """Whether all that stands otherwise is one checker that is gone: what seems borne off may be in
    a hand, as long as the dice lie there.
    """
    before = state.game.placement
    return before is not None and is_one_gone(before, stands)


def _played_over_at(draft: Draft, given: StandingWatched) -> float | None:
    """When play went on over what was played, nobody having answered whose turn it was."""
    return given.over_at if "choose_play" in draft.state.watch.warned else None


def _enter_perhaps_out_of_turn(draft: Draft, made: Agreed, ended: float) -> None:
    """A side has played that may have been due, if the other had thrown unseen and had no play:
    play goes on, so the record has the position that it played from, and the play as unresolved.
    """
    play, start = made.play, _start_of(draft.state, made.play.side)
    assert start is not None
    turn = TurnTold(play.side, play.placement, play, made.roll, True, ended, unresolved=True)
    enter_recalled(draft, Recalled((turn,), 0, made.probability, start), made.grounds)


def _start_of(state: State, side: Side) -> Position | None:
    """What a side plays from by the record, be it not its turn; None where that is nowhere."""
    before, ruleset = state.game.placement, state.match.ruleset
    if before is None or ruleset is None:
        return None
    try:
        return Position.of(before, ruleset, side, state.game.first_turns[side])
    except PositionError:
        return None


def _take_played(draft: Draft, stands: Placement, on_roll: Side) -> None:
    """Play goes on from what stands there: where the side that has pressed, though it was not its
    turn, may have played so, nobody having read its dice, the record has its play as unresolved,
    else the board as it stands.
    """
    state, press, side = draft.state, draft.state.watch.early_press, on_roll.other
    pressed = press is not None and press[0] is side and on_roll is state.game.on_roll
    start = _start_of(state, side) if pressed else None
    explained = () if start is None else rolls_explaining(start, stands)
    if press is None or start is None or not explained or not explained[0][1].moves:
        take_position(draft, stands, on_roll)
        return
    say_position(draft, start.placement, side)
    end_turn(draft, side, min(max(press[1], state.turn.began), draft.now), e.SEEN_LATER)
    only = len(explained) == 1
    draft.say(
        e.PlayEntered(
            side,
            explained[0][0] if only else None,
            e.DiceOrigin.INFERRED if only else e.DiceOrigin.UNKNOWN,
            str(explained[0][1]),
            stands,
            standing=e.Standing.UNRESOLVED,
            pictures=(draft.picture("stands"),),
        )
    )
    begin_turn(draft)


def has_played(side: Side, before: Placement, after: Placement) -> bool:
    """Whether a side has laid a checker where none of its stood."""
    then, now = before.counts(side), after.counts(side)
    return any(now[site] > then[site] for site in range(len(now)) if site != BAR)
