"""`takhte report MATCH`: what a match that is over can teach, or the dice of an evening, as a page
and in a few lines. (E)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import platformdirs

from rules.board import Side
from rules.notation.errors import NotationError
from rules.words import SOURCE, Language, about_command, languages
from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.record.archive import ArchiveError
from service.report.decisions import questions_of_match
from service.report.engine import Engine, EngineError
from service.report.evening import dice_rows, last_evening
from service.report.figures import Figures, figures
from service.report.gnubg_engine import GnubgEngine
from service.report.kept import NAME, Kept
from service.report.sage_engine import SageEngine
from service.report.sheet import dice_page, report_page
from service.report.source import NoMatchError, ReportedMatch, read_sources, source_at

ENGINES: Final = ("auto", "gnubg", "sage", "none")
NO_ENGINE: Final = (
    "no engine is installed: apt install gnubg, or pip install bgsage in this environment"
)


def engine_of(name: str) -> Engine:
    """The engine of that name; `auto` is gnubg where it is installed, else Open Sage.

    Raises EngineError.
    """
    gnubg, sage = GnubgEngine(), SageEngine()
    if name in ("auto", "gnubg") and gnubg.installed:
        return gnubg
    if name in ("auto", "sage") and sage.installed:
        return sage
    raise EngineError(NO_ENGINE if name == "auto" else f"{name} is not installed; {NO_ENGINE}")


def judged(source: ReportedMatch, engine: Engine) -> Figures:
    """The figures of a match, progress told on standard error. Raises EngineError."""
    asked = questions_of_match(source.record)
    if not asked.questions():
        raise EngineError(
            f"engines know backgammon; this match is {source.record.rules.ruleset.name}"
        )

    def progress(done: int, count: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {count} positions", end="", file=sys.stderr, flush=True)

    answers = engine.judge(asked.questions(), progress)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return figures(asked, answers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when the report was written, 1 when it could not be."""
    parser = argparse.ArgumentParser(prog="takhte report", description=about_command(__doc__))
    parser.add_argument(
        "match",
        type=Path,
        metavar="MATCH",
        help="a match file (.mat, .sgf, .json, .xg), a journal or an archive",
    )
    parser.add_argument(
        "--number",
        type=int,
        help="which match; default: the first of a match file, the last of a journal",
    )
    parser.add_argument(
        "--dice", action="store_true", help="the dice of a journal's last evening, no engine asked"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page; default: MATCH.report.html here"
    )
    parser.add_argument("--lang", choices=languages(), default=SOURCE, help="language of the page")
    parser.add_argument(
        "--engine", choices=ENGINES, default="auto", help="who judges; default: who is installed"
    )
    parser.add_argument(
        "--kept",
        type=Path,
        metavar="FILE",
        default=Path(platformdirs.user_cache_dir("takhte")) / NAME,
        help="where judgements are kept for the next report",
    )
    given = parser.parse_args(arguments)
    target = given.out or Path(f"{given.match.stem}.{'dice' if given.dice else 'report'}.html")
    try:
        page, lines = _dice(given) if given.dice else _report(given)
        target.write_text(page, encoding="utf-8")
    except (NotationError, JournalError, StoreError, ArchiveError, NoMatchError) as error:
        print(f"takhte report: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"takhte report: {given.match}: {error}", file=sys.stderr)
        return 1
    print("\n".join([*lines, str(target)]))
    return 0


def _dice(given: argparse.Namespace) -> tuple[str, list[str]]:
    """The page of an evening's dice, and a line for each player."""
    evening = last_evening(read_sources(given.match))
    if not evening:
        raise NoMatchError(f"{given.match}: expected a match that is over, there is none")
    lines = [
        f"{row.name or 'everybody'}: {row.counts.rolls} rolls,"
        f" {row.counts.doubles.counted:g} doubles,"
        f" {row.counts.pips.counted:.2f} pips a roll{', not read' if row.guessed else ''}"
        for row in dice_rows(evening)
    ]
    return dice_page(evening, languages()[given.lang]), lines


def _report(given: argparse.Namespace) -> tuple[str, list[str]]:
    """The page of a match, and what a terminal is told."""
    source = source_at(given.match, given.number)
    if source.running:
        raise NoMatchError(
            f"{given.match}: expected a match that is over, this one is not: its report would"
            " be advice to who plays it"
        )
    found, name, trouble = _asked(source, given.engine, given.kept)
    page = report_page(source, found, name, trouble, languages()[given.lang])
    lines = summary(source, found, languages()[SOURCE])
    return page, [*lines, trouble] if trouble else lines


def _asked(source: ReportedMatch, engine: str, kept: Path) -> tuple[Figures | None, str, str]:
    """The figures, who judged, and why nobody did."""
    if engine == "none":
        return None, "", "no engine was asked"
    try:
        found = Kept(engine_of(engine), kept)
        return judged(source, found), found.name, ""
    except EngineError as error:
        return None, "", str(error)


def summary(source: ReportedMatch, found: Figures | None, language: Language) -> list[str]:
    """The report in a few lines for a terminal."""
    final = source.record.final()
    lines = [f"{source.record.names[s]} {final.score.of(s)}" for s in Side]
    if found is None:
        return lines
    for number, side in enumerate(Side):
        mine = found.sides[side]
        pr = "-" if mine.pr is None else f"{mine.pr:.2f}"
        lines[number] += (
            f": PR {pr}, errors {mine.errors}, blunders {mine.blunders}, luck {mine.luck:+.3f}"
        )
    for w in found.blunders()[:3]:
        done = w.decision.text or w.decision.choice.value
        lines.append(
            f"  game {w.decision.game}, turn {w.decision.turn},"
            f" {source.record.names[w.decision.side]}: {done} cost {w.cost:.3f};"
            f" better {w.better}"
        )
    return lines
