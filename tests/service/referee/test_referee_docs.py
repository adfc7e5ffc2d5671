"""The pages about entries, orders and the machine say what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from service.journal import entries_hall
from service.journal.entries import KINDS
from service.referee.order_table import ORDERS
from service.referee.phases import ANYWHERE, BACK, HELD, ROWS, STAY, drawing
from service.referee.state import Phase

ROOT = Path(__file__).resolve().parents[3]


def test_the_pages_are_as_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/referee_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_entry_and_order_has_its_line() -> None:
    entries, orders = (
        (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("entries.md", "orders.md")
    )
    assert not [kind for kind in KINDS if f"### `{kind}`" not in entries]
    assert not [name for name in ORDERS if f"| `{name}` |" not in orders]


def test_the_drawing_is_in_the_page() -> None:
    assert drawing() in (ROOT / "docs/referee.md").read_text(encoding="utf-8")


def test_every_kind_of_entry_has_its_place_in_the_table() -> None:
    """A kind moves the machine or stays; none is forgotten, and no trigger is of no kind."""
    triggers = {name for _, name, _ in ROWS} | set(ANYWHERE) | BACK | STAY
    of_halls = {name for name, body in KINDS.items() if body.__module__ == entries_hall.__name__}
    assert {t.split(",")[0] for t in triggers} == set(KINDS) - of_halls
    assert set(ANYWHERE) >= HELD


def test_every_phase_can_be_reached_and_left() -> None:
    entered = {target for _, _, target in ROWS} | set(ANYWHERE.values()) | {Phase.IDLE}
    assert entered == set(Phase)
    left = {p for phases, _, target in ROWS for p in phases if p is not target}
    assert set(Phase) - left <= {Phase.FROZEN, Phase.ADJOURNED}, (
        "these two go back where they came from"
    )
