"""Shapes of match files that other programs, sites and people write, beyond those of
`test_notation_shapes`: what they say, and that it is still said once written and read again.

A row is a file, the names of what was done, the score, and the two players as they must be called.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.board import Side
from rules.notation.convert import WRITERS, read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.mat import read_mat
from rules.notation.matwrite import cuts
from tests.rules.gnubg import expected, games_of, replayed
from tests.rules.test_notation_shapes import OPENING, mat

FAR = " " * 34
TWO = "OpeningDice Played Rolled Played"
WON = "ResignOffered ResignAccepted"
DOUBLES = OPENING + "  2)  Doubles => 2                "
SCORED = " Game 1\n A : 6                           B : 4\n"
LONG = "Alexandria Wriothesley Marjoribanks-Smythe", "Bartholomew Featherstonehaugh-Cholmondeley"
CROSSED = f'; [Player 1 "{LONG[1]}"]\n; [Player 2 "{LONG[0]}"]\n' + mat(OPENING).replace(
    "A :", LONG[0][:31] + " :"
).replace("B :", LONG[1][:30] + " :")
NACK = (
    " "
    * 33
    + "12: Illegal play (5;0;1;0;{};A;B;0;0;0;1;0;0;-2;-2;0;0;0;4;0;3;0;0;0;-4;4;0;0;0;-3;0;-4;0;0;"
    "0;2;2;0;5;1;)"
)

SHAPES: dict[str, tuple[str, str, tuple[int, int]]] = {
    "OpenGammon: resigned, in the winner's column": (
        mat(
            OPENING + "  2)                              Resigned Game\n" + FAR + "Wins 2 points\n"
        ),
        f"{TWO} {WON}",
        (0, 2),
    ),
    "a normal game resigned, on the row of the win": (
        mat(OPENING + "  2) Resign normal          Wins 1 point\n"),
        f"{TWO} {WON}",
        (0, 1),
    ),
    "choue.net: more than the cube allows, less than the match needs": (
        mat(OPENING + "  2) 53: ????                   Wins 4 point\n", 7),
        f"{TWO} Rolled {WON}",
        (0, 3),
    ),
    "the same, the cube at 2": (
        mat(DOUBLES + "Takes\n  3) 53: ????                   Wins 7 point\n", 11),
        f"{TWO} Offered Taken Rolled {WON}",
        (0, 6),
    ),
    "a cell on a row without a number": (
        mat("  1) 31: 8/5 6/5      Doubles => 2\n      Takes             42: 8/4 6/4\n"),
        "OpeningDice Played Offered Taken Rolled Played",
        (0, 0),
    ),
    "an answer in other words": (
        mat(DOUBLES + "Accepts\n  3) 55: 13/3(2)\n"),
        f"{TWO} Offered Taken Rolled Played",
        (0, 0),
    ),
    "a double that is rejected": (
        mat(DOUBLES + "Rejects\n      Wins 1 point\n"),
        f"{TWO} Offered Dropped",
        (1, 0),
    ),
    "a double that is declined": (mat(DOUBLES + "Declines\n"), f"{TWO} Offered Dropped", (1, 0)),
    "a win in the wrong column after a drop": (
        mat(DOUBLES + "Drops\n" + FAR + "Wins 1 point\n"),
        f"{TWO} Offered Dropped",
        (1, 0),
    ),
    "a win of points that are not said": (
        mat(DOUBLES + "Takes\n  3) 55:\n" + FAR + "Wins\n", 7),
        f"{TWO} Offered Taken Rolled {WON}",
        (0, 2),
    ),
    "a win of the match, no points said": (
        mat(OPENING + "  2) 55:\n" + FAR + "Wins the match\n", 2),
        f"{TWO} Rolled {WON}",
        (0, 2),
    ),
    "forfeited": (mat(OPENING + "  2) Forfeits\n"), f"{TWO} {WON}", (0, 1)),
    "what somebody thought of the plays": (
        mat("  1) 31: 8/5 6/5!                42: 8/4 6/4 ?!\n  2) 55: 13/3(2)??\n"),
        f"{TWO} Rolled Played",
        (0, 0),
    ),
    "commas between moves": (mat("  1) 31: 8/5, 6/5         42: 8/4,6/4\n"), TWO, (0, 0)),
    "moves with hyphens": (mat("  1) 31: 8-5 6-5           42: 8-4 6-4\n"), TWO, (0, 0)),
    "the lower die first": (
        mat("  1)                              16: 13/7 8/7\n"),
        "OpeningDice Played",
        (0, 0),
    ),
    "a game's row that says more": (
        mat(OPENING).replace("Game 1", "Game 1 - first of the evening"),
        TWO,
        (0, 0),
    ),
    "a game's row with a colon": (mat(OPENING).replace("Game 1", "Game 1:"), TWO, (0, 0)),
    "remarks behind #": ("# by a robot\n" + mat("#\n# fine\n" + OPENING), TWO, (0, 0)),
    "a length with a hyphen": (mat(OPENING).replace(" point", "-point"), TWO, (0, 0)),
    "points in the plural": (mat(OPENING).replace(" point", " points"), TWO, (0, 0)),
    "an unlimited game": (mat(OPENING).replace("3 point match", "Unlimited game"), TWO, (0, 0)),
    "a match to 25 with the cube at 64": (
        mat(
            DOUBLES + "Takes\n"
            "  3) 21: 13/11 6/5                Doubles => 4\n"
            "  4)  Takes                      21: 13/11 6/5\n"
            "  5)  Doubles => 8                Takes\n"
            "  6) 21: 11/8                     Doubles => 16\n"
            "  7)  Takes                      21: 11/8\n"
            "  8)  Doubles => 32               Takes\n"
            "  9) 21: 13/10                    Doubles => 64\n"
            " 10)  Takes                      21: 13/10\n"
            "      Wins 64 points and the match\n",
            25,
        ),
        "",
        (64, 0),
    ),
    "a game cut out of a match: its length is not said": (
        mat(DOUBLES + "Drops\n      Wins 1 point\n").split("\n\n", 1)[1],
        f"{TWO} Offered Dropped",
        (1, 0),
    ),
    "JellyFish's .gam: a game alone, names without a score": (
        " A                              B\n"
        "  1)                             56: 24/18 18/13 \n"
        "  2) 51: 24/23 23/18             16: 8/7* 13/7 \n"
        "  3) 43: 25/21 24/21             65: 24/18 18/13 \n",
        "",
        (0, 0),
    ),
    "gnubg's nackgammon": (
        '; [Variation "NackGammon"]\n' + mat("  1) 51: 23/22 13/8               41: 13/9 9/8\n"),
        TWO,
        (0, 0),
    ),
    "DailyGammon's nackgammon: the start told as an illegal play of 12": (
        mat(
            f"  1){NACK.format(1)}\n  2) 51: 23/22 13/8                41: 13/9 9/8\n"
            f"{FAR}Wins 1 point\n\n Game 2\n A : 0                           B : 1\n"
            f"  1) {NACK.format(0).strip()} 61: 13/7 8/7\n  2) 31: 8/5 6/5\n",
            5,
        ),
        f"{TWO} {WON} NextGame {TWO}",
        (0, 1),
    ),
    "an excerpt that begins at a score and misses games": (
        mat(
            OPENING + f"{FAR}Wins 1 point\n\n Game 3\n A : 8                           B : 10\n"
            "  1) 31: 8/5 6/5                 42: 8/4 6/4\n  2) 65: 24/18\n"
            f"{FAR}Wins 2 points\n",
            21,
            SCORED,
        ),
        "",
        (8, 12),
    ),
}


@pytest.mark.parametrize(("text", "done", "score"), SHAPES.values(), ids=list(SHAPES))
def test_a_shape_is_read_and_kept(text: str, done: str, score: tuple[int, int]) -> None:
    for end in ("\n", "\r\n"):
        record = read_file(text.replace("\n", end).encode(), "x.txt")
        if done:
            assert " ".join(type(action).__name__ for action in record.actions) == done
        final = record.final()
        assert (final.score.white, final.score.black) == score
        for ending in WRITERS:
            again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
            assert again.actions == record.actions and again.names == record.names, ending


def test_gnubg_does_the_same_with_each(tmp_path: Path) -> None:
    records = [(name, read_mat(text)) for name, (text, _, _) in SHAPES.items()]
    files = []
    for number, (_, record) in enumerate(records):
        files.append(tmp_path / f"{number}.mat")
        files[-1].write_text(write_file(record, "x.mat"))
    for (name, record), text in zip(records, replayed(files, tmp_path), strict=True):
        assert games_of(text, record.start().game.placement) == expected(record), name


def test_a_gammon_counts_where_the_length_is_not_said() -> None:
    """Nobody knows whether it was a game of a match: as the rows have it, without Jacoby."""
    text = mat(OPENING + "  2) 55:\n" + FAR + "Wins 2 points\n").split("\n\n", 1)[1]
    record = read_file(text.encode(), "x.gam")
    assert record.rules.is_money and not record.rules.jacoby
    assert record.final().score.black == 2
    assert (
        record.remarks[0] == "line 2: how long the match is, is not said; read as a money session"
    )
    assert read_mat('; [Jacoby "On"]\n' + text).rules.jacoby
    for nothing in ("", "hi\nworld\n", "1) 31: 8/5 6/5\n", "a b\n1) 31: 8/5 6/5\n", "Game 1\n"):
        with pytest.raises(NotationError, match="point match"):
            read_mat(nothing)


@pytest.mark.parametrize("said", ["Dances", "Can't move", "No Move", "(no move)", "-"])
def test_a_turn_in_which_nothing_moved_is_said_in_many_ways(said: str) -> None:
    closed = "; Set Pos=aBBBBBB------------abcdea-/0\n"
    rows = (
        f"  1) 31: 8/5 6/5                 42: 8/4 6/4\n{closed}  2)" + " " * 28 + f"61: {said}\n"
    )
    plain = rows.replace(said, "")
    assert read_mat(mat(rows)).actions == read_mat(mat(plain)).actions


def test_a_win_that_the_board_denies_is_the_boards() -> None:
    """Older transcriptions write the result beside the last play, in whichever column is free."""
    board = "; Set Pos=-A---------------------A--/0\n".replace("A--/", "-a-/")
    text = mat(OPENING + board + "  2) 21: 1/off                   Wins 1 point\n")
    record = read_mat(text)
    assert record.final().score.white == 1 and record.final().score.black == 0
    assert "on the board it was not so" in record.remarks[-1]
    # The score of the next game is a word of the file's own, and stands.
    more = text + "\n Game 2\n A : 0                           B : 1\n" + OPENING
    assert read_mat(more).final().score.black == 1


def test_names_that_rows_cut_short_are_whole_whichever_player_is_first() -> None:
    """eXtreme Gammon's `Player 1` is the right player of its rows."""
    straight = CROSSED.replace("Player 1", "x").replace("Player 2", "Player 1")
    for text in (CROSSED, straight.replace('"x"', '"Player 2"').replace("; [x ", "; [Player 2 ")):
        record = read_mat(text)
        assert (record.names[Side.WHITE], record.names[Side.BLACK]) == LONG
        for ending in WRITERS:
            again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
            assert again.names == record.names, ending
    short = '; [Player 1 "John"]\n; [Player 2 "Jo"]\n' + mat(OPENING)
    found = read_mat(short.replace("A :", "Jo :").replace("B :", "John :")).names
    assert found == {Side.WHITE: "Jo", Side.BLACK: "John"}


def test_jacoby_is_not_played_in_a_match_whatever_its_tags_say() -> None:
    """choue.net writes `Jacoby "On"` above matches: a gammon with the cube in the middle is one."""
    text = '; [Jacoby "On"]\n' + mat(OPENING + "  2) 55:\n" + FAR + "Wins 2 points\n", 7)
    record = read_mat(text)
    assert not record.rules.jacoby
    assert record.final().score.black == 2
    assert read_mat(text.replace("7 point", "0 point")).rules.jacoby


def test_a_name_may_begin_with_a_number_sign() -> None:
    assert read_mat(mat(OPENING).replace(" A :", "#1 A :")).names[Side.WHITE] == "#1 A"


@pytest.mark.parametrize(
    "row", ["Game 1" + " " * 990, "Game 1 (" + " " * 980, "7" + " " * 980, "Wins" + " " * 980]
)
def test_rows_of_blanks_take_no_time(row: str) -> None:
    text = mat((row[:995] + "x\n") * 3_000)
    with pytest.raises(NotationError):
        read_mat(text)


def test_a_beaver_is_cut_only_where_gnubg_loses_the_game() -> None:
    taken = read_mat(mat(DOUBLES + "Beavers => 4\n  3) 55: 13/3(2)\n", 0))
    assert not cuts(write_file(taken, "x.mat"))
    dropped = mat(DOUBLES + f"Beavers => 4\n  3)  Drops\n{FAR}Wins 2 points\n", 0)
    assert cuts(write_file(read_mat(dropped), "x.mat"))
