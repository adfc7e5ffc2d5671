"""A record that the sensors go on denying: people are asked to compare it with the board."""

from __future__ import annotations

from typing import Final

from rules.board import POINTS, Placement, Side
from rules.conduct import News
from rules.position import absolute_site
from service.journal.entry import Facts
from service.referee.draft import Draft
from service.referee.entering import put_right
from service.referee.inputs import RecordDenied

DENIED: Final = "denied"
"""The matter of the alert."""


def on_denied(draft: Draft, given: RecordDenied) -> None:
    """Turn after turn something else was read than the record has: nobody is asked twice at once,
    and play goes on whatever is said.
    """
    state = draft.state
    recorded, ruleset = state.game.placement, state.match.ruleset
    if given.sure:
        put_right(draft, given.placement)
        return
    if recorded is None or ruleset is None or any(a.matter == DENIED for a in state.alerts):
        return
    place = _first_place(recorded, given.placement)
    if place is None:
        return
    side, site = place
    facts: Facts = {
        "point": absolute_site(ruleset.facing, side, site),
        "seen": given.placement.counts(side)[site],
        "recorded": recorded.counts(side)[site],
    }
    # What stands there otherwise may have been played against the rules.
    told = draft.who_hears(News.ILLEGAL_PLAY)
    draft.alert(DENIED, None, side.value, facts, about=state.seq, told=told)
    if told == "board":
        draft.sound("ask")


def _first_place(recorded: Placement, read: Placement) -> tuple[Side, int] | None:
    """Whose checkers are fewer than recorded on which point, or more; None where none are."""
    places = [(side, site) for side in Side for site in POINTS]
    more = [(read.counts(side)[p] - recorded.counts(side)[p], (side, p)) for side, p in places]
    return next(
        (place for fewer in (True, False) for n, place in more if n and (n < 0) is fewer), None
    )
