"""Turns that no press ended: the opponent threw over a whole play and has played since, or doubles
over it; or its side throws once more where it could not play.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from rules.judge import rolls_explaining
from service.journal import entries as e
from service.reconcile import ONE_THROW_S, Agreed, Differs, Pending, no_play_share
from service.referee.dice import RETHROWN, enter_roll
from service.referee.draft import Draft
from service.referee.entering import agree, ask_to_compare, end_turn, enter_play
from service.referee.inputs import NextRollWatched, PlayedOver
from service.referee.state import Phase, PlayLine, State
from service.referee.turn import PASSING
from service.referee.waiting import BEFORE_S

PREMATURE_S: Final = 0.8
"""Dice of the opponent's lie there for so long before they mean anything."""
LEFT_S: Final = 1.0
"""A whole play that stood at rest for so long was set down, not slid over, s."""


def before_throw(state: State, thrown_at: float) -> float:
    """A time just before the opponent's dice lay there, and after the turn began."""
    return max(thrown_at - BEFORE_S, (thrown_at + state.turn.began) / 2)


def watch_throw_over(draft: Draft, given: NextRollWatched) -> bool:
    """Whether the turn is over, though nobody pressed: the opponent has thrown over it and played.
    Until then the whole play that stood when it threw is remembered: the press may have been
    forgotten. Where nothing was moved and no roll read, nobody knows whether there was a turn.
    """
    watch, stood = draft.state.watch, draft.state.watch.whole
    unpressed = draft.state.phase in (Phase.MOVING, Phase.TO_ROLL)
    if unpressed and _is_over(watch.thrown_over, given.thrown_at):
        end_turn_unpressed(draft)
        return True
    if given.thrown_at is None:
        if watch.thrown_over is not None:
            draft.watch(thrown_over=None, played_over=None)
    elif (
        watch.thrown_over is None
        and isinstance(stood, Agreed)
        and (stood.play.moves or draft.state.phase is Phase.MOVING)
        and unpressed
    ):
        draft.watch(thrown_over=(stood, given.thrown_at, False))
    return False


def _is_over(over: tuple[Agreed, float, bool] | None, thrown_at: float | None) -> bool:
    """Whether the opponent, who threw `over` a whole play, has moved a checker of its own and taken
    up its dice, or others have been thrown since.
    """
    gone = over is not None and (thrown_at is None or thrown_at > over[1] + ONE_THROW_S)
    return over is not None and over[2] and gone


def on_played_over(draft: Draft, given: PlayedOver) -> None:
    """The opponent has played over a whole play, seen so twice: the press was forgotten."""
    made, known, over = given.play, draft.state.watch.played_over, draft.state.watch.thrown_over
    if over is not None and given.moved != over[2]:
        draft.watch(thrown_over=(*over[:2], given.moved))
    if made is None or known is None or made.play != known.play:
        if made != known:
            draft.watch(played_over=made)
    else:
        end_turn_unpressed(draft)


def end_turn_unpressed(draft: Draft) -> None:
    """The turn was over when the opponent threw, though nobody pressed."""
    over = draft.state.watch.thrown_over
    if over is not None:
        stood, thrown_at, _ = over
        at = before_throw(draft.state, thrown_at)
        end_turn(draft, draft.state.game.on_roll, at, "next_roll")
        agree(draft, stood)


def end_turn_by_double(draft: Draft, laid_at: Side | None, since: float) -> None:
    """The opponent's double over a whole play, the press having been forgotten where one is waited
    for, or else where there may be none, ends the turn, whether or not its dice were read: a cube
    turned in this turn, and laid in the middle or before the side that has played.
    """
    state, stood = draft.state, draft.state.watch.whole
    side = state.game.on_roll
    if (
        state.phase not in (Phase.MOVING, Phase.TO_ROLL)
        or since <= state.turn.began
        or laid_at is side.other
        or state.game.cube_owner is side
    ):
        return
    if _has_danced(state) and not state.press_ends_turn:
        if state.watch.others_lay and not state.turn.stuck:
            # Whoever has thrown doubles no more: it threw out of turn, and this is not its double.
            return
        end_turn(draft, side, before_throw(state, since), "next_roll")
        enter_no_play(draft)
    elif isinstance(stood, Agreed) and _stood_whole(state, since):
        end_turn(draft, side, before_throw(state, since), "next_roll")
        agree(draft, stood)
    elif stood is None and has_moved_before(state, since) and _stands_likely(state):
        # Which play it was is judged as after a press.
        end_turn(draft, side, before_throw(state, since), "next_roll")


def end_turn_unseen(draft: Draft) -> None:
    """Where no press is waited for, a whole play that had been left standing when the eyes went was
    played, and a roll without a play is over: nobody will see what ends the turn. Nothing else
    stands any more for all that is known.
    """
    state, stood, rested = draft.state, draft.state.watch.whole, draft.state.watch.rest_since
    if state.press_ends_turn or state.phase not in (Phase.MOVING, Phase.TO_ROLL):
        return
    left = rested is not None and draft.now - rested >= LEFT_S
    draft.watch(whole=None, rest_since=None)
    if isinstance(stood, Agreed) and stood.play.moves and left:
        end_turn(draft, state.game.on_roll, draft.now, e.SEEN_LATER)
        agree(draft, stood)
    elif state.turn.stuck and state.turn.roll is not None:
        end_turn(draft, state.game.on_roll, draft.now, e.SEEN_LATER)
        enter_no_play(draft)


def has_moved_before(state: State, since: float) -> bool:
    """Whether the side on roll had moved checkers for a while when the cube was turned, whatever
    its dice were: it cannot have doubled. Nothing that is seen now speaks against that, or a turn
    of that side is what explains it best.
    """
    touched, verdict = state.watch.touched_since, state.watch.verdict
    moved = state.phase is Phase.TO_ROLL and touched is not None and touched + LEFT_S < since
    if isinstance(verdict, Differs):
        return moved and bool(verdict.explanations) and verdict.explanations[0].kind == "turn"
    return moved and isinstance(verdict, Pending) and verdict.reason in PASSING


def _stands_likely(state: State) -> bool:
    """Whether a play stands there, though not surely."""
    verdict = state.watch.verdict
    stands = verdict.likeliest if isinstance(verdict, Pending) else None
    return stands is not None and stands != state.game.placement


def _stood_whole(state: State, since: float) -> bool:
    """Whether the play that stands there had stood so when the cube was turned."""
    stood, rested = state.watch.whole, state.watch.rest_since
    moved = stood is not None and bool(stood.play.moves)
    return (moved or state.phase is Phase.MOVING) and rested is not None and since > rested


def _has_danced(state: State) -> bool:
    """Whether the side on roll has thrown and may well have no play: nobody could read its dice,
    which lay there, and nothing was moved.
    """
    watch = state.watch
    unread = state.phase is Phase.TO_ROLL and watch.dice_lay and watch.touched_since is None
    return state.turn.stuck or (unread and no_play_share(state.position()) > 0)


def enter_no_play(draft: Draft) -> None:
    """The side on roll had no play, and the opponent has thrown or doubled."""
    state = draft.state
    assert state.game.placement is not None
    found = rolls_explaining(state.position(), state.game.placement)
    if found:
        thrown = state.turn.roll
        origin = state.match.origin if thrown is not None else e.DiceOrigin.UNKNOWN
        enter_play(draft, found[0][1], thrown, origin, None)


def dance_thrown_over(state: State) -> PlayLine | None:
    """The last line, where that is a turn without a move that ended when its dice were taken up:
    those of a throw that cannot be played are thrown again by agreement like any others.
    """
    match = state.match
    line = match.plays[-1] if match.plays else None
    begun = state.phase is not Phase.TO_ROLL or match.before_play is None
    if line is None or begun or line.game != state.game.number:
        return None
    lifted = match.pressed_by == "dice_lifted" and not line.by_hand
    return line if lifted and line.before == line.placement else None


def enter_thrown_again(draft: Draft, made: Agreed) -> bool:
    """Whether a play of the side whose turn it is not is that of a throw which it made once more
    after one that it could not play. That is said, for whoever knows better, and blames nobody.
    """
    line = dance_thrown_over(draft.state)
    if line is None or line.side is not made.play.side or made.roll is None:
        return False
    known = line.roll is not None
    draft.say(e.TurnReopened(line.side.other, round(draft.now, 4), line.seq, known))
    if known:
        draft.say(e.RollWithdrawn(line.side, line.roll, RETHROWN))
    enter_roll(draft, made.roll, e.DiceOrigin.READ, None)
    end_turn(draft, line.side, draft.now, e.SEEN_LATER)
    agree(draft, made)
    ask_to_compare(draft)
    return True
