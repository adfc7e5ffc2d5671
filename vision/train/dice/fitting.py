"""What the fits of a few numbers beside the networks have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from vision.arrays import F64


def fit_arguments(name: str, about: str | None, scenes: int, seed: int) -> argparse.ArgumentParser:
    """What may be asked of a fit on whole scenes that no network was taught with."""
    parser = argparse.ArgumentParser(prog=f"vision.train.dice.{name}", description=about)
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    parser.add_argument("--scenes", type=int, default=scenes)
    parser.add_argument("--seed", type=int, default=seed)
    return parser


def logistic(x: F64, y: F64, ridge: float = 1.0) -> F64:
    """Weights of a logistic regression (constant first) by Newton's method."""
    others = x.shape[1] - 1
    start, pull = np.array([0.0] + [0.5] * others), np.array([0.0] + [ridge] * others)

    def cost(w: F64) -> float:
        odds = x @ w
        return float((np.logaddexp(0, odds) - y * odds).sum() + (pull * (w - start) ** 2).sum() / 2)

    w = start
    for _ in range(40):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (p - y) + pull * (w - start)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(pull + 1e-6)
        step = np.linalg.solve(hessian, gradient)
        # A whole step of Newton's may leap over the valley and never come back.
        while np.abs(step).max() > 1e-8 and cost(w - step) > cost(w):
            step = step / 2
        w = w - step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(w, np.float64)
