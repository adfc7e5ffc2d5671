"""Learned weights: ONNX files in vision/weights, run by cv2.dnn. One network object serves one
thread at a time.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, Final

import cv2
import numpy as np

from vision.arrays import F32

_PLAIN: Final = frozenset({"dice_find", "dice_read"})


class WeightsError(RuntimeError):
    """A weights file is missing or was damaged: the installation is not whole."""


@functools.cache
def network(name: str) -> Any:
    """The network of `vision/weights/<name>.onnx`, loaded once a process. Raises WeightsError."""
    try:
        data = (resources.files("vision") / "weights" / f"{name}.onnx").read_bytes()
        buffer = np.frombuffer(data, np.uint8)
        # OpenCV 5 has two engines: plain convolutions are a quarter quicker on the older, the rest
        # needs the newer.
        if name in _PLAIN and hasattr(cv2.dnn, "ENGINE_CLASSIC"):
            return cv2.dnn.readNetFromONNX(buffer, cv2.dnn.ENGINE_CLASSIC)
        return cv2.dnn.readNetFromONNX(buffer)
    except (OSError, cv2.error) as error:
        raise WeightsError(
            f"vision/weights/{name}.onnx cannot be used ({error}): install takhte again or run"
            " python -m vision.train"
        ) from error


@functools.cache
def fitted(name: str) -> dict[str, Any]:
    """The numbers fitted beside a network (temperatures, priors):

    `vision/weights/<name>.json`. Raises WeightsError.
    """
    try:
        found: dict[str, Any] = json.loads(
            (resources.files("vision") / "weights" / f"{name}.json").read_text()
        )
    except (OSError, ValueError) as error:
        raise WeightsError(
            f"vision/weights/{name}.json cannot be used ({error}): install takhte again or run"
            " python -m vision.train"
        ) from error
    return found


def run(name: str, inputs: dict[str, F32], outputs: list[str]) -> list[F32]:
    """One pass of a network over named inputs."""
    net = network(name)
    for key, value in inputs.items():
        net.setInput(value, key)
    return [np.asarray(o, np.float32) for o in net.forward(outputs)]


def softmax(logits: F32, axis: int = -1) -> F32:
    e = np.exp(logits - logits.max(axis, keepdims=True))
    return np.asarray(e / e.sum(axis, keepdims=True), np.float32)
