"""Trained weights to ONNX files that onnxruntime runs, and the numbers fitted beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from vision import canvas as grid
from vision.arrays import F32, F64, I64
from vision.checkers import ANSWERS, KINDS, CheckerNumbers, doubt_piles
from vision.corners import PATCH, CornerNumbers, heat_peak
from vision.network import load_numbers, softmax
from vision.train.board_views import off_patches
from vision.train.canvas_data import BAR_KINDS, canvas_example
from vision.train.checkers import canvas_batch
from vision.train.data import Labelled, painted_labelled
from vision.train.find import patch_batch
from vision.train.nets import CheckerNet

OPSET: Final = 13


def export_network(
    net: nn.Module,
    path: Path,
    inputs: Mapping[str, Tensor],
    outputs: Sequence[str],
    *,
    any_number: bool = False,
    any_size: bool = False,
) -> str:
    """What to say of the ONNX file written. `inputs`: examples by name. `any_number` of pictures in
    a batch, `any_size` of them.
    """
    free = {0: "n"} if any_number else {2: "h", 3: "w"} if any_size else {}
    axes = dict.fromkeys((*inputs, *outputs), free) if free else None
    torch.onnx.export(
        net.eval().to(memory_format=torch.contiguous_format),
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=list(outputs),
        opset_version=OPSET,
        dynamo=False,
        dynamic_axes=axes,
    )
    onnx.checker.check_model(str(path))
    return f"{path.name}: {path.stat().st_size / 1e3:.0f} kB"


def export_checkers(net: CheckerNet, path: Path) -> str:
    """What to say of the checker network's file (batch norm folded)."""
    net.freeze()
    x, palette = torch.zeros(1, 3, grid.ROWS, grid.COLUMNS), torch.zeros(1, 7, 1, 1)
    return export_network(net, path, {"x": x, "palette": palette}, ANSWERS)


def fit_bias(net: nn.Module, held_out: list[Labelled], seed: int) -> CornerNumbers:
    """How far the corners seen lie from the true ones on held-out boards, in the mean: patch
    pixels, for outer corners and bar ends.
    """
    rng = np.random.default_rng(seed)
    net.eval()
    errors: list[list[F64]] = [[], []]
    with torch.no_grad():
        for item in held_out * 3:
            patches, at = off_patches(item, rng)
            heat = torch.softmax(net(patch_batch(list(patches))), 1).numpy()
            for k in range(8):
                seen = (
                    np.array(
                        heat_peak(
                            np.log(np.maximum(heat[k, :-1], 1e-12)).reshape(PATCH // 2, PATCH // 2)
                        )
                    )
                    * 2
                    + 0.5
                )
                if np.abs(seen - at[k]).max() < 4:
                    errors[k // 4].append(seen - at[k])
    outer, ends = (np.median(np.array(e), 0) for e in errors)
    bias = (_rounded(outer), _rounded(ends))
    return replace(load_numbers(CornerNumbers, "corners"), bias=bias)


def _rounded(place: F64) -> tuple[float, float]:
    return round(float(place[0]), 2), round(float(place[1]), 2)


def fit_checker_numbers(
    net: CheckerNet, training: list[Labelled], held_out: list[Labelled], seed: int
) -> CheckerNumbers:
    """Temperatures that make held-out confidences honest; how common each kind was in training."""
    rng = np.random.default_rng(seed)
    items = training[:: max(1, len(training) // 400)] + [painted_labelled(rng) for _ in range(60)]
    counts = np.bincount(np.concatenate([i.points for i in items]), minlength=KINDS).astype(
        np.float64
    )
    bars = np.bincount(
        [min(n, BAR_KINDS - 1) for i in items for n in i.bar], minlength=BAR_KINDS
    ).astype(np.float64)
    net.eval()
    points, truth, bar, bar_truth, sides, side_truth = [], [], [], [], [], []
    with torch.no_grad():
        for i in range(0, len(held_out), 16):
            b = canvas_batch([canvas_example(item, None) for item in held_out[i : i + 16]])
            p, c, s, _ = net(b["x"], b["palette"])
            clear = b["visible"] > 0.9
            points.append(p[..., :KINDS][clear])
            truth.append(b["points"][clear])
            bar.append(c.reshape(-1, BAR_KINDS))
            bar_truth.append(b["bar"].reshape(-1))
            sided = b["sides"][:, 1] > 0
            sides.append(s[:, 0][sided])
            side_truth.append(b["sides"][:, 0][sided])
    cross = torch.nn.functional.cross_entropy
    binary = torch.nn.functional.binary_cross_entropy_with_logits

    prior = (counts + 20) / (counts + 20).sum()
    temperature, doubt = calmest(torch.cat(points).numpy(), torch.cat(truth).numpy(), prior)
    return replace(
        load_numbers(CheckerNumbers, "checkers"),
        temperature=temperature,
        pile_doubt=doubt,
        bar_temperature=round(coolest(cross, bar, bar_truth), 3),
        side_temperature=round(max(1.0, coolest(binary, sides, side_truth)), 3),
        # Smoothed, so that a kind seen twice in training is no trump.
        prior=tuple(round(float(v), 5) for v in prior),
        bar_prior=tuple(round(float(v), 5) for v in (bars + 5) / (bars + 5).sum()),
        upright_prior=0.6,
    )


def coolest(
    loss: Callable[[Tensor, Tensor], Tensor], logits: list[Tensor], target: list[Tensor]
) -> float:
    """The temperature under which the truth costs least, 1 where there is none to ask."""
    # Some dozens of bars do not tell: one that is misread would damp all. So a temperature is
    # thought to be within a third of one.
    x, y = torch.cat(logits), torch.cat(target)
    unusual = {float(t): 0.5 * (np.log(t) / 0.3) ** 2 for t in np.geomspace(0.5, 4, 40)}
    return (
        min(unusual, key=lambda t: len(y) * float(loss(x / t, y)) + unusual[t]) if len(y) else 1.0
    )


def calmest(logits: F32, truth: I64, prior: F64) -> tuple[float, float]:
    """Temperature and share of doubt about high piles that together make the held-out truth
    likeliest.
    """
    best = (float("inf"), 1.0, 0.0)
    for temperature in np.geomspace(0.5, 3, 22):
        likely = softmax((logits / temperature).astype(np.float32)).astype(np.float64)
        for doubt in (0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6):
            p = doubt_piles(likely, doubt, prior)[np.arange(len(truth)), truth]
            cost = float(-np.log(np.maximum(p, 1e-6)).mean())
            best = min(best, (cost, round(float(temperature), 3), doubt))
    return best[1], best[2]
