"""Draw hardware/pictures/*.svg from board.toml and wiring.toml: `python hardware/draw.py`. The
pictures are checked in; a test compares them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

HERE: Final = Path(__file__).resolve().parent
COLOURS: Final = {
    "select": "#0072b2",
    "analogue": "#009e73",
    "strip": "#d55e00",
    "tone": "#999999",
    "button": "#cc79a7",
    "lamp": "#e69f00",
    "display": "#56b4e9",
}


SCHEME_MM: Final = 0.25
"""Of paper for each unit of a picture that is not to scale."""
SHEET: Final = (210, 297)
"""A4, in millimetres."""
TILE: Final = (180, 260)
"""What of the board one sheet shows: printers leave a margin."""


def svg(
    width: float, height: float, body: list[str], title: str, mm_each: float = SCHEME_MM
) -> str:
    """A whole picture; `mm_each`: millimetres on paper for one unit."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width * mm_each:g}mm" height="{height * mm_each:g}mm"'
        ' font-family="sans-serif" font-size="11">'
    )
    return "\n".join(
        [
            head,
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def text(x: float, y: float, words: str, anchor: str = "start", size: float = 11) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
        f' font-size="{size:g}">{escape(words)}</text>'
    )


def scale_bar(x: float, y: float) -> str:
    """A bar of 100 mm in a picture whose unit is the millimetre: measure it on the paper."""
    return (
        f'<path class="bar-of-100-mm" d="M{x:g} {y:g} h100" fill="none" stroke="#000"'
        ' stroke-width="0.6"/>'
        f'<path d="M{x:g} {y - 3:g} v6 M{x + 50:g} {y - 2:g} v4 M{x + 100:g} {y - 3:g} v6"'
        ' fill="none" stroke="#000" stroke-width="0.6"/>'
        + text(x + 103, y + 2, "100 mm: measure me", size=6)
    )


def board_plan(spec: dict[str, Any], mechanics: dict[str, Any]) -> list[str]:
    """The board from above, to scale (1 unit = 1 mm): points, sensors with their numbers, LEDs,
    bar dishes, and a bar to measure.
    """
    f, sensor, bar, mux = spec["field"], spec["sensor"], spec["bar"], spec["multiplexers"]
    w, d, pitch, edge = f["width"], f["depth"], f["pitch"], (f["frame_width"] - f["width"]) / 2
    body = [
        f'<rect x="0" y="0" width="{f["frame_width"]}" height="{f["frame_depth"]}" fill="#e8dcc8"'
        ' stroke="#333"/>'
    ]
    body.append(
        f'<rect x="{edge:g}" y="{edge:g}" width="{w}" height="{d}" fill="#f7f3ea" stroke="#333"/>'
    )
    body.append(
        f'<rect x="{edge + (w - f["bar_width"]) / 2:g}" y="{edge:g}" width="{f["bar_width"]}"'
        f' height="{d}" fill="#e8dcc8" stroke="#333"/>'
    )

    def at(x: float, north: float) -> tuple[float, float]:
        return edge + x, edge + d - north

    for point in range(1, 25):
        column = point - 1 if point <= 12 else 24 - point
        x = w - pitch * (column + 0.5) - (f["bar_width"] if column >= 6 else 0)
        south = point <= 12
        rim, tip = (0, 220) if south else (d, d - 220)
        (ax, ay), (bx, by), (cx, cy) = (
            at(x - pitch / 2 + 2, rim),
            at(x + pitch / 2 - 2, rim),
            at(x, tip),
        )
        shade = "#d9c7a5" if point % 2 else "#b9cbd6"
        body.append(f'<path d="M{ax:g} {ay:g} L{bx:g} {by:g} L{cx:g} {cy:g} Z" fill="{shade}"/>')
        for slot in range(sensor["per_point"]):
            number = (
                16 * ((point - 1) // mux["points_each"])
                + sensor["per_point"] * ((point - 1) % mux["points_each"])
                + slot
            )
            y = sensor["first"] + sensor["step"] * slot
            sx, sy = at(x, y if south else d - y)
            body.append(
                f'<circle cx="{sx:g}" cy="{sy:g}" r="20" fill="none" stroke="#999"'
                ' stroke-dasharray="2 3"/>'
            )
            body.append(f'<circle cx="{sx:g}" cy="{sy:g}" r="3" fill="#009e73"/>')
            body.append(text(sx + 5, sy + 4, str(number), size=9))
        for k, y in enumerate(mechanics["skin"]["led_rows"]):
            number = spec["leds"]["per_point"] * (point - 1) + k
            body += led(*at(x, y if south else d - y), str(number))
        nx, ny = at(x, -14 if south else d + 8)
        body.append(text(nx, ny, str(point), "middle", 14))
    for slot, y in enumerate(bar["ys"]):
        bx, by = at(w / 2, y)
        number = 16 * next(n for n, role in enumerate(mux["extra"]) if role == f"bar {slot}") + 15
        body.append(
            f'<circle cx="{bx:g}" cy="{by:g}" r="20.5" fill="#f7f3ea" stroke="#333"/><circle'
            f' cx="{bx:g}" cy="{by:g}" r="3" fill="#009e73"/>'
        )
        body.append(text(bx + 5, by + 4, str(number), size=9))
    for name, spot in mechanics["led_places"].items():
        body += led(*at(*spot), name, to_left=spot[0] > w)
    body.append(scale_bar(edge + 10, f["frame_depth"] - 6))
    return body


def led(x: float, y: float, number: str, to_left: bool = False) -> list[str]:
    """One LED and its number in the strip, right of it or left."""
    aside, anchor = (-5, "end") if to_left else (5, "start")
    return [
        f'<rect x="{x - 3:g}" y="{y - 3:g}" width="6" height="6" fill="#d55e00"/>',
        text(x + aside, y + 3, f"L{number}", anchor, 7),
    ]


def board_picture(spec: dict[str, Any], mechanics: dict[str, Any]) -> str:
    f = spec["field"]
    title = "Sensors (green, with their numbers) and LEDs (orange) from above, in millimetres"
    return svg(f["frame_width"], f["frame_depth"], board_plan(spec, mechanics), title, mm_each=1)


def template(spec: dict[str, Any], mechanics: dict[str, Any]) -> str:
    """The board at full size on sheets of A4, a page each, for any browser's printer: crosses where
    the sheets meet, and a bar to measure on each.
    """
    wide, deep = spec["field"]["frame_width"], spec["field"]["frame_depth"]
    (sheet_w, sheet_h), (tile_w, tile_h) = SHEET, TILE
    left, top = (sheet_w - tile_w) / 2, (sheet_h - tile_h) / 2
    columns, rows = -(-wide // tile_w), -(-deep // tile_h)
    pages = []
    for row in range(rows):
        for column in range(columns):
            crosses = "".join(
                f'<path d="M{x - 4:g} {y:g} h8 M{x:g} {y - 4:g} v8" stroke="#c00"'
                ' stroke-width="0.3"/>'
                for x in (left, left + tile_w)
                for y in (top, top + tile_h)
            )
            pages.append(
                f'<svg viewBox="0 0 {sheet_w} {sheet_h}" width="{sheet_w}mm" height="{sheet_h}mm">'
                f'<svg x="{left:g}" y="{top:g}" width="{tile_w}" height="{tile_h}"'
                f' viewBox="{column * tile_w} {row * tile_h} {tile_w} {tile_h}">'
                f'<use href="#board"/></svg>{crosses}{scale_bar(left + 8, top + tile_h + 8)}'
                + text(left, top - 6, f"row {row + 1} of {rows}, column {column + 1} of {columns}")
                + "</svg>"
            )
    style = (
        f"@page {{ size: {sheet_w}mm {sheet_h}mm; margin: 0 }} body {{ margin: 0 }}"
        " body > svg { display: block; break-after: page; font-family: sans-serif }"
        " body > svg:last-child { break-after: auto }"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><meta charset="utf-8"><title>Drilling template, full size</title>',
            f"<style>{style}</style>",
            '<body><svg style="display: none"><defs><g id="board" font-family="sans-serif">',
            *board_plan(spec, mechanics),
            "</g></defs></svg>",
            *pages,
            "</body></html>",
            "",
        ]
    )


def on_axis_mt(magnet: dict[str, Any], gap: float) -> float:
    """The field of one checker's magnet right above a sensor."""
    radius, thick = magnet["diameter"] / 2, magnet["thickness"]
    far, near = gap + thick, gap
    part = far / (far**2 + radius**2) ** 0.5 - near / (near**2 + radius**2) ** 0.5
    return float(magnet["remanence_t"] * 1000 / 2 * part)


def stack_up(spec: dict[str, Any]) -> str:
    """All that lies between magnet and sensor, ten times its size, with what it makes of a checker:
    the gap and its limits, the field, the signal.
    """
    layers, magnet, sensor = spec["stack"], spec["magnet"], spec["sensor"]
    each = 10.0  # units for a millimetre
    gap = sum(layer["mm"] for layer in layers)
    give = sum(layer["tolerance"] for layer in layers)
    shades = ("#e69f00", "#cc79a7", "#d9c7a5", "#e8dcc8", "#999999")
    y, label = 40.0, 32.0
    body = [
        f'<rect x="20" y="{y - 15:g}" width="200" height="15" fill="#0072b2"/>',
        text(230, label, f"magnet {magnet['diameter']} x {magnet['thickness']} mm"),
    ]
    for layer, shade in zip(layers, shades, strict=True):
        high = each * layer["mm"]
        body.append(
            f'<rect class="layer" x="20" y="{y:g}" width="200" height="{high:g}" fill="{shade}"'
            ' stroke="#333" stroke-width="0.3"/>'
        )
        words = f"{layer['layer']}: {layer['mm']:g} \u00b1 {layer['tolerance']:g} mm"
        label = max(label + 13, y + high / 2 + 4)
        body.append(text(230, label, words))
        y += high
    body.append(f'<path d="M20 {y:g} h200" stroke="#009e73" stroke-width="3"/>')
    body.append(text(230, label + 13, "the sensor's sensitive spot"))
    for k, (name, at) in enumerate(
        (("least", gap - give), ("as drawn", gap), ("most", gap + give))
    ):
        field = on_axis_mt(magnet, at)
        signal = field * sensor["mv_per_mt"]
        words = f"{name}: gap {at:.1f} mm, one checker {field:.1f} mT, {signal:.0f} mV"
        body.append(text(20, y + 40 + 16 * k, words))
    body.append(f'<path class="bar-of-10-mm" d="M20 {y + 90:g} h100" stroke="#000"/>')
    body.append(text(126, y + 94, "10 mm, drawn ten times as large"))
    return svg(440, y + 110, body, "The stack-up: from the magnet to the sensor", mm_each=1)


def mega(wiring: dict[str, Any]) -> str:
    """Each used pin of the Mega and where its wire goes, in the colours of its kind."""
    for pin in wiring["mega"]:
        name = f"A{pin['pin'] - 54}" if pin["pin"] >= 54 else f"D{pin['pin']}"
        pin["name"] = f"{name} ({pin['port']})"
    return chip("Arduino Mega 2560", "Mega", wiring["mega"], wiring["power"])


def pico(wiring: dict[str, Any]) -> str:
    """The same of a Raspberry Pi Pico."""
    for pin in wiring["pico"]:
        pin["name"] = f"GP{pin['gpio']} ({pin['pin']})"
    return chip("Raspberry Pi Pico", "Pico", wiring["pico"], wiring["pico_power"])


def chip(title: str, board: str, pins: list[dict[str, Any]], power: list[dict[str, Any]]) -> str:
    """A controller's pins by kind, then what feeds it."""
    rows = sorted(pins, key=lambda pin: (list(COLOURS).index(pin["kind"]), pin["pin"]))
    height = 40 + 20 * (len(rows) + len(power))
    body = [
        f'<rect x="20" y="20" width="150" height="{height - 40}" fill="#e6f0f2" stroke="#333"/>',
        text(95, 14, title, "middle", 12),
    ]
    for k, pin in enumerate(rows):
        y = 36 + 20 * k
        colour = COLOURS[pin["kind"]]
        body += [
            text(30, y, pin["name"]),
            f'<path d="M170 {y - 4} H300" stroke="{colour}" stroke-width="2"/>',
        ]
        body += [f'<circle cx="300" cy="{y - 4}" r="4" fill="{colour}"/>', text(312, y, pin["to"])]
    for k, pin in enumerate(power, len(rows)):
        y = 36 + 20 * k
        body.append(text(30, y, pin["pin"]))
        if pin["to"] == "nothing":
            body.append(f'<path d="M176 {y - 8} l8 8 m0 -8 l-8 8" stroke="#c00" stroke-width="2"/>')
            body.append(text(192, y, "nothing, ever"))
        else:
            body.append(f'<path d="M170 {y - 4} H300" stroke="#333" stroke-width="2"/>')
            body.append(f'<circle cx="300" cy="{y - 4}" r="4" fill="#333"/>')
            body.append(text(312, y, pin["to"]))
    return svg(640, height, body, f"Where each pin of the {board} goes")


def supply(wiring: dict[str, Any]) -> str:
    """The star: one supply, a branch for each user, one ground point."""
    branches = wiring["supply"]["branch"]
    height = 60 + 70 * len(branches)
    middle = height / 2
    body = [
        f'<rect x="20" y="{middle - 30:g}" width="110" height="60" fill="#fde9d9" stroke="#333"/>',
        text(
            75,
            middle - 6,
            f"{wiring['supply']['volts']:g} V, {wiring['supply']['amperes']:g} A",
            "middle",
            13,
        ),
        text(75, middle + 14, f"fuse {wiring['supply']['fuse_ma']} mA, star", "middle", 9),
    ]
    for k, branch in enumerate(branches):
        y = 60 + 70 * k
        body += [
            (
                f'<path d="M130 {middle:g} L220 {y} H365" fill="none" stroke="#d55e00"'
                ' stroke-width="2"/>'
            ),
            text(226, y - 6, branch["name"]),
        ]
        body += [
            text(226, y + 14, f"{branch['ma']} mA, fuse {branch['fuse_ma']} mA"),
            text(375, y - 2, branch["to"]),
            text(375, y + 13, branch["note"], size=9),
        ]
    words = "each with a ground wire of its own, back to the star: the only place where they meet"
    body.append(text(226, height - 8, words, size=9))
    return svg(800, height, body, "Power: one star, no chains")


def multiplexer(wiring: dict[str, Any]) -> str:
    """One of the eight, pin by pin."""
    return part("CD74HC4067", wiring["multiplexer"], "One multiplexer, eight times the same")


def ninth(wiring: dict[str, Any]) -> str:
    """The one that brings the eight to a Pico's converter, with the numbers of its 16 pins."""
    rows = [{"pin": f"{row['input']} ({row['pin']})", "to": row["to"]} for row in wiring["ninth"]]
    return part("74HC4051", rows, "The ninth multiplexer, of a Pico alone")


def part(name: str, rows: list[dict[str, Any]], title: str) -> str:
    """A part's pins and where the wire of each goes."""
    body = [
        (
            f'<rect x="20" y="20" width="130" height="{20 + 24 * len(rows)}" fill="#e6f0f2"'
            ' stroke="#333"/>'
        ),
        text(85, 14, name, "middle", 12),
    ]
    for k, row in enumerate(rows):
        y = 44 + 24 * k
        body += [
            text(30, y, row["pin"]),
            f'<path d="M150 {y - 4} H220" stroke="#333"/>',
            text(230, y, row["to"]),
        ]
    return svg(720, 60 + 24 * len(rows), body, title)


def pictures() -> dict[str, str]:
    """File name -> what it must hold."""
    spec = tomllib.loads((HERE / "board.toml").read_text(encoding="utf-8"))
    wiring = tomllib.loads((HERE / "wiring.toml").read_text(encoding="utf-8"))
    mechanics = tomllib.loads((HERE / "mechanics.toml").read_text(encoding="utf-8"))
    return {
        "board.svg": board_picture(spec, mechanics),
        "board-template.html": template(spec, mechanics),
        "stack.svg": stack_up(spec),
        "mega.svg": mega(wiring),
        "pico.svg": pico(wiring),
        "multiplexer.svg": multiplexer(wiring),
        "ninth.svg": ninth(wiring),
        "supply.svg": supply(wiring),
    }


if __name__ == "__main__":
    for name, drawn in pictures().items():
        (HERE / "pictures" / name).write_text(drawn, encoding="utf-8")
        print(f"wrote hardware/pictures/{name}")
