"""Drawings for saw, drill and laser: `python hardware/cut.py` writes skin, frame and clock box into
hardware/pictures, each as DXF (millimetres, full size) and as SVG of the same size to look at.

Needs ezdxf. They are checked in; a test compares them with board.toml and mechanics.toml, and
measures them.
"""

from __future__ import annotations

import io
import itertools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import ezdxf
from ezdxf import units

HERE: Final = Path(__file__).resolve().parent
MARGIN: Final = 20.0
LAYERS: Final = {
    "CUT": (1, "#c00"),
    "ENGRAVE": (5, "#06c"),
    "BELOW": (3, "#080"),
    "WORDS": (8, "#555"),
}
"""What is cut through, what is scored or milled shallow, what lies underneath and is not touched,
what is for the reader: colour number in DXF, colour in SVG."""
Spot = tuple[float, float]


@dataclass
class Sheet:
    """One drawing, y upwards as in DXF."""

    title: str
    lines: list[tuple[str, list[Spot], bool]] = field(default_factory=list)
    circles: list[tuple[str, Spot, float]] = field(default_factory=list)
    words: list[tuple[Spot, float, str]] = field(default_factory=list)

    def outline(self, corners: list[Spot], layer: str = "CUT") -> None:
        """A closed line."""
        self.lines.append((layer, corners, True))

    def rectangle(self, x: float, y: float, wide: float, high: float, layer: str = "CUT") -> None:
        """A closed line round it."""
        self.outline([(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)], layer)

    def hole(self, x: float, y: float, diameter: float, layer: str = "CUT") -> None:
        """A circle."""
        self.circles.append((layer, (x, y), diameter / 2))

    def say(self, x: float, y: float, words: str, high: float = 5) -> None:
        """Words that begin here."""
        self.words.append(((x, y), high, words))

    def finish(self) -> None:
        """Title and a bar of 100 mm below everything."""
        (left, low), _ = self.box()
        self.lines.append(("WORDS", [(left, low - 14), (left + 100, low - 14)], False))
        for x in (left, left + 50, left + 100):
            self.lines.append(("WORDS", [(x, low - 16), (x, low - 12)], False))
        self.say(left + 105, low - 16, "100 mm: measure me")
        self.say(left, low - 26, self.title)

    def box(self) -> tuple[Spot, Spot]:
        """The corners of all that is drawn, but for words."""
        spots = [spot for _, line, _ in self.lines for spot in line]
        for _, (x, y), r in self.circles:
            spots += [(x - r, y - r), (x + r, y + r)]
        xs, ys = zip(*spots, strict=True)
        return (min(xs), min(ys)), (max(xs), max(ys))

    def dxf(self) -> str:
        """As DXF R2010 in millimetres; the same sheet gives the same bytes."""
        ezdxf.options.write_fixed_meta_data_for_testing = True
        made = ezdxf.new("R2010", units=units.MM)
        for name, (colour, _) in LAYERS.items():
            made.layers.add(name, color=colour)
        space = made.modelspace()
        for layer, line, closed in self.lines:
            space.add_lwpolyline(line, close=closed, dxfattribs={"layer": layer})
        for layer, centre, radius in self.circles:
            space.add_circle(centre, radius, dxfattribs={"layer": layer})
        for spot, high, words in self.words:
            space.add_text(words, height=high, dxfattribs={"layer": "WORDS", "insert": spot})
        for kind in sorted(made.entitydb.dxf_types_in_use()):
            made.classes.add_class(kind)  # else ezdxf does, in the order of a set
        out = io.StringIO()
        made.write(out)
        return out.getvalue()

    def svg(self) -> str:
        """As SVG, a unit a millimetre."""
        (left, low), (right, top) = self.box()
        wide, high = right - left + 2 * MARGIN, top - low + 3 * MARGIN
        dx, dy = MARGIN - left, top + MARGIN
        body = []
        for layer, line, closed in self.lines:
            path = " ".join(f"{x + dx:g} {dy - y:g}" for x, y in line)
            end = " Z" if closed else ""
            body.append(f'<path class="{layer}" d="M{path}{end}" stroke="{LAYERS[layer][1]}"/>')
        for layer, (x, y), radius in self.circles:
            body.append(
                f'<circle class="{layer}" cx="{x + dx:g}" cy="{dy - y:g}" r="{radius:g}"'
                f' stroke="{LAYERS[layer][1]}"/>'
            )
        for (x, y), size, words in self.words:
            body.append(
                f'<text x="{x + dx:g}" y="{dy - y:g}" font-size="{size * 1.3:g}" fill="#333"'
                f' stroke="none">{escape(words)}</text>'
            )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}"'
            f' width="{wide:g}mm" height="{high:g}mm" font-family="sans-serif" fill="none"'
            ' stroke-width="0.4">'
        )
        white = f'<rect width="{wide:g}" height="{high:g}" fill="white"/>'
        return "\n".join([head, f"<title>{escape(self.title)}</title>", white, *body, "</svg>", ""])


def spread(length: float, count: int, inset: float) -> list[float]:
    """So many places along a length, the outer ones so far from its ends."""
    return [inset + k * (length - 2 * inset) / (count - 1) for k in range(count)]


def rim_screws(spec: dict[str, Any], mechanics: dict[str, Any]) -> list[Spot]:
    """Where rim, skin and frame are screwed together, in the field's plane."""
    f, skin = spec["field"], mechanics["skin"]
    rail = (f["frame_width"] - f["width"]) / 2
    found = [
        (x - rail, y)
        for x in spread(f["frame_width"], skin["screws_wide"], rail / 2)
        for y in (-rail / 2, f["depth"] + rail / 2)
    ]
    along = spread(f["frame_depth"], skin["screws_deep"], rail / 2)[1:-1]
    return found + [(x, y - rail) for y in along for x in (-rail / 2, f["width"] + rail / 2)]


def skin(spec: dict[str, Any], mechanics: dict[str, Any]) -> Sheet:
    """The playing surface from above: points, dishes, LED windows, and where the sensors lie."""
    f, sensor, own = spec["field"], spec["sensor"], mechanics["skin"]
    rail, deep, pitch = (f["frame_width"] - f["width"]) / 2, f["depth"], f["pitch"]
    sheet = Sheet("Skin, from above: 3 mm plywood or acrylic; blue scored, green underneath")
    sheet.rectangle(-rail, -rail, f["frame_width"], f["frame_depth"])
    sheet.rectangle(0, 0, f["width"], deep, "ENGRAVE")
    sheet.rectangle((f["width"] - f["bar_width"]) / 2, 0, f["bar_width"], deep, "ENGRAVE")
    for point in range(1, 25):
        column = point - 1 if point <= 12 else 24 - point
        x = f["width"] - pitch * (column + 0.5) - (f["bar_width"] if column >= 6 else 0)

        def up(y: float, south: bool = point <= 12) -> float:
            return y if south else deep - y

        wing = pitch / 2 - 2
        sheet.outline([(x - wing, up(0)), (x + wing, up(0)), (x, up(220))], "ENGRAVE")
        for slot in range(sensor["per_point"]):
            sheet.hole(x, up(sensor["first"] + sensor["step"] * slot), 3, "BELOW")
        for y in own["led_rows"]:
            sheet.hole(x, up(y), own["led_window"])
    for y in spec["bar"]["ys"]:
        sheet.hole(f["width"] / 2, y, own["dish"], "ENGRAVE")
        sheet.hole(f["width"] / 2, y, 3, "BELOW")
    for x, y in mechanics["led_places"].values():
        sheet.hole(x, y, own["led_window"])
    for x, y in rim_screws(spec, mechanics):
        sheet.hole(x, y, own["screw"])
    sheet.finish()
    return sheet


def frame(spec: dict[str, Any], mechanics: dict[str, Any]) -> Sheet:
    """The rim from above, and each rail from outside."""
    f, own = spec["field"], mechanics["frame"]
    rail, high, wide = (f["frame_width"] - f["width"]) / 2, f["rim_height"], f["frame_width"]
    sheet = Sheet(
        f"Rim ({own['rim_thickness']} mm, from above) and rails ({rail:g} x {high:g} mm, from"
        " outside); the rails lie under the skin as the rim lies on it"
    )
    sheet.rectangle(-rail, -rail, wide, f["frame_depth"])
    sheet.rectangle(0, 0, f["width"], f["depth"])
    for x, y in rim_screws(spec, mechanics):
        sheet.hole(x, y, mechanics["skin"]["screw"])
    for x, y in mechanics["led_places"].values():
        if x > f["width"]:
            sheet.hole(x, y, mechanics["skin"]["led_window"])
    low = -rail
    for name, length, count in (
        ("south", wide, 1),
        ("north", wide, 1),
        ("west and east", f["depth"], 2),
    ):
        low -= high + 20
        sheet.rectangle(-rail, low, length, high)
        sheet.say(-rail, low + high + 3, f"rail {name}: {length:g} mm, {count} of it")
        if name == "south":
            for x in spread(wide, own["vents"], 60):
                sheet.hole(x - rail, low + high / 2, own["vent"])
        for label, x, size in own["cables"] if name == "north" else ():
            sheet.hole(x - rail, low + high / 2, size)
            sheet.say(x - rail + size, low + high / 2, label)
        if name == "north":
            for x in spread(wide, own["vents"], 60):
                if all(abs(x - at) > size for _, at, size in own["cables"]):
                    sheet.hole(x - rail, low + high / 2, own["vent"])
    sheet.finish()
    return sheet


def _depths(length: float, finger: float, thick: float, keeps_even: bool) -> list[float]:
    """How deep each cell of a jointed edge is cut back: cells are an odd number, so that both
    corners are alike."""
    cells = max(3, int(length / finger) // 2 * 2 + 1)
    return [0.0 if (k % 2 == 0) == keeps_even else thick for k in range(cells)]


def panel(
    wide: float, high: float, finger: float, thick: float, keeps: tuple[bool, bool, bool, bool]
) -> list[Spot]:
    """The outline of a wall with fingers; `keeps`: whether it has the even cells, and so the
    corners, of its lower, right, upper and left edge."""
    lengths = (wide, high, wide, high)
    edges = [
        _depths(length, finger, thick, keep) for length, keep in zip(lengths, keeps, strict=True)
    ]

    def on(side: int, along: float, deep: float) -> Spot:
        return (
            (along, deep),
            (wide - deep, along),
            (wide - along, high - deep),
            (deep, high - along),
        )[side]

    spots: list[Spot] = []
    for side, depths in enumerate(edges):
        length, cell = lengths[side], lengths[side] / len(depths)
        for k, deep in enumerate(depths):
            start = edges[side - 1][-1] if k == 0 else k * cell
            end = length - edges[(side + 1) % 4][0] if k == len(depths) - 1 else (k + 1) * cell
            spots += [on(side, start, deep), on(side, end, deep)]
    tidy = [spot for spot, _ in itertools.groupby((round(x, 4), round(y, 4)) for x, y in spots)]
    return tidy[:-1] if tidy[0] == tidy[-1] else tidy


def box_panels(own: dict[str, Any]) -> dict[str, tuple[float, float, list[Spot]]]:
    """Name -> (width, height, outline) of the six walls: lid and floor have every corner, front and
    back those that they share with the ends."""
    wide, deep, high = own["wide"], own["deep"], own["high"]
    sizes = {
        "lid": (wide, deep, (True,) * 4),
        "floor": (wide, deep, (True,) * 4),
        "front": (wide, high, (False, True, False, True)),
        "back": (wide, high, (False, True, False, True)),
        "west end": (deep, high, (False,) * 4),
        "east end": (deep, high, (False,) * 4),
    }
    return {
        name: (w, h, panel(w, h, own["finger"], own["thickness"], keeps))
        for name, (w, h, keeps) in sizes.items()
    }


def _box_places(own: dict[str, Any]) -> Iterator[tuple[str, Spot]]:
    """Where each wall is laid on the sheet."""
    gap = 12.0
    row = 0.0
    for names, wide, high in (
        (("lid", "floor"), own["wide"], own["deep"]),
        (("front", "back"), own["wide"], own["high"]),
        (("west end", "east end"), own["deep"], own["high"]),
    ):
        row -= high + gap
        for k, name in enumerate(names):
            yield name, (k * (wide + gap), row)


def clock_box(mechanics: dict[str, Any]) -> Sheet:
    """The six walls of the box for presses, buttons and displays, side by side."""
    own = mechanics["clock_box"]
    sheet = Sheet(f"Clock box, {own['thickness']} mm plywood, nominal: no tool's width is in it")
    walls = box_panels(own)
    for name, (x, y) in _box_places(own):
        wide, high, outline = walls[name]
        sheet.outline([(x + dx, y + dy) for dx, dy in outline])
        sheet.say(x + wide / 2 - 8, y + own["thickness"] + 4, name, 4)
        if name == "lid":
            for dx, dy in own["presses"]:
                sheet.hole(x + dx, y + dy, own["press"])
            for dx, dy in own["buttons"]:
                sheet.hole(x + dx, y + dy, own["button"])
            across, up = own["window"]
            for dx, dy in own["windows"]:
                sheet.rectangle(x + dx - across / 2, y + dy - up / 2, across, up)
        if name == "floor":
            inset = own["screw_inset"]
            for dx in (inset, wide - inset):
                for dy in (inset, high - inset):
                    sheet.hole(x + dx, y + dy, own["screw"])
        if name == "back":
            sheet.hole(x + wide / 2, y + high / 2, own["cable"])
    sheet.finish()
    return sheet


def sheets() -> dict[str, Sheet]:
    """Name of the file, without its ending -> what it shows."""
    spec = tomllib.loads((HERE / "board.toml").read_text(encoding="utf-8"))
    mechanics = tomllib.loads((HERE / "mechanics.toml").read_text(encoding="utf-8"))
    return {
        "skin": skin(spec, mechanics),
        "frame": frame(spec, mechanics),
        "clock-box": clock_box(mechanics),
    }


if __name__ == "__main__":
    for name, sheet in sheets().items():
        for ending, drawn in (("dxf", sheet.dxf()), ("svg", sheet.svg())):
            (HERE / "pictures" / f"{name}.{ending}").write_text(drawn, encoding="utf-8")
            print(f"wrote hardware/pictures/{name}.{ending}")
