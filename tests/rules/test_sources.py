"""Every source has its row: what it can do is asked of the table, never of its name."""

from __future__ import annotations

import re
from pathlib import Path

from rules.observation import DEVICES, KINDS, Source, buttons_lost, source_labels

ROOT = Path(__file__).resolve().parents[2]


def test_every_source_has_its_row() -> None:
    assert set(KINDS) == set(Source)
    assert DEVICES == ("camera", "board")


def test_buttons_are_lost_with_the_device_that_has_them() -> None:
    assert not buttons_lost({"camera": "no picture"})
    assert buttons_lost({"board": "no board"})


def test_sources_and_devices_have_a_name_for_pages() -> None:
    assert source_labels() == {
        "camera": "Camera",
        "sensors": "Board sensors",
        "board": "Board sensors",
    }


def test_nobody_asks_which_source_it_is_to_know_what_it_can_do() -> None:
    """Films are of a camera, and the simulator makes each sensor's own noise: they may ask."""
    asking = [
        str(path.relative_to(ROOT))
        for folder in ("rules", "vision", "firmware_bridge", "service")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if re.search(r"(\bis|\bis not|==|!=|witness\() ?Source\.", path.read_text())
    ]
    assert not [n for n in asking if not n.startswith(("service/film/", "service/simulate/"))]
