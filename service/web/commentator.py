"""The commentator's page and what it shows: staff only, live, never a player's or a guest's. (E)"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from service.journal.chain import JournalError
from service.journal.entry import Role
from service.journal.store import StoreError
from service.report.gnubg import AnalysisError, Gnubg, Verdict
from service.web.api import FAILURES, TABLE, UNREADABLE
from service.web.authority import Denied, desk, problem, visitor_of
from service.web.commentary import Commentary, commentary, commentary_shown, questions_of
from service.web.commentary_schema import CommentaryOut, NoteIn, NoteOut
from service.web.desk import Desk
from service.web.event_says import event_word
from service.web.pages import Lang, render_page
from service.web.policy import Right
from service.web.schema import TableName
from service.web.streams import Shared
from service.web.weighing import NO_COSTS, Weigher

router = APIRouter(tags=["evidence"])


class Box:
    """One gnubg for the machine, and each table's game as it was folded last."""

    def __init__(self, gnubg: Gnubg, kept: Path | None = None) -> None:
        """`kept` is the file of what engines said, which reports share."""
        self.gnubg = gnubg
        self.weigher = Weigher(kept)
        self.lock = asyncio.Lock()
        self._folded: dict[str, tuple[int, Commentary]] = {}
        self._told: dict[tuple[str, str], tuple[int, CommentaryOut]] = {}

    def look_back(self, found: Desk, seconds: float, feed: str = "public") -> CommentaryOut:
        """What the audience is told: the same, of what was so many seconds ago and no sooner than
        the feed. Blocking.

        Raises JournalError or StoreError where there is no journal to read.
        """
        horizon = found.horizon_after(feed, seconds)
        with found.record.cursor() as reader:
            entries = list(
                itertools.takewhile(lambda e: horizon.holds(e.at, e.wall), reader.read())
            )
        seq = entries[-1].seq if entries else 0
        kept = self._told.get((found.name, feed))
        if kept is None or kept[0] != seq or kept[1].pending:
            kept = (seq, self._judged(found.name, commentary(entries)))
            self._told[(found.name, feed)] = kept
        return kept[1]

    def _judged(self, table: str, game: Commentary) -> CommentaryOut:
        known: Mapping[str, Verdict] = {}
        trouble: AnalysisError | None = None
        if questions := questions_of(game):
            try:
                known = self.gnubg.ask(questions)
            except AnalysisError as error:
                trouble = error
        weighed = NO_COSTS
        if game.record is not None and trouble is None:
            weighed = self.weigher.weighed(game.record)
        return commentary_shown(table, game, known, trouble, weighed)

    def look(self, found: Desk) -> CommentaryOut:
        """What the commentator is told now. Blocking; one at a time.

        Raises JournalError or StoreError where there is no journal to read.
        """
        seq = found.live["seq"] if found.live else 0
        kept = self._folded.get(found.name)
        if kept is None or kept[0] != seq or not seq:
            with found.record.cursor() as reader:
                kept = (seq, commentary(reader.read()))
            self._folded[found.name] = kept
        return self._judged(found.name, kept[1])


@router.get("/commentator", include_in_schema=False)
async def commentator_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "commentator.html", lang)


@router.get(f"{TABLE}/commentary", response_model=CommentaryOut, responses=FAILURES)
async def commentary_of(request: Request, table: TableName) -> CommentaryOut:
    """Pips, plays, and with gnubg installed equity and luck of the game in progress.

    Live, for staff alone.
    """
    box: Box = request.app.state.commentary
    try:
        async with box.lock:
            return await run_in_threadpool(box.look, desk(request))
    except (JournalError, StoreError) as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error


@router.post(
    f"{TABLE}/note",
    response_model=NoteOut,
    responses={**FAILURES, **UNREADABLE},
    tags=["broadcast"],
)
async def send_note(request: Request, table: TableName, given: NoteIn) -> NoteOut:
    """Send a line to the overlay's lower third, or have it show the last play again: there as late
    as all that the overlay shows.
    """
    sent = desk(request).note(given.text.strip(), given.seconds, replay=given.replay)
    return NoteOut(**sent)


@router.get(f"{TABLE}/analysis", response_model=CommentaryOut, responses=FAILURES)
async def analysis_of(
    request: Request,
    table: TableName,
    feed: Annotated[Shared, Query(description="no sooner than this feed")] = "public",
) -> CommentaryOut:
    """The commentary for the audience: only where the event allows it, and as much later as the
    event says, never sooner than anything else that is public. Players never see it.
    """
    box: Box = request.app.state.commentary
    found = desk(request)
    # The event of the match that the audience knows of: the next one's is not told before its time.
    shown = found.document(feed)
    if event_word(shown, "audience.analysis") is not True:
        raise problem(
            403,
            "no_analysis",
            "an event that shows its audience analysis",
            table,
            "ask the director",
        )
    if visitor_of(request).role is Role.PLAYER:
        raise Denied(visitor_of(request), Right.LIVE)
    seconds = event_word(shown, "audience.analysis_delay_s")
    assert isinstance(seconds, int | float)
    try:
        async with box.lock:
            return await run_in_threadpool(box.look_back, found, float(seconds), feed)
    except (JournalError, StoreError) as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error
