"""Thresholds of steady.py, dice.py and cube.py with unit, range and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadySettings:
    """Still or not. Lengths in point widths, areas in their squares, brightness 0-255, times in
    seconds.
    """

    thumb_width: int = 320
    """Frames are compared shrunk to about this width: sixteen pixels of a 1280 wide frame average
    their noise away, a die is still 4x4.
    """
    level: float = 11.0
    """Least difference of brightness that counts as a change; sensor noise of a shrunk frame stays
    under 3.
    """
    slope: float = 0.07
    """Added to `level` as a share of the brightness itself: photon noise and flicker grow with it.
    """
    still_for: float = 0.2
    """Nothing may have moved in the field for so long. Two frames of a slow webcam."""
    frozen_after: float = 2.0
    """A picture identical to the bit for so long is no picture of now; a live sensor's noise never
    repeats.
    """
    frozen_frames: int = 4
    dark: float = 16.0
    """Mean of the field's brightest channel below this: checkers cannot be told from points."""
    glaring: float = 0.5
    """Share of the field's pixels that are white in every channel.

    Boards of white leather stay under 0.3.
    """
    relit: float = 0.45
    """Share of the picture that changed at once, shape unmoved: a lamp was switched.

    A hand with its sleeve covers at most a third.
    """
    relit_gain: float = 0.16
    """Change of overall brightness (share) at one go that no slow drift makes."""
    bumped: float = 0.12
    """Shift of the board's corners that spoils the map: an eighth of a point, about 7 pixels of a
    1280 wide frame.
    """
    hand_field: float = 0.06
    """A hand covers at least this area of the field or its rails …"""
    hand_outside: float = 0.25
    """… and this area beyond them, in one piece: checkers and dice stay within the rails, hands
    come from without.
    """
    hand_alone: float = 6.0
    """A changed area of the field this large is no checker: a whole point holds 5."""
    moved: float = 0.03
    """Area of the field that differs from the frame before: a third of a small die."""
    ghost_after: float = 3.0
    """A `hand` that did not stir for so long was there, or was not there, all the time: the picture
    of now is the new reference.
    """


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
