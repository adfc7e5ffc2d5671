"""Matches that are over, for everybody: each position by an address of its own and as a picture, to
be stepped through, shared, downloaded and shown in other sites; and the report. (E)

What is not over yet for who watches from outside is not there: an ending counts once the public's
delay has passed.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Request, Response
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from rules.board import Side
from service.amend.shelf import Amendments
from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.players.book import PlayerBook, PlayerBookError
from service.record.archive import WRITERS, CannotExportError, write_match
from service.record.sealed_amendment import SealedAmendment
from service.report.command import engine_of
from service.report.decisions import questions_of_match
from service.report.drawn import board_svg
from service.report.engine import EngineError
from service.report.evening import last_evening
from service.report.figures import Figures, figures
from service.report.kept import NAME, Kept
from service.report.sheet import dice_page, report_page
from service.report.source import ReportedMatch, as_amended, sources_of_entries
from service.report.steps import MatchStep, step_rows, steps_of
from service.web.api import FAILURES, TABLE
from service.web.authority import desk, problem, visitor_of
from service.web.desk import Desk
from service.web.pages import Lang, language_of, render_page
from service.web.schema import FinishedMatchOut, MatchesOut, TableName
from service.web.stills import Width, png_of

router = APIRouter(include_in_schema=False)
Number = Annotated[int, InPath(ge=1, le=100_000)]
EMBED_CSP: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; frame-ancestors *"
)
REPORT_CSP: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)
FOR_OTHER_PAGES: Final = {
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "public, max-age=60",
}
"""Headers of a picture that any page may show."""


@dataclass(frozen=True)
class FinishedMatch:
    """A match that is over, with its steps."""

    number: int
    source: ReportedMatch
    steps: tuple[MatchStep, ...]
    sealed: SealedAmendment | None = None
    """The seal under which it was put right after its end."""


ReportKey = tuple[str, int, int, float]
"""Table, number, actions and seal of a match that was judged."""


class Reports:
    """Finished matches as they were read last, and their figures, judged one match at a time."""

    def __init__(self, folder: Path, book: PlayerBook, amendments: Amendments) -> None:
        """Error rates that are found are kept in the book of players; what was put right and sealed
        stands in the place of what the table recorded.
        """
        self.kept, self.book, self.amendments = folder / NAME, book, amendments
        self._read: dict[str, tuple[tuple[int, int], tuple[FinishedMatch, ...]]] = {}
        self._judged: dict[ReportKey, Figures | EngineError] = {}
        self._progress: dict[ReportKey, tuple[int, int]] = {}
        self._lock, self._at_work = threading.Lock(), threading.Lock()

    def matches(self, found: Desk) -> tuple[FinishedMatch, ...]:
        """Every match of a table that is over for the public, oldest first. Blocking.

        Raises JournalError or StoreError where there is no journal to read.
        """
        horizon = found.horizon("public")
        with found.record.cursor() as reader:
            entries = [e for e in reader.read() if horizon.holds(e.at, e.wall)]
        as_of = (entries[-1].seq if entries else 0, self.amendments.seals())
        with self._lock:
            known = self._read.get(found.name)
            if known is None or known[0] != as_of:
                over = tuple(
                    self._as_sealed(FinishedMatch(number, source, steps_of(source.record)))
                    for number, source in enumerate(sources_of_entries(entries), start=1)
                    if not source.running
                )
                known = (as_of, over)
                self._read[found.name] = known
        return known[1]

    def _as_sealed(self, match: FinishedMatch) -> FinishedMatch:
        """The match as it was put right and sealed last, where it was."""
        sealed = self.amendments.sealed(match.source.ident)
        if sealed is None:
            return match
        source = as_amended(match.source, sealed.record)
        return FinishedMatch(match.number, source, steps_of(source.record), sealed)

    def figures(self, table: str, match: FinishedMatch) -> Figures | EngineError | tuple[int, int]:
        """The match's figures, or why there are none, or how many positions are judged of how many:
        it is being worked on then.
        """
        key = _key(table, match)
        with self._lock:
            if key in self._judged:
                return self._judged[key]
            if key in self._progress:
                return self._progress[key]
            self._progress[key] = (0, 1)
        threading.Thread(target=self.judge, args=(table, match), daemon=True).start()
        return (0, 1)

    def judge(self, table: str, match: FinishedMatch) -> None:
        """Have the match judged, and remember what came of it. Blocking; one match at a time."""
        key = _key(table, match)

        def progress(done: int, count: int) -> None:
            self._progress[key] = (done, count)

        found: Figures | EngineError
        with self._at_work:
            try:
                asked = questions_of_match(match.source.record)
                engine = Kept(engine_of("auto"), self.kept)
                found = figures(asked, engine.judge(asked.questions(), progress))
            except EngineError as error:
                found = error
        if isinstance(found, Figures):
            # A report is worth showing where the book cannot be written.
            with suppress(PlayerBookError):
                rates = {side: one.pr for side, one in found.sides.items()}
                self.book.reported(match.source.ident, rates)
        with self._lock:
            self._judged[key] = found
            self._progress.pop(key, None)


def _key(table: str, match: FinishedMatch) -> ReportKey:
    sealed = 0.0 if match.sealed is None else match.sealed.wall
    return table, match.number, len(match.source.record.actions), sealed


async def one_match(request: Request, table: str, number: int) -> FinishedMatch:
    """Raises the page's refusal where that match is not over, or is not."""
    for match in await _matches(request, table):
        if match.number == number:
            return match
    raise problem(404, "no_match", "a match that is over", str(number), "see the list of matches")


async def _matches(request: Request, table: str) -> tuple[FinishedMatch, ...]:
    reports: Reports = request.app.state.reports
    try:
        return await run_in_threadpool(reports.matches, desk(request))
    except (JournalError, StoreError) as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error


def day_of(wall: float) -> str:
    """The day of a date as ISO 8601 has it, by this machine's calendar."""
    return datetime.fromtimestamp(wall, UTC).astimezone().date().isoformat()


def _at(match: FinishedMatch, step: int) -> MatchStep:
    if not 1 <= step <= len(match.steps):
        raise problem(
            404, "no_step", f"a step from 1 to {len(match.steps)}", str(step), "begin at step 1"
        )
    return match.steps[step - 1]


def picture(step: MatchStep, title: str) -> str:
    """The board of a step, as SVG."""
    game = step.match.game
    return board_svg(
        game.placement,
        cube=game.cube,
        roll=None if step.ended else game.roll,
        side=game.side,
        title=title,
        facing=game.ruleset.facing,
    )


@router.get(
    f"{TABLE}/matches",
    response_model=MatchesOut,
    responses=FAILURES,
    tags=["table"],
    include_in_schema=True,
)
async def matches_over(request: Request, table: TableName) -> MatchesOut:
    """Every match of a table that is over for the public, the newest first, with where to read
    it.
    """
    out = []
    for match in reversed(await _matches(request, table)):
        record, final = match.source.record, match.source.record.final()
        won = final.winner
        out.append(
            FinishedMatchOut(
                number=match.number,
                white=record.names[Side.WHITE],
                black=record.names[Side.BLACK],
                length=record.rules.length,
                white_score=final.score.white,
                black_score=final.score.black,
                winner=None if won is None else "white" if won is Side.WHITE else "black",
                games=len(final.results),
                page=f"/match/{table}/{match.number}/1",
                files={kind: f"/download/{table}/{match.number}.{kind}" for kind in WRITERS},
            )
        )
    return MatchesOut(matches=out)


@router.get("/matches/{table}")
async def matches_page(request: Request, table: TableName, lang: Lang = None) -> HTMLResponse:
    found = await _matches(request, table)
    rows = [
        (match, record.final(), record.names, day_of(match.source.begun))
        for match in found
        for record in (match.source.record,)
    ]
    return render_page(
        request,
        "matches.html",
        lang,
        table=table,
        rows=rows[::-1],
        white=Side.WHITE,
        black=Side.BLACK,
    )


@router.get("/dice/{table}")
async def evenings_dice(request: Request, table: TableName, lang: Lang = None) -> HTMLResponse:
    """The dice of every match that is over of the last evening, a player's together."""
    evening = last_evening([match.source for match in await _matches(request, table)])
    language = language_of(request, lang)
    back = f"/matches/{table}", language.say("Finished matches")
    page = await run_in_threadpool(dice_page, evening, language, back)
    return HTMLResponse(page, headers={"content-security-policy": REPORT_CSP})


@router.get("/match/{table}/{number}")
async def match_page(table: TableName, number: Number) -> RedirectResponse:
    return RedirectResponse(f"/match/{table}/{number}/1", 307)


@router.get("/match/{table}/{number}/{step}")
async def step_page(
    request: Request, table: TableName, number: Number, step: int, lang: Lang = None
) -> HTMLResponse:
    match = await one_match(request, table, number)
    here = _at(match, step)
    firsts = [
        (one.game, index)
        for index, one in enumerate(match.steps, start=1)
        if index == 1 or one.game != match.steps[index - 2].game
    ]
    return render_page(
        request,
        "match.html",
        lang,
        table=table,
        match=match,
        step=step,
        here=here,
        steps=len(match.steps),
        firsts=firsts,
        rows=step_rows(match.steps, here.game),
        over=next((n for n, s in enumerate(match.steps, 1) if s.ended and s.game == here.game), 0),
        names=match.source.record.names,
        white=Side.WHITE,
        black=Side.BLACK,
        base=f"/match/{table}/{number}",
        endings=tuple(WRITERS),
        said=language_of(request, lang).with_digits,
        day=None if match.sealed is None else day_of(match.sealed.wall),
    )


@router.get("/picture/{table}/{number}/{step}.svg")
async def step_picture(
    request: Request, table: TableName, number: Number, step: int, lang: Lang = None
) -> Response:
    here = _at(await one_match(request, table, number), step)
    return Response(
        picture(here, language_of(request, lang).say("Position")),
        media_type="image/svg+xml",
        headers=FOR_OTHER_PAGES,
    )


@router.get("/picture/{table}/{number}/{step}.png")
async def step_png(
    request: Request, table: TableName, number: Number, step: int, width: Width = 960
) -> Response:
    """The same for programs that draw no SVG: messengers, forums, word processors."""
    drawn = picture(_at(await one_match(request, table, number), step), "")
    data = await run_in_threadpool(png_of, drawn, width)
    return Response(data, media_type="image/png", headers=FOR_OTHER_PAGES)


@router.get("/embed/{table}/{number}/{step}")
async def embedded(
    request: Request, table: TableName, number: Number, step: int, lang: Lang = None
) -> HTMLResponse:
    """The board alone, for a frame in another site; the way through it is in its own links."""
    match = await one_match(request, table, number)
    page = render_page(
        request,
        "embed.html",
        lang,
        table=table,
        number=number,
        step=step,
        here=_at(match, step),
        steps=len(match.steps),
        names=match.source.record.names,
        white=Side.WHITE,
        black=Side.BLACK,
        said=language_of(request, lang).with_digits,
    )
    page.headers["content-security-policy"] = EMBED_CSP
    page.headers["cross-origin-resource-policy"] = "cross-origin"
    return page


@router.get("/download/{table}/{number}.{ending}")
async def download(request: Request, table: TableName, number: Number, ending: str) -> Response:
    match = await one_match(request, table, number)
    if ending not in WRITERS:
        raise problem(404, "no_format", ", ".join(WRITERS), ending, "choose one of these")
    try:
        data = await run_in_threadpool(write_match, match.source.record, ending)
    except CannotExportError as error:
        raise problem(404, "no_format", str(error), ending, "choose another format") from error
    name = f"{table}-{number}.{ending}"
    return Response(
        data,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.get("/report/{table}/{number}")
async def report_of_match(
    request: Request, table: TableName, number: Number, lang: Lang = None
) -> HTMLResponse:
    """The report of a match; while it is made, how far it is, asked again by the page itself."""
    reports: Reports = request.app.state.reports
    match = await one_match(request, table, number)
    found = await asyncio.to_thread(reports.figures, table, match)
    if isinstance(found, tuple):
        done, count = found
        return render_page(
            request,
            "reporting.html",
            lang,
            table=table,
            done=language_of(request, lang).with_digits(str(done)),
            count=language_of(request, lang).with_digits(str(count)),
        )
    source = match.source
    if visitor_of(request).view_at(table) != "staff":
        # How sure the record is says what sensors believed: that is staff's.
        source = replace(source, certainty=None)
    trouble = str(found) if isinstance(found, EngineError) else ""
    language = language_of(request, lang)
    page = report_page(
        source,
        None if isinstance(found, EngineError) else found,
        "" if trouble else engine_of("auto").name,
        trouble,
        language,
        (f"/match/{table}/{number}/1", language.say("The match")),
    )
    return HTMLResponse(page, headers={"content-security-policy": REPORT_CSP})
