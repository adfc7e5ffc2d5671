"""What each kind of viewer may see of a state document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from rules.board import Side
from rules.dice import Roll
from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.entries import TABLE, DiceOrigin, Noted, RollEntered
from service.journal.entry import Body
from service.referee.state import State
from service.show.compose import table_document
from service.show.document import AlertDocument, TableDocument
from service.show.scene_document import LightDocument
from service.web.ports import EntryRow
from service.web.records import readable
from service.web.told import Told
from service.web.view import visible


def illegal(told: str) -> TableDocument:
    found = table_document(State(), 0.0)
    found["phase"] = "illegal"
    found["waits_for"] = {
        "code": "correct_play" if told in ("board", "teaching") else "judging",
        "side": "white",
        "args": {"code": "blocked_point"},
    }
    found["illegal"] = {
        "seq": 9,
        "side": "white",
        "code": "blocked_point",
        "why": {"en": "x"},
        "told": told,
        "roll": [6, 5],
        "placement": {"white": [0] * 26, "black": [0] * 26},
        "pictures": ["p1"],
        "nearest": [],
    }
    found["alerts"] = [
        alert("a1", "illegal", told, "blocked_point"),
        alert("a2", "dice", "board", "cocked"),
        alert("a3", "source_lost", "arbiter", "camera"),
    ]
    found["match"]["players"]["white"]["illegal"] = 1
    found["plays"] = [
        {
            "game": 1,
            "number": 1,
            "side": "white",
            "roll": [6, 5],
            "origin": "read",
            "text": "13/8",
            "seq": 5,
            "probability": 0.7,
            "infraction": None,
            "standing": None,
            "by_hand": False,
            "amended": None,
            "pictures": ["p0"],
        }
    ]
    found["belief"] = {"verdict": "illegal", "probability": 0.9}
    light: LightDocument = {"colour": "red", "pattern": "fast", "side": None}
    found["scene"] = {"lights": {"5": [light]}, "clock_face": {}}
    found["sources"] = {"camera": {"state": "lost", "reason": "unplugged"}}
    found["rulings"] = [{"seq": 1, "text": "x", "until": None, "appealed": False}]
    found["trouble"] = ["the disk is full"]
    return found


def alert(ident: str, kind: str, told: str, code: str) -> AlertDocument:
    return {
        "id": ident,
        "kind": kind,
        "side": None,
        "code": code,
        "why": {},
        "told": told,
        "seq": 9,
        "acknowledged_by": None,
    }


TRACES = ("blocked_point", "correct_play", '"illegal"', "fast", "the disk is full", "unplugged")


@pytest.mark.parametrize("told", ["board", "arbiter", "silent", "teaching"])
def test_a_spectator_never_sees_an_open_illegal_play(told: str) -> None:
    shown = json.dumps({k: v for k, v in visible(illegal(told), "public").items() if v is not None})
    assert not [trace for trace in TRACES if trace in shown]


@pytest.mark.parametrize(
    ("told", "speaks"), [("board", True), ("teaching", True), ("arbiter", False), ("silent", False)]
)
def test_a_player_sees_it_where_the_board_may_speak(told: str, speaks: bool) -> None:
    shown = visible(illegal(told), "player")
    assert (shown["illegal"] is not None) is speaks
    assert shown["phase"] == ("illegal" if speaks else "pressed")
    assert {a["id"] for a in shown["alerts"]} == ({"a1", "a2"} if speaks else {"a2"})


@pytest.mark.parametrize("view", ["public", "player"])
def test_evidence_is_for_staff_only(view: str) -> None:
    shown = json.dumps(visible(illegal("board"), view))
    assert not [trace for trace in ("probability", "belief", "p0", "p1") if trace in shown]


def test_staff_see_everything_and_the_input_is_left_alone() -> None:
    document = illegal("silent")
    before = json.dumps(document)
    visible(document, "public")
    visible(document, "player")
    assert json.dumps(document) == before
    assert {**document, "view": "staff", "delay_s": 0.0, "connected": True} == visible(
        document, "staff"
    )


def entry(kind: str, **body: Any) -> EntryRow:
    return {
        "seq": 3,
        "at": 1.0,
        "wall": 2.0,
        "by": {"name": "x"},
        "kind": kind,
        "v": 1,
        "hash": "h",
        "body": body,
    }


@pytest.mark.parametrize(
    "kind",
    [
        "illegal_noticed",
        "alert_raised",
        "differs",
        "noted",
        "director_called",
        "source_lost",
        "something_new",
    ],
)
def test_a_spectator_reads_no_matter_of_the_staff(kind: str) -> None:
    assert readable(entry(kind, side="white"), "public") is None
    assert readable(entry(kind, side="white"), "staff") is not None


def test_a_spectator_reads_plays_without_evidence() -> None:
    found = readable(
        entry(
            "played",
            side="white",
            notation="13/8",
            probability=0.9,
            evidence={"rows": []},
            pictures=["p1"],
        ),
        "public",
    )
    assert found == {
        "seq": 3,
        "at": 1.0,
        "wall": 2.0,
        "kind": "played",
        "body": {"side": "white", "notation": "13/8"},
    }


BLOCKED = {
    "en": "The 5-point is held by the opponent; a checker cannot land there.",
    "fa": "خانهٔ ۵ را حریف بسته است؛ آن‌جا نمی‌شود نشست.",
}
CASE = {"code": "blocked_point", "facts": {"point": 5}}
SAYING = {
    "noticed": ("illegal_noticed", CASE, BLOCKED),
    "an older one": ("illegal_noticed", {"code": "blocked_point", "why": BLOCKED}, BLOCKED),
    "alert": ("alert_raised", {"matter": "illegal", **CASE}, BLOCKED),
    "source": ("alert_raised", {"matter": "source_lost", "facts": {"reason": "x"}}, {"en": "x"}),
    "let stand": ("played", {"infraction": "blocked_point", "evidence": CASE}, BLOCKED),
}


@pytest.mark.parametrize("name", SAYING)
def test_staff_read_an_entry_with_its_words_beside_it(name: str) -> None:
    kind, body, words = SAYING[name]
    sealed = entry(kind, side="white", **body)
    assert readable(sealed, "staff") == sealed | {"why": words}
    shown = readable(sealed, "public")
    assert shown is None or "why" not in shown
    assert readable(entry("rolled", side="white"), "staff") == entry("rolled", side="white")


class Entries:
    """A record whose entries are of these kinds, numbered from 1; it can be begun anew."""

    def __init__(self, *kinds: str) -> None:
        self.kinds, self.read_from = list(kinds), 0

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[EntryRow]:
        return iter(())

    def cursor(self, after: tuple[int, str] = (0, GENESIS)) -> Entries:
        self.read_from = 0
        return self

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        if self.read_from > len(self.kinds):
            raise JournalError("another record took its place")
        new = range(self.read_from, len(self.kinds))
        self.read_from = len(self.kinds)
        bodies: dict[str, Body] = {
            "rolled": RollEntered(Side.WHITE, Roll.of(6, 5), DiceOrigin.READ),
            "noted": Noted("silence"),
        }
        return tuple(Entry(n + 1, 0.0, 0.0, TABLE, bodies[self.kinds[n]], "") for n in new)


def test_no_number_moves_while_nothing_else_does() -> None:
    """What a spectator may not read does not show as a number that grew."""
    record = Entries("rolled", "noted", "noted")
    told = Told(record)
    assert [told.up_to(n) for n in (1, 2, 3)] == [1, 1, 1]
    record.kinds += ["rolled", "noted"]
    assert [told.up_to(n) for n in (5, 4, 3)] == [4, 4, 1]
    record.kinds = ["noted", "rolled"]
    told.up_to(6)
    assert [told.up_to(n) for n in (1, 2)] == [0, 2]
    assert Told(Entries()).up_to(7) == 7
    document = illegal("arbiter")
    document["seq"] = 43
    assert visible(document, "player", told=42)["seq"] == 42
    assert visible(document, "staff", told=42)["seq"] == 43


def test_what_the_board_shows_a_player_may_see_while_the_arbiter_judges() -> None:
    document = illegal("arbiter")
    assert visible(document, "player")["scene"] == document["scene"]
    assert visible(document, "public")["scene"] is None
