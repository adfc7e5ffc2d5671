"""The report as a page: one file of HTML with its pictures, for the screen, paper and PDF (a
browser prints it). Pure but for reading its template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from rules.board import Side
from rules.words import Language
from service.report.decisions import DecisionKind
from service.report.dice_counts import Measure
from service.report.drawn import board_svg
from service.report.evening import dice_rows
from service.report.figures import ERROR, Costed, CoursePoint, Figures
from service.report.source import ReportedMatch

MOST_BLUNDERS: Final = 12
"""Blunders that are drawn; the table below has them all."""
GRAPH: Final = (720, 200)
_ENVIRONMENT: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A blunder with its picture."""

    weighed: Costed
    picture: Markup


Back = tuple[str, str]
"""Where a page was come to from, and its words; a page that is a file has none."""


def report_page(
    source: ReportedMatch,
    found: Figures | None,
    engine: str,
    trouble: str,
    language: Language,
    back: Back | None = None,
) -> str:
    """The page. `found` None: nothing judged it, and `trouble` says why in a line."""
    record = source.record
    final = record.final()
    blunders = found.blunders() if found else []
    return _ENVIRONMENT.get_template("report.html").render(
        _=language.say,
        language=language,
        names={side: record.names[side] for side in Side},
        sides=tuple(Side),
        final=final,
        tags=dict(record.tags),
        source=source,
        found=found,
        engine=engine,
        trouble=trouble,
        drawn=[Drawn(w, _picture(w, language)) for w in blunders[:MOST_BLUNDERS]],
        costly=found.blunders(ERROR) if found else [],
        choice_words=_choice_words(language),
        adjusted=_adjusted(source, found),
        graph=_graph(found.moments, language) if found and found.moments else "",
        dice=dice_rows([source]),
        shown=partial(_shown, language),
        digits=language.with_digits,
        said_dice=partial(_said_dice, language),
        back=back,
    )


def _picture(weighed: Costed, language: Language) -> Markup:
    match = weighed.decision.match
    game = match.game
    # What the parts of the picture say is escaped where it is drawn.
    return Markup(  # noqa: S704
        board_svg(
            game.placement,
            cube=game.cube,
            roll=game.roll if weighed.decision.choice is DecisionKind.PLAY else None,
            side=game.side,
            title=language.say("Position"),
            facing=game.ruleset.facing,
        )
    )


def _choice_words(language: Language) -> dict[str, str]:
    return {
        DecisionKind.ROLLED_ON.value: language.say("no double"),
        DecisionKind.DOUBLED.value: language.say("double"),
        DecisionKind.TOOK.value: language.say("take"),
        DecisionKind.DROPPED.value: language.say("drop"),
    }


def _adjusted(source: ReportedMatch, found: Figures | None) -> dict[Side, float] | None:
    """What each side's result would be, as a chance of the match, had the dice been average."""
    winner = source.record.final().winner
    if found is None or winner is None or source.record.rules.is_money:
        return None
    net = found.sides[winner].luck_chance - found.sides[winner.other].luck_chance
    net = min(1.0, max(0.0, net))
    return {winner: 1 - net, winner.other: net}


def dice_page(
    matches: Sequence[ReportedMatch], language: Language, back: Back | None = None
) -> str:
    """The page of an evening's dice."""
    return _ENVIRONMENT.get_template("dice.html").render(
        _=language.say,
        language=language,
        matches=[(match.record.names, match.record.final().score) for match in matches],
        sides=tuple(Side),
        dice=dice_rows(matches),
        shown=partial(_shown, language),
        digits=language.with_digits,
        said_dice=partial(_said_dice, language),
        back=back,
    )


def _shown(language: Language, value: float | None, digits: int = 1, sign: bool = False) -> str:
    said = "–" if value is None else f"{value:{'+' if sign else ''}.{digits}f}"
    return language.with_digits(said.replace("-", "−"))


def _said_dice(language: Language, measure: Measure) -> str:
    if measure.one_in is None:
        return "–"
    count = language.with_digits(f"{measure.one_in:,}")
    if measure.one_in == 1:
        return language.say("nothing unusual")
    return language.say("such dice in 1 evening of {count}", count=count)


def _graph(moments: Sequence[CoursePoint], language: Language) -> Markup:
    """White's chance over the match, a line for each game's beginning."""
    width, height = GRAPH
    step = width / max(1, len(moments) - 1)
    points = " ".join(f"{i * step:.1f},{height * (1 - m.white):.1f}" for i, m in enumerate(moments))
    starts = [i for i, m in enumerate(moments) if i == 0 or m.game != moments[i - 1].game]
    lines = "".join(
        f'<line x1="{i * step:.1f}" y1="0" x2="{i * step:.1f}" y2="{height}" stroke="currentColor"'
        f' stroke-opacity=".25"/><text x="{i * step + 4:.1f}" y="12" font-size="11"'
        f' fill="currentColor">{language.with_digits(str(moments[i].game))}</text>'
        for i in starts
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="graph" viewBox="0 0 {width} {height}" direction="ltr" role="img"'
        f' aria-labelledby="chances">'
        f'<rect width="{width}" height="{height}" fill="currentColor" fill-opacity=".05"/>'
        f'<line x1="0" y1="{height / 2}" x2="{width}" y2="{height / 2}" stroke="currentColor"'
        f' stroke-opacity=".4" stroke-dasharray="4 4"/>{lines}'
        f'<polyline points="{points}" fill="none" stroke="#b4633b" stroke-width="2.5"/></svg>'
    )
