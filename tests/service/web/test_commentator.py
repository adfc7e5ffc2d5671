"""The commentator's page: what is counted, what gnubg says, how it may fail, who may see it."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from rules.board import Side
from rules.dice import Roll
from rules.ruleset import catalogue
from service.journal.entry import Role
from service.journal.store import Reader
from service.report.decisions import known_to_engines
from service.report.gnubg import MOST, AnalysisError, Gnubg, Verdict, read_answers, verdict
from service.web.commentary import (
    AnalysedTurn,
    commentary,
    commentary_shown,
    luck,
)
from service.web.policy import Visitor
from tests.service.web.browser import launch, opened, problems
from tests.service.web.serve import Served

T = "/api/v1/tables/t1/commentary"
INSTALLED = Gnubg().program is not None
START = "XGID=-b----E-C---eE---c-e----B-:0:0:{turn}:{roll}:0:0:0:7:10"


SAID = """
Evaluator: \tContact
        Win     W(g)    W(bg)   L(g)    L(bg)   Equity    Cubeful
static: 0.550   0.157   0.008   0.102   0.002   +0.196    +0.327
 1 ply: 0.549   0.154   0.008   0.104   0.003   +0.185    +0.318
 2 ply: 0.549   0.156   0.008   0.102   0.002   +0.192    +0.323
Cube analysis
2-ply cubeless equity +0.192 (Money: +0.158)
"""
HINTED = """
    1. Cubeful 0-ply    24/22 13/8                   Eq.: -0.087
       0.482 0.106 0.002 - 0.518 0.132 0.005
   10. Cubeful 0-ply    bar/7(2)* 24/18*/12          Eq.: -0.315 (-0.228)
"""
ANSWERS = [
    (SAID, Verdict(0.323, 0.318, 0.327, (0.549, 0.156, 0.008, 0.102, 0.002))),
    (
        HINTED,
        Verdict(plays=(("24/22 13/8", -0.087), ("bar/7(2)* 24/18*/12", -0.315)), plies=(0, 0)),
    ),
    ("There are no legal moves.\n", Verdict()),
    ("Illegal position.\nnonsense \x00 9.99\n1 ply: a b c\n", Verdict()),
]


@pytest.mark.parametrize(("said", "wanted"), ANSWERS)
def test_what_gnubg_says_is_read(said: str, wanted: Verdict) -> None:
    assert verdict(said.splitlines()) == wanted


def test_an_answer_that_broke_off_is_no_answer() -> None:
    said = f"Player 0 is now known as `mark0'.\n{SAID}\nPlayer 0 is now known as `mark1'.\n{HINTED}"
    assert set(read_answers(said, ["a", "b"])) == {"a"}


def test_luck_is_the_best_play_less_the_average() -> None:
    known = {
        "b": Verdict(one_ply=0.1),
        "r": Verdict(plays=(("x", 0.35), ("y", 0.2))),
        "n": Verdict(),
        "p": Verdict(static=0.4),
    }
    assert luck(AnalysedTurn(Side.WHITE, "65", before="b", rolled="r"), known) == pytest.approx(
        0.25
    )
    assert luck(
        AnalysedTurn(Side.WHITE, "65", before="b", rolled="n", passed="p"), known
    ) == pytest.approx(-0.5)
    assert luck(AnalysedTurn(Side.WHITE, "65", before="b", rolled="missing"), known) is None
    assert luck(AnalysedTurn(Side.WHITE, "31", rolled="r"), known) is None


def program(folder: Path, text: str) -> Path:
    path = folder / "gnubg"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


FAILURES = [("exec sleep 600", "hung"), ("exit 3", "broken"), ("echo Segmentation fault", "broken")]


@pytest.mark.parametrize(("text", "code"), FAILURES)
def test_a_gnubg_that_fails_is_ended_and_left_alone(tmp_path: Path, text: str, code: str) -> None:
    gnubg = Gnubg(program(tmp_path, f"echo . >> {tmp_path}/started\n{text}"), limit_s=1.0)
    for _ in range(2):
        with pytest.raises(AnalysisError) as failed:
            gnubg.ask([START.format(turn=1, roll="00")])
        assert failed.value.code == code
    assert (tmp_path / "started").read_text() == ".\n"


def test_an_engine_yields_to_the_table(tmp_path: Path) -> None:
    own = os.nice(0)
    gnubg = Gnubg(program(tmp_path, f"nice > {tmp_path}/niceness"), limit_s=10.0)
    with pytest.raises(AnalysisError):
        gnubg.told("")
    assert int((tmp_path / "niceness").read_text()) == min(19, own + 10)


def test_a_gnubg_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="install gnubg") as failed:
        Gnubg(tmp_path / "nothing").ask([START.format(turn=1, roll="00")])
    assert failed.value.code == "broken"


def test_the_luck_of_all_rolls_together_is_none() -> None:
    """What luck means: over the 36 throws it sums to nothing, for either side on roll."""
    gnubg = Gnubg()
    for turn in (1, -1):
        before = START.format(turn=turn, roll="00").replace("e----B", "e--B--")
        rolls = {
            Roll.of(a, b): before.replace(":00:", f":{max(a, b)}{min(a, b)}:")
            for a, b in itertools.product(range(1, 7), repeat=2)
        }
        known = gnubg.ask([before, *rolls.values()])
        weighed = sum(
            (luck(AnalysedTurn(Side.WHITE, str(roll), before=before, rolled=xgid), known) or 0.0)
            * (1 if roll.high == roll.low else 2)
            for roll, xgid in rolls.items()
        )
        assert abs(weighed / 36) < 0.01
        assert len(known) == 22 < MOST


@pytest.fixture
def playing(served: Served) -> Served:
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])
    for _ in range(6):
        served.table.turn()
    return served


def asked(served: Served, visitor: Visitor) -> httpx.Response:
    token = served.app.state.access.open_session(visitor)
    return httpx.get(served.url + T, headers={"authorization": f"Bearer {token}"}, timeout=60)


def test_staff_are_told_of_equity_and_luck(playing: Served) -> None:
    assert asked(playing, Visitor("n", Role.ANNOTATOR)).json()["pending"] > 0
    playing.app.state.commentary.weigher.finish()
    shown = asked(playing, Visitor("n", Role.ANNOTATOR)).json()
    assert shown["trouble"] is None and shown["judged"] and shown["pending"] == 0
    assert any(t["cost"] is not None for t in shown["turns"]) and len(shown["course"]) >= 5
    assert [t["side"] for t in shown["turns"]] == ["white", "black"] * 3
    assert shown["turns"][0]["luck"] is None and all(
        t["luck"] is not None for t in shown["turns"][1:]
    )
    assert -3 < shown["equity"] < 3 and len(shown["chances"]) == 5
    assert shown["pips"]["white"] > 0


@pytest.mark.parametrize(
    "visitor", [Visitor("p", Role.PLAYER, "white"), Visitor("tablet", Role.PLAYER)]
)
def test_players_and_guests_never_are(playing: Served, visitor: Visitor) -> None:
    assert asked(playing, visitor).status_code == 403
    for path in (T, "/commentator"):
        assert httpx.get(playing.url + path, headers={"via": "1.1 x"}).status_code == 401


def test_without_gnubg_pips_and_plays_are_left(playing: Served) -> None:
    playing.app.state.commentary.gnubg.program = None
    shown = asked(playing, Visitor("n", Role.ANNOTATOR)).json()
    assert shown["trouble"]["code"] == "absent"
    assert len(shown["turns"]) == 6 and shown["pips"] and shown["equity"] is None


@pytest.mark.parametrize(
    ("name", "known"),
    [("backgammon", True), ("nackgammon", True), ("nard", False), ("narde", False)],
)
def test_which_rules_gnubg_knows(name: str, known: bool) -> None:
    assert known_to_engines(catalogue()[name]) is known
    assert known_to_engines(replace(catalogue()[name], name="the club's own")) is known
    assert not known_to_engines(replace(catalogue()[name], start=((24, 1), (23, 1), (22, 1))))


def test_other_rules_are_not_judged(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=5, ruleset="narde")
    served.table.order("start_game", starter="white")
    for _ in range(4):
        served.table.turn()
    with Reader(served.table.journal) as reader:
        found = commentary(reader.read())
    assert not found.judged and not found.questions() and len(found.turns) == 4
    shown = commentary_shown("t1", found, {}, None)
    assert shown.luck is None and shown.pips is not None and shown.pips["white"] < 15 * 24


def test_nothing_played_yet(served: Served) -> None:
    shown = asked(served, Visitor("n", Role.ARBITER)).json()
    assert shown["turns"] == [] and shown["pips"] is None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("lang", "dark", "words"), [("en", False, "The game so far"), ("fa", True, "این دست تا اینجا")]
)
def test_the_page(playing: Served, browser: Browser, lang: str, dark: bool, words: str) -> None:
    if lang == "fa":
        playing.app.state.commentary.gnubg.program = None
    with opened(browser, playing.url + "/commentator", lang=lang, dark=dark) as page:
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.locator("#turns tr")).to_have_count(6)
        if lang == "fa":
            expect(page.locator("#trouble")).to_contain_text("gnubg")
        elif INSTALLED:
            expect(page.locator("#equity dd")).to_have_count(4)
        assert not problems(page)
