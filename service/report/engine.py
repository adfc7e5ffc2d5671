"""What an engine is to the house: positions go in, what it thinks of them comes out. Pure.

Equities are the side's on roll, cubeful, in points of the cube as it stands; in a match they are
scaled alike, so that losing the game at this cube is -1 and a drop costs 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import TypeAdapter, ValidationError

from service.report.decisions import Question


class EngineError(Exception):
    """No engine can be asked, or one failed; one line says why and what to do."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an engine says of one question.

    Before the roll: `chances` (wins, gammons, backgammons, lost gammons, lost backgammons, 0 to 1),
    `no_double`, `take` (doubled and taken; None without a cube), `drop`, and `mean`, the average
    over the rolls that luck is measured from. With a roll: `best` with its `best_text` and
    `best_board`, `played` as it was played, and `settled`, the roll's equity as `mean` has it.
    """

    chances: tuple[float, ...] = ()
    no_double: float | None = None
    take: float | None = None
    drop: float = 1.0
    mean: float | None = None
    best: float | None = None
    best_text: str = ""
    played: float | None = None
    settled: float | None = None


Progress = Callable[[int, int], None]
"""Told how many positions are judged, of how many."""


class Engine(Protocol):
    """A program that judges positions, in a process of its own."""

    name: str
    """What people call it, with how deep it looks: `gnubg, 2 plies`."""

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        """Raises EngineError; a question that it has no answer to is absent."""
        ...


_JUDGEMENT: Final = TypeAdapter(Judgement)


def judgement_text(judged: Judgement) -> str:
    """A judgement as one line, for a file or a pipe."""
    return _JUDGEMENT.dump_json(judged).decode()


def read_judgement(text: str) -> Judgement | None:
    """The judgement of such a line; None where it is none."""
    try:
        return _JUDGEMENT.validate_json(text)
    except ValidationError:
        return None
