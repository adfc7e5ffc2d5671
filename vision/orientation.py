"""Which way round a board lies: by tags on its frame, or judged by what stands where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F32, Pixels
from vision.checkers import CheckerReading
from vision.geometry import BoardMap
from vision.network import SHIPPED, OnnxNetwork, load_network

_BESIDE: Final = (0.6, 1.2, 1.8)
"""Distances from the field, point widths, at which trays stand."""
_SEEN: Final = 0.8
_ENOUGH: Final = 1000
"""Longer side of a picture, pixels, from which on tags are looked for at half its size."""
HALF_TURN: Final = np.r_[
    np.arange(12, 24), np.arange(12), np.arange(36, 48), np.arange(24, 36), 48, 49
]
"""Light on points 1-24, dark on 1-24 and both bars, of a board turned by 180 degrees."""
_MIRRORED: Final = np.r_[np.arange(12)[::-1], np.arange(12, 24)[::-1]]
MIRRORED: Final = np.r_[_MIRRORED, 24 + _MIRRORED, 48, 49]
"""The same mirrored, left for right."""
SEATED: Final = np.stack([np.arange(50), MIRRORED, MIRRORED[HALF_TURN], HALF_TURN])
"""How what is seen is laid before the judge, who knows light near and home east alone, to ask:
light near and home east, light near and home west, light far and home east, light far and home
west?
"""
_USUAL: Final = np.log([0.75, 0.20, 0.013, 0.002])
"""Log of how often each of the four is so on a board that lies upright. Of the 74 rendered boards
that teach and show a game all have light near, 52 with the home east; of the nine photos, named by
their place in the picture, three have light far and home east. Light far and home west is nobody's
naming: with the picture turned it is light near and home east.
"""
_MOST_BESIDE: Final = 5.0
"""Log odds that trays may speak with. On the boards that teach, each as it is, cut off at a side
and turned (315 looks), they spoke some 140 times and were never wrong; on those that measure, some
80 times, once wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class OrientationNetwork:
    """The network that judges by how the sets stand: fifty numbers in, how likely sets come to
    stand so where light's home is near and on the right out (a logarithm, up to a constant).
    """

    net: OnnxNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("orientation", folder)
        net.check({"x": (4, 50)}, {"out": (4, 1)})
        return cls(net)

    def odds(self, standing: F32) -> float:
        """Log odds that the board lies upright, by fifty numbers of how the sets stand."""
        likely = self.net.run({"x": standing[SEATED] / 5}, ["out"])[0][:, 0]
        # Turned round, each of the four is the one at the other end of the row.
        return float(
            np.logaddexp.reduce(likely + _USUAL) - np.logaddexp.reduce(likely + _USUAL[::-1])
        )


def tags_orientation(pixels: Pixels) -> int | None:
    """0 or 180 when ArUco tags (4x4, numbers 0-3 on the frame's NW, NE, SE, SW corners) say which
    way the board lies, else None.

    Two tags that agree are enough; tags that contradict each other say nothing.
    """
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    if max(grey.shape) > _ENOUGH:
        # A tag is a tenth of the board or so: half the pixels show it, in a quarter of the time.
        grey = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    corners, numbers, _ = detector.detectMarkers(grey)
    if numbers is None:
        return None
    at = {
        int(n): np.asarray(c).reshape(-1, 2).mean(0)
        for n, c in zip(np.asarray(numbers).ravel(), corners, strict=True)
        if n < 4
    }
    votes = []
    for a, b, axis in ((0, 1, 0), (3, 2, 0), (0, 3, 1), (1, 2, 1), (0, 2, 0), (3, 1, 0)):
        if a in at and b in at:
            votes.append(bool(at[a][axis] < at[b][axis]))
    return None if not votes or (any(votes) and not all(votes)) else 0 if votes[0] else 180


def sides_in_view(board_map: BoardMap) -> bool:
    """Whether what lies beside the field is in the picture on both sides, so that a tray on one
    side says something: where the other is cut off, the place that is seen is no likelier a tray.
    """
    x = board_map.width / 2 + np.array(_BESIDE)
    y = np.linspace(-0.5, 0.5, 7) * board_map.height
    width, height = board_map.size
    for side in (-1, 1):
        spots = board_map.project([(side * a, b, 0.0) for a in x for b in y])
        inside = (spots >= 0).all(1) & (spots[:, 0] < width) & (spots[:, 1] < height)
        if float(inside.mean()) < _SEEN:
            return False
    return True


def orientation_probability(
    upright: CheckerReading,
    turned: CheckerReading,
    judge: OrientationNetwork,
    prior: float,
    *,
    beside: bool = True,
) -> float:
    """Probability that the picture shows south at the bottom. `upright`: a reading made as if it
    did; `turned`: one of the same canvas turned round, made the same way.

    Two witnesses: how the sets stand, which knows four seatings and how common each is; and trays
    and borne-off checkers, which lie east (not heard where `beside` is False). Each witness is
    asked both ways round, and what it says of the one must be the contrary of what it says of the
    other: a clock or a cup that is taken for a tray often is, and then not. What lies beside is
    never more than `_MOST_BESIDE` sure. `prior`: log odds before anything is seen; `orientation`
    and `known` overrule all of it.
    """
    stands, stands_turned = (judge.odds(_standing(r)) for r in (upright, turned))
    by_trays = (_beside(upright) - _beside(turned)) / 2 if beside else 0.0
    odds = (stands - stands_turned) / 2 + max(-_MOST_BESIDE, min(_MOST_BESIDE, by_trays)) + prior
    return float(1 / (1 + math.exp(-odds)))


def _standing(reading: CheckerReading) -> F32:
    """How many checkers of either set stand on each point and on the bar, as expected."""
    kinds = np.arange(31)
    light = reading.points @ np.where(kinds <= 15, kinds, 0)
    dark = reading.points @ np.where(kinds > 15, kinds - 15, 0)
    return np.asarray(np.concatenate([light, dark, reading.bar @ np.arange(6)]), np.float32)


def _beside(reading: CheckerReading) -> float:
    """Log odds by what lies beside the field."""
    return math.log(max(reading.east_right, 1e-6) / max(1 - reading.east_right, 1e-6))
