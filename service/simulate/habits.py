"""Habits: what people at a table do beside playing, as rates and seconds.

Four levels; what people do to a whole evening, rarer things among them, is `habit_table`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Habits:
    """Rates are per turn unless said otherwise; seconds are uniform between the two numbers."""

    think_s: tuple[float, float]
    move_s: tuple[float, float]
    """One checker from touch to release."""
    slow_slide: float
    """A checker slid over the points and left standing on the way for a while."""
    two_at_once: float
    correction: float
    """Another play is set up, looked at, and changed before the press."""
    dice_lifted_early: float
    """Before the press, while the play stands."""
    cocked: float
    """Per throw."""
    illegal: float
    forgotten_press: float
    hand_stays: float
    """A hand or sleeve still over a few points for a while after the press."""
    hit_checker_late: float
    """Per hit: the hit checker is put on the bar only after the press."""
    bump: float
    """Per game: somebody jogs the board and the checkers are put right."""
    cable: float
    """Per game: a source goes away for a while and comes back."""
    next_roll_s: tuple[float, float]
    """From a press to the opponent's dice at rest."""
    correct_s: tuple[float, float] = (2.0, 5.0)
    """From an illegal play being lit to its correction."""


PLAYERS: Final[dict[str, Habits]] = {
    "careful": Habits(
        (3, 20),
        (0.6, 1.2),
        0.01,
        0.02,
        0.01,
        0.0,
        0.01,
        0.001,
        0.001,
        0.02,
        0.0,
        0.02,
        0.02,
        (2.5, 6.0),
    ),
    "club": Habits(
        (1, 12),
        (0.4, 1.0),
        0.04,
        0.10,
        0.05,
        0.02,
        0.03,
        0.01,
        0.01,
        0.08,
        0.05,
        0.10,
        0.10,
        (1.8, 4.0),
    ),
    "careless": Habits(
        (0.3, 6),
        (0.25, 0.7),
        0.10,
        0.25,
        0.12,
        0.10,
        0.06,
        0.03,
        0.05,
        0.20,
        0.25,
        0.40,
        0.30,
        (1.2, 3.0),
    ),
    "tavern": Habits(
        (0.3, 8),
        (0.25, 0.8),
        0.10,
        0.25,
        0.12,
        0.10,
        0.08,
        0.05,
        0.08,
        0.20,
        0.25,
        0.40,
        0.30,
        (1.2, 3.5),
    ),
}
