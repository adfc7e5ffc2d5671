"""How likely the sensors of one site would read so, for every number of checkers that could lie
there.

A point's five values (in checkers: 1.0 = one light checker right above) do not add up to a count: a
second layer adds a quarter of the first, and free play between checkers matters as much. So the
likelihoods come from a small network trained on the physics of `physics.py` by `python -m
firmware_bridge.train`; its softmax, divided by the classes' share in training, is P(values | light,
dark) up to a factor.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import CalibrationError

F32 = NDArray[np.float32]
Pair = tuple[int, int]

MIXED_LIMIT: Final = 5
"""Both colours on one point are told apart up to so many checkers in all: one layer."""
POINT_CLASSES: Final[tuple[Pair, ...]] = (
    *((n, 0) for n in range(16)),
    *((0, n) for n in range(1, 16)),
    *((a, b) for a in range(1, MIXED_LIMIT) for b in range(1, MIXED_LIMIT + 1 - a)),
)


class NetworkJson(TypedDict):
    """A network as it is kept: layers as (shape of the weights, weights, bias), arrays as text."""

    classes: list[list[int]]
    sharpness: float
    share: list[float]
    layers: list[tuple[list[int], str, str]]


@dataclass(frozen=True)
class Network:
    """Layers of (weights, bias), rectified between; `share` = each class's part of the training
    set.
    """

    classes: tuple[Pair, ...]
    share: F32
    layers: tuple[tuple[F32, F32], ...]
    sharpness: float = 1.0
    """Power to which its doubt is raised: trained on worse sensors than it serves, it would be too
    modest.
    """

    def log_posterior(self, inputs: F32) -> F32:
        """(N, inputs) -> (N, classes): log P(class | values) when classes come as often as in
        training.
        """
        h = inputs
        for k, (weights, bias) in enumerate(self.layers):
            h = h @ weights + bias
            if k + 1 < len(self.layers):
                h = np.maximum(h, 0)
        h = h - h.max(axis=1, keepdims=True)
        result: F32 = h - np.log(np.exp(h).sum(axis=1, keepdims=True))
        return result

    def likelihoods(self, inputs: F32) -> NDArray[np.float64]:
        """(N, inputs) -> (N, classes):

        P(values | class), each row scaled so that its classes sum to 1.
        """
        raw = np.exp(self.sharpness * self.log_posterior(inputs).astype(np.float64)) / self.share
        result: NDArray[np.float64] = raw / raw.sum(axis=1, keepdims=True)
        return result

    def to_json(self) -> NetworkJson:
        """What `network_from_json` reads."""
        return {
            "classes": [list(pair) for pair in self.classes],
            "sharpness": self.sharpness,
            "share": [round(float(x), 6) for x in self.share],
            "layers": [(list(w.shape), _text(w), _text(b)) for w, b in self.layers],
        }


def network_from_json(data: NetworkJson) -> Network:
    """The network of what `Network.to_json` gave."""
    classes = tuple((a, b) for a, b in data["classes"])
    share = np.array(data["share"], dtype=np.float32)
    layers = tuple((_array(w).reshape(shape), _array(b)) for shape, w, b in data["layers"])
    return Network(classes, share, layers, data["sharpness"])


def _text(array: F32) -> str:
    return base64.b64encode(array.astype("<f2").tobytes()).decode("ascii")


def _array(text: str) -> F32:
    return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32)


def physics_key(board: BoardSpec) -> dict[str, float]:
    """What of a board the counts depend on.

    A model trained for other numbers must not judge this board.
    """
    return {
        "checker_diameter": board.checker_diameter,
        "checker_thickness": board.checker_thickness,
        "pitch": board.pitch,
        "magnet_diameter": board.magnet.diameter,
        "magnet_thickness": board.magnet.thickness,
        "gap": board.sensor.gap,
        "first sensor": board.point_y(1, board.sensors.places[board.sensors.of_point(1)[0]].y),
        "second sensor": board.point_y(1, board.sensors.places[board.sensors.of_point(1)[1]].y),
    }


def point_inputs(values: F32, known: NDArray[np.bool_], neighbours: F32, slack: float) -> F32:
    """Rows for the point network: own five values (0 where unknown), their five masks, the ten of
    both neighbours, the free play in 4 mm.

    `values` and `known` are (N, 5), `neighbours` (N, 10) with 0 for what is unknown or beyond the
    board's edge.
    """
    own = np.where(known, values, 0)
    loose = np.full((len(values), 1), slack / 4)
    return np.concatenate([own, known, neighbours, loose], axis=1).astype(np.float32)


@lru_cache(maxsize=1)
def _stored() -> tuple[dict[str, float], Network]:
    data = json.loads(
        resources.files("firmware_bridge").joinpath("count_model.json").read_text(encoding="utf-8")
    )
    return data["physics"], network_from_json(data["point"])


def count_model(board: BoardSpec) -> Network:
    """The model that came with takhte.

    Raises CalibrationError when it was trained for other checkers, magnets or spacing.
    """
    trained, model = _stored()
    here = physics_key(board)
    other = [
        f"{key} {trained.get(key)} (here {value})"
        for key, value in here.items()
        if trained.get(key) != value
    ]
    if other:
        raise CalibrationError(
            f"the count model was trained for {', '.join(other)}; run `python -m"
            " firmware_bridge.train --board FILE` for this board"
        )
    return model
