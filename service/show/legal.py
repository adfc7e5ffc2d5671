"""The legal plays of the turn in progress, as plain JSON for the correction page."""

from __future__ import annotations

from typing import TypedDict

from rules.board import Placement
from rules.dice import ROLLS, Roll
from rules.play import plays
from service.referee.state import State


class CheckersOf(TypedDict):
    """A placement: each side's 26 counts, indexed by site (0 off, 25 the bar)."""

    white: list[int]
    black: list[int]


class LegalPlay(TypedDict):
    """A play in notation, its roll as [high, low], and the placement after it."""

    text: str
    roll: list[int]
    placement: CheckersOf


def checkers_of(placement: Placement) -> CheckersOf:
    """The counts of a placement."""
    return {"white": list(placement.white), "black": list(placement.black)}


def legal_plays(state: State, thrown: Roll | None = None) -> list[LegalPlay]:
    """Every legal play of the turn in progress with a roll: `thrown`, else the turn's own, else
    every roll there is.

    Raises ValueError when no position is there to play from.
    """
    known = thrown or state.turn.roll
    position = state.position()
    return [
        {
            "text": str(made),
            "roll": [each.high, each.low],
            "placement": checkers_of(made.placement),
        }
        for each in ((known,) if known else ROLLS)
        for made in plays(position, each)
    ]
