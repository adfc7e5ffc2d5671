"""The commentator's page and what it shows: staff only, live, never a player's or a guest's. (E)"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.web.analysis import AnalysisError, Gnubg, Verdict
from service.web.api import FAILURES, TABLE
from service.web.authority import desk, problem
from service.web.commentary import Commentary, commentary, commentary_shown, questions_of
from service.web.desk import Desk
from service.web.pages import Lang, render_page
from service.web.schema import CommentaryOut, TableName

router = APIRouter(tags=["evidence"])


class Box:
    """One gnubg for the machine, and each table's game as it was folded last."""

    def __init__(self, gnubg: Gnubg) -> None:
        self.gnubg = gnubg
        self.lock = asyncio.Lock()
        self._folded: dict[str, tuple[int, Commentary]] = {}

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
        known: Mapping[str, Verdict] = {}
        trouble: AnalysisError | None = None
        if questions := questions_of(kept[1]):
            try:
                known = self.gnubg.ask(questions)
            except AnalysisError as error:
                trouble = error
        return commentary_shown(found.name, kept[1], known, trouble)


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
