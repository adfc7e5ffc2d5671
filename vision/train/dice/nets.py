"""The networks of dice and cube, small enough for 30 ms on one core together: plain convolutions,
run by onnxruntime.
"""

from __future__ import annotations

from torch import Tensor, nn

from vision.dice.crops import CHANNELS
from vision.dice.find import FOLD
from vision.train.nets import Net, conv


class Wider(Net):
    """x + a look around, each channel for itself and `far` cells wide, then a mix of the channels:
    a tenth of a full convolution's work.
    """

    def __init__(self, n: int, far: int) -> None:
        super().__init__()
        around = nn.Conv2d(n, n, 3, 1, far, far, groups=n, bias=False)
        self.change = nn.Sequential(around, nn.BatchNorm2d(n), conv(n, n, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.change(x)


class DiceFinderNet(Net):
    """Picture (N,3,H,W; 0-1 less a half; H, W divisible by 8) -> (N,4,3H/8,3W/8): die, cube (logits
    of the centre), log edge of each.

    All the thinking is done on every eighth pixel, each of which answers for nine cells and sees
    three point widths each way. `see` alone is exported; `dice_find.cells` unfolds its 36 channels.
    """

    def __init__(self) -> None:
        super().__init__()
        stem = (conv(3, 8, 3, 2), conv(8, 24, 3, 2), conv(24, 64, 3, 2))
        self.see = nn.Sequential(
            *stem,
            *(Wider(64, far) for far in (1, 1, 2, 1, 2, 1)),
            nn.Conv2d(64, 4 * FOLD * FOLD, 1),
        )
        self.unfold = nn.PixelShuffle(FOLD)

    def forward(self, x: Tensor) -> Tensor:
        return self.unfold(self.see(x))


class DiceReaderNet(Net):
    """Crops (N,7,40,40) of `dice.crops.network_input` -> logits (N, columns), see `DiceColumns`."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.see = nn.Sequential(
            conv(CHANNELS, 16),
            conv(16, 32, 3, 2),
            conv(32, 32),
            nn.MaxPool2d(2),
            conv(32, 64),
            conv(64, 64, 3, 2),
        )
        self.say = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * 25, 96), nn.ReLU(), nn.Linear(96, columns)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))


class FaceNet(Net):
    """Upper faces (N, planes, size, size) of `dice.upper.face_input` -> logits (N, columns)."""

    def __init__(self, columns: int, planes: int = 3, size: int = 48) -> None:
        super().__init__()
        self.see = nn.Sequential(
            conv(planes, 16, 3, 2),
            conv(16, 32),
            conv(32, 48, 3, 2),
            conv(48, 64),
            conv(64, 96, 3, 2),
            conv(96, 48, 1),
        )
        self.say = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.3),
            nn.Linear(48 * (size // 8) ** 2, 64),
            nn.ReLU(),
            nn.Linear(64, columns),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))
