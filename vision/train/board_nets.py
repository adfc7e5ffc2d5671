"""The networks that find a board: one for the whole picture, one for a corner."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.train.nets import Net, Residual, conv


class BoardFinderNet(Net):
    """Picture (N,3,192,256) -> a map (48,64) for each of some corners as logits, and one logit: is
    there a board.
    """

    def __init__(self, corners: int = 4) -> None:
        super().__init__()
        self.fine = nn.Sequential(conv(3, 24, 6, 4, 1), conv(24, 24))
        self.mid = nn.Sequential(conv(24, 48, 3, 2), Residual(48))
        self.coarse = nn.Sequential(conv(48, 64, 3, 2), Residual(64), conv(64, 64, 5), Residual(64))
        self.up_mid = conv(48 + 64, 48, 1)
        self.mix_mid = conv(48, 48)
        self.up_fine = conv(24 + 48, 24, 1)
        self.heat = nn.Sequential(conv(24, 24), nn.Conv2d(24, corners, 1))
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


class CornerNet(Net):
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
