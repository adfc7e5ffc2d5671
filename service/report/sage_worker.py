"""The process in which Open Sage runs: an answer on standard output for each question on standard
input, JSON lines both; `null` where it has none. (E)

Every play is looked into one and two plies deep; those near the best by either, and the one that
was made, three plies deep, by the position that they leave to the opponent. The next turn asks of
that position anyway, so that what was made costs no look of its own.

By either: who looks an even number of rolls ahead sees the opponent's answer and not his own next,
so that one ply and three often agree where two do not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypedDict

from bgsage import BgBotAnalyzer, CubeActionResult, MoveAnalysis, flip_board, roll_luck

from rules.board import Placement, Side
from rules.dice import Roll
from rules.match import Match
from rules.notation.errors import NotationError
from rules.notation.xgid import read_xgid
from rules.play import plays
from rules.position import View, view_of
from service.report.engine import Judgement, judgement_text

NEAR: Final = 0.08
"""Plays within so much equity of the best at a look of one or of two plies are looked into deeply.
"""
MOST: Final = 4
"""How many of each look, beside the one that was made."""
OWNERS: Final = {"centered": "centered", "player": "opponent", "opponent": "player"}
"""Who owns the cube, said by one side and by the other."""

Play = tuple[int, ...]
"""A board after a play, the mover's view."""


def main() -> int:
    """Answers until standard input ends. A table that plays comes first."""
    os.nice(10)
    sages = Sages()
    for line in sys.stdin:
        xgid, board = json.loads(line)
        played = None if board is None else Placement(tuple(board[0]), tuple(board[1]))
        try:
            judged = _judged(sages, read_xgid(xgid), played)
        except (NotationError, ValueError, RuntimeError):
            judged = None
        sys.stdout.write(("null" if judged is None else judgement_text(judged)) + "\n")
        sys.stdout.flush()
    return 0


class _AtScore(TypedDict):
    cube_value: int
    cube_owner: str
    away1: int
    away2: int
    is_crawford: bool
    jacoby: bool
    beaver: bool


@dataclass(frozen=True)
class CubeAndScore:
    """What a position is judged at beside its board: cube and score, the mover's first."""

    cube: int
    owner: str
    away: tuple[int, int]
    crawford: bool
    jacoby: bool
    beavers: bool

    def said(self) -> _AtScore:
        """The same as the engine's questions take it."""
        return {
            "cube_value": self.cube,
            "cube_owner": self.owner,
            "away1": self.away[0],
            "away2": self.away[1],
            "is_crawford": self.crawford,
            "jacoby": self.jacoby,
            "beaver": self.beavers,
        }

    def for_the_other(self) -> CubeAndScore:
        """The same, said by the opponent."""
        away = self.away[1], self.away[0]
        return CubeAndScore(
            self.cube, OWNERS[self.owner], away, self.crawford, self.jacoby, self.beavers
        )


def cube_and_score(match: Match) -> CubeAndScore:
    """What a match is judged at, the side's on roll."""
    side, owner, rules = match.game.side or Side.WHITE, match.game.cube.owner, match.rules
    return CubeAndScore(
        match.game.cube.value,
        "centered" if owner is None else "player" if owner is side else "opponent",
        (match.away(side) or 0, match.away(side.other) or 0),
        match.is_crawford,
        rules.jacoby,
        rules.beavers,
    )


def _analyzer(level: str) -> Callable[[], BgBotAnalyzer]:
    return lambda: BgBotAnalyzer(eval_level=level, parallel_threads=1)


@dataclass(frozen=True)
class Sages:
    """The engine by how far it looks ahead, and what it said of positions that were asked of."""

    deep: BgBotAnalyzer = field(default_factory=_analyzer("3ply"))
    usual: BgBotAnalyzer = field(default_factory=_analyzer("2ply"))
    quick: BgBotAnalyzer = field(default_factory=_analyzer("1ply"))
    said: dict[tuple[Play, CubeAndScore], CubeActionResult] = field(default_factory=dict)

    def cube(self, board: Play, at: CubeAndScore) -> CubeActionResult:
        """Of a position before the roll, as deep as it goes."""
        if (board, at) not in self.said:
            self.said[board, at] = cube_action(self.deep, board, at)
        return self.said[board, at]

    def left(self, board: Play, at: CubeAndScore) -> float:
        """What it is worth to have left this board: the opponent is to roll, or to double."""
        return -float(self.cube(tuple(flip_board([*board])), at.for_the_other()).optimal_equity)


def cube_action(
    engine: BgBotAnalyzer, board: Play, at: CubeAndScore, *, details: bool = False
) -> CubeActionResult:
    """What an engine says of a position before the roll; `details`: roll by roll as well."""
    return engine.cube_action([*board], incl_2ply_details=details, **at.said())


def _judged(sages: Sages, match: Match, played: Placement | None) -> Judgement | None:
    roll = match.game.roll
    if roll is None:
        return _before_the_roll(sages, match)
    return _with_roll(sages, match, roll, played)


def _before_the_roll(sages: Sages, match: Match) -> Judgement:
    board, at, side = as_board(match.game.position.view), cube_and_score(match), match.game.side
    said = sages.cube(board, at)
    # Luck is measured from the usual look's average over the rolls.
    averaged = roll_luck(cube_action(sages.usual, board, at, details=True), 6, 5)
    may = side is not None and match.may_offer(side)
    return Judgement(
        tuple(float(p) for p in said.probs.to_list()),
        float(said.equity_nd),
        float(said.equity_dt) if may else None,
        float(said.equity_dp),
        None if averaged is None else float(averaged.average_equity),
    )


def _with_roll(
    sages: Sages, match: Match, roll: Roll, played: Placement | None
) -> Judgement | None:
    position, side, at = match.game.position, match.game.side or Side.WHITE, cube_and_score(match)
    view = None if played is None else view_of(played, position.ruleset.facing, side)
    made = None if view is None else as_board(view)
    board = as_board(position.view)
    moves, quick = (_moves(e, board, roll, at, made) for e in (sages.usual, sages.quick))
    if not moves or not quick:
        return None
    worth = {tuple(m.board): float(m.equity) for m in moves}
    best = tuple(moves[0].board)
    near = [*_nearest(moves), *_nearest(quick)]
    if made is not None and made in worth:
        near.append(made)
    compared = dict.fromkeys(near)
    if len(compared) > 1:
        # A game that a play ends is known exactly.
        deep = {b: sages.left(b, at) if _goes_on(b) else worth[b] for b in compared}
        best = max(deep, key=deep.__getitem__)
        worth |= deep
    text = next((str(p) for p in plays(position, roll) if as_board(p.view) == best), "")
    return Judgement(
        best=worth[best],
        best_text=text,
        played=None if made is None else worth.get(made),
        settled=float(quick[0].equity),
    )


def _moves(
    engine: BgBotAnalyzer, board: Play, roll: Roll, at: CubeAndScore, made: Play | None
) -> list[MoveAnalysis]:
    """The plays of a roll, the best first."""
    found: list[MoveAnalysis] = engine.checker_play(
        [*board],
        roll.high,
        roll.low,
        force_boards=[] if made is None else [[*made]],
        **at.said(),
    ).moves
    return found


def _nearest(moves: Sequence[MoveAnalysis]) -> list[Play]:
    """Those of a look that may be the best at a deeper one."""
    return [tuple(m.board) for m in moves[:MOST] if moves[0].equity - m.equity < NEAR]


def _goes_on(board: Play) -> bool:
    """Whether the mover still has a checker on the board."""
    return any(count > 0 for count in board[1:])


def as_board(view: View) -> Play:
    """A view as bgsage has it: the opponent's bar, points 1 to 24, the mover's bar."""
    return (view[26], *view[:24], view[24])


if __name__ == "__main__":
    raise SystemExit(main())
