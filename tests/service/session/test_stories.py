"""Hard stories that players know, each as a whole session: two sensors, a referee, a journal that
replays to the same state.
"""

from __future__ import annotations

import pytest

from rules.board import Placement, Side
from rules.observation import CubeOwner
from rules.position import Position
from service.journal.entries import Standing
from service.referee.state import Phase
from service.show.scene import lights
from tests.service.hands import ANNOTATOR, DIRECTOR, THREE, Hands, begun, player, stand

W, B = Side.WHITE, Side.BLACK


def test_the_hit_checker_that_stayed_on_the_point(table: Hands) -> None:
    """The hitter is set down beside the blot, which nobody put on the bar: the play is clear, and
    the board asks for the checker.
    """
    begun(table)
    stand(table, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 1, 20: 1, 13: 5, 8: 3, 6: 5})
    table.throw(3, 1)
    both = table.moved((8, 5), (6, 5), hits=False)
    table.put(both).press(seconds=4)
    played = table.last("played")
    assert played.notation == "8/5* 6/5"
    assert played.placement.black[25] == 1, "the record has it on the bar"
    assert table.bodies("noted")[-1].matter == "hit_checker"
    assert "illegal_noticed" not in table.kinds
    assert any(site == 5 for site, _ in lights(table.state).lights)


def test_five_three_played_as_three_five_around_a_blocked_point(table: Hands) -> None:
    """Eight points with one checker: the five first would land on a made point, the three first
    does not. Nobody is accused.
    """
    begun(table)
    stand(table, {13: 6, 6: 6, 24: 3}, {17: 2, 13: 5, 8: 3, 6: 3, 23: 2})
    table.throw(5, 3)
    table.move((13, 5)).press()
    assert table.last("played").notation == "13/5"
    assert not table.bodies("illegal_noticed")


def test_five_three_through_two_blocked_points(table: Hands) -> None:
    """All ways round are blocked: noticed at the press, told, put right, and the corrected play
    stands.
    """
    begun(table)
    stand(table, {13: 6, 6: 5, 5: 2, 24: 2}, {18: 2, 17: 2, 16: 2, 15: 2, 14: 2, 6: 5})
    before = table.placement
    table.throw(5, 3)
    table.move((13, 5)).press(seconds=4).expect(Phase.ILLEGAL)
    noticed = table.last("illegal_noticed")
    assert (
        noticed.code == "blocked_point"
        and noticed.facts == {"point": 8}
        and noticed.told == "board"
    )
    assert {13, 5} <= {
        site for site, light in lights(table.state).lights if light.colour.name == "VERMILION"
    }
    table.placement = before
    table.put(table.moved((6, 1), (5, 2), side=W)).wait(2).expect(Phase.TO_ROLL)
    assert table.kinds[-2:] == ["illegal_corrected", "played"]
    assert table.state.game.on_roll is B and tuple(table.state.match.illegal) == (1, 0)


def test_bore_off_with_one_on_the_bar(table: Hands) -> None:
    begun(table)
    stand(table, {25: 1, 3: 4, 2: 4}, {5: 2, 4: 2, 3: 2, 18: 3, 17: 2, 16: 1})
    table.throw(6, 3)
    table.move((3, 0)).press(seconds=4).expect(Phase.ILLEGAL)
    assert table.last("illegal_noticed").code == "bar_first"


def test_narde_a_prime_with_nobody_in_front(table: Hands) -> None:
    """Six in a row with no opposing checker beyond them: refused, and nobody is accused of the five
    that stood there before.
    """
    begun(table, ruleset="narde", length=None)
    # White holds 18-14 and fills 13's neighbour 19: six points from 19 to 14; Black has nobody past
    # them.
    stand(table, {24: 5, 18: 1, 17: 1, 16: 1, 15: 1, 14: 1, 23: 5}, {24: 10, 23: 5})
    table.throw(4, 6)
    table.move((23, 19), (24, 18)).press(seconds=4).expect(Phase.ILLEGAL)
    assert table.last("illegal_noticed").code == "prime"


def test_it_stands_once_the_opponent_rolled(table: Hands) -> None:
    """Noticed, not corrected, and the opponent rolled: it is part of the record, and play goes on
    from what stands there.
    """
    begun(table)
    table.throw(2, 1)
    table.move(*THREE).press(seconds=4).expect(Phase.ILLEGAL)
    wrong = table.placement
    table.throw(4, 2, side=B)
    table.wait(1.0).expect(Phase.MOVING)
    stood = table.last("illegal_stood")
    assert stood.standing is Standing.NEXT_ROLL
    line_ = table.state.match.plays[-1]
    assert (line_.placement, line_.standing, line_.side) == (
        wrong,
        Standing.NEXT_ROLL,
        W,
    ) and line_.infraction
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(4, 2))
    table.move((8, 4), (6, 4)).press().expect(Phase.TO_ROLL)
    assert table.state.match.plays[-1].text == "8/4 6/4"


def test_a_double_makes_it_stand_too(table: Hands) -> None:
    begun(table)
    table.throw(2, 1)
    table.move(*THREE).press(seconds=4).expect(Phase.ILLEGAL)
    table.order("offer", by=player(B))
    table.wait(0.2).expect(Phase.DOUBLED)
    assert table.kinds[-3:] == ["illegal_stood", "played", "cube_offered"]
    assert table.state.match.plays[-1].standing is Standing.NEXT_ROLL


def test_closed_out_needs_no_roll_but_a_press(table: Hands) -> None:
    begun(table, clock="ours")
    stand(table, {25: 1, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 1})
    assert table.last("neshast").closed_out
    table.press(W).expect(Phase.TO_ROLL)
    assert (table.last("played").notation, table.last("played").side) == ("no play", W)
    assert table.state.game.on_roll is B


def test_neshast_is_said_when_no_die_can_be_played(table: Hands) -> None:
    begun(table, ruleset="nard", length=None)
    stand(table, {25: 1, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 8: 1})
    table.throw(5, 6)
    assert table.kinds[-2:] == ["rolled", "neshast"]
    table.press().expect(Phase.TO_ROLL)
    assert table.last("played").notation == "no play"


def test_the_higher_die_had_to_be_played(table: Hands) -> None:
    """Either die alone can be played, not both: the four was, the six had to be."""
    begun(table)
    stand(table, {13: 1, 1: 2, 2: 2}, {22: 2, 13: 2, 14: 2, 15: 2, 6: 2})
    table.throw(6, 4)
    table.move((13, 9)).press(seconds=5).expect(Phase.ILLEGAL)
    assert table.last("illegal_noticed").code == "higher_die"


def test_the_last_checker_ends_the_match_pressed_or_not(table: Hands) -> None:
    begun(table, length=1)
    stand(table, {2: 1}, {1: 2, 6: 1})
    table.throw(6, 1)
    table.move((2, 0)).wait(3.0).expect(Phase.MATCH_OVER)
    ended = table.last("game_ended")
    assert (ended.winner, ended.points, ended.reason) == (W, 1, "borne_off")
    assert table.last("match_ended").winner is W


def test_the_cube_across_the_bar(table: Hands) -> None:
    """The cube is turned to 2 and pushed over, then taken to the other side: offer and take, read
    from the picture.
    """
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    assert "cube_offered" not in table.kinds
    table.show_cube(2, CubeOwner.CENTRE).expect(Phase.DOUBLED)
    table.show_cube(2, CubeOwner.BLACK).expect(Phase.TO_ROLL)
    assert (table.state.game.cube, table.state.game.cube_owner) == (2, B)
    assert [b.kind for _, _, b in table.said if b.kind.startswith("cube")] == [
        "cube_offered",
        "cube_taken",
    ]
    assert table.last("cube_taken").source == "camera"


def test_dropped(table: Hands) -> None:
    begun(table)
    table.order("offer", by=player(W))
    table.order("drop", by=player(B))
    ended = table.last("game_ended")
    assert (ended.winner, ended.points, ended.reason) == (W, 1, "dropped")
    table.expect(Phase.GAME_OVER)


def test_only_the_arbiter_is_told(table: Hands) -> None:
    """Under `monitor = arbiter` the board shows what a board that is still looking shows; the alert
    goes to the arbiter.
    """
    begun(table, event={"play": {"monitor": "arbiter"}})
    table.throw(2, 1)
    before = lights(table.state)
    table.move(*THREE).press(seconds=4).expect(Phase.ILLEGAL)
    assert lights(table.state) == before
    assert [a.told for a in table.state.alerts] == ["arbiter"]
    assert not any(getattr(c, "what", "") == "error" for c in table.commands)


def test_given_back_by_the_opponent(table: Hands) -> None:
    """The opponent sees the illegal play first and presses back: the clock runs for the offender
    again, who puts it right and presses.
    """
    begun(table, clock="ours")
    table.order("start_clocks", side="white")
    start = table.placement
    table.throw(2, 1)
    table.move(*THREE).press(seconds=4).expect(Phase.ILLEGAL)
    table.press(B).expect(Phase.MOVING)
    assert table.state.match.clock is not None and table.state.match.clock.running is W
    table.placement = start
    table.put(table.moved((24, 21), side=W)).press(W).expect(Phase.TO_ROLL)
    assert table.kinds[-2:] == ["illegal_corrected", "played"]
    assert table.state.match.clock is not None and table.state.match.clock.running is B


def test_let_stand_really_counts(table: Hands) -> None:
    """The opponent accepts an illegal play by order: it is in the record, and it is the opponent's
    turn from there.
    """
    begun(table)
    table.throw(2, 1)
    table.move(*THREE).press(seconds=4)
    table.order("let_stand", by=player(B))
    table.wait(1.0).expect(Phase.TO_ROLL)
    assert (table.state.game.on_roll, table.state.game.placement) == (B, table.placement)
    assert table.state.match.plays[-1].standing is Standing.ACCEPTED


def test_two_turns_played_with_the_power_off(table: Hands) -> None:
    """The table saw nothing of two turns: one pair of plays explains what stands there, and it is
    taken for what was played: the second, after which nobody pressed, once the next is thrown.
    """
    begun(table)
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press().expect(Phase.TO_ROLL)
    after = table.moved((24, 18), (13, 11), side=B)
    table.placement = after
    table.placement = table.moved((13, 7), (8, 7), side=W)
    table.dice = ()
    table.now += 60
    table.wait(8.0).throw(5, 2, side=B).wait(2.0).expect(Phase.MOVING)
    assert table.state.game.placement == table.placement
    assert table.kinds.count("played") == 3
    assert "alert_raised" not in table.kinds


def test_knocked_over_and_put_back(table: Hands) -> None:
    """A sleeve sweeps three checkers before the roll: the board points at them, nobody is accused,
    and it goes on once they stand again.
    """
    begun(table)
    good = table.placement
    table.put(
        Placement.of({24: 1, 23: 1, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 2, 16: 1, 19: 5}), 12.0
    ).expect(Phase.DIFFERS)
    assert {24, 23} <= {site for site, _ in lights(table.state).lights}
    table.put(good, 3.0).expect(Phase.TO_ROLL)
    assert table.last("recovered").how == "restored"
    assert "illegal_noticed" not in table.kinds


def test_a_board_that_differs_is_explained_by_a_person(table: Hands) -> None:
    """Nobody puts the swept checkers back: a person says that this is what stands, and play goes
    on from there.
    """
    begun(table)
    swept = Placement.of({24: 1, 23: 1, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 2, 16: 1, 19: 5})
    table.put(swept, 12.0).expect(Phase.DIFFERS)
    assert table.state.turn.difference is not None and table.state.turn.difference.options
    table.order("choose_explanation", by=ANNOTATOR, index=0)
    table.wait(1.0).expect(Phase.TO_ROLL)
    assert table.last("recovered").how == "chosen"
    assert table.state.game.placement == swept


def test_a_dispute(table: Hands) -> None:
    """Frozen: nothing is judged, both clocks stand, the director rules, and the appeal window
    closes by itself.
    """
    begun(table, clock="ours")
    table.order("start_clocks", side="white")
    table.throw(6, 5)
    table.order("call_director", by=player(B), reason="he moved my checker")
    table.order("freeze", by=DIRECTOR)
    left = table.state.match.clock
    table.move((24, 14)).press(W).wait(5.0).expect(Phase.FROZEN)
    assert table.state.match.clock == left
    table.order("rule", by=DIRECTOR, text="Play on; the checker goes back.")
    table.order("unfreeze", by=DIRECTOR)
    table.expect(Phase.MOVING)
    assert table.state.match.clock is not None and table.state.match.clock.since is not None
    assert len(table.state.match.rulings) == 1
    table.order("stop_clocks")
    table.now += 301
    table.wait(0.2)
    assert table.last("appeal_closed").decision == "window passed"


def test_adjourned_overnight(table: Hands) -> None:
    begun(table, clock="ours")
    table.order("start_clocks", side="white")
    table.throw(6, 5)
    before = table.state
    table.order("adjourn", reason="the hall closes")
    table.now += 30_000
    table.wait(0.5)
    table.order("resume")
    assert table.state.phase is before.phase and table.state.turn.roll == before.turn.roll
    assert table.state.match.clock is not None
    left = table.state.match.clock.left(W, table.now)
    assert left == pytest.approx(840, abs=1.0)
    table.move((24, 13)).press().expect(Phase.TO_ROLL)


def test_a_new_match_after_the_last_and_the_winner_starts_the_next_game_of_narde(
    table: Hands,
) -> None:
    begun(table, ruleset="narde", length=2)
    stand(table, {1: 1}, {1: 2, 6: 1}, on_roll=W)
    table.throw(6, 5)
    table.move((1, 0)).wait(3.0).expect(Phase.GAME_OVER)
    assert table.last("game_ended").points == 1
    table.dice = ()
    assert table.state.match.ruleset is not None
    table.put(Position.start(table.state.match.ruleset, W).placement, 2.0).expect(Phase.TO_ROLL)
    assert table.last("game_started").starter is W
    table.order("end_match", winner="white", reason="the hall closes")
    table.order("set_match", ruleset="nard", length=3)
    table.expect(Phase.SETTING_UP)
