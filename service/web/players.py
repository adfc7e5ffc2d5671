"""Who plays here: the list, a player's page, export and erasing. Officials' alone. (E)"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from rules.ruleset import catalogue
from service.journal.chain import JournalError
from service.players.book import IDENT, Player, PlayerBook, PlayerBookError
from service.players.formulas import USUAL, FormulaError
from service.players.played import Place
from service.players.rated import BookRead, NoFormulaError, best_rating, read_book
from service.players.standings import (
    PlayersMatch,
    heads_to_head,
    matches_of,
)
from service.web.access import Access
from service.web.api import FAILURES, UNREADABLE
from service.web.authority import problem, visitor_of
from service.web.desk import Desk
from service.web.finished import day_of
from service.web.pages import Lang, language_of, render_page
from service.web.player_schema import (
    ClubIn,
    HeadToHeadOut,
    PlayerErased,
    PlayerExport,
    PlayerOut,
    PlayersMatchOut,
    PlayersOut,
    PlayersRatingOut,
)
from service.web.ports import Cursor, NoJournalError

router = APIRouter()
Ident = Annotated[str, InPath(pattern=rf"^[0-9a-f]{{{IDENT}}}$")]
FormulaName = Annotated[str, Query(max_length=40, description="how to rate; fibs if not said")]
BOOK_FAILURES: Final = {
    **FAILURES,
    503: {"model": FAILURES[404]["model"], "description": "the book of players cannot be read"},
}


def _book(request: Request) -> PlayerBook:
    book: PlayerBook = request.app.state.players
    return book


async def _read(request: Request, formula: str) -> BookRead:
    """The book, with what the journals told since the last time. Raises 404 for a formula that
    nobody knows, 503 where the book or the club's formulas cannot be read.
    """
    desks: Mapping[str, Desk] = request.app.state.desks
    journals = {name: partial(_cursor, desk) for name, desk in desks.items()}
    folder: Path = request.app.state.config.folder
    try:
        return await run_in_threadpool(read_book, _book(request), journals, formula, folder)
    except NoFormulaError as error:
        known = ", ".join(error.known)
        raise problem(404, "no_formula", f"one of {known}", formula) from error
    except (PlayerBookError, FormulaError, OSError, UnicodeDecodeError) as error:
        raise problem(503, "no_players", str(error), "", "put that file right") from error


def _cursor(desk: Desk, place: Place) -> Cursor:
    try:
        return desk.record.cursor(place)
    except NoJournalError as error:
        # A table that has no journal yet has had no players.
        raise JournalError(str(error)) from error


async def _one(request: Request, ident: str, formula: str) -> tuple[BookRead, Player]:
    """The book and a player of it. Raises 404."""
    found = await _read(request, formula)
    if ident not in found.players:
        raise problem(404, "no_player", "the id of a player", ident, "see the list of players")
    return found, found.players[ident]


# For people


@router.get("/players", include_in_schema=False)
async def players_page(
    request: Request, lang: Lang = None, formula: FormulaName = USUAL
) -> HTMLResponse:
    found = await _read(request, formula)
    rows = [
        (player, best_rating(found.ratings.of(player.ident)), found.played(player.ident))
        for player in found.players.values()
    ]
    rows.sort(key=lambda row: -row[1].rating if row[1] else 0)
    return render_page(
        request, "players.html", lang, rows=rows, formula=formula, formulas=found.formulas
    )


@router.get("/players/{ident}", include_in_schema=False)
async def player_page(
    request: Request, ident: Ident, lang: Lang = None, formula: FormulaName = USUAL
) -> HTMLResponse:
    found, player = await _one(request, ident, formula)
    matches = matches_of(ident, found.ratings)
    ratings = found.ratings.of(ident)
    most = max(ratings, key=lambda name: ratings[name].experience, default="")
    code, rulesets = language_of(request, lang).code, catalogue()

    def titled(ruleset: str) -> str:
        """What a ruleset is called here; a club's own by its name."""
        return rulesets[ruleset].titled(code) if ruleset in rulesets else ruleset

    return render_page(
        request,
        "player.html",
        lang,
        player=player,
        ratings=ratings,
        titled=titled,
        matches=[(match, day_of(match.result.ended)) for match in matches],
        heads=heads_to_head(matches),
        called=found.name,
        formula=formula,
        formulas=found.formulas,
        rating_curve=curve(
            [m.rating[1] for m in reversed(matches) if m.rating and m.result.ruleset == most]
        ),
        pr_curve=curve([m.pr for m in reversed(matches) if m.pr is not None]),
    )


def curve(values: list[float]) -> str:
    """The points of a line through the values, for a picture of 100 by 30; nothing for fewer than
    two.
    """
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return " ".join(
        f"{100 * i / (len(values) - 1):.1f},{28 - 26 * (value - low) / span:.1f}"
        for i, value in enumerate(values)
    )


# For programs


@router.get(
    "/api/v1/players",
    tags=["players"],
    response_model=PlayersOut,
    responses=BOOK_FAILURES,
)
async def list_players(request: Request, formula: FormulaName = USUAL) -> PlayersOut:
    """Everybody who finished a match here and was named, who played last first."""
    found = await _read(request, formula)
    return PlayersOut(players=[_out(player, found) for player in found.players.values()])


@router.get(
    "/api/v1/players/{ident}",
    tags=["players"],
    response_model=PlayerExport,
    responses=BOOK_FAILURES,
)
async def export_player(
    request: Request, ident: Ident, formula: FormulaName = USUAL
) -> PlayerExport:
    """Everything that the book knows of a player."""
    found, player = await _one(request, ident, formula)
    return everything_of(player, found)


def everything_of(player: Player, found: BookRead) -> PlayerExport:
    """Everything that the book knows of a player."""
    matches = matches_of(player.ident, found.ratings)
    return PlayerExport(
        **_out(player, found).model_dump(),
        formula=found.formula,
        matches=[_match_out(match, found) for match in matches],
        head_to_head=[
            HeadToHeadOut(
                opponent=found.name(one.opponent), matches=one.matches, won=one.won, lost=one.lost
            )
            for one in heads_to_head(matches)
        ],
    )


def _out(player: Player, found: BookRead) -> PlayerOut:
    return PlayerOut(
        id=player.ident,
        name=player.name,
        club=player.club,
        seen=player.seen,
        ratings=[
            PlayersRatingOut(
                ruleset=ruleset, rating=round(one.rating, 2), experience=one.experience
            )
            for ruleset, one in found.ratings.of(player.ident).items()
        ],
    )


def _match_out(match: PlayersMatch, found: BookRead) -> PlayersMatchOut:
    result = match.result
    before, after = match.rating or (None, None)
    return PlayersMatchOut(
        match=result.ident,
        table=match.table,
        number=result.number,
        ended=result.ended,
        ruleset=result.ruleset,
        length=result.length,
        opponent=found.name(match.opponent),
        score=match.score,
        won=match.won,
        rating_before=None if before is None else round(before, 2),
        rating_after=None if after is None else round(after, 2),
        pr=match.pr,
    )


@router.put(
    "/api/v1/players/{ident}",
    tags=["players"],
    response_model=PlayerOut,
    responses={**BOOK_FAILURES, **UNREADABLE},
)
async def set_club(request: Request, ident: Ident, given: ClubIn) -> PlayerOut:
    """Say of which club a player is."""
    await _one(request, ident, USUAL)
    await run_in_threadpool(_book(request).set_club, ident, " ".join(given.club.split()))
    found, player = await _one(request, ident, USUAL)
    return _out(player, found)


@router.delete(
    "/api/v1/players/{ident}",
    tags=["players"],
    response_model=PlayerErased,
    responses=BOOK_FAILURES,
)
async def erase_player(request: Request, ident: Ident) -> PlayerErased:
    """Erase a player: name and club are gone and do not come back from the journals, which keep
    what they sealed. Opponents keep their ratings; they played somebody without a name.
    """
    await _one(request, ident, USUAL)
    await run_in_threadpool(_book(request).erase, ident, time.time())
    access: Access = request.app.state.access
    access.audit(visitor_of(request).name, f"player {ident} erased")
    return PlayerErased(erased=ident)
