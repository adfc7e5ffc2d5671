"""Stories of plays that are not what they should be, and of what the table asks: a miscount, half a
play, a wrong word, a press too early. Nobody is accused falsely, and nothing passes for what it was
not.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.observation import DieReading, DieStatus
from service.journal.entries import DiceOrigin, Standing
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.session.belief import UNMEASURED_LAG_S
from service.show.compose import table_document
from service.show.prompt import waits_for
from service.show.scene import APART, lights
from service.web.view import visible
from tests.service.hands import DIRECTOR, THREE, Hands, begun, player, stand

W, B = Side.WHITE, Side.BLACK


def miscounted(table: Hands, monitor: str = "board") -> Hands:
    """Three and one were thrown and read; a four and a one are played, and pressed."""
    begun(table, event={"play": {"monitor": monitor}})
    table.throw(3, 1)
    return table.move((13, 9), (6, 5)).press(seconds=4).expect(Phase.PRESSED)


# A play that fits another roll than the one read.


def test_a_miscount_that_nobody_speaks_of_stays_unresolved(table: Hands) -> None:
    miscounted(table)
    asked = next(a for a in table.state.alerts if a.matter == "other_roll")
    assert asked.facts == {"read": "31", "played": "41"} and asked.told == "board"
    table.throw(6, 2, side=B)
    table.wait(2.5).expect(Phase.MOVING)
    line = table.state.match.plays[-1]
    assert (line.text, line.roll, line.origin) == ("13/9 6/5", table.roll(3, 1), DiceOrigin.READ)
    assert (line.infraction, line.standing) == ("die_not_rolled", Standing.UNRESOLVED)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(6, 2))
    assert tuple(table.state.match.illegal) == (0, 0) and "illegal_noticed" not in table.kinds


def test_the_die_was_misread_and_somebody_says_so(table: Hands) -> None:
    miscounted(table).order("choose_explanation", index=0)
    line = table.expect(Phase.TO_ROLL).state.match.plays[-1]
    assert (line.text, line.roll, line.infraction) == ("13/9 6/5", table.roll(4, 1), "")
    assert not table.state.alerts


def test_the_miscount_is_put_right_on_the_board(table: Hands) -> None:
    miscounted(table)
    table.put(table.moved((9, 10), side=W)).wait(1.0).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "13/10 6/5"


def test_the_opponent_lets_the_miscount_stand(table: Hands) -> None:
    miscounted(table)
    with pytest.raises(OrderError):
        table.order("let_stand", by=player(W))
    table.order("let_stand", by=player(B))
    line = table.expect(Phase.TO_ROLL).state.match.plays[-1]
    assert (line.roll, line.standing) == (table.roll(3, 1), Standing.ACCEPTED) and line.infraction
    assert tuple(table.state.match.illegal) == (1, 0)


def test_the_board_is_not_so(table: Hands) -> None:
    """A person contradicts what is seen: nothing is recorded by itself until people agree."""
    miscounted(table).order("not_so", by=player(B))
    table.wait(8.0).expect(Phase.DIFFERS)
    assert "played" not in table.kinds
    after = table.moved((9, 10), side=W)
    as_json = {"white": list(after.white), "black": list(after.black)}
    table.order("declare_play", by=DIRECTOR, placement=as_json)
    assert table.last("played").notation == "13/10 6/5"


@pytest.mark.parametrize("monitor", ["arbiter", "silent"])
def test_a_monitor_that_may_not_speak_asks_no_player(table: Hands, monitor: str) -> None:
    miscounted(table, monitor)
    asked = next(a for a in table.state.alerts if a.matter == "other_roll")
    assert asked.told == monitor
    assert not any(getattr(c, "what", "") in ("ask", "error") for c in table.commands)


@pytest.mark.parametrize("monitor", ["board", "arbiter", "silent"])
def test_a_board_that_no_play_explains_is_told_by_the_monitor(table: Hands, monitor: str) -> None:
    """Lights, prompt, sound and alert alike: what stands there may be a play."""
    begun(table, event={"play": {"monitor": monitor}})
    table.throw(3, 1)
    table.put(table.moved((8, 5), side=W).moved(B, 19, 20)).press(W, seconds=9)
    table.expect(Phase.DIFFERS)
    asked = next(a for a in table.state.alerts if a.matter == "differs")
    heard = any(getattr(c, "what", "") in ("ask", "error") for c in table.commands)
    aloud = monitor == "board"
    assert (asked.told, heard) == (monitor, aloud)
    assert (APART in [light for _, light in lights(table.state).lights]) is aloud
    assert waits_for(table.state)["code"] == ("explain" if aloud else "judging")
    shown = visible(table_document(table.state, table.now), "player")
    assert (shown["phase"], shown["differs"] is None) == (
        ("differs", False) if aloud else ("pressed", True)
    )


def test_a_question_that_nobody_answers_stays_open_as_a_doubt(table: Hands) -> None:
    """The opponent rolls on: the likeliest play is in the record, and an alert says that nobody
    said so, until a play is certain again.
    """
    table = begun(Hands(board=False), clock="ours")
    table.order("start_clocks", side="white")
    table.throw(3, 1)
    table.put(table.moved((8, 5), (6, 5), side=W).moved(B, 12, 11)).press(W, seconds=6)
    assert [a.matter for a in table.state.alerts] == ["choose_play"]
    table.throw(6, 2, side=B)
    table.wait(3.0).expect(Phase.MOVING)
    assert [(a.matter, a.told) for a in table.state.alerts] == [("unanswered", "board")]
    table.put(table.moved((24, 18), (13, 11), side=B).moved(B, 11, 12)).press(B, seconds=4)
    assert table.last("played").notation == "24/18 13/11" and not table.state.alerts


def test_half_a_play_is_no_play_of_a_smaller_roll(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    table.move((8, 5)).press(seconds=4).expect(Phase.PRESSED)
    assert "other_roll" in [a.matter for a in table.state.alerts]
    table.move((6, 5)).wait(1.0).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "8/5 6/5" and not table.state.alerts


def test_a_checker_of_the_other_side_moved_by_a_point(table: Hands) -> None:
    """The legal play is made, and one of Black's checkers shifted by a point: people may say that
    the board is not as the table takes it.
    """
    begun(table)
    table.throw(3, 1)
    table.put(table.moved((8, 5), (6, 5), side=W).moved(B, 12, 11)).press(W, seconds=6)
    assert "played" not in table.kinds
    assert [a.matter for a in table.state.alerts] in (["choose_play"], ["differs"], ["illegal"])
    if table.state.phase is Phase.PRESSED:
        table.order("not_so", by=player(B))
        table.wait(5.0).expect(Phase.DIFFERS)


# A turn that is ended too early.


def test_pressed_before_the_roll(table: Hands) -> None:
    begun(table, clock="ours")
    table.order("start_clocks", side="white")
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press(seconds=3)
    table.lift().wait(10.0)
    table.press(B, seconds=3).expect(Phase.TO_ROLL)
    assert table.bodies("noted")[-1].matter == "pressed_dice_unread"
    assert table.state.match.clock is not None and table.state.match.clock.running is B
    table.throw(6, 2, side=B)
    assert table.state.turn.roll == table.roll(6, 2)
    assert "illegal_noticed" not in table.kinds


def test_a_camera_that_is_a_second_and_a_half_late_accuses_nobody() -> None:
    """A press on the page, and the only source a phone: the hand that played is seen later."""
    table = begun(Hands(board=False), clock="ours")
    table.throw(6, 5)
    table.press(seconds=1.4)
    table.move((24, 13)).wait(1.5).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "24/13" and "illegal_noticed" not in table.kinds
    assert table.session.lag_s <= 2 * UNMEASURED_LAG_S


def test_dice_lifted_with_half_the_play_made(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    table.move((8, 5)).lift()
    table.wait(2.5)
    table.move((6, 5)).wait(1.5).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "8/5 6/5"
    assert "illegal_noticed" not in table.kinds and not table.state.alerts


# Without a clock.


def test_an_illegal_play_without_a_clock_is_called_before_the_next_roll_counts(
    table: Hands,
) -> None:
    begun(table)
    table.throw(2, 1)
    table.move(*THREE).lift()
    table.throw(4, 2, side=B)
    table.wait(0.8).expect(Phase.ILLEGAL)
    assert table.last("illegal_noticed").side is W
    table.wait(2.5).expect(Phase.MOVING)
    assert table.state.match.plays[-1].standing is Standing.NEXT_ROLL
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(4, 2))


def test_an_illegal_play_and_nobody_rolls(table: Hands) -> None:
    begun(table)
    table.throw(2, 1)
    table.move(*THREE).lift()
    table.wait(8.0).expect(Phase.ILLEGAL)


def glare(table: Hands, side: Side) -> None:
    """Dice that nobody can read come to lie in this side's half."""
    table.dice = ()
    table.wait(0.8)
    blank = DieReading(table.where(side), (1.0,) * 6, {DieStatus.FLAT: 1.0})
    table.dice = (blank, replace(blank, where=table.where(side, 2)))
    table.wait(1.5)


@pytest.mark.parametrize("area", ["right_half", "board"])
def test_nothing_could_be_played_and_nobody_read_the_dice(table: Hands, area: str) -> None:
    """On the bar against four points: the dice are lifted, the opponent throws, and that tells."""
    begun(table, event={"dice": {"dice_area": area}})
    stand(table, {25: 1, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 13: 5})
    glare(table, W)
    table.throw(6, 3, side=B)
    table.wait(3.0).expect(Phase.MOVING)
    assert (table.last("played").notation, table.last("played").side) == ("no play", W)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(6, 3))
    assert not {"dice_called", "illegal_noticed"} & set(table.kinds)


def test_everybody_throws_where_there_is_room(table: Hands) -> None:
    """The event keeps the right half, the people do not: every roll is its thrower's."""
    begun(table)
    plays = (
        (W, (3, 1), ((8, 5), (6, 5)), B),
        (B, (6, 1), ((13, 7), (8, 7)), B),
        (W, (4, 2), ((8, 4), (6, 4)), W),
        (B, (5, 3), ((8, 3), (6, 3)), W),
        (W, (6, 5), ((13, 7), (13, 8)), B),
    )
    for side, dice, moves, half in plays:
        table.dice = ()
        table.wait(0.8)
        table.throw(*dice, side=half)
        table.put(table.moved(*moves, side=side)).wait(1.0)
    table.lift().wait(2.0)
    rolled = [(b.side, b.roll) for b in table.bodies("rolled")]
    played = [(b.side, b.notation, b.roll) for b in table.bodies("played")]
    assert [p[0] for p in played] == [W, B, W, B, W], played
    assert all((p[0], p[2]) in rolled or p[2] is None for p in played), (rolled, played)
    thrown = {(side, table.roll(*dice)) for side, dice, *_ in plays}
    assert set(rolled) <= thrown
    assert not {"illegal_noticed", "differs"} & set(table.kinds)


def test_who_plays_what_was_called_in_the_other_half_is_not_told_forever(table: Hands) -> None:
    """A rendered film: the hand that moves takes the dice along, so none is seen over a move."""
    begun(table)
    plays = (
        (W, (3, 1), ((8, 5), (6, 5))),
        (B, (6, 1), ((13, 7), (8, 7))),
        (W, (4, 2), ((8, 4), (6, 4))),
        (B, (5, 3), ((8, 3), (6, 3))),
    )
    for side, dice, moves in plays:
        table.throw(*dice, side=side.other).wait(2.0)
        stands, table.dice = table.moved(*moves, side=side), ()
        table.put(stands).wait(1.5)
    assert [(b.side, b.roll) for b in table.bodies("played")] == [
        (side, table.roll(*dice)) for side, dice, _ in plays
    ]
    assert len(table.bodies("dice_called")) == 1


def test_the_last_checker_lifted_in_thought_ends_no_game(table: Hands) -> None:
    begun(table, length=1)
    stand(table, {4: 1}, {1: 2, 6: 1})
    before = table.placement
    glare(table, W)
    table.put(table.moved((4, 0)), 2.0).expect(Phase.TO_ROLL)
    table.put(before, 2.0).expect(Phase.TO_ROLL)
    assert not {"game_ended", "played"} & set(table.kinds)
    table.put(table.moved((4, 0))).lift().wait(2.0).expect(Phase.MATCH_OVER)


# A word that the board contradicts.


def test_a_position_typed_in_with_one_checker_wrong(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    true = table.moved((8, 5), (6, 5), side=W)
    table.put(true).press()
    wrong = true.moved(B, 12, 10)
    said = {"white": list(wrong.white), "black": list(wrong.black)}
    table.order("set_position", placement=said, on_roll="black")
    table.wait(5.0).expect(Phase.DIFFERS)
    assert table.state.turn.difference is not None
    assert {12, 10} <= set(table.state.turn.difference.sites)
    table.order(
        "set_position",
        placement={"white": list(true.white), "black": list(true.black)},
        on_roll="black",
    )
    table.wait(5.0).expect(Phase.TO_ROLL)


def test_a_play_typed_in_wrongly(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    wrong = table.moved((24, 21), (24, 23), side=W)
    table.put(table.moved((8, 5), (6, 5), side=W))
    said = {"white": list(wrong.white), "black": list(wrong.black)}
    table.order("declare_play", placement=said)
    table.wait(5.0).expect(Phase.DIFFERS)
    assert len(table.bodies("played")) == 1, "the contradiction is asked about, not explained away"


def test_a_word_that_the_board_bears_out_is_asked_about_no_further(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    true = table.moved((8, 5), (6, 5), side=W)
    table.put(true)
    table.order("declare_play", placement={"white": list(true.white), "black": list(true.black)})
    table.wait(6.0).expect(Phase.TO_ROLL)
    table.throw(6, 2, side=B)
    table.put(table.moved((24, 18), (13, 11), side=B)).press(B).expect(Phase.TO_ROLL)
    assert "differs" not in table.kinds


# What is remembered of the turn before.


@pytest.mark.parametrize("clock", ["none", "ours"])
def test_a_play_changed_before_the_opponent_rolls(table: Hands, clock: str) -> None:
    """Recorded, then taken back and played otherwise with the same roll: the record follows, and
    says so.
    """
    begun(table, clock=clock)
    table.throw(3, 1)
    start = table.placement
    table.move((8, 5), (6, 5)).lift()
    table.press() if clock == "ours" else table.wait(1.0)
    table.expect(Phase.TO_ROLL)
    before = table.state.match.plays[-1]
    table.placement = start
    table.put(table.moved((24, 20), side=W)).wait(4.0).expect(Phase.TO_ROLL)
    line = table.state.match.plays[-1]
    assert (line.text, line.roll, line.seq) == ("24/20", table.roll(3, 1), before.seq)
    assert line.amended is not None and table.kinds[-1] == "corrected"
    table.throw(6, 2, side=B)
    table.put(table.moved((24, 18), (13, 11), side=B)).lift()
    table.press(B) if clock == "ours" else table.wait(1.0)
    assert table.state.match.plays[-1].text == "24/18 13/11"
    assert not {"illegal_noticed", "differs"} & set(table.kinds)


def test_a_play_changed_and_the_opponent_rolls_at_once(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    start = table.placement
    table.move((8, 5), (6, 5)).lift()
    table.wait(1.0).expect(Phase.TO_ROLL)
    table.placement = start
    table.put(table.moved((24, 20), side=W), 0.3)
    table.throw(6, 2, side=B)
    table.put(table.moved((24, 18), (13, 11), side=B)).lift()
    table.wait(8.0)
    texts = [(p.side, p.text, p.roll) for p in table.state.match.plays]
    assert texts == [(W, "24/20", table.roll(3, 1)), (B, "24/18 13/11", table.roll(6, 2))]
    assert "illegal_noticed" not in table.kinds


def test_a_checker_knocked_by_a_sleeve_is_no_turn_and_nobodys_fault(table: Hands) -> None:
    """Nobody notices it, and the opponent's play stands beside it: people are asked."""
    begun(table)
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).lift()
    table.wait(1.0).expect(Phase.TO_ROLL)
    table.throw(4, 2, side=B)
    knocked = table.moved((8, 4), (6, 4), side=B).moved(W, 13, 12 + 4)
    table.put(knocked).lift()
    table.wait(9.0)
    assert "illegal_noticed" not in table.kinds
    assert len(table.bodies("played")) == 1
    assert table.state.alerts
