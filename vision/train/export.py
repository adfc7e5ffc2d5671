"""Trained weights to ONNX files that cv2.dnn runs, and the numbers fitted beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from vision import canvas as grid
from vision.calibrate import FINDER_SIZE, PATCH, peak
from vision.checkers import doubt_piles
from vision.network import softmax
from vision.train.data import BAR_KINDS, KINDS, Labelled, painted, sample
from vision.train.find import batch_of, off_patches
from vision.train.fit import batch
from vision.train.nets import CheckerNet

OPSET = 13


def _export(
    net: Any, inputs: tuple[Any, ...], path: Path, names: list[str], outputs: list[str]
) -> int:
    net = net.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        net,
        inputs,
        str(path),
        input_names=names,
        output_names=outputs,
        opset_version=OPSET,
        dynamo=False,
    )
    onnx.checker.check_model(str(path))
    return path.stat().st_size


def export_checkers(net: CheckerNet, path: Path) -> int:
    """Writes the checker network (batch norm folded) and gives the file's bytes."""
    net.freeze()
    inputs = (torch.zeros(1, 3, grid.ROWS, grid.COLUMNS), torch.zeros(1, 7, 1, 1))
    return _export(net, inputs, path, ["x", "palette"], ["points", "bar", "sides", "cells"])


def export_finder(net: Any, path: Path) -> int:
    return _export(
        net, (torch.zeros(1, 3, FINDER_SIZE[1], FINDER_SIZE[0]),), path, ["x"], ["heat", "there"]
    )


def export_corners(net: Any, path: Path) -> int:
    return _export(net, (torch.zeros(8, 3, PATCH, PATCH),), path, ["x"], ["out"])


def fit_bias(net: Any, held_out: list[Labelled], path: Path, seed: int) -> list[list[float]]:
    """How far the corners seen lie from the true ones on held-out boards, in the mean: patch
    pixels, for outer corners and bar ends.
    """
    rng = np.random.default_rng(seed)
    net.eval()
    errors: list[list[Any]] = [[], []]
    with torch.no_grad():
        for item in held_out * 3:
            patches, at = off_patches(item, rng)
            heat = torch.softmax(net(batch_of(list(patches))), 1).numpy()
            for k in range(8):
                seen = (
                    np.array(
                        peak(
                            np.log(np.maximum(heat[k, :-1], 1e-12)).reshape(PATCH // 2, PATCH // 2)
                        )
                    )
                    * 2
                    + 0.5
                )
                if np.abs(seen - at[k]).max() < 4:
                    errors[k // 4].append(seen - at[k])
    bias = [[round(float(v), 2) for v in np.median(np.array(e), 0)] for e in errors]
    path.write_text(json.dumps({"bias": bias}) + "\n")
    return bias


def export_orientation(net: Any, path: Path) -> int:
    return _export(net, (torch.zeros(1, 50),), path, ["x"], ["out"])


def fit_numbers(
    net: CheckerNet, training: list[Labelled], held_out: list[Labelled], path: Path, seed: int
) -> dict[str, Any]:
    """Temperatures that make held-out confidences honest, and how common each kind was in training;
    written as JSON beside the network.
    """
    rng = np.random.default_rng(seed)
    items = training[:: max(1, len(training) // 400)] + [painted(rng) for _ in range(60)]
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
            b = batch([sample(item, None) for item in held_out[i : i + 16]])
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

    def coolest(loss: Any, logits: list[Any], target: list[Any]) -> float:
        # Some dozens of bars do not tell: one that is misread would damp all. So a temperature is
        # thought to be within a third of one.
        x, y = torch.cat(logits), torch.cat(target)
        unusual = {float(t): 0.5 * (np.log(t) / 0.3) ** 2 for t in np.geomspace(0.5, 4, 40)}
        return (
            min(unusual, key=lambda t: len(y) * float(loss(x / t, y)) + unusual[t])
            if len(y)
            else 1.0
        )

    prior = (counts + 20) / (counts + 20).sum()
    temperature, doubt = calmest(torch.cat(points).numpy(), torch.cat(truth).numpy(), prior)
    numbers = {
        "temperature": temperature,
        "pile_doubt": doubt,
        "bar_temperature": round(coolest(cross, bar, bar_truth), 3),
        "side_temperature": round(max(1.0, coolest(binary, sides, side_truth)), 3),
        # Smoothed, so that a kind seen twice in training is no trump.
        "prior": [round(float(v), 5) for v in prior],
        "bar_prior": [round(float(v), 5) for v in (bars + 5) / (bars + 5).sum()],
        "upright_prior": 0.3,
    }
    path.write_text(json.dumps(numbers, indent=1) + "\n")
    return numbers


def calmest(logits: Any, truth: Any, prior: Any) -> tuple[float, float]:
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
