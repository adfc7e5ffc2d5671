"""Training of the two networks that find a board:

`finder` (corners in a whole picture) and `corners` (each corner nearby, exactly).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from vision.arrays import F64, Pixels
from vision.calibrate import FINDER_SIZE, HEAT, PATCH, corner_patches, finder_view, patch_places
from vision.geometry import GeometryError, from_corners
from vision.synthetic.texture import fractal
from vision.synthetic.truth import LIGHT
from vision.train.data import Labelled, Traced, painted, recolour
from vision.train.nets import Residual, conv, running_mean

Tensor = Any


class FinderNet(nn.Module):  # type: ignore[misc]
    """Picture (N,3,192,256) -> four corner maps (N,4,48,64) as logits, and one logit: is there a
    board.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(conv(3, 24, 6, 4, 1), conv(24, 24))
        self.mid = nn.Sequential(conv(24, 48, 3, 2), Residual(48))
        self.coarse = nn.Sequential(conv(48, 64, 3, 2), Residual(64), conv(64, 64, 5), Residual(64))
        self.up_mid = conv(48 + 64, 48, 1)
        self.mix_mid = conv(48, 48)
        self.up_fine = conv(24 + 48, 24, 1)
        self.heat = nn.Sequential(conv(24, 24), nn.Conv2d(24, 4, 1))
        self.there = nn.Conv2d(64, 1, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = self.fine(x)
        m = self.mid(f)
        c = self.coarse(m)
        there = self.there(nn.functional.adaptive_avg_pool2d(c, 1))[:, :, 0, 0]
        up = nn.functional.interpolate(c, scale_factor=2, mode="nearest")
        m = self.mix_mid(self.up_mid(torch.cat([m, up], 1)))
        up = nn.functional.interpolate(m, scale_factor=2, mode="nearest")
        return self.heat(self.up_fine(torch.cat([f, up], 1))), there


class CornerNet(nn.Module):  # type: ignore[misc]
    """Patches (N,3,56,56), each turned so that the corner is a north-west one, to (N,785): where it
    is (28 x 28) or nowhere here.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(conv(3, 20, 3, 2), conv(20, 28), conv(28, 28))
        self.coarse = nn.Sequential(conv(28, 48, 3, 2), conv(48, 48), conv(48, 48, 5), conv(48, 48))
        self.mix = nn.Sequential(conv(28 + 48, 32, 1), conv(32, 32), nn.Conv2d(32, 1, 1))
        self.nowhere = nn.Linear(48, 1)

    def forward(self, x: Tensor) -> Tensor:
        f = self.fine(x)
        c = self.coarse(f)
        up = nn.functional.interpolate(c, scale_factor=2, mode="nearest")
        heat = self.mix(torch.cat([f, up], 1)).flatten(1)
        return torch.cat([heat, self.nowhere(c.mean((2, 3)))], 1)


def shown(item: Labelled, rng: np.random.Generator) -> tuple[Pixels, F64]:
    """The picture as the finder sees it, taken anew: nearer, farther, turned, from another side,
    mirrored, re-coloured, on another table or under a broadcaster's graphics; and the corners in
    it."""
    picture = elsewhere(item, rng) if len(item.outline) and rng.random() < 0.3 else item.pixels
    view, factor = finder_view(picture)
    corners = item.corners * factor
    middle = np.array([FINDER_SIZE[0], FINDER_SIZE[1]]) / 2
    board = np.array([item.pixels.shape[1], item.pixels.shape[0]]) * factor / 2
    turn = math.radians(rng.normal(0, 7))
    zoom = rng.uniform(0.62, 1.12) if rng.random() < 0.7 else rng.uniform(0.35, 0.7)
    a = zoom * np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    if rng.random() < 0.5:
        a[:, 0] *= -1
    if rng.random() < 0.3:
        a[:, 1] *= -1
    m = np.eye(3)
    m[:2] = np.concatenate(
        [a, (middle - a @ board + rng.uniform(-0.1, 0.1, 2) * FINDER_SIZE)[:, None]], 1
    )
    if rng.random() < 0.5:
        m = leaning(rng) @ m
    border = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
    seen = cv2.warpPerspective(
        view, m, FINDER_SIZE, flags=cv2.INTER_LINEAR, borderMode=border
    ).astype(np.uint8)
    if rng.random() < 0.2:
        graphics(seen, rng)
    classes = np.zeros(seen.shape[:2], np.uint8)
    classes[:2, :2] = LIGHT
    seen, _ = recolour(seen, classes, rng)
    moved = cv2.perspectiveTransform(corners[None], m)[0]
    return seen, in_order(moved)


def leaning(rng: np.random.Generator) -> F64:
    """A camera that looks from farther to one side, mostly from the near edge: lines of the far
    edge shrink by up to two in five.
    """
    width, height = FINDER_SIZE
    square = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    far, lower = rng.uniform(0, 0.22), rng.uniform(0, 0.3)
    aside = rng.uniform(-0.06, 0.06)
    moved = (
        square
        + np.array([(far, lower), (-far, lower), (0, 0), (0, 0)]) * FINDER_SIZE
        + np.array([(0, aside), (0, -aside)] * 2) * height
    )
    return np.asarray(cv2.getPerspectiveTransform(square, moved.astype(np.float32)), np.float64)


def elsewhere(item: Labelled, rng: np.random.Generator) -> Pixels:
    """The board cut out along its frame and laid on another table: a plain or shaded one, or cloth."""
    height, width = item.pixels.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    # The frame's foot and the shadow beside it go with it.
    grown = item.outline.mean(0) + (item.outline - item.outline.mean(0)) * rng.uniform(1.0, 1.06)
    cv2.fillConvexPoly(mask, cv2.convexHull(grown.astype(np.int32)), 255, cv2.LINE_AA)
    table = np.empty((height // 8, width // 8, 3), np.float32)
    table[:] = (
        rng.choice([15, 245]) + rng.uniform(-12, 12, 3)
        if rng.random() < 0.5
        else rng.uniform(20, 240, 3)
    )
    grain = fractal(rng, table.shape[0], table.shape[1], rng.uniform(2, 60), rng.uniform(2, 60))
    table *= (1 + rng.uniform(0.0, 0.3) * grain)[..., None]
    wide = cv2.resize(np.clip(table, 0, 255), (width, height), interpolation=cv2.INTER_LINEAR)
    share = (cv2.GaussianBlur(mask, (0, 0), 1.5).astype(np.float32) / 255)[..., None]
    return np.asarray(item.pixels * share + wide * (1 - share), np.uint8)


def graphics(seen: Pixels, rng: np.random.Generator) -> None:
    """A broadcaster's panel along one side, with boxes on it: drawn into the picture."""
    width, height = FINDER_SIZE
    wide = int(rng.uniform(0.08, 0.24) * width)
    x = int(rng.choice([0, width - wide]))
    cv2.rectangle(seen, (x, 0), (x + wide, height), [float(v) for v in rng.uniform(0, 90, 3)], -1)
    for _ in range(int(rng.integers(2, 8))):
        at, size = (
            (x + int(rng.integers(wide)), int(rng.integers(height))),
            rng.integers(4, max(5, wide // 2), 2),
        )
        cv2.rectangle(
            seen,
            at,
            (at[0] + int(size[0]), at[1] + int(size[1])),
            [float(v) for v in rng.uniform(0, 255, 3)],
            -1,
        )


def in_order(corners: F64) -> F64:
    """TL TR BR BL of four corners in any order, for boards turned by less than a quarter."""
    by_height = corners[np.argsort(corners[:, 1])]
    top, bottom = by_height[:2], by_height[2:]
    top, bottom = top[np.argsort(top[:, 0])], bottom[np.argsort(bottom[:, 0])]
    return np.array([top[0], top[1], bottom[1], bottom[0]])


def nothing(item: Labelled, rng: np.random.Generator) -> Pixels:
    """A picture without a board: a corner of one at most, or cloth and boxes."""
    if rng.random() < 0.5:
        height, width = item.pixels.shape[:2]
        h, w = height // 3, width // 3
        y, x = rng.integers(0, height - h), rng.integers(0, width - w)
        piece = item.pixels[y : y + h, x : x + w]
        return cv2.resize(piece, FINDER_SIZE).astype(np.uint8)
    image = np.empty((FINDER_SIZE[1], FINDER_SIZE[0], 3), np.float32)
    image[:] = rng.uniform(20, 230, 3)
    image *= (
        1
        + rng.uniform(0.02, 0.3)
        * fractal(rng, FINDER_SIZE[1], FINDER_SIZE[0], rng.uniform(3, 60), rng.uniform(3, 60))
    )[..., None]
    for _ in range(int(rng.integers(0, 6))):
        centre, size = (
            (float(rng.uniform(0, 256)), float(rng.uniform(0, 192))),
            (float(rng.uniform(10, 240)), float(rng.uniform(10, 160))),
        )
        box = cv2.boxPoints((centre, size, float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(image, box.astype(np.int32), [float(v) for v in rng.uniform(10, 240, 3)])
    for _ in range(int(rng.integers(0, 12))):
        cv2.circle(
            image,
            (int(rng.integers(256)), int(rng.integers(192))),
            int(rng.integers(3, 30)),
            [float(v) for v in rng.uniform(10, 240, 3)],
            -1,
        )
    return np.clip(image, 0, 255).astype(np.uint8)


Patches = tuple[Pixels, F64]


def off_patches(item: Labelled, rng: np.random.Generator) -> Patches:
    """The eight patches of wrong corners and a wrong bar, re-coloured, and where in them (8 x 2,
    patch pixels) the corners truly are.
    """
    size = (item.pixels.shape[1], item.pixels.shape[0])
    unit = float(np.linalg.norm(item.corners[1] - item.corners[0])) / 13
    shake = float(rng.choice([0.03, 0.1, 0.25, 0.5]))
    bar = (
        float(np.clip(item.bar_width * np.exp(rng.normal(0, 0.2)), 0.3, 2.0))
        if rng.random() < 0.6
        else 1.0
    )
    wild = rng.random() < 0.06
    corners = item.corners + (rng.normal(0, 1, (4, 2)) + rng.normal(0, 1, 2)) * unit * (
        3 if wild else shake
    )
    try:
        m = from_corners(corners, size, bar=bar)
    except GeometryError:
        m = from_corners(item.corners, size, bar=bar)
    picture = item.pixels
    patches, frames = corner_patches(picture, m)
    tall = np.ascontiguousarray(np.concatenate(list(patches)))
    tall, _ = recolour(tall, np.zeros(tall.shape[:2], np.uint8), rng)
    at = patch_places(m.unproject(item.halves), frames)
    return tall.reshape(patches.shape), at


def heat_target(corners: F64) -> tuple[Tensor, Tensor]:
    """Gaussians of one cell about each corner (4,48,64), summing to one, and which corners are in
    the picture.
    """
    gx, gy = np.meshgrid(np.arange(HEAT[0]) * 4 + 1.5, np.arange(HEAT[1]) * 4 + 1.5)
    d = (gx[None] - corners[:, 0, None, None]) ** 2 + (gy[None] - corners[:, 1, None, None]) ** 2
    t = np.exp(-d / (2 * 4.0**2))
    total = t.sum((1, 2), keepdims=True)
    return torch.as_tensor((t / np.maximum(total, 1e-6)).astype(np.float32)), torch.as_tensor(
        (total[:, 0, 0] > 3).astype(np.float32)
    )


def batch_of(pictures: list[Pixels]) -> Tensor:
    x = torch.as_tensor(np.stack(pictures)).permute(0, 3, 1, 2).float()
    return ((x - 127.5) / 64).contiguous(memory_format=torch.channels_last)


def train_finder(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    resume: bool = False,
) -> None:
    """Averaged weights are saved as finder.pt in `out`."""
    _train(
        FinderNet(),
        _finder_loss,
        Again(_finder_example),
        folders,
        out / "finder.pt",
        minutes,
        seed,
        say,
        resume,
        16,
    )


def train_corners(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    resume: bool = False,
) -> None:
    """Averaged weights are saved as corners.pt in `out`."""
    _train(
        CornerNet(),
        _corner_loss,
        Again(off_patches),
        folders,
        out / "corners.pt",
        minutes,
        seed,
        say,
        resume,
        8,
    )


def _train(
    net: Any,
    loss: Callable[[Any, list[Any]], Tensor],
    examples: Again,
    folders: list[Path],
    path: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    resume: bool,
    number: int,
) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    if resume:
        net.load_state_dict(torch.load(path))
    net = net.to(memory_format=torch.channels_last)
    mean = running_mean(net, 0.99)
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    store = Traced(folders)
    pool: list[Labelled] = []
    began = looked = time.monotonic()
    step, running = 0, 0.0
    while (passed := (time.monotonic() - began) / 60 / minutes) < 1:
        items = []
        for _ in range(number):
            if store.training and rng.random() < 0.6:
                items.append(store.training[rng.integers(len(store.training))])
            elif len(pool) < 64 or rng.random() < 0.1:
                items.append(painted(rng))
                pool = [*pool[-700:], items[-1]]
            else:
                items.append(pool[rng.integers(len(pool))])
        for group in optimiser.param_groups:
            group["lr"] = (
                2e-3
                * min(1, (step + 1) / 60)
                * (0.5 * (1 + math.cos(math.pi * passed)) * 0.98 + 0.02)
            )
        value = loss(net, examples.draw(items, rng))
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean.update_parameters(net)
        running = 0.98 * running + 0.02 * float(value.detach()) if step else float(value.detach())
        step += 1
        if step % 50 == 0:
            say(f"{(time.monotonic() - began) / 60:.1f} min, step {step}, loss {running:.3f}")
        if time.monotonic() - looked > 180:
            looked = time.monotonic()
            store.refresh()
            torch.save(mean.module.state_dict(), path)
    torch.save(mean.module.state_dict(), path)


class Again:
    """Made examples, each used about three times, far apart: making one costs as much as learning
    from it.
    """

    def __init__(self, make: Callable[[Labelled, np.random.Generator], Any]) -> None:
        self.make = make
        self.made: list[Any] = []

    def draw(self, items: list[Labelled], rng: np.random.Generator) -> list[Any]:
        again = min(2 * len(items) // 3, len(self.made) // 20)
        fresh = [self.make(item, rng) for item in items[again:]]
        old = [self.made[int(i)] for i in rng.integers(0, len(self.made), again)] if again else []
        self.made = (self.made + fresh)[-600:]
        return fresh + old


def _finder_example(item: Labelled, rng: np.random.Generator) -> tuple[Pixels, F64 | None]:
    return (nothing(item, rng), None) if rng.random() < 0.12 else shown(item, rng)


def _finder_loss(net: Any, examples: list[tuple[Pixels, F64 | None]]) -> Tensor:
    pictures, targets, there, inside = [], [], [], []
    for seen, corners in examples:
        pictures.append(seen)
        if corners is None:
            targets.append(torch.zeros(4, HEAT[1], HEAT[0]))
            inside.append(torch.zeros(4))
            there.append(0.0)
        else:
            target, within = heat_target(corners)
            targets.append(target)
            inside.append(within)
            there.append(1.0)
    with torch.autocast("cpu", torch.bfloat16):
        heat, is_there = net(batch_of(pictures))
    logs = torch.log_softmax(heat.float().flatten(2), -1)
    ce = -(torch.stack(targets).flatten(2) * logs).sum(-1)
    mask = torch.stack(inside)
    bce = nn.functional.binary_cross_entropy_with_logits(
        is_there.float()[:, 0], torch.tensor(there)
    )
    return (ce * mask).sum() / mask.sum() + 0.3 * bce


def _corner_loss(net: Any, examples: list[Patches]) -> Tensor:
    x = np.concatenate([p for p, _ in examples])
    at = np.concatenate([a for _, a in examples])
    inside = np.asarray((np.abs(at - PATCH / 2 + 0.5) < PATCH / 2 - 1).all(1))
    gx, gy = np.meshgrid(np.arange(PATCH // 2) * 2 + 0.5, np.arange(PATCH // 2) * 2 + 0.5)
    d = (gx.ravel()[None] - at[:, :1]) ** 2 + (gy.ravel()[None] - at[:, 1:]) ** 2
    t = np.exp(-d / (2 * 2.0**2))
    t = np.where(inside[:, None], t / np.maximum(t.sum(1, keepdims=True), 1e-9), 0)
    target = torch.as_tensor(np.concatenate([t, ~inside[:, None]], 1).astype(np.float32))
    with torch.autocast("cpu", torch.bfloat16):
        out = net(batch_of(list(x)))
    return -(target * torch.log_softmax(out.float(), 1)).sum(1).mean()
