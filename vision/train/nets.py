"""The networks, plain convolutions and few, so that one core soon runs what torch
trained.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision import canvas as grid
from vision.checkers import KINDS
from vision.train.canvas_data import BAR_KINDS


def conv(
    a: int,
    b: int,
    k: int | tuple[int, int] = 3,
    s: int = 1,
    pad: int | tuple[int, int] | None = None,
) -> nn.Sequential:
    """A convolution of so many channels to so many, normalised and rectified; padded to the same
    size unless said otherwise.
    """
    same = k // 2 if isinstance(k, int) else (k[0] // 2, k[1] // 2)
    return nn.Sequential(
        nn.Conv2d(a, b, k, s, same if pad is None else pad, bias=False),
        nn.BatchNorm2d(b),
        nn.ReLU(),
    )


def running_mean(net: nn.Module, slowest: float = 0.998) -> torch.optim.swa_utils.AveragedModel:
    """A copy that follows the weights as a running mean, at first quickly, so that the untrained
    start is soon forgotten.
    """

    def mix(mean: Tensor, now: Tensor, number: Tensor) -> Tensor:
        keep = min(slowest, (1 + float(number)) / (10 + float(number)))
        return mean * keep + now * (1 - keep)

    return torch.optim.swa_utils.AveragedModel(net, avg_fn=mix, use_buffers=True)


class Net(nn.Module):  # type: ignore[misc]  # torch has no types where mypy runs
    """What every network here is: a module of torch."""


class Residual(Net):
    """x + two convolutions of it."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.a = conv(n, n)
        self.b = nn.Sequential(nn.Conv2d(n, n, 3, 1, 1, bias=False), nn.BatchNorm2d(n))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))


class BarPart(Net):
    """What the checker network's features show beside the bar (N,C,24,4) to the bar (N,2,6): the
    mean of the probabilities of two looks.

    One looks at each row of cells and its neighbours alike and adds up what it finds: checkers
    count wherever they stand along the bar, and few boards teach it. The other, `whole`, knows them
    by their places, where most people put them.
    """

    BY_PLACE = 0.3
    """Weight of the look that knows places (0-1)."""
    PLACE_HEAT = 1.4
    """Its temperature."""

    def __init__(self, seen: int, width: int = 40) -> None:
        super().__init__()
        self.across = nn.Conv2d(seen, width, (1, 4))
        self.near = nn.Conv2d(width, width, (5, 1), 1, (2, 0))
        self.far = nn.Conv2d(width, width, (5, 1), 1, (2, 0))
        self.rows = nn.Conv2d(width, 2, 1)
        self.hidden = nn.Linear(width + 2, 32)
        self.said = nn.Linear(32 + 2, 2 * BAR_KINDS)
        self.drop = nn.Dropout(0.1)
        self.whole = nn.Sequential(
            nn.Conv2d(seen, 24, (1, 4)),
            nn.ReLU(),
            nn.Conv2d(24, 64, (24, 1)),
            nn.ReLU(),
            nn.Conv2d(64, 2 * BAR_KINDS, 1),
        )
        # A bell about the sum: -(k - sum)^2, what all k have in common left out.
        k = torch.arange(float(BAR_KINDS))
        with torch.no_grad():
            for part in (self.rows, self.said):
                part.weight.mul_(0.3)
            for colour, own in enumerate((slice(BAR_KINDS), slice(BAR_KINDS, None))):
                self.said.weight[own, colour], self.said.bias[own] = 2 * k, -k * k

    def found(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """The bar by its rows alone; how much of each set's checkers lies in each row (N,2,24)."""
        f = self.drop(torch.relu(self.across(self.drop(seen))))
        f = torch.relu(self.near(f))
        f = f + torch.relu(self.far(f))
        rows = self.rows(f)
        number = rows.sum((2, 3))
        hidden = torch.relu(self.hidden(torch.cat([number, f.mean((2, 3))], 1)))
        return self.said(torch.cat([number, hidden], 1)).reshape(-1, 2, BAR_KINDS), rows[..., 0]

    def forward(self, seen: Tensor) -> Tensor:
        placed = self.whole(seen)[:, :, 0, 0].reshape(-1, 2, BAR_KINDS) / self.PLACE_HEAT
        both = (torch.softmax(x, -1) for x in (placed, self.found(seen)[0]))
        by_place, by_rows = both
        return torch.log(self.BY_PLACE * by_place + (1 - self.BY_PLACE) * by_rows + 1e-7)


class CheckerNet(Net):
    """Canvas (N,3,192,288) and palette (N,7,1,1) to points (N,24,32), bar (N,2,6), sides (N,2) and
    cells (N,5,24,36).

    A point has 31 logits of kinds and one of being covered.
    """

    def __init__(self, width: int = 56) -> None:
        super().__init__()
        w = width
        self.stem = nn.Sequential(
            conv(3, 16, 3, 2), conv(16, 32, 3, 2), conv(32, 32), conv(32, w, 3, 2), Residual(w)
        )
        self.context = nn.Sequential(nn.Conv2d(w + 7, 64, 1), nn.ReLU(), nn.Conv2d(64, 2 * w, 1))
        self.late = Residual(w)
        self.cells = nn.Conv2d(w, 5, 1)
        # A column of two cells with one neighbour each side, from the rail to three cells beyond
        # the middle.
        self.upper = nn.Conv2d(w, 40, (1, 4), (1, 2))
        self.lower = nn.Conv2d(w, 40, (1, 4), (1, 2))
        self.column = nn.Sequential(
            nn.Conv2d(40 + 5, 160, (15, 1)), nn.ReLU(), nn.Conv2d(160, KINDS + 1, 1)
        )
        self.bar = BarPart(w)
        self.margin_in = nn.Linear(w * 3 * 5, 16)
        self.margin_out = nn.Linear(16 * 8, 16)
        self.sides = nn.Linear(32, 2)

    def forward(self, x: Tensor, palette: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        f = self.stem(x)
        mean = nn.functional.adaptive_avg_pool2d(f, 1)
        film = self.context(torch.cat([mean, palette], 1))
        n = f.shape[1]
        f = self.late(f * (1 + film[:, :n]) + film[:, n:])
        cells = self.cells(f)
        first = grid.MARGIN // grid.CELL
        middle = first + 12
        rows = []
        for turn, reduce in ((False, self.upper), (True, self.lower)):
            halves = [torch.relu(reduce(f[:, :, :, a - 1 : a + 13])) for a in (first, middle + 2)]
            own = [
                nn.functional.avg_pool2d(cells[:, :, :, a : a + 12], (1, 2))
                for a in (first, middle + 2)
            ]
            both = torch.cat([torch.cat(halves, 3), torch.cat(own, 3)], 1)
            rows.append(torch.flip(both[:, :, 9:24], [2]) if turn else both[:, :, :15])
        column = torch.cat([self.column(r) for r in rows], 3)
        points = column[:, :, 0].transpose(1, 2)
        bar = self.bar(f[:, :, :, middle - 1 : middle + 3])
        last = grid.COLUMNS // grid.CELL
        west = self.margin(f[:, :, :, 0:first], self.margin_in.weight)
        # The east margin mirrored: since the kernel is as wide as the margin, mirror the kernel.
        east = self.margin(f[:, :, :, last - first : last], self.mirrored_margin())
        sides = self.sides(torch.cat([west, east], 1))
        return points, bar, sides, cells

    def mirrored_margin(self) -> Tensor:
        """The margin's kernel for the other side; a constant once `freeze` was called (some err
        on mirroring).
        """
        if hasattr(self, "frozen"):
            return self.frozen
        w = self.margin_in.weight
        return w.reshape(16, -1, 3, 5).flip(3).reshape(16, -1)

    def freeze(self) -> None:
        """Nothing; the mirrored kernel is a constant from now on."""
        self.frozen = self.mirrored_margin().detach().contiguous()

    def margin(self, strip: Tensor, kernel: Tensor) -> Tensor:
        """One margin (N,C,24,5) to 16 features."""
        n, c = strip.shape[:2]
        rows = strip.reshape(n, c, 8, 15).transpose(1, 2).reshape(n, 8, c * 15)
        x = torch.relu(rows @ kernel.t() + self.margin_in.bias)
        return torch.relu(self.margin_out(x.reshape(n, 128)))
