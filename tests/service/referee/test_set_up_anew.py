"""Who won a game whose end nobody saw or said."""

from __future__ import annotations

import pytest

from rules.board import OFF, Placement, Side
from rules.ruleset import ruleset
from service.referee.set_up_anew import winner_unseen


@pytest.mark.parametrize(
    ("white", "black", "on_roll", "cleared", "winner"),
    [
        (2, 3, Side.WHITE, None, Side.WHITE),
        (3, 10, Side.BLACK, None, Side.WHITE),
        (4, 1, Side.WHITE, None, None),
        (4, 1, Side.WHITE, Side.WHITE, Side.WHITE),
        (4, 1, Side.WHITE, Side.BLACK, Side.BLACK),
        # Who gives up sweeps its own checkers off.
        (2, 3, Side.WHITE, Side.BLACK, Side.WHITE),
        (12, 11, Side.WHITE, Side.WHITE, None),
        (12, 11, Side.WHITE, None, None),
    ],
)
def test_only_who_can_only_have_won_has_won(
    white: int, black: int, on_roll: Side, cleared: Side | None, winner: Side | None
) -> None:
    lies = Placement(
        tuple({OFF: 15 - white, 1: white}.get(site, 0) for site in range(26)),
        tuple({OFF: 15 - black, 24: black}.get(site, 0) for site in range(26)),
    )
    assert winner_unseen(lies, ruleset("backgammon"), on_roll, cleared)[0] is winner


@pytest.mark.parametrize("far", [13, 24])
def test_who_cannot_clear_the_board_with_one_throw_was_given_the_game(far: int) -> None:
    """Else a game given up by a side with nothing off were a gammon or more: 24 points for 8."""
    lies = Placement(
        tuple({OFF: 12, 1: 2, far: 1}.get(site, 0) for site in range(26)),
        tuple({24: 10, 6: 5}.get(site, 0) for site in range(26)),
    )
    assert winner_unseen(lies, ruleset("backgammon"), Side.BLACK) == (Side.WHITE, None)
