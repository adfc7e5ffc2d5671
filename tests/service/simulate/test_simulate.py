"""Whole games without hardware: nothing wrong is agreed, nobody is accused falsely, and the same
seed tells the same story.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.simulate.console import Setting, main, play_one
from service.simulate.noise import Sense, pools
from service.simulate.player import choose, misplay
from service.simulate.tally import Tally, upper_bound
from tests.service.journal.narde import played
from tests.service.unchanged import bodies_in, bodies_of, differences

WRITTEN = Path(__file__).parents[1] / "journal/data/narde-2.journal"
"""What an earlier version wrote of a game of narde."""
RULESETS = ["backgammon", "nard", "nard-himly", "nard-bozorgmehr", "narde"]


@pytest.mark.parametrize("name", RULESETS)
def test_a_club_game_is_kept_right(name: str) -> None:
    tally = play_one(Setting(name, 4, "club", "club", "club", None, longest=24), 0)
    assert tally.counts["turns"] == 24
    assert tally.counts["agreed_wrong"] == 0, tally.failures
    assert tally.counts["false_accusations"] == 0, tally.failures


@pytest.mark.parametrize(("camera", "board"), [("bad", "none"), ("none", "bad"), ("bad", "bad")])
def test_bad_sensors_ask_but_do_not_accuse(camera: str, board: str) -> None:
    tally = play_one(Setting("backgammon", 9, camera, board, "careless", None, longest=24), 0)
    assert tally.counts["false_accusations"] == 0, tally.failures


def test_the_same_seed_tells_the_same_story() -> None:
    setting = Setting("nard", 2, "club", "club", "careless", None, longest=12)
    assert play_one(setting, 3).figures() == play_one(setting, 3).figures()


def test_a_game_that_was_simulated_before_is_told_in_the_same_entries() -> None:
    now = bodies_of(body for _, _, body in played())
    assert list(differences(bodies_in(WRITTEN), now)) == []


@pytest.mark.parametrize("name", RULESETS)
def test_misplays_are_no_plays(name: str) -> None:
    rng = random.Random(7)
    position = Position.start(ruleset(name), Side.WHITE)
    made = 0
    for _ in range(60):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        legal = list(plays(position, roll))
        wrong = misplay(position, roll, legal, rng)
        if wrong is not None:
            made += 1
            found = judge(position, roll, wrong.placement)
            assert isinstance(found, Infraction), (wrong, found)
        position = position.after(choose(position, legal, rng).view)
        if position.is_over:
            break
    assert made > 20


def test_upper_bounds_are_clopper_and_pearsons() -> None:
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(0, 1000) == pytest.approx(1 - 0.05 ** (1 / 1000), rel=1e-6)
    assert upper_bound(2, 100) == pytest.approx(0.0616, abs=2e-4)


def test_the_shipped_pools_have_every_level_and_count() -> None:
    found = pools()
    assert set(found) == {
        (s, level) for s in ("camera", "board") for level in ("good", "club", "bad")
    }
    for pool in found.values():
        seen = {pair for group in pool.groups for bar, pair in group if not bar}
        assert {(n, 0) for n in range(6)} | {(0, n) for n in range(6)} <= seen


def test_the_command_prints_a_table_and_writes_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    words = ["--single", "--games", "1", "--turns", "6", "--ruleset", "narde"]
    assert main([*words, "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    for word in (
        "Agreed right",
        "Ambiguous",
        "resolved by a human",
        "false accusations",
        "cocked",
        "entries lost",
        "seconds",
    ):
        assert word in printed
    figures = json.loads(out.read_text())
    assert figures["turns"] == 6
    assert figures["false_accusations_upper_95"] > 0


@pytest.mark.parametrize(
    "argv",
    [
        ["--ruleset", "chess"],
        ["--camera", "none", "--board", "none"],
        ["--confusions", "/nowhere.json"],
        ["--habits", "sleeping"],
    ],
)
def test_a_wrong_argument_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "1", *argv]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_tallies_add_up() -> None:
    a, b = Tally(), Tally()
    a.add("turns", 2)
    b.add("turns", 3)
    b.misplay("blocked", "illegal")
    a.merge(b)
    assert a.counts["turns"] == 5
    assert a.illegal["blocked"]["illegal"] == 1


def test_a_board_that_was_told_one_too_many_counts_a_low_pile_rightly_once_it_is_touched() -> None:
    for seed in range(20):
        sense = Sense(pools()["board", "club"], random.Random(seed))
        stands, told = (Placement.of({1: n, 8: 2, 0: 13 - n}, {20: 5, 0: 10}) for n in (6, 7))
        sense.observe(stands, 1.0)
        sense.remember(told)
        seen = sense.observe(stands.moved(Side.WHITE, 1, 0).moved(Side.WHITE, 1, 0), 2.0)
        pile = next(reading for reading in seen.sites if reading.site == 1)
        assert max(pile.outcomes, key=lambda o: o[2])[:2] == (4, 0)


def test_the_real_reader_and_the_real_link_play_too() -> None:
    tally = play_one(
        Setting("backgammon", 1, "good", "good", "careful", None, longest=2, pixels=True), 0
    )
    assert tally.counts["turns"] == 2
    assert tally.counts["agreed_wrong"] == tally.counts["false_accusations"] == 0, tally.failures
