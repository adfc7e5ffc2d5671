"""The thresholds of where a board is: the map that fits it, and when one counts as found. A part of
`settings`, whose values the room reads.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GeometrySettings:
    """What is believed of a camera and a board before anything is measured (priors of
    `geometry.from_corners`).
    """

    bar: float = 1.0
    """Width of the bar, point widths.

    Boards sold run from 0.4 to 1.4; measured in the picture by `calibrate`.
    """
    hfov: float = 64.0
    """Field of view across the longer edge, degrees: phones 65-75, webcams 55-78, a Pi camera 62.
    """
    hfov_sd: float = 10.0
    hfov_low: float = 28.0
    hfov_high: float = 100.0
    aspect: float = 0.845
    """Length of the field over its width: makers keep close to it, since five checkers and a gap
    must fit a side.
    """
    aspect_sd: float = 0.045
    skew_sd: float = 0.006
    """Cosine between the board's sides after the corners' own error of about a pixel in 500."""


@dataclass(frozen=True, slots=True)
class CalibrateSettings:
    """When a board counts as found."""

    there: float = 0.5
    """Probability that the picture shows a board at all, below which the search ends."""
    corner: float = 0.35
    """A corner seen with less certainty than this (0-1) is taken as hidden."""
    edge: float = -0.05
    """A corner is in the picture when it lies so many point widths within its edge."""
    ways: tuple[tuple[float, float], ...] = (
        (0.0, 0.12),
        (90.0, 0.0),
        (270.0, 0.0),
        (90.0, 0.12),
        (270.0, 0.12),
        (30.0, 0.05),
        (330.0, 0.05),
        (60.0, 0.05),
        (300.0, 0.05),
    )
    """Turns (degrees) and borders (share of the picture) in which a board is looked for that is not
    found as the picture is: the finder was taught boards that lie level and whole in the picture.
    """
    tried: int = 3
    """So many of them, those where a board seems likeliest, are looked at closely."""
    fits_well: float = 0.75
    """A map that fits so well is the board: no other is looked for …"""
    fits_better: float = 0.02
    """… but corrected until that brings no more than this."""
    fits_plainly: float = 0.6
    """A map found cold must fit so well to be believed."""
    corner_seen: float = 0.5
    """A corner is seen where the map has it from this on (0-1) …"""
    corner_hidden: float = 0.3
    """… and hidden below this."""
    corners_needed: int = 6
    """So many of the eight corners must be seen: four say where one half lies, and half a point is
    soon lost on the way to the other."""
    given_off: float = 0.4
    """Point widths between a corner given and the one seen at which what was given is refused: one
    half a point off is mostly seen at more, one a tenth off at 0.33 or less; between, what is seen
    holds …"""
    sure_unseen: float = 0.95
    """… and how sure of its place (0-1) a board is whose corners are neither seen where they are
    given nor elsewhere: nothing read there is then nearly certain."""
    field_sure: float = 0.6
    """Where corners are hidden, the whole field must be so sure (0-1) of all of them but one …"""
    field_rest: float = 0.2
    """… and move none by more than this, point widths …"""
    field_shaken: tuple[float, ...] = (-0.6, 0.6)
    """… and, the near edge moved by so many, come back to within the next number."""
    field_apart: float = 0.3
    edge_denied: int = 3
    """So many corners that the whole field surely has elsewhere are a whole edge."""
    corners_apart: float = 0.4
    """The map's corners and those that the corners seen say may be so far apart, point widths."""
    sure_point: float = 0.9
    """Points read with less count nothing when checkers are counted …"""
    most_checkers: int = 20
    """… of one set, on a map that is believed: some of the other set's, misread, are no reason to
    doubt it."""
    fits: float = 0.35
    """How well the corners are seen where the map has them (0-1), below which the map is refused: a
    wrong one reads nonsense.
    """
    aspects: tuple[float, float] = (0.82, 0.98)
    """Proportions (length over width of the field) that boards have:

    0.82 to 0.90 traced, up to 0.98 on photos of tournaments.
    """
    aspect_sd: float = 0.06
    """How far beyond them a board found may be: few are made so, but a lens bends them too."""
    fits_again: float = 0.5
    """The same for a board that was pushed during play: better to say so than to follow a wrong
    map.
    """
    search_every: float = 0.5
    """A board that was moved is looked for again after so many seconds: it costs ten readings."""
    turned_points: float = 3.0
    """So many points more must stand as they did when the board is taken as turned round."""
    rounds: int = 3
    """Corrections after the first guess; each brings the corners nearer by a factor of three or so
    until pixels end it.
    """
    bow: float = 0.04
    """Bend of the rails, point widths, below which the lens is left alone: two pixels of a 1280
    wide picture.
    """
    bow_sd: float = 0.03
    """Error of the bend seen on one board."""
    lens_sd: float = 0.08
    """Usual size of a lens's first radial error: phones 0.02, webcams 0.05-0.1; wide-angle cameras
    0.3, so far values are not ruled out.
    """
    bars: tuple[float, float] = (0.3, 2.0)
    """Narrowest and widest bar believed, point widths."""
    unlike_known: float = -1.6
    """Mean log probability of a known position below which the checkers do not stand so, whichever
    way round.
    """
