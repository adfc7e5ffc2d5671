"""The board: sides, sites, and who stands where.

A `Placement` says what stands on a physical board, legal or not; clumsy hands put both sides on one
point, lose a checker or add one. What a placement may be under a ruleset is decided
by `rules.position`.

Two numberings meet in this project and this file holds the absolute one: **White's own points 1 to
24**, for both sides. `Seating` translates from the geometric numbering of pictures and wires;
`rules.position` alone translates to the mover's own view.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")
U = TypeVar("U")

Site = int
"""A place a checker can be:

1 to 24 are points in White's numbering, `BAR` and `OFF` belong to each side apart.
"""

OFF: Final[Site] = 0
BAR: Final[Site] = 25
POINTS: Final = range(1, 25)
SITES: Final = range(26)


class Side(enum.Enum):
    """One of the two players.

    White is no colour of wood: `Seating` says which checkers are White's.
    """

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        return Side.BLACK if self is Side.WHITE else Side.WHITE


@dataclass(frozen=True, slots=True)
class BySide(Generic[T]):
    """One value for each side: `pair[side]`; iterates White's first."""

    white: T
    black: T

    @classmethod
    def both(cls, value: T) -> BySide[T]:
        """The same value for both sides."""
        return cls(value, value)

    def __getitem__(self, side: Side) -> T:
        return self.white if side is Side.WHITE else self.black

    def __iter__(self) -> Iterator[T]:
        yield self.white
        yield self.black

    def put(self, side: Side, value: T) -> Self:
        """The pair with another value for one side."""
        return replace(self, white=value) if side is Side.WHITE else replace(self, black=value)

    def map(self, change: Callable[[T], U]) -> BySide[U]:
        """What `change` makes of each side's value."""
        return BySide(change(self.white), change(self.black))

    def items(self) -> Iterator[tuple[Side, T]]:
        """(side, value), White first."""
        yield Side.WHITE, self.white
        yield Side.BLACK, self.black


class Colour(enum.Enum):
    """The two sets of checkers as a sensor tells them apart: the lighter and the darker."""

    LIGHT = "light"
    DARK = "dark"

    @property
    def other(self) -> Colour:
        return Colour.DARK if self is Colour.LIGHT else Colour.LIGHT


class Corner(enum.Enum):
    """A corner of the board in the geometric frame:

    South is the picture's or the wiring's bottom edge, East its right.
    """

    SOUTH_EAST = "south-east"
    SOUTH_WEST = "south-west"
    NORTH_WEST = "north-west"
    NORTH_EAST = "north-east"


class PlacementFault(enum.IntFlag):
    """Everything that can be wrong with a placement whatever the ruleset; a caller masks what it
    tolerates.
    """

    NONE = 0
    NEGATIVE = 1
    SHARED_POINT = 2
    WHITE_MISSING = 4
    WHITE_ADDED = 8
    BLACK_MISSING = 16
    BLACK_ADDED = 32


@dataclass(frozen=True, slots=True)
class Placement:
    """Who stands where; may be impossible.

    `white` and `black` hold 26 counts each, indexed by site: `OFF` (0), the points 1 to 24 in
    White's numbering, `BAR` (25). Equality is structural. Raises ValueError when a side does not
    have 26 counts.
    """

    white: tuple[int, ...]
    black: tuple[int, ...]

    def __post_init__(self) -> None:
        for side, counts in (("white", self.white), ("black", self.black)):
            if len(counts) != 26:
                raise ValueError(
                    f"{side} needs 26 counts (off, points 1-24, bar), got {len(counts)}"
                )

    @classmethod
    def of(cls, white: dict[Site, int], black: dict[Site, int]) -> Self:
        """Build from sparse counts, sites in White's numbering for both sides:

        `Placement.of({24: 2}, {1: 2})`.
        """
        for counts in (white, black):
            for site in counts:
                if site not in SITES:
                    raise ValueError(f"no site {site}: sites are 0 (off), 1-24 and 25 (bar)")
        return cls(tuple(white.get(s, 0) for s in SITES), tuple(black.get(s, 0) for s in SITES))

    def counts(self, side: Side) -> tuple[int, ...]:
        return self.white if side is Side.WHITE else self.black

    def total(self, side: Side) -> int:
        """Checkers of a side, borne-off ones included."""
        return sum(self.counts(side))

    def faults(self, white_total: int = 15, black_total: int = 15) -> PlacementFault:
        """All that is wrong with this placement for sides of so many checkers."""
        found = PlacementFault.NONE
        if min(self.white) < 0 or min(self.black) < 0:
            found |= PlacementFault.NEGATIVE
        if any(self.white[p] > 0 and self.black[p] > 0 for p in POINTS):
            found |= PlacementFault.SHARED_POINT
        white, black = sum(self.white), sum(self.black)
        if white != white_total:
            found |= (
                PlacementFault.WHITE_MISSING if white < white_total else PlacementFault.WHITE_ADDED
            )
        if black != black_total:
            found |= (
                PlacementFault.BLACK_MISSING if black < black_total else PlacementFault.BLACK_ADDED
            )
        return found

    def moved(self, side: Side, source: Site, target: Site) -> Placement:
        """The placement after one checker of a side went from source to target; nothing else
        changes, counts may turn negative.
        """
        counts = list(self.counts(side))
        counts[source] -= 1
        counts[target] += 1
        return self.with_counts(side, tuple(counts))

    def borne_off(self, side: Side) -> Placement:
        """The placement after a side has borne off all that it has."""
        return self.with_counts(side, (self.total(side), *(0 for _ in SITES[1:])))

    def with_counts(self, side: Side, counts: tuple[int, ...]) -> Placement:
        return (
            Placement(counts, self.black) if side is Side.WHITE else Placement(self.white, counts)
        )


@dataclass(frozen=True, slots=True)
class Seating:
    """Which side has which checkers and which corner: the turnstile from pictures and wires to
    White's numbering.

    Geometric points are numbered as in the data sets: 1 = south-east, 12 = south-west, 13 =
    north-west, 24 = north-east, seen with the camera or the wiring upright. `home` is the corner of
    White's own 1-point (where White bears off).
    """

    white: Colour = Colour.LIGHT
    home: Corner = Corner.SOUTH_EAST

    @classmethod
    def from_json(cls, given: Mapping[str, str]) -> Self:
        """The seating of `{"white": "light", "home": "south-east"}`; what is missing is as there.

        Raises ValueError for a colour or corner that there is none of.
        """
        return cls(
            Colour(given.get("white", Colour.LIGHT.value)),
            Corner(given.get("home", Corner.SOUTH_EAST.value)),
        )

    def to_json(self) -> dict[str, str]:
        """What `from_json` reads."""
        return {"white": self.white.value, "home": self.home.value}

    @property
    def south(self) -> Side:
        """The side that sits at the south edge: White where White's home is, else Black."""
        southern = self.home in (Corner.SOUTH_EAST, Corner.SOUTH_WEST)
        return Side.WHITE if southern else Side.BLACK

    def colour_of(self, side: Side) -> Colour:
        return self.white if side is Side.WHITE else self.white.other

    def side_of(self, colour: Colour) -> Side:
        return Side.WHITE if colour is self.white else Side.BLACK

    def site(self, geometric: int) -> Site:
        """White's number of a geometric point 1-24. Raises ValueError outside that range."""
        if geometric not in POINTS:
            raise ValueError(f"geometric points are 1-24, got {geometric}")
        match self.home:
            case Corner.SOUTH_EAST:
                return geometric
            case Corner.SOUTH_WEST:
                return 13 - geometric if geometric <= 12 else 37 - geometric
            case Corner.NORTH_WEST:
                return (geometric + 11) % 24 + 1
            case Corner.NORTH_EAST:
                return 25 - geometric

    def geometric(self, site: Site) -> int:
        """The geometric number of one of White's points 1-24; every seating is its own inverse."""
        return self.site(site)
