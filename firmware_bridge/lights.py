"""Lights: a scene (a value made by the service) turned into LED colours within the current cap, and
what of it must be sent.

Who decides what may be shown is the service; this file only shows it. No meaning is ever carried by
colour alone: each kind of light has its own pattern in time or place too, and the colours are the
Okabe-Ito set, which colour-blind eyes keep apart.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from firmware_bridge import wire
from firmware_bridge.board_spec import LedPlan
from firmware_bridge.errors import MisuseError
from rules.board import BAR, OFF, POINTS, Seating, Side, Site

Led = tuple[int, int, int, int]
"""(red, green, blue, pattern), as on the wire."""
DARK: Final[Led] = (0, 0, 0, 0)


class LightColour(enum.Enum):
    """Okabe and Ito's colours (2008), red, green, blue 0-255, dimmed for LEDs."""

    WHITE = (90, 90, 80)
    SKY = (20, 80, 130)
    GREEN = (0, 110, 60)
    YELLOW = (130, 110, 10)
    BLUE = (0, 40, 140)
    VERMILION = (150, 40, 0)
    PURPLE = (110, 30, 90)
    ORANGE = (140, 70, 0)


class Pattern(enum.IntEnum):
    """How a light behaves in time; the board itself does it."""

    STEADY = wire.PATTERN_STEADY
    BLINK = wire.PATTERN_BLINK
    FAST = wire.PATTERN_FAST
    DOUBLE = wire.PATTERN_DOUBLE


class Part(enum.Enum):
    """Which of a point's LEDs."""

    BOTH = "both"
    RIM = "rim"
    INNER = "inner"


@dataclass(frozen=True, slots=True)
class Light:
    colour: LightColour
    pattern: Pattern = Pattern.STEADY
    part: Part = Part.BOTH
    side: Side | None = None
    """For BAR and OFF: whose half or tray; None lights both."""


@dataclass(frozen=True, slots=True)
class LightScene:
    """What shall shine: (site, light) in White's numbering, later entries over earlier ones.
    `LightScene()` is darkness.
    """

    lights: tuple[tuple[Site, Light], ...] = ()

    def __post_init__(self) -> None:
        for site, _ in self.lights:
            if site not in POINTS and site not in (BAR, OFF):
                raise MisuseError(f"no site {site} to light: sites are 0 (off), 1-24 and 25 (bar)")


def led_colours(scene: LightScene, plan: LedPlan, seating: Seating) -> tuple[Led, ...]:
    """Every LED of the board for a scene, dimmed together when the strip would draw more than its
    cap.
    """
    leds = [DARK] * plan.count
    for site, light in scene.lights:
        for number in _leds_of(site, light, plan, seating):
            leds[number] = (*light.colour.value, int(light.pattern))
    return capped(tuple(leds), plan)


def current_ma(leds: tuple[Led, ...], plan: LedPlan) -> float:
    """The most the strip draws for these LEDs, patterns counted as lit."""
    return plan.idle_ma * plan.count + sum(sum(led[:3]) for led in leds) * plan.full_ma / 255


def capped(leds: tuple[Led, ...], plan: LedPlan) -> tuple[Led, ...]:
    """All LEDs dimmed by one factor so that the strip stays within its cap.

    Hues and patterns are kept.
    """
    idle = plan.idle_ma * plan.count
    drawn = current_ma(leds, plan) - idle
    allowed = max(plan.cap_ma - idle, 0.0)
    if drawn <= allowed:
        return leds
    factor = allowed / drawn
    return tuple(
        (int(r * factor), int(g * factor), int(b * factor), pattern) for r, g, b, pattern in leds
    )


def difference(
    wanted: tuple[Led, ...], there: tuple[Led, ...]
) -> tuple[tuple[int, tuple[Led, ...]], ...]:
    """Runs (first LED, their values) that turn what the board shows into what is wanted.

    Each run fits one command. Runs with a short gap between them are sent as one, since a frame of
    its own costs more than an LED.
    """
    changed = [n for n, led in enumerate(wanted) if there[n] != led]
    runs: list[tuple[int, int]] = []
    for n in changed:
        if runs and n - runs[-1][1] <= 3 and n - runs[-1][0] < wire.LEDS_PER_COMMAND:
            runs[-1] = (runs[-1][0], n)
        else:
            runs.append((n, n))
    return tuple((first, wanted[first : last + 1]) for first, last in runs)


def _leds_of(site: Site, light: Light, plan: LedPlan, seating: Seating) -> tuple[int, ...]:
    if site == BAR:
        half = len(plan.bar) // 2
        south, north = plan.bar[:half], plan.bar[half:]
    elif site == OFF:
        south, north = plan.off_south, plan.off_north
    else:
        leds = plan.of_point(seating.geometric(site))
        return {Part.BOTH: leds, Part.RIM: leds[:1], Part.INNER: leds[1:]}[light.part]
    if light.side is None:
        return south + north
    return south if light.side is seating.south else north
