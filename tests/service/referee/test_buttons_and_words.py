"""The board's own buttons and what players may say: each means what the moment makes of it, what
may not be said is told to both sides neutrally, and nobody speaks for the other.
"""

from __future__ import annotations

import pytest

from firmware_bridge.clock_panel import Button, ButtonEdge
from rules.board import Seating, Side
from rules.dice import Roll
from rules.observation import CubeOwner
from service.journal.entries import DiceOrigin, PlayEntered, Role, TurnPressed, Who
from service.journal.saying import alert_words
from service.referee.inputs import Order
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.session.boards import meaning
from service.show.compose import table_document
from service.show.prompt import waits_for
from tests.service.hands import CONSOLE, Hands, begun, check, die, player

W, B = Side.WHITE, Side.BLACK
TABLET = Who("tablet", Role.PLAYER)


def tap(hands: Hands, button: Button) -> Hands:
    """A button of the board goes down, as it comes off any panel."""
    meant = meaning(ButtonEdge(button, True, hands.now, 1), Seating())
    assert isinstance(meant, Order)
    hands.give(meant)
    return hands


def prompted(hands: Hands) -> tuple[str, str | None]:
    found = waits_for(hands.state)
    return found["code"], found["side"]


# Resigning.


@pytest.mark.parametrize(
    ("ruleset", "options", "levels"),
    [
        ("backgammon", {}, [1, 2, 3, 1]),
        ("nard", {}, [1, 2, 3, 1]),
        ("nard", {"stakes": "flat"}, [1, 1]),
        ("nard-himly", {}, [1, 2, 1]),
        ("nard-bozorgmehr", {}, [1, 1]),
        ("narde", {}, [1, 2, 1]),
    ],
)
def test_resign_offers_each_level_that_there_is(
    ruleset: str, options: dict[str, str], levels: list[int]
) -> None:
    hands = begun(Hands(), first=B, ruleset=ruleset, options=options, length=None)
    for level in levels:
        tap(hands, Button.RESIGN)
        assert hands.state.turn.resigning == (hands.state.game.on_roll, level)
    assert prompted(hands)[0] == "answer_resignation"
    tap(hands, Button.TAKE)
    assert hands.state.phase is Phase.GAME_OVER and hands.last("resigned").answer == "accepted"
    check(hands)


RESIGNED_AS = [
    ("backgammon", 2, "gammon"),
    ("backgammon", 3, "backgammon"),
    ("nard", 1, ""),
    ("nard", 2, "mars"),
    ("nard", 3, "super_mars"),
    ("nard-himly", 2, "left_in_home"),
    ("narde", 2, "mars"),
]


@pytest.mark.parametrize(("ruleset", "level", "word"), RESIGNED_AS)
def test_a_resignation_is_called_what_it_costs(ruleset: str, level: int, word: str) -> None:
    hands = begun(Hands(), ruleset=ruleset)
    hands.order("resign", side="white", level=level)
    hands.order("accept_resignation", by=player(B))
    (game,) = table_document(hands.state, hands.now)["games"]
    assert (game["points"], game["reason"], game["result"]) == (level, "resigned", word)
    check(hands)


def test_a_resignation_is_refused_with_drop_and_the_game_goes_on() -> None:
    hands = begun(Hands())
    tap(hands, Button.RESIGN)
    tap(hands, Button.DROP)
    assert hands.state.turn.resigning is None and hands.state.phase is Phase.TO_ROLL


def test_a_turn_that_is_told_late_answers_no_resignation() -> None:
    """White has played, and Black resigns before the table has White's play."""
    hands = begun(Hands())
    hands.throw(3, 1)
    hands.order("resign", side="black", level=1)
    stands = hands.moved((8, 5), (6, 5))
    hands.table_says(TurnPressed(W, hands.now, "seen_later"))
    hands.table_says(PlayEntered(W, Roll.of(3, 1), DiceOrigin.READ, "8/5 6/5", stands))
    hands.order("accept_resignation", by=player(W))
    assert hands.state.phase is Phase.GAME_OVER
    assert hands.last("game_ended").winner is W


# The cube.


def test_offer_take_drop_and_beaver_from_the_board() -> None:
    for answer, phase, cube in (
        (Button.TAKE, Phase.TO_ROLL, 2),
        (Button.OFFER, Phase.DOUBLED, 4),
        (Button.DROP, Phase.GAME_OVER, 1),
    ):
        hands = begun(Hands(), length=None)
        tap(hands, Button.OFFER)
        assert prompted(hands) == ("answer_double", "black")
        tap(hands, answer)
        assert (hands.state.phase, hands.state.game.cube) == (phase, cube)
        if answer is Button.OFFER:
            tap(hands, Button.TAKE)
            assert hands.state.phase is Phase.TO_ROLL and hands.state.game.cube_owner is B
        check(hands)


def test_a_beaver_that_was_not_agreed_is_only_noted() -> None:
    hands = begun(Hands(), length=7)
    tap(hands, Button.OFFER)
    tap(hands, Button.OFFER)
    assert hands.state.phase is Phase.DOUBLED and hands.state.game.cube == 1


def test_buttons_that_mean_nothing_are_noted() -> None:
    hands = begun(Hands())
    for button in (Button.TAKE, Button.DROP):
        tap(hands, button)
        assert hands.last("noted").matter == "press_ignored"
    hands.order("freeze", by=CONSOLE)
    tap(hands, Button.RESIGN)
    tap(hands, Button.OFFER)
    assert hands.state.phase is Phase.FROZEN and "resigned" not in hands.kinds


def test_the_directors_button_calls_in_any_phase() -> None:
    hands = begun(Hands())
    tap(hands, Button.OFFER)
    tap(hands, Button.DIRECTOR)
    assert hands.kinds.count("director_called") == 1


REFUSED = [
    # match, what comes before, reason
    ({"length": 1}, "", "no_cube"),
    ({"length": 3, "ruleset": "nard"}, "", "no_cube"),
    ({"length": 5, "score": [4, 2]}, "crawford", "crawford"),
    ({"length": 7}, "owned", "owner"),
    ({"length": 7, "event": {"match": {"cube_limit": 2}}}, "limit", "limit"),
    ({"length": 7}, "rolled", "rolled"),
]


@pytest.mark.parametrize(("match", "before", "why"), REFUSED, ids=[r[2] for r in REFUSED])
def test_a_cube_that_may_not_be_turned_is_told_neutrally_once(
    match: dict[str, object], before: str, why: str
) -> None:
    if before == "crawford":
        hands = Hands()
        hands.order("set_match", clock="none", **match)
        hands.order("start_game", starter="white")
    else:
        hands = begun(Hands(), **match)
    if before in ("owned", "limit"):
        hands.order("offer", side="white")
        hands.order("take")
    if before == "limit":
        placed = {"white": list(hands.placement.white), "black": list(hands.placement.black)}
        hands.order("set_position", placement=placed, on_roll="black")
    if before == "rolled":
        hands.throw(3, 1)
    cube = hands.state.game.cube
    for _ in range(2):
        tap(hands, Button.OFFER)
    assert hands.state.game.cube == cube and hands.state.phase is not Phase.DOUBLED
    (alert,) = hands.state.alerts
    assert (alert.matter, alert.code, alert.side, alert.told) == (
        "cube_out_of_turn",
        why,
        None,
        "board",
    )
    said = alert_words(alert.matter, alert.code, alert.facts)
    assert set(said) == {"en", "fa"} and said["en"] != said["fa"]
    assert (hands.last("noted").side, hands.last("noted").text) == (hands.state.game.on_roll, why)
    check(hands)


def test_a_cube_turned_in_the_crawford_game_before_the_camera() -> None:
    hands = Hands()
    hands.set_up(length=5, score=[4, 2])
    hands.show_cube(64, CubeOwner.CENTRE)
    hands.throw_opening(6, 2)
    hands.play_any().lift()
    hands.show_cube(2, CubeOwner.CENTRE, seconds=3)
    assert [(a.matter, a.code) for a in hands.state.alerts] == [("cube_out_of_turn", "crawford")]


# Who says a roll.


def test_a_roll_is_said_by_its_side_or_by_both() -> None:
    hands = begun(Hands())
    hands.order("declare_roll", roll=[6, 5], by=player(B))
    assert hands.state.phase is Phase.TO_ROLL
    (alert,) = hands.state.alerts
    assert (alert.matter, alert.side, alert.facts) == ("roll_said", B, {"roll": "65"})
    assert "65" in alert_words(alert.matter, alert.code, alert.facts)["en"]
    hands.order("declare_roll", roll=[6, 5], by=player(B))
    assert hands.state.phase is Phase.TO_ROLL and len(hands.state.alerts) == 1
    hands.order("declare_roll", roll=[3, 1], by=player(W))
    assert hands.state.turn.roll == Roll(3, 1), "White's own word"
    assert not hands.state.alerts
    check(hands)


@pytest.mark.parametrize("by", [TABLET, CONSOLE])
def test_whoever_speaks_for_both_says_any_roll(by: Who) -> None:
    hands = begun(Hands())
    hands.order("declare_roll", roll=[6, 5], by=by)
    assert hands.state.turn.roll == Roll(6, 5)


def test_the_opening_throw_is_said_by_both() -> None:
    hands = Hands()
    hands.set_up()
    hands.order("declare_roll", white=4, black=2, by=player(W))
    hands.order("declare_roll", white=4, black=3, by=player(B))
    assert hands.state.phase is Phase.OPENING and len(hands.state.alerts) == 2
    with pytest.raises(OrderError, match="throws 1 die"):
        hands.order("declare_roll", white=[4, 1], black=3, by=player(B))
    hands.order("declare_roll", white=4, black=2, by=player(B))
    assert (hands.state.phase, hands.state.turn.roll) == (Phase.MOVING, Roll(4, 2))
    assert not hands.state.alerts


def test_a_cube_turned_after_the_roll_is_told_by_what_the_camera_sees() -> None:
    hands = begun(Hands(), length=7)
    hands.show_cube(64, CubeOwner.CENTRE)
    hands.throw(3, 1)
    hands.show_cube(2, CubeOwner.BLACK)
    (alert,) = hands.state.alerts
    assert (alert.matter, alert.code, alert.side) == ("cube_out_of_turn", "rolled", None)
    assert hands.state.phase is Phase.MOVING and hands.state.game.cube == 1
    check(hands)


def test_a_cube_that_the_opponent_turns_while_he_waits_is_no_fault_of_anybody() -> None:
    hands = begun(Hands(), length=7)
    hands.show_cube(64, CubeOwner.CENTRE)
    hands.throw(3, 1)
    hands.show_cube(2, CubeOwner.WHITE)
    assert not hands.state.alerts


# Rolls that come too early.


def used(policy: str = "opponent_chooses") -> Hands:
    """White is on roll, and both press their clocks."""
    event = {"dice": {"premature_roll": policy}}
    hands = begun(Hands(), first=B, clock="ours", length=5, event=event)
    hands.order("start_clocks", side="black")
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press()
    assert hands.state.game.on_roll is W and hands.state.match.clock_used
    return hands


def early(hands: Hands, a: int, b: int, seconds: float = 2.0) -> None:
    """Black's own pair is thrown beside White's."""
    hands.dice += (die(a, hands.where(B)), die(b, hands.where(B, 2)))
    hands.wait(seconds)


@pytest.mark.parametrize("moved", [(), ((13, 10),)])
def test_an_early_roll_is_announced_before_the_play_is_made(
    moved: tuple[tuple[int, int], ...],
) -> None:
    hands = used()
    hands.throw(3, 1)
    if moved:
        hands.move(*moved)
    early(hands, 6, 4)
    called = hands.last("dice_called")
    assert (called.problem, called.side, called.roll) == ("premature", B, Roll(6, 4))
    assert hands.state.phase is Phase.MOVING and "illegal_noticed" not in hands.kinds
    done = ((10, 9),) if moved else ((8, 5), (6, 5))
    hands.put(hands.moved(*done, side=W)).press()
    assert hands.state.game.on_roll is B and prompted(hands) == ("premature_choice", "white")
    with pytest.raises(OrderError, match="own word"):
        hands.order("premature_stands", by=player(B))
    tap(hands, Button.TAKE)
    assert hands.state.turn.roll == Roll(6, 4) and hands.state.game.on_roll is B
    check(hands)


def test_the_choice_is_the_interrupted_sides_though_its_roll_was_not_read() -> None:
    """White's dice were never read; Black throws beside its whole play: White is asked, after the
    turn, and only White may pause the clock.
    """
    hands = used("clock_pause")
    hands.dice = ()
    hands.wait(1)
    hands.move((8, 5), (6, 5))
    hands.wait(1)
    assert hands.state.phase is Phase.TO_ROLL
    hands.dice = (die(6, hands.where(B)), die(4, hands.where(B, 2)))
    hands.wait(3)
    called = hands.last("dice_called")
    assert (called.problem, called.side) == ("premature", B)
    assert prompted(hands)[0] != "premature_choice", "White's turn is not over yet"
    with pytest.raises(OrderError):
        hands.order("stop_clocks", by=player(B))
    hands.order("stop_clocks", by=player(W))
    hands.order("start_clocks", by=TABLET)
    hands.press(W, seconds=3)
    assert prompted(hands) == ("premature_choice", "white")
    hands.order("premature_again", by=player(W))
    assert hands.state.turn.premature is None and hands.state.game.on_roll is B
