"""A board as an SVG picture, for reports, embedded boards and pictures of positions. Pure.

White plays from below, its home on the right unless the seating says the left. Presentation
attributes only: a page that forbids inline styles shows it all the same. Dark checkers carry a
ring, so that colour is not all that tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from rules.axes import Facing
from rules.board import BAR, OFF, Colour, Corner, Placement, Seating, Side
from rules.cube import Cube
from rules.dice import Roll

PITCH: Final = 40
"""Width of a point; a checker is a little less."""
LEFT: Final = 60
"""Where the points begin: a tray lies on either side, as on the table's page."""
TOP: Final = 24
HEIGHT: Final = 440
BAR_WIDTH: Final = 44
DEEPEST: Final = 5
"""Checkers of a pile that are drawn; a number says how many there are."""
_FIELD: Final = 12 * PITCH + BAR_WIDTH
_TRAY: Final = LEFT + _FIELD + 8
WIDTH: Final = _TRAY + PITCH + 12
_WOOD: Final = "#5b3a24"
_FELT: Final = "#ead9b8"
_POINTS: Final = ("#b4633b", "#d9b98a")
_CHECKERS: Final = {Colour.LIGHT: ("#faf6ea", "#3b2c20"), Colour.DARK: ("#2b2420", "#f2e6d0")}
AS_USUAL: Final = Seating()


@dataclass(frozen=True)
class _Table:
    """Where things lie and what they look like as White sits."""

    seating: Seating
    facing: Facing

    def x(self, x: float, width: float = 0) -> float:
        """A place from the side where White's home is not."""
        # Seen from its own seat White's home is at the left in these corners.
        left = self.seating.home in (Corner.SOUTH_WEST, Corner.NORTH_EAST)
        return WIDTH - x - width if left else x

    def column(self, point: int) -> float:
        """The middle of a point, in White's numbering."""
        place = point - 13 if point > 12 else 12 - point
        return self.x(LEFT + place * PITCH + PITCH / 2 + (BAR_WIDTH if place >= 6 else 0))

    def tray(self, side: Side) -> float:
        """The middle of where a side bears off: beside its own 1-point."""
        # Where both travel the same way round, Black's is across from White's.
        across = side is Side.BLACK and self.facing is Facing.ROTATE
        return self.x(WIDTH - _TRAY - PITCH / 2 if across else _TRAY + PITCH / 2)

    def colour(self, side: Side) -> Colour:
        """Of a side's checkers."""
        return self.seating.white if side is Side.WHITE else self.seating.white.other


def board_svg(
    placement: Placement,
    *,
    cube: Cube | None = None,
    roll: Roll | None = None,
    side: Side | None = None,
    title: str = "",
    seating: Seating = AS_USUAL,
    facing: Facing = Facing.MIRROR,
) -> str:
    """The picture; `side` is on roll, `title` is read aloud for it."""
    table = _Table(seating, facing)
    fields = (table.x(LEFT, 6 * PITCH), table.x(LEFT + 6 * PITCH + BAR_WIDTH, 6 * PITCH))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 2 * TOP}"'
        f' role="img"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT + 2 * TOP}" rx="8" fill="{_WOOD}"/>',
        *(
            f'<rect x="{x:g}" y="{TOP}" width="{6 * PITCH}" height="{HEIGHT}" fill="{_FELT}"/>'
            for x in fields
        ),
        *_triangles(table),
        *_piles(table, placement),
        *_beside(table, placement),
    ]
    if cube is not None and cube.limit:
        parts += _cube(table, cube)
    if roll is not None and side is not None:
        parts += _dice(table, roll, side)
    return "".join(parts) + "</svg>"


def _triangles(table: _Table) -> Iterator[str]:
    for point in range(1, 25):
        x, fill = table.column(point), _POINTS[point % 2]
        base, tip = (TOP, TOP + 180) if point > 12 else (TOP + HEIGHT, TOP + HEIGHT - 180)
        half = PITCH / 2 - 1
        yield f'<path d="M{x - half:g} {base}L{x + half:g} {base}L{x:g} {tip}Z" fill="{fill}"/>'
        y = TOP - 8 if point > 12 else TOP + HEIGHT + 17
        yield _text(x, y, str(point), "#ead9b8", 13)


def _text(x: float, y: float, said: str, fill: str, size: int) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-family="sans-serif"'
        f' font-size="{size}" font-weight="600" fill="{fill}">{escape(said)}</text>'
    )


def _checker(x: float, y: float, colour: Colour, number: int = 0) -> str:
    fill, mark = _CHECKERS[colour]
    ring = (
        f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="none" stroke="{mark}" stroke-width="1.5"/>'
        if colour is Colour.DARK and not number
        else ""
    )
    said = _text(x, y + 6, str(number), mark, 16) if number else ""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="18" fill="{fill}" stroke="{mark}" stroke-width="1.5"/>'
        + ring
        + said
    )


def _pile(x: float, base: float, step: float, colour: Colour, count: int) -> Iterator[str]:
    for level in range(min(count, DEEPEST)):
        last = level == DEEPEST - 1 and count > DEEPEST
        yield _checker(x, base + step * (level + 0.5), colour, count if last else 0)


def _piles(table: _Table, placement: Placement) -> Iterator[str]:
    for side in Side:
        counts, other = placement.counts(side), placement.counts(side.other)
        colour = table.colour(side)
        for point in range(1, 25):
            # Both sides on one point stand on an impossible board only: side by side then.
            shift = 0 if not other[point] else -8 if side is Side.WHITE else 8
            down = point > 12
            yield from _pile(
                table.column(point) + shift,
                TOP if down else TOP + HEIGHT,
                36 if down else -36,
                colour,
                counts[point],
            )
        middle = TOP + HEIGHT / 2
        step = 36 if side is Side.WHITE else -36
        bar = table.x(LEFT + 6 * PITCH + BAR_WIDTH / 2)
        yield from _pile(bar, middle + step, step, colour, counts[BAR])


def _beside(table: _Table, placement: Placement) -> Iterator[str]:
    """What was borne off: White's below, Black's above."""
    for side in Side:
        fill, mark = _CHECKERS[table.colour(side)]
        count, x = placement.counts(side)[OFF], table.tray(side) - PITCH / 2
        for level in range(count):
            y = TOP + HEIGHT - 9 * (level + 1) if side is Side.WHITE else TOP + 9 * level
            yield (
                f'<rect x="{x:g}" y="{y}" width="{PITCH}" height="7" rx="2"'
                f' fill="{fill}" stroke="{mark}"/>'
            )


def _cube(table: _Table, cube: Cube) -> Iterator[str]:
    at = {None: HEIGHT / 2, Side.WHITE: HEIGHT - 160, Side.BLACK: 160}[cube.owner]
    x, y = table.x(_TRAY + PITCH / 2), TOP + at
    said = str(cube.value if cube.owner is not None or cube.value > 1 else 64)
    yield (
        f'<rect x="{x - 17:g}" y="{y - 17:g}" width="34" height="34" rx="5" fill="#fff"'
        ' stroke="#222"/>'
    )
    yield _text(x, y + 6, said, "#222", 17)


def _dice(table: _Table, roll: Roll, side: Side) -> Iterator[str]:
    fill, mark = _CHECKERS[table.colour(side)]
    # At the roller's own right hand.
    halves = sorted(table.x(LEFT + x) for x in (3 * PITCH, 9 * PITCH + BAR_WIDTH))
    start = halves[1] if side is Side.WHITE else halves[0]
    for number, value in enumerate((roll.high, roll.low)):
        x, y = start - 42 + 46 * number, TOP + HEIGHT / 2 - 19
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="38" height="38" rx="7" fill="{fill}"'
            f' stroke="{mark}" stroke-width="1.5"/>'
        )
        for dx, dy in _PIPS[value]:
            at = f'cx="{x + 19 + 10 * dx:g}" cy="{y + 19 + 10 * dy:g}"'
            yield f'<circle {at} r="3.6" fill="{mark}"/>'


_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
