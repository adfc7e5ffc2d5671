"""What is sawn, drilled and lasered: every drawing read back as a CAD program reads it, and
rendered, and both measured against board.toml and mechanics.toml.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ezdxf
import pytest
from ezdxf import units
from ezdxf.document import Drawing
from ezdxf.math import Vec2, is_point_in_polygon_2d
from playwright.sync_api import Page, sync_playwright

from firmware_bridge.board_spec import reference_board
from tests.service.web.browser import launch

HARDWARE = Path(__file__).resolve().parents[2] / "hardware"
BOARD = tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))
MECHANICS = tomllib.loads((HARDWARE / "mechanics.toml").read_text(encoding="utf-8"))
FIELD, BOX = BOARD["field"], MECHANICS["clock_box"]
RAIL = (FIELD["frame_width"] - FIELD["width"]) / 2
NAMES = ("skin", "frame", "clock-box")
Hole = tuple[float, float, float]
"""x, y, diameter."""


def _cut() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hardware_cut", HARDWARE / "cut.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hardware_cut"] = module
    spec.loader.exec_module(module)
    return module


def drawing(name: str) -> Drawing:
    return ezdxf.readfile(HARDWARE / f"pictures/{name}.dxf")


def holes(made: Drawing, layer: str) -> set[Hole]:
    found = made.modelspace().query(f'CIRCLE[layer=="{layer}"]')
    return {
        (round(c.dxf.center.x, 2), round(c.dxf.center.y, 2), round(2 * c.dxf.radius, 2))
        for c in found
    }


def outlines(made: Drawing, layer: str) -> list[list[Vec2]]:
    found = made.modelspace().query(f'LWPOLYLINE[layer=="{layer}"]')
    assert all(line.closed for line in found if layer != "WORDS")
    return [[Vec2(x, y) for x, y in line.get_points("xy")] for line in found]


def extent(line: list[Vec2]) -> tuple[float, float]:
    xs, ys = [p.x for p in line], [p.y for p in line]
    return round(max(xs) - min(xs), 3), round(max(ys) - min(ys), 3)


@pytest.mark.parametrize("name", NAMES)
def test_drawings_are_what_the_data_draw(name: str) -> None:
    sheet = _cut().sheets()[name]
    for ending, drawn in (("dxf", sheet.dxf()), ("svg", sheet.svg())):
        kept = (HARDWARE / f"pictures/{name}.{ending}").read_text(encoding="utf-8")
        assert kept == drawn, "run `python hardware/cut.py`"


@pytest.mark.parametrize("name", NAMES)
def test_a_cad_program_finds_millimetres_and_no_fault(name: str) -> None:
    made = drawing(name)
    assert made.units == units.MM
    assert not made.audit().has_errors
    assert not made.audit().has_fixes
    bars = [extent(line) for line in outlines(made, "WORDS")]
    assert (100, 0) in bars, "the bar to measure"


@pytest.fixture(scope="module")
def paper() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("name", NAMES)
def test_every_drawing_renders_at_its_own_size(paper: Page, name: str) -> None:
    """What a browser draws of the SVG, in millimetres, is what the DXF says."""
    paper.goto((HARDWARE / f"pictures/{name}.svg").as_uri())
    made = drawing(name)
    for layer in ("CUT", "ENGRAVE"):
        boxes = paper.eval_on_selector_all(
            f"path.{layer}",
            "all => all.map(e => e.getBBox()).map(b => [b.width, b.height])"
            ".map(b => b.map(x => x * document.documentElement.getBoundingClientRect().width"
            " / document.documentElement.viewBox.baseVal.width * 25.4 / 96))",
        )
        drawn = [extent(line) for line in outlines(made, layer)]
        assert [tuple(box) for box in boxes] == [pytest.approx(size, abs=0.1) for size in drawn]


def test_the_skin_lies_over_its_sensors_and_lights() -> None:
    made, board = drawing("skin"), reference_board()
    assert outlines(made, "CUT")[0] and extent(outlines(made, "CUT")[0]) == (660, 608)
    sensors = {(round(p.x, 2), round(p.y, 2)) for p in board.sensors.places if p.site >= 0}
    assert {(x, y) for x, y, _ in holes(made, "BELOW")} == sensors
    windows = [h for h in holes(made, "CUT") if h[2] == MECHANICS["skin"]["led_window"]]
    assert len(windows) == board.leds.count
    assert {h[:2] for h in holes(made, "ENGRAVE")} == {
        (board.bar_x, y) for y in BOARD["bar"]["ys"]
    }, "dishes"
    numbers = [*board.leds.bar, *board.leds.off_south, *board.leds.off_north]
    assert sorted(map(int, MECHANICS["led_places"])) == sorted(numbers)
    for one, other in itertools.combinations(holes(made, "CUT") | holes(made, "ENGRAVE"), 2):
        apart = Vec2(one[:2]).distance(Vec2(other[:2])) - (one[2] + other[2]) / 2
        assert apart > 3, (one, other)


def test_rim_rails_and_skin_go_together() -> None:
    made = drawing("frame")
    ring, field, *rails = (extent(line) for line in outlines(made, "CUT"))
    assert ring == extent(outlines(drawing("skin"), "CUT")[0])
    assert field == (FIELD["width"], FIELD["depth"])
    assert rails == [(660, 25), (660, 25), (560, 25)]
    above = {h for h in holes(made, "CUT") if h[1] >= -RAIL}
    assert above <= holes(drawing("skin"), "CUT"), "one drill through both"
    screws = {h for h in above if h[2] == MECHANICS["skin"]["screw"]}
    assert len(screws) == 16
    for x, _, across in holes(made, "CUT") - above:
        for at, y, thick in screws:
            if not -RAIL / 2 < y < FIELD["depth"]:
                assert abs(x - at) > (across + thick) / 2 + 3, "a screw into a hole of the rail"
    assert MECHANICS["frame"]["rim_thickness"] > BOARD["checker"]["thickness"]


def _wall(name: str, at: dict[str, Any]) -> list[Vec2]:
    return [Vec2(x, y) for x, y in at[name][2]]


def test_the_walls_of_the_box_fit_into_each_other() -> None:
    """Put together in space: every finger's width of every edge, and every corner, is filled by one
    wall, and by one only."""
    walls = _cut().box_panels(BOX)
    wide, deep, high, thick = (BOX[key] for key in ("wide", "deep", "high", "thickness"))
    half = thick / 2

    def filled(x: float, y: float, z: float) -> int:
        """How many walls have wood here."""
        flat = {
            "lid": (x, y) if z > high - thick else None,
            "floor": (x, y) if z < thick else None,
            "front": (x, z) if y < thick else None,
            "back": (x, z) if y > deep - thick else None,
            "west end": (y, z) if x < thick else None,
            "east end": (y, z) if x > wide - thick else None,
        }
        return sum(
            spot is not None and is_point_in_polygon_2d(Vec2(spot), _wall(name, walls)) > 0
            for name, spot in flat.items()
        )

    def along(length: float) -> list[float]:
        return [half + k * (length - thick) / 60 for k in range(61)]

    ends = {"x": (half, wide - half), "y": (half, deep - half), "z": (half, high - half)}
    for y, z in itertools.product(ends["y"], ends["z"]):
        assert [filled(x, y, z) for x in along(wide)] == [1] * 61
    for x, z in itertools.product(ends["x"], ends["z"]):
        assert [filled(x, y, z) for y in along(deep)] == [1] * 61
    for x, y in itertools.product(ends["x"], ends["y"]):
        assert [filled(x, y, z) for z in along(high)] == [1] * 61


def test_the_box_holds_what_the_board_has() -> None:
    """A hole for every button, and a wall's width between any two and to the walls."""
    made = drawing("clock-box")
    lid = max(outlines(made, "CUT"), key=lambda line: (extent(line), -line[0].x))
    left, low = min(p.x for p in lid), min(p.y for p in lid)
    own = [h for h in holes(made, "CUT") if is_point_in_polygon_2d(Vec2(h[:2]), lid) > 0]
    assert sorted(h[2] for h in own) == [12] * 5 + [30] * 2
    assert len(own) == len(BOARD["buttons"]["names"])
    for x, y, size in own:
        room = size / 2 + BOX["thickness"] + 3
        assert room < x - left < BOX["wide"] - room
        assert room < y - low < BOX["deep"] - room
    for one, other in itertools.combinations(own, 2):
        assert Vec2(one[:2]).distance(Vec2(other[:2])) > (one[2] + other[2]) / 2 + 6
    windows = [line for line in outlines(made, "CUT") if extent(line) == tuple(BOX["window"])]
    assert len(windows) == 2
    for window in windows:
        for x, y, size in own:
            nearest = min(Vec2(x, y).distance(corner) for corner in window)
            assert nearest > size / 2 + 3
