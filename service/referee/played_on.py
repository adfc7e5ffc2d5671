"""People who play on from a board that differs from the record have answered what is asked: they
take it as it stands.
"""

from __future__ import annotations

from typing import Final

from rules.board import Placement
from service.journal import entries as e
from service.referee.draft import Draft
from service.referee.entering import PLAYED_ON, SEEN_LATER, agree, end_turn
from service.referee.inputs import PlayedOn
from service.referee.state import SAID_NOT_SO

STANDS_S: Final = 3.0
"""A board stands so for so long before it is one that play may go on from, s."""
LEFT_S: Final = 8.0
"""A play that is left so for so long is over, though neither a press nor a throw says so, s."""


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
        if given.astray:
            _begin_anew(draft, given.stands)
    elif known is None or known[0].play != made.play:
        draft.watch(played_on=(made, draft.now))
    elif _is_over(draft, given, known[1]):
        _take_as_it_stands(draft, given)


def _begin_anew(draft: Draft, stands: Placement | None) -> None:
    """What is played from is another board by now, once that stands still."""
    watch = draft.state.watch
    if stands is None or (watch.base is not None and stands == watch.base[0]):
        return
    if watch.next_base is None or watch.next_base[0] != stands:
        draft.watch(next_base=(stands, draft.now))
    elif watch.base is None or draft.now - watch.next_base[1] >= STANDS_S:
        draft.watch(base=watch.next_base, next_base=None)


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
    return thrown or pressed or lifted or draft.now - stood_since >= LEFT_S


def _take_as_it_stands(draft: Draft, given: PlayedOn) -> None:
    """The position that was played from becomes part of the record, and the play made from it."""
    base, known = draft.state.watch.base, draft.state.watch.played_on
    assert base is not None and known is not None and given.play is not None
    side, first = given.play.play.side, draft.state.game.first_turns
    ended = max(known[1], base[1])
    draft.say(
        e.PositionSet(base[0], side, first_turns=(first.white, first.black), reason=PLAYED_ON)
    )
    end_turn(draft, side, min(ended, draft.now), SEEN_LATER)
    agree(draft, given.play)
