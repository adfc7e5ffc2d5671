"""Learned weights: ONNX files in vision/weights, run by onnxruntime, and the numbers beside them.

What each network is shown and answers is named once, in the JSON beside its weights: `columns` are
the names of its answers. They are compared with the weights when both are loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeVar

import cv2
import numpy as np
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    RuntimeException,
)
from onnxruntime.capi.onnxruntime_pybind11_state import (
    NotImplemented as NotRunnable,
)

from vision.arrays import F32, Pixels

VERSION: Final = 1
"""Of the JSON files beside the weights."""

SHIPPED: Final = Path(__file__).resolve().parent / "weights"
"""The weights that come with the program. Those of a training are read by naming their folder."""

_RUNTIME_ERRORS: Final = (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NotRunnable,
    RuntimeException,
)

Columns = Mapping[str, tuple[str, ...]]
"""Answer -> what its columns stand for, in their order."""


class WeightsError(RuntimeError):
    """A weights file is missing, damaged, or not what the numbers beside it say."""


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Some columns of an answer that belong together: where they begin, what each stands for."""

    first: int
    names: tuple[str, ...]

    @property
    def columns(self) -> slice:
        """Where they stand among all columns."""
        return slice(self.first, self.first + len(self.names))


def parts_of(columns: Columns) -> dict[str, ColumnGroup]:
    """The parts of an answer by name, one after the other as the JSON has them."""
    parts, first = {}, 0
    for name, names in columns.items():
        parts[name] = ColumnGroup(first, names)
        first += len(names)
    return parts


class OnnxNetwork:
    """One network, ready to be run. Serves one thread at a time."""

    def __init__(self, name: str, session: onnxruntime.InferenceSession) -> None:
        self.name, self._session = name, session

    def run(self, inputs: Mapping[str, F32], outputs: Sequence[str]) -> list[F32]:
        """The answers named, for one pass over named inputs."""
        return [np.asarray(o, np.float32) for o in self._session.run(outputs, dict(inputs))]

    def check(
        self, inputs: Mapping[str, tuple[int, ...]], outputs: Mapping[str, tuple[int, ...]]
    ) -> None:
        """Nothing; raises WeightsError unless inputs of these shapes (batch of one included) give
        answers of these.
        """
        blank = {key: np.zeros(shape, np.float32) for key, shape in inputs.items()}
        try:
            found = self.run(blank, list(outputs))
        except _RUNTIME_ERRORS as error:
            raise WeightsError(
                f"vision/weights/{self.name}.onnx does not take {dict(inputs)} or has no answers"
                f" named {', '.join(outputs)} ({error}): export it again with python -m"
                " vision.train"
            ) from error
        for (name, shape), answer in zip(outputs.items(), found, strict=True):
            if answer.shape != shape:
                raise WeightsError(
                    f"vision/weights/{self.name}.json names columns for {name} of shape {shape},"
                    f" {self.name}.onnx gives {answer.shape}: weights and columns must come from"
                    " one run of python -m vision.train"
                )


def load_network(name: str, folder: Path = SHIPPED) -> OnnxNetwork:
    """The network of `<name>.onnx`. Raises WeightsError."""
    options = onnxruntime.SessionOptions()
    # One thread: what a picture costs is then the same on every machine, and what it says too.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        data = (folder / f"{name}.onnx").read_bytes()
        session = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])
    except (OSError, *_RUNTIME_ERRORS) as error:
        raise unusable(f"{name}.onnx", error) from error
    return OnnxNetwork(name, session)


class Numbers(Protocol):
    """A frozen dataclass of what was fitted beside a network, one field for each key of its JSON.

    `columns`: for each answer of the network what its columns stand for.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def columns(self) -> Columns:
        """For each answer of the network what its columns stand for."""


N = TypeVar("N", bound=Numbers)


def load_numbers(kind: type[N], name: str, folder: Path = SHIPPED) -> N:
    """The numbers of `<name>.json`. Raises WeightsError."""
    try:
        text = (folder / f"{name}.json").read_text()
        found = _frozen(json.loads(text))
        version = found.pop("version")
        if version != VERSION:
            raise WeightsError(
                f"vision/weights/{name}.json is of version {version}, this program reads"
                f" {VERSION}: install takhte again"
            )
        return kind(**found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable(f"{name}.json", error) from error


def numbers_json(numbers: Numbers) -> str:
    """What `load_numbers` reads, for training to write."""
    return json.dumps({"version": VERSION, **asdict(numbers)}, indent=1) + "\n"


def _frozen(value: Any) -> Any:
    """The same with tuples for lists, so that numbers cannot be changed by who reads them."""
    if isinstance(value, dict):
        return {key: _frozen(v) for key, v in value.items()}
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


def unusable(file: str, error: Exception) -> WeightsError:
    """What to say of a weights file that cannot be used."""
    return WeightsError(
        f"vision/weights/{file} cannot be used ({error}): install takhte again or run python -m"
        " vision.train"
    )


def picture_input(pixels: Pixels, scale: float) -> F32:
    """A picture of three channels (what more it has is left out) as networks take it: 1 x 3 x
    height x width, less the middle grey, times `scale`.
    """
    # The same to the bit as cv2.dnn.blobFromImage, in half its time.
    levels = (np.arange(256, dtype=np.float32) - np.float32(127.5)) * np.float32(scale)
    x = np.empty((1, 3, *pixels.shape[:2]), np.float32)
    for plane, colour in zip(x[0], cv2.split(pixels), strict=False):
        cv2.LUT(colour, levels, dst=plane)
    return x


def softmax(logits: F32, axis: int = -1) -> F32:
    """Probabilities of logits, of the same shape."""
    e = np.exp(logits - logits.max(axis, keepdims=True))
    return np.asarray(e / e.sum(axis, keepdims=True), np.float32)
