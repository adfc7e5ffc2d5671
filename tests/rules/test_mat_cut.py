"""A match always has a .mat: what it has no words for cuts a game, and the score stays right. And a
record that begins at match point begins with the Crawford game.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from rules.board import Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import (
    Corrected,
    GameAwarded,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    Rolled,
    Taken,
)
from rules.match import MatchRules
from rules.notation.convert import READERS, write_file
from rules.notation.errors import NotationError
from rules.notation.mat import read_mat
from rules.notation.matwrite import cuts, write_mat
from rules.notation.record import MatchRecord, games
from rules.ruleset import ruleset
from tests.rules.gnubg import replayed
from tests.rules.making import CLOSED, Making, only_sgf, random_record, started

W, B = Side.WHITE, Side.BLACK


def corrected(length: int = 7) -> dict[str, MatchRecord]:
    """Matches of three games whose first or second one was put right by hand."""
    rng = random.Random(8)
    next_ = (NextGame(), OpeningDice((2,), (5,)))
    found = {}
    making = started(length).some_turns(rng, 6).act(Corrected(after=CLOSED, side=B))
    making.some_turns(rng, 4).act(ResignOffered(W, 2), ResignAccepted(B), *next_)
    found["the board, first game"] = making.some_turns(rng, 5).record()
    making = started(length).some_turns(rng, 3).act(ResignOffered(B, 1), ResignAccepted(W), *next_)
    making.act(Corrected(cube=Cube(4, W, 64, turned=True)))
    making.act(ResignOffered(B, 1), ResignAccepted(W), *next_)
    found["a cube of four, second game"] = making.some_turns(rng, 4).record()
    making = Making(MatchRules.of(ruleset("backgammon"), length))
    making.act(Corrected(after=CLOSED, side=W), GameAwarded(B, 3, "ruling"), *next_)
    found["from a position"] = making.some_turns(rng, 6).record()
    making = started(length).some_turns(rng, 4)
    making.stands(making.match.game.side or W, Roll(2, 1), CLOSED.moved(W, 8, 13).moved(B, 13, 8))
    making.act(Corrected(after=CLOSED, side=B)).some_turns(rng, 3)
    found["impossible, then put right"] = making.act(GameAwarded(W, 1), *next_).record()
    return found


CASES = corrected() | {k: v for k, v in only_sgf().items() if k != "nackgammon"}


@pytest.mark.parametrize("name", CASES)
def test_a_cut_game_keeps_what_came_before_and_every_score(name: str) -> None:
    record = CASES[name]
    text = write_mat(record)
    assert len(cuts(text)) >= 1
    again = read_mat(text)
    assert again.final().score == record.final().score
    for ours, theirs in zip(games(record), games(again), strict=True):
        assert theirs.opening.score == ours.opening.score
        plays = [a for _, a, _ in theirs.steps if isinstance(a, Played)]
        assert plays == [a for _, a, _ in ours.steps if isinstance(a, Played)][: len(plays)]
        if f"Game {ours.number}" not in " ".join(cuts(text)):
            assert len(plays) == sum(isinstance(a, Played) for _, a, _ in ours.steps)


def test_gnubg_has_the_same_scores(tmp_path: Path) -> None:
    files = []
    for number, record in enumerate(CASES.values()):
        files.append(tmp_path / f"{number}.mat")
        files[-1].write_text(write_mat(record))
    for (name, record), text in zip(CASES.items(), replayed(files, tmp_path), strict=True):
        trees = re.split(r"\(;FF", text)[1:]
        said = [
            tuple(int(x[1]) for x in re.finditer(r"\[[wb]s:(\d+)\]", tree[:400])) for tree in trees
        ]
        scores = [game.opening.score for game in games(record)]
        assert said == [(score.white, score.black) for score in scores], name
        if name == "idle turns":
            # gnubg makes forced moves by itself, and so plays the game to its end.
            continue
        won = re.search(r"RE\[([WB])\+(\d+)", trees[-1])
        last = games(record)[-1].gain
        assert (last[0] is None) == (won is None), name
        if won:
            assert (last[0], last[1]) == ({"W": W, "B": B}[won[1]], int(won[2])), name


def at_match_point(*, cube: bool) -> MatchRecord:
    making = Making(MatchRules.of(ruleset("backgammon"), 5)).act(
        PointsAdjusted(W, 4, None, "the score as recorded"),
        PointsAdjusted(B, 2, None, "the score as recorded"),
    )
    if cube:
        making.act(Corrected(crawford_played=True, reason="a cube was offered"))
    making.act(OpeningDice((3,), (1,))).play(W, Roll(3, 1))
    if cube:
        making.act(Offered(B), Taken(W))
    return making.some_turns(random.Random(1), 6).record()


@pytest.mark.parametrize("ending", [".mat", ".sgf", ".json"])
@pytest.mark.parametrize("cube", [False, True])
def test_a_record_that_begins_at_match_point(ending: str, cube: bool) -> None:
    """Its first game is the Crawford game, unless a cube was offered in it."""
    record = at_match_point(cube=cube)
    assert record.final().is_crawford is not cube
    assert record.final().is_post_crawford is cube
    again = READERS[ending](write_file(record, "x" + ending))
    assert again.final().is_crawford is not cube
    assert again.final().is_post_crawford is cube
    assert [a for a in again.actions if isinstance(a, Played)] == [
        a for a in record.actions if isinstance(a, Played)
    ]


@pytest.mark.parametrize("ending", [".mat", ".sgf", ".json"])
def test_a_match_awarded_while_a_roll_stands(ending: str) -> None:
    """Was written as a file that no reader took: the roll was played after the match was over."""
    making = started(5).some_turns(random.Random(2), 3)
    making.act(Rolled(making.match.game.side or W, Roll(3, 2)), MatchAwarded(B, "ruling"))
    again = READERS[ending](write_file(making.record(), "x" + ending))
    assert again.final().winner is B


def test_a_score_that_no_format_can_say_is_refused() -> None:
    with pytest.raises(NotationError, match="no score"):
        read_mat(" 0 point match\n\n Game 1\n A : 335282      B : 0\n  1) 31: 8/5 6/5\n")


def test_both_at_match_point_or_no_crawford_rule() -> None:
    rules = MatchRules.of(ruleset("backgammon"), 5)
    for chosen, scores in ((rules, (4, 4)), (replace(rules, crawford=False), (4, 2))):
        making = Making(chosen)
        for side, points in zip(Side, scores, strict=True):
            making.act(PointsAdjusted(side, points, None))
        assert not making.match.is_crawford
        assert not random_record(3, rules, games=1).final().is_crawford
