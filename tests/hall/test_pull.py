"""Requests under way: never more than two, and always one that can still bring something."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.hall.pull import BATCH, LASTS_S, OVERDUE_S, Pull


def test_the_next_request_goes_out_before_the_last_one_is_used_up() -> None:
    pull = Pull()
    assert pull.wanted(0.0) == 1
    assert pull.wanted(0.1) is None
    for _ in range(BATCH - BATCH // 4):
        pull.took()
    assert pull.wanted(0.2) == 2
    assert pull.wanted(0.3) is None


def test_a_request_whose_time_is_over_is_replaced_once() -> None:
    pull = Pull()
    assert pull.wanted(0.0) == 1
    assert pull.wanted(LASTS_S + 0.5) is None, "the server has not said yet that its time is over"
    pull.ended(1)
    assert pull.wanted(LASTS_S + 0.6) == 2
    pull.ended(1)
    assert pull.wanted(LASTS_S + 0.7) is None, "a word that comes twice ends nothing else"


def test_a_request_that_was_lost_is_given_up() -> None:
    pull = Pull()
    assert pull.wanted(0.0) == 1
    assert pull.wanted(LASTS_S + OVERDUE_S + 0.1) == 2


@given(st.lists(st.tuples(st.sampled_from(["message", "over", "look"]), st.floats(0, 5)), max_size=400))
def test_two_at_most_and_never_none(events: list[tuple[str, float]]) -> None:
    pull, now = Pull(), 0.0
    for what, passed in events:
        now += passed
        pull.wanted(now)
        assert 1 <= len(pull.open) <= 2
        assert all(left > 0 for left, _ in pull.open.values())
        if what == "message":
            pull.took()
        elif what == "over":
            pull.ended(min(pull.open))
