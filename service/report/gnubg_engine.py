"""gnubg behind the port: commands in, its text read, two processes side by side. (E)

Plays are asked two plies deep and again without looking ahead, which is what luck is measured with:
the average over the rolls (its row `1 ply`) is of plays found so. gnubg looks deeper only into
plays that look near the best; what it did not is asked once more, by the board that was left.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from rules.apply import apply
from rules.game import GamePhase, Played
from rules.notation.errors import NotationError
from rules.notation.plays import read_play
from rules.notation.record import moved
from rules.notation.xgid import read_xgid, write_xgid
from rules.play import plays
from service.report.decisions import Question, unrolled
from service.report.engine import EngineError, Judgement, Progress
from service.report.gnubg import AnalysisError, Gnubg, Verdict, marked_parts, verdict

PLIES: Final = 2
CHUNK: Final = 24
"""Positions of one process: some seconds of work, so that progress shows."""
FILTER: Final = "0 16 0.32"
"""Plays that are looked into deeper, as in gnubg's own analysis: up to 16 within so much equity of
the best; what a hint takes by itself is narrower.
"""
CHUNK_LIMIT_S: Final = 240.0
_HEAD: Final = (
    "set automatic game off",
    "set automatic roll off",
    "set output mwc off",
    # Three digits are too few for a cube that is nearly close: 0.1593 is below 0.16, 0.160 is not.
    "set output digits 6",
)


class GnubgEngine:
    """Debian's gnubg, where it is installed."""

    def __init__(
        self, plies: int = PLIES, processes: int = 0, limit_s: float = CHUNK_LIMIT_S
    ) -> None:
        assert plies >= 1, "luck is measured from an average over the rolls, one ply ahead"
        self.gnubg = Gnubg(limit_s=limit_s)
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
        quick = self._asked(
            [(xgid, 0) for q in questions if _rolled(q.xgid) for xgid in (q.xgid, q.after) if xgid]
        )
        found: dict[Question, Judgement] = {}
        hinted: dict[Question, _Hinted] = {}
        for question in questions:
            said = first.get((question.xgid, self.plies))
            if said is not None and not _rolled(question.xgid):
                found[question] = _before_the_roll(said)
            elif said is not None:
                hinted[question] = _hinted(question, said, self.plies)
        deeper = self._asked(
            [(xgid, self.plies) for each in hinted.values() for xgid in each.shallow()]
        )
        afters = {xgid: after for (xgid, _), after in deeper.items()}
        for question, each in hinted.items():
            found[question] = _with_roll(each, afters, _settled(question, quick))
        return found

    def _asked(self, asked: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Verdict]:
        if not asked:
            return {}
        lines = [*_HEAD, f"set evaluation movefilter {self.plies} 0 {FILTER}"]
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


@dataclass(frozen=True, slots=True)
class _Hinted:
    """What `hint` said of a roll: its best play and the one that was made, each with the position
    after it where gnubg did not look into it as deeply as it was told to, "" where it did.
    """

    text: str = ""
    best: float | None = None
    best_after: str = ""
    played: float | None = None
    played_after: str = ""

    def shallow(self) -> tuple[str, ...]:
        """Positions to be asked: what is compared is looked into equally."""
        return tuple(dict.fromkeys(x for x in (self.best_after, self.played_after) if x))


def _hinted(question: Question, said: Verdict, plies: int) -> _Hinted:
    match = read_xgid(question.xgid)
    roll, side = match.game.roll, match.game.side
    if roll is None or side is None or not said.plays:
        # Nothing could be played: the position after it says what the roll was worth.
        return _Hinted(played_after=question.after)
    position = match.game.position
    legal = {play.placement: play for play in plays(position, roll)}
    rows = []
    for (text, equity), depth in zip(said.plays, said.plies, strict=True):
        try:
            left = moved(position, read_play(text))
        except NotationError:
            continue
        rows.append((None if left is None else legal.get(left), text, equity, depth))
    best, text, equity, depth = rows[0]
    made = next((row for row in rows if row[0] and row[0].placement == question.played), None)
    if made is not None and made == rows[0]:
        return _Hinted(str(best), equity, "", equity)
    best_after = ""
    if best is not None and depth < plies:
        after = apply(match, Played(side, best.placement))
        # A game that a play ends is known exactly.
        best_after = "" if after.game.phase is GamePhase.OVER else write_xgid(unrolled(after))
    exact = made is not None and (made[3] == plies or not question.after)
    return _Hinted(
        text if best is None else str(best),
        equity,
        best_after,
        None if made is None else made[2],
        "" if exact else question.after,
    )


def _settled(question: Question, quick: Mapping[tuple[str, int], Verdict]) -> float | None:
    """What the roll was worth by its best play, without looking ahead; by the position after it
    where nothing could be played.
    """
    said, after = quick.get((question.xgid, 0)), quick.get((question.after, 0))
    if said is not None and said.plays:
        return said.plays[0][1]
    return None if after is None else _answered(after)


def _with_roll(hinted: _Hinted, afters: Mapping[str, Verdict], settled: float | None) -> Judgement:
    best, played = hinted.best, hinted.played
    if hinted.best_after in afters:
        best = _answered(afters[hinted.best_after])
    after = afters.get(hinted.played_after)
    if after is not None:
        played = _answered(after)
    if best is None:
        best = played
    elif played is not None:
        best = max(best, played)
    return Judgement(best=best, best_text=hinted.text, played=played, settled=settled)


def _answered(after: Verdict) -> float | None:
    """The equity of having left this position: the side that is to answer may double first, which
    its own row leaves out.
    """
    if after.equity is None:
        return None
    doubled = -10.0 if after.take is None else min(after.take, 1.0)
    return -max(after.equity, doubled)
