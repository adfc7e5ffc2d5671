"""Open Sage (`bgsage`, MPL-2.0, from PyPI) behind the port, in processes of its own. (E)

Installed by the extra `report`, for machines without gnubg. The worker is `sage_worker.py`, run as
a program, one for each core: questions come as JSON lines, answers go back as JSON lines. A worker
has questions that follow each other in the match: what it found of a turn serves the next.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from service.report.decisions import Question
from service.report.engine import EngineError, Judgement, Progress, read_judgement

MOST_PROCESSES: Final = 8


class SageEngine:
    """The engine of the package `bgsage`, where it is installed."""

    def __init__(self, processes: int = 0) -> None:
        self.processes = processes or max(1, min(MOST_PROCESSES, os.cpu_count() or 1))
        # What judges otherwise has another name: answers are kept under it. `wide`: it takes the
        # plays near the best by two looks, and took those by one.
        version = importlib.metadata.version("bgsage") if self.installed else ""
        self.name = f"Open Sage {version}, 3-ply wide"

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec("bgsage") is not None

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        """What Open Sage says. Raises EngineError."""
        size = -(-len(questions) // self.processes)
        runs = [questions[at : at + size] for at in range(0, len(questions), size)] if size else []
        done = _Done(len(questions), progress)
        found: dict[Question, Judgement] = {}
        with ThreadPoolExecutor(max(1, len(runs))) as pool:
            for answers in pool.map(partial(_answers, done.one), runs):
                found |= answers
        return found


class _Done:
    """How many questions all workers together are through with."""

    def __init__(self, count: int, progress: Progress) -> None:
        self._count, self._progress, self._done = count, progress, 0
        self._lock = threading.Lock()

    def one(self) -> None:
        with self._lock:
            self._done += 1
            self._progress(self._done, self._count)


def _answers(
    one_done: Callable[[], None], questions: Sequence[Question]
) -> dict[Question, Judgement]:
    found: dict[Question, Judgement] = {}
    with subprocess.Popen(
        [sys.executable, "-m", "service.report.sage_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as worker:
        # Beside the reading: a pipe holds no more than some kilobytes.
        threading.Thread(target=_write, args=(worker, questions), daemon=True).start()
        assert worker.stdout is not None
        for question, line in zip(questions, worker.stdout, strict=False):
            judged = read_judgement(line)
            if judged is not None:
                found[question] = judged
            one_done()
    if worker.returncode:
        raise EngineError(
            "bgsage ended with an error; `python -m service.report.sage_worker` says why when it is"
            ' given a line such as ["XGID=...", null]'
        )
    return found


def _write(worker: subprocess.Popen[str], questions: Sequence[Question]) -> None:
    assert worker.stdin is not None
    try:
        for question in questions:
            board = question.played
            said = None if board is None else [board.white, board.black]
            worker.stdin.write(json.dumps([question.xgid, said]) + "\n")
        worker.stdin.close()
    except BrokenPipeError:
        # It died; that is said by who reads.
        return
