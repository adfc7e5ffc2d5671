"""`takhte players`: the list, one player whole, and what it says where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.board import Side
from service.cli import main
from service.journal.entries import TABLE
from service.journal.store import Store
from tests.service.players.test_book import DAY, FIRST, won

W, B = Side.WHITE, Side.BLACK


def test_who_plays_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "takhte.toml"
    settings.write_text(f"[table]\ndata = '{tmp_path}'\n")
    asked = ["players", "--settings", str(settings)]
    assert main(asked) == 0
    assert "no match between two named players" in capsys.readouterr().out
    with Store.open(tmp_path / "t1.journal") as store:
        for day, bodies in enumerate((won("Mahsa", "Jan", W), won("Jan", "Reza Karimi", W))):
            at = day * DAY
            store.append([(at, FIRST + at, TABLE, body) for body in bodies])
    assert main(asked) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in said] == ["Mahsa:", "Jan:", "Reza"]
    assert said[1].endswith("Jan: 2 matches")
    assert main([*asked, "reza  KARIMI"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert kept["name"] == "Reza Karimi" and kept["matches"][0]["table"] == "t1"
    assert main([*asked, "nobody"]) == 1
    assert main([*asked, "--formula", "none"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert "`takhte players` lists them" in told[0] and "expected one of fibs" in told[1]
