"""Every threshold of the room with unit, range and why. Other files hold none."""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.settings_dice import CubeSettings, DiceSettings, SteadySettings


@dataclass(frozen=True, slots=True)
class GeometrySettings:
    """What is believed of a camera and a board before anything is measured (priors of `geometry.from_corners`)."""

    bar: float = 1.0
    """Width of the bar, point widths. Boards sold run from 0.4 to 1.4; measured in the picture by `calibrate`."""
    hfov: float = 64.0
    """Field of view across the longer edge, degrees: phones 65-75, webcams 55-78, a Pi camera 62."""
    hfov_sd: float = 10.0
    hfov_low: float = 28.0
    hfov_high: float = 100.0
    aspect: float = 0.845
    """Length of the field over its width: makers keep close to it, since five checkers and a gap must fit a side."""
    aspect_sd: float = 0.045
    skew_sd: float = 0.006
    """Cosine between the board's sides after the corners' own error of about a pixel in 500."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the room; frozen, so that a reading can be repeated."""

    geometry: GeometrySettings = field(default_factory=GeometrySettings)
    steady: SteadySettings = field(default_factory=SteadySettings)
    dice: DiceSettings = field(default_factory=DiceSettings)
    cube: CubeSettings = field(default_factory=CubeSettings)


DEFAULT = Settings()
