"""The clock: three modes and how they differ, flags and what follows, pauses, the arbiter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.board import BySide, Side
from rules.clock import (
    BankPer,
    Clock,
    ClockError,
    DelayMode,
    TimeControl,
    correct,
    new_game,
    overtime,
    pause,
    press,
    resume,
    start,
    stop,
    tick,
)

W, B = Side.WHITE, Side.BLACK


def clock(
    mode: DelayMode = DelayMode.SIMPLE,
    bank: float = 100,
    delay: float = 10,
    per: BankPer = BankPer.MATCH,
) -> Clock:
    return Clock.of(TimeControl(bank, delay, mode, per))


@pytest.mark.parametrize(
    ("mode", "turn", "during", "after"),
    [
        # (mode, seconds the turn lasts, bank seen just before the press, bank after it)
        (DelayMode.SIMPLE, 4, 100, 100),
        (DelayMode.SIMPLE, 25, 85, 85),
        (DelayMode.BRONSTEIN, 4, 96, 100),
        (DelayMode.BRONSTEIN, 25, 75, 85),
        (DelayMode.FISCHER, 4, 96, 106),
        (DelayMode.FISCHER, 25, 75, 85),
    ],
)
def test_the_three_modes_differ(mode: DelayMode, turn: float, during: float, after: float) -> None:
    running = start(clock(mode), W, 1000)
    assert running.left(W, 1000 + turn) == during
    assert press(running, W, 1000 + turn).bank(W) == after


@pytest.mark.parametrize(
    ("mode", "falls"), [(DelayMode.SIMPLE, 15), (DelayMode.BRONSTEIN, 5), (DelayMode.FISCHER, 5)]
)
def test_the_flag_can_fall_inside_the_delay_unless_it_is_simple(
    mode: DelayMode, falls: float
) -> None:
    running = start(clock(mode, bank=5), W, 0)
    assert running.flag_due(0) == falls
    assert running.flag(falls - 0.01) is None
    assert running.flag(falls) is W


@given(turns=st.lists(st.floats(0, 30), max_size=20))
def test_bronstein_never_grows_and_leaves_what_simple_leaves_while_no_flag_falls(
    turns: list[float],
) -> None:
    clocks = [
        start(clock(mode, bank=1000), W, 0.0) for mode in (DelayMode.SIMPLE, DelayMode.BRONSTEIN)
    ]
    now, side = 0.0, W
    for turn in turns:
        now += turn
        before = clocks[1].bank(side)
        clocks = [press(c, side, now) for c in clocks]
        assert clocks[1].bank(side) <= before + 1e-9
        assert clocks[0].bank(side) == pytest.approx(clocks[1].bank(side))
        side = side.other


def test_after_a_flag_only_the_delay_is_left_and_each_expiry_is_a_violation() -> None:
    c = tick(start(clock(bank=5), W, 0), 100)
    assert (c.violations, c.gone, c.left(W, 100)) == (BySide(1, 0), {W}, 0)
    assert tick(c, 200).violations == BySide(1, 0)
    c = press(press(c, W, 200), B, 201)
    assert c.delay_left(201) == 10
    quick = press(c, W, 209)
    assert quick.violations == BySide(1, 0)
    assert press(c, W, 211).violations == BySide(2, 0)
    assert press(c, W, 211).bank(W) == 0


def test_no_fischer_time_after_a_flag() -> None:
    c = press(start(clock(DelayMode.FISCHER, bank=5), W, 0), W, 6)
    assert (c.bank(W), c.violations[W]) == (0, 1)


def test_overtime_is_given_once() -> None:
    c = tick(start(clock(bank=5), W, 0), 100)
    c = overtime(c, W, 60, 100)
    assert (c.left(W, 100), c.left(W, 130), c.gone) == (60, 30, frozenset())
    with pytest.raises(ClockError, match="had its overtime"):
        overtime(tick(c, 500), W, 60, 500)


def test_a_pause_keeps_the_delay_that_was_used() -> None:
    c = pause(start(clock(), W, 0), 7)
    assert c.left(W, 1000) == 100
    c = resume(c, 1000)
    assert c.delay_left(1000) == 3
    assert c.left(W, 1010) == 93


def test_a_pause_survives_another_machine_s_time() -> None:
    c = pause(start(clock(), W, 50_000), 50_030)
    assert resume(c, 3).left(W, 4) == 79


def test_the_arbiter_s_correction_holds_at_that_moment() -> None:
    for mode in DelayMode:
        c = correct(start(clock(mode), W, 0), W, 42, 30)
        assert c.left(W, 30) == 42
        assert c.left(W, 31) == 41
    assert correct(clock(), B, 7, 0, violations=2).violations == BySide(0, 2)


def test_per_game_banks_are_full_again_and_violations_stay() -> None:
    c = tick(start(clock(bank=5, per=BankPer.GAME), W, 0), 100)
    c = new_game(c, 120)
    assert (c.banks, c.running, c.gone, c.violations) == (
        BySide(5, 5),
        None,
        frozenset(),
        BySide(1, 0),
    )
    assert new_game(stop(start(clock(), W, 0), 30), 40).bank(W) == 80


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ClockError, match="pressed while nobody"):
        press(clock(), W, 0)
    with pytest.raises(ClockError, match="pressed while white"):
        press(start(clock(), W, 0), B, 1)
    with pytest.raises(ClockError, match="running"):
        start(start(clock(), W, 0), B, 1)
    with pytest.raises(ClockError, match="bank"):
        TimeControl(0)


def test_time_that_runs_backwards_costs_nothing() -> None:
    assert start(clock(), W, 100).left(W, 50) == 100


@given(
    st.lists(st.tuples(st.sampled_from("pPrt"), st.floats(0, 50)), max_size=40),
    st.sampled_from(DelayMode),
)
def test_nothing_is_ever_below_zero(steps: list[tuple[str, float]], mode: DelayMode) -> None:
    now, c = 0.0, start(clock(mode), W, 0.0)
    for step, wait in steps:
        now += wait
        if step == "p" and c.running and not c.is_paused:
            c = press(c, c.running, now)
        elif step == "P":
            c = pause(c, now)
        elif step == "r":
            c = resume(c, now)
        else:
            c = tick(c, now)
        assert all(c.left(s, now) >= 0 for s in Side)
        assert all(b >= -1e-9 for b in c.banks)
