"""Shapes that real match files have, each as it was found: who won, what was scored, what is kept.

A row is a .mat file's rows after the head, the score it must give, and what must be so of its
actions; each is read, written in every format, and read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.game import Action, GameAwarded, PointsAdjusted, ResignOffered, Rolled
from rules.match import MatchRules
from rules.notation.convert import main, read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.ids import read_match, write_match_id
from rules.notation.mat import read_mat
from rules.notation.record import AS_RECORDED, MatchRecord
from rules.ruleset import ruleset
from tests.rules.gnubg import expected, games_of, replayed
from tests.rules.making import started

W, B = Side.WHITE, Side.BLACK
GAME = " Game 1\n A : 0                           B : 0\n"
OPENING = "  1) 31: 8/5 6/5                 42: 8/4 6/4\n"


def mat(rows: str, length: int = 3, game: str = GAME) -> str:
    return f" {length} point match\n\n{game}{rows}"


def has(kind: type[Action], **said: object) -> Callable[[MatchRecord], bool]:
    def check(record: MatchRecord) -> bool:
        return any(
            isinstance(action, kind) and all(getattr(action, k) == v for k, v in said.items())
            for action in record.actions
        )

    return check


def no(kind: type[Action]) -> Callable[[MatchRecord], bool]:
    return lambda record: not has(kind)(record)


SHAPES = {
    "a loss without a number says nothing by its column": (
        mat("  1) 31: 8/5 6/5                 42:\n Losses 1 point\n\n      Wins 1 point\n"),
        (1, 0),
        no(PointsAdjusted),
    ),
    "the same, the other way about": (
        mat(
            OPENING
            + "  2) 55:\n Losses 1 point\n\n                                  Wins 1 point\n"
        ),
        (0, 1),
        no(PointsAdjusted),
    ),
    "a loss that no win follows is his who was to play": (
        mat(OPENING + "  2) 55:\n Losses 2 points\n"),
        (0, 2),
        has(ResignOffered, side=W, value=2),
    ),
    "a record that begins at a score": (
        mat(
            OPENING
            + "  2) Losses 1 point\n      \n                                  Wins 1 point\n",
            7,
            " Game 1\n A : 4                           B : 3\n",
        ),
        (4, 4),
        no(GameAwarded),
    ),
    "a site pays no more than the match still needs": (
        mat(
            OPENING
            + "  2)  Doubles => 2                Takes\n  3) 55:\n"
            + "                                  Wins 1 point and the match\n",
            5,
            " Game 1\n A : 0                           B : 4\n",
        ),
        (0, 6),
        has(ResignOffered, side=W, value=1),
    ),
    "a roll that is known, a play that is not": (
        mat(OPENING + "  2) 64: ????\n                                  Wins 1 point\n"),
        (0, 1),
        has(Rolled, side=W, roll=Roll(6, 4)),
    ),
    "a match given up is no game of thousands": (
        mat(OPENING + "  2) 64:\n                                  Wins 4016 points\n"),
        (0, 3),
        no(PointsAdjusted),
    ),
    "conceding, beside a roll": (
        mat(OPENING + "  2) 62: Concedes\n                                  Wins 1 point\n"),
        (0, 1),
        has(Rolled, side=W, roll=Roll(6, 2)),
    ),
    "conceding, in a cell of its own": (mat(OPENING + "  2) Concedes\n"), (0, 1), no(GameAwarded)),
    "conceding, on the right": (
        mat(OPENING + "  2) 62: 24/18 13/11             Concedes\n      Wins 1 point\n"),
        (1, 0),
        no(GameAwarded),
    ),
    "resigning, beside the win": (
        mat(OPENING + "  2) Resigns                        Wins 2 points\n"),
        (0, 2),
        has(ResignOffered, side=W, value=2),
    ),
    "resigning on the right, whatever the roll beside it": (
        mat(OPENING + "  2) 55:                            Resigns\n"),
        (1, 0),
        has(ResignOffered, side=B, value=1),
    ),
    "a loss beside the other cell": (
        mat(
            OPENING + "  2)  Losses 2 point             61: 13/7 8/7  Wins 2 point and the match\n",
            2,
        ),
        (0, 2),
        no(PointsAdjusted),
    ),
}


@pytest.mark.parametrize(("text", "score", "so"), SHAPES.values(), ids=list(SHAPES))
def test_a_shape_of_a_real_file(
    text: str, score: tuple[int, int], so: Callable[[MatchRecord], bool]
) -> None:
    record = read_mat(text)
    final = record.final().score
    assert (final.white, final.black) == score
    assert so(record), record.actions
    for ending in (".mat", ".sgf", ".json"):
        again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
        assert again.final().score == final, ending
        assert [r.winner for r in results(again)] == [r.winner for r in results(record)], ending


def results(record: MatchRecord) -> list[object]:
    return [m.game.result for _, _, m in record.replay() if m.game.result is not None]


def test_gnubg_does_the_same_with_each_shape(tmp_path: Path) -> None:
    cases = [
        (name, read_mat(shape[0]), e) for name, shape in SHAPES.items() for e in (".mat", ".sgf")
    ]
    files = []
    for number, (_, record, ending) in enumerate(cases):
        files.append(tmp_path / f"{number}{ending}")
        files[-1].write_text(write_file(record, f"x{ending}"))
    for (name, record, ending), text in zip(cases, replayed(files, tmp_path), strict=True):
        theirs = games_of(text, record.start().game.placement)
        assert theirs == expected(record), (name, ending)


def test_a_score_at_the_end_is_kept(tmp_path: Path) -> None:
    """A played-out gammon with the cube at 2 that a site counted as 1: 30 real games."""
    record = read_mat(SHAPES["a roll that is known, a play that is not"][0])
    cut = MatchRecord(
        record.rules,
        record.names,
        (
            *record.actions,
            PointsAdjusted(B, -1, None, AS_RECORDED),
            PointsAdjusted(B, 2, None, AS_RECORDED),
        ),
    )
    for ending in (".mat", ".sgf", ".json"):
        again = read_file(write_file(cut, "x" + ending).encode(), "x" + ending)
        assert again.final().score.black == 2, ending


def test_the_win_stands_two_blanks_after_a_long_cell() -> None:
    """gnubg takes a win after one blank for a move, and loses the game."""
    rows = "  1) 66: 24/18(2) 13/7(2)          21: 13/11 6/5\n  2) 11: 8/7(2) 6/5(2)\n"
    text = write_file(read_mat(mat(rows + " " * 34 + "Wins 1 point\n")), "x.mat")
    row = next(line for line in text.splitlines() if "Wins" in line)
    assert "  Wins 1 point" in row


@pytest.mark.parametrize(
    "row", ["; [" + " " * 990, "; [" + "a " * 495, '; [x "' + " " * 900, ";" + " [" * 490]
)
def test_a_head_of_blanks_takes_no_time(row: str) -> None:
    """Was quadratic a row: 200 kB took 12 s. Here beside as many rows of plain text."""
    rows = 1_500

    def took(line: str) -> float:
        began = time.process_time()
        with pytest.raises(NotationError):
            read_mat(f"{line}\n" * rows)
        return time.process_time() - began

    assert took(row) < 40 * took("; " + "x" * 980) + 0.2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_windows_unicode_is_read(encoding: str) -> None:
    for mark in ("", "\ufeff"):
        text = mark + mat(OPENING).replace("A :", "Ārash :")
        assert read_file(text.encode(encoding), "x.mat").names[W] == "Ārash"


@pytest.mark.parametrize("ending", [".mat", ".sgf", ".json"])
def test_a_persian_name_keeps_its_spelling(ending: str) -> None:
    """Its joiner is no space: with one it would be another name."""
    name = "سیده\u200cفاطمه موسوی\u200cنژاد"
    record = replace(read_mat(mat(OPENING)), names={W: name, B: "B"})
    assert read_file(write_file(record, "x" + ending).encode(), "x" + ending).names[W] == name


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252"])
def test_old_programs_letters_and_ends_of_lines(encoding: str, end: str) -> None:
    text = mat(OPENING).replace("A :", "Ågård :").replace("\n", end)
    record = read_file(text.encode(encoding), "x.txt")
    assert record.names[W] == "Ågård" and len(record.actions) == 4


@pytest.mark.parametrize("tag", ["Beaver", "Beavers"])
@pytest.mark.parametrize("said", ["On", "Off"])
def test_whether_beavers_are_played_is_said_in_two_ways(tag: str, said: str) -> None:
    assert read_mat(f'; [{tag} "{said}"]\n{mat(OPENING, 0)}').rules.beavers is (said == "On")


def test_of_several_matches_in_one_file_the_first_is_read() -> None:
    one = SHAPES["resigning, beside the win"][0]
    first = read_mat(one)
    both = read_mat(one + one)
    assert both.actions == first.actions
    remark = "line 7: another match begins here; only match 1 was read, `--match 2` reads it"
    assert both.remarks == (remark,)
    tree = write_file(first, "x.sgf")
    with pytest.raises(NotationError, match=r"a \.mat, \.txt or \.sgf alone"):
        read_file(write_file(first, "x.json").encode(), "x.json", number=2)
    longer = tree.replace("MI[length:3]", "MI[length:5]")
    for other in (tree, longer):
        trees = read_file((tree + other).encode(), "x.sgf")
        assert trees.actions == read_file(tree.encode(), "x.sgf").actions
        assert "another match begins here" in trees.remarks[-1]


def test_any_of_several_matches_in_one_sgf_can_be_read() -> None:
    one = read_mat(SHAPES["resigning, beside the win"][0])
    other = read_mat(SHAPES["conceding, on the right"][0].replace("A :", "C :"))
    longer = read_mat(SHAPES["a site pays no more than the match still needs"][0])
    text = "".join(write_file(record, "x.sgf") for record in (one, other, longer, longer))
    for number, record in enumerate((one, other, longer, longer), start=1):
        found = read_file(text.encode(), "x.sgf", number=number)
        assert (found.actions, found.names, found.rules) == (
            read_file(write_file(record, "x.sgf").encode(), "x.sgf").actions,
            record.names,
            record.rules,
        )
        assert len(found.remarks) == (number < 4), "each says that another follows"
    for number in (0, 5):
        with pytest.raises(NotationError, match="of 4 in this file"):
            read_file(text.encode(), "x.sgf", number=number)
    # Trouble in one match is none of the others'.
    broken = text.replace("PW[C]", "PW[C]AW[3]", 1)
    assert read_file(broken.encode(), "x.sgf").actions == one.actions
    with pytest.raises(NotationError, match="a site a-z"):
        read_file(broken.encode(), "x.sgf", number=2)


def test_any_of_several_matches_in_one_file_can_be_read() -> None:
    one = '; [Event "Spring"]\n' + SHAPES["resigning, beside the win"][0]
    other = '; [Event "Autumn"]\n; a remark\n\n' + mat(OPENING, 5)
    text = "\n" * 2_500 + one + other
    for number, alone in enumerate((one, other), start=1):
        found = read_file(text.encode(), "x.mat", number=number)
        assert (found, found.tags) == (read_mat(alone), read_mat(alone).tags)
        assert len(found.remarks) == (number == 1), "the first says that there is another"
    # What is wrong is said where the whole file has it.
    row = (text + "nonsense").count("\n") + 1
    with pytest.raises(NotationError, match=f"line {row}"):
        read_file((text + "nonsense").encode(), "x.mat", number=2)
    for number in (0, 3):
        with pytest.raises(NotationError, match="of 2 in this file"):
            read_file(text.encode(), "x.mat", number=number)


@pytest.mark.parametrize(
    ("ids", "jacoby"),
    [("4HPwATDgc/ABMA:MIEKAAAAAAAE", False), ("4HPwATDgc/ABMA:MIEKAAAAAAAA", True)],
)
def test_a_match_id_says_whether_jacoby_holds(ids: str, jacoby: bool) -> None:
    match = read_match(*ids.split(":"))
    assert match.rules.is_money and match.rules.jacoby is jacoby
    assert write_match_id(match) == ids.split(":")[1]


TROUBLE = mat(OPENING + "  2) 55: 13/3(2)                 61: 8/9 6/x\n  3) 21: 6/5 6/4\n")


def test_what_stands_before_the_trouble_can_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NotationError, match="line 6"):
        read_mat(TROUBLE)
    kept = read_mat(TROUBLE, until_trouble=True)
    assert len([a for a in kept.actions if type(a).__name__ == "Played"]) == 3
    assert "line 6" in kept.remarks[-1]
    (tmp_path / "a.mat").write_text(TROUBLE)
    assert main([str(tmp_path / "a.mat"), str(tmp_path / "b.json"), "--salvage"]) == 0
    assert "read up to here only: line 6" in capsys.readouterr().out
    written = (tmp_path / "b.json").read_text()
    worse = written.replace('"do": "rolled", "side": "black"', '"do": "rolled", "side": "white"', 1)
    assert worse != written
    with pytest.raises(NotationError):
        read_file(worse.encode(), "x.json")
    assert read_file(worse.encode(), "x.json", until_trouble=True).remarks


def test_tags_and_the_cubes_limit_are_kept() -> None:
    tags = (
        ("Match ID", "77"),
        ("EventTime", "10.30"),
        ("Player 1", "Anna Ruth Long"),
        ("Unrated", "On"),
    )
    rules = MatchRules.of(ruleset("backgammon"), 7, cube_limit=1024)
    record = MatchRecord(
        rules, {W: "anna", B: "bo:b"}, started(7, "backgammon").record().actions, tags
    )
    sgf = read_file(write_file(record, "x.sgf").encode(), "x.sgf")
    assert sgf.rules.cube_limit == 1024
    assert dict(tags).items() <= dict(sgf.tags).items()
    assert '"Anna Ruth Long"' in write_file(record, "x.mat")
