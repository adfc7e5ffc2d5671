"""What the cube tells as it lies: doubles, takes, and doubles that were none.

Of 41 cubes in pictures that nothing was trained on number and place of all were sure, to 0.98 and
0.9, and rightly (`tests/service/session/test_cube_as_read.py`); in letters that the eyes
never saw the number is often not read. So a double is told by a number that is read, or else by
where the cube was carried: from where the record has it onto the field, or before the other
side. What is told by place alone may be a cube that was knocked or put out of the way: one that
lies back where it was, unanswered, was no double, unless the checkers are set up anew over it.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from rules.observation import CubeOwner
from service.journal import entries as e
from service.reconcile import ALONE_S, RollProblem, RollRead
from service.referee.cube_orders import (
    TOO_LATE,
    offer,
    refuse_cube,
    take_cube,
    take_seen_later,
    why_no_cube,
    withdraw_double,
)
from service.referee.dice import ROLL_SETTLE_S, enter_roll
from service.referee.draft import Draft
from service.referee.entering import end_turn
from service.referee.inputs import (
    CUBE_SETTLE_S,
    CubeWatched,
    NextRollWatched,
    Order,
    Press,
    RollWatched,
    StandingWatched,
)
from service.referee.match import awaits_opening_dice, match_of
from service.referee.presses import on_press
from service.referee.refusal import OrderError
from service.referee.state import Phase, State
from service.referee.unpressed import (
    PREMATURE_S,
    before_throw,
    end_turn_by_double,
    enter_no_play,
    has_moved_before,
)

CUBE_EARLY_S: Final = 1.0
"""A cube may be turned so long before the turn before it is seen to be over, s."""
BACK_S: Final = 2.0
"""A cube that seemed to be offered lies back for so long before the double is said to be none, s;
where it was dropped, the checkers that are set up then say so."""
PLAYED_S: Final = 1.5
"""A play of the doubler's stands for so long before its double was taken, s."""
PLACES: Final = {Side.WHITE: CubeOwner.WHITE, Side.BLACK: CubeOwner.BLACK, None: CubeOwner.CENTRE}
"""Where a cube lies that is a side's, or nobody's."""


def on_cube(draft: Draft, given: CubeWatched) -> None:
    """The cube lies so by now."""
    other = draft.state.game.on_roll.other
    if given.since is not None and _is_doubled(draft.state, given, other):
        end_turn_by_double(draft, given.owner, given.since)
    state = draft.state
    if state.phase is Phase.DOUBLED and state.turn.offer_seen:
        lies = _lies_back(state, given)
        back = lies or given.coming in _homes(state, given)
        if back is not state.watch.cube_back:
            draft.watch(cube_back=back)
        if lies and given.since is not None and draft.now - given.since >= BACK_S:
            withdraw_double(draft)
            return
    doubler = _doubled_before(state, given)
    if doubler is not None:
        take_seen_later(draft, doubler)
        return
    word = _cube_word(state, given)
    if word is None:
        return
    side = state.game.on_roll if word == "offer" else state.game.on_roll.other
    act = offer if word == "offer" else take_cube
    try:
        act(draft, Order(word, {"side": side.value, "source": "camera"}))
    except OrderError:
        refuse_cube(draft, side)


def _is_doubled(state: State, given: CubeWatched, doubler: Side) -> bool:
    """Whether the cube lies as this side's double: it was turned to the next value, or where its
    number is not read, or was up already, it was carried to where an offered cube lies, over the
    field perhaps while the play before was still weighed. One that came back from the field to
    where the record has it, or to where it truly lay, was pushed there, or is taken back, whatever
    number seems to be up.
    """
    home = PLACES[state.game.cube_owner]
    from_field = given.before is not None and given.before[1] is CubeOwner.FIELD
    if from_field and given.place in _homes(state, given):
        return False
    if given.value is not None and given.value != state.game.cube * 2:
        return False
    if given.value is not None and (given.before is None or given.before[0] != given.value):
        return True
    if given.before is None or given.place is home:
        return False
    if given.place is CubeOwner.FIELD:
        return given.before[1] is home
    # Wherever it lay before, left from the last game perhaps, it was carried to the other side.
    return given.place is PLACES[doubler.other]


def _cube_word(state: State, given: CubeWatched) -> str | None:
    """`offer` when the cube was turned to the next value in this turn, away from its owner's side,
    or after its roll and laid before the other; `take` when it was moved to the other side's after
    it was offered.
    """
    if given.since is None:
        return None
    side = state.game.on_roll
    if state.phase is Phase.TO_ROLL:
        offers = (
            _is_doubled(state, given, side)
            and given.owner is not side
            and (
                given.since > state.turn.began - CUBE_EARLY_S
                or _lies_since_other_rolled(state, given, given.since)
            )
            and not has_moved_before(state, given.since)
            and not _has_thrown_before(state, given.since)
            and not _has_opening_to_play(state)
            # Where the number is not read nobody is told that the cube may not be turned.
            and (given.value is not None or match_of(state).may_offer(side))
        )
        return "offer" if offers else None
    if state.phase is Phase.MOVING:
        # After the roll it is no offer: whoever turned it is told so, as with the button.
        late = (
            given.value == state.game.cube * 2
            and given.owner is side.other
            and given.since > max(state.turn.began, state.match.rolled_at)
        )
        return "offer" if late else None
    if state.turn.offer is None or given.since <= _lay_since(state):
        return None
    doubler, value = state.turn.offer
    taken = given.owner is doubler.other and given.value in (value, None)
    return "take" if taken and _lay_offered(state, given, value) else None


def _has_thrown_before(state: State, since: float) -> bool:
    """Whether the dice of the side on roll lay there, read or not, when the cube came: it has
    thrown, and doubles no more.
    """
    lie_since = state.watch.lie_since
    return lie_since is not None and lie_since < since


def _has_opening_to_play(state: State) -> bool:
    """Whether the side on roll plays the opening throw, though nobody has read it."""
    return state.game.starter is not None and awaits_opening_dice(state)


def _lies_since_other_rolled(state: State, given: CubeWatched, since: float) -> bool:
    """Whether the cube came before the side whose turn is over while that turn was still thought to
    be going on, its roll known: it was doubled over the play, before anybody lifted the dice. What
    is put out of the way is so before a roll, and shows no other number.
    """
    before, known = state.match.before_play, since >= state.game.behind[0]
    rolled = before is not None and before[1].roll is not None and since > state.match.rolled_at
    lies = given.owner is state.game.on_roll.other
    return lies and known and (rolled or _is_told(state, given, since))


def _doubled_before(state: State, given: CubeWatched) -> Side | None:
    """Who doubled and was taken before the roll that is being played, though the record does not
    say so: the cube came before the other side while the record was behind, or shows the next
    value, and play went on. One that came there else would have been told, or was put out of the
    way.
    """
    owner, since = given.owner, given.since if given.found is None else given.found
    if owner is None or since is None or state.phase is not Phase.MOVING:
        return None
    doubler = owner.other
    thrown = state.match.rolled_at if state.game.on_roll is doubler else state.turn.began
    doubled = (
        since < thrown
        and _came_unrecorded(state, given, since)
        and _is_doubled(state, given, doubler)
        and not state.game.first_turns[doubler]
        and why_no_cube(state, doubler) == TOO_LATE
    )
    return doubler if doubled else None


def _came_unrecorded(state: State, given: CubeWatched, since: float) -> bool:
    """Whether the record may lack how the cube came to lie so. By place alone only while it was
    behind; by a number that is read whenever it came after the record's own cube. One that lay so
    when the camera began to look counts where this game's cube was turned before: it may else be
    left over from the last game.
    """
    behind, told = state.game.behind
    if given.value is None:
        return behind <= since < told
    if given.found is not None:
        return state.game.cube_turned
    return _is_told(state, given, since)


def _is_told(state: State, given: CubeWatched, since: float) -> bool:
    """Whether its number tells of a double: it was read, and lies so since the opening was thrown
    and anybody last said how the cube is.
    """
    return given.value is not None and since > state.game.cube_since


def _lay_since(state: State) -> float:
    """No cube that came to lie so by then was moved after the double. A double that was seen is
    told late: by then the cube may have been on its way again, but not for long enough to be told.
    """
    return state.turn.offered_at - (CUBE_SETTLE_S if state.turn.offer_seen else 0.0)


def _lay_offered(state: State, given: CubeWatched, value: int) -> bool:
    """Whether the cube lay as an offered one before it came here, since this turn; else the doubler
    may have laid it before the other only now, having said so first.
    """
    since = given.before_since
    if not state.turn.offer_seen and (since is None or since <= state.turn.began - CUBE_EARLY_S):
        # So it lay before anybody doubled, left from the last game.
        return False
    return given.before is not None and (
        given.before[1] is CubeOwner.FIELD or given.before[0] == value
    )


def _lies_back(state: State, given: CubeWatched) -> bool:
    """Whether a cube that seemed to be offered was laid back where it had been, or shows another
    number than was offered. The offered one tells of a double but where it showed that already
    before it was moved, left from the last game.
    """
    offered = given.value == state.game.cube * 2
    if given.since is None or (offered and given.value != given.left_value):
        return False
    back = given.since > state.turn.offered_at and given.place in _homes(state, given)
    return back or not (offered or given.value is None)


def _homes(state: State, given: CubeWatched) -> frozenset[CubeOwner]:
    """Where a cube lies that nobody has doubled: as the record has it, or as it truly lay."""
    home = PLACES[state.game.cube_owner]
    return frozenset({home, given.left or home})


# What follows a double, and tells what became of it.


def _settle(draft: Draft) -> None:
    """The doubler goes on: the double was taken, whatever the cube shows, or it was none."""
    if draft.state.watch.cube_back:
        withdraw_double(draft)
    else:
        take_cube(draft, Order("take", {"source": "dice"}))


def roll_after_double(draft: Draft, given: RollWatched) -> None:
    """The doubler throws, whether or not its dice are read. Dice that lay there when it doubled say
    nothing: nobody saw them thrown, after the camera was away say.
    """
    watch, seen = draft.state.watch, given.seen
    if given.thrown_at is not None and given.thrown_at <= _lay_since(draft.state):
        return
    if not isinstance(seen, RollRead):
        if _has_thrown(draft.state, given, draft.now):
            _settle(draft)
    elif watch.roll != seen.roll:
        draft.watch(roll=seen.roll, roll_since=draft.now)
    elif watch.roll_since is not None and draft.now - watch.roll_since >= ROLL_SETTLE_S:
        _settle(draft)
        if draft.state.phase is Phase.TO_ROLL:
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)


def _has_thrown(state: State, given: RollWatched, now: float) -> bool:
    """Whether dice that nobody reads have lain there since the double as dice do that were thrown:
    both of them, one so long that its fellow is not found, or so that the table would say what is
    wrong with them.
    """
    thrown = given.thrown_at
    if thrown is None or thrown <= state.turn.offered_at or now - thrown < PREMATURE_S:
        return False
    alone = now - thrown >= ALONE_S
    return len(given.lying) > 1 or isinstance(given.seen, RollProblem) or alone


def throw_after_double(draft: Draft, given: NextRollWatched) -> None:
    """Dice were thrown, but not in the doubler's half; a doubler who is closed out has had its
    turn.
    """
    state, thrown = draft.state, given.thrown_at
    if thrown is None or thrown <= state.turn.offered_at or draft.now - thrown < PREMATURE_S:
        return
    side = state.game.on_roll
    _settle(draft)
    if draft.state.turn.stuck:
        end_turn(draft, side, before_throw(draft.state, thrown), "next_roll")
        enter_no_play(draft)


def play_after_double(draft: Draft, given: StandingWatched) -> None:
    """The doubler has played, though nobody saw the throw, or both have."""
    made, known = given.made, draft.state.watch.out_of_turn
    if given.stands is not None:
        _settle(draft)
    elif made is None:
        draft.watch(out_of_turn=None)
    elif known is None or known[0].play != made.play:
        draft.watch(out_of_turn=(made, draft.now))
    elif draft.now - known[1] >= PLAYED_S:
        press = draft.state.watch.early_press
        _settle(draft)
        if press is not None and press[0] is made.play.side and press[1] >= known[1] - PLAYED_S:
            on_press(draft, Press(press[0], press[1]))
