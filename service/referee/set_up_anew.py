"""A game that ended and nobody said so: the checkers are set up for the next one.

Nobody sets them up in the middle of a game that goes on, so the start that stands there for a while
ends it. Who won it is told by what stood there last: a side that bears off its last checkers with
one more throw has done so, and one that is far behind has given it up. Where neither is so, people
are asked as of any board that differs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.apply import apply
from rules.board import OFF, Placement, Side
from rules.conduct import News
from rules.game import GamePhase, Played, ResignAccepted, ResignOffered
from rules.judge import rolls_explaining
from rules.match import Match
from rules.position import Position, PositionError
from rules.race import pip_count
from rules.ruleset import Ruleset
from service.referee.cube_orders import drop, offer
from service.referee.draft import Draft
from service.referee.entering import agree
from service.referee.inputs import Order, SetUpWatched
from service.referee.match import end_game, match_of
from service.referee.state import PLAYING, Phase, State
from service.referee.waiting import STAYS_S

ONE_THROW: Final = 4
"""So many checkers may be borne off with one throw."""
SURELY_OFF: Final = 2
"""So many go with any throw, as long as none stands far back."""
FAR_BEHIND: Final = 2.0
"""Who has so many times the other's pips to go has given the game up."""
UNSEEN_END: Final = "set_up_anew"
"""The reason of a game whose end nobody saw or said, and the matter of what is told of it."""


def on_set_up(draft: Draft, given: SetUpWatched) -> None:
    """The start stands there, or not, in the middle of a game."""
    since = draft.state.watch.anew_since
    if not given.stands:
        if since is not None:
            draft.watch(anew_since=None)
    elif since is None:
        draft.watch(anew_since=draft.now)
    elif draft.now - since >= STAYS_S:
        state = draft.state
        again = state.turn.laid_back and match_of(state).may_offer(state.game.on_roll)
        if state.phase is Phase.TO_ROLL and again:
            # It was a double, then, and given back.
            offer(draft, Order("offer", {"source": "camera"}))
        if draft.state.phase is Phase.DOUBLED:
            drop(draft, Order("drop", {"source": "camera"}))
        else:
            _end_unseen(draft, given.cleared)
        if draft.state.phase is Phase.GAME_OVER:
            # What ended it is the next one's start, and has stood: its dice may lie there by now.
            draft.watch(rest_since=since)


def _end_unseen(draft: Draft, cleared: Side | None) -> None:
    """The game is over, won by whoever can only have won it; both sides are told."""
    left = draft.state.watch.left
    if left is not None and draft.state.phase is Phase.PRESSED:
        # What stood whole when the dice were taken up was played; then hands were in the way.
        agree(draft, left)
        if draft.state.phase not in PLAYING:
            return
    state = draft.state
    assert state.game.placement is not None
    assert state.match.ruleset is not None
    placement, ruleset = state.game.placement, state.match.ruleset
    winner, last = winner_unseen(placement, ruleset, state.game.on_roll, cleared)
    if winner is None:
        return
    end_game(draft, _won(state, winner, last), UNSEEN_END)
    draft.alert(UNSEEN_END, None, winner.value, about=draft.state.seq, news=News.DICE)
    draft.sound("ask")


def winner_unseen(
    placement: Placement, ruleset: Ruleset, on_roll: Side, cleared: Side | None = None
) -> tuple[Side | None, Placement | None]:
    """Who won, None where nobody but the players can know, and what stood there in the end where
    the last checkers were borne off. `cleared`: the side that was seen to have none left while the
    other still had: that tells where nothing else does.
    """
    left = {side: ruleset.checkers - placement.counts(side)[OFF] for side in Side}
    near = [s for s in (on_roll, on_roll.other) if _may_clear(placement, ruleset, s, left[s])]
    if len(near) == len(Side) and left[on_roll] > SURELY_OFF:
        # Either may have been the first.
        return cleared, None if cleared is None else placement.borne_off(cleared)
    if near:
        return near[0], placement.borne_off(near[0])
    pips = {side: pip_count(placement, ruleset.facing, side) for side in Side}
    ahead = min(Side, key=lambda side: pips[side])
    return (ahead if pips[ahead.other] >= FAR_BEHIND * pips[ahead] else None), None


def _may_clear(placement: Placement, ruleset: Ruleset, side: Side, left: int) -> bool:
    """Whether a side with so many checkers left may bear all of them off with one throw."""
    if left > ONE_THROW:
        return False
    try:
        position = Position.of(placement, ruleset, side)
    except PositionError:
        return False
    return bool(rolls_explaining(position, placement.borne_off(side)))


def _won(state: State, winner: Side, last: Placement | None) -> Match:
    """The match after the game was won by bearing off, or given up by the other side."""
    match = match_of(state)
    if last is not None:
        game = replace(
            match.game, side=winner, phase=GamePhase.ROLLED, resigning=None, starter=None
        )
        return apply(replace(match, game=game), Played(winner, last, stands=True))
    game = replace(match.game, side=winner, phase=GamePhase.TO_ROLL, resigning=None)
    offered = apply(replace(match, game=game), ResignOffered(winner.other, 1))
    return apply(offered, ResignAccepted(winner))
