"""Positions judged by gnubg in a process of its own, where it is installed: equity, chances, best
plays. (E)

gnubg is a program under the GPL that speaks over a pipe; nothing of it is linked. It is told XGIDs
that we wrote ourselves, has a time limit, is killed when it hangs and then left alone for a while.
Its answer is text, read line by line; what is not understood is absent.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

COMMAND: Final = ("-t", "-q", "-r")
"""Text only, no sounds, no settings of the user's."""
_NICE: Final = shutil.which("nice")
YIELDING: Final = () if _NICE is None else (_NICE, "-n", "10")
"""What an engine is started through where there is such a thing: a table that plays comes first."""
_NOT_STARTED: Final = (126, 127)
"""Status of `nice` where there is no such program, or none that can be run."""
PLACES: Final = (*os.get_exec_path(), "/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
LIMIT_S: Final = 20.0
REST_S: Final = 30.0
"""How long a gnubg that hung or died is left alone."""
MOST: Final = 60
"""Positions of one question; the rest is asked next time."""
KEPT: Final = 5000
PLIES: Final = 2
"""How deep a position is looked into; its rows for fewer plies come along."""
_ROW: Final = re.compile(r"\s*(static|\d ply):((?:\s+[-+]?\d+\.\d+){6,7})\s*$", re.ASCII)
_PLAY: Final = re.compile(
    r"\s*\d+\.\s+Cube(?:ful|less) (\d)-ply\s+(\S.*?)\s+(?:Eq|MWC)\.:\s+([-+]?\d+\.\d+)", re.ASCII
)
_CUBE: Final = re.compile(
    r"\s*\d\. (No (?:re)?double|(?:Double|Redouble), (?:take|pass|beaver))\s+([-+]?\d+\.\d+)",
    re.ASCII | re.IGNORECASE,
)
_MARK: Final = re.compile(r"Player 0 is now known as `mark(\d+)'", re.ASCII)


TroubleCode = Literal["absent", "hung", "broken"]


class AnalysisError(Exception):
    """gnubg cannot be asked now: `code` for the page's words, and one line that says why."""

    def __init__(self, code: TroubleCode, line: str) -> None:
        super().__init__(line)
        self.code = code


@dataclass(frozen=True, slots=True)
class Verdict:
    """What gnubg says of a position, for the side on roll; equities cubeful, in points of this cube
    (a match: scaled alike).
    """

    equity: float | None = None
    """Before the roll, deepest row."""
    one_ply: float | None = None
    """Before the roll, the average over the rolls: what luck is measured from."""
    static: float | None = None
    chances: tuple[float, ...] = ()
    """Wins, wins of gammon or more, of backgammon, losses of gammon or more, of backgammon:

    0 to 1.
    """
    plays: tuple[tuple[str, float], ...] = ()
    """With a roll: plays from the best, each with its equity."""
    plies: tuple[int, ...] = ()
    """How deep each of them was looked into."""
    no_double: float | None = None
    take: float | None = None
    """Before the roll: not doubling, and doubling that is taken; absent where there is no cube."""


def script(xgids: Sequence[str]) -> str:
    """What gnubg is told: each position between marks that it repeats on the same pipe."""
    lines = ["set automatic game off", "set automatic roll off", "set output mwc off"]
    for number, xgid in enumerate(xgids):
        rolled = xgid.split(":")[4] != "00"
        plies = 0 if rolled else PLIES
        lines += [
            f"set evaluation chequerplay evaluation plies {plies}",
            f"set evaluation cubedecision evaluation plies {plies}",
        ]
        lines += [
            f"set player 0 name mark{number}",
            f"set xgid {xgid}",
            "hint" if rolled else "eval",
        ]
    return "\n".join((*lines, f"set player 0 name mark{len(xgids)}", ""))


def read_answers(said: str, xgids: Sequence[str]) -> dict[str, Verdict]:
    """gnubg's answers by position; one that it did not come to is not there."""
    parts = marked_parts(said)
    return {
        xgid: verdict(parts[number])
        for number, xgid in enumerate(xgids)
        if number in parts and number + 1 in parts
    }


def marked_parts(said: str) -> dict[int, list[str]]:
    """What gnubg said after each mark, by the mark's number."""
    parts: dict[int, list[str]] = {}
    current = -1
    for line in said.splitlines():
        if mark := _MARK.search(line):
            current = int(mark[1])
            parts[current] = []
        elif current >= 0:
            parts[current].append(line)
    return parts


def verdict(lines: Iterable[str]) -> Verdict:
    """One position's answer."""
    rows: dict[str, tuple[float, ...]] = {}
    found: list[tuple[str, float]] = []
    plies: list[int] = []
    cube: dict[str, float] = {}
    for line in lines:
        if row := _ROW.match(line):
            rows[row[1]] = tuple(map(float, row[2].split()))
        elif play := _PLAY.match(line):
            found.append((play[2], float(play[3])))
            plies.append(int(play[1]))
        elif offer := _CUBE.match(line):
            cube[offer[1].lower().split()[-1]] = float(offer[2])
    deepest = (
        rows[max(rows, key=lambda name: -1 if name == "static" else int(name[0]))] if rows else ()
    )
    equity = {name: row[-1] for name, row in rows.items()}
    # A finished race is known exactly: then there is one row for every depth.
    one = equity.get("1 ply", equity.get("static"))
    return Verdict(
        deepest[-1] if deepest else None,
        one,
        equity.get("static"),
        deepest[:5],
        tuple(found),
        tuple(plies),
        cube.get("double", cube.get("redouble")),
        cube.get("take", cube.get("beaver")),
    )


class Gnubg:
    """Asks gnubg, one question at a time, and remembers what it said.

    Blocking: call it from a worker thread.
    """

    def __init__(self, program: Path | None = None, limit_s: float = LIMIT_S) -> None:
        found = program or shutil.which("gnubg", path=os.pathsep.join(PLACES))
        self.program = Path(found) if found else None
        self.limit_s = limit_s
        self.known: dict[str, Verdict] = {}
        self._rests_until = 0.0
        self._trouble: AnalysisError | None = None

    def ask(self, xgids: Sequence[str]) -> Mapping[str, Verdict]:
        """Verdicts of these positions, the first `MOST` that are not known asked now.

        Raises AnalysisError.
        """
        if self.program is None:
            raise self.absent()
        if self._trouble is not None and time.monotonic() < self._rests_until:
            raise self._trouble
        self._trouble = None
        new = [x for x in dict.fromkeys(xgids) if x not in self.known][:MOST]
        if new:
            if len(self.known) > KEPT:
                self.known.clear()
            self.known.update(read_answers(self.told(script(new)), new))
            for xgid in new:
                self.known.setdefault(xgid, Verdict())
        return {x: self.known[x] for x in xgids if x in self.known}

    @staticmethod
    def absent() -> AnalysisError:
        """Why nothing is judged where there is no gnubg."""
        return AnalysisError(
            "absent",
            "gnubg is not installed on this machine: apt install gnubg, then start the page again",
        )

    def told(self, commands: str) -> str:
        """What gnubg says to these commands, in a process of its own.

        Raises AnalysisError.
        """
        if self.program is None:
            raise self.absent()
        try:
            # It will not start without a home to write into, and its decimals follow the locale.
            with tempfile.TemporaryDirectory(prefix="takhte-") as home:
                done = subprocess.run(  # noqa: S603 - found on this machine; the words are our own
                    [*YIELDING, str(self.program), *COMMAND],
                    input=commands.encode(),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    timeout=self.limit_s,
                    env={"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LC_ALL": "C"},
                    cwd=home,
                    start_new_session=True,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise self._rest(
                "hung",
                f"gnubg did not answer within {self.limit_s:g} s and was ended; it is asked again"
                " later",
            ) from None
        except OSError as error:
            raise self._rest(
                "broken", f"{self.program} cannot be started ({error.strerror}): install gnubg anew"
            ) from None
        if done.returncode in _NOT_STARTED:
            raise self._rest("broken", f"{self.program} cannot be started: install gnubg anew")
        text = done.stdout.decode("utf-8", "replace")
        if not _MARK.search(text):
            raise self._rest(
                "broken",
                f"gnubg ended with status {done.returncode} and no answer; `gnubg -t -q -r` in a"
                " terminal says why",
            )
        return text

    def _rest(self, code: TroubleCode, line: str) -> AnalysisError:
        self._trouble = AnalysisError(code, line)
        self._rests_until = time.monotonic() + REST_S
        return self._trouble
