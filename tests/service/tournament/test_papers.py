"""A tournament goes out as text and comes back the same; what cannot be read is said in words."""

from __future__ import annotations

import random

import pytest

from service.tournament.bracket import single_elimination
from service.tournament.field import Ending, Entrant, Field, Meeting, TournamentError
from service.tournament.papers import (
    cross_table,
    draw_sheet,
    entrants_as_csv,
    entrants_from_csv,
    field_as_json,
    field_from_json,
    meetings_as_csv,
    standings_as_csv,
)
from service.tournament.seating import seating
from service.tournament.standings import USUAL, standings
from service.tournament.swiss import Swiss
from tests.service.tournament.playing import comings_and_goings, swiss_played


@pytest.mark.parametrize("lot", range(5))
def test_out_and_back(lot: int) -> None:
    rnd = random.Random(lot)
    entrants = comings_and_goings(rnd, 13, 4, 2, 2, 3)
    field = swiss_played(entrants, 4, rnd, Swiss())
    assert field_from_json(field_as_json(field)) == field
    assert entrants_from_csv(entrants_as_csv(entrants)) == entrants


def test_a_list_as_people_send_it() -> None:
    text = "\ufeffName;Club;Rating\nمهسا رحیمی;تهران;1650\n;;\nJan de Vries;;\n"
    assert entrants_from_csv(text) == (
        Entrant("مهسا رحیمی", "تهران", 1650.0),
        Entrant("Jan de Vries"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "header"),
        ("player\nA\n", "header"),
        ("name\n", "1 to 2000 players, got 0"),
        ("name,rating\nA,good\n", "line 2: rating: expected a number"),
        ("name,rating\nA,nan\n", "line 2: rating: expected a number"),
        ("name,joins\nA,1.5\n", "line 2: joins: expected a number"),
        ("name,joins\nA,0\n", "round 1 or later"),
        ("name\nA\nA\n", "each name once"),
        (f"name\n{'A' * 81}\n", "at most 80 letters"),
        ("name,club\n,Club\n", "expected a name"),
    ],
)
def test_lists_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(TournamentError, match=said):
        entrants_from_csv(text)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "entrants": [], "meetings": []}', "\x00"]
)
def test_json_that_cannot_be_read(text: str) -> None:
    with pytest.raises(TournamentError, match="correct it there"):
        field_from_json(text)


def test_papers_of_a_small_event() -> None:
    field = Field(
        (Entrant("=1+1"), Entrant("b"), Entrant("c", joins=2)),
        (
            Meeting(1, "=1+1", "b", Ending.FIRST),
            Meeting(2, "=1+1", "c", Ending.DRAWN),
            Meeting(2, "b", None),
            Meeting(3, "b", "c", Ending.SECOND, walkover=True),
            Meeting(3, "=1+1", None, Ending.NEITHER),
        ),
    )
    lines = standings(field)
    assert [p.name for p in lines] == ["c", "=1+1", "b"]
    assert cross_table(field, lines) == (("", "2=", "3+w"), ("3+", "1=", "-"), ("2-", "+", "1-w"))
    assert standings_as_csv(lines, USUAL).splitlines()[2].startswith("2,'=1+1,1.5,")
    assert "2,b,,," in meetings_as_csv(field.meetings)


def test_a_draw_on_paper() -> None:
    sheet = draw_sheet(seating(single_elimination(3), ["a", "b", "c"], {}))
    assert sheet.splitlines() == [
        "stage,round,number,first,second,winner",
        "main,1,1,a,bye,a",
        "main,1,2,b,c,",
        "main,2,1,a,,",
    ]
