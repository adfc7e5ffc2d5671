"""What a clock button does, in every phase: it ends a turn, passes the clock at a double, hands a
turn back, starts a clock, or is noted. Every press is kept with its source, and none accuses.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from rules.dice import Roll
from rules.observation import eyes_lost
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import Agreed, no_play_share
from service.referee.asking import PRESSED_OVER, ask_both_sides
from service.referee.attendance import before_first_game, take_place
from service.referee.dice import enter_roll, position
from service.referee.draft import Draft
from service.referee.entering import agree, end_turn
from service.referee.inputs import Press
from service.referee.match import DIE_OFF_BOARD
from service.referee.played_on import has_played
from service.referee.state import Phase, State
from service.referee.unanswered import go_on_without_an_answer
from service.referee.unpressed import end_turn_unpressed

REOPEN_S: Final = 8.0
"""A press of the side on roll so soon after the other's hands the turn back, s."""
BACK_S: Final = 2.5
"""Who presses later than this after the other's press does not mean to hand the turn back, where
nobody could see what was thrown meanwhile, s."""
UNREAD: Final = "pressed_dice_unread"
"""Noted of a press before the roll: nobody threw and nobody moved, so no turn can be over."""


def on_press(draft: Draft, given: Press) -> None:
    """A clock button. One that ends nothing is noted."""
    state, at = draft.state, min(given.at, draft.now)
    mine = given.side is state.game.on_roll
    match state.phase:
        case Phase.MOVING | Phase.TO_ROLL if mine:
            danced = _ended_before(state) or _may_have_danced(draft, at)
            if not given.unseen and _nothing_done(state, at) and not danced:
                _press_before_roll(draft, given, at)
            else:
                start_after_die(draft, at)
                end_turn(draft, given.side, at, given.source)
        case Phase.MOVING | Phase.TO_ROLL if state.watch.thrown_over is not None:
            # Whose press is this, if not of the turn that was played over the one in progress?
            thrown = state.watch.next_roll
            end_turn_unpressed(draft)
            _end_next_turn(draft, given, thrown)
        case Phase.MOVING | Phase.TO_ROLL if _stood_for_long(state, at):
            _end_turn_before(draft, given)
        case Phase.PRESSED if mine and state.watch.next_thrown is None:
            # Should the press before turn out to have come before its throw, this one ends it.
            draft.say(e.Noted("press_ignored", given.side, given.source))
            draft.watch(pressed_again=(at, given.source))
        case Phase.PRESSED if _has_played_unseen(state, given, at):
            # What stands there is what both turns left: it is judged as such.
            draft.say(e.Noted("press_ignored", given.side, given.source))
            draft.watch(early_press=(given.side, at))
        case Phase.PRESSED | Phase.ILLEGAL if _is_of_next_turn(state, given, at):
            thrown = state.watch.next_roll
            go_on_without_an_answer(draft)
            _end_next_turn(draft, given, thrown)
        case Phase.PRESSED | Phase.ILLEGAL if not mine and state.watch.next_thrown is None:
            draft.say(e.HandedBack(given.side, at, state.turn.roll is not None or state.turn.stuck))
        case Phase.MOVING | Phase.TO_ROLL if _never_started(state):
            # The lower opening roller starts the other's clock.
            draft.say(e.ClockStarted(state.game.on_roll, at, "opening"))
        case Phase.DOUBLED if state.match.clock and state.match.clock.running is given.side:
            # At a double each side presses as it does after a play.
            draft.say(e.ClockStarted(given.side.other, at, "doubled"))
        case Phase.SETTING_UP if _is_asked_for(state, given.side):
            take_place(draft, given.side, given.source)
        case _:
            draft.say(e.Noted("press_ignored", given.side, given.source))
            if not mine:
                draft.once(PRESSED_OVER)
            if not mine or state.phase in (Phase.OPENING, Phase.DIFFERS, Phase.DOUBLED):
                draft.watch(early_press=(given.side, at))


def _end_next_turn(draft: Draft, given: Press, thrown: Roll | None) -> None:
    """A press ends the turn that was played over the one that was still open: its roll, where that
    was read, was `thrown` before. Whoever has thrown hands nothing back, whether or not its dice
    were read.
    """
    if thrown is not None and draft.state.phase is Phase.TO_ROLL:
        enter_roll(draft, thrown, e.DiceOrigin.READ, None)
    if draft.state.phase not in (Phase.TO_ROLL, Phase.MOVING):
        return
    if given.side is draft.state.game.on_roll:
        end_turn(draft, given.side, min(given.at, draft.now), given.source)
    else:
        on_press(draft, given)


def _is_of_next_turn(state: State, given: Press, at: float) -> bool:
    """Whether a press while a turn is asked about may well end the one after it: that side was seen
    to throw, or had the time to and nobody could have seen it, or need not throw.
    """
    thrown = state.watch.next_thrown
    if given.side is state.game.on_roll or at - state.match.pressed_at <= BACK_S:
        return False
    unseen = given.unseen or eyes_lost(state.lost) or state.awaits_next_throw
    return unseen or (thrown is not None and at - thrown > BACK_S) or _is_shut_out(state)


def _is_shut_out(state: State) -> bool:
    """Whether what stands there, while the turn that was ended is asked about, leaves the other
    side closed out: it throws nothing, and has only to press.
    """
    stood, ruleset, side = state.watch.stood, state.match.ruleset, state.game.on_roll.other
    if stood is None or ruleset is None:
        return False
    try:
        return no_play_share(Position.of(stood, ruleset, side)) == 1
    except PositionError:
        return False


def _has_played_unseen(state: State, given: Press, at: float) -> bool:
    """Whether whoever presses, while the turn before is asked about, has thrown where nobody could
    see it and has moved as well, as what stands there tells.
    """
    before, stood = state.game.placement, state.watch.stood
    if before is None or stood is None or not _is_of_next_turn(state, given, at):
        return False
    return state.watch.next_thrown is None and has_played(given.side, before, stood)


def _stood_for_long(state: State, at: float) -> bool:
    """Whether a whole play has stood for so long that the other side, which presses, may well have
    thrown and had no play: nobody pressed after the play, and nobody saw the throw. Who has handed
    that turn back by a press before cannot do so once more: it has had a turn, whatever it threw.
    """
    rested, whole = state.watch.rest_since, state.watch.whole
    if not isinstance(whole, Agreed) or rested is None or at - rested <= BACK_S:
        return False
    if state.turn.reopened:
        return True
    return no_play_share(state.position().after(whole.play.view)) >= MAY_DANCE


def _end_turn_before(draft: Draft, given: Press) -> None:
    """The turn in progress was over before the other side threw, and pressed; both are ended."""
    state = draft.state
    whole, rested = state.watch.whole, state.watch.rest_since
    assert whole is not None
    assert rested is not None
    end_turn(draft, state.game.on_roll, max(rested, state.turn.began), e.SEEN_LATER)
    agree(draft, whole)
    if draft.state.phase is Phase.TO_ROLL:
        on_press(draft, given)


def _is_asked_for(state: State, side: Side) -> bool:
    """Whether a player says with his clock button that he is there: where that is waited for."""
    asked = state.match.event.confirm or state.match.due is not None
    return before_first_game(state) and asked and not state.match.confirmed[side]


def start_after_die(draft: Draft, at: float) -> None:
    """The clock that rested because a die left the table runs again: play went on."""
    clock = draft.state.match.clock
    if draft.state.match.rests_for == DIE_OFF_BOARD and clock is not None and clock.running:
        draft.say(e.ClockStarted(clock.running, round(at, 4), "play_went_on"))


def _never_started(state: State) -> bool:
    return state.match.clock is not None and state.match.clock.running is None


LOOKED_S: Final = 1.0
"""So long after a hand went away the table has seen what it did, s."""
MAY_DANCE: Final = 0.2
"""With so great a share of throws that cannot be played, one of them was thrown, rather than that
somebody pressed by mistake; a cost a person chose."""
AT_ONCE_S: Final = BACK_S
"""Nobody throws, sees that nothing can be played and presses so soon after the other's press, s."""


def _nothing_done(state: State, at: float) -> bool:
    """Whether the table has looked and seen neither dice nor a checker moved since the turn began:
    what cannot be seen is no reason to doubt a press, nor what a hand has only just done.
    """
    watch = state.watch
    if eyes_lost(state.lost):
        return False
    at_once, stirred = _at_once(state, at), watch.stirred_at
    if not at_once and state.turn.began < stirred and at - stirred < LOOKED_S:
        return False
    return (
        state.phase is Phase.TO_ROLL
        and not state.turn.stuck
        and (watch.empty_since is not None or at_once)
        and not watch.dice_lay
        and watch.touched_since is None
        and watch.whole is None
    )


def _ended_before(state: State) -> bool:
    """Whether this turn was ended by a press before, and given back by the other side's: whoever
    presses once more says that it was over.
    """
    return state.turn.reopened or state.match.pressed_at > state.turn.began


def _may_have_danced(draft: Draft, at: float) -> bool:
    """Whether the side that presses may well have thrown what it cannot play, where nobody saw it:
    hidden dice are commoner than a press by mistake.
    """
    state, now_on = draft.state, position(draft)
    long = at - state.match.pressed_at > BACK_S
    if not long or now_on is None or _last_turn(state, state.game.on_roll.other, at) is None:
        return False
    return no_play_share(now_on) >= MAY_DANCE


def _at_once(state: State, at: float) -> bool:
    """Whether the turn began by a press so lately that nothing can have been done in it."""
    return state.turn.began == state.match.pressed_at and at - _ended_at(state) < AT_ONCE_S


def _ended_at(state: State) -> float:
    """When the turn before was over, s: when its side pressed for the last time. A press that came
    too early is followed by another once the play is made.
    """
    press, pressed_at = state.watch.early_press, state.match.pressed_at
    again = press is not None and press[0] is state.game.on_roll.other
    return max(pressed_at, press[1]) if press is not None and again else pressed_at


def _press_before_roll(draft: Draft, given: Press, at: float) -> None:
    """The turn just ended is handed back; a press that comes later is a slip, and the clock is
    left with whoever pressed."""
    last = _last_turn(draft.state, given.side.other, at)
    if last is None:
        draft.say(e.Noted(UNREAD, given.side, given.source))
        if not draft.once(UNREAD):
            # Pressed once more: perhaps the dice lie where nobody sees them, and cannot be played.
            ask_both_sides(draft, "say_roll")
    else:
        line, stuck = last
        draft.say(e.TurnReopened(given.side, at, line, stuck))
    draft.sound("ask")


def _last_turn(state: State, side: Side, at: float) -> tuple[int, bool] | None:
    """The play that a press of the other side hands back: its number, and whether its roll, or
    that there was no play, is known. None where it is too late, or something happened since.
    """
    match, turn = state.match, state.turn
    line = match.plays[-1] if match.plays else None
    if (
        line is None
        or line.side is not side
        or line.game != state.game.number
        or line.standing is not None
        or match.before_play is None
        or not match.pressed_at
        or turn.began != match.pressed_at
        or turn.timed_from is not None
        or turn.premature is not None
        or not 0 <= at - _ended_at(state) <= REOPEN_S
    ):
        return None
    return line.seq, line.roll is not None or match.before_play[1].stuck
