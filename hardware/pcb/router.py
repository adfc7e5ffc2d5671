"""Tracks found by themselves: the shortest way on a grid of two layers, net by net.

For boards of plugs and sockets, where there is room: no track is moved for another's sake. A net
that finds no way goes first in the next try. The same board gives the same tracks.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

PITCH: Final = 0.635
CLEARANCE: Final = 0.25
VIA_RADIUS: Final = 0.35
VIA_COST: Final = 8.0
ACROSS_COST: Final = 1.0
"""A step against a layer's own direction costs so much more: the front runs sideways, the back up
and down."""
TRIES: Final = 60
BOTH: Final = (0, 1)
Cell = tuple[int, int, int]
"""Column, row, layer (0 the front)."""
Place = tuple[float, float]


class NoWayError(Exception):
    """A pad that no free way leads to."""


@dataclass(frozen=True)
class Terminal:
    """A pad, plated through: where it lies, how far its copper reaches; a hole that is none has no
    net."""

    net: str | None
    at: Place
    radius: float

    @property
    def cells(self) -> list[Cell]:
        x, y = (round(value / PITCH) for value in self.at)
        return [(x, y, layer) for layer in BOTH]


@dataclass(frozen=True)
class Track:
    """Straight copper on one layer; on both, a via, both ends at one place."""

    net: str
    one: Place
    other: Place
    width: float
    layer: int | None


@dataclass
class Router:
    """Terminals in, tracks out. `widths`: of nets that carry more than a signal."""

    columns: int
    rows: int
    terminals: list[Terminal]
    widths: dict[str, float]
    thin: float = 0.3
    tracks: list[Track] = field(default_factory=list)

    def route(self, nets: Iterable[str]) -> list[Track]:
        """Tracks that join all pads of these nets. Raises NoWayError."""
        order = sorted(nets, key=lambda net: (-self.widths.get(net, 0), self._span(net), net))
        for _ in range(TRIES):
            self.tracks = []
            try:
                for net in order:
                    self._join(net)
            except NoWayError as error:
                failed = str(error)
                order.remove(failed)
                order.insert(0, failed)
            else:
                return self.tracks
        raise NoWayError(f"no way for {failed} in {TRIES} tries: give the board more room")

    def _pads(self, net: str) -> list[Terminal]:
        return [terminal for terminal in self.terminals if terminal.net == net]

    def _span(self, net: str) -> float:
        pads = self._pads(net)
        return sum(math.dist(a.at, b.at) for a, b in itertools.pairwise(pads))

    def _join(self, net: str) -> None:
        first, *left = self._pads(net)
        width = self.widths.get(net, self.thin)
        blocked = self._blocked(net, width / 2)
        vias = self._blocked(net, VIA_RADIUS)
        joined = set(first.cells)
        while left:
            goals = {cell: pad for pad in left for cell in pad.cells}
            way = self._search(joined, goals, blocked, vias)
            if way is None:
                raise NoWayError(net)
            self._lay(net, width, way)
            joined |= set(way)
            reached = goals[way[-1]]
            joined |= set(reached.cells)
            left.remove(reached)
        for pad in self._pads(net):
            at = _place(pad.cells[0])
            if math.dist(at, pad.at) > 0.01:
                ends = {track.layer for track in self.tracks if at in (track.one, track.other)}
                for layer in sorted(ends - {None}):
                    self.tracks.append(Track(net, pad.at, at, width, layer))

    def _blocked(self, net: str, half: float) -> set[Cell]:
        """Cells in which copper of so much to each side would come too near to another net's."""
        found: set[Cell] = set()
        for pad in self.terminals:
            if pad.net != net:
                found |= _near(pad.at, pad.at, pad.radius + half + CLEARANCE, BOTH)
        for track in self.tracks:
            if track.net != net:
                layers = BOTH if track.layer is None else (track.layer,)
                reach = track.width / 2 + half + CLEARANCE
                found |= _near(track.one, track.other, reach, layers)
        return found

    def _search(
        self,
        sources: set[Cell],
        goals: dict[Cell, Terminal],
        blocked: set[Cell],
        vias: set[Cell],
    ) -> list[Cell] | None:
        """The cheapest way from what is joined to a pad that is not."""

        def rest(cell: Cell) -> float:
            return min(abs(cell[0] - x) + abs(cell[1] - y) for x, y, _ in goals)

        best = dict.fromkeys(sources, 0.0)
        came: dict[Cell, Cell] = {}
        heap = [(rest(cell), 0.0, cell) for cell in sorted(sources)]
        heapq.heapify(heap)
        while heap:
            _, cost, cell = heapq.heappop(heap)
            if cost > best[cell]:
                continue
            if cell in goals:
                way = [cell]
                while way[-1] in came:
                    way.append(came[way[-1]])
                return way[::-1]
            for after, step in self._steps(cell, blocked, vias):
                if cost + step < best.get(after, math.inf):
                    best[after], came[after] = cost + step, cell
                    heapq.heappush(heap, (cost + step + rest(after), cost + step, after))
        return None

    def _steps(
        self, cell: Cell, blocked: set[Cell], vias: set[Cell]
    ) -> Iterator[tuple[Cell, float]]:
        x, y, layer = cell
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            after = (x + dx, y + dy, layer)
            inside = 2 <= after[0] <= self.columns - 2 and 2 <= after[1] <= self.rows - 2
            if inside and after not in blocked:
                yield after, 1 + ACROSS_COST * bool(dx if layer else dy)
        after = (x, y, 1 - layer)
        if not {cell, after} & vias and not {cell, after} & blocked:
            yield after, VIA_COST

    def _lay(self, net: str, width: float, way: list[Cell]) -> None:
        """A way as straight tracks and vias; none where a plated pad joins both layers."""
        plated = {cell for pad in self._pads(net) for cell in pad.cells}
        start = way[0]
        for before, here, after in zip(way, way[1:], [*way[2:], None], strict=False):
            if here[2] != before[2]:
                if here not in plated:
                    at = _place(here)
                    self.tracks.append(Track(net, at, at, 2 * VIA_RADIUS, None))
                start = here
            elif after is None or not _in_line(before, here, after):
                layer = here[2]
                self.tracks.append(Track(net, _place(start), _place(here), width, layer))
                start = here


def _in_line(one: Cell, two: Cell, three: Cell) -> bool:
    return all(b - a == c - b for a, b, c in zip(one, two, three, strict=True))


def _place(cell: Cell) -> Place:
    return cell[0] * PITCH, cell[1] * PITCH


def _near(one: Place, other: Place, reach: float, layers: Iterable[int]) -> set[Cell]:
    """Cells nearer than that to a straight line."""
    low = [math.floor((min(a, b) - reach) / PITCH) for a, b in zip(one, other, strict=True)]
    high = [math.ceil((max(a, b) + reach) / PITCH) for a, b in zip(one, other, strict=True)]
    found = set()
    for x, y in itertools.product(range(low[0], high[0] + 1), range(low[1], high[1] + 1)):
        if _from_line((x * PITCH, y * PITCH), one, other) < reach - 1e-9:
            found |= {(x, y, layer) for layer in layers}
    return found


def _from_line(at: Place, one: Place, other: Place) -> float:
    dx, dy = other[0] - one[0], other[1] - one[1]
    length = dx * dx + dy * dy
    part = ((at[0] - one[0]) * dx + (at[1] - one[1]) * dy) / length if length else 0.0
    part = min(1.0, max(0.0, part))
    return math.dist(at, (one[0] + part * dx, one[1] + part * dy))
