"""What was asked and not answered when play went on."""

from __future__ import annotations

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.journal import entries as e
from service.reconcile import Ambiguous, OtherRoll, Pending
from service.referee.draft import Draft
from service.referee.inputs import PlayedOn
from service.referee.played_on import on_played_on
from service.referee.state import Phase, State
from service.referee.turn import on_verdict
from service.referee.unanswered import (
    go_on_without_an_answer,
    with_fallen_of_next,
    with_gone_laid,
)
from tests.service.hands import Hands, begun


@pytest.mark.parametrize(("elsewhere", "likely"), [((8, 9), True), ((8, 13), False)])
def test_a_checker_between_two_points_is_where_the_likeliest_play_left_it(
    elsewhere: tuple[int, int], likely: bool
) -> None:
    """By itself it is read on the point beside; one that is read farther away stands there."""
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    roll = Roll.of(2, 1)
    made = next(p for p in plays(hands.state.position(), roll) if str(p) == "13/11 8/7")
    state = hands.state
    doubt = Ambiguous(((made, roll, 0.7),), e.Grounds(), legal=0.7)
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    draft.watch(
        asked=doubt,
        verdict=Pending("unsettled"),
        stood=made.placement.moved(Side.WHITE, *elsewhere),
        warned=draft.state.watch.warned | {"choose_play"},
    )
    go_on_without_an_answer(draft)
    *_, line = draft.outcome().state.match.plays
    left = made.placement if likely else made.placement.moved(Side.WHITE, *elsewhere)
    assert (line.placement, line.standing) == (left, None if likely else e.Standing.UNRESOLVED)


def test_of_what_was_asked_the_answer_that_was_seen_to_stand_there_since_is_entered() -> None:
    """The likeliest was 2-1 while the camera was away; then the checkers stood as after 1-1, and
    six lines after it were of a pile that was one lower (369500, evening 5, both sensors).
    """
    hands = begun(Hands(board=False), Side.WHITE)
    position, state = hands.state.position(), hands.state
    likely, truly = (
        next(p for p in plays(position, Roll.of(*dice)) if str(p) == text)
        for dice, text in (((2, 1), "8/7 6/4"), ((1, 1), "8/7(2) 6/5(2)"))
    )
    options = ((likely, Roll.of(2, 1), 0.86), (truly, Roll.of(1, 1), 0.09))
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "button", None, None))
    asked = Ambiguous(options, e.Grounds())
    draft.watch(asked=asked, verdict=Pending("unsettled"), stood=truly.placement)
    go_on_without_an_answer(draft)
    *_, line = draft.outcome().state.match.plays
    assert (line.placement, line.roll) == (truly.placement, Roll.of(1, 1))


@pytest.mark.parametrize("denied", [True, False])
def test_the_likeliest_of_what_hardly_can_be_is_not_entered_over_what_was_seen(
    denied: bool,
) -> None:
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    roll = Roll.of(2, 1)
    made = next(p for p in plays(hands.state.position(), roll) if str(p) == "13/11 8/7")
    state = hands.state
    other = state.position().placement.moved(Side.WHITE, 6, 3).moved(Side.BLACK, 19, 22)
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    doubt = Ambiguous(((made, roll, 0.7),), e.Grounds(), denied=denied, legal=0.7)
    warned = draft.state.watch.warned | {"choose_play"}
    draft.watch(asked=doubt, verdict=doubt, stood=other, warned=warned)
    go_on_without_an_answer(draft)
    *_, line = draft.outcome().state.match.plays
    assert line.placement == (other if denied else made.placement)


def thrown_over(state: State, doubt: OtherRoll, stood: Placement) -> State:
    """The state once somebody has thrown over a turn of White's that was asked about so."""
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    warned = draft.state.watch.warned | {"other_roll"}
    draft.watch(asked=doubt, verdict=doubt, stood=stood, warned=warned)
    go_on_without_an_answer(draft)
    return draft.outcome().state


def test_that_nothing_was_moved_is_not_entered_where_something_was_seen_to_be() -> None:
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    state, roll = hands.state, Roll.of(2, 1)
    position = state.position()
    before = position.placement
    shifted = before.moved(Side.BLACK, 19, 22)
    nothing = judge(position, roll, before)
    assert isinstance(nothing, Infraction)
    danced = next(iter(plays(position, Roll.of(6, 5))))
    doubt = OtherRoll(roll, nothing, before, ((danced, Roll.of(6, 5), 0.9),), 0.9)
    *_, line = thrown_over(state, doubt, shifted).match.plays
    assert (line.placement, line.standing) == (shifted, e.Standing.UNRESOLVED)


def test_a_play_of_another_roll_is_not_entered_where_something_else_was_seen() -> None:
    """It was asked about as the likeliest of what hardly can be: game 1 of tavern 271200."""
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(4, 3)
    state, roll, other = hands.state, Roll.of(4, 3), Roll.of(1, 1)
    position = state.position()
    asked = next(p for p in plays(position, other) if str(p) == "24/23(2) 8/6")
    wrong = judge(position, roll, asked.placement)
    assert isinstance(wrong, Infraction)
    stood = position.placement
    for move in ((24, 23), (24, 23), (8, 5), (6, 5), (6, 5)):
        stood = stood.moved(Side.WHITE, *move)
    doubt = OtherRoll(roll, wrong, asked.placement, ((asked, other, 0.97),), 0.97)
    *_, line = thrown_over(state, doubt, stood).match.plays
    assert (line.placement, line.roll, line.standing) == (stood, roll, e.Standing.UNRESOLVED)


def test_who_has_read_its_roll_throws_no_other_into_the_wrong_half() -> None:
    """White has moved one of Black's checkers; what comes to lie in Black's half is Black's."""
    hands = begun(Hands(board=True), Side.WHITE, clock="ours")
    hands.throw(4, 2)
    state = hands.state
    stood = state.position().placement.moved(Side.BLACK, 17, 19)
    draft = Draft(state, state.at + 6.0, e.TABLE)
    differed = e.BoardDiffered("board_and_record_differ", (17, 19), ("set",), e.Grounds(), ())
    draft.say(differed)
    draft.watch(base=(stood, state.at + 1.0), raised_at=state.at + 1.0)
    thrown = PlayedOn(None, stands=stood, thrown_at=state.at + 2.0, thrower=Side.BLACK)
    on_played_on(draft, thrown)
    found = draft.outcome().state
    *_, line = found.match.plays
    assert (line.side, line.placement, line.roll) == (Side.WHITE, stood, Roll.of(4, 2))
    assert (line.standing, found.game.on_roll) == (e.Standing.UNRESOLVED, Side.BLACK)


def test_nobody_has_won_by_what_is_no_play_while_somebody_throws_on() -> None:
    """The last of three checkers fell beside a play of two: the game of narde 265000 ended so."""
    hands = begun(Hands(board=False), Side.WHITE)
    three = Placement.of({1: 3, OFF: 12}, {24: 2, OFF: 13})
    as_json = {"white": list(three.white), "black": list(three.black)}
    hands.order("set_position", placement=as_json, on_roll="white")
    hands.order("declare_roll", roll=[6, 3])
    state, roll = hands.state, Roll.of(6, 3)
    position = state.position()
    gone = three.moved(Side.WHITE, 1, OFF).moved(Side.WHITE, 1, OFF).moved(Side.WHITE, 1, OFF)
    too_many = judge(position, roll, gone)
    assert isinstance(too_many, Infraction)
    four = next(iter(plays(position, Roll.of(3, 3))))
    doubt = OtherRoll(roll, too_many, gone, ((four, Roll.of(3, 3), 0.9),), 0.9)
    found = thrown_over(state, doubt, gone)
    *_, line = found.match.plays
    assert (line.placement.white[1], line.infraction, line.roll) == (1, "", roll)
    assert (found.phase, found.game.on_roll) == (Phase.TO_ROLL, Side.BLACK)
    assert any(alert.matter == "unanswered" for alert in found.alerts)


@pytest.mark.parametrize("looked", [True, False])
def test_nothing_is_asked_of_a_turn_at_whose_end_nobody_has_looked_yet(looked: bool) -> None:
    """A dance was asked about though nothing had been moved: the first look at the checkers came
    after the throw over it (261000 e3 g3).
    """
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    state = hands.state
    draft = Draft(state, state.at + 3.0, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    draft.watch(next_thrown=state.at, verdict=Pending("unsettled") if looked else None)
    go_on_without_an_answer(draft)
    asked = [alert.matter for alert in draft.outcome().state.alerts]
    assert asked == (["choose_play"] if looked else [])


@pytest.mark.parametrize(
    ("looks", "denied", "over"), [(2.0, False, False), (4.0, False, True), (4.0, True, False)]
)
def test_the_last_play_is_entered_though_nobody_throws_over_it(
    looks: float, denied: bool, over: bool
) -> None:
    """Three of four checkers needed a 4-4 of which one die was read: the board was set up anew
    before anybody had thrown, and the game had no end (372500, evening 1, camera alone).
    """
    hands = begun(Hands(board=False), Side.WHITE)
    four = Placement.of({2: 3, 3: 1, OFF: 11}, {24: 3, 21: 4, OFF: 8})
    as_json = {"white": list(four.white), "black": list(four.black)}
    hands.order("set_position", placement=as_json, on_roll="white")
    state = hands.state
    made = next(iter(plays(state.position(), Roll.of(4, 4))))
    ended = Draft(state, state.at, e.TABLE)
    ended.say(e.TurnPressed(Side.WHITE, state.at, "dice_lifted", None, None))
    draft = Draft(ended.outcome().state, state.at + looks, e.TABLE)
    likely = ((made, Roll.of(4, 4), 0.993),)
    on_verdict(draft, Ambiguous(likely, e.Grounds(), denied=denied, legal=0.993))
    found = draft.outcome().state
    assert (found.phase is not Phase.PRESSED) is over
    assert bool(found.alerts) is denied


@pytest.mark.parametrize(
    ("stood", "put_back"),
    [
        ({"white": {6: 4, 5: 3, 0: 8}, "black": {19: 5, 25: 1, 0: 9}}, None),
        # White's checker fell from its four point while Black had the roll.
        ({"white": {6: 4, 5: 2, 0: 9}, "black": {19: 5, 25: 1, 0: 9}}, {6: 4, 5: 3, 0: 8}),
        # Black stands where it had been: it was hit, and is in a hand.
        (
            {"white": {6: 4, 5: 2, 0: 9}, "black": {19: 4, 5: 1, 25: 1, 0: 9}},
            {6: 4, 5: 2, 25: 1, 0: 8},
        ),
        # What the side has borne off whose turn it was is its own play.
        ({"white": {6: 4, 5: 3, 0: 8}, "black": {19: 4, 25: 1, 0: 10}}, None),
    ],
)
def test_nobody_bears_off_in_the_others_turn(
    stood: dict[str, dict[int, int]], put_back: dict[int, int] | None
) -> None:
    """A checker fell beside a throw that nobody read: three turns of nard were wrong, and one who
    bore off a checker was thought to have moved none (381000, nard-himly, e0 g2).
    """
    recorded = Placement.of({6: 4, 5: 3, 0: 8}, {19: 5, 25: 1, 0: 9})
    there = Placement.of(**stood)
    expected = there if put_back is None else Placement.of(put_back, stood["black"])
    assert with_fallen_of_next(recorded, there, Side.WHITE) == expected


@pytest.mark.parametrize(
    ("gone", "roll", "laid"),
    [
        (10, (4, 4), 6),
        # By either die it comes to lie where others stand already.
        (10, (4, 2), OFF),
        # None stands where the die takes it: a checker alone is seen.
        (10, (1, 1), OFF),
        # Whoever takes one off its home too early may have done so.
        (6, (4, 4), OFF),
    ],
)
def test_a_checker_gone_from_outside_the_home_lies_where_a_die_takes_it(
    gone: int, roll: tuple[int, int], laid: int
) -> None:
    """Half of a 4-4, onto a point that read one too few, was a checker borne off from the ten point
    of a side that may bear off none: five lines after it were wrong (386000 e4 g2).
    """
    stands = Placement.of({10: 1, 8: 3, 6: 6, 2: 5}, {1: 2, 12: 13})
    began = Position.of(stands, ruleset("backgammon"), Side.WHITE)
    left = with_gone_laid(began, Roll.of(*roll), stands.moved(Side.WHITE, gone, OFF))
    assert left == stands.moved(Side.WHITE, gone, laid)
