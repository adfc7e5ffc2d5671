"""Boards that .mat files tell instead of plays, and what some writers do otherwise than most."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.game import Played, Rolled
from rules.notation.convert import read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.mat import read_mat
from rules.notation.record import MatchRecord
from rules.notation.xgid import write_xgid
from tests.rules.test_notation_shapes import GAME, OPENING, has, mat

W, B = Side.WHITE, Side.BLACK
# White 24/14 with 6-4 from the start; the same told by Black, whose point 11 it is.
DUMP = "3;0;1;0;0;A;B;0;0;0;1;0;"
AFTER = "0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;1;0;0;-3;0;-5;0;0;0;0;1;0"
TURNED = "0;-1;0;0;0;0;5;0;3;0;0;-1;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0"


def letters(record: MatchRecord) -> str:
    return write_xgid(record.final())[5:31]


def test_a_play_told_by_the_board_after_it_is_that_play() -> None:
    """eXtreme Gammon and gnubg write so what they could not spell."""
    # Where the names are others, the turn says who is first, as gnubg has it.
    for names, after in (("A;B", AFTER), ("B;A", TURNED), ("X;Y", TURNED)):
        told = DUMP.replace("A;B", names) + after
        record = read_mat(mat(f"  1) 64: Illegal play ({told};6;1;)   61: 13/7 8/7\n"))
        assert [str(a.roll) for a in record.actions if isinstance(a, Rolled)] == ["61"]
        played = [a for a in record.actions if isinstance(a, Played)]
        assert played[0] == Played(W, read_mat(mat("  1) 64: 24/14\n")).final().game.placement)
        assert not record.remarks and len(played) == 2
    # Where no rule allows it, it stood; a board that cannot be is a play that is not known.
    stood = read_mat(mat(f"  1) 62: Illegal play ({DUMP}{AFTER};1;6;)\n"))
    assert has(Played, side=W, stands=True)(stood)
    for wrong in (AFTER.replace("-5;5", "-9;9"), "1;2;3", AFTER.replace("5;0;3", "five;0;3")):
        unknown = read_mat(mat(f"  1) 64: Illegal play ({DUMP}{wrong})   61: 13/7 8/7\n"))
        assert has(Rolled, side=B)(unknown) and "is not known" in unknown.remarks[0]


def test_a_name_in_a_told_board_is_no_cell() -> None:
    game = GAME.replace("A :", "Takes 12: (x) :")
    told = DUMP.replace("A;B", "Takes 12: (x);B") + AFTER
    record = read_mat(mat(f"  1) 64: Illegal play ({told};1;6;)   61: 13/7 8/7\n", game=game))
    assert len([a for a in record.actions if isinstance(a, Played)]) == 2 and not record.remarks


@pytest.mark.parametrize("cube", ["", "/0", "/1", "/-2"])
def test_a_board_set_up_is_where_the_game_goes_on(cube: str) -> None:
    set_up = f"; Set Pos=--a---E-C---eE---c-e-a--B-{cube}\n"
    for before in ("", OPENING):
        rows = before + set_up + "  2)                             64: 13/7 13/9\n"
        record = read_mat(mat(rows))
        side, owned = record.final().game.side, record.final().game.cube
        assert not record.remarks and side is W and letters(record)[1] == "-"
        assert (owned.value, owned.owner) == {"/1": (2, B), "/-2": (4, W)}.get(cube, (1, None))
    # The board as it stands is no news, and no opening is lost by it.
    same = read_mat(mat(f"; Set Pos=-b----E-C---eE---c-e----B-/0\n{OPENING}"))
    assert same == read_mat(mat(OPENING))


def test_a_board_in_no_form_that_is_known_is_left_out_with_a_remark() -> None:
    text = mat(
        OPENING + "; Set Pos=4HPwATDgc/ABMA\n"
        "  2) 64: 24/14                   Illegal play (3;0;0;1;3;4;0;A;B;0;1)\n"
        "      Wins 1 point\n"
    )
    found = read_mat(text)
    assert found.final().score.white == 1
    with pytest.raises(NotationError, match="boards set up"):
        read_mat(text + "; Set Pos=\n" * 2_000)
    assert [remark.split(": ")[1] for remark in found.remarks] == [
        "a board set up by hand was left out",
        "an illegal play of black told by a board alone was left out",
    ]


@pytest.mark.parametrize("length", [0, 3])
@pytest.mark.parametrize("agreed", [True, False])
def test_whether_beavers_are_played_is_in_every_file(length: int, agreed: bool) -> None:
    """A match to three points with beavers, as a club may play it: SGF lost them."""
    text = f'; [Beavers "{"On" if agreed else "Off"}"]\n' + mat(OPENING, length)
    record = read_mat(text)
    for ending in (".mat", ".sgf", ".json"):
        again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
        assert again.rules.beavers is record.rules.beavers is agreed, ending


PADDED = " Game 1\n A : 0" + " " * 60 + "B : 0\n"
BLACK_FIRST = "  1)                             31: 8/5 6/5\n"


@pytest.mark.parametrize(
    ("rows", "game", "plain"),
    [
        ("  1) 31: 8/5 6/5\t\t42: 8/4 6/4\n", GAME, OPENING),
        ("  1)\t\t\t\t31: 8/5 6/5\n", GAME, BLACK_FIRST),
        (BLACK_FIRST, PADDED, BLACK_FIRST),
        (OPENING + " " * 34 + "Wins 1 point\n", PADDED, OPENING + " " * 34 + "Wins 1 point\n"),
        (OPENING.replace("6/5  ", "6/5 0/0  "), GAME, OPENING),
        (OPENING, GAME.replace("A :", "A, 1859 :").replace("B :", "B,1512.5 :"), OPENING),
        (OPENING + "  2) 64: Illegal play\n", GAME, OPENING + "  2) 64: ????\n"),
        (
            OPENING + "  2)                             Resigned Match\n      Wins 1 point\n",
            GAME,
            OPENING + "  2)                             Resigns\n      Wins 1 point\n",
        ),
        (
            OPENING + "  2) Resign gammon\n      Wins 2 points\n",
            GAME,
            OPENING + "      Wins 2 points\n",
        ),
    ],
)
def test_what_some_writers_do_otherwise_says_the_same(rows: str, game: str, plain: str) -> None:
    assert read_mat(mat(rows, game=game)) == read_mat(mat(plain))
