"""Observation: what one sensor claims to have seen at one instant, as likelihoods.

Sensors report, they never decide: each reading is P(what was measured | what truly stands there),
up to a factor per reading. The one argmax of the house is in `service.reconcile.verdict`. What a
sensor could not see is absent, never zero: a missing site or die is no information.
"""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.board import BAR, OFF, POINTS, Placement, Side, Site

AWAITED: Final = "awaited: "
"""How a reason begins why a sensor does not see that was never there: nothing was lost."""


class Source(enum.Enum):
    """Who observes. A new kind of sensor is a member here and its row in `KINDS`."""

    CAMERA = "camera"
    SENSORS = "sensors"

    @property
    def kind(self) -> SourceKind:
        """What this source can do."""
        return KINDS[self]


@dataclass(frozen=True, slots=True)
class SourceKind:
    """What a source can do; whoever must know asks here, not which source it is.

    `device`: what the record calls the thing that is lost and comes back; sources of one device
    are lost together. `label`: the source's name on the pages, in English. `samples`: it looks now
    and then; one that does not reports every change by itself. `sees_dice`: dice and the cube.
    `presses`: the clock's buttons are wired to its device.
    """

    device: str
    label: str
    samples: bool = False
    sees_dice: bool = False
    presses: bool = False


KINDS: Final[Mapping[Source, SourceKind]] = {
    Source.CAMERA: SourceKind("camera", "Camera", samples=True, sees_dice=True),
    Source.SENSORS: SourceKind("board", "Board sensors", presses=True),
}
DEVICES: Final = tuple(dict.fromkeys(kind.device for kind in KINDS.values()))
"""Every device that a source can hang on, each once, as the record names it."""


def source_labels() -> dict[str, str]:
    """What pages call each source and each device, in English, by its name in the record."""
    found = {source.value: kind.label for source, kind in KINDS.items()}
    for kind in KINDS.values():
        found.setdefault(kind.device, kind.label)
    return found


def buttons_lost(lost: Container[str]) -> bool:
    """Whether a device that the clock's buttons are wired to is among the lost ones."""
    return any(kind.presses and kind.device in lost for kind in KINDS.values())


def eyes_lost(lost: Container[str]) -> bool:
    """Whether a device that sees dice is among the lost ones."""
    return any(kind.sees_dice and kind.device in lost for kind in KINDS.values())


class Condition(enum.Enum):
    """How far the source could be trusted at this instant.

    Only AT_REST observations are evidence of where checkers stand.
    """

    AT_REST = "at-rest"
    MOVING = "moving"
    """A hand, rolling dice or changing sensors: something is happening."""
    BUMPED = "bumped"
    """The board is not where the map says (camera) or many sensors jumped at once."""
    DARK = "dark"
    OVER_EXPOSED = "over-exposed"
    FROZEN = "frozen"
    """Frame after frame is identical to the bit: the camera hangs."""
    RELIT = "relit"
    """A lamp was switched; the picture as a whole changed."""
    NO_BOARD = "no-board"


@dataclass(frozen=True, slots=True)
class SiteReading:
    """One site as one sensor saw it.

    `outcomes` lists (White's checkers, Black's checkers, likelihood > 0); `floor` is the likelihood
    of any pair not listed. Likelihoods are relative within one reading. BAR and OFF hold both
    sides' checkers in one reading like any point. A sensor blind to colour lists both colours
    alike.
    """

    site: Site
    outcomes: tuple[tuple[int, int, float], ...]
    floor: float = 1e-6

    def __post_init__(self) -> None:
        if self.site != BAR and self.site != OFF and self.site not in POINTS:
            raise ValueError(f"no site {self.site}")
        if not self.floor > 0 or any(not p > 0 for _, _, p in self.outcomes):
            raise ValueError("likelihoods must be > 0: nothing a sensor says is impossible")

    def likelihood(self, white: int, black: int) -> float:
        for w, b, p in self.outcomes:
            if w == white and b == black:
                return p
        return self.floor


class DieStatus(enum.Enum):
    FLAT = "flat"
    COCKED = "cocked"
    ON_CHECKER = "on_checker"
    ON_BAR = "on_bar"
    OFF_BOARD = "off_board"
    ROLLING = "rolling"


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die. `values`: likelihood of faces 1..6 (six numbers); `status`: likelihood of each
    DieStatus listed, others negligible.

    `where` = (east, north) on the geometric board, field corners at 0 and 1, so outside 0..1 is off
    the field; `east > 0.5` is the right half as South sees it. `pixel` and `size` (edge, pixels)
    are for drawing. `colour` = mean RGB 0-255, to tell two pairs apart. `certainty` = P(there is a
    die here at all).
    """

    where: tuple[float, float]
    values: tuple[float, float, float, float, float, float]
    status: Mapping[DieStatus, float]
    certainty: float = 1.0
    colour: tuple[int, int, int] = (0, 0, 0)
    pixel: tuple[float, float] | None = None
    size: float | None = None


class CubeOwner(enum.Enum):
    """Where the doubling cube lies: in the middle (of the bar, of a pocket), at a side, or on the
    field, where only a cube that waits for an answer is put.
    """

    CENTRE = "centre"
    WHITE = "white"
    BLACK = "black"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class CubeReading:
    """The doubling cube. `shown`: likelihood of each face upwards (2..64; 64 in the centre means
    1); `owner`: likelihood of each place.
    """

    shown: Mapping[int, float]
    owner: Mapping[CubeOwner, float]
    pixel: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """One source, one instant. `seen_at` is monotonic host time in seconds, `number` the frame or
    scan number of that source.

    `sites` has at most one reading a site; an absent site was not seen. `dice` is None when the
    source cannot see dice at all, () when it looked and found none. `cube` None = not in view.
    `note` is a human reason for a condition other than AT_REST.
    """

    source: Source
    seen_at: float
    number: int
    condition: Condition = Condition.AT_REST
    sites: tuple[SiteReading, ...] = ()
    dice: tuple[DieReading, ...] | None = None
    cube: CubeReading | None = None
    note: str = ""
    _by_site: dict[Site, SiteReading] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        for reading in self.sites:
            if reading.site in self._by_site:
                raise ValueError(f"site {reading.site} is read twice in one observation")
            self._by_site[reading.site] = reading

    def at(self, site: Site) -> SiteReading | None:
        """The reading of a site, None when it was not seen."""
        return self._by_site.get(site)

    def most_likely(self) -> Placement:
        """Each seen site at its likeliest, apart from all others.

        For `takhte read` and overlays; reconcile and referee may not call it.
        """
        white, black = [0] * 26, [0] * 26
        for reading in self.sites:
            if reading.outcomes:
                white[reading.site], black[reading.site], _ = max(
                    reading.outcomes, key=lambda o: o[2]
                )
        return Placement(tuple(white), tuple(black))


def side_counts(side: Side, count: int) -> tuple[int, int]:
    """(White's, Black's) checkers for `count` of one side and none of the other, as
    SiteReading.outcomes wants them.
    """
    return (count, 0) if side is Side.WHITE else (0, count)
