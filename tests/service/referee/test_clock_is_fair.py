"""Nobody pays for another's thinking and nobody is accused for a slip: the clock at a double, at a
press too early, at a pause, with a die on the floor, and between games.
"""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.observation import DieStatus
from service.record.match_record import match_records
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.show.prompt import waits_for
from tests.service.hands import DIRECTOR, Hands, begun, check, die, player, stand

W, B = Side.WHITE, Side.BLACK


def clocked(length: int | None = 5, **match: object) -> Hands:
    """White is on roll and its clock runs; no delay, so that every second shows."""
    event = {"clock": {"preset": "us-delay", "bank": 600, "delay": 0}}
    hands = begun(Hands(), clock="ours", length=length, event=event, **match)
    hands.order("start_clocks", side="white")
    return hands


def left(hands: Hands, side: Side) -> float:
    assert hands.state.match.clock is not None
    return hands.state.match.clock.left(side, hands.now)


def running(hands: Hands) -> Side | None:
    clock = hands.state.match.clock
    return clock.running if clock is not None and clock.since is not None else None


def matters(hands: Hands) -> list[tuple[str, Side | None]]:
    return [(a.matter, a.side) for a in hands.state.alerts]


# A double.


def test_whoever_answers_a_double_thinks_on_his_own_time() -> None:
    hands = clocked()
    before = left(hands, W)
    hands.order("offer", by=player(W))
    hands.press(W).wait(60)
    assert left(hands, W) == pytest.approx(before, abs=0.2)
    assert left(hands, B) == pytest.approx(600 - 62, abs=0.2)
    hands.order("take", by=player(B))
    hands.press(B).wait(10)
    assert left(hands, B) == pytest.approx(600 - 62, abs=0.2)
    assert running(hands) is W
    check(hands)


def test_presses_count_at_a_double_as_after_a_play() -> None:
    """The answerer takes and presses before the table has seen the take."""
    hands = clocked()
    hands.order("offer", by=player(W))
    hands.press(B, seconds=1)
    assert running(hands) is W and hands.last("clock_started").reason == "doubled"
    hands.press(W, seconds=1)
    assert running(hands) is B
    hands.press(B, seconds=1)
    hands.order("take", by=player(B))
    assert running(hands) is W and hands.state.phase is Phase.TO_ROLL


def test_a_beaver_hands_the_thinking_back_and_forth() -> None:
    hands = clocked(None)
    hands.order("offer", side="white")
    assert running(hands) is B
    hands.order("beaver", side="black")
    assert running(hands) is W
    hands.press(W, seconds=0.1)
    hands.order("take", side="white")
    assert running(hands) is W


# Presses that end nothing.


def test_a_press_before_the_roll_is_noted_and_nobody_is_accused() -> None:
    hands = clocked()
    hands.wait(5).press(W, seconds=4)
    assert hands.state.phase is Phase.TO_ROLL and running(hands) is W
    assert hands.last("noted").matter == "pressed_dice_unread"
    assert "illegal_noticed" not in hands.kinds and tuple(hands.state.match.illegal) == (0, 0)
    hands.throw(3, 1)
    assert hands.state.phase is Phase.MOVING, "the roll after it is read"


def test_a_press_that_is_meant_asks_for_a_roll_that_nobody_sees() -> None:
    """The dice lie where the camera does not look, and no checker can move."""
    hands = clocked()
    stand(hands, {25: 1, 24: 1}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 20: 5})
    hands.wait(5).press(W, seconds=2)
    assert waits_for(hands.state)["code"] == "roll_or_double"
    hands.press(W, seconds=2)
    assert waits_for(hands.state)["code"] == "say_roll" and running(hands) is W
    hands.order("declare_roll", roll=[5, 4])
    assert hands.state.turn.stuck and not [a for a in hands.state.alerts if a.matter == "say_roll"]
    hands.press(W, seconds=2)
    assert hands.state.game.on_roll is B and "illegal_noticed" not in hands.kinds


def test_a_press_back_at_once_reopens_the_turn() -> None:
    hands = clocked()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press(seconds=3)
    assert hands.state.game.on_roll is B and len(hands.state.match.plays) == 1
    hands.press(B, seconds=2)
    state = hands.state
    assert (state.phase, state.game.on_roll, state.match.plays) == (Phase.MOVING, W, ())
    assert running(hands) is W and "illegal_noticed" not in hands.kinds
    # White changes its mind, and presses again.
    hands.put(hands.moved((5, 4), side=W)).put(hands.moved((4, 5), side=W)).press(seconds=3)
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert hands.state.game.on_roll is B and running(hands) is B
    check(hands)
    (record,) = match_records(hands.entries)
    assert not record.remarks and record.final().game.placement == hands.placement


def test_a_reopened_turn_ends_with_the_opponents_roll() -> None:
    """The press back was a slip, and nobody presses again: the roll says that the turn was over."""
    hands = clocked()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press(seconds=3)
    hands.press(B, seconds=2)
    hands.throw(6, 2, side=B).wait(3)
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert hands.state.game.on_roll is B
    assert not [d for d in hands.bodies("dice_called") if d.problem == "premature"]


def test_a_press_back_comes_too_late() -> None:
    hands = clocked()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press(seconds=12)
    hands.press(B, seconds=1)
    assert len(hands.state.match.plays) == 1 and hands.last("noted").side is B


@pytest.mark.parametrize("monitor", ["board", "teaching", "arbiter", "silent"])
def test_a_press_before_anything_was_moved(monitor: str) -> None:
    """Where the board may speak the clock goes back; else it is told as the event says."""
    hands = begun(Hands(), clock="ours", length=5, event={"play": {"monitor": monitor}})
    hands.order("start_clocks", side="white")
    hands.throw(3, 1).press(seconds=4)
    if monitor in ("board", "teaching"):
        assert hands.state.phase is Phase.MOVING and running(hands) is W
        assert hands.last("noted").matter == "pressed_early"
        assert tuple(hands.state.match.illegal) == (0, 0)
        hands.move((8, 5), (6, 5)).press(seconds=3)
        assert hands.state.match.plays[-1].text == "8/5 6/5"
    else:
        assert hands.state.phase is Phase.ILLEGAL
        assert hands.last("illegal_noticed").code == "nothing_moved"


def test_every_press_is_kept_and_one_before_the_throw_was_read_starts_the_clock() -> None:
    hands = Hands(board=False)
    hands.set_up(clock="ours")
    hands.press(B, seconds=0.1)
    assert hands.last("noted").matter == "press_ignored" and hands.last("noted").side is B
    hands.press(W, seconds=0.1)
    hands.throw_opening(2, 6)
    assert hands.state.game.on_roll is B and running(hands) is B


# Slow play and missed presses: the side's own running time.


@pytest.mark.parametrize("clock", ["ours", "none"])
@pytest.mark.parametrize(("stops", "goes_on"), [("freeze", "unfreeze"), ("adjourn", "resume")])
def test_a_pause_is_nobodys_slow_play(clock: str, stops: str, goes_on: str) -> None:
    hands = begun(Hands(), clock=clock, length=5)
    if clock == "ours":
        hands.order("start_clocks", side="white")
    hands.throw(3, 1)
    hands.order(stops, by=DIRECTOR)
    hands.now += 40_000
    hands.order(goes_on, by=DIRECTOR)
    hands.wait(20)
    assert matters(hands) == []
    hands.now += 100
    hands.wait(1)
    assert matters(hands) == [("slow_play", W)]


def test_a_stopped_clock_accuses_nobody() -> None:
    hands = clocked()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5))
    hands.order("call_director")
    hands.now += 130
    hands.wait(1)
    assert matters(hands) == [("director_called", None)]
    hands.order("start_clocks")
    hands.wait(18)
    assert matters(hands) == [("director_called", None)]
    hands.wait(4)
    assert matters(hands)[1:] == [("missed_press", W)]


def test_an_answer_takes_its_time_and_is_nobodys_slow_play() -> None:
    hands = clocked()
    hands.wait(100)
    hands.order("offer", by=player(W))
    hands.now += 130
    hands.wait(1)
    assert matters(hands) == []
    hands.order("take", by=player(B))
    hands.wait(1)
    assert matters(hands) == []
    hands.now += 121
    hands.wait(1)
    assert matters(hands) == [("slow_play", W)]


# A die on the floor.


def test_both_clocks_rest_while_a_die_is_off_the_table() -> None:
    hands = clocked()
    hands.dice = (die(3, hands.where(W)), die(4, (0.99, 0.99), DieStatus.OFF_BOARD))
    hands.wait(3)
    rested = left(hands, W)
    assert running(hands) is None and hands.state.match.rests_for == "die_off_board"
    hands.wait(40)
    assert left(hands, W) == rested
    hands.throw(4, 2)
    assert hands.state.phase is Phase.MOVING and running(hands) is W


def test_a_cocked_die_stops_no_clock() -> None:
    hands = clocked()
    hands.dice = (die(3, hands.where(W)), die(4, hands.where(W, 2), DieStatus.COCKED))
    hands.wait(3)
    assert hands.last("dice_called").problem == "cocked" and running(hands) is W


def test_a_press_goes_on_from_a_die_that_was_never_read_again() -> None:
    hands = clocked()
    hands.dice = (die(3, hands.where(W)), die(4, (0.99, 0.99), DieStatus.OFF_BOARD))
    hands.wait(3)
    hands.order("declare_roll", roll=[3, 1])
    assert running(hands) is W
    hands.move((8, 5), (6, 5)).press()
    assert running(hands) is B


# Another clock, between games.


def test_a_clock_comes_and_goes_between_games_only() -> None:
    hands = clocked()
    with pytest.raises(OrderError, match="between two games"):
        hands.order("change_clock", clock="none")
    hands.order("resign", side="white", level=1)
    hands.order("accept_resignation")
    hands.order("change_clock", clock="none", reason="both agree")
    assert hands.state.match.clock is None and hands.state.match.setting is not None
    hands.order("change_clock", clock="ours", preset="iran", bank=300)
    clock = hands.state.match.clock
    assert clock is not None and (clock.control.bank, clock.control.delay) == (300, 5)
    hands.order("next_game", starter="white")
    hands.order("resign", side="white", level=1)
    hands.order("accept_resignation")
    hands.order("change_clock", clock="external")
    assert hands.state.match.setting.clock == "external" and tuple(hands.state.match.score) == (
        0,
        2,
    )
    check(hands)


def test_a_money_session_needs_a_bank_for_its_new_clock() -> None:
    hands = begun(Hands(), length=None)
    hands.order("resign", side="white", level=1)
    hands.order("accept_resignation")
    with pytest.raises(OrderError, match="bank"):
        hands.order("change_clock", clock="ours", preset="us-delay")
    hands.order("change_clock", clock="ours", preset="us-delay", bank=600)
    assert hands.state.match.clock is not None
