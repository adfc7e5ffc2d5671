"""The dice of an evening: whose they are, and which matches it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.words import languages
from service.cli import main
from service.report.evening import BREAK, dice_rows, last_evening
from service.report.sheet import dice_page
from service.report.source import ReportedMatch, Thrown, source_of_record
from tests.service.report.test_figures import small
from tests.service.report.test_report import MATCH

W, B = Side.WHITE, Side.BLACK


def match(white: str, black: str, begun: float, *rolls: Thrown) -> ReportedMatch:
    source = source_of_record(replace(small().record(), names={W: white, B: black}))
    return replace(source, rolls=rolls, begun=begun)


def test_an_evening_ends_where_a_long_break_begins() -> None:
    begun = [0.0, 3600.0, 3600.0 + BREAK, 7200.0 + BREAK, 9000.0 + BREAK]
    matches = [match("a", "b", at) for at in begun]
    matches[-1] = replace(matches[-1], running=True)
    assert last_evening(matches) == tuple(matches[2:4])
    assert last_evening(matches[:2]) == tuple(matches[:2])
    assert last_evening([matches[-1]]) == () == last_evening([])


def test_a_name_is_one_player_on_whichever_side() -> None:
    first = match("Ana", "Bo", 0, Thrown(W, Roll(3, 3)), Thrown(B, Roll(2, 1)))
    second = match("Cy", " ana ", 9, Thrown(W, Roll(6, 5)), Thrown(B, Roll(4, 1), read=False))
    rows = dice_rows([first, second])
    assert [(r.name, r.counts.rolls, r.guessed) for r in rows] == [
        ("Ana", 1, False),
        ("Bo", 1, False),
        ("Cy", 1, False),
        ("", 3, False),
        ("Ana", 1, True),
    ]
    assert rows[3].counts.doubles.counted == 1
    # Two of one name in one match are two players all the same.
    assert [r.name for r in dice_rows([match("X", "X", 0, *first.rolls)])] == ["X", "X", ""]


@pytest.mark.parametrize("code", languages())
def test_the_page_names_its_matches(code: str) -> None:
    page = dice_page([match("A<b>", "Bo", 0, Thrown(W, Roll(3, 3)))], languages()[code])
    assert "A&lt;b&gt;" in page and f'lang="{code}"' in page
    assert "<table" not in dice_page([], languages()[code])


def test_it_is_asked_for_at_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.html"
    assert main(["report", str(MATCH), "--dice", "--out", str(target)]) == 0
    assert "everybody: 40 rolls" in capsys.readouterr().out
    assert "<table" in target.read_text()
