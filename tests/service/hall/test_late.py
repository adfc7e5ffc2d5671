"""How late the public learns of a table at the hall: by the longer of two delays, whatever is done
to either, and whatever was not heard yet.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.hall.late import TableDelays
from service.hall.wire import MessageError, TableStatus, WireMessage, status_from
from service.web import delay as delay_module
from service.web.delay import FEEDS, LONGEST, Delay, Delays

SECONDS = st.sampled_from([0.0, 5.0, 60.0, 300.0, 3600.0])
CHANGES = st.lists(
    st.tuples(st.sampled_from(["hall", "table", "restart"]), SECONDS, st.sampled_from([0, 3, 400])),
    max_size=8,
)


class Clock:
    """Time that passes when it is told to: the machine's monotonic clock and its date."""

    now = 10_000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now + 1e9


@given(CHANGES)
def test_nothing_younger_than_the_longer_delay_is_ever_shown(
    changes: list[tuple[str, float, int]],
) -> None:
    clock = Clock()
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delay_module, "time", clock)
        folder, said = Path(name), {"hall": 0.0, "table": LONGEST}

        def begun() -> tuple[Delays, TableDelays]:
            halls = Delays(folder / "delay.json")
            return halls, TableDelays(halls, folder / "delays" / "t1.json")

        halls, late = begun()
        shown = clock.now - LONGEST
        for who, seconds, passing in changes:
            if who == "hall":
                halls.set("public", Delay(seconds))
            elif who == "table":
                late.told({"public": seconds})
            else:
                halls, late = begun()
            said |= {who: seconds} if who in said else {}
            for passed in (0, passing):
                clock.now += passed
                total, held = late["public"].total, late.held("public")
                assert total == max(said.values())
                # It is held for as long as it must, so no feed goes back; and not for ever.
                assert held >= shown + total - clock.now - 1e-3
                assert held <= total
                shown = shown if held else clock.now - total


def test_of_a_table_that_has_not_spoken_nothing_is_told(tmp_path: Path) -> None:
    late = TableDelays(Delays(tmp_path / "delay.json"), tmp_path / "delays" / "t1.json")
    assert [late[feed].total for feed in FEEDS] == [LONGEST] * 3
    # A table of an older version says nothing of delays: the hall's own hold.
    assert late.told({}) and not late.told({})
    assert [late[feed].total for feed in FEEDS] == [0.0] * 3


def test_a_longer_delay_holds_even_where_it_cannot_be_kept(tmp_path: Path) -> None:
    late = TableDelays(Delays(tmp_path / "delay.json"), tmp_path / "delays" / "t1.json")
    late.told({})
    (tmp_path / "delays" / "t1.part").mkdir()
    assert late.told({"public": 60.0}) and late["public"].total == 60
    late.told({"public": 5.0})
    assert late["public"].total == 60, "a shorter one waits until it can be kept"


@pytest.mark.parametrize(
    "wrong", [[], {"public": "60"}, {"public": float("nan")}, {"public": True}]
)
def test_a_delay_that_is_no_number_is_refused(wrong: object) -> None:
    status = TableStatus("t1", 1, 5, 1.0, 2.0, 0.1, delays={"public": 60.0})
    assert status_from(status.body()) == status
    spelled: WireMessage = {**status.body(), "delays": wrong}
    with pytest.raises(MessageError, match="delays"):
        status_from(spelled)
