"""Train the count model on the physics: `python -m firmware_bridge.train [--board FILE] [--samples
N] [--out FILE]`.

Every sample lays checkers as hands do (`physics.lay_piles`), on a point and on both its neighbours,
and measures with sensors whose calibration is as good as a calibration gets. Takes about ten
minutes on one core; seeded, so the same machine makes the same file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.board_spec import BoardSpec, load_board, reference_board
from firmware_bridge.count_model import (
    F32,
    POINT_CLASSES,
    Network,
    NetworkJson,
    physics_key,
    point_inputs,
)
from firmware_bridge.physics import F64, FITS, MOST, ROW, FieldTable, lay_piles

GAIN_RESIDUAL: Final = 0.012
"""Error of a sensor's gain in training (1 sigma): wider than a calibration leaves, so that nothing
hangs on the last per cent.
"""
OFFSET_RESIDUAL: Final = 0.003
"""Error of its zero and noise together, in checkers (2 of 629 wire units)."""
CALIBRATED: Final = (0.007, 0.002)
"""The same two as LED-guided calibration leaves them (tests/board measures it): the network's doubt
is tuned to these.
"""
BLIND_CHANCE: Final = 0.02
"""How often a sensor is hidden in training, so that a dead one costs certainty and not truth."""
MIXED_SHARE: Final = 0.12

Signs = NDArray[np.int8]


def point_signs(rng: np.random.Generator, classes: NDArray[np.intp]) -> Signs:
    """Which checkers of each class lie in which order: (N, 15) of +1 light, -1 dark, 0 none."""
    light, dark = (np.array([pair[k] for pair in POINT_CLASSES])[classes] for k in (0, 1))
    order = np.argsort(
        rng.uniform(0, 1, (len(classes), MOST)) + 10 * (np.arange(MOST) >= (light + dark)[:, None]),
        axis=1,
    )
    return np.where(
        order < light[:, None], 1, np.where(order < (light + dark)[:, None], -1, 0)
    ).astype(np.int8)


def point_set(
    board: BoardSpec, rng: np.random.Generator, n: int, fit: str | None = None
) -> tuple[F32, NDArray[np.intp], F64, NDArray[np.intp]]:
    """(values of own sensors and both neighbours' (n, 15), neighbour present (n, 2), slack (n,),
    class (n,)), all in checkers.
    """
    table, sensor = FieldTable(board.magnet), board.sensor
    unit = float(table.at(np.array([0.0]), np.array([sensor.gap]))[0])
    fits = [FITS[fit]] if fit else list(FITS.values())
    pick = rng.integers(0, len(fits), n)
    slack, jitter = (np.array([getattr(f, key) for f in fits])[pick] for key in ("slack", "jitter"))
    pure = 2 * MOST + 1
    own = np.where(
        rng.uniform(0, 1, n) < MIXED_SHARE,
        rng.integers(pure, len(POINT_CLASSES), n),
        rng.integers(0, pure, n),
    )
    places = board.sensors.of_point(1)
    sensor_y = np.array([board.sensors.places[number].y for number in places])
    values = np.zeros((n, 15))
    exists = (rng.uniform(0, 1, (n, 2)) < 0.9).astype(np.intp)
    for side, shift in enumerate((0.0, -board.pitch, board.pitch)):
        if side == 0:
            classes = own
        else:
            count = np.where(
                rng.uniform(0, 1, n) < 0.6,
                rng.integers(0, 6, n),
                np.where(rng.uniform(0, 1, n) < 0.2, rng.integers(6, 16, n), 0),
            )
            classes = (
                np.where(rng.uniform(0, 1, n) < 0.5, count, np.where(count > 0, MOST + count, 0))
                * exists[:, side - 1]
            )
        signs = point_signs(rng, classes)
        x, y = lay_piles(rng, slack, jitter, board.checker_diameter)
        strength = signs * rng.normal(1, board.magnet.spread, signs.shape)
        at, k = np.nonzero(signs)
        z: F64 = np.asarray(sensor.gap + board.checker_thickness * (k // ROW), np.float64)
        for column in range(15):
            sensor_x = (0.0, -board.pitch, board.pitch)[column // 5]
            if abs(shift - sensor_x) > 1.5 * board.pitch:
                continue
            r = np.hypot(shift + x[at, k] - sensor_x, y[at, k] - sensor_y[column % 5])
            values[:, column] += np.bincount(at, table.at(r, z) * strength[at, k], n) / unit
    return values.astype(np.float32), exists, slack, own


def measured(
    rng: np.random.Generator,
    values: F32,
    errors: tuple[float, float] = (GAIN_RESIDUAL, OFFSET_RESIDUAL),
) -> F32:
    """As calibrated sensors give them, with so much error of gain and offset."""
    gain, offset = errors
    common = rng.normal(1, gain / 2, (len(values), 1))
    result: F32 = (
        values * rng.normal(1, gain, values.shape) * common + rng.normal(0, offset, values.shape)
    ).astype(np.float32)
    return result


def point_rows(rng: np.random.Generator, values: F32, exists: NDArray[np.intp], slack: F64) -> F32:
    """Network inputs, some sensors hidden.

    A mirror image in colour is as likely, so the caller may flip signs.
    """
    seen = measured(rng, values)
    known = rng.uniform(0, 1, (len(values), 5)) >= BLIND_CHANCE
    sides = seen[:, 5:] * np.repeat(exists, 5, axis=1)
    rows = point_inputs(seen[:, :5], known, sides, 0.0)
    rows[:, -1] = slack / 4
    return rows


def fit_network(
    rng: np.random.Generator,
    sizes: list[int],
    rows_of: Callable[[], F32],
    targets: NDArray[np.intp],
    classes: tuple[tuple[int, int], ...],
    epochs: int,
) -> Network:
    """Adam on cross-entropy with a falling rate; `rows_of()` gives the inputs afresh (noise anew)
    each epoch.
    """
    layers = [
        (rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in itertools.pairwise(sizes)
    ]
    moments = [
        [np.zeros_like(p) for p in layer] + [np.zeros_like(p) for p in layer] for layer in layers
    ]
    batch, step = 4096, 0
    total = epochs * (len(targets) // batch)
    for epoch in range(epochs):
        rows = rows_of()
        order, loss = rng.permutation(len(targets)), 0.0
        for start in range(0, len(order) - batch + 1, batch):
            chosen = order[start : start + batch]
            step += 1
            rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * step / total)) + 1e-6
            acts, target = [rows[chosen]], targets[chosen]
            for k, (w, b) in enumerate(layers):
                h = acts[-1] @ w + b
                acts.append(np.maximum(h, 0) if k + 1 < len(layers) else h)
            p = np.exp(acts[-1] - acts[-1].max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            loss -= float(np.log(p[np.arange(batch), target] + 1e-12).mean())
            p[np.arange(batch), target] -= 1
            grad = p / batch
            for k in reversed(range(len(layers))):
                w, b = layers[k]
                slopes = (acts[k].T @ grad, grad.sum(axis=0))
                if k:
                    grad = (grad @ w.T) * (acts[k] > 0)
                for j, (param, slope) in enumerate(zip((w, b), slopes, strict=True)):
                    m, v = moments[k][j], moments[k][2 + j]
                    m += 0.1 * (slope - m)
                    v += 0.002 * (slope * slope - v)
                    param -= (
                        rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.998**step)) + 1e-8)
                    ).astype(np.float32)
        print(f"epoch {epoch + 1}: cross-entropy {loss / (len(targets) // batch):.4f}", flush=True)
    share = np.bincount(targets, minlength=len(classes)) / len(targets)
    return Network(classes, share.astype(np.float32), tuple(layers))


def tuned(board: BoardSpec, network: Network, rng: np.random.Generator, samples: int) -> Network:
    """The network with the sharpness that makes fresh samples of well calibrated sensors likeliest
    (temperature scaling, Guo et al. 2017)."""
    values, exists, slack, classes = point_set(board, rng, samples)
    seen = measured(rng, values, CALIBRATED)
    rows = point_inputs(
        seen[:, :5],
        np.ones((samples, 5), dtype=bool),
        seen[:, 5:] * np.repeat(exists, 5, axis=1),
        0.0,
    )
    rows[:, -1] = slack / 4
    pure = classes <= 2 * MOST

    def loss(sharpness: float) -> float:
        chances = replace(network, sharpness=sharpness).likelihoods(rows[pure])
        return -float(np.log(chances[np.arange(pure.sum()), classes[pure]] + 1e-12).mean())

    return replace(network, sharpness=min((1 + k / 20 for k in range(-4, 13)), key=loss))


CountModelJson = TypedDict(
    "CountModelJson", {"physics": dict[str, float], "made by": str, "point": NetworkJson}
)
"""What `count_model.json` holds; `physics`: what of the board it was trained for."""


def train_count_model(board: BoardSpec, samples: int, epochs: int, seed: int = 1) -> CountModelJson:
    """A count model trained on a board's physics, as it is kept."""
    rng = np.random.default_rng(seed)
    values, exists, slack, classes = point_set(board, rng, samples)
    print(f"{samples} points laid", flush=True)
    point = fit_network(
        rng,
        [21, 128, 128, len(POINT_CLASSES)],
        lambda: point_rows(rng, values, exists, slack),
        classes,
        POINT_CLASSES,
        epochs,
    )
    point = tuned(board, point, rng, min(samples, 40_000))
    print(f"sharpness {point.sharpness:.2f}", flush=True)
    return {
        "physics": physics_key(board),
        "made by": "python -m firmware_bridge.train",
        "point": point.to_json(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m firmware_bridge.train",
        description="Train the count model on a board's physics.",
    )
    parser.add_argument("--board", type=Path, help="a board.toml; the reference board by default")
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("count_model.json"))
    given = parser.parse_args()
    board = (
        load_board(given.board.read_text(encoding="utf-8"), str(given.board))
        if given.board
        else reference_board()
    )
    given.out.write_text(
        json.dumps(train_count_model(board, given.samples, given.epochs)) + "\n", encoding="utf-8"
    )
    print(f"wrote {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
