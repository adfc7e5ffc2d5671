"""The two networks of the dice reader, small enough for 30 ms on one core: plain convolutions, run by cv2.dnn."""

from __future__ import annotations

from typing import Any

from torch import nn

from vision.dice_crops import CHANNELS

Tensor = Any


def conv(a: int, b: int, k: int = 3, s: int = 1) -> Any:
    return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU())


class FinderNet(nn.Module):  # type: ignore[misc]
    """Picture (N,3,H,W; 0-1 less a half; H, W divisible by 8) -> (N,4,H/4,W/4): die, cube (logits of the centre), log edge of each.

    All the thinking is done on every eighth pixel, each of which answers for four cells: two and a half times quicker than thinking on
    every fourth. `see` alone is exported; `dice_find.cells` unfolds its 16 channels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(conv(3, 8, 3, 2), conv(8, 20, 3, 2), conv(20, 48, 3, 2), conv(48, 48), conv(48, 48), nn.Conv2d(48, 16, 1))
        self.unfold = nn.PixelShuffle(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.unfold(self.see(x))


class ReaderNet(nn.Module):  # type: ignore[misc]
    """Crops (N,7,40,40) of `dice_crops.network_input` -> (N,19): kind 3, status 4, value 6, number on the cube 6 (logits)."""

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(conv(CHANNELS, 16), conv(16, 32, 3, 2), conv(32, 32), nn.MaxPool2d(2), conv(32, 64), conv(64, 64, 3, 2))
        self.say = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * 25, 96), nn.ReLU(), nn.Linear(96, 19))

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))
