"""Turns that are told of once they are over: what becomes of the record, and of the turn that was
in progress meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.conduct import News
from rules.infraction import Broken
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import Recalled, TurnTold
from service.referee.dice import enter_roll, moves_text, position
from service.referee.draft import Draft
from service.referee.entering import (
    ask_to_compare,
    begin_turn,
    end_turn,
    enter_play,
    tell_out_of_turn,
)
from service.referee.left_otherwise import say_what_was_left
from service.referee.state import Phase, State
from service.referee.unanswered import perhaps_due


def enter_recalled(draft: Draft, found: Recalled, evidence: e.Grounds) -> None:
    """Turns that are over become part of the record, each ended when it was seen to be; the first
    in place of a line of the record where that was played otherwise, which goes on from there.
    Where what led to them is not sure, the record has what they were played from.
    """
    found = _as_perhaps_due(draft.state, found)
    turns, start = found.turns, found.start
    went_on = _pressed_since(draft.state, turns)
    skipped = start is not None and start.side is not draft.state.game.on_roll
    pressed = bool(start) and not skipped and draft.state.phase is Phase.PRESSED
    if start is not None:
        pressed &= not say_what_was_left(draft, start.placement, start.side)
    elif draft.state.phase is Phase.DIFFERS:
        draft.say(e.Recovered("explained"))
    if found.revised:
        first, *rest = found.turns
        turns = tuple(rest)
        line = draft.state.match.plays[-found.revised]
        origin = line.origin if line.roll == first.roll else _origin_of(first)
        text, placement = str(first.play), first.placement
        draft.say(e.PlayCorrected(line.seq, first.roll, origin, text, placement, rewinds=True))
    for turn in turns:
        _enter_turn(draft, turn, found.p, evidence, pressed and turn is turns[0])
        if draft.state.phase is not Phase.TO_ROLL:
            break
    if went_on is not None and draft.state.phase is Phase.TO_ROLL:
        _press_again(draft, went_on)
    elif skipped and not turns[-1].unresolved:
        # Of an unresolved turn they were told as it was entered.
        ask_to_compare(draft)


def _as_perhaps_due(state: State, found: Recalled) -> Recalled:
    """The same, where a turn out of turn may have been due: unresolved, from what stood there."""
    first = found.turns[0] if found.turns else None
    ruleset, before = state.match.ruleset, state.game.placement
    if found.start is not None or found.revised or first is None or not first.out_of_turn:
        return found
    # What nobody can say of a turn, whose turn it was is part of.
    perhaps = perhaps_due(state) or first.unresolved
    if not perhaps or ruleset is None or before is None:
        return found
    try:
        start = Position.of(before, ruleset, first.side, state.game.first_turns[first.side])
    except PositionError:
        return found
    due = replace(first, out_of_turn=False, unresolved=True)
    return replace(found, turns=(due, *found.turns[1:]), start=start)


def _pressed_since(state: State, turns: Sequence[TurnTold]) -> State | None:
    """The state in which the turn that follows the told ones was ended by its side already, None
    where it was not.
    """
    if state.phase is not Phase.PRESSED or not turns:
        return None
    follows = turns[-1].side is not state.game.on_roll
    return state if follows and round(turns[-1].ended, 4) <= state.turn.began else None


def _press_again(draft: Draft, was: State) -> None:
    """The turn in progress has the roll and the press that it had: the turns told came before."""
    if was.turn.roll is not None:
        enter_roll(draft, was.turn.roll, was.match.origin or e.DiceOrigin.READ, None)
    # After a correction the turn seems to begin now; it was over before.
    end_turn(draft, was.game.on_roll, was.match.pressed_at, was.match.pressed_by)


def _enter_turn(draft: Draft, turn: TurnTold, p: float, evidence: e.Grounds, pressed: bool) -> None:
    """One turn that was seen to its end, or `pressed` for. Of a turn out of turn the record says
    so, and of one whose checkers are no play of its dice that nobody has said which they were.
    """
    turn = _as_announced(draft, turn)
    state, play, side = draft.state, turn.play, turn.side
    if state.phase in (Phase.TO_ROLL, Phase.MOVING) and not (turn.out_of_turn or pressed):
        # After a correction the turn seems to begin now; it was over long before.
        began = min(state.turn.began, state.match.pressed_at)
        end_turn(draft, side, min(max(turn.ended, began), draft.now), e.SEEN_LATER)
    known = state.turn.roll == turn.roll and turn.roll is not None
    origin = state.match.origin if known else _origin_of(turn)
    if play is not None and not (turn.out_of_turn or turn.unresolved):
        enter_play(draft, play, turn.roll, origin, p, evidence, recovered=True)
        return
    draft.say(
        e.PlayEntered(
            side,
            turn.roll,
            origin,
            moves_text(position(draft), turn.placement) if play is None else str(play),
            turn.placement,
            round(p, 6),
            infraction=Broken.OUT_OF_TURN.value if turn.out_of_turn else "",
            standing=e.Standing.UNRESOLVED if turn.unresolved else e.Standing.NEXT_ROLL,
            evidence=evidence,
            pictures=(draft.picture("played"),),
            recovered=True,
        )
    )
    begin_turn(draft)
    if turn.out_of_turn:
        tell_out_of_turn(draft, side)
    elif draft.state.phase is Phase.TO_ROLL:
        # Nobody was asked while it stood there: whoever may hear of a miscount is told now.
        about, told = draft.state.match.plays[-1].seq, draft.who_hears(News.ILLEGAL_PLAY)
        draft.alert("unanswered", None, about=about, told=told)


def _as_announced(draft: Draft, turn: TurnTold) -> TurnTold:
    """The turn, with the roll that was announced in it where its checkers are a play of that: what
    is remembered of dice begins anew with a restart, what was announced does not.
    """
    state, now_on = draft.state, position(draft)
    roll, due = state.turn.roll, state.game.on_roll is turn.side
    if roll in (None, turn.roll) or turn.out_of_turn or now_on is None or not due:
        return turn
    assert roll is not None
    made = judge(now_on, roll, turn.placement)
    if not isinstance(made, Play):
        return turn
    return replace(turn, play=made, roll=roll, read=True, unresolved=False)


def _origin_of(turn: TurnTold) -> e.DiceOrigin:
    """How the roll of a turn that was recalled is known."""
    if turn.roll is None:
        return e.DiceOrigin.UNKNOWN
    return e.DiceOrigin.READ if turn.read else e.DiceOrigin.INFERRED
