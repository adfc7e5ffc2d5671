"""The networks, small enough for one core: plain convolutions, so that cv2.dnn runs what torch trained."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from vision import canvas as grid
from vision.train.data import BAR_KINDS, KINDS

Tensor = Any
_CELL = 8


def conv(a: int, b: int, k: int = 3, s: int = 1, pad: int | None = None) -> Any:
    return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2 if pad is None else pad, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class Residual(nn.Module):  # type: ignore[misc]
    """x + two convolutions of it."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.a = conv(n, n)
        self.b = nn.Sequential(nn.Conv2d(n, n, 3, 1, 1, bias=False), nn.BatchNorm2d(n))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))


class CheckerNet(nn.Module):  # type: ignore[misc]
    """Canvas (N,3,288,424) and palette (N,7,1,1) to points (N,24,32), bar (N,2,6), sides (N,2) and cells (N,5,36,53).

    A point has 31 logits of kinds and one of being covered.
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        w = width
        self.stem = nn.Sequential(conv(3, 32, 6, 4, 1), Residual(32), conv(32, w, 3, 2), Residual(w))
        self.context = nn.Sequential(nn.Conv2d(w + 7, 64, 1), nn.ReLU(), nn.Conv2d(64, 2 * w, 1))
        self.late = nn.Sequential(Residual(w))
        self.cells = nn.Conv2d(w, 5, 1)
        # A column of three cells with one neighbour each side, from the rail to three cells beyond the middle.
        self.upper = nn.Conv2d(w, 32, (1, 5), (1, 3))
        self.lower = nn.Conv2d(w, 32, (1, 5), (1, 3))
        self.column = nn.Sequential(nn.Conv2d(32 + 5, 128, (21, 1)), nn.ReLU(), nn.Dropout(0.1), nn.Conv2d(128, KINDS + 1, 1))
        self.bar = nn.Sequential(
            nn.Conv2d(w, 24, (1, 5)), nn.ReLU(), nn.Conv2d(24, 64, (36, 1)), nn.ReLU(), nn.Conv2d(64, 2 * BAR_KINDS, 1)
        )
        self.side = nn.Sequential(nn.Conv2d(w, 16, (4, 7), (4, 1)), nn.ReLU(), nn.Conv2d(16, 16, (9, 1)), nn.ReLU())
        self.sides = nn.Conv2d(32, 2, 1)
        self.frozen_mirror: Tensor = None

    def forward(self, x: Tensor, palette: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        f = self.stem(x)
        mean = nn.functional.adaptive_avg_pool2d(f, 1)
        film = self.context(torch.cat([mean, palette], 1))
        n = f.shape[1]
        f = self.late(f * (1 + film[:, :n]) + film[:, n:])
        cells = self.cells(f)
        first = grid.MARGIN // _CELL
        middle = first + 18
        rows = []
        for turn, reduce in ((False, self.upper), (True, self.lower)):
            halves = [torch.relu(reduce(f[:, :, :, a - 1 : a + 19])) for a in (first, middle + 3)]
            own = [nn.functional.avg_pool2d(cells[:, :, :, a : a + 18], (1, 3)) for a in (first, middle + 3)]
            both = torch.cat([torch.cat(halves, 3), torch.cat(own, 3)], 1)
            rows.append(torch.flip(both[:, :, 15:], [2]) if turn else both[:, :, :21])
        column = torch.cat([self.column(r) for r in rows], 3)
        points = column[:, :, 0].transpose(1, 2)
        bar = self.bar(f[:, :, :, middle - 1 : middle + 4])[:, :, 0, 0].reshape(-1, 2, BAR_KINDS)
        last = grid.COLUMNS // _CELL
        west, east = self.margin(f[:, :, :, 0:first], mirrored=False), self.margin(f[:, :, :, last - first : last], mirrored=True)
        sides = torch.cat([west, east], 1) @ self.sides.weight.reshape(2, 32).t() + self.sides.bias
        return points, bar, sides, cells

    def margin(self, strip: Tensor, *, mirrored: bool) -> Tensor:
        """One margin (N,C,36,7) to its 16 features; the east one mirrored. As a product of matrices: cv2.dnn errs on this stride."""
        first = self.side[0]
        kernel = first.weight.flip(3) if mirrored else first.weight
        if self.frozen_mirror is not None and mirrored:
            kernel = self.frozen_mirror
        n, c = strip.shape[:2]
        rows = strip.reshape(n, c, 9, 28).transpose(1, 2).reshape(n, 9, c * 28)
        x = torch.relu(rows @ kernel.reshape(16, c * 28).t() + first.bias).transpose(1, 2).reshape(n, 144)
        second = self.side[2]
        return torch.relu(x @ second.weight.reshape(16, 144).t() + second.bias)
