"""What engines said before, by position: one SQLite file that every report of a machine shares. (E)

It may be deleted at any time. A file that is broken or cannot be written is done without.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from service.report.decisions import Question
from service.report.engine import Engine, Judgement, Progress, judgement_text, read_judgement

NAME: Final = "judged.sqlite3"
_CHUNK: Final = 96
"""Positions after whose judgement the answers are kept: what is stopped goes on from there."""
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS judged"
    " (engine TEXT, xgid TEXT, played TEXT, said TEXT, PRIMARY KEY (engine, xgid, played))"
    " WITHOUT ROWID"
)


class Kept:
    """An engine that remembers: what it has said of a position it is not asked again."""

    def __init__(self, engine: Engine, path: Path | None) -> None:
        self.engine, self.path = engine, path
        self.name = engine.name

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        """Raises EngineError."""
        found = dict(self._known(questions))
        new = [q for q in questions if q not in found]
        before = len(found)
        progress(before, len(questions))
        for start in range(0, len(new), _CHUNK):
            told = functools.partial(_from, progress, before + start, len(questions))
            said = self.engine.judge(new[start : start + _CHUNK], told)
            self._keep(said)
            found |= said
        return found

    def _known(self, questions: Sequence[Question]) -> dict[Question, Judgement]:
        if self.path is None or not self.path.exists():
            return {}
        found = {}
        try:
            with closing(sqlite3.connect(self.path)) as base:
                for question in questions:
                    row = base.execute(
                        "SELECT said FROM judged WHERE engine = ? AND xgid = ? AND played = ?",
                        (self.name, question.xgid, _played(question)),
                    ).fetchone()
                    judged = None if row is None else read_judgement(row[0])
                    if judged is not None:
                        found[question] = judged
        except (sqlite3.Error, ValueError):
            return {}
        return found

    def _keep(self, said: Mapping[Question, Judgement]) -> None:
        if self.path is None:
            return
        rows = [
            (self.name, q.xgid, _played(q), judgement_text(judged)) for q, judged in said.items()
        ]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path)) as base, base:
                base.execute(_SCHEMA)
                base.executemany("INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?)", rows)
        except (sqlite3.Error, OSError):
            self.path = None


def _from(progress: Progress, before: int, count: int, done: int, _: int) -> None:
    progress(before + done, count)


def _played(question: Question) -> str:
    board = question.played
    return "" if board is None else " ".join(map(str, (*board.white, *board.black)))
