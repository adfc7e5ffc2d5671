"""gnubg behind the port: commands in, its text read, two processes side by side. (E)

Plays are asked two plies deep and again without looking ahead, which is what luck is measured with:
the average over the rolls (its row `1 ply`) is of plays found so. A play that gnubg did not look
into as deeply as its best is asked once more by the board that it left.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from rules.game import GamePhase
from rules.match import Match
from rules.notation.errors import NotationError
from rules.notation.plays import read_play
from rules.notation.record import moved
from rules.notation.xgid import read_xgid
from rules.play import plays
from service.report.decisions import Question
from service.report.engine import EngineError, Judgement, Progress
from service.report.gnubg import AnalysisError, Gnubg, Verdict, marked_parts, verdict

PLIES: Final = 2
CHUNK: Final = 24
"""Positions of one process: some seconds of work, so that progress shows."""
CHUNK_LIMIT_S: Final = 240.0
_HEAD: Final = ("set automatic game off", "set automatic roll off", "set output mwc off")


class GnubgEngine:
    """Debian's gnubg, where it is installed."""

    def __init__(self, plies: int = PLIES, processes: int = 0) -> None:
        assert plies >= 1, "luck is measured from an average over the rolls, one ply ahead"
        self.gnubg = Gnubg(limit_s=CHUNK_LIMIT_S)
        self.plies = plies
        self.processes = processes or max(1, min(8, os.cpu_count() or 1))
        self.name = f"gnubg, {plies} plies"

    @property
    def installed(self) -> bool:
        return self.gnubg.program is not None

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        """What gnubg says; a position that it did not come to is absent. Raises EngineError."""
        chunks = [questions[i : i + CHUNK] for i in range(0, len(questions), CHUNK)]
        found: dict[Question, Judgement] = {}
        with ThreadPoolExecutor(self.processes) as pool:
            try:
                for chunk, answers in zip(chunks, pool.map(self._chunk, chunks), strict=True):
                    found |= answers
                    progress(min(len(questions), len(found)), len(questions))
                    if not answers:
                        raise EngineError(f"gnubg said nothing of {chunk[0].xgid}")
            except AnalysisError as error:
                pool.shutdown(cancel_futures=True)
                raise EngineError(str(error)) from None
        return found

    def _chunk(self, questions: Sequence[Question]) -> dict[Question, Judgement]:
        first = self._asked([(q.xgid, self.plies) for q in questions])
        quick = self._asked([(q.xgid, 0) for q in questions if _rolled(q.xgid)])
        found, shallow = {}, []
        for question in questions:
            said = first.get((question.xgid, self.plies))
            if said is None:
                continue
            if not _rolled(question.xgid):
                found[question] = _before_the_roll(said)
                continue
            judged = _with_roll(question, said, quick.get((question.xgid, 0)), self.plies)
            found[question] = judged
            if question.after and (judged.played is None or judged.settled is None):
                shallow.append(question)
        deeper = self._asked([(q.after, self.plies) for q in shallow])
        for question in shallow:
            after = deeper.get((question.after, self.plies))
            if after is not None:
                found[question] = _completed(found[question], after)
        return found

    def _asked(self, asked: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Verdict]:
        if not asked:
            return {}
        lines = [*_HEAD]
        for number, (xgid, plies) in enumerate(asked):
            lines += [
                f"set evaluation chequerplay evaluation plies {plies}",
                f"set evaluation cubedecision evaluation plies {plies}",
                f"set player 0 name mark{number}",
                f"set xgid {xgid}",
                "hint 60" if _rolled(xgid) else "eval",
            ]
        lines += [f"set player 0 name mark{len(asked)}", ""]
        parts = marked_parts(self.gnubg.told("\n".join(lines)))
        return {
            one: verdict(parts[number])
            for number, one in enumerate(asked)
            if number in parts and number + 1 in parts
        }


def _rolled(xgid: str) -> bool:
    return xgid.split(":")[4] != "00"


def _before_the_roll(said: Verdict) -> Judgement:
    no_double = said.equity if said.no_double is None else said.no_double
    return Judgement(said.chances, no_double, said.take, mean=said.one_ply)


def _with_roll(question: Question, said: Verdict, quick: Verdict | None, plies: int) -> Judgement:
    settled = quick.plays[0][1] if quick is not None and quick.plays else None
    if not said.plays:
        return Judgement(settled=settled)
    match = read_xgid(question.xgid)
    played = None
    if match.game.phase is GamePhase.ROLLED and question.played is not None:
        for (text, equity), depth in zip(said.plays, said.plies, strict=True):
            try:
                after = moved(match.game.position, read_play(text))
            except NotationError:
                continue
            if after == question.played and (depth == said.plies[0] or not question.after):
                played = equity
    text, best = said.plays[0]
    return Judgement(best=best, best_text=_as_we_write(match, text), played=played, settled=settled)


def _as_we_write(match: Match, text: str) -> str:
    """A play in the house's own notation, or as gnubg wrote it where it is none of the roll's."""
    position, roll = match.game.position, match.game.roll
    if roll is None:
        return text
    after = moved(position, read_play(text))
    return next((str(play) for play in plays(position, roll) if play.placement == after), text)


def _completed(judged: Judgement, after: Verdict) -> Judgement:
    """With the equity of what was played, from the side that is to answer it."""
    if after.equity is None:
        return judged
    forced = judged.best is None
    return Judgement(
        best=-after.equity if forced else judged.best,
        best_text=judged.best_text,
        played=-after.equity if judged.played is None else judged.played,
        settled=judged.settled
        if judged.settled is not None
        else None
        if after.static is None
        else -after.static,
    )
