"""No new module of the bridge slips past the contract that keeps ports, threads and clocks out."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EDGES = {
    "bringup", "console", "generate", "gpio", "pty_board", "session", "switch_board", "train",
    "transport", "__init__", "__main__",
}  # fmt: skip
"""Ports, pins, files, commands: marked E in the room's README."""


def test_every_other_module_is_held_to_no_wire() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(c for c in linter["contracts"] if c["name"] == "the wire knows no wire")
    here = {p.stem for p in (ROOT / "firmware_bridge").glob("*.py")}
    assert set(contract["source_modules"]) == {f"firmware_bridge.{name}" for name in here - EDGES}
