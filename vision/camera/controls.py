"""Holding a camera still: exposure, focus and white balance stop following the scene during a
match.

A hand over a white board makes an automatic camera darken every other point. `hold` reads what the
automatic has settled on, switches it off and writes the value back; drivers differ, so each control
is verified by reading it again and what did not take is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2


class Controls(Protocol):
    """The two calls of cv2.VideoCapture that matter here."""

    def get(self, control: int, /) -> float:
        """The value of a control, 0 or -1 where there is none."""

    def set(self, control: int, value: float, /) -> bool:
        """Whether the control took the value."""


@dataclass(frozen=True, slots=True)
class _Control:
    name: str
    automatic: int
    on: float
    off: float
    value: int


# V4L2's exposure_auto is a menu: 1 = manual, 3 = aperture priority (automatic); the other two are
# switches.
_CONTROLS = (
    _Control("exposure", cv2.CAP_PROP_AUTO_EXPOSURE, 3, 1, cv2.CAP_PROP_EXPOSURE),
    _Control("white balance", cv2.CAP_PROP_AUTO_WB, 1, 0, cv2.CAP_PROP_WB_TEMPERATURE),
    _Control("focus", cv2.CAP_PROP_AUTOFOCUS, 1, 0, cv2.CAP_PROP_FOCUS),
)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held, at which value, and which controls this camera does not let go of."""

    values: tuple[tuple[str, float], ...]
    not_held: tuple[str, ...]


def hold(camera: Controls) -> Held:
    """Freeze every control the camera offers at its present value."""
    values, not_held = [], []
    for control in _CONTROLS:
        now = camera.get(control.value)
        # A control the driver does not have reads 0 (V4L2) or -1 (others) and refuses to be set.
        if not camera.set(control.automatic, control.off):
            not_held.append(control.name)
            continue
        if now > 0:
            camera.set(control.value, now)
        (
            values.append((control.name, now))
            if camera.get(control.automatic) == control.off
            else not_held.append(control.name)
        )
    return Held(tuple(values), tuple(not_held))


def release(camera: Controls, held: Held) -> None:
    """Give the held controls back to the camera's automatic."""
    for control in _CONTROLS:
        if control.name in dict(held.values):
            camera.set(control.automatic, control.on)
