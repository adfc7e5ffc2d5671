"""Whole matches of every ruleset, played at random by hand: score, Crawford, cube, record, replay
and score sheet agree at the end.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.board import Side
from rules.play import plays
from service.journal.chain import chain
from service.journal.entries import GameStarted, Role, Who
from service.record.match_record import match_records
from service.record.score_sheet import score_sheets
from service.referee.inputs import Order, Tick
from service.referee.state import Phase
from service.referee.step import replay
from tests.service.referee.test_referee_properties import RULESETS, Story

CONSOLE = Who("", Role.CONSOLE)


def played(ruleset: str, length: int | None, seed: int, **match: Any) -> Story:
    chance, story = random.Random(seed), Story()
    story.tell(
        Order(
            "set_match",
            {
                "ruleset": ruleset,
                "length": length,
                "clock": "none",
                "event": {"match": match} if match else {},
            },
            CONSOLE,
        )
    )
    games = 0
    while story.state.phase is not Phase.MATCH_OVER and games < 40:
        state = story.state
        match_phase = state.phase
        if match_phase in (Phase.SETTING_UP, Phase.GAME_OVER):
            games += 1
            if length is None and games > 4:
                story.tell(Order("end_match", {"reason": "enough"}, CONSOLE))
                continue
            story.tell(Order("next_game", {}, CONSOLE))
        elif match_phase is Phase.OPENING:
            dice = [[chance.randint(1, 6) for _ in range(_dice_each(story))] for _ in Side]
            story.tell(Order("declare_roll", {"white": dice[0], "black": dice[1]}, CONSOLE))
        elif match_phase is Phase.DOUBLED:
            answers = ["take", "take", "drop", "beaver"]
            story.tell(Order(chance.choice(answers), {}, CONSOLE))
        elif match_phase is Phase.TO_ROLL and chance.random() < 0.06:
            story.tell(Order("offer", {}, CONSOLE))
            if story.state.phase is Phase.TO_ROLL:
                story.tell(
                    Order(
                        "declare_roll",
                        {"roll": [chance.randint(1, 6), chance.randint(1, 6)]},
                        CONSOLE,
                    )
                )
        elif match_phase is Phase.TO_ROLL and state.turn.stuck:
            story.tell(Order("press", {}, CONSOLE))
            _play(story, chance)
        elif match_phase is Phase.TO_ROLL:
            story.tell(
                Order(
                    "declare_roll", {"roll": [chance.randint(1, 6), chance.randint(1, 6)]}, CONSOLE
                )
            )
        else:
            _play(story, chance)
        story.tell(Tick(), 1.0)
    return story


def _dice_each(story: Story) -> int:
    return (
        2
        if story.state.match.ruleset and story.state.match.ruleset.opening.value == "two_dice_each"
        else 1
    )


def _play(story: Story, chance: random.Random) -> None:
    state = story.state
    placement = state.game.placement
    assert placement is not None
    if state.turn.roll is not None:
        # Bearing off and running first, so that games end.
        found = sorted(plays(state.position(), state.turn.roll), key=str)
        placement = chance.choice(found).placement
    as_json = {"white": list(placement.white), "black": list(placement.black)}
    story.tell(Order("declare_play", {"placement": as_json}, CONSOLE))
    assert (
        story.state.phase is not state.phase or story.state.game.on_roll is not state.game.on_roll
    )


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(("length", "seed"), [(3, 1), (None, 2)])
def test_a_whole_match(ruleset: str, length: int | None, seed: int) -> None:
    story = played(ruleset, length, seed)
    state = story.state
    assert state.phase is Phase.MATCH_OVER
    entries = [entry for entry, _ in chain(story.said)]
    assert replay(entries) == state
    (record,) = match_records(entries)
    assert not record.remarks
    final = record.final()
    assert (final.score.white, final.score.black) == tuple(state.match.score)
    assert [(g.winner, g.points) for g in state.match.finished] == [
        (r.winner, r.points) for r in final.results
    ]
    (sheet,) = score_sheets(entries)
    assert sheet["score"] == list(state.match.score) and len(sheet["games"]) == len(
        state.match.finished
    )
    if length is not None:
        assert max(state.match.score) >= length
        crawford = [b for *_, b in story.said if isinstance(b, GameStarted) and b.crawford]
        assert len(crawford) <= 1


def test_crawford_comes_exactly_once_and_bars_the_cube() -> None:
    story = Story()
    story.tell(
        Order(
            "set_match",
            {"ruleset": "backgammon", "length": 3, "clock": "none", "score": [2, 0]},
            CONSOLE,
        )
    )
    seen = []
    for winner in ("black", "black"):
        story.tell(Order("start_game", {"starter": "white"}, CONSOLE))
        seen.append(story.state.game.crawford)
        story.tell(Order("offer", {}, CONSOLE))
        assert (story.state.phase is Phase.DOUBLED) == (not story.state.game.crawford)
        if story.state.phase is Phase.DOUBLED:
            story.tell(Order("take", {}, CONSOLE))
        story.tell(Order("resign", {"side": "white", "level": 1}, CONSOLE))
        story.tell(Order("accept_resignation", {}, CONSOLE))
        assert story.state.match.finished[-1].winner is Side(winner)
    assert seen == [True, False]
    assert tuple(story.state.match.score) == (2, 3) and story.state.phase is Phase.MATCH_OVER


def test_money_has_jacoby_beavers_and_an_automatic_double() -> None:
    story = Story()
    story.tell(
        Order("set_match", {"ruleset": "backgammon", "length": None, "clock": "none"}, CONSOLE)
    )
    story.tell(Order("start_game", {}, CONSOLE))
    story.tell(Order("declare_roll", {"white": 4, "black": 4}, CONSOLE))
    assert (story.state.phase, story.state.game.cube, story.state.game.cube_owner) == (
        Phase.OPENING,
        2,
        None,
    )
    story.tell(Order("declare_roll", {"white": 4, "black": 2}, CONSOLE))
    _play(story, random.Random(1))
    story.tell(Order("offer", {"side": "black"}, CONSOLE))
    story.tell(Order("beaver", {"side": "white"}, CONSOLE))
    assert (story.state.phase, story.state.game.cube, story.state.game.cube_owner) == (
        Phase.DOUBLED,
        8,
        Side.WHITE,
    )
    story.tell(Order("take", {}, CONSOLE))
    assert (story.state.phase, story.state.game.cube, story.state.game.cube_owner) == (
        Phase.TO_ROLL,
        8,
        Side.WHITE,
    )
    (record,) = match_records(entry for entry, _ in chain(story.said))
    assert not record.remarks and record.final().game.cube.value == 8
