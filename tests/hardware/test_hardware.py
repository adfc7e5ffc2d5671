"""The guides' data: pictures are what the tables draw, pages exist and say what they must."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

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
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (HARDWARE / f"{page}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (HARDWARE / target).exists(), target


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


def test_the_supply_carries_its_branches() -> None:
    supply = tomllib.loads((HARDWARE / "wiring.toml").read_text(encoding="utf-8"))["supply"]
    board = tomllib.loads((HARDWARE / "board.toml").read_text(encoding="utf-8"))
    assert sum(branch["ma"] for branch in supply["branch"]) <= supply["amperes"] * 1000
    assert (
        next(branch["ma"] for branch in supply["branch"] if "strip" in branch["to"].lower())
        == board["leds"]["cap_ma"]
    )
