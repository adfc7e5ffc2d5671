"""The legal plays of the turn in progress, as plain JSON for the correction page."""

from __future__ import annotations

from typing import TypedDict

from rules.dice import ROLLS, Roll
from rules.play import plays
from service.referee.state import State
from service.show.compose import placement_document
from service.show.document import PlacementDocument


class LegalPlay(TypedDict):
    """A play in notation, its roll as [high, low], and the placement after it."""

    text: str
    roll: list[int]
    placement: PlacementDocument


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
            "placement": placement_document(made.placement),
        }
        for each in ((known,) if known else ROLLS)
        for made in plays(position, each)
    ]
