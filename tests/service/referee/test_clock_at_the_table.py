"""The clock at the table, in emulated time: presses count from their own time stamp, flags fall in
time, a crash is nobody's time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import Side
from service.journal.entries import Restarted
from service.journal.store import Store
from service.referee.inputs import Press, Tick
from service.referee.state import Phase, State
from service.referee.step import replay
from service.session.belief import Session
from service.session.step import fold_own_entry
from tests.service.hands import CONSOLE, DIRECTOR, Hands, begun

W, B = Side.WHITE, Side.BLACK


def clocked(preset: str = "us-delay", length: int = 7, **clock: Any) -> Hands:
    hands = begun(
        Hands(board=False),
        clock="ours",
        length=length,
        event={"clock": {"preset": preset, **clock}},
    )
    hands.order("start_clocks", side="white")
    return hands


def left(hands: Hands, side: Side) -> float:
    assert hands.state.match.clock is not None
    return hands.state.match.clock.left(side, hands.now)


def pass_turn(hands: Hands, seconds: float) -> None:
    """The side on roll takes so long over some play, said by hand, and presses."""
    side = hands.state.game.on_roll
    hands.order("declare_roll", roll=[3, 1])
    hands.now += seconds
    hands.give(Press(side, hands.now))
    from service.show.legal import legal_plays

    hands.order("declare_play", placement=legal_plays(hands.state)[0]["placement"])


def test_a_late_press_counts_from_its_own_time_stamp() -> None:
    hands = clocked(delay=0)
    start = hands.now
    hands.order("declare_roll", roll=[3, 1])
    hands.now = start + 30.0
    hands.give(Press(W, start + 20.0))
    assert left(hands, W) == pytest.approx(840 - 20, abs=0.01)
    assert left(hands, B) == pytest.approx(840 - 10, abs=0.01)
    assert hands.last("pressed").used == pytest.approx(20.0, abs=0.01)


def test_a_press_from_the_future_or_the_past_is_held_to_what_can_be() -> None:
    hands = clocked(delay=0)
    start = hands.now
    hands.now = start + 5
    hands.give(Press(W, start + 500.0))
    assert left(hands, W) == pytest.approx(835, abs=0.01)
    hands.give(Press(W, start - 500.0))
    assert left(hands, W) == pytest.approx(835, abs=0.01)


def test_delay_and_increment() -> None:
    simple, fischer = clocked(delay=12), clocked("seed-fischer")
    for hands in (simple, fischer):
        pass_turn(hands, 20.0)
    assert left(simple, W) == pytest.approx(840 - 8, abs=0.02)
    assert left(fischer, W) == pytest.approx(480 - 20 + 8, abs=0.02)


@pytest.mark.parametrize("step_s", [0.05, 0.1])
def test_the_flag_falls_within_a_tenth_of_a_second(step_s: float) -> None:
    hands = clocked("seed-delay", bank=2, delay=1)
    due = hands.now + 3.0
    while "flagged" not in hands.kinds:
        hands.now += step_s
        hands.give(Tick())
        assert hands.now < due + 0.2
    flagged = hands.last("flagged")
    assert due <= flagged.flagged_at <= due + 0.1
    assert (flagged.side, flagged.consequence, flagged.amount, flagged.automatic) == (
        W,
        "points",
        2,
        False,
    )
    assert tuple(hands.state.match.flags) == (1, 0)
    assert [a.matter for a in hands.state.alerts] == ["flag"]
    hands.now += 30
    hands.give(Tick())
    assert len(hands.bodies("flagged")) == 1, "a flag is raised once a turn"


def test_the_ladder_is_carried_out_where_the_event_says_so() -> None:
    hands = clocked("iran", length=7, bank=10, delay=5, at_flag="automatic")
    hands.order("amend", what="score", value=[3, 0])
    scores = []
    for _ in range(3):
        while hands.state.game.on_roll is not W:
            pass_turn(hands, 1.0)
        hands.now += 40
        hands.give(Tick())
        scores.append(tuple(hands.state.match.score))
        if hands.state.phase is Phase.MATCH_OVER:
            break
        pass_turn(hands, 0.0)
    assert scores == [(2, 0), (0, 0), (0, 0)]
    assert hands.state.phase is Phase.MATCH_OVER
    assert hands.last("match_ended").winner is B


def test_overtime_once() -> None:
    hands = clocked(bank=5, delay=0, overtime_s=60)
    hands.now += 6
    hands.give(Tick())
    assert left(hands, W) == pytest.approx(60, abs=0.1)
    hands.now += 61
    hands.give(Tick())
    assert [f.consequence for f in hands.bodies("flagged")] == ["overtime", "match"]


def test_no_time_is_added_by_a_crash_and_none_is_taken(tmp_path: Path) -> None:
    """It dies 0.9 s after its last heartbeat and comes back an hour later: the clock goes on to
    within a second, an entry names the gap.
    """
    hands = clocked(delay=0)
    path = tmp_path / "j"
    with Store.open(path) as store:
        store.append([(at, 1.8e9 + at, by, body) for at, by, body in hands.said])
        store.beat(hands.now + 50.0, 1.8e9 + hands.now + 50.0)
    # Died here: hands.now + 50.9. Wall clock: an hour later, and set back a year by somebody.
    for wall in (1.8e9 + 3600, 1.7e9):
        with Store.open(path) as store:
            session = Session(replay(store.past))
            beat = store.heartbeat()
            assert beat is not None
            now = max(session.state.at, beat.at)
            away = wall - beat.wall if wall > beat.wall else None
            session = fold_own_entry(session, Restarted(away, 1.0), now)
            clock = session.state.match.clock
            assert clock is not None and clock.running is W and clock.since is not None
            assert clock.left(W, now) == pytest.approx(840 - 50.9, abs=1.0)
            assert clock.left(B, now) == 840


def test_immune_to_the_date() -> None:
    """Nothing in a state or an entry's body comes from the machine's date."""
    import service.referee.step as referee

    assert "wall" not in State.__slots__ and "time" not in vars(referee)


def test_an_arbiter_corrects_time() -> None:
    hands = clocked()
    hands.order("adjust_clock", by=DIRECTOR, side="black", bank=61.5, reason="started late")
    assert left(hands, B) == 61.5
    adjusted = hands.last("clock_adjusted")
    assert (adjusted.before, adjusted.bank) == (840, 61.5)
    hands.order("penalise", by=DIRECTOR, side="black", penalty="time", amount=60)
    assert left(hands, B) == 1.5


def test_both_clocks_stop_for_the_director_and_between_games() -> None:
    hands = clocked(delay=0)
    hands.now += 10
    hands.order("call_director", by=CONSOLE)
    held = left(hands, W)
    hands.now += 100
    assert left(hands, W) == held == pytest.approx(830, abs=0.01)
    hands.order("start_clocks")
    hands.order("resign", side="white", level=1)
    hands.order("accept_resignation")
    assert hands.state.match.clock is not None and hands.state.match.clock.running is None
    between = (left(hands, W), left(hands, B))
    hands.now += 500
    assert (left(hands, W), left(hands, B)) == between


def test_the_lower_opening_roller_starts_the_others_clock() -> None:
    hands = Hands(board=False)
    hands.set_up(clock="ours")
    hands.throw_opening(2, 6)
    assert (
        hands.state.game.on_roll is B
        and hands.state.match.clock is not None
        and hands.state.match.clock.running is None
    )
    hands.press(W, seconds=0.1)
    assert hands.state.match.clock.running is B
    assert hands.last("clock_started").side is B


def test_a_clock_nobody_started_starts_with_the_first_press() -> None:
    hands = Hands(board=False)
    hands.set_up(clock="ours")
    hands.throw_opening(6, 2)
    hands.play_any().press(W)
    assert hands.state.match.clock is not None and hands.state.match.clock.running is B


actions = st.lists(
    st.tuples(st.sampled_from(["press", "other", "stop", "start", "tick"]), st.floats(0, 30)),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(actions)
def test_time_is_neither_made_nor_lost(moves: list[tuple[str, float]]) -> None:
    """Without delay or increment, both have used the time that a clock ran, to a hundredth."""
    hands = begun(
        Hands(camera=False, board=False),
        clock="ours",
        length=25,
        event={"clock": {"preset": "us-delay", "delay": 0}},
    )
    ran = 0.0
    for what, seconds in moves:
        clock = hands.state.match.clock
        assert clock is not None
        if clock.running is not None and clock.since is not None:
            ran += seconds
        hands.now += seconds
        side = hands.state.game.on_roll
        if what == "stop" and clock.running is not None and clock.since is not None:
            hands.order("stop_clocks")
        elif what == "start" and clock.since is None:
            hands.order("start_clocks", side=(clock.running or side).value)
        elif what in ("press", "other"):
            hands.give(Press(side if what == "press" else side.other, hands.now))
            if hands.state.phase is Phase.PRESSED:
                from service.show.legal import legal_plays

                hands.order("declare_play", placement=legal_plays(hands.state)[0]["placement"])
        else:
            hands.give(Tick())
        if hands.state.phase not in (Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED):
            return
    used = 2 * 25 * 120 - left(hands, W) - left(hands, B)
    assert used == pytest.approx(ran, abs=0.02)
