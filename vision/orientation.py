"""Which way round a board lies: by tags on its frame, or judged by what stands where."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.checkers import CheckerReading
from vision.network import SHIPPED, OnnxNetwork, load_network


@dataclass(frozen=True, slots=True, eq=False)
class OrientationNetwork:
    """The network that judges by how the sets stand: fifty numbers in, one logit out."""

    net: OnnxNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("orientation", folder)
        net.check({"x": (1, 50)}, {"out": (1, 1)})
        return cls(net)


def tags_orientation(pixels: Pixels) -> int | None:
    """0 or 180 when ArUco tags (4x4, numbers 0-3 on the frame's NW, NE, SE, SW corners) say which
    way the board lies, else None.

    Two tags that agree are enough; tags that contradict each other say nothing.
    """
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
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


def orientation_probability(
    reading: CheckerReading, judge: OrientationNetwork, prior: float
) -> float:
    """Probability that the picture shows south at the bottom, for a reading made as if it did.

    Two witnesses: trays and borne-off checkers lie east; and how the sets stand, as four seatings
    have them (`train.positions.SEATINGS`): a position that two of them share says nothing, and then
    the trays decide, or nobody. `orientation` or `known` overrule both. `prior`: log odds before
    anything is seen.
    """
    kinds = np.arange(31)
    light = reading.points @ np.where(kinds <= 15, kinds, 0)
    dark = reading.points @ np.where(kinds > 15, kinds - 15, 0)
    bar = reading.bar @ np.arange(6)
    features = np.asarray(np.concatenate([light, dark, bar])[None] / 5, np.float32)
    stands = float(judge.net.run({"x": features}, ["out"])[0].ravel()[0])
    beside = math.log(max(reading.east_right, 1e-6) / max(1 - reading.east_right, 1e-6))
    return float(1 / (1 + math.exp(-(stands + beside + prior))))
