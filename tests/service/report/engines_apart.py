"""Why two engines rate a match otherwise: their formulas compared where both are given the same
chances, and how many matches of a folder can be within 1.0 if they differ as they do.

    python -m tests.service.report.engines_apart FOLDER [keep=FOLDER] [positions=120] [seed=1]

Formulas: gnubg's chances of positions of these matches, without looking ahead, through Open Sage's
formulas at many scores, beside gnubg's own equities. Scatter: of what `engine_bar` has kept.
"""

from __future__ import annotations

import importlib
import math
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rules.board import Side
from rules.notation.convert import read_file
from rules.notation.xgid import read_xgid
from service.report.decisions import DecisionKind, MatchQuestions, questions_of_match
from service.report.engine import Engine, Judgement
from service.report.figures import PR_SCALE, Costed, figures
from service.report.gnubg import Verdict
from service.report.gnubg_engine import GnubgEngine
from service.report.kept import Kept
from service.report.sage_engine import SageEngine
from service.report.sage_worker import as_board, cube_and_score
from tests.service.report.engine_bar import ONE_POINT, PATIENCE_S, PLIES, picked

SCORES: Final = {
    "money": "0:0:{}:00:0:0:0:0",
    "money, the cube at 2 is the roller's": "1:{0}:{0}:00:0:0:0:0",
    "7 points": "0:0:{}:00:0:0:0:7",
    "16 points": "0:0:{}:00:0:0:0:16",
    "2 away, 4 away": "0:0:{}:00:5:3:0:7",
    "3 away, 5 away": "0:0:{}:00:4:2:0:7",
    "3 away each, the cube at 2": "1:{0}:{0}:00:4:4:0:7",
    "7 away each, the cube at 4": "2:{0}:{0}:00:0:0:0:7",
    "Crawford, 4 away": "0:0:{}:00:3:6:1:7",
    "after Crawford, 4 away": "0:0:{}:00:3:6:0:7",
    "2 away each": "0:0:{}:00:5:5:0:7",
}
"""XGIDs behind the board, from the cube to the length; `{}` is the side on roll."""
AT_ONCE: Final = 200
"""Positions of one gnubg."""
RESAMPLED: Final = 200


def formulas(paths: Sequence[Path], count: int, seed: int) -> Iterator[str]:
    """How far the engines' equities are apart by score, contact and race."""
    boards = sorted({q.xgid for path in paths for *_, q in asked_of(path).moments})
    chosen = random.Random(seed).sample(boards, min(count, len(boards)))
    gnubg = GnubgEngine(PLIES, 1, PATIENCE_S)
    for name, form in SCORES.items():
        texts = [at_score(xgid, form) for xgid in chosen]
        told: dict[tuple[str, int], Verdict] = {}
        for begin in range(0, len(texts), AT_ONCE):
            told |= gnubg._asked([(text, 0) for text in texts[begin : begin + AT_ONCE]])
        found = [by_formulas(text, verdict) for (text, _), verdict in told.items()]
        for race in (False, True):
            kept = [apart for is_race, apart in found if is_race is race and apart]
            for kind, each in zip(("no double", "taken"), zip(*kept, strict=True), strict=False):
                worst = max(abs(one) for one in each)
                yield (
                    f"{name}, {'race' if race else 'contact'}: {kind} of {len(each)} apart by"
                    f" {statistics.mean(each):+.4f} on average, {worst:.4f} at most"
                )


def at_score(xgid: str, form: str) -> str:
    """A position at another score and cube, the same side on roll; the score is the roller's
    first.
    """
    board, _, _, turn, *_ = xgid.removeprefix("XGID=").split(":")
    cube, owner, side, dice, mine, theirs, crawford, length = form.format(turn).split(":")
    one, two = (mine, theirs) if turn == "1" else (theirs, mine)
    return ":".join((f"XGID={board}", cube, owner, side, dice, one, two, crawford, length, "10"))


def by_formulas(xgid: str, said: Verdict) -> tuple[bool, tuple[float, ...]]:
    """Whether it is a race, and Open Sage's equities less gnubg's of gnubg's chances: not doubled,
    and doubled and taken where it can be.
    """
    sage: Any = importlib.import_module("bgbot_cpp")
    match = read_xgid(xgid)
    board, at = [*as_board(match.game.position.view)], cube_and_score(match)
    race = sage.is_race(board)
    if not said.chances or said.equity is None:
        return race, ()
    chances, (mine, theirs) = [*said.chances], at.away
    live = sage.cube_efficiency(chances, race, *sage.pip_counts(board))
    owner, other = getattr(sage.CubeOwner, at.owner.upper()), sage.CubeOwner.OPPONENT
    if match.rules.is_money:
        own = sage.cl2cf_money(chances, owner, live, jacoby_active=match.rules.jacoby)
        taken = 2 * sage.cl2cf_money(chances, other, live, jacoby_active=False)
    else:
        score = mine, theirs, at.crawford
        own = sage.cl2cf(chances, at.cube, owner, live, *score, jacoby=False)
        doubled = sage.cl2cf(chances, 2 * at.cube, other, live, *score, jacoby=False)
        won = sage.eq2mwc(doubled, mine, theirs, 2 * at.cube, at.crawford)
        taken = sage.mwc2eq(won, mine, theirs, at.cube, at.crawford)
    kept = said.equity if said.no_double is None else said.no_double
    return race, (own - kept,) if said.take is None else (own - kept, taken - said.take)


@dataclass(frozen=True)
class Counted:
    """How many decisions a side has that an error rate is taken over, and turns that it rolled on
    in, of which some were close.
    """

    sure: int
    rolled_on: int

    def all(self, close: float) -> int:
        return max(1, round(self.sure + close * self.rolled_on))


def scatter(paths: Sequence[Path], keep: Path, seed: int) -> Iterator[str]:
    """How far costs are apart in matches that both engines judged, and what that makes of all."""
    engines = [
        Kept(Silent(engine.name), keep / "judged.sqlite3")
        for engine in (GnubgEngine(PLIES, 1, PATIENCE_S), SageEngine(1))
    ]
    apart: list[float] = []
    matches: list[tuple[Counted, ...]] = []
    both = close = rolled_on = 0
    for path in paths:
        asked = asked_of(path)
        matches.append(tuple(counted(asked, side) for side in Side))
        ours, theirs = (
            figures(asked, engine.judge(asked.questions(), lambda done, count: None))
            for engine in engines
        )
        if ours.unanswered or theirs.unanswered:
            continue
        both += 1
        cost = {key(weighed): weighed.cost for weighed in theirs.weighed}
        for weighed in ours.weighed:
            if weighed.counts and key(weighed) in cost:
                apart.append(cost[key(weighed)] - weighed.cost)
            if weighed.decision.choice is DecisionKind.ROLLED_ON:
                rolled_on, close = rolled_on + 1, close + weighed.counts
    if not apart:
        yield f"nothing is kept in {keep} that both engines judged"
        return
    yield (
        f"{len(apart)} decisions of {both} matches: apart by {statistics.mean(apart):+.4f} on"
        f" average, deviation {statistics.pstdev(apart):.4f}"
    )
    chance = random.Random(seed)
    for part in (1.0, 0.7, 0.6):
        shares = []
        for match in matches:
            within = sum(
                all(
                    within_one(part, chance.choices(apart, k=side.all(close / rolled_on)))
                    for side in match
                )
                for _ in range(RESAMPLED)
            )
            shares.append(within / RESAMPLED)
        deviation = math.sqrt(sum(share * (1 - share) for share in shares))
        yield (
            f"differing {part:.1f} times as much, {sum(shares):.1f} of {len(matches)} would be"
            f" within 1.0, give or take {deviation:.1f}"
        )


def within_one(part: float, apart: Sequence[float]) -> bool:
    return abs(PR_SCALE * part * sum(apart) / len(apart)) <= ONE_POINT


def counted(asked: MatchQuestions, side: Side) -> Counted:
    mine = [decision.choice for decision in asked.decisions if decision.side is side]
    rolled_on = sum(choice is DecisionKind.ROLLED_ON for choice in mine)
    return Counted(len(mine) - rolled_on, rolled_on)


def key(weighed: Costed) -> tuple[int, int, Side, DecisionKind]:
    one = weighed.decision
    return one.game, one.turn, one.side, one.choice


def asked_of(path: Path) -> MatchQuestions:
    return questions_of_match(read_file(path.read_bytes(), path.name))


class Silent(Engine):
    """An engine that answers nothing: what is kept of it is all there is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def judge(self, questions: object, progress: object) -> dict[Any, Judgement]:
        return {}


def main(argv: list[str]) -> int:
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    (folder,) = [Path(word) for word in argv if "=" not in word]
    seed = int(given.get("seed", "1"))
    paths = picked(folder, 30, "spread")
    for line in scatter(paths, Path(given.get("keep", "build/engine-bar")), seed):
        print(line, flush=True)
    for line in formulas(paths, int(given.get("positions", "120")), seed):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
