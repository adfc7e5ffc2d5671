"""The guides' data: pictures are what the tables draw, pages exist and say what they must."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, sync_playwright

from firmware_bridge.board_spec import load_board
from firmware_bridge.calibration import GAPS_MM
from firmware_bridge.physics import one_checker_mv
from tests.service.web.browser import launch

HARDWARE = Path(__file__).resolve().parents[2] / "hardware"
PAGES = (
    "README",
    "protocol",
    "bom",
    "wiring",
    "magnets",
    "assembly",
    "camera",
    "calibration",
    "bring-up",
    "safety",
    "quadrant-kit",
    "pico",
)


def _draw() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hardware_draw", HARDWARE / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "drawn"), _draw().pictures().items())
def test_pictures_are_what_the_data_draw(name: str, drawn: str) -> None:
    assert (HARDWARE / "pictures" / name).read_text(encoding="utf-8") == drawn, (
        "run `python hardware/draw.py`"
    )
    if name.endswith(".svg"):
        ElementTree.fromstring(drawn)


@pytest.fixture(scope="module")
def paper() -> Iterator[Page]:
    """A browser's page, as it prints."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        page.emulate_media(media="print")
        yield page
        browser.close()


def _sizes_mm(page: Page, selector: str) -> list[tuple[float, float]]:
    found = page.eval_on_selector_all(
        selector,
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])",
    )
    return [(width * 25.4 / 96, height * 25.4 / 96) for width, height in found]


def test_the_board_prints_at_its_own_size(paper: Page) -> None:
    """Rendered and measured: the picture in all, its bar, and the sensors' distances."""
    field = _board()["field"]
    paper.goto((HARDWARE / "pictures/board.svg").as_uri())
    whole = _sizes_mm(paper, "svg")[0]
    assert whole == pytest.approx((field["frame_width"], field["frame_depth"]), abs=0.1)
    assert _sizes_mm(paper, ".bar-of-100-mm")[0][0] == pytest.approx(100, abs=0.1)


def test_the_template_covers_the_board_on_sheets_of_paper(paper: Page) -> None:
    field = _board()["field"]
    draw = _draw()
    paper.goto((HARDWARE / "pictures/board-template.html").as_uri())
    sheets = _sizes_mm(paper, "body > svg:not(:first-child)")
    assert all(sheet == pytest.approx(draw.SHEET, abs=0.1) for sheet in sheets)
    tiles = _sizes_mm(paper, "body > svg > svg")
    assert len(tiles) * draw.TILE[0] * draw.TILE[1] >= field["frame_width"] * field["frame_depth"]
    assert all(
        bar[0] == pytest.approx(100, abs=0.1)
        for bar in _sizes_mm(paper, "body > svg > .bar-of-100-mm")
    )
    printed = paper.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(boxes) == len(sheets), "one sheet a page"
    for wide, high in boxes:
        points = (float(wide) * 25.4 / 72, float(high) * 25.4 / 72)
        assert points == pytest.approx(draw.SHEET, abs=0.5)


def test_the_stack_up_is_the_gap_that_physics_reckons_with(paper: Page) -> None:
    board, spec = _board(), load_board((HARDWARE / "board.toml").read_text(encoding="utf-8"))
    paper.goto((HARDWARE / "pictures/stack.svg").as_uri())
    drawn = sum(height for _, height in _sizes_mm(paper, ".layer")) / 10
    assert drawn == pytest.approx(spec.sensor.gap, abs=0.1)
    words = " ".join(paper.locator("text").all_text_contents())
    assert f"as drawn: gap {spec.sensor.gap:.1f} mm" in words
    assert f"{one_checker_mv(spec):.0f} mV" in words
    give = sum(layer["tolerance"] for layer in board["stack"])
    assert GAPS_MM[0] < spec.sensor.gap - give < spec.sensor.gap + give < GAPS_MM[1]
    assert f"gap of {spec.sensor.gap:g} mm" in (HARDWARE / "magnets.md").read_text("utf-8")


def _board() -> dict[str, Any]:
    return tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (HARDWARE / f"{page}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (HARDWARE / target).exists(), target


def test_what_is_said_of_the_pico_was_seen_somewhere_or_is_to_be_checked() -> None:
    """Nobody here has measured one: each figure has a page and a date, or says that it has none."""
    rows = (HARDWARE / "pico.md").read_text("utf-8").partition("## What these figures rest on")[2]
    cells = [row.strip("| ").split(" | ") for row in rows.splitlines() if row.startswith("| ")]
    claims = [cell for cell in cells if cell[0] != "statement"]
    assert len(claims) > 10
    for said, source in claims:
        assert re.search(r"seen \d{4}-\d\d-\d\d|to be checked", source), said


def test_every_message_is_explained_where_it_stands() -> None:
    table = tomllib.loads(
        (HARDWARE.parent / "firmware_bridge/protocol.toml").read_text(encoding="utf-8")
    )
    for name, message in table["message"].items():
        assert len(message["about"]) > 20, name
    ids = [message["id"] for message in table["message"].values()]
    assert len(set(ids)) == len(ids)


def test_the_emulator_has_its_own_licence() -> None:
    assert "GNU GENERAL PUBLIC LICENSE" in (HARDWARE / "emulator/LICENSE").read_text()
    for path in (HARDWARE / "emulator").glob("*.[ch]"):
        assert "SPDX-License-Identifier: GPL-3.0-or-later" in path.read_text(), path


def test_the_mega_has_one_supply() -> None:
    """Its USB cable: a second one at its 5V pin fights the computer's port and destroys boards."""
    wiring = tomllib.loads((HARDWARE / "wiring.toml").read_text(encoding="utf-8"))
    goes = {pin["pin"]: pin["to"] for pin in wiring["power"]}
    assert {pin for pin, to in goes.items() if to == "nothing"} == {"5V", "VIN and jack", "3.3V"}
    for branch in wiring["supply"]["branch"]:
        assert "Mega" not in branch["to"].replace("never the Mega", "") or "USB" in branch["to"]
    for page in PAGES:
        words = (HARDWARE / f"{page}.md").read_text(encoding="utf-8").lower()
        assert not re.search(r"feed the mega|mega's 5 v pin from", words), page


def test_the_reference_is_below_the_chips_own_supply() -> None:
    """AREF's two resistors give what the firmware reckons with, and no more than the USB's 4.4 V at
    the star's nominal 5 V."""
    wiring = tomllib.loads((HARDWARE / "wiring.toml").read_text(encoding="utf-8"))
    board = tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))
    aref = next(pin["to"] for pin in wiring["power"] if pin["pin"] == "AREF")
    upper, lower = (float(ohms) for ohms in re.findall(r"([\d.]+) k 1 %", aref))
    for own in (22, 32, 42):  # the converter's own resistance, 32 k give or take a third
        part = 1 / (1 + upper * (1 / lower + 1 / own))
        assert part == pytest.approx(board["sensor"]["reference_eighths"] / 8, rel=0.012)
        assert part * wiring["supply"]["volts"] <= 4.42
        off_mv = board["divider"]["mv"] * (0.875 / part - 1)
        assert abs(off_mv) < board["divider"]["tolerance_mv"] / 2


def test_the_supply_carries_its_branches() -> None:
    supply = tomllib.loads((HARDWARE / "wiring.toml").read_text(encoding="utf-8"))["supply"]
    board = tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))
    assert sum(branch["ma"] for branch in supply["branch"]) <= supply["amperes"] * 1000
    for branch in supply["branch"]:
        assert 1.3 * branch["ma"] <= branch["fuse_ma"] <= 2 * branch["ma"], branch["name"]
    sensors = 24 * board["sensor"]["per_point"] + len(board["bar"]["ys"])
    worst = board["sensor"]["worst_ma"]
    analogue = next(branch for branch in supply["branch"] if branch["name"] == "analogue 5 V")
    assert sensors * worst <= analogue["ma"]
    assert f"{sensors} Hall sensors" in analogue["to"]
    assert (
        next(branch["ma"] for branch in supply["branch"] if "strip" in branch["to"].lower())
        == board["leds"]["cap_ma"]
    )
