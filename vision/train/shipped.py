"""Shipped weights as a network that can learn on: no checkpoint is kept beside the ONNX files.

Exporting folds each normalisation into the convolution before it. Here it is unfolded again with
what the convolution gives on examples, so that the network answers as the shipped one does and
learns as one that was never folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

Pair = tuple[nn.Conv2d, nn.BatchNorm2d]


def shipped(net: nn.Module, path: Path, examples: Sequence[tuple[Tensor, ...]]) -> nn.Module:
    """`net` with the weights of an ONNX file that was exported from its like; `examples`: inputs of
    some batches, for the normalisations. Raises ValueError where the file is of another network.
    """
    graph = onnx.load(str(path)).graph
    stored = {i.name: torch.tensor(np.array(numpy_helper.to_array(i))) for i in graph.initializer}
    own = dict(net.named_parameters())
    pairs = _pairs_in_order(net, examples[0])
    convolutions = [n.input for n in graph.node if n.op_type == "Conv" and n.input[1] not in own]
    if len(pairs) != len(convolutions) or any(
        conv.weight.shape != stored[names[1]].shape
        for (conv, _), names in zip(pairs, convolutions, strict=False)
    ):
        raise ValueError(
            f"{path} has {len(convolutions)} folded convolutions, {type(net).__name__}"
            f" {len(pairs)} of other shapes: train it from nothing (leave out --resume)"
        )
    with torch.no_grad():
        for name, value in stored.items():
            if name in own:
                own[name].copy_(value)
        _copy_turned(own, stored, graph)
        for (conv, norm), names in zip(pairs, convolutions, strict=True):
            conv.weight.copy_(stored[names[1]])
            norm.weight.fill_(1.0)
            norm.bias.copy_(stored[names[2]])
            norm.running_mean.zero_()
            norm.running_var.fill_(1.0 - norm.eps)
        _unfold(net, [norm for _, norm in pairs], examples)
    return net


def _pairs_in_order(net: nn.Module, example: tuple[Tensor, ...]) -> list[Pair]:
    """Each convolution that is normalised, in the order in which the network comes to them."""
    before = {
        b: a
        for m in net.modules()
        if isinstance(m, nn.Sequential)
        for a, b in zip(m, list(m)[1:], strict=False)
        if isinstance(a, nn.Conv2d) and isinstance(b, nn.BatchNorm2d)
    }
    met: list[Pair] = []
    hooks = [b.register_forward_hook(lambda m, _, __: met.append((before[m], m))) for b in before]
    net.eval()
    with torch.no_grad():
        net(*example)
    for hook in hooks:
        hook.remove()
    return met


def _copy_turned(
    own: dict[str, nn.Parameter], stored: dict[str, Tensor], graph: onnx.GraphProto
) -> None:
    """Weights that a graph multiplies with are written down turned, without their name."""
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored:
            turned = stored[node.input[1]].T
            (name,) = (n for n, p in own.items() if n not in stored and p.shape == turned.shape)
            own[name].copy_(turned)


def _unfold(
    net: nn.Module, norms: list[nn.BatchNorm2d], examples: Sequence[tuple[Tensor, ...]]
) -> None:
    """Means and spreads of what each normalisation is given, written into it so that nothing that
    it answers changes.
    """
    seen: dict[nn.BatchNorm2d, list[tuple[Tensor, Tensor]]] = {norm: [] for norm in norms}

    def look(norm: nn.BatchNorm2d, inputs: tuple[Tensor, ...], _: Tensor) -> None:
        x = inputs[0]
        seen[norm].append((x.mean((0, 2, 3)), (x * x).mean((0, 2, 3))))

    hooks = [norm.register_forward_hook(look) for norm in norms]
    net.eval()
    for example in examples:
        net(*example)
    for hook in hooks:
        hook.remove()
    for norm, looks in seen.items():
        mean = torch.stack([m for m, _ in looks]).mean(0)
        spread = (torch.stack([s for _, s in looks]).mean(0) - mean**2).clamp(min=1e-6)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(spread)
        norm.weight.copy_((spread + norm.eps).sqrt())
        norm.bias.add_(mean)
