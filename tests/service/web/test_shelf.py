"""Pictures that wait: bounded memory, the newest that is old enough, and rarer pictures rather than
more memory.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.web.shelf import LARGEST, SLOWEST, Shelf, Shot


def filled(room: int, span: float, seconds: float, size: int = 1000, rate: float = 10.0) -> Shelf:
    shelf = Shelf(room, rate)
    shelf.span = span
    for n in range(int(seconds * rate)):
        shelf.put(Shot(n / rate, b"x" * size))
    return shelf


def test_the_newest_that_is_old_enough() -> None:
    shelf = filled(10**9, 60, 100)
    for until in (45.0, 45.05, 99.9, 1e9):
        found = shelf.newest(until)
        assert (found is not None and until - 0.11 <= found.seen <= until) or until > 100
    assert shelf.newest(1.0) is None, "what no delay needs is let go"
    assert shelf.count <= 60 * 10 + 2


def test_without_a_delay_one_picture_is_enough() -> None:
    assert filled(10**9, 0, 20).count == 1


@given(
    st.integers(10_000, 10**6),
    st.floats(0, 3600),
    st.lists(st.tuples(st.floats(0.01, 200), st.integers(1, 5000)), max_size=200),
)
def test_memory_is_bounded_whatever_comes(
    room: int, span: float, steps: list[tuple[float, int]]
) -> None:
    shelf, now = Shelf(room, 10.0), 0.0
    for dt, size in steps:
        now += dt
        shelf.span = span
        shelf.put(Shot(now, b"x" * size))
        assert shelf.size <= room
        found = shelf.newest(now - span)
        assert found is None or found.seen <= now - span


@pytest.mark.parametrize(("room", "every"), [(1_000_000, 0.1), (100_000, 0.75), (30_000, 2.5)])
def test_a_long_delay_in_little_memory_makes_pictures_rarer(room: int, every: float) -> None:
    """A minute of ten 1 kB pictures a second is 600 kB."""
    shelf = filled(room, 60, 200)
    assert shelf.spacing == pytest.approx(every, rel=0.01)
    assert shelf.size <= room
    assert not shelf.too_small
    found = shelf.newest(200 - 60)
    assert found is not None and found.seen > 140 - 2.2 * every


def test_a_delay_that_is_far_too_long_says_so() -> None:
    shelf = filled(5_000, 60, 200)
    assert shelf.too_small and shelf.spacing > SLOWEST
    found = shelf.newest(140)
    assert found is not None and (found.why, found.jpeg) == ("memory", b"")


def test_why_there_is_none_is_told_as_late_as_a_picture() -> None:
    shelf = filled(10**6, 60, 100)
    shelf.put(Shot(100.0, why="no-board"))
    shelf.put(Shot(101.0, why="no-board"))
    before, after = shelf.newest(99.99), shelf.newest(100.5)
    assert before is not None and before.jpeg and after is not None and after.why == "no-board"
    shelf.put(Shot(102.0, b"y"))
    last = shelf.newest(1e9)
    assert last is not None and last.jpeg == b"y"


def test_a_monstrous_picture_is_not_kept() -> None:
    shelf = Shelf(10**9, 10.0)
    shelf.put(Shot(1.0, b"x" * (LARGEST + 1)))
    assert shelf.newest(2.0) is None
