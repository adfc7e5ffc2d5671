"""Whole evenings with people who have habits: told by their number alone, resumed without a loss,
and held against a truth that shares no code with the referee.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.position import Position
from rules.ruleset import catalogue, ruleset
from service.journal.chain import Entry, chain
from service.journal.entries import (
    TABLE,
    AlertRaised,
    Body,
    CubeOffered,
    DiceCalled,
    DiceOrigin,
    GameEnded,
    IllegalNoticed,
    PlayEntered,
    RollEntered,
    Standing,
)
from service.referee.state import PlayLine
from service.simulate.console import main
from service.simulate.evening_report import MISSING, WRONG, lower_bound
from service.simulate.habit_table import HABIT_ROWS, LEVEL_NAMES, People
from service.simulate.held_against import HeldGame
from service.simulate.soak import EveningSetting, Soak, play_evening
from service.simulate.tally import Tally
from service.simulate.told_game import told_beside_record
from service.simulate.truth import ThrownDice, TrueGame, TrueTurn, WrongSpell, too_early

W, B = Side.WHITE, Side.BLACK
START = Position.start(ruleset("backgammon"), W).placement
AFTER = START.moved(W, 8, 5).moved(W, 6, 5)
"""What 31: 8/5 6/5 leaves."""
MISCOUNTED = START.moved(W, 13, 9).moved(W, 6, 5)
BY_THE_BOOK = EveningSetting("backgammon", 3, "good", "good", "club", "ours", 8, habits=())


@pytest.mark.parametrize("name", HABIT_ROWS)
def test_no_habit_is_too_rare_to_be_met(name: str) -> None:
    habit = HABIT_ROWS[name]
    rates = [habit.rate(level) for level in LEVEL_NAMES]
    if name not in ("opponent_notices", "puts_right"):
        assert rates == sorted(rates)
    assert habit.rate("club") >= 1 / 200
    assert habit.rate("tavern") >= 1 / 50


def test_people_by_the_book_are_recorded_as_they_played() -> None:
    tally = play_evening(BY_THE_BOOK, 0, 2)
    assert tally.counts["games"] == 2
    assert tally.counts["turns"] == tally.counts["recorded_right"] == 16, tally.failures
    assert not any(
        tally.counts[name] for name in [*WRONG, *MISSING, "false_accusations", "dice_calls_false"]
    )
    assert not any(tally.done.values())


def test_a_checker_that_lies_between_two_points_does_not_outlive_its_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It did: every set-up after it read two checkers too many, and wanted a person."""
    monkeypatch.setattr(People, "do", lambda _, name: name == "laid_sideways")
    tally = play_evening(replace(BY_THE_BOOK, board="none", clock="none", longest=1), 0, 4)
    assert tally.counts["games"] == 4
    assert tally.counts["stops"] == 0, tally.failures


@pytest.mark.parametrize(("name", "clock"), [("backgammon", "none"), ("narde", "ours")])
def test_an_evening_is_told_by_its_number_alone(name: str, clock: str) -> None:
    setting = EveningSetting(name, 5, "club", "club", "tavern", clock, 8)
    one, again = play_evening(setting, 2, 1), play_evening(setting, 2, 1)
    assert one.to_json() == again.to_json()
    assert one.counts["entries_lost"] == 0
    assert sum(one.done.values()) > 3


def test_shards_that_resume_are_the_whole_soak(tmp_path: Path) -> None:
    setting = EveningSetting("backgammon", 7, "good", "good", "club", "ours", 2, habits=())
    whole = Soak(setting, 9).run()
    parts = [Soak(setting, 9, shard=(n, 2), resume=tmp_path) for n in (1, 2)]
    for part in parts:
        part.run()
    assert len(list(tmp_path.glob("*.json"))) == 3
    assert not list(tmp_path.glob("*.part"))
    assert Soak(setting, 9, resume=tmp_path).run().to_json() == whole.to_json()


def test_a_tally_is_kept_whole() -> None:
    tally = Tally()
    tally.add("turns", 3)
    tally.misplay("one_die", "called")
    tally.chances["tried"] += 2
    tally.causes["stops"] = {"tried": 1}
    tally.seconds.append(1.25)
    assert Tally.from_json(json.loads(json.dumps(tally.to_json()))).to_json() == tally.to_json()


def test_the_lower_bound_mirrors_the_upper_one() -> None:
    assert lower_bound(0, 0) == 0.0
    assert lower_bound(1000, 1000) == pytest.approx(0.05 ** (1 / 1000), rel=1e-6)


# The truth against the record.


def game_of(*turns: TrueTurn) -> TrueGame:
    game = TrueGame("game", 0)
    game.turns += turns
    game.throws += [(t.thrown_at, t.side, t.roll) for t in turns if t.roll is not None]
    return game


def turn_of(stands: Placement = AFTER, **more: object) -> TrueTurn:
    turn = TrueTurn(
        0, W, Roll(3, 1), 0.0, 2.0, 8.0, START, (stands,), also_read=frozenset({Roll(3, 1)})
    )
    for name, value in more.items():
        setattr(turn, name, value)
    return turn


def held(game: TrueGame, *bodies: tuple[float, Body]) -> Tally:
    """What is counted of a game with these entries."""
    tally = Tally()
    entries: list[Entry] = [e for e, _ in chain((at, 0.0, TABLE, body) for at, body in bodies)]
    lines = [
        PlayLine(e.seq, 1, n, b.side, b.roll, b.origin, b.notation, b.placement,
                 infraction=b.infraction, standing=b.standing)
        for n, e in enumerate(entries)
        if isinstance(b := e.body, PlayEntered)
    ]  # fmt: skip
    HeldGame(tally, ruleset("backgammon"), game, entries, lines).count()
    return tally


def rolled(at: float, side: Side, a: int, b: int) -> tuple[float, Body]:
    return at, RollEntered(side, Roll.of(a, b), DiceOrigin.READ)


def played(
    at: float, placement: Placement, a: int = 3, b: int = 1, **more: Any
) -> tuple[float, Body]:
    return at, PlayEntered(W, Roll.of(a, b), DiceOrigin.READ, "", placement, **more)


CASES = {
    "as it was": (turn_of(), [rolled(3, W, 3, 1), played(9, AFTER)],
                  {"recorded_right", "rolls_read"}),
    "another play": (turn_of(), [played(9, MISCOUNTED)], {"play_wrong", "unrecorded_at_stops"}),
    "another roll": (turn_of(), [played(9, AFTER, 4, 2)], {"roll_wrong"}),
    "another roll, dice unread": (
        turn_of(also_read=frozenset({Roll(3, 1), Roll(4, 2)}), dice_read=False),
        [played(9, AFTER, 4, 2)],
        {"same_observations", "dice_unread"},
    ),
    "nobody's roll": (turn_of(), [rolled(3, B, 3, 1), played(9, AFTER)],
                      {"roll_nobody_threw", "recorded_right"}),
    "an innocent": (
        turn_of(),
        [(8.5, IllegalNoticed(W, "die_not_rolled", {}, Roll(3, 1), AFTER)), played(9, AFTER)],
        {"false_accusations", "recorded_right"},
    ),
    "said to have played out of turn": (
        turn_of(),
        [played(9, AFTER), (9.0, AlertRaised("a2", "illegal", W, "out_of_turn", {}, "board", 1))],
        {"false_accusations", "recorded_right"},
    ),
    "legal, written down as illegal": (
        turn_of(), [played(9, AFTER, infraction="die_not_rolled")],
        {"recorded_illegal", "recorded_right"},
    ),
    "legal, left open as a play of other dice that the roll may have been": (
        turn_of(also_read=frozenset({Roll(3, 1), Roll(4, 1)}), dice_read=False),
        [played(9, AFTER, 4, 1, infraction="die_not_rolled", standing=Standing.UNRESOLVED)],
        {"same_observations", "dice_unread"},
    ),
    "legal, called a play of other dice": (
        turn_of(also_read=frozenset({Roll(3, 1), Roll(4, 1)}), dice_read=False),
        [played(9, AFTER, 4, 1, infraction="die_not_rolled")],
        {"recorded_illegal", "same_observations", "dice_unread"},
    ),
    "a miscount as a legal play of another roll": (
        turn_of(MISCOUNTED, illegal="wrong_die", wrong_at=6.0),
        [played(9, MISCOUNTED, 4, 1), rolled(12, B, 6, 2)],
        {"illegal_made", "illegal_missed", "illegal_as_other_roll", "illegal_as_read",
         "roll_nobody_threw"},
    ),
    "a miscount as a legal play of another roll, its dice unread": (
        turn_of(MISCOUNTED, illegal="wrong_die", wrong_at=6.0, dice_read=False),
        [played(9, MISCOUNTED, 4, 1)],
        {"illegal_made", "illegal_missed", "illegal_as_other_roll", "dice_unread"},
    ),
    "a miscount that nobody could tell": (
        turn_of(MISCOUNTED, illegal="wrong_die", wrong_at=6.0, dice_read=False,
                also_read=frozenset({Roll(3, 1), Roll(4, 1)})),
        [played(9, MISCOUNTED, 4, 1)],
        {"illegal_made", "illegal_unseeable", "same_observations", "dice_unread"},
    ),
    "a cube nobody touched": (
        turn_of(), [(1.0, CubeOffered(W, 2, "camera")), played(9, AFTER)],
        {"cube_wrong", "recorded_right"},
    ),
    "a game that did not end": (
        turn_of(), [played(9, AFTER), (9.0, GameEnded(1, W, 1, "borne_off"))],
        {"end_wrong", "recorded_right"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_recorded_otherwise_is_counted(case: str) -> None:
    turn, bodies, expected = CASES[case]
    tally = held(game_of(turn), *bodies)
    assert {n for n, c in tally.counts.items() if c} - {"turns"} == expected, tally.failures


def test_a_true_word_about_an_illegal_play_is_no_accusation() -> None:
    game = game_of(turn_of(MISCOUNTED, illegal="wrong_die", wrong_at=6.0))
    game.wrong.append(WrongSpell(W, 6.0, 12.0))
    told = IllegalNoticed(W, "die_not_rolled", {}, Roll(3, 1), MISCOUNTED)
    tally = held(game, (8.5, told), played(12, MISCOUNTED, infraction="die_not_rolled"))
    assert tally.counts["accusations_true"] == tally.counts["illegal_called"] == 1
    assert not tally.counts["false_accusations"]


@pytest.mark.parametrize(
    ("lay", "side", "problem", "true"),
    [
        (ThrownDice(2, W, frozenset({"cocked"}), W), W, "cocked", True),
        (ThrownDice(2, W, frozenset(), W), W, "cocked", False),
        (ThrownDice(2, B, frozenset({"cocked"}), B), W, "cocked", False),
        (ThrownDice(2, W, frozenset({"wrong_half"})), W, "wrong_half", True),
        # Black threw out of turn: that the dice lie in its half is so, whoever threw them.
        (too_early(2, B), W, "other_half", True),
        (too_early(2, B), B, "premature", True),
        (ThrownDice(2, W, frozenset(), W), W, "other_half", False),
        (ThrownDice(2, W, frozenset(), W), W, "premature", False),
        (ThrownDice(2, W, frozenset(), W), W, "missing", False),
    ],
)
def test_what_is_said_of_dice_is_held_against_how_they_lay(
    lay: ThrownDice, side: Side, problem: str, true: bool
) -> None:
    game = game_of(turn_of())
    game.dice.append(lay)
    tally = held(game, (4.0, DiceCalled(side, problem)), played(9, AFTER))
    assert tally.counts["dice_calls_true"] == true
    assert tally.counts["dice_calls_false"] == (not true)


def test_a_dance_is_held_against_the_dance_of_its_roll() -> None:
    turns = [
        turn_of(START, number=n, roll=Roll.of(*roll), began=10.0 * n, thrown_at=10.0 * n + 2)
        for n, roll in enumerate([(3, 3), (6, 4)])
    ]
    tally = held(game_of(*turns), played(19, START, 6, 4))
    assert tally.counts["recorded_right"] == tally.counts["unrecorded"] == 1
    assert not tally.counts["roll_wrong"]


def test_the_command_plays_evenings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    words = [
        "--games",
        "1",
        "--turns",
        "3",
        "--camera",
        "good",
        "--board",
        "none",
        "--clock",
        "none",
    ]
    assert main([*words, "--resume", str(tmp_path / "parts"), "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    for word in ("entries that did not happen", "false accusations", "stops", "occurrences"):
        assert word in printed
    assert set(json.loads(out.read_text())["habits"]) == set(HABIT_ROWS)


def test_the_command_tells_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    """Truth beside record: each turn as it was, each entry, and where the two differ."""
    setting = ["--camera", "good", "--board", "good", "--habits", "none", "--turns", "6"]
    assert main(["--seed", "3", "--tell", "0.1", *setting]) == 0
    told = capsys.readouterr().out
    assert "turn 5" in told and "played side=" in told and "BOARD -> RECORD" not in told
    for none in ("game", "-1.0", "0.4", "3"):
        with pytest.raises(SystemExit):
            main([f"--tell={none}"])
        assert "such as 3.1" in capsys.readouterr().err
    assert main(["--tell", "0.1", "--single"]) == 2
    assert "an evening" in capsys.readouterr().err


def test_a_told_game_says_where_record_and_board_differ() -> None:
    game, (at, body) = game_of(turn_of()), played(9, MISCOUNTED)
    entry, _ = next(chain([(at, 0.0, TABLE, body)]))
    assert any(
        "BOARD -> RECORD white 5:2->1 8:2->3 9:0->1 13:5->4" in text
        for text in told_beside_record(game, [entry])
    )


@pytest.mark.parametrize("shard", ["0/2", "3/2", "x"])
def test_a_shard_that_cannot_be(shard: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--shard", shard])
    assert "I/N" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_ruleset_has_its_evenings(name: str) -> None:
    tally = play_evening(EveningSetting(name, 1, "good", "good", "club", "none", 3), 0, 2)
    assert tally.counts["turns"] >= 3
    assert tally.counts["entries_lost"] == 0
