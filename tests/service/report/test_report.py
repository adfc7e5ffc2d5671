"""`takhte report`: the page in each language, and the match that is still being played."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rules.axes import Facing
from rules.board import Colour, Corner, Placement, Seating, Side
from rules.cube import Cube
from rules.dice import Roll
from rules.words import languages
from service.cli import main
from service.report.decisions import questions_of_match
from service.report.drawn import HEIGHT, WIDTH, board_svg
from service.report.figures import ENGINES_DIFFER, figures
from service.report.sheet import report_page
from service.report.source import read_sources, source_of_record, sources_of_entries
from tests.service.hands import DIRECTOR, Hands, player
from tests.service.report.test_figures import said, small

W, B = Side.WHITE, Side.BLACK
MATCH = Path(__file__).parents[2] / "data" / "matches" / "match6857357_e56cf3.mat"


def played() -> Hands:
    hands = Hands()
    hands.set_up(ruleset="backgammon", length=1, white="Ana <b>", black="بهرام")
    hands.order("declare_roll", white=3, black=1)
    hands.move((8, 5), (6, 5)).press(seconds=4)
    return hands


def test_a_match_that_runs_has_no_report_and_a_finished_one_has() -> None:
    hands = played()
    (source,) = sources_of_entries(hands.entries)
    assert source.running and source.certainty is not None
    assert source.certainty.turns == 1
    hands.order("resign", by=player(W), level=1)
    hands.order("accept_resignation", by=player(B))
    (source,) = sources_of_entries(hands.entries)
    assert not source.running
    hands.order("set_match", by=DIRECTOR, ruleset="backgammon", length=3)
    assert len(sources_of_entries(hands.entries)) == 1


def test_any_match_of_a_file_of_several_has_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.mat"
    file.write_text(MATCH.read_text() + "\n" + MATCH.read_text().replace("lasse", "Mina"))
    for words, name in (([], "lasse"), (["--number", "2"], "Mina")):
        out = str(tmp_path / "r.html")
        assert main(["report", str(file), *words, "--engine", "none", "--out", out]) == 0
        assert name in Path(out).read_text() and name in capsys.readouterr().out
    assert main(["report", str(file), "--number", "3"]) == 1
    assert "of 2 in this file" in capsys.readouterr().err


@pytest.mark.parametrize("code", languages())
def test_the_page_says_everything_in_each_language(code: str) -> None:
    record = small().record(("Event", "جام <نوروز>"))
    asked = questions_of_match(record)
    found = figures(asked, {q: said(q) for q in asked.questions()})
    source = source_of_record(record)
    page = report_page(source, found, "told", "", languages()[code])
    assert page.count("<svg") == 1 + len(found.blunders())
    # The curve of chances is named by the heading above it, for who hears the page.
    assert page.count('aria-labelledby="chances"') == page.count('<h2 id="chances">') == 1
    assert "جام &lt;نوروز&gt;" in page
    assert f'lang="{code}" dir="{languages()[code].direction}"' in page
    assert languages()[code].with_digits("100.00") in page
    # Few decisions say little: another engine's figure would be this far off.
    counts = [one.plays + one.cubes for one in found.sides.values()]
    margins = [f"±&nbsp;{500 * ENGINES_DIFFER / count**0.5:.1f}" for count in counts if count]
    assert all(languages()[code].with_digits(margin) in page for margin in margins) and margins
    assert not re.search(r"\{\w+\}", re.sub(r"<style>.*?</style>", "", page, flags=re.S))


def test_without_an_engine_there_are_dice_and_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.html"
    assert main(["report", str(MATCH), "--engine", "none", "--out", str(target)]) == 0
    assert "no engine was asked" in capsys.readouterr().out
    page = target.read_text()
    assert "no engine was asked" in page and "Longest without a double" in page
    assert main(["report", str(tmp_path / "none.mat"), "--out", str(target)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_match_file_takes_its_dice_as_read() -> None:
    (source,) = read_sources(MATCH)
    assert source.certainty is None and not source.running
    assert len(source.rolls) == 40 and all(one.read for one in source.rolls)


def test_the_board_is_drawn_with_everything_on_it() -> None:
    placement = Placement.of({25: 2, 6: 8, 5: 3, 0: 2}, {25: 1, 19: 7, 18: 2, 13: 3, 7: 1, 0: 1})
    text = board_svg(placement, cube=Cube(4, B, 64), roll=Roll(6, 4), side=W, title="a < b")
    drawn = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    discs = [c for c in drawn.iter(f"{space}circle") if c.get("r") == "18"]
    assert len(discs) == 2 + 5 + 3 + 1 + 5 + 2 + 3 + 1
    said_ = {t.text for t in drawn.iter(f"{space}text")}
    assert {"8", "7", "4"} <= said_ and len([c for c in drawn.iter() if c.get("r") == "3.6"]) == 10
    assert "style" not in text


@pytest.mark.parametrize(
    ("facing", "home", "white", "black"),
    [
        (Facing.MIRROR, Corner.SOUTH_EAST, (True, False), (True, True)),
        (Facing.MIRROR, Corner.SOUTH_WEST, (False, False), (False, True)),
        (Facing.ROTATE, Corner.SOUTH_EAST, (True, False), (False, True)),
        (Facing.ROTATE, Corner.SOUTH_WEST, (False, False), (True, True)),
    ],
)
def test_each_side_bears_off_beside_its_own_first_point(
    facing: Facing, home: Corner, white: tuple[bool, bool], black: tuple[bool, bool]
) -> None:
    """At the right or the left, above or below, as the table's page has it."""
    placement = Placement.of({6: 13, 0: 2}, {19: 12, 0: 3})
    text = board_svg(placement, seating=Seating(Colour.LIGHT, home), facing=facing)
    rects = [r for r in ElementTree.fromstring(text).iter() if r.get("height") == "7"]
    for count, colour, place in ((2, "#faf6ea", white), (3, "#2b2420", black)):
        own = [r for r in rects if r.get("fill") == colour]
        seen = {(float(r.attrib["x"]) > WIDTH / 2, float(r.attrib["y"]) < HEIGHT / 2) for r in own}
        assert (len(own), seen) == (count, {place})
