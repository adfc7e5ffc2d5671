"""The last turns remembered: what is told of them, what waits, and what is never told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import ROLLS, Roll
from rules.judge import rolls_explaining
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entries import DiceOrigin
from service.reconcile import Agreed, Evidence, Recollection, decide, fallen, recall
from service.reconcile.codes import codes_of
from service.reconcile.reel import ReadTurn, Still, Throw, Turn
from service.reconcile.told import Anchor, Asked
from service.reconcile.told_turns import news
from service.session.expecting import expectation
from tests.service.hands import DIRECTOR, Hands, begun, die, stand

W, B = Side.WHITE, Side.BLACK


def at_table(**sensors: bool) -> Hands:
    hands = begun(Hands(**sensors), clock="ours", length=5)
    hands.order("start_clocks", side="white")
    return hands


def seen(hands: Hands) -> tuple[Recollection, Evidence]:
    memory, evidence = hands.session.memory, hands.session.evidence
    assert memory is not None
    assert evidence is not None
    return memory, evidence


def turn(hands: Hands, side: Side, roll: tuple[int, int], *moves: tuple[int, int]) -> None:
    """A turn that nobody ends by a press."""
    hands.throw(*roll, side=side)
    hands.move(*moves, side=side)


@pytest.mark.parametrize("board", [True, False])
def test_turns_that_nobody_pressed_are_recorded_as_they_were_seen(board: bool) -> None:
    hands = at_table(board=board)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    turn(hands, B, (4, 2), (8, 4), (6, 4))
    turn(hands, W, (6, 5), (24, 18), (18, 13))
    hands.throw(2, 1, side=B).wait(2)
    told = [(line.side, str(line.roll), line.infraction) for line in hands.state.match.plays]
    assert told[:2] == [(W, "31", ""), (B, "42", "")]
    assert hands.kinds.count("illegal_noticed") == 0


def test_a_turn_that_may_still_go_on_is_not_told() -> None:
    hands = at_table()
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.wait(3)
    assert recall(*seen(hands)) is None


def test_dice_that_were_taken_up_before_a_play_was_seen_do_not_end_it() -> None:
    hands = at_table(board=False)
    hands.order("freeze", by=DIRECTOR)
    hands.throw(4, 2, side=W)
    hands.throw(2, 1, side=B)
    hands.lift()
    hands.move((8, 4), (6, 4), side=W)
    hands.wait(3)
    assert recall(*seen(hands)) is None


def test_a_turn_is_over_when_other_dice_lie_there() -> None:
    hands = at_table()
    hands.order("freeze", by=DIRECTOR)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.throw(4, 2, side=B)
    found = recall(*seen(hands))
    assert found is not None
    assert [(str(t.play), str(t.roll), t.read) for t in found.turns] == [("8/5 6/5", "31", True)]
    assert not found.revised
    assert recall(*seen(hands)) is found


def test_what_a_turn_left_is_what_was_last_seen_before_dice_were_thrown_over_it() -> None:
    hands = at_table()
    hands.throw(3, 1)
    ended = hands.now
    hands.put(hands.moved((8, 5), (6, 5)), 1.0)
    left = hands.placement
    hands.throw(4, 2, side=B)
    hands.move((8, 4), side=B)
    memory, evidence = seen(hands)
    still = memory.left_at(evidence, ended)
    assert still is not None
    assert (still.logs[range(1, 25), codes_of(left)[1:25]] > -1.0).all()


def test_a_board_that_keeps_denying_a_site_is_not_explained() -> None:
    hands = at_table()
    hands.throw(3, 1)
    after = hands.moved((8, 5), (6, 5))
    hands.put(after.moved(B, 12, 11))
    hands.throw(4, 2, side=B).wait(2)
    assert recall(*seen(hands)) is None


def test_a_turn_out_of_turn_is_told_as_such_once_the_next_bears_it_out() -> None:
    hands = at_table()
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.press(W)
    turn(hands, W, (4, 2), (8, 4), (6, 4))
    turn(hands, B, (6, 5), (24, 18), (18, 13))
    hands.throw(2, 1, side=W).wait(2)
    lines = [(p.side, str(p.roll), p.infraction) for p in hands.state.match.plays]
    assert lines[:2] == [(W, "31", ""), (W, "42", "out_of_turn")]


def test_a_turn_was_over_before_the_first_die_of_the_next_throw_was_seen() -> None:
    hands = at_table()
    hands.order("freeze", by=DIRECTOR)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    lying = hands.dice
    hands.dice = (*lying, die(4, hands.where(B)))
    hands.wait(0.4)
    hands.dice = (*hands.dice, die(2, hands.where(B, 2)))
    hands.wait(3)
    memory, evidence = seen(hands)
    found = recall(memory, evidence)
    assert found is not None
    black = [t.first_at for t in memory.dice if t.first_at > memory.dice[0].first_at + 0.1]
    assert len(black) == 2
    assert found.turns[0].ended < min(black)


def test_a_turn_that_is_no_play_of_its_dice_is_told_as_unresolved() -> None:
    hands = at_table(board=False)
    hands.order("freeze", by=DIRECTOR)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.throw(6, 2, side=B)
    hands.put(hands.moved((13, 7), (8, 7), side=B)).wait(1)
    turn(hands, W, (4, 2), (8, 4), (6, 4))
    turn(hands, B, (5, 4), (13, 8), (13, 9))
    hands.throw(2, 1).wait(2)
    found = recall(*seen(hands))
    assert found is not None
    told = [(t.play.side, str(t.roll), t.unresolved) for t in found.turns]
    assert told[:2] == [(W, "31", False), (B, "62", True)]


def test_a_play_of_none_of_three_dice_that_lay_there_tells_no_roll() -> None:
    """Two of a 5, a 3 and a 5 were thrown: whichever they were, six pips are no play of them."""
    hands = at_table(board=False)
    hands.order("freeze", by=DIRECTOR)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.throw(5, 3, side=B)
    hands.dice = (*hands.dice, die(5, (0.5, 0.05)))
    hands.wait(2)
    hands.put(hands.moved((8, 2), side=B)).wait(1)
    turn(hands, W, (4, 2), (8, 4), (6, 4))
    turn(hands, B, (5, 4), (13, 8), (13, 9))
    hands.throw(2, 1).wait(2)
    found = recall(*seen(hands))
    assert found is not None
    told = [(t.play and t.play.side, str(t.roll), t.unresolved) for t in found.turns]
    assert told[:2] == [(W, "31", False), (B, "None", True)]


def test_a_turn_without_a_move_whose_dice_could_be_played_is_not_told_in_doubt() -> None:
    """White threw a 4-3 that enters, and one of Black's checkers stands elsewhere: that White had
    no play of another roll, and Black then played unseen, is hardly likelier than a misplay.
    """
    rules = ruleset("backgammon")
    black = {20: 2, 23: 2, 7: 1, 19: 2, 24: 8}
    before = Placement.of({BAR: 1, 6: 5, 3: 3, 4: 2, OFF: 4}, black)
    white = Position.of(before, rules, W)
    moved = Position.of(before, rules, B)
    danced = next(p for r, p in rolls_explaining(white, before) if r != Roll.of(4, 3))
    after = before.moved(B, 7, 11)
    made = next(p for _, p in rolls_explaining(moved, after))
    shown = np.full(len(ROLLS), -20.0)
    shown[ROLLS.index(Roll.of(4, 3))] = 0.0
    throws = (
        Throw(0, 1.0, 3.0, shown, 0.98, side=W),
        Throw(0, 10.0, 12.0, np.roll(shown, 3), 0.98, side=B),
    )
    still = Still(-1, 8.0, 12.0, np.zeros((26, 256), np.float32), np.ones(26, np.bool_))
    turns = (
        Turn(white, Roll.of(6, 6), danced.view, 0, 0, 3.0, 1, 0.0),
        Turn(moved, Roll.of(3, 1), made.view, None, 0, 8.0, 1, 0.0),
    )
    read = tuple(ReadTurn(t, 1.2, 0.57, 3.5, 0.774, 0.776, 3.5) for t in turns)
    asked = Asked((Anchor(0.0, white),), (), (), (), b"", (still,), throws)
    assert news(asked, read) is None


def test_a_dance_that_a_point_denies_until_the_next_turn_was_played_is_not_told_as_sure() -> None:
    """Black has taken one off its ace point with a checker on the bar, and one of its dice was
    pushed: that its 4-2 had no play, and the point reads one too few, is but eight times as likely.
    """
    rules = ruleset("backgammon")
    white = {2: 2, 3: 1, 4: 2, 6: 5, 10: 2, 13: 2, 21: 1}
    before = Placement.of(white, {BAR: 1, 1: 2, 12: 2, 15: 2, 17: 2, 18: 1, 19: 3, 24: 2})
    black = Position.of(before, rules, B)
    danced = next(p for r, p in rolls_explaining(black, before) if r == Roll.of(4, 2))
    next_up = Position.of(before, rules, W)
    made = next(p for _, p in rolls_explaining(next_up, before.moved(W, 10, 3)))
    shown = np.full(len(ROLLS), -20.0)
    shown[ROLLS.index(Roll.of(5, 2))], shown[ROLLS.index(Roll.of(4, 2))] = 0.0, -0.5
    throws = (
        Throw(0, 1.0, 10.0, shown, 0.98, side=B),
        Throw(0, 11.0, 20.0, np.roll(shown, 3), 0.98, side=W),
    )
    logs = np.full((26, 256), -20.0, np.float32)
    stands = codes_of(made.placement.moved(B, 24, OFF))
    logs[np.arange(26), stands] = 0.0
    still = Still(-1, 18.0, 20.0, logs, np.arange(26) > OFF)
    turns = (
        Turn(black, Roll.of(4, 2), danced.view, 0, 0, 11.0, 1, 0.1),
        Turn(next_up, Roll.of(6, 1), made.view, 1, 0, 18.0, 1, 0.0),
    )
    read = (
        ReadTurn(turns[0], 2.1, 0.80, 7.9, 0.873, 0.888, 7.9),
        ReadTurn(turns[1], 2.1, 0.87, 7.9, 0.888, 0.888, 0.1),
    )
    asked = Asked((Anchor(0.0, black),), (), (), (), b"", (still,), throws)
    assert news(asked, read) is None


@pytest.mark.parametrize("guessed", [True, False])
def test_what_is_likely_by_far_stands_in_place_of_a_line_that_is_a_guess_itself(
    guessed: bool,
) -> None:
    """Black's checker lay beside its point, nobody answered, and a play of a roll that nobody threw
    was entered; White played on, the checker was put straight, and people were asked once more.
    """
    rules = ruleset("backgammon")
    white = {1: 4, 2: 6, 4: 2, 11: 1, 14: 2}
    black = Position.of(Placement.of(white, {OFF: 1, 19: 1, 21: 2, 22: 2, 23: 7, 24: 2}), rules, B)
    left, entered = (black.placement.moved(B, 19, site) for site in (24, OFF))
    left = left.moved(B, 23, OFF)
    up = Position.of(left, rules, W)
    after = left.moved(W, 11, 1)
    first = next(p for r, p in rolls_explaining(black, left) if r == Roll.of(5, 2))
    second = next(p for r, p in rolls_explaining(up, after) if r == Roll.of(6, 4))
    shown = np.full((3, len(ROLLS)), -20.0)
    for rows, roll in zip(shown, ("52", "64", "51"), strict=True):
        rows[ROLLS.index(Roll.of(int(roll[0]), int(roll[1])))] = 0.0
    throws = (
        Throw(0, 6.4, 17.0, shown[0], 0.98, side=B),
        Throw(0, 17.6, 31.0, shown[1], 0.98, side=W),
        Throw(0, 31.7, 33.3, shown[2], 0.98, side=B),
    )
    logs = np.full((26, 256), -20.0, np.float32)
    logs[np.arange(26), codes_of(after)] = 0.0
    still = Still(-1, 27.4, 33.3, logs, np.ones(26, np.bool_))
    read = (
        ReadTurn(
            Turn(black, Roll.of(5, 2), first.view, 0, 0, 12.6, 1, 0.0),
            3.0,
            0.95,
            6.6,
            0.944,
            0.9526,
            6.6,
        ),
        ReadTurn(
            Turn(up, Roll.of(6, 4), second.view, 1, 0, 27.4, 1, 0.0),
            3.0,
            0.95,
            0.1,
            0.952,
            0.9526,
            0.1,
        ),
    )
    record = Position.of(entered, rules, W)
    anchors = (Anchor(0.0, black), Anchor(17.6, record, guessed))
    found = news(Asked(anchors, (), (), (), b"", (still,), throws), read)
    assert (None if found is None else (found.revised, len(found.turns))) == (
        (1, 2) if guessed else None
    )


def test_whoever_pressed_for_what_stood_there_has_not_let_the_other_play_out_of_turn() -> None:
    """White moves one of Black's checkers with its opening roll and presses for that; then Black
    plays a roll of its own from there.
    """
    rules = ruleset("backgammon")
    start = Position.start(rules, W)
    out = Position.start(rules, B)
    left = out.placement.moved(B, 17, 21)
    moved = next(p for r, p in rolls_explaining(out, left) if r == Roll.of(3, 1))
    black = Position.of(left, rules, B)
    after = left.moved(B, 17, 21).moved(B, 17, 21).moved(B, 19, 23).moved(B, 19, 23)
    made = next(p for _, p in rolls_explaining(black, after))
    first, second = (np.full(len(ROLLS), -20.0) for _ in range(2))
    first[ROLLS.index(Roll.of(4, 1))] = second[ROLLS.index(Roll.of(4, 4))] = 0.0
    throws = (Throw(0, 1.0, 10.0, first, 0.98), Throw(0, 15.0, 30.0, second, 0.98))
    logs = np.full((26, 256), -20.0, np.float32)
    logs[np.arange(26), codes_of(after)] = 0.0
    still = Still(-1, 28.0, 30.0, logs, np.ones(26, np.bool_))
    turns = (
        Turn(out, Roll.of(3, 1), moved.view, 0, 0, 9.0, 1, 0.0),
        Turn(black, Roll.of(4, 4), made.view, 1, 0, 28.0, 1, 0.0),
    )
    read = (
        ReadTurn(turns[0], 9.0, 0.375, 11.3, 0.911, 1.0, 11.3),
        ReadTurn(turns[1], 9.0, 0.911, 11.3, 1.0, 1.0, 0.1),
    )
    asked = Asked((Anchor(0.0, start),), (), (), (), b"", (still,), throws)
    told = news(asked, read)
    assert told is not None
    assert told.turns[0].out_of_turn
    assert news(replace(asked, presses=((W, 12.0),)), read) is None


def test_a_board_that_is_being_cleared_is_no_riddle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three checkers of a side gone and four elsewhere may be put back in 1,225 ways."""
    position = Position.start(ruleset("backgammon"), Side.WHITE)
    cleared = position.placement
    for side, to, sites in (
        (Side.WHITE, 14, (24, 13, 8, 6, 13, 8, 6)),
        (Side.BLACK, 11, (1, 12, 17, 19, 12, 17, 19)),
    ):
        for n, site in enumerate(sites):
            cleared = cleared.moved(side, site, OFF if n < 3 else to)
    asked: list[Placement] = []
    monkeypatch.setattr(fallen, "is_explained", lambda _, each: asked.append(each))
    nowhere = np.zeros(26, np.bool_)
    assert fallen.put_back(position, cleared, None, nowhere, None) is None
    assert len(asked) <= fallen.MOST_WAYS


@pytest.mark.parametrize(
    ("roll", "gone"), [(None, False), (Roll.of(6, 2), False), (Roll.of(6, 5), True)]
)
def test_a_checker_that_may_lie_between_two_points_was_not_taken_off_early(
    roll: Roll | None, gone: bool
) -> None:
    """White enters with its 6 and lays another checker where it reads on neither point."""
    position = Position.start(ruleset("backgammon"), Side.WHITE)
    began = position.placement.moved(W, 13, BAR).moved(B, 19, 8)
    began = began.moved(B, 19, 17).moved(B, 19, 17).moved(B, 19, 17).moved(B, 19, 17)
    position = Position.of(began.moved(B, 8, 17), position.ruleset, W)
    stands = position.placement.moved(W, BAR, 19).moved(W, 6, OFF)
    lay = np.ones(26, np.bool_)
    found = fallen.put_back(position, stands, lay, np.zeros(26, np.bool_), roll)
    assert (found == stands) is gone


@pytest.mark.parametrize(("board", "misread"), [(True, False), (False, True)])
def test_a_checker_that_all_miss_on_a_low_pile_is_no_misread(board: bool, misread: bool) -> None:
    """It fell, or was taken off: one source alone may be wrong of it for good."""
    hands = at_table(board=board)
    turn(hands, W, (3, 1), (8, 5), (6, 5))
    hands.press(W)
    hands.put(hands.placement.moved(B, 17, OFF)).wait(1)
    turn(hands, B, (4, 2), (13, 9), (13, 11))
    hands.press(B)
    evidence = hands.session.evidence
    assert evidence is not None
    assert hands.state.match.plays[-1].placement.black[17] == 3
    assert [bool(w.bias[17] > 0) for w in evidence.witnesses] == [misread] * (1 + board)


@pytest.mark.parametrize("board", [True, False])
def test_a_play_that_stood_when_other_dice_came_was_made_with_the_roll_that_was_read(
    board: bool,
) -> None:
    """Nobody pressed, and the wrong side throws once more: its dice allow that play as well."""
    hands = at_table(board=board)
    stand(hands, {2: 5, 1: 3}, {1: 3}, B)
    hands.wait(2)
    hands.throw(5, 3, side=B).wait(1)
    hands.move((1, 0), (1, 0), side=B).wait(2)
    hands.dice = (die(5, hands.where(B, 4)), die(1, hands.where(B, 6)))
    hands.wait(0.6)
    _, evidence = seen(hands)
    asked = expectation(hands.session, evidence)
    assert asked is not None
    found = decide(evidence, asked, hands.now)
    assert isinstance(found, Agreed)
    assert (found.roll, found.dice) == (Roll(5, 3), DiceOrigin.READ)


def test_a_side_that_has_moved_nothing_throws_for_its_own_turn() -> None:
    """White is on the bar, may have no play, and throws once more since a die leaned: no turn of
    its own, thrown unseen, was over before that.
    """
    rules = ruleset("backgammon")
    before = Placement.of({BAR: 1, 20: 3, 13: 2, 4: 2, 3: 2, 2: 4, OFF: 1}, {18: 3, 19: 2, 24: 10})
    white = Position.of(before, rules, W)
    danced = next(p for _, p in rolls_explaining(white, before))
    shown = np.zeros(len(ROLLS))
    still = Still(-1, 8.0, 12.0, np.zeros((26, 256), np.float32), np.ones(26, np.bool_))
    unseen = Turn(white, Roll.of(6, 6), danced.view, None, 0, 3.0, 1, 0.9)
    read = (ReadTurn(unseen, 9.0, 0.1, 2.0, 0.999, 1.0, 2.0),)
    for side, told in ((W, 0), (B, 1)):
        throws = (Throw(0, 5.0, 7.0, shown, 0.98, side=side),)
        found = news(Asked((Anchor(0.0, white),), (), (), (), b"", (still,), throws), read)
        assert len(found.turns if found else ()) == told
