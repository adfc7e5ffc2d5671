"""What the decisions of a match that is being played cost, worked out beside the page: a thread
asks the engine, newest game first, and whoever asks is told what is known by then. (E)
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rules.notation.record import MatchRecord
from service.report.command import engine_of
from service.report.decisions import DecisionKind, Question, questions_of_match
from service.report.engine import EngineError, Judgement
from service.report.figures import figures
from service.report.kept import Kept
from service.web.commentary_schema import CourseOut

AT_ONCE: Final = 8
"""Positions of one question to the engine: some seconds, after which the newest comes first."""
REMEMBERED: Final = 20_000
"""Answers kept in memory; the rest is read from the file again."""


@dataclass(frozen=True, slots=True)
class MatchCosts:
    """What is known of a match: the cost of a play and what was better, by the position with its
    roll; and how the match stood before each roll.
    """

    costs: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    course: tuple[CourseOut, ...] = ()
    pending: int = 0
    """Positions that are still to be judged."""


NO_COSTS: Final = MatchCosts()


class Weigher:
    """One engine for the machine. Thread-safe; `weighed` does not wait for the engine."""

    def __init__(self, kept: Path | None) -> None:
        """`kept` is the file of what engines said, which reports share."""
        self._kept = kept
        self._answers: dict[Question, Judgement] = {}
        self._wanted: list[Question] = []
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self.trouble = ""

    def finish(self) -> None:
        """Wait until what is wanted now is known."""
        if (worker := self._worker) is not None:
            worker.join()

    def weighed(self, record: MatchRecord) -> MatchCosts:
        """What is known of this match; what is not is worked on from now on. Blocking, briefly."""
        asked = questions_of_match(record)
        questions = asked.questions()
        with self._lock:
            known = {q: self._answers[q] for q in questions if q in self._answers}
            self._wanted = [q for q in reversed(questions) if q not in known]
            pending = len(self._wanted)
            if self._wanted and self._worker is None and not self.trouble:
                self._worker = threading.Thread(target=self._work, daemon=True)
                self._worker.start()
        found = figures(asked, known)
        costs = {
            one.decision.question.xgid: (one.cost, one.better)
            for one in found.weighed
            if one.decision.choice is DecisionKind.PLAY
        }
        course = tuple(
            CourseOut(game=at.game, turn=at.turn, white=round(at.white, 4)) for at in found.moments
        )
        return MatchCosts(costs, course, 0 if self.trouble else pending)

    def _work(self) -> None:
        while True:
            with self._lock:
                batch = self._wanted[:AT_ONCE]
                if not batch or self.trouble:
                    self._worker = None
                    return
            try:
                said = Kept(engine_of("auto"), self._kept).judge(batch, lambda done, count: None)
            except EngineError as error:
                said, self.trouble = {}, str(error)
            with self._lock:
                if len(self._answers) > REMEMBERED:
                    self._answers.clear()
                # What an engine has no answer to is not asked again.
                self._answers |= {q: said.get(q, Judgement()) for q in batch}
                self._wanted = [q for q in self._wanted if q not in self._answers]
