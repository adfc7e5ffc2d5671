"""What a painted board looks like: colours, proportions, surfaces (for `synthetic`)."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace

import numpy as np

Bgr = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Look:
    """Colours are BGR 0-255, lengths point widths. `shadow` = where shadows fall per unit of
    height.

    `relief`: 0 plain, 1 groove, 2 dish, 3 and more embossed.
    """

    field: Bgr
    points: tuple[Bgr, Bgr]
    frame: Bgr
    bar_colour: Bgr
    light: Bgr
    dark: Bgr
    table: Bgr
    emblem: Bgr
    bar: float
    height: float
    checker: float
    thickness: float
    triangle: float
    blunt: float
    rail: float
    rail_height: float
    bar_height: float
    west: float
    east: float
    tray: bool
    flat_off: bool
    hinged: bool
    bar_swapped: bool
    wood: float
    grain: float
    inlay: int
    relief: int
    gloss: float
    shadow: tuple[float, float]
    shadow_depth: float
    shadow_blur: float
    uneven: float
    table_grain: float
    table_check: int


def brightness(c: Bgr) -> float:
    """Luma 0-255 (BT.601), the order by which the lighter set is told from the darker."""
    return 0.114 * c[0] + 0.587 * c[1] + 0.299 * c[2]


def _hsv(h: float, s: float, v: float) -> Bgr:
    r, g, b = colorsys.hsv_to_rgb(h % 1, s, v)
    return b * 255, g * 255, r * 255


def colour_near(rng: np.random.Generator, c: Bgr, d: float) -> Bgr:
    """A colour that differs from `c` by at most `d` in each channel."""
    v = np.clip(np.array(c) + rng.uniform(-d, d, 3), 6, 250)
    return float(v[0]), float(v[1]), float(v[2])


def random_look(rng: np.random.Generator) -> Look:
    """A board out of all that are made: tournament felt, leather, cork, wooden nard boxes,
    near-equal colours included.
    """
    u = rng.uniform
    tray = rng.random() < 0.6
    wooden = rng.random() < (0.15 if tray else 0.7)
    field = (
        _hsv(u(0.02, 0.12), u(0.25, 0.8), u(0.25, 0.85))
        if wooden
        else _hsv(rng.random(), u(0, 0.85), u(0.12, 0.85))
    )
    points = (
        _hsv(rng.random(), u(0, 0.9), u(0.5, 0.97)),
        _hsv(rng.random(), u(0, 0.9), u(0.08, 0.55)),
    )
    if rng.random() < 0.3:
        points = (colour_near(rng, field, 40), colour_near(rng, field, 40))
    if rng.random() < 0.5:
        points = (points[1], points[0])
    while True:
        light = (
            _hsv(u(0.08, 0.16), u(0, 0.35), u(0.78, 1))
            if rng.random() < 0.6
            else _hsv(rng.random(), u(0.1, 0.9), u(0.55, 0.97))
        )
        dark = (
            _hsv(rng.random(), u(0, 0.5), u(0.05, 0.28))
            if rng.random() < 0.45
            else _hsv(rng.random(), u(0.4, 0.95), u(0.2, 0.8))
        )
        if rng.random() < 0.25:
            light = colour_near(rng, (field, *points)[rng.integers(3)], 22)
        if rng.random() < 0.25:
            dark = colour_near(rng, (field, *points)[rng.integers(3)], 22)
        if brightness(light) - brightness(dark) > 38:
            break
    frame = (
        _hsv(u(0.02, 0.11), u(0.3, 0.85), u(0.15, 0.75))
        if rng.random() < 0.6
        else _hsv(rng.random(), u(0, 0.7), u(0.08, 0.6))
    )
    if rng.random() < 0.25:
        frame = colour_near(rng, field, 30)
    checker = u(0.86, 0.98) if rng.random() < 0.3 else u(0.91, 0.965)
    rail = u(0.35, 0.75)
    rail_height = u(0.3, 0.85)
    both = rng.random() < 0.5
    wide = rail + 0.35 + 1.1
    table = _hsv(rng.random(), u(0, 0.8), u(0.1, 0.9))
    angle = u(0, 2 * np.pi)
    length = u(0.1, 1.6)
    return Look(
        field=field,
        points=points,
        frame=frame,
        bar_colour=frame if rng.random() < 0.8 else _hsv(rng.random(), u(0, 0.8), u(0.1, 0.9)),
        light=light,
        dark=dark,
        table=table,
        emblem=_hsv(u(0.08, 0.16), u(0.3, 0.9), u(0.4, 0.95)),
        bar=u(0.9, 1.4) if tray else u(0.4, 1.2),
        height=checker * (u(10.6, 13.2) if rng.random() < 0.3 else u(11.2, 12.3)),
        checker=checker,
        thickness=checker * (u(0.16, 0.36) if rng.random() < 0.3 else u(0.21, 0.27)),
        triangle=u(0.36, 0.48),
        blunt=float(rng.choice([0, 0, 0.14, 0.4])),
        rail=rail,
        rail_height=rail_height,
        bar_height=rail_height * u(0.7, 1) if rng.random() < 0.85 else 0.02,
        west=wide if tray and both else rail,
        east=wide if tray else rail,
        tray=tray,
        flat_off=rng.random() < 0.7,
        hinged=not tray,
        bar_swapped=rng.random() < 0.3,
        wood=u(0.1, 0.3) if wooden else 0.0,
        grain=u(0.01, 0.12),
        inlay=int(rng.integers(0, 8)),
        relief=int(rng.choice([0, 0, 0, 1, 2, 3, 4, 7])),
        gloss=u(0, 0.5) if rng.random() < 0.6 else 0.0,
        shadow=(float(length * np.cos(angle)), float(length * np.sin(angle))),
        shadow_depth=u(0.05, 0.55),
        shadow_blur=u(0.5, 4),
        uneven=u(0, 0.4),
        table_grain=u(1, 8),
        table_check=int(rng.integers(12, 60)) if rng.random() < 0.2 else 0,
    )


def hiding(rng: np.random.Generator, look: Look) -> Look:
    """The same board with what hides checkers from a reader: the high walls of a folding case, two
    sets that differ in hue alone, a field without points, rails and bar in a set's own colour.
    """
    if rng.random() < 0.4:
        high = float(rng.uniform(0.55, 1.25))
        bar = high if look.hinged else high * float(rng.uniform(0.3, 1.0))
        look = replace(look, rail_height=high, bar_height=bar)
    elif rng.random() < 0.2:
        flat = float(rng.uniform(0.01, 0.2))
        look = replace(look, rail_height=flat, bar_height=min(look.bar_height, flat))
    if rng.random() < 0.2:
        # A medallion in each half, so that a round thing on the field is not always a cup.
        look = replace(look, inlay=3)
    trick = rng.random()
    if trick < 0.25:
        return _equally_light(rng, look)
    if trick < 0.4:
        own = colour_near(rng, look.dark, 14)
        return replace(look, frame=own, bar_colour=own)
    if trick < 0.48:
        own = colour_near(rng, look.light, 14)
        return replace(look, frame=own, bar_colour=own)
    if trick < 0.6:
        return replace(look, points=(look.field, look.field))
    if trick < 0.7:
        return replace(look, points=(look.dark, look.light))
    return look


def _equally_light(rng: np.random.Generator, look: Look) -> Look:
    """Two hues far apart, the lighter set hardly the lighter."""
    hue, level = rng.random(), float(rng.uniform(60, 150))
    light = _of_level(hue, float(rng.uniform(0.45, 0.95)), level + float(rng.uniform(14, 32)))
    other = hue + float(rng.uniform(0.3, 0.7))
    return replace(look, light=light, dark=_of_level(other, float(rng.uniform(0.45, 0.95)), level))


def _of_level(hue: float, full: float, level: float) -> Bgr:
    """A colour of this hue with this luma (0-255), as full as it can be."""
    colour = np.array(_hsv(hue, full, 1.0))
    gain = level / brightness((colour[0], colour[1], colour[2]))
    # Grey of the same luma takes what is brighter than a surface can be.
    kept = min(1.0, (248 - level) / max(1.0, gain * 255 - level))
    b, g, r = level + (gain * colour - level) * kept
    return float(b), float(g), float(r)
