"""The dice finder's file as it is run soonest: its first layer answers for two columns of pixels at
once.

Eight channels fill half a register of a processor that multiplies sixteen numbers at a time, and
have to be laid out anew for the second layer. Both columns' together are sixteen: the same sums,
an eighth less time for the whole network there (none lost where registers hold eight).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from vision.arrays import F32


def in_two_columns(path: Path) -> str:
    """What to say of the finder's file, whose first two layers are written anew so that the first
    answers for two columns at once. Pictures of it are a multiple of four wide, as they were.
    """
    model = onnx.load(str(path))
    first, second = _first_two(model)
    w, b = _weights(model, first)
    number = len(w)
    both = np.zeros((2 * number, w.shape[1], 3, 5), np.float32)
    # The second column's pixels lie two to the right.
    both[:number, :, :, :3], both[number:, :, :, 2:] = w, w
    _write(model, first, both, np.concatenate([b, b]))
    _shape(first, (3, 5), strides=(2, 4), pads=(1, 1, 1, 0))
    w, b = _weights(model, second)
    pairs = np.zeros((len(w), 2 * number, 3, 2), np.float32)
    # Of the pair to the left its second column alone, then both.
    pairs[:, number:, :, 0] = w[..., 0]
    pairs[:, :number, :, 1], pairs[:, number:, :, 1] = w[..., 1], w[..., 2]
    _write(model, second, pairs, b)
    _shape(second, (3, 2), strides=(2, 1), pads=(1, 1, 1, 0))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return f"{path.name}: two columns at once"


def in_one_column(path: Path, into: Path) -> Path:
    """`into`, written with the weights of a file of `in_two_columns` as the finder learned them."""
    model = onnx.load(str(path))
    first, second = _first_two(model)
    w, b = _weights(model, first)
    number = len(w) // 2
    _write(model, first, w[:number, :, :, :3], b[:number])
    _shape(first, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1))
    pairs, b = _weights(model, second)
    columns = pairs[:, number:, :, 0], pairs[:, :number, :, 1], pairs[:, number:, :, 1]
    _write(model, second, np.stack(columns, 3), b)
    _shape(second, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1))
    onnx.save(model, str(into))
    return into


def _first_two(model: onnx.ModelProto) -> tuple[onnx.NodeProto, onnx.NodeProto]:
    first, second = [node for node in model.graph.node if node.op_type == "Conv"][:2]
    return first, second


def _weights(model: onnx.ModelProto, node: onnx.NodeProto) -> tuple[F32, F32]:
    """A convolution's kernel and what it adds."""
    stored = {one.name: one for one in model.graph.initializer}
    kernel, added = (np.array(numpy_helper.to_array(stored[name])) for name in node.input[1:3])
    return kernel, added


def _write(model: onnx.ModelProto, node: onnx.NodeProto, kernel: F32, added: F32) -> None:
    stored = {one.name: one for one in model.graph.initializer}
    for name, value in zip(node.input[1:3], (kernel, added), strict=True):
        stored[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), name))


def _shape(node: onnx.NodeProto, kernel: tuple[int, ...], **steps: tuple[int, ...]) -> None:
    new: dict[str, Any] = {"kernel_shape": kernel, **steps}
    kept = [one for one in node.attribute if one.name not in new]
    del node.attribute[:]
    node.attribute.extend([*kept, *(helper.make_attribute(key, new[key]) for key in new)])
