"""Thresholds of finding and reading dice and the cube, with unit, range and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiceSettings:
    """Dice. Lengths in point widths unless said otherwise, times in seconds."""

    edge: float = 0.36
    """Edge of a die: sets sold with boards measure 0.25 to 0.5 of a point."""
    margin: float = 3.4
    """How far around the field dice are looked for: rails, trays and a hand's breadth of table."""
    unit: float = 24.0
    """Pixels of a point in the finder's picture, as in its training: a die is 6 to 12 pixels, two
    to four cells.
    """
    largest: float = 820.0
    """Longest side of the finder's picture, pixels: bounds time for maps that make no sense."""
    candidate: float = 0.17
    """Finder's score from which a place is shown to the reader.

    Of the dice of held-out scenes 97 % score more.
    """
    candidates: int = 12
    """Most places shown to the reader: two pairs, a cube, and what is mistaken for them."""
    twins: int = 5
    """So many of the likeliest dice are looked beside for another that touches them …"""
    twin_of: float = 0.25
    """… if they score so much …"""
    twin: float = 0.08
    """… and the place beside them this: of dice alone five in six stay below, of those that touch
    another four in five are above.
    """
    found: float = 0.4
    """A die is reported from this certainty on; each reading carries its own.

    Two of 288 so reported on held-out scenes were none.
    """
    readable: float = 10.0
    """Edge in pixels of the picture below which a face counts as unknown."""
    place_blur: float = 0.06
    """How sharply the bar and the rails are known for a die whose height is not."""
    usual: tuple[float, float, float, float] = (1.1, 0.9, 0.75, 0.7)
    """Flat, cocked, on a checker, rolling: weights beside the shares of the training scenes, where
    four dice in ten are odd on purpose. Half way (root) to the shares of play would be 1.2, 0.65,
    0.56, 0.7; a little less, since a cocked die that is missed is worse than one that is asked
    about: of 40 so called on held-out scenes 38 were."""
    roll_time: float = 0.35
    """How long dice roll once they are seen."""
    still: float = 0.2
    """Edges by which a die at rest may seem to move."""


@dataclass(frozen=True, slots=True)
class CubeSettings:
    """The doubling cube. Lengths in point widths."""

    found: float = 0.5
    """A cube is reported from this certainty on."""
    owned: float = 2.4
    """Distance from the middle line at which a cube is as likely a player's as nobody's: half way
    between the places where it is put.
    """
    owned_blur: float = 0.35
