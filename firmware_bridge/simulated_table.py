"""A physical board without electronics: checkers lie where hands put them, sensors feel their
magnets. Used by the simulator and the emulator.

Everything random comes from the generator given, so the same hands make the same voltages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import MisuseError
from firmware_bridge.physics import F64, FITS, STACK_HABIT, Fit, Lying, field_table, lay_next
from rules.board import BAR, OFF, POINTS, Colour, Placement, Seating, Side, Site

NUDGE_MM: Final = 0.4
"""How far a hand pushes the neighbours of the checker it moves (1 sigma)."""


@dataclass(slots=True)
class _Pile:
    """A point: checkers in the order they were laid, in the point's own terms (across the axis,
    from the rim).
    """

    checkers: list[Lying] = field(default_factory=list)
    bridges: list[bool] = field(default_factory=list)


class SimulatedTable:
    """Checkers on a board, moved by hands; `millivolts()` is what the sensors say without noise.

    Parts are drawn once: each sensor has a zero offset and a gain of its own, as bought parts have.
    """

    def __init__(
        self,
        board: BoardSpec,
        rng: np.random.Generator,
        fit: Fit = FITS["normal"],
        *,
        ideal_parts: bool = False,
    ) -> None:
        self.board, self.fit, self.rng = board, fit, rng
        self.seating = Seating()
        n = len(board.sensors.places)
        spread = 0.0 if ideal_parts else 1.0
        self.offsets: F64 = (
            np.clip(
                rng.normal(0, board.sensor.offset_mv / 2, n),
                -board.sensor.offset_mv,
                board.sensor.offset_mv,
            )
            * spread
        )
        self.gains: F64 = (
            1 + np.clip(rng.normal(0, board.sensor.gain_error, n), -0.15, 0.15) * spread
        )
        self._x = np.array([place.x for place in board.sensors.places])
        self._y = np.array([place.y for place in board.sensors.places])
        self._points: dict[int, _Pile] = {p: _Pile() for p in POINTS}
        self._rings: list[list[Lying]] = [[] for _ in board.sensors.of_bar]
        self._off = {Side.WHITE: 0, Side.BLACK: 0}
        self._guide = self._strength()
        self._felt: F64 | None = None
        self._dead: dict[int, float] = {}

    # Hands

    def put(self, site: Site, side: Side) -> None:
        """A hand lays one checker of a side on a site (White's numbering)."""
        light = self.seating.colour_of(side) is Colour.LIGHT
        self._felt = None
        if site == OFF:
            self._off[side] += 1
        elif site == BAR:
            self._put_on_bar(light)
        else:
            pile = self._points[self.seating.geometric(site)]
            x, y, layer = lay_next(self.board, pile.checkers, pile.bridges, self.fit, self.rng)
            pile.checkers.append(Lying(light, x, y, layer, self._strength()))
            self._nudge(pile, spare=1)

    def lift(self, site: Site, side: Side) -> None:
        """A hand takes the last laid checker of a side off a site.

        Raises MisuseError when there is none.
        """
        light = self.seating.colour_of(side) is Colour.LIGHT
        self._felt = None
        if site == OFF:
            if not self._off[side]:
                raise MisuseError(f"no {side.value} checker is borne off")
            self._off[side] -= 1
            return
        if site == BAR:
            piles = [ring for ring in self._rings if ring and ring[-1].light == light]
            if not piles:
                raise MisuseError(f"no {side.value} checker lies on the bar")
            max(piles, key=len).pop()
            return
        pile = self._points[self.seating.geometric(site)]
        for k in reversed(range(len(pile.checkers))):
            if pile.checkers[k].light == light:
                rest = pile.checkers[k + 1 :]
                del pile.checkers[k:]
                for other in rest:
                    x, y, layer = lay_next(
                        self.board, pile.checkers, pile.bridges, self.fit, self.rng
                    )
                    pile.checkers.append(Lying(other.light, x, y, layer, other.strength))
                break
        else:
            raise MisuseError(f"no {side.value} checker stands on {site}")
        del pile.bridges[(len(pile.checkers) + 4) // 5 :]
        self._nudge(pile, spare=0)

    def set_placement(self, placement: Placement, seating: Seating | None = None) -> None:
        """Clear the board and lay a placement out anew."""
        self.clear()
        self.seating = seating or self.seating
        for side in Side:
            for site, count in enumerate(placement.counts(side)):
                for _ in range(count):
                    self.put(site, side)

    def clear(self) -> None:
        """Take every checker away, borne-off ones too."""
        self._felt = None
        self._points = {p: _Pile() for p in POINTS}
        self._rings = [[] for _ in self._rings]
        self._off = {Side.WHITE: 0, Side.BLACK: 0}

    def put_on_sensor(self, number: int, light: bool = True) -> None:
        """Lay one checker, always the same, right above a sensor, as LED-guided calibration asks;
        it lies up to half a millimetre off.
        """
        place = self.board.sensors.places[number]
        dx, dy = self.rng.normal(0, 0.3, 2)
        self._felt = None
        if place.role == "bar":
            self._rings[place.slot].append(Lying(light, dx, place.y + dy, 0, self._guide))
        elif place.role == "point":
            self._points[place.site].checkers.append(
                Lying(light, dx, self.board.point_y(place.site, place.y) + dy, 0, self._guide)
            )
        else:
            raise MisuseError(f"sensor {number} is a {place.role}: nothing can be laid on it")

    def wreck(self, sensor: int, millivolts: float | None) -> None:
        """A sensor dies: its line stays at a voltage, whatever lies above; None mends it."""
        self._felt = None
        if millivolts is None:
            self._dead.pop(sensor, None)
        else:
            self._dead[sensor] = millivolts

    def placement(self) -> Placement:
        """The truth, in White's numbering."""
        counts = {Side.WHITE: [0] * 26, Side.BLACK: [0] * 26}
        for point, pile in self._points.items():
            for checker in pile.checkers:
                counts[self._side(checker)][self.seating.site(point)] += 1
        for ring in self._rings:
            for checker in ring:
                counts[self._side(checker)][BAR] += 1
        for side in Side:
            counts[side][OFF] = self._off[side]
        return Placement(tuple(counts[Side.WHITE]), tuple(counts[Side.BLACK]))

    # Sensors

    def millivolts(self) -> F64:
        """What each sensor gives, without noise; the divider its half, unused channels nought."""
        if self._felt is None:
            self._felt = self._feel()
        return self._felt

    def _feel(self) -> F64:
        board, sensor = self.board, self.board.sensor
        lying = self._lying()
        felt = np.zeros(len(self._x))
        if lying:
            x, y, z = (np.array([checker[k] for checker in lying]) for k in (1, 2, 3))
            pole = np.array([checker[0] for checker in lying]) * board.magnet.light_pole
            r = np.hypot(self._x[:, None] - x, self._y[:, None] - y)
            felt = (field_table(board.magnet).at(r, np.broadcast_to(z, r.shape)) * pole).sum(axis=1)
        volts = sensor.supply_mv / 2 + self.offsets + sensor.mv_per_mt * self.gains * felt
        volts = np.clip(volts, sensor.rail_mv, sensor.supply_mv - sensor.rail_mv)
        for number, place in enumerate(board.sensors.places):
            if place.role == "divider":
                volts[number] = board.divider_mv
            elif place.role == "spare":
                volts[number] = 0.0
        for number, stuck in self._dead.items():
            volts[number] = stuck
        return np.asarray(volts, dtype=np.float64)

    def _lying(self) -> list[tuple[float, float, float, float]]:
        """Every checker: (strength, negative when dark; x; y; z of its magnet over the sensors)."""
        board, gap, thick = self.board, self.board.sensor.gap, self.board.checker_thickness
        found = [
            (_pole(c), board.point_x(point) + c.x, board.point_y(point, c.y), gap + thick * c.layer)
            for point, pile in self._points.items()
            for c in pile.checkers
        ]
        return found + [
            (_pole(c), board.bar_x + c.x, c.y, gap + thick * c.layer)
            for ring in self._rings
            for c in ring
        ]

    def _put_on_bar(self, light: bool) -> None:
        """A free ring, any of them; when none is free, or sometimes from habit, on top of the same
        colour.
        """
        same = [k for k, ring in enumerate(self._rings) if ring and ring[-1].light == light]
        free = [k for k, ring in enumerate(self._rings) if not ring]
        choice = same if same and (not free or self.rng.random() < STACK_HABIT) else free
        if not choice:
            choice = list(range(len(self._rings)))
        chosen = int(self.rng.choice(choice))
        ring = self._rings[chosen]
        place = self.board.sensors.places[self.board.sensors.of_bar[chosen]]
        dx, dy = self.rng.normal(0, self.board.bar_jitter, 2)
        if ring:
            dx, dy = ring[-1].x + dx / 2, ring[-1].y - place.y + dy / 2
        ring.append(Lying(light, float(dx), float(place.y + dy), len(ring), self._strength()))

    def _nudge(self, pile: _Pile, spare: int) -> None:
        """The hand at a pile pushes the two checkers next to the one it moved; those of lower
        layers are held by what lies on them.
        """
        last = len(pile.checkers) - spare
        for k in range(max(0, last - 2), last):
            c = pile.checkers[k]
            dx, dy = self.rng.normal(0, NUDGE_MM, 2)
            pile.checkers[k] = Lying(c.light, c.x + dx, c.y + dy, c.layer, c.strength)

    def _strength(self) -> float:
        return float(self.rng.normal(1, self.board.magnet.spread))

    def _side(self, checker: Lying) -> Side:
        return self.seating.side_of(Colour.LIGHT if checker.light else Colour.DARK)


def _pole(checker: Lying) -> float:
    return checker.strength if checker.light else -checker.strength
