"""Whatever is done to the delays: no feed goes back in time, and none shows anything younger than
the delay in force.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.journal.entries import TABLE, MatchCalled, TableOpened
from service.journal.store import Store
from service.referee.state import State
from service.show.compose import table_document
from service.show.document import DieDocument
from service.web import delay as delay_module
from service.web import desk as desk_module
from service.web.delay import FEEDS, Delay, Delays
from service.web.desk import UNSURE_S
from service.web.follow import Follower
from service.web.gallery import Terms
from service.web.shelf import Shot

ROUNDED_S = 0.0012
"""Times are kept to the millisecond, at both ends of a delay."""
DIE: DieDocument = {"where": [1.0, 0.0], "value": 6, "status": "flat", "old": False}


class World:
    """A journal, a desk over it, and time that passes when it is told to.

    An entry, a picture and the dice tell when they were made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1000.0
        self.journal = folder / "t1.journal"
        self.store = Store.open(self.journal)
        self.made: list[float] = []
        self.shown: dict[tuple[str, str], float] = {}
        self.write(TableOpened("t1", "0.1.0"))
        self.start()

    def write(self, body: Any) -> None:
        self.store.append([(self.now - 900, self.now + 1e9, TABLE, body)])
        self.made.append(self.now)

    def start(self) -> None:
        """The web process begins, over what it kept."""
        self.delays = Delays(self.folder / "delay.json")
        socket, terms = self.folder / "t1.sock", Terms(20_000_000, 1000.0)
        follower = Follower("t1", self.journal, socket, self.delays, terms)
        self.desk = follower.desk
        follower.refresh()

    def heard(self) -> None:
        """The table says how it stands, and the camera gives a picture."""
        live = table_document(State(seq=len(self.made)), self.now - 900)
        live["dice"]["seen"] = [{**DIE, "where": [self.now, 0.0]}]
        self.desk.on_state(live)
        self.desk.gallery.shelf.span = self.desk._longest()
        self.desk.gallery.shelf.put(Shot(self.now, b"\xff\xd8" + str(self.now).encode()))

    def change(self, feed: str, seconds: float) -> None:
        self.delays.set(feed, Delay(seconds))
        self.desk.delayed()

    def look(self) -> dict[str, dict[str, Any]]:
        """What every feed shows now; each is compared with what it may know and with what it showed
        before.
        """
        out = {}
        for feed in FEEDS:
            total, out[feed] = self.delays[feed].total, self.desk.document(feed)
            found = out[feed]
            for entry in self.desk.history(feed, 0):
                assert self.now - self.made[entry["seq"] - 1] >= total - ROUNDED_S
            past = self.desk.past(feed, 1e9)
            assert not past["seq"] or self.now - self.made[past["seq"] - 1] >= total - ROUNDED_S
            if "held_s" in found:
                assert (
                    total and found["seq"] == 0 and not found["dice"]["seen"] and found["at"] == 0
                )
            else:
                times = {"entry": self.made[found["seq"] - 1]} if found["seq"] else {}
                if found["dice"]["seen"]:
                    times["dice"] = found["dice"]["seen"][0]["where"][0]
                self.compare(feed, times, total)
            if feed != "push":
                shot = self.desk.gallery.shown(feed)
                self.compare(feed, {"picture": shot.seen} if shot.jpeg else {}, total)
                assert shot.jpeg or shot.why == "waiting"
        return out

    def compare(self, feed: str, times: dict[str, float], total: float) -> None:
        for what, made in times.items():
            assert self.now - made >= total - ROUNDED_S, (
                f"{what} of {feed} is {self.now - made:.1f} s old, the delay is {total:g} s"
            )
            assert made >= self.shown.get((feed, what), 0.0), f"{what} of {feed} went back in time"
            self.shown[feed, what] = made


@contextmanager
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        box: list[World] = []
        clock = SimpleNamespace(
            monotonic=lambda: box[0].now if box else 1000.0,
            time=lambda: 1e9 + (box[0].now if box else 1000.0),
        )
        for module in (delay_module, desk_module):
            patch.setattr(module, "time", clock)
        made = World.__new__(World)
        box.append(made)
        made.__init__(Path(folder))  # type: ignore[misc]
        try:
            yield made
        finally:
            made.store.close()


def test_what_was_shown_at_once_is_old_enough_a_delay_later() -> None:
    with world() as here:
        # An instant whose third decimal is rounded up in the journal.
        for _ in range(3):
            here.now += 1.34375 / 3
            here.write(MatchCalled(0.0))
            here.heard()
            here.look()
        before = here.desk.document("public")["seq"]
        here.change("public", 60)
        here.now += 60
        here.heard()
        assert here.look()["public"]["seq"] == before


SECONDS = st.sampled_from([0, 0.5, 10, 60, 3600])
STEP = st.one_of(
    st.tuples(st.just("pass"), st.floats(0.1, 90)),
    st.tuples(st.just("change"), st.tuples(st.sampled_from(FEEDS), SECONDS)),
    st.tuples(st.just("restart"), st.none()),
)


@settings(max_examples=60)
@given(st.lists(STEP, max_size=25))
def test_no_feed_goes_back_or_is_too_young_whatever_is_done(steps: list[tuple[str, Any]]) -> None:
    with world() as here:
        here.heard()
        for what, value in steps:
            if what == "pass":
                for _ in range(3):
                    here.now += value / 3
                    here.write(MatchCalled(0.0))
                    here.heard()
                    here.look()
            elif what == "change":
                here.change(*value)
            else:
                here.start()
                here.look()
                here.heard()
            here.look()


def run(here: World, seconds: int) -> list[dict[str, Any]]:
    """Seconds pass, each with an entry; what the overlay showed at each."""
    out = []
    for _ in range(seconds):
        here.now += 1
        here.write(MatchCalled(0.0))
        here.heard()
        out.append(here.look()["overlay"])
    return out


@pytest.mark.parametrize("restart", [False, True])
def test_raised_in_mid_match_it_holds_and_goes_on_where_it_was(restart: bool) -> None:
    with world() as here:
        here.change("overlay", 10)
        run(here, 30)
        before = here.desk.document("overlay")["seq"]
        here.change("overlay", 60)
        shown = run(here, 20)
        if restart:
            here.start()
        shown += run(here, 29)
        assert [d.get("held_s") for d in shown] == list(range(49, 0, -1))
        assert all(not d["plays"] and d["seq"] == 0 for d in shown)
        then = run(here, 3)
        assert [d["seq"] - before for d in then] == [0, 1, 2]
        # Pictures are kept in memory alone: after a restart the stream begins anew once they are
        # old enough.
        shot = here.desk.gallery.shown("overlay")
        assert shot.why == "waiting" if restart else shot.seen == here.now - 60


def test_lowered_it_catches_up_at_once() -> None:
    with world() as here:
        here.change("overlay", 60)
        run(here, 70)
        here.change("overlay", 10)
        assert here.made[here.look()["overlay"]["seq"] - 1] == here.now - 10
        assert here.desk.gallery.shown("overlay").seen == here.now - 10


def test_lowered_while_it_holds_it_holds_no_longer_than_it_must() -> None:
    with world() as here:
        here.change("overlay", 10)
        run(here, 30)
        here.change("overlay", 60)
        run(here, 10)
        here.change("overlay", 30)
        shown = run(here, 12)
        assert [d.get("held_s") for d in shown[:9]] == list(
            range(9, 0, -1)
        ) and "held_s" not in shown[-1]


def test_a_website_keeps_what_it_has_while_the_feed_is_held() -> None:
    with world() as here:
        run(here, 5)
        sent = here.desk.feeds["push"].number
        here.change("push", 60)
        run(here, 30)
        assert here.desk.feeds["push"].number == sent
        run(here, 40)
        assert here.desk.feeds["push"].number > sent and "held_s" not in json.loads(
            here.desk.feeds["push"].text
        )


def test_after_a_start_it_waits_for_the_table_to_say_the_time() -> None:
    with world() as here:
        here.change("overlay", 10)
        run(here, 80)
        here.start()
        assert "held_s" in here.look()["overlay"]
        here.now += UNSURE_S
        assert "held_s" not in here.desk.document("overlay"), (
            "without a table the journal's heartbeat has to do"
        )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"public": 3}',
        '{"shown": {"public": "x"}}',
        '{"shown": 3}',
        '{"public": {"hours": 1}}',
    ],
)
def test_a_file_of_delays_that_is_damaged_holds_everything_back(tmp_path: Path, text: str) -> None:
    (tmp_path / "delay.json").write_text(text)
    assert Delays(tmp_path / "delay.json")["overlay"].total == 3600


def test_a_date_that_was_set_never_holds_longer_than_the_delay(tmp_path: Path) -> None:
    (tmp_path / "delay.json").write_text(
        json.dumps({"public": {"seconds": 60}, "shown": {"public": 9e12}})
    )
    assert 0 < Delays(tmp_path / "delay.json").held("public") <= 60


def test_a_version_before_holds_still_reads_the_delays(tmp_path: Path) -> None:
    """A rollback: what it read was one object a feed, of seconds and fine."""
    Delays(tmp_path / "delay.json").set("overlay", Delay(60, 0.5))
    kept = json.loads((tmp_path / "delay.json").read_text())
    assert {feed: kept[feed] for feed in FEEDS}["overlay"] == {"seconds": 60, "fine": 0.5}
    assert 0 < Delays(tmp_path / "delay.json").held("overlay") <= 60.5
