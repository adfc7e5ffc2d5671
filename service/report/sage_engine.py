"""Open Sage (`bgsage`, MPL-2.0, from PyPI) behind the port, in a process of its own. (E)

Installed by the extra `report`, for machines without gnubg. The worker is `sage_worker.py`, run as
a program: questions come as JSON lines, answers go back as JSON lines.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from service.report.decisions import Question
from service.report.engine import EngineError, Judgement, Progress, read_judgement


class SageEngine:
    """The engine of the package `bgsage`, where it is installed."""

    name = "Open Sage, 3-ply"

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec("bgsage") is not None

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        """What Open Sage says. Raises EngineError."""
        found: dict[Question, Judgement] = {}
        with subprocess.Popen(
            [sys.executable, "-m", "service.report.sage_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as worker:
            # Beside the reading: a pipe holds no more than some kilobytes.
            writing = threading.Thread(target=_write, args=(worker, questions), daemon=True)
            writing.start()
            assert worker.stdout is not None
            for question, line in zip(questions, worker.stdout, strict=False):
                judged = read_judgement(line)
                if judged is not None:
                    found[question] = judged
                progress(len(found), len(questions))
        if worker.returncode:
            raise EngineError(
                "bgsage ended with an error; `python -m service.report.sage_worker` says why when"
                ' it is given a line such as ["XGID=...", null]'
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
