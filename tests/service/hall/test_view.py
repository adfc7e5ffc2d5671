"""What the hall makes of a table: who needs help, what it does not know, and that no machine's date
matters to it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from rules.board import Side
from rules.observation import AWAITED
from service.hall import view as wall
from service.hall.hall import Hall, HallConfig
from service.hall.ledger import MessageRefused, Reason
from service.hall.registry import Pairing
from service.hall.rounds import RoundsError, as_csv, order_of, read_pairings, results
from service.hall.taken import objection
from service.hall.view import TableView, card, matters, public_card, with_entries
from service.hall.wall import WallFeed
from service.hall.wire import Command, MessageError, Row, TableStatus, command_from, status_from
from service.journal.chain import chain
from service.journal.entries import (
    TABLE,
    AlertAcknowledged,
    AlertRaised,
    Frozen,
    MatchEnded,
    SourceLost,
    TableOpened,
)
from tests.service.hands import DIRECTOR, Hands, begun

DAY = 86_400.0


def rows_of(hands: Hands, *more: Any) -> list[Row]:
    said = [(at, 1_800_000_000.0 + at, by, body) for at, by, body in hands.said]
    said += [(hands.now, 1_800_000_000.0, TABLE, body) for body in more]
    return [(entry.seq, text, entry.hash) for entry, text in chain(said)]


def playing(*more: Any) -> TableView:
    hands = begun(Hands(), white="Ava", black="Ben", clock="ours")
    hands.throw(3, 1).play_any()
    hands.press()
    view = with_entries(TableView("t1"), 1, rows_of(hands, *more), 100.0)
    return at_ease(view, 100.0)


def at_ease(view: TableView, now: float) -> TableView:
    return wall.with_status(
        view, TableStatus("t1", view.epoch, view.seq, view.state.at + 1.0, 5.0, 0.3), now, 5.0
    )


def codes(view: TableView, now: float = 101.0) -> list[str]:
    return [m["code"] for m in matters(view, now)]


def test_a_table_at_peace_has_no_words() -> None:
    shown = card(playing(), 101.0)
    assert (
        shown["need"] == 0
        and shown["matters"] == []
        and shown["names"] == ["Ava", "Ben"]
        and not shown["silent"]
    )
    json.dumps(shown)


def test_what_the_table_says_comes_by_how_soon_somebody_must_come() -> None:
    flag, slow = AlertRaised("a2", "flag", Side.BLACK), AlertRaised("a1", "slow_play", Side.WHITE)
    view = playing(slow, flag, SourceLost("camera", "x"), AlertRaised("a3", "source_lost"))
    assert codes(view) == ["flag", "source_lost", "slow_play"]
    raised = AlertRaised("a4", "source_lost", None, "camera")
    assert codes(playing(SourceLost("camera", "x"), raised)) == ["source_lost"]
    assert codes(playing(SourceLost("camera", f"{AWAITED}x"), raised)) == ["source_awaited"]
    assert matters(view, 101.0)[0]["side"] == "black"
    assert codes(playing(AlertRaised("a1", "flag"), AlertAcknowledged("a1"))) == []
    assert codes(playing(Frozen("dispute"))) == ["frozen"]
    assert codes(playing(SourceLost("camera", "x"), SourceLost("board", "x"))) == ["orphan"]


def test_the_hall_says_what_it_does_not_know() -> None:
    view = playing()
    assert codes(view, 107.0) == [] and codes(view, 109.0) == ["silent"]
    assert matters(view, 160.0)[0]["seconds"] == 60
    shown, later = card(view, 150.0), card(view, 500.0)
    assert shown["silent"] and shown["clock"] == later["clock"], (
        "nobody's clock runs on where the table is not heard"
    )
    assert codes(replace(view, heard=None)) == ["silent"]
    stopped = wall.with_status(
        view, TableStatus("t1", 1, view.seq, view.state.at, 5.0, 30.0), 100.0, 5.0
    )
    assert codes(stopped) == ["stopped"] and stopped.table_time(101.0) == stopped.table_time(105.0)
    behind = wall.with_status(
        view, TableStatus("t1", 1, view.seq, view.state.at, 5.0, 0.1, behind=900), 100.0, 5.0
    )
    assert codes(behind) == ["behind"]


def test_an_empty_table_that_is_not_heard_worries_nobody() -> None:
    assert codes(TableView("t1"), 1e6) == []
    over = playing(MatchEnded(Side.WHITE, (7, 3), ""))
    assert codes(over, 1e6) == [] and card(over, 1e6)["silent"]


def test_slow_play_is_measured_in_the_table_s_own_time() -> None:
    view = playing()
    slow = wall.with_status(
        view, TableStatus("t1", 1, view.seq, view.state.at + 200.0, 5.0, 0.3), 100.0, 5.0
    )
    assert (
        codes(slow) == ["slow_play"]
        and matters(slow, 101.0)[0]["side"] == view.state.game.on_roll.value
    )
    assert matters(slow, 101.0, slow_after=500.0) == []


@pytest.mark.parametrize("off", [-DAY, -120.0, 120.0, 40 * 365 * DAY])
def test_machines_whose_dates_are_apart_agree_on_the_clock(off: float) -> None:
    view = playing()
    status = TableStatus("t1", 1, view.seq, view.state.at + 1.0, 1_800_000_000.0 + off, 0.3)
    apart = wall.with_status(view, status, 100.0, 1_800_000_000.0)
    together = wall.with_status(view, replace(status, wall=1_800_000_000.0), 100.0, 1_800_000_000.0)
    assert card(apart, 103.0)["clock"] == card(together, 103.0)["clock"]
    assert codes(apart) == ["date"] and codes(together) == []


def test_another_record_of_the_table_begins_anew_and_says_so() -> None:
    view = playing()
    again = with_entries(view, 9, rows_of(Hands(), TableOpened("t1", "x")), 120.0)
    assert again.seq == 1 and again.matches == () and "anew" in codes(at_ease(again, 120.0), 121.0)
    assert "anew" not in codes(at_ease(again, 1000.0), 1001.0)
    refused = wall.with_refusal(view, MessageRefused("t1", Reason.FORGED, "x"), 101.0)
    assert codes(refused) == ["refused"] and matters(refused, 101.0)[0]["reason"] == "forged"


def test_entries_of_a_later_version_are_kept_and_said_to_be_unreadable() -> None:
    view = playing()
    by = b'{"name":"","role":"referee","side":null}'
    future = b'{"at":1,"body":{},"by":%b,"kind":"teleported","seq":99,"v":1,"wall":1}' % by
    blind = with_entries(view, 1, [(99, future, "x")], 101.0)
    assert (
        "later" in blind.unreadable
        and codes(blind)[0] == "unreadable"
        and blind.state == view.state
    )


def test_a_spectator_s_card_tells_nothing_that_could_still_be_put_right() -> None:
    shown = public_card({**card(playing(AlertRaised("a1", "illegal")), 101.0), "phase": "illegal"})
    assert shown["need"] == 0 and shown["matters"] == [] and shown["phase"] == "pressed"


def test_results_are_what_the_record_says_whoever_sat_where() -> None:
    view = playing(MatchEnded(Side.BLACK, (2, 5), ""))
    rows = results(
        [
            Pairing(1, "t1", "Ben", "Ava", 5),
            Pairing(2, "t1", "Ava", "Cem"),
            Pairing(1, "t9", "X", "Y"),
        ],
        {"t1": view},
        101.0,
    )
    assert [(r.state, r.winner) for r in rows] == [
        ("finished", "Ben"),
        ("waiting", ""),
        ("waiting", ""),
    ]
    assert results([Pairing(1, "t1", "Ava", "Ben")], {"t1": playing()}, 500.0)[0].state == "unknown"
    assert order_of(Pairing(3, "t1", "A", "B", 7)) == {
        "white": "A",
        "black": "B",
        "ruleset": "backgammon",
        "length": 7,
        "clock": "ours",
        "event": {"name": "Round 3"},
    }


def test_a_round_carries_the_halls_whole_event() -> None:
    """What the pairing does not say is the event's, own rulesets and options included."""
    event = {
        "name": "Spring open",
        "match": {"ruleset": "house", "length": 9, "options": {"aziz": 4}},
        "play": {"monitor": "arbiter"},
        "clock": {"preset": "iran"},
    }
    own = '[house]\ninherits = "nard"\nmandatory_hit = true\n'
    hands = Hands()
    hands.order("choose_event", event={"match": {"ruleset": "narde"}, "play": {"slow_turn_s": 9}})
    hands.order("set_match", DIRECTOR, **order_of(Pairing(2, "t1", "A", "B"), event, own))
    match = hands.state.match
    assert match.ruleset is not None
    assert (match.ruleset.mandatory_hit, match.ruleset.aziz, match.length) == (True, 4, 9)
    assert (match.event.monitor.value, match.event.clock) == ("arbiter", "iran")
    assert (match.event.name, match.event.slow_turn_s) == ("Spring open · 2", 120)
    assert match.setting is not None and match.setting.clock == "ours"
    hands.order("end_match", DIRECTOR)
    hands.order("set_match", white="C", black="D")
    assert hands.state.match.length == 9, "later matches at this table too, until another is chosen"
    hands.order("end_match", DIRECTOR)
    said = Pairing(3, "t1", "A", "B", 5, "narde", "none")
    hands.order("set_match", DIRECTOR, **order_of(said, event, own))
    assert hands.state.match.setting is not None
    setting = hands.state.match.setting
    assert (setting.ruleset, setting.length, setting.clock) == ("narde", 5, "none")
    assert setting.options == {}


def test_pairings_come_from_any_spreadsheet_or_program() -> None:
    wanted = [
        Pairing(1, "t1", "Mahsa Rahimi", "Jan, de Vries", 7),
        Pairing(1, "t2", "مهسا", "B", None, "narde", "none"),
    ]
    for mark in ",;\t":
        text = (
            '\ufeffRound,Table,White,Black,Length,Ruleset,Clock\n1,t1,Mahsa Rahimi,"Jan, de'
            ' Vries",7,,\n\n1,t2,مهسا,B,,narde,none\n'
        )
        assert (
            read_pairings(
                text
                if mark == ","
                else text.replace('"Jan, de Vries"', "Jan@ de Vries")
                .replace(",", mark)
                .replace("@", ",")
            )
            == wanted
        )
    assert (
        read_pairings(json.dumps({"pairings": [asdict(pairing) for pairing in wanted]})) == wanted
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "header"),
        ("round,table\n", "missing black, white"),
        ("round,table,white,black\n", "1 to"),
        ("round,table,white,black\n0,t1,A,B\n", "line 2: round"),
        ("round,table,white,black\n1,../x,A,B\n", "line 2: table"),
        ("round,table,white,black\n1,t1,A,B,C\n", "more"),
        ("round,table,white,black\n1,t1,A\u202eB,C\n", "name"),
        ("round,table,white,black,ruleset\n1,t1,A,B,chess\n", "ruleset"),
        ("round,table,white,black\n1,t1,A,B\n1,t1,C,D\n", "already, in line 2"),
        ("[1]", "list"),
        ("{", "JSON"),
    ],
)
def test_a_wrong_list_is_refused_whole_with_its_line(text: str, says: str) -> None:
    with pytest.raises(RoundsError, match=says):
        read_pairings(text)


def test_a_name_is_no_formula() -> None:
    found = results([Pairing(1, "t1", "=1+1", "@x")], {}, 0.0)
    assert "'=1+1" in as_csv(found) and "'@x" in as_csv(found)


def command(**more: Any) -> Command:
    return replace(Command("a", 5, "t1", "freeze", {}, "Ava", "arbiter", 100.0), **more)


def test_a_command_is_taken_once_in_time_and_only_what_may_be_ordered_from_afar() -> None:
    assert objection(command(), "t1", 4, 99.0) is None
    for wrong, code in [
        (objection(command(), "t2", 4, 99.0), "wrong_table"),
        (objection(command(), "t1", 5, 99.0), "replayed"),
        (objection(command(), "t1", 4, 100.5), "too_late"),
        (objection(command(), "t1", 4, None), "too_late"),
        (objection(command(role="player"), "t1", 4, 99.0), "not_allowed"),
        (objection(command(order="press"), "t1", 4, 99.0), "not_allowed"),
        (objection(command(order="nonsense"), "t1", 4, 99.0), "not_allowed"),
    ]:
        assert wrong is not None and wrong.code == code and wrong.expected
    assert command_from(command().body()) == command()
    with pytest.raises(MessageError):
        command_from({**command().body(), "until": "soon"})


def test_a_status_reads_back_and_a_hostile_one_is_refused() -> None:
    status = TableStatus("t1", 3, 9, 12.5, 1e9, 0.25, 2, "0.1", (("a", True, "7"),))
    assert status_from(status.body()) == status
    for field, value in (
        ("at", "x"),
        ("wall", 1e300),
        ("seq", -1),
        ("behind", True),
        ("table", "x" * 100),
    ):
        with pytest.raises(MessageError):
            status_from({**status.body(), field: value})


def test_the_wall_sends_each_viewer_what_it_does_not_have() -> None:
    feed = WallFeed()
    feed.put({"t1": {"n": 1}, "t2": {"n": 1}}, {"up": True})
    first = json.loads(feed.since(0)["text"])
    assert len(first["cards"]) == 2 and first["frame"] == 1
    feed.put({"t2": {"n": 2}}, {"up": True})
    feed.put({}, {"up": False})
    assert json.loads(feed.since(1)["text"])["cards"] == [{"n": 2}]
    assert json.loads(feed.since(2)["text"]) == {
        **json.loads(feed.since(2)["text"]),
        "cards": [],
        "hall": {"up": False},
    }
    assert feed.since(1) is feed.since(1), "encoded once for all who are as far"


def test_a_table_that_cannot_be_shown_takes_the_wall_from_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hall = Hall(HallConfig(tmp_path))
    hall._make_known("t1")
    hall._make_known("t2")
    whole = wall.card

    def broken(view: TableView, now: float, slow_after: float = wall.SLOW_S) -> dict[str, Any]:
        if view.name == "t1":
            raise ValueError("a state that nobody thought of")
        return whole(view, now, slow_after)

    monkeypatch.setattr(wall, "card", broken)
    hall.beat(100.0)
    hall.beat(200.0)
    assert [card["table"] for card in hall.cards()] == ["t2"]
    assert "table t1" in hall.about()["problem"]
    assert len([r for r in caplog.records if "t1" in r.getMessage()]) == 1, "told once"
    monkeypatch.setattr(wall, "card", whole)
    hall.beat(300.0)
    assert sorted(card["table"] for card in hall.cards()) == ["t1", "t2"]
    assert "t1" not in hall.about()["problem"]
