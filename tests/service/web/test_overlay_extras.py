"""What stands on the overlay beside the match: themes of the club's own, notes of the commentator,
and analysis where the event lets the audience see it; none sooner than the overlay's delay.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest

from rules.dice import Roll
from service.journal.entry import Role
from service.journal.store import Reader
from service.record.match_record import match_records
from service.report.decisions import questions_of_match
from service.report.engine import Judgement
from service.web.commentary import commentary, commentary_shown
from service.web.commentary_schema import CourseOut
from service.web.delay import LONGEST, Cut, Delay
from service.web.notes import OverlayNotes
from service.web.policy import Visitor
from service.web.weighing import MatchCosts, Weigher
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"base": "paper", "colours": {"accent": "#ff0000"}}', 200),
        ('{"people": {"Mahsa": {"country": "IRI", "picture": "mahsa.jpg"}}}', 200),
        ('{"colours": {"accent": "url(//evil)"}}', 422),
        ('{"logo": "../access.db"}', 422),
        ("{", 422),
        ("[]", 422),
    ],
)
def test_a_theme_is_given_out_as_far_as_it_is_understood(
    shared: Served, text: str, status: int
) -> None:
    folder: Path = shared.app.state.config.folder / "air"
    folder.mkdir(exist_ok=True)
    (folder / "club.json").write_text(text)
    answer = httpx.get(f"{shared.url}/themes/club.json")
    assert answer.status_code == status, answer.text
    if status == 422:
        assert answer.json()["error"]["next"] == "mend air/club.json"


@pytest.mark.parametrize(
    "path",
    [
        *("/themes/nobody.json", "/themes/pictures/none.png", "/themes/pictures/access.db"),
        *("/themes/..%2Faccess.json", "/themes/pictures/..%2Fmahsa.png"),
    ],
)
def test_nothing_but_themes_and_their_pictures_is_given_out(shared: Served, path: str) -> None:
    (shared.app.state.config.folder / "mahsa.png").write_bytes(b"secret")
    assert httpx.get(shared.url + path).status_code in (404, 422)


def test_a_picture_of_a_theme(shared: Served) -> None:
    folder: Path = shared.app.state.config.folder / "air"
    folder.mkdir(exist_ok=True)
    (folder / "club.png").write_bytes(b"png")
    answer = httpx.get(f"{shared.url}/themes/pictures/club.png")
    assert (answer.content, answer.headers["content-type"]) == (b"png", "image/png")
    (folder / "large.png").write_bytes(bytes(2_000_001))
    assert httpx.get(f"{shared.url}/themes/pictures/large.png").status_code == 404


def note(served: Served, visitor: Visitor | None = None, **given: Any) -> httpx.Response:
    visitor = visitor or Visitor("n", Role.ANNOTATOR)
    token = served.app.state.access.open_session(visitor)
    headers = {"authorization": f"Bearer {token}"}
    return httpx.post(f"{served.url}{T}/note", json=given, headers=headers)


def test_a_note_is_on_the_overlay_alone_and_as_late_as_it(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    assert note(served, text="A prime").json()["number"] == 1
    shown = httpx.get(served.url + "/overlay.json").json()
    assert shown["note"]["text"] == "A prime" and not shown["note"]["replay"]
    assert "note" not in httpx.get(served.url + T + "/state", headers={"via": "x"}).json()
    at = served.table.state.at
    assert "note" not in httpx.get(f"{served.url}/overlay.json?at={at}").json()
    served.app.state.delays.set("overlay", Delay(3600))
    served.app.state.desks["t1"].delayed()
    note(served, text="Live words", replay=True)
    for path in ("/overlay.json", f"/overlay.json?at={at + 1000}", "/state.txt"):
        assert "Live words" not in httpx.get(served.url + path).text, path
    assert "note" not in httpx.get(served.url + T + "/state").json()


def test_a_note_outlives_a_restart_of_the_page(tmp_path: Path) -> None:
    served = Served(tmp_path)
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    for text in ("A prime", "مهساپور"):
        sent = note(served, text=text, seconds=600).json()
    served.leave()
    served = Served(tmp_path, table=served.table)
    shown = served.app.state.desks["t1"].documents["overlay"]
    assert shown["note"] == sent and shown["note"]["number"] == 2
    assert note(served, text="later").json()["number"] == 3, "another number is another note"
    served.leave()
    # As late as told after a restart too.
    (tmp_path / "delay.json").write_text('{"overlay": {"seconds": 3600}}')
    served = Served(tmp_path, table=served.table)
    assert "later" not in httpx.get(served.url + "/overlay.json").text
    served.close()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"notes": [{"number": 1}]}', '{"notes": 5}', '{"notes": ["x"]}', "\0"]
)
def test_kept_notes_that_cannot_be_read_stop_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t1.notes.json"
    path.write_text(text)
    notes = OverlayNotes(path)
    assert notes.newest(Cut()) is None
    sent = notes.send("hello", 5, replay=False, at=1.0)
    assert OverlayNotes(path).newest(Cut()) == sent
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_notes_older_than_any_delay_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "t1.notes.json"
    OverlayNotes(path).send("hello", 5, replay=False, at=1.0)
    kept = json.loads(path.read_text())
    kept["notes"][0]["wall"] -= LONGEST + 61
    path.write_text(json.dumps(kept))
    notes = OverlayNotes(path)
    assert notes.newest(Cut()) is None
    assert notes.send("again", 5, replay=False, at=2.0)["number"] == 2
    assert [row["text"] for row in json.loads(path.read_text())["notes"]] == ["again"]


@pytest.mark.parametrize("visitor", [Visitor("p", Role.PLAYER, "white"), Visitor()])
def test_nobody_but_staff_sends_notes(served: Served, visitor: Visitor) -> None:
    assert note(served, visitor, text="hello").status_code in (401, 403)


def play(served: Served, turns: int = 2) -> None:
    table = served.table
    event = {"audience": {"analysis": True, "analysis_delay_s": 60}}
    table.order("set_match", white="Mahsa", black="Jan", length=5, event=event)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn(roll=Roll.of(3, 1))
    for _ in range(turns - 1):
        table.turn()


def test_whether_analysis_is_shown_is_as_late_as_the_rest(served: Served) -> None:
    """The next match's event was told at once by the answer's status."""
    via = {"via": "1.1 x"}
    served.app.state.delays.set("public", Delay(3600))
    served.app.state.delays.set("overlay", Delay(3600))
    play(served)
    for query in ("", "?feed=overlay"):
        answer = httpx.get(f"{served.url}{T}/analysis{query}", headers=via)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_analysis")


def test_what_a_decision_cost_stands_beside_its_play(served: Served) -> None:
    play(served, 6)
    with Reader(served.table.journal) as reader:
        entries = reader.read()
    found = commentary(entries)
    assert found.record is not None
    asked = questions_of_match(found.record)
    chosen = [d for d in asked.decisions if d.text]
    weighed = MatchCosts(
        {chosen[0].question.xgid: (0.123456, "8/5 6/5")}, (CourseOut(game=1, turn=1, white=0.5),), 3
    )
    shown = commentary_shown("t1", found, {}, None, weighed)
    assert [t.cost for t in shown.turns if t.cost is not None] == [0.123]
    assert shown.turns[0].better == "8/5 6/5" and shown.course[0].white == 0.5
    assert shown.pending >= 3 and shown.seq == found.seq > 0


class Slow:
    """An engine that says the same of everything."""

    name = "the same of everything"

    def judge(self, questions: Any, progress: Any) -> Any:
        said = Judgement((0.5,) * 5, 0.1, 0.2, mean=0.1, best=0.2, played=0.1)
        return dict.fromkeys(questions, said)


def test_the_weigher_answers_at_once_and_knows_all_in_the_end(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.web.weighing.engine_of", lambda name: Slow())
    play(served, 6)
    with Reader(served.table.journal) as reader:
        record = match_records(reader.read())[-1]
    weigher = Weigher(None)
    first = weigher.weighed(record)
    assert first.pending > 0
    weigher.finish()
    last = weigher.weighed(record)
    assert last.pending == 0 and last.course and json.dumps(dict(last.costs))
    assert {round(cost, 3) for cost, _ in last.costs.values()} == {0.1}
