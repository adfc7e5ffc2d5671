"""An illegal play from the red light to its end, in every combination: who is told, how it is
settled, which ruleset, which clock.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge
from rules.play import Play, plays
from service.journal.chain import chain
from service.journal.entries import Role, Standing, Who
from service.journal.entry import DiceOrigin as Origin
from service.reconcile import Agreed, Ambiguous, Illegal, NoDice, RollRead
from service.referee.inputs import Judged, NextRollWatched, Order, Press, RollWatched
from service.referee.state import Phase
from service.referee.step import replay
from service.show.prompt import waits_for
from service.show.scene import lights
from tests.service.referee.test_referee_properties import RULESETS, Story

W, B = Side.WHITE, Side.BLACK
ROLL = Roll(6, 5)
ENDS = (
    "corrected",
    "rolled",
    "doubled",
    "accepted",
    "ruled",
    "handed back, corrected",
    "handed back, illegal again",
    "corrected by hand",
)
MONITORS = ("board", "arbiter", "silent", "teaching")


def start(ruleset: str, monitor: str, clock: str) -> Story:
    story = Story()
    setting: dict[str, Any] = {
        "ruleset": ruleset,
        "length": 5,
        "clock": clock,
        "event": {"play": {"monitor": monitor}},
    }
    story.tell(Order("set_match", setting, Who("c", Role.CONSOLE)))
    story.tell(Order("start_game", {"starter": "white"}, Who("c", Role.CONSOLE)))
    rolled(story, ROLL)
    return story


def rolled(story: Story, roll: Roll) -> None:
    story.tell(RollWatched(NoDice()), 0.1)
    story.tell(RollWatched(RollRead(roll, 0.99)), 0.5)
    story.tell(RollWatched(RollRead(roll, 0.99)), 0.5)
    assert story.state.turn.roll == roll


def backwards(story: Story) -> Placement:
    """A checker goes back from the middle to the rear, or one too many goes on: wrong under every
    ruleset."""
    state = story.state
    assert state.game.placement is not None
    play = legal(story).placement
    counts = play.counts(state.game.on_roll)
    mine = [p for p in range(1, 25) if counts[p]]
    rear, front = (mine[-1], mine[0]) if state.game.on_roll is W else (mine[0], mine[-1])
    back = play.moved(state.game.on_roll, front, rear)
    # Where the only checker that moved is the one put back, another follows it: too far for a roll.
    return back if back != state.game.placement else play.moved(state.game.on_roll, rear, front)


def legal(story: Story) -> Play:
    assert story.state.turn.roll is not None
    return sorted(plays(story.state.position(), story.state.turn.roll), key=str)[0]


def illegal(story: Story) -> Illegal:
    wrong = backwards(story)
    found = judge(story.state.position(), story.state.turn.roll, wrong)
    assert isinstance(found, Infraction)
    return Illegal(found, wrong, story.state.turn.roll, 0.999)


def agreed(story: Story) -> Agreed:
    assert story.state.turn.roll is not None
    return Agreed(legal(story), story.state.turn.roll, Origin.READ, 0.999)


def kinds(story: Story) -> list[str]:
    return [b.kind for *_, b in story.said]


def press(story: Story, side: Side) -> None:
    story.tell(Press(side, story.now), 0.2)


@pytest.mark.parametrize(
    ("ruleset", "monitor", "clock", "end"),
    list(itertools.product(RULESETS, MONITORS, ("ours", "none"), ENDS)),
)
def test_from_the_red_light_to_its_end(ruleset: str, monitor: str, clock: str, end: str) -> None:
    story = start(ruleset, monitor, clock)
    quiet = lights(story.state)
    story.tell(Judged(illegal(story)), 1.0)
    assert story.state.phase is Phase.MOVING, "nothing is said before the press"
    press(story, W)
    wrong = illegal(story)
    story.tell(Judged(wrong), 1.0)
    state = story.state
    assert state.phase is Phase.ILLEGAL and tuple(state.match.illegal) == (1, 0)
    # Who is told.
    told = {"board": "board", "teaching": "board", "arbiter": "arbiter", "silent": "silent"}[
        monitor
    ]
    assert state.turn.notice is not None and state.turn.notice.told == told == state.alerts[-1].told
    assert waits_for(state)["code"] == ("correct_play" if told == "board" else "judging")
    if told != "board" and monitor != "teaching":
        assert lights(state) == quiet
    # How it ends.
    _end(story, end, wrong)
    if end == "doubled" and not (state.match.ruleset and state.match.ruleset.has_cube):
        # Refused as a whole: where there is no cube, nothing happened.
        assert story.state.phase is Phase.ILLEGAL
        return
    line = next(p for p in story.state.match.plays if p.side is W)
    standing = {
        "rolled": Standing.NEXT_ROLL,
        "doubled": Standing.NEXT_ROLL,
        "accepted": Standing.ACCEPTED,
        "ruled": Standing.RULED,
    }.get(end)
    assert line.standing is standing
    assert bool(line.infraction) == (standing is not None)
    assert ("illegal_stood" in kinds(story)) == (standing is not None)
    assert ("illegal_corrected" in kinds(story)) == (standing is None)
    assert story.state.game.on_roll is B and story.state.turn.notice is None
    assert story.state.game.placement == (wrong.placement if standing else line.placement)
    noticed = sum(k == "illegal_noticed" for k in kinds(story))
    assert noticed == (2 if end.endswith("again") else 1) == story.state.match.illegal.white
    assert replay(e for e, _ in chain(story.said)) == story.state


def _end(story: Story, end: str, wrong: Illegal) -> None:
    director = Who("d", Role.DIRECTOR)
    match end:
        case "corrected":
            story.tell(Judged(agreed(story)), 2.0)
        case "rolled":
            for _ in range(2):
                story.tell(NextRollWatched(RollRead(Roll(2, 1), 0.99), story.now), 0.5)
        case "doubled":
            story.tell(Order("offer", {}, Who("", Role.PLAYER, B)), 1.0)
        case "accepted":
            story.tell(Order("let_stand", {}, Who("", Role.PLAYER, W)), 1.0)
            assert story.state.phase is Phase.ILLEGAL, "the offender cannot let it stand"
            story.tell(Order("let_stand", {}, Who("", Role.PLAYER, B)), 1.0)
        case "ruled":
            story.tell(Order("let_stand", {}, director), 1.0)
        case "corrected by hand":
            after = legal(story).placement
            args = {"placement": {"white": list(after.white), "black": list(after.black)}}
            story.tell(Order("declare_play", args, director), 1.0)
        case _:
            press(story, B)
            assert story.state.phase is Phase.MOVING and story.state.game.on_roll is W
            press(story, W)
            if end.endswith("again"):
                story.tell(Judged(wrong), 1.0)
                assert story.state.phase is Phase.ILLEGAL
            story.tell(Judged(agreed(story)), 1.0)


def test_a_limit_calls_the_arbiter() -> None:
    story = Story()
    event = {"play": {"monitor": "board", "illegal_limit": 1}}
    story.tell(
        Order(
            "set_match",
            {"ruleset": "backgammon", "length": 5, "event": event},
            Who("c", Role.CONSOLE),
        )
    )
    story.tell(Order("start_game", {"starter": "white"}, Who("c", Role.CONSOLE)))
    for turn in range(4):
        rolled(story, ROLL)
        press(story, story.state.game.on_roll)
        if story.state.game.on_roll is W:
            story.tell(Judged(illegal(story)), 1.0)
        story.tell(Judged(agreed(story)), 1.0)
        assert [a.matter for a in story.state.alerts].count("illegal_limit") == (
            1 if turn >= 2 else 0
        )


def test_a_checker_missing_cannot_stand() -> None:
    """No game goes on from fourteen checkers: it stays open, and whoever may is told."""
    story = start("backgammon", "board", "ours")
    press(story, W)
    found = illegal(story)
    gone = found.placement.moved(W, 6, 0)
    counts = list(gone.white)
    counts[0] -= 1
    story.tell(
        Judged(Illegal(found.infraction, gone.with_counts(W, tuple(counts)), ROLL, 0.99)), 1.0
    )
    for _ in range(2):
        story.tell(NextRollWatched(RollRead(Roll(2, 1), 0.99), story.now), 0.5)
    assert story.state.phase is Phase.ILLEGAL
    assert "cannot_stand" in [a.matter for a in story.state.alerts]


@pytest.mark.parametrize(
    ("chances", "roll", "origin"),
    [
        ((0.01,), None, None),
        ((0.7, 0.01), None, Origin.UNKNOWN),
        ((0.3, 0.3), None, Origin.UNKNOWN),
        ((0.98, 0.001), ROLL, Origin.READ),
    ],
)
def test_the_opponent_rolls_on_over_a_question(
    chances: tuple[float, ...], roll: Roll | None, origin: Origin | None
) -> None:
    """What is hardly likely is never recorded for a play because nobody objected; a roll that is
    not the only one stays open.
    """
    story = start("backgammon", "board", "ours")
    press(story, W)
    made = legal(story)
    story.tell(
        Judged(
            Ambiguous(
                tuple((made, r, p) for r, p in zip((ROLL, Roll(6, 4)), chances, strict=False))
            )
        ),
        8.0,
    )
    asked = "choose_play" in [a.matter for a in story.state.alerts]
    assert asked is (sum(chances) < 0.9), "what is surely legal the next turn tells"
    for _ in range(3):
        story.tell(NextRollWatched(RollRead(Roll(2, 1), 0.99), story.now), 0.5)
    if origin is None:
        assert story.state.phase is Phase.PRESSED
        return
    line = story.state.match.plays[-1]
    assert line.placement == made.placement
    assert line.probability == pytest.approx(sum(chances))
    assert (line.roll, line.origin) == (roll, origin)


def test_what_is_no_play_and_likelier_than_all_stands_when_nobody_answers() -> None:
    story = start("backgammon", "board", "ours")
    press(story, W)
    made = legal(story)
    half = story.state.position().placement.moved(W, 8, 7)
    story.tell(Judged(Ambiguous(((made, ROLL, 0.01),), legal=0.02, stands=(half, 0.97))), 8.0)
    for _ in range(3):
        story.tell(NextRollWatched(RollRead(Roll(2, 1), 0.99), story.now), 0.5)
    line = story.state.match.plays[-1]
    assert (line.placement, line.standing) == (half, Standing.UNRESOLVED)
    assert line.probability == pytest.approx(0.97)


@pytest.mark.parametrize(("legal", "denied"), [(0.99, False), (0.99, True), (0.5, False)])
def test_what_is_surely_legal_waits_for_the_next_throw(legal: float, denied: bool) -> None:
    """Many throws have no play, each of them hardly likely: which it was, nobody is asked, unless
    it may be none of them, or a place that was left alone stands otherwise for every source.
    """
    story = start("backgammon", "board", "ours")
    press(story, W)
    made = next(iter(plays(story.state.position(), ROLL)))
    doubt = Ambiguous(((made, ROLL, 0.03),), denied=denied, legal=legal)
    story.tell(Judged(doubt), 8.0)
    asked = "choose_play" in [a.matter for a in story.state.alerts]
    assert asked is (denied or legal < 0.9)
