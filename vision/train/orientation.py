"""The small judge of which way round a position stands: fifty numbers in, one logit out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from vision.train.positions import features

Tensor = Any


def mirrored(x: Tensor, y: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """The same positions in a mirror, turned, or with the sets exchanged; each changes the answer
    as it must.
    """
    points, bar = x[:, :48].reshape(-1, 2, 2, 12), x[:, 48:]
    if rng.random() < 0.5:
        points = points.flip(3)
    if rng.random() < 0.5:
        points, y = points.flip(2), 1 - y
    if rng.random() < 0.5:
        points, bar, y = points.flip(1), bar.flip(1), 1 - y
    return torch.cat([points.reshape(-1, 48), bar], 1), y


def train_orientation(
    seed: int, say: Callable[[str], None], *, number: int = 30_000, epochs: int = 60
) -> Any:
    """About a minute and a half on one core."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    x, y = (torch.as_tensor(a) for a in features(number, seed))
    held_x, held_y = (torch.as_tensor(a) for a in features(4000, seed + 1))
    net = nn.Sequential(
        nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)
    )
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=1e-2)
    bce = nn.functional.binary_cross_entropy_with_logits
    for epoch in range(epochs):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * (1 - epoch / epochs)
        order = torch.randperm(len(x))
        for i in range(0, len(x), 256):
            a, b = mirrored(x[order[i : i + 256]], y[order[i : i + 256]], rng)
            # A reader sees positions with mistakes in them.
            a = a + torch.randn_like(a) * 0.02
            value = bce(net(a)[:, 0], b)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
        if epoch % 15 == 14:
            with torch.no_grad():
                out = net(held_x)[:, 0]
            right = float(((out > 0) == (held_y > 0.5)).float().mean())
            say(
                f"epoch {epoch + 1}: held out right {right:.3f}, loss {float(bce(out, held_y)):.3f}"
            )
    return net
