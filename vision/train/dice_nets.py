"""The two networks of the dice reader, small enough for 30 ms on one core: plain convolutions, run by cv2.dnn."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from vision.dice_crops import CHANNELS

Tensor = Any


def conv(a: int, b: int, k: int = 3, s: int = 1) -> Any:
    return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class FinderNet(nn.Module):  # type: ignore[misc]
    """Picture (N,3,H,W; 0-1 less a half; H, W divisible by 8) -> (N,4,H/4,W/4): die, cube (logits of the centre), log edge of each."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(conv(3, 12, 3, 2), conv(12, 24, 3, 2))
        self.coarse = nn.Sequential(conv(24, 32, 3, 2), conv(32, 32), conv(32, 32))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.join = nn.Sequential(conv(56, 24, 1), conv(24, 20), nn.Conv2d(20, 4, 1))

    def forward(self, x: Tensor) -> Tensor:
        fine = self.fine(x)
        return self.join(torch.cat([fine, self.up(self.coarse(fine))], 1))


class ReaderNet(nn.Module):  # type: ignore[misc]
    """Crops (N,7,40,40) of `dice_crops.network_input` -> (N,19): kind 3, status 4, value 6, number on the cube 6 (logits)."""

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(conv(CHANNELS, 16), conv(16, 32, 3, 2), conv(32, 32), nn.MaxPool2d(2), conv(32, 64), conv(64, 64, 3, 2))
        self.say = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * 25, 96), nn.ReLU(), nn.Linear(96, 19))

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))
