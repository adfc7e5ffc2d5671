"""A new language is one folder: it is put into a copy of the house, and everything speaks it; what
it lacks is said in English.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules.words import read_messages
from service.web.catalogue import messages

ROOT = Path(__file__).resolve().parents[3]
NEW = ROOT / "tests/data/languages/qps"
HEAVY = shutil.ignore_patterns("__pycache__", "*.mkv", "font", "css")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("house")
    for room in ("rules", "service"):
        shutil.copytree(ROOT / room, home / room, ignore=HEAVY)
    shutil.copytree(NEW, home / "rules/locale/qps")
    return home


@pytest.fixture(scope="module")
def spoken(house: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, ROOT / "tests/service/web/spoken.py", "qps", house],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert Path(found["home"]).is_relative_to(house)
    assert "qps: " in done.stdout and f"{len(messages())} messages" in done.stdout
    return found


def test_the_language_is_known(spoken: dict[str, Any]) -> None:
    assert spoken["codes"] == ["en", "fa", "qps"]
    assert (spoken["name"], spoken["digits"]) == ("⟦pseudo⟧", "٤٠٪")
    assert spoken["setting"] == "qps" and spoken["settings"]
    assert spoken["answered"] == "qps"


def test_infractions_are_said_in_it(spoken: dict[str, Any]) -> None:
    assert spoken["infraction"] == "⟦blocked ٥⟧"
    assert spoken["piped"] == "⟦lacks ٢, ⟦mover⟧⟧"
    assert spoken["fact"] == "⟦lacks ٢, ⟦mover⟧⟧"
    assert spoken["untranslated"] == "Only one die can be played, and it must be the higher: the ٦."
    assert spoken["entry"]["qps"] == spoken["alert"]["qps"] == "⟦blocked ١٢⟧"
    assert set(spoken["entry"]) == {"en", "fa", "qps"}


def test_games_are_called_in_it(spoken: dict[str, Any]) -> None:
    assert spoken["title"] == spoken["titles"]["qps"] == "⟦backgammon⟧"
    assert spoken["no title"] == "Nackgammon"
    assert "⟦backgammon⟧" in spoken["listed"]


def test_pages_are_in_it(spoken: dict[str, Any]) -> None:
    page = spoken["page"]
    assert '<html lang="qps" dir="rtl"' in page and 'hreflang="qps"' in page
    assert "⟦pseudo⟧" in page and "⟦as the language⟧" in page
    assert "<legend>Digits</legend>" in page
    assert json.dumps("٠١٢٣٤٥٦٧٨٩٪", ensure_ascii=False) in page
    assert spoken["words"]["Backgammon"] == "⟦backgammon⟧" and "Digits" not in spoken["words"]


def test_the_picture_that_says_why_is_its_own(spoken: dict[str, Any]) -> None:
    assert base64.b64decode(spoken["card"]) == (NEW / "air/off.jpg").read_bytes()
    assert spoken["no card"]


def test_its_file_is_filled_with_what_is_to_be_said(house: Path, spoken: dict[str, Any]) -> None:
    found, given = (read_messages(p / "takhte.po") for p in (house / "rules/locale/qps", NEW))
    assert set(found) == {*messages(), ""} and found[""] == given[""]
    assert found["Backgammon"] == "⟦backgammon⟧" and found["Black"] == ""
