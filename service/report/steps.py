"""A match step by step: each decision with the board that it was made on, and how each game ended.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rules import game as do
from rules.board import Side
from rules.judge import judge
from rules.match import Match
from rules.notation.record import MatchRecord, games
from rules.play import Play
from rules.position import PositionError
from service.report.decisions import DecisionKind


@dataclass(frozen=True, slots=True)
class MatchStep:
    """One step. `match` is how it stood; `done` the play as it is written, "" where it cannot be;
    `ended` after a game's last.
    """

    game: int
    side: Side | None
    match: Match
    kind: DecisionKind | None = None
    done: str = ""
    stood: bool = False
    """The play broke a rule and stood."""
    ended: bool = False


@dataclass(frozen=True, slots=True)
class StepRow:
    """A line of a game's score sheet: White's step and Black's, each with its number in the match
    from 1; None where a side did nothing.
    """

    white: tuple[int, MatchStep] | None = None
    black: tuple[int, MatchStep] | None = None


def step_rows(steps: Sequence[MatchStep], game: int) -> tuple[StepRow, ...]:
    """The steps of one game as its score sheet has them, but for how it ended."""
    rows: list[StepRow] = []
    for number, step in enumerate(steps, start=1):
        if step.game != game or step.ended:
            continue
        told = number, step
        if step.side is Side.WHITE:
            rows.append(StepRow(white=told))
        elif rows and rows[-1].black is None:
            rows[-1] = replace(rows[-1], black=told)
        else:
            rows.append(StepRow(black=told))
    return tuple(rows)


def steps_of(record: MatchRecord) -> tuple[MatchStep, ...]:
    """Every step of a record, in order."""
    return tuple(_steps(record))


def _steps(record: MatchRecord) -> Iterator[MatchStep]:
    for game in games(record):
        for before, action, _ in game.steps:
            match action:
                case do.Played():
                    yield MatchStep(
                        game.number,
                        action.side,
                        before,
                        DecisionKind.PLAY,
                        _written(before, action),
                        action.stands,
                    )
                case do.Offered():
                    yield MatchStep(game.number, action.side, before, DecisionKind.DOUBLED)
                case do.Taken() | do.Beavered() if before.game.phase is do.GamePhase.OFFERED:
                    yield MatchStep(game.number, action.side, before, DecisionKind.TOOK)
                case do.Dropped():
                    yield MatchStep(game.number, action.side, before, DecisionKind.DROPPED)
                case _:
                    pass
        if game.after.game.result is not None:
            yield MatchStep(game.number, game.after.game.result.winner, game.after, ended=True)


def _written(before: Match, action: do.Played) -> str:
    try:
        found = judge(before.game.position, before.game.roll, action.after)
    except (PositionError, do.ActionError):
        return ""
    return str(found) if isinstance(found, Play) else ""
