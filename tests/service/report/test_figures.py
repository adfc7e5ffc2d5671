"""Costs, luck and chances worked out from judgements, and judgements kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from gvformat import met

from rules.board import Side
from rules.dice import Roll
from rules.game import Dropped, NextGame, Offered, OpeningDice, Taken
from rules.match import MatchRules
from rules.ruleset import ruleset
from service.report.chances import chance_of_match, worth_of_game
from service.report.decisions import DecisionKind, Question, questions_of_match
from service.report.engine import Judgement, Progress
from service.report.figures import figures
from service.report.kept import Kept
from tests.rules.making import Making, random_record, started

W, B = Side.WHITE, Side.BLACK


def small() -> Making:
    """31, 64, a cube taken, 52; the next game a cube dropped."""
    making = started(5).play(W, Roll(3, 1)).play(B, Roll(6, 4))
    making.act(Offered(W), Taken(B)).play(W, Roll(5, 2))
    making.act(Offered(B), Dropped(W), NextGame(), OpeningDice((2,), (5,)))
    return making


class Told:
    """An engine that says the same of every position, and counts what it is asked."""

    name = "told"

    def __init__(self) -> None:
        self.asked = 0

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        self.asked += len(questions)
        progress(len(questions), len(questions))
        return {q: said(q) for q in questions}


def said(question: Question) -> Judgement:
    if question.played is None:
        return Judgement((0.6, 0.2, 0.0, 0.1, 0.0), no_double=0.5, take=1.2, mean=0.4)
    return Judgement(best=0.7, best_text="13/8 6/4", played=0.6, settled=0.65)


def test_what_was_decided() -> None:
    asked = questions_of_match(small().record())
    assert [(d.game, d.side, d.choice) for d in asked.decisions] == [
        (1, W, DecisionKind.PLAY),
        (1, B, DecisionKind.ROLLED_ON),
        (1, B, DecisionKind.PLAY),
        (1, W, DecisionKind.DOUBLED),
        (1, B, DecisionKind.TOOK),
        (1, W, DecisionKind.PLAY),
        (1, B, DecisionKind.DOUBLED),
        (1, W, DecisionKind.DROPPED),
    ]
    assert [(t.side, str(t.roll)) for t in asked.throws] == [(B, "64"), (W, "52")]
    assert all(q.xgid.startswith("XGID=") for q in asked.questions())


def test_every_cost_is_what_its_formula_says() -> None:
    """Doubling and being taken is 1.2, a drop 1, rolling on 0.5: a double is right, a take wrong by
    0.2, a drop right, rolling on wrong by 0.5.
    """
    asked = questions_of_match(small().record())
    found = figures(asked, {q: said(q) for q in asked.questions()})
    costs = {(w.decision.side, w.decision.choice): round(w.cost, 9) for w in found.weighed}
    assert costs == {
        (W, DecisionKind.PLAY): 0.1,
        (B, DecisionKind.PLAY): 0.1,
        (B, DecisionKind.ROLLED_ON): 0.5,
        (W, DecisionKind.DOUBLED): 0,
        (B, DecisionKind.TOOK): 0.2,
        (B, DecisionKind.DOUBLED): 0,
        (W, DecisionKind.DROPPED): 0,
    }
    white, black = found.sides[W], found.sides[B]
    assert (white.plays, white.cubes, black.plays, black.cubes) == (2, 2, 1, 3)
    assert white.pr == pytest.approx(500 * 0.2 / 4)
    assert black.pr == pytest.approx(500 * 0.8 / 4)
    assert black.luck == pytest.approx(0.25)
    low, high = worth_of_game(found.lucky[0].throw.match, B)
    assert found.lucky[0].chance == pytest.approx(0.25 * (high - low) / 2)
    assert [w.better for w in found.blunders(0.15)] == ["double", "drop"]
    assert all(0 <= m.white <= 1 for m in found.moments) and found.unanswered == 0


@pytest.mark.parametrize(
    ("no_double", "take", "cubes"),
    [(0.5, 0.4, 3), (0.5, 0.7, 3), (0.5, 0.3, 2), (1.1, 1.3, 3), (1.6, 1.7, 2), (-0.4, -0.9, 2)],
)
def test_a_cube_that_was_not_turned_counts_where_it_was_close(
    no_double: float, take: float, cubes: int
) -> None:
    """As gnubg counts: far too good to double is no decision, no more than far from a double."""
    asked = questions_of_match(small().record())
    told = Judgement((0.6, 0.2, 0.0, 0.1, 0.0), no_double=no_double, take=take, mean=0.4)
    found = figures(asked, {q: told for q in asked.questions() if q.played is None})
    assert found.sides[B].cubes == cubes


def test_what_was_not_answered_is_counted_and_left_out() -> None:
    asked = questions_of_match(small().record())
    found = figures(asked, {})
    assert found.unanswered == len(asked.questions())
    assert not found.weighed and found.sides[W].pr is None


def test_no_engine_knows_other_games() -> None:
    for name in ("narde", "nard-himly"):
        record = random_record(2, MatchRules.of(ruleset(name), 1))
        assert not questions_of_match(record).questions()


def test_chances_of_a_match_are_the_table_that_others_use() -> None:
    for mine in range(1, 26):
        for theirs in range(1, 26):
            assert (
                chance_of_match(mine, theirs)
                == pytest.approx(
                    met.score_mwc(mine, theirs, is_crawford=True)
                    if min(mine, theirs) == 1
                    else met.KR_XG2_MET[mine - 1][theirs - 1],
                    abs=1e-6,
                )
                or min(mine, theirs) == 1
            )
            both = chance_of_match(mine, theirs) + chance_of_match(theirs, mine)
            assert both == pytest.approx(1, abs=1e-5)
    assert chance_of_match(0, 3) == 1 and chance_of_match(2, -1) == 0
    assert chance_of_match(30, 27) < 0.5 < chance_of_match(27, 30)
    assert chance_of_match(2, 1, after_crawford=True) == pytest.approx(0.48803)
    assert chance_of_match(1, 2, after_crawford=True) == pytest.approx(1 - 0.48803)
    assert chance_of_match(1, 1, after_crawford=True) == 0.5


def test_what_was_judged_once_is_not_asked_again(tmp_path: Path) -> None:
    asked = questions_of_match(small().record())
    engine, path = Told(), tmp_path / "deep" / "judged.sqlite3"
    counts: list[tuple[int, int]] = []
    first = Kept(engine, path).judge(asked.questions(), lambda *done: counts.append(done))
    again = Kept(engine, path).judge(asked.questions(), lambda *done: None)
    assert first == again and engine.asked == len(asked.questions())
    assert counts[0][0] == 0 and counts[-1] == (len(first), len(first))


def test_a_broken_file_is_done_without(tmp_path: Path) -> None:
    asked = questions_of_match(small().record()).questions()
    broken = tmp_path / "judged.sqlite3"
    broken.write_bytes(b"this is no database" * 40)
    assert len(Kept(Told(), broken).judge(asked, lambda *done: None)) == len(asked)
    assert len(Kept(Told(), Path("/proc/none/x")).judge(asked, lambda *done: None)) == len(asked)
    with closing(sqlite3.connect(tmp_path / "other")) as base, base:
        base.execute("CREATE TABLE judged (engine, xgid, played, said)")
        for q in asked:
            base.execute("INSERT INTO judged VALUES ('told', ?, '', '{}')", (q.xgid,))
    assert len(Kept(Told(), tmp_path / "other").judge(asked, lambda *done: None)) == len(asked)
