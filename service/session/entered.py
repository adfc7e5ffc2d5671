"""What an entry says of the turn that begins with it and of the line that it is: taken as it stood,
unresolved, guessed; and what goes on being read against the record after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.board import Placement, Side
from rules.position import BAR_AT, view_of
from rules.race import HOME_POINTS
from service.journal import entries as e
from service.reconcile import Denial, Evidence
from service.referee.left_otherwise import PLAYED_ON
from service.referee.lines_put_right import is_doubtful
from service.referee.state import State

_NEW_TURN: Final = (
    e.PlayEntered,
    e.GameStarted,
    e.PositionSet,
    e.RollWithdrawn,
    e.OpeningThrown,
    e.PlayCorrected,
    e.TurnReopened,
    e.Recovered,
    e.MatchSet,
)


def begins_turn(body: e.Body) -> bool:
    """Whether what stands on the board is settled anew with an entry: a turn begins, or begins
    again. A line that is corrected without going back to it changes nothing there.
    """
    return isinstance(body, _NEW_TURN) and (not isinstance(body, e.PlayCorrected) or body.rewinds)


def is_taken(last: e.Body) -> bool:
    """Whether a position that nobody set was taken as it stood."""
    return isinstance(last, e.PositionSet | e.PlayCorrected) and last.reason == PLAYED_ON


def denied(
    state: State, denial: Denial, seen: Evidence, new_turns: Sequence[e.Body], said: bool
) -> Denial:
    """What goes on being read against the record, after entries that begin a turn; `said`: by a
    person.
    """
    placement, last = state.game.placement, new_turns[-1]
    assert placement is not None
    if said:
        return Denial.said(seen, placement)
    if isinstance(last, e.PlayEntered) or is_taken(last):
        if denial.is_new:
            denial = _resumed(state)
        whose = (unexplained_of(state, body) for body in new_turns)
        unexplained = next(filter(None, whose), None)
        in_doubt = any(_is_likely(body, seen.tuning.agree) for body in new_turns)
        kept = [side for side in Side if _keeps(state, placement, side)]
        played = not any(is_taken(body) or is_unresolved(body) for body in new_turns)
        return denial.settled(
            seen, placement, in_doubt=in_doubt, unexplained=unexplained, played=played, kept=kept
        )
    unchanged = isinstance(last, e.RollWithdrawn | e.Recovered | e.TurnReopened)
    return denial if unchanged else Denial()


def _resumed(state: State) -> Denial:
    """What is denied before the last line where a table was opened again in the midst of a game:
    which of its lines were in doubt, or came after a position that was set, the record tells.
    """
    lines = [p for p in reversed(state.match.plays) if p.game == state.game.number]
    if len(lines) < 2 or lines[0].before is None:
        return Denial()
    before, sure_for = lines[0].before, Denial().sure_for
    placement: Placement | None = before
    for n, line in enumerate(lines[1:]):
        if line.placement != placement or is_doubtful(line):
            sure_for = n
            break
        placement = line.before
    return Denial.resumed(before, sure_for)


def unexplained_of(state: State, body: e.Body) -> Side | None:
    """Whose line it was, of which nobody knows its roll or how it came to stand; None of others."""
    if isinstance(body, e.PlayEntered) and not body.by_hand:
        return body.side if body.roll is None or is_unresolved(body) else None
    return state.game.on_roll.other if is_taken(body) else None


def is_unresolved(body: e.Body) -> bool:
    """Whether it is a line that no play explains, or of which nobody said which it was."""
    return isinstance(body, e.PlayEntered) and body.standing is e.Standing.UNRESOLVED


def _is_likely(body: e.Body, agree: float) -> bool:
    """Whether what a line of the record left was only likely."""
    return isinstance(body, e.PlayEntered) and not body.by_hand and is_guessed(body, agree)


def _keeps(state: State, placement: Placement, side: Side) -> bool:
    """Whether a side has checkers outside its home, so that none may be borne off."""
    assert state.match.ruleset is not None
    view = view_of(placement, state.match.ruleset.facing, side)
    return view is not None and any(n > 0 for n in view[HOME_POINTS : BAR_AT + 1])


def is_guessed(last: e.PlayEntered, agree: float) -> bool:
    """Whether the board does not surely stand as this play left it: nobody said that it was the
    likeliest of those asked about, or how it came to stand as it did, or what was seen later told
    of it.
    """
    p = last.probability
    return last.recovered or (last.standing is None and p is not None and p < agree)
