"""The process in which Open Sage runs: an answer on standard output for each question on standard
input, JSON lines both; `null` where it has none. (E)
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Final

from bgsage import BgBotAnalyzer, MoveAnalysis, roll_luck

from rules.board import Placement, Side
from rules.match import Match
from rules.notation.errors import NotationError
from rules.notation.xgid import read_xgid
from rules.play import plays
from rules.position import View, view_of
from service.report.engine import Judgement, judgement_text

DOUBTED: Final = 0.04
"""A play that loses so much at the usual look is looked at more deeply: that takes two seconds."""


def main() -> int:
    """Answers until standard input ends. A table that plays comes first."""
    os.nice(10)
    engines = Sages(*(BgBotAnalyzer(eval_level=level) for level in ("3ply", "2ply", "1ply")))
    for line in sys.stdin:
        xgid, board = json.loads(line)
        played = None if board is None else Placement(tuple(board[0]), tuple(board[1]))
        try:
            judged = _judged(engines, read_xgid(xgid), played)
        except (NotationError, ValueError, RuntimeError):
            judged = None
        sys.stdout.write(("null" if judged is None else judgement_text(judged)) + "\n")
        sys.stdout.flush()
    return 0


@dataclass(frozen=True)
class Sages:
    """The engine by how far it looks ahead."""

    deep: BgBotAnalyzer
    usual: BgBotAnalyzer
    quick: BgBotAnalyzer


def _judged(sages: Sages, match: Match, played: Placement | None) -> Judgement | None:
    position, roll, side = match.game.position, match.game.roll, match.game.side or Side.WHITE
    board = as_board(position.view)
    owner = match.game.cube.owner
    cube = match.game.cube.value
    whose = "centered" if owner is None else "player" if owner is side else "opponent"
    away = match.away(side) or 0, match.away(side.other) or 0
    crawford, rules = match.is_crawford, match.rules
    if roll is None:
        # The average over the rolls is the usual look's; a cube is where depth matters most.
        looked, said = (
            each.cube_action(
                board,
                cube,
                whose,
                away1=away[0],
                away2=away[1],
                is_crawford=crawford,
                jacoby=rules.jacoby,
                beaver=rules.beavers,
                incl_2ply_details=each is sages.usual,
            )
            for each in (sages.usual, sages.deep)
        )
        averaged = roll_luck(looked, 6, 5)
        chances = tuple(float(p) for p in said.probs.to_list())
        mean = None if averaged is None else float(averaged.average_equity)
        may = match.may_offer(side)
        return Judgement(
            chances,
            float(said.equity_nd),
            float(said.equity_dt) if may else None,
            float(said.equity_dp),
            mean,
        )
    view = None if played is None else view_of(played, position.ruleset.facing, side)
    forced = [] if view is None else [as_board(view)]

    def asked(each: BgBotAnalyzer) -> list[MoveAnalysis]:
        found: list[MoveAnalysis] = each.checker_play(
            board,
            roll.high,
            roll.low,
            cube,
            whose,
            away1=away[0],
            away2=away[1],
            is_crawford=crawford,
            jacoby=rules.jacoby,
            beaver=rules.beavers,
            force_boards=forced,
        ).moves
        return found

    moves, quick = asked(sages.usual), asked(sages.quick)
    if not moves or not quick:
        return None
    made = _made(moves, forced)
    if made is not None and moves[0].equity - made.equity >= DOUBTED:
        moves = asked(sages.deep) or moves
        made = _made(moves, forced)
    best = moves[0]
    text = next((str(p) for p in plays(position, roll) if as_board(p.view) == [*best.board]), "")
    return Judgement(
        best=float(best.equity),
        best_text=text,
        played=None if made is None else float(made.equity),
        settled=float(quick[0].equity),
    )


def _made(moves: list[MoveAnalysis], forced: list[list[int]]) -> MoveAnalysis | None:
    """What was played, among the moves."""
    return next((m for m in moves if [*m.board] in forced), None)


def as_board(view: View) -> list[int]:
    """A view as bgsage has it: the opponent's bar, points 1 to 24, the mover's bar."""
    return [view[26], *view[:24], view[24]]


if __name__ == "__main__":
    raise SystemExit(main())
