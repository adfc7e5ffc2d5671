"""Magnets, Hall sensors and how checkers really lie: the physics shared by the simulator and by the
training of the count model.

Fields are millitesla, lengths millimetres, voltages millivolts. The plane is that of `board_spec`;
z is the height above a sensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.board_spec import BoardSpec, Magnet

F64 = NDArray[np.float64]

ROW: Final = 5
"""Checkers side by side on a point before a second layer begins."""
MOST: Final = 15
"""The highest pile that is thought of."""
BRIDGE_CHANCE: Final = 0.4
"""How often a layer is laid over the gaps of the one below instead of on top of its checkers."""

STACK_HABIT: Final = 0.2
"""How often a checker hit is laid on another of its colour on the bar although a dish is free."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How loosely checkers lie: free play between neighbours (uniform, mm) and sideways jitter (1
    sigma, mm).
    """

    slack: float
    jitter: float


FITS: Final[dict[str, Fit]] = {
    "guided": Fit(0.5, 0.7),
    "normal": Fit(2.0, 2.0),
    "sloppy": Fit(4.0, 3.0),
}
"""Guided: grooves or notches hold the checkers.

Normal: a good board and tidy players. Sloppy: a cafe at midnight.
"""


def axial_field(magnet: Magnet, r: F64, z: F64) -> F64:
    """Vertical field (mT) of an axially magnetised disc at distance r from its axis and z below its
    near face; r and z broadcast.

    The disc is a solenoid of its surface current: Bz = Br/4pi * integral over phi of R (R - r cos
    phi)/D^2 * [s / sqrt(s^2 + D^2)] from s = z to z + L, with D^2 = R^2 + r^2 - 2 R r cos phi (Biot
    and Savart, integrated over the length). On the axis it is the textbook formula.
    """
    radius, length = magnet.diameter / 2, magnet.thickness
    phi = (np.arange(256) + 0.5) * (2 * np.pi / 256)
    r, z = np.asarray(r, dtype=float)[..., None], np.asarray(z, dtype=float)[..., None]
    d2 = radius**2 + r**2 - 2 * radius * r * np.cos(phi)
    rise = (z + length) / np.sqrt((z + length) ** 2 + d2) - z / np.sqrt(z**2 + d2)
    result: F64 = (
        magnet.remanence_t
        * 1000
        / 2
        * np.mean(radius * (radius - r * np.cos(phi)) / d2 * rise, axis=-1)
    )
    return result


class FieldTable:
    """`axial_field` on a grid of 0.5 mm, for speed:

    `at(r, z)` interpolates; beyond 90 mm it is nought.
    """

    def __init__(self, magnet: Magnet, deepest: float = 50.0) -> None:
        self._step, self._low = 0.5, 2.0
        r, z = (
            np.arange(0, 90.5, self._step),
            np.arange(self._low, deepest + self._step, self._step),
        )
        self._grid = axial_field(magnet, r[None, :] + 1e-9, z[:, None])

    def at(self, r: F64, z: F64) -> F64:
        rows, columns = self._grid.shape
        i, j = (z - self._low) / self._step, r / self._step
        far = j >= columns - 1
        i, j = np.clip(i, 0, rows - 1.001), np.clip(j, 0, columns - 1.001)
        i0, j0 = i.astype(np.intp), j.astype(np.intp)
        a, b = i - i0, j - j0
        grid = self._grid
        value = (grid[i0, j0] * (1 - a) + grid[i0 + 1, j0] * a) * (1 - b) + (
            grid[i0, j0 + 1] * (1 - a) + grid[i0 + 1, j0 + 1] * a
        ) * b
        result: F64 = np.where(far, 0.0, value)
        return result


@lru_cache(maxsize=4)
def field_table(magnet: Magnet) -> FieldTable:
    return FieldTable(magnet)


def one_checker_mv(board: BoardSpec) -> float:
    """What one light checker right above a nominal sensor adds to its output (mV), by sign."""
    at = field_table(board.magnet).at(np.array([0.0]), np.array([board.sensor.gap]))
    return float(at[0]) * board.sensor.mv_per_mt * board.magnet.light_pole


def counts_per_mv(board: BoardSpec) -> float:
    """Wire units (4092nds of the sensors' supply) in a millivolt."""
    return 4 * board.sensor.adc_steps / board.sensor.supply_mv


@dataclass(frozen=True, slots=True)
class Lying:
    """One checker at rest: `light` or dark, its middle (mm), its layer (0 = on the board), its
    magnet's strength (1 = as designed).
    """

    light: bool
    x: float
    y: float
    layer: int
    strength: float = 1.0


def lay_next(
    board: BoardSpec, below: list[Lying], bridges: list[bool], fit: Fit, rng: np.random.Generator
) -> tuple[float, float, int]:
    """Where the next checker of a point comes to lie: (across the point's axis, away from the rim,
    layer).

    `below` holds those already there in the same point-wise terms, `bridges` whether each layer
    lies over the gaps; it is filled as layers begin.
    """
    n = len(below)
    layer, k = divmod(n, ROW)
    while len(bridges) <= layer:
        bridges.append(bool(rng.random() < BRIDGE_CHANCE))
    if layer == 0:
        edge = below[-1].y + board.checker_diameter / 2 if below else 0.0
        return (
            float(rng.normal(0, fit.jitter)),
            edge + float(rng.uniform(0, fit.slack)) + board.checker_diameter / 2,
            0,
        )
    under = below[n - ROW]
    over_gap = bridges[layer] and k + 1 < ROW
    return (
        float(rng.normal(0, fit.jitter)),
        under.y
        + (board.checker_diameter / 2 if over_gap else 0.0)
        + float(rng.normal(0, fit.jitter)),
        layer,
    )


def lay_piles(
    rng: np.random.Generator, slack: F64, jitter: F64, diameter: float
) -> tuple[F64, F64]:
    """`lay_next` for N whole piles at once: slack and jitter (N,) -> (across the axis, from the
    rim), each (N, MOST).
    """
    n = len(slack)
    free = rng.uniform(0, 1, (n, ROW)) * slack[:, None]
    x = rng.normal(0, 1, (n, MOST)) * jitter[:, None]
    y = np.empty((n, MOST))
    y[:, :ROW] = np.cumsum(free + diameter, axis=1) - diameter / 2
    for layer in range(1, MOST // ROW):
        gap = (rng.uniform(0, 1, (n, 1)) < BRIDGE_CHANCE) & (np.arange(ROW) + 1 < ROW)
        here = slice(layer * ROW, (layer + 1) * ROW)
        y[:, here] = (
            y[:, (layer - 1) * ROW : layer * ROW]
            + gap * diameter / 2
            + rng.normal(0, 1, (n, ROW)) * jitter[:, None]
        )
    return x, y
