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


def svg(width: float, height: float, body: list[str], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
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


def board_plan(spec: dict[str, Any]) -> str:
    """The board from above, to scale (1 unit = 1 mm): points, sensors with their numbers, LEDs, bar
    dishes.
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
        for k, y in enumerate((6, 232)):
            lx, ly = at(x, y if south else d - y)
            body.append(
                f'<rect x="{lx - 3:g}" y="{ly - 3:g}" width="6" height="6" fill="#d55e00"/>'
            )
            body.append(
                text(lx + 5, ly + 3, f"L{spec['leds']['per_point'] * (point - 1) + k}", size=7)
            )
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
    return svg(
        f["frame_width"],
        f["frame_depth"],
        body,
        "Sensors (green, with their numbers) and LEDs (orange) from above, in millimetres",
    )


def mega(wiring: dict[str, Any]) -> str:
    """Each used pin of the Mega and where its wire goes, in the colours of its kind."""
    rows = sorted(wiring["mega"], key=lambda pin: (list(COLOURS).index(pin["kind"]), pin["pin"]))
    height = 40 + 20 * len(rows)
    body = [
        f'<rect x="20" y="20" width="150" height="{height - 40}" fill="#e6f0f2" stroke="#333"/>',
        text(95, 14, "Arduino Mega 2560", "middle", 12),
    ]
    for k, pin in enumerate(rows):
        y = 36 + 20 * k
        name = f"A{pin['pin'] - 54}" if pin["pin"] >= 54 else f"D{pin['pin']}"
        colour = COLOURS[pin["kind"]]
        body += [
            text(30, y, f"{name} ({pin['port']})"),
            f'<path d="M170 {y - 4} H300" stroke="{colour}" stroke-width="2"/>',
        ]
        body += [f'<circle cx="300" cy="{y - 4}" r="4" fill="{colour}"/>', text(312, y, pin["to"])]
    return svg(640, height, body, "Where each pin of the Mega goes")


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
        text(75, middle + 14, "star point", "middle"),
    ]
    for k, branch in enumerate(branches):
        y = 60 + 70 * k
        body += [
            (
                f'<path d="M130 {middle:g} L220 {y} H330" fill="none" stroke="#d55e00"'
                ' stroke-width="2"/>'
            ),
            text(226, y - 6, branch["name"]),
        ]
        body += [
            text(226, y + 14, f"{branch['ma']} mA"),
            text(340, y - 2, branch["to"]),
            text(340, y + 13, branch["note"], size=9),
        ]
    return svg(720, height, body, "Power: one star, no chains")


def multiplexer(wiring: dict[str, Any]) -> str:
    """One of the eight, pin by pin."""
    rows = wiring["multiplexer"]
    body = [
        (
            f'<rect x="20" y="20" width="130" height="{20 + 24 * len(rows)}" fill="#e6f0f2"'
            ' stroke="#333"/>'
        ),
        text(85, 14, "CD74HC4067", "middle", 12),
    ]
    for k, row in enumerate(rows):
        y = 44 + 24 * k
        body += [
            text(30, y, row["pin"]),
            f'<path d="M150 {y - 4} H220" stroke="#333"/>',
            text(230, y, row["to"]),
        ]
    return svg(640, 60 + 24 * len(rows), body, "One multiplexer, eight times the same")


def pictures() -> dict[str, str]:
    """File name -> what it must hold."""
    spec = tomllib.loads((HERE / "board.toml").read_text(encoding="utf-8"))
    wiring = tomllib.loads((HERE / "wiring.toml").read_text(encoding="utf-8"))
    return {
        "board.svg": board_plan(spec),
        "mega.svg": mega(wiring),
        "multiplexer.svg": multiplexer(wiring),
        "supply.svg": supply(wiring),
    }


if __name__ == "__main__":
    for name, drawn in pictures().items():
        (HERE / "pictures" / name).write_text(drawn, encoding="utf-8")
        print(f"wrote hardware/pictures/{name}")
