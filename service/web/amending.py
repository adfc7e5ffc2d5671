"""The desk: a match that is over, or the transcript of a film, put right play by play beside its
pictures; exported and sealed. Officials' alone. (E)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi import Path as InPath
from fastapi.responses import FileResponse, HTMLResponse
from starlette.concurrency import run_in_threadpool

from rules.board import Placement, Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position, PositionError
from service.amend.amended import amended
from service.amend.edits import Edit, Edits, EditsError, PlayMissed, PlaySaid, Said
from service.amend.of_film import FilmOnDesk
from service.amend.of_journal import match_of_journal
from service.amend.recorded import RecordedMatch
from service.amend.rows import AmendedMatch, DeskRow
from service.amend.shelf import FILMS, Amendments, Films, OutdatedError
from service.journal.keys import KeyFileError, key_path, table_key
from service.record.archive import WRITERS, CannotExportError, write_match
from service.web.amend_schema import (
    AmendBoard,
    AmendDocument,
    AmendIn,
    AmendPlay,
    AmendPlays,
    AmendRow,
    AmendSeating,
    EditOut,
    SealIn,
    SealOut,
)
from service.web.api import FAILURES, TABLE
from service.web.authority import RefusedRequest, desk, problem, visitor_of
from service.web.desk import Desk
from service.web.finished import FinishedMatch, Number, Reports, one_match
from service.web.pages import Lang, language_of, render_page
from service.web.schema import Failure, TableName

T = TypeVar("T")
router = APIRouter()
MATCH: Final = TABLE + "/matches/{number}/amend"
FILM: Final = "/api/v1/films/{film}/amend"
FilmName = Annotated[str, InPath(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$")]
AMEND_FAILURES: Final = {
    **FAILURES,
    409: {"model": Failure, "description": "somebody else said something since"},
    503: {"model": Failure, "description": "what was said cannot be read or kept"},
}
_MOST_KEPT: Final = 4


@dataclass(frozen=True)
class OnDesk:
    """A match that lies on the desk: what edits are kept under, how it is read with what was said,
    where its pictures are, and the key that seals it.
    """

    ident: str
    title: str
    read: Callable[[tuple[Said, ...]], RecordedMatch]
    picture: Callable[[str], str]
    key: Path
    ruleset_said: str = ""


class AmendingDesk:
    """What lies on the desk: edits and seals on disk, matches as they were read last."""

    def __init__(self, folder: Path) -> None:
        self.amendments, self.films = Amendments(folder / "amended"), Films(folder / FILMS)
        self._read: dict[tuple[str, Edits], tuple[RecordedMatch, AmendedMatch]] = {}
        self._film: tuple[str, FilmOnDesk] | None = None
        """The film that was read last."""
        self._lock = threading.Lock()

    def match_of_film(self, film: str, ident: str, said: tuple[Said, ...]) -> RecordedMatch:
        """The match of a transcript with what was said of it: what comes before the newest saying
        is not read again. Within `now`. Raises FilmError.
        """
        if self._film is None or self._film[0] != ident:
            self._film = ident, FilmOnDesk(self.films.read(film))
        return self._film[1].match(said)

    def now(self, on_desk: OnDesk, edits: Edits) -> tuple[RecordedMatch, AmendedMatch]:
        """The match with what was said of it. Blocking: a film takes a second."""
        key = (on_desk.ident, edits)
        with self._lock:
            if key not in self._read:
                said = tuple(edit.said for edit in edits.edits)
                base = on_desk.read(said)
                while len(self._read) >= _MOST_KEPT:
                    del self._read[next(iter(self._read))]
                self._read[key] = (base, amended(base, said))
            return self._read[key]


def _desk_of(request: Request) -> AmendingDesk:
    found: AmendingDesk = request.app.state.amending
    return found


# What lies on the desk.


async def _of_match(request: Request, table: TableName, number: Number) -> OnDesk:
    """A finished match of a table."""
    reports: Reports = request.app.state.reports
    found = desk(request)
    match = await one_match(request, table, number)

    def read(_: tuple[Said, ...]) -> RecordedMatch:
        with found.record.cursor() as reader:
            base = match_of_journal(reader.read(), match.source.ident)
        assert base is not None, "a match that is listed is in its journal"
        return base

    return OnDesk(
        match.source.ident,
        f"{table} · {number}",
        read,
        lambda name: f"/api/v1/tables/{table}/pictures/{name}",
        key_path(found.journal or reports.kept),
    )


async def _of_film(request: Request, film: FilmName) -> OnDesk:
    """The transcript of a film."""
    films = _desk_of(request).films
    if film not in films.names():
        raise problem(404, "no_transcript", "a transcript in the folder films", film)
    ident = await _done(films.ident, film)
    folder: Path = request.app.state.config.folder

    def picture(frame: str) -> str:
        kept = films.picture(film, int(frame)).is_file()
        return f"/api/v1/films/{film}/pictures/{frame}.jpg" if kept else ""

    return OnDesk(
        ident,
        film,
        lambda said: _desk_of(request).match_of_film(film, ident, said),
        picture,
        key_path(folder / FILMS),
    )


async def _done(act: Callable[..., T], *given: object) -> T:
    """What this does in a thread. Raises the refusal for what can go wrong with files."""
    try:
        return await run_in_threadpool(act, *given)
    except OutdatedError as error:
        raise problem(
            409, "outdated", "the newest state of this match", str(error), "load it again"
        ) from error
    except (EditsError, KeyFileError, OSError, ValueError) as error:
        raise problem(503, "no_edits", str(error), "", "put that file right") from error


# The pages.


@router.get("/amend", include_in_schema=False)
async def amend_list(request: Request, lang: Lang = None) -> HTMLResponse:
    """Every match that can be put right."""
    reports: Reports = request.app.state.reports
    visitor = visitor_of(request)
    matches: list[tuple[str, FinishedMatch]] = []
    desks: dict[str, Desk] = request.app.state.desks
    for name, found in desks.items():
        if visitor.tables is None or name in visitor.tables:
            matches += [(name, one) for one in await _over(reports, found)]
    return render_page(
        request,
        "amend_list.html",
        lang,
        matches=matches[::-1],
        films=_desk_of(request).films.names() if visitor.tables is None else [],
        folder=str(_desk_of(request).films.folder),
        said=language_of(request, lang).with_digits,
        white=Side.WHITE,
        black=Side.BLACK,
    )


async def _over(reports: Reports, found: Desk) -> tuple[FinishedMatch, ...]:
    """The matches of a table that are over; none where there is no journal to read."""
    try:
        return await run_in_threadpool(reports.matches, found)
    except (ValueError, OSError, RuntimeError):
        return ()


@router.get("/amend/{table}/{number}", include_in_schema=False)
async def amend_match_page(
    request: Request, table: TableName, number: Number, lang: Lang = None
) -> HTMLResponse:
    await one_match(request, table, number)
    return _page(request, lang, MATCH.format(table=table, number=number), table)


@router.get("/amend-film/{film}", include_in_schema=False)
async def amend_film_page(request: Request, film: FilmName, lang: Lang = None) -> HTMLResponse:
    await _of_film(request, film)
    return _page(request, lang, FILM.format(film=film), "")


def _page(request: Request, lang: str | None, address: str, table: str) -> HTMLResponse:
    return render_page(
        request, "amend.html", lang, table=table, address=address, endings=tuple(WRITERS)
    )


@router.get("/api/v1/films/{film}/pictures/{frame}.jpg", tags=["desk"], responses=FAILURES)
async def film_picture(
    request: Request, film: FilmName, frame: Annotated[int, InPath(ge=0, le=2**40)]
) -> FileResponse:
    """A picture of a film's board at rest."""
    path = _desk_of(request).films.picture(film, frame)
    if not path.is_file():
        raise problem(404, "no_picture", "a frame whose picture was kept", str(frame))
    return FileResponse(path, media_type="image/jpeg")


# The same routes for a match and for a film.


def _routes(address: str, opened: Callable[..., Awaitable[OnDesk]]) -> None:
    """Declare what can be done with what lies on the desk."""
    _looking_routes(address, Depends(opened))
    _saying_routes(address, Depends(opened))
    _sealing_routes(address, Depends(opened))


def _looking_routes(address: str, lies: OnDesk) -> None:
    """Declare what shows a match that lies on the desk."""

    @router.get(address, tags=["desk"], response_model=AmendDocument, responses=AMEND_FAILURES)
    async def match_on_desk(request: Request, here: OnDesk = lies) -> AmendDocument:
        """A match as it is with what was said of it, play by play, and what is doubtful."""
        edits = await _done(_desk_of(request).amendments.edits, here.ident)
        return await _document(request, here, edits)

    @router.get(
        address + "/plays", tags=["desk"], response_model=AmendPlays, responses=AMEND_FAILURES
    )
    async def plays_here(
        request: Request,
        row: Annotated[int, Query(ge=0, description="which row of the document")],
        high: Annotated[int, Query(ge=1, le=6)],
        low: Annotated[int, Query(ge=1, le=6)],
        missed: Annotated[bool, Query(description="of the other side, before that play")] = False,
        here: OnDesk = lies,
    ) -> AmendPlays:
        """The legal plays of a roll from where the play of this row began."""
        edits = await _done(_desk_of(request).amendments.edits, here.ident)
        _, match = await _done(_desk_of(request).now, here, edits)
        if row >= len(match.rows):
            raise problem(404, "no_row", f"a row below {len(match.rows)}", str(row))
        return _plays(match.rows[row], Roll.of(high, low), missed=missed)

    @router.get(address + "/file.{ending}", tags=["desk"], responses=AMEND_FAILURES)
    async def file_of_match(request: Request, ending: str, here: OnDesk = lies) -> Response:
        """The match as it is now, as a file for other programs."""
        if ending not in WRITERS:
            raise _no_format(", ".join(WRITERS), ending)
        edits = await _done(_desk_of(request).amendments.edits, here.ident)
        _, match = await _done(_desk_of(request).now, here, edits)
        try:
            data = await run_in_threadpool(write_match, match.record, ending)
        except CannotExportError as error:
            raise _no_format(str(error), ending) from error
        headers = {"content-disposition": f'attachment; filename="amended.{ending}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)


def _saying_routes(address: str, lies: OnDesk) -> None:
    """Declare what changes a match that lies on the desk."""

    @router.post(address, tags=["desk"], response_model=AmendDocument, responses=AMEND_FAILURES)
    async def say_of_match(request: Request, given: AmendIn, here: OnDesk = lies) -> AmendDocument:
        """Say one thing of it; what follows is read again with that."""
        desk = _desk_of(request)
        edit = Edit(visitor_of(request).name, time.time(), given.said.said())
        edits = await _done(desk.amendments.say, here.ident, edit, given.seen)
        _, match = await _done(desk.now, here, edits)
        if not _holds(edit.said, match):
            await _done(desk.amendments.take_back, here.ident, len(edits.edits))
            raise problem(
                409,
                "does_not_follow",
                "a play that can have been made there",
                "",
                "check its dice, and the play before it",
            )
        return await _document(request, here, edits)

    @router.delete(address, tags=["desk"], response_model=AmendDocument, responses=AMEND_FAILURES)
    async def take_back(
        request: Request, seen: Annotated[int, Query(ge=0)], here: OnDesk = lies
    ) -> AmendDocument:
        """Take back what was said last."""
        edits = await _done(_desk_of(request).amendments.take_back, here.ident, seen)
        return await _document(request, here, edits)


def _sealing_routes(address: str, lies: OnDesk) -> None:
    """Declare what ends the work on a match."""

    @router.post(
        address + "/seal", tags=["desk"], response_model=AmendDocument, responses=AMEND_FAILURES
    )
    async def seal_match(request: Request, given: SealIn, here: OnDesk = lies) -> AmendDocument:
        """Seal it as it is: from now on this is what the match's pages and files say."""
        desk = _desk_of(request)
        edits = await _done(desk.amendments.edits, here.ident)
        if len(edits.edits) != given.seen:
            raise problem(409, "outdated", "the newest state of this match", "", "load it again")
        _, match = await _done(desk.now, here, edits)
        by, key = visitor_of(request).name, await _done(_key, here.key)
        await _done(desk.amendments.seal, here.ident, match.record, by, time.time(), key)
        return await _document(request, here, edits)


def _holds(said: Said, match: AmendedMatch) -> bool:
    """Whether a play that was said is in the record now: a film is explained by legal plays."""
    if not isinstance(said, PlaySaid | PlayMissed):
        return True
    return any(row.said and row.after == said.placement for row in match.rows)


def _no_format(expected: str, came: str) -> RefusedRequest:
    return problem(404, "no_format", expected, came, "choose another format")


def _key(path: Path) -> Ed25519PrivateKey:
    return table_key(path)


def _plays(row: DeskRow, roll: Roll, *, missed: bool) -> AmendPlays:
    game = row.match.game
    side = row.side or game.side or Side.WHITE
    if missed and row.kind == "play":
        side = side.other
    try:
        position = Position.of(game.placement, game.ruleset, side, side not in game.taken_turns)
        legal = [
            AmendPlay(text=str(play), board=_board(play.placement))
            for play in plays(position, roll)
        ]
    except PositionError:
        legal = []
    return AmendPlays(side=side.value, before=_board(game.placement), plays=legal)


async def _document(request: Request, here: OnDesk, edits: Edits) -> AmendDocument:
    desk = _desk_of(request)
    base, match = await _done(desk.now, here, edits)
    sealed = await _done(desk.amendments.sealed, here.ident)
    record = match.record
    return AmendDocument(
        title=here.title,
        ruleset=record.rules.ruleset.name,
        white=record.names[Side.WHITE],
        black=record.names[Side.BLACK],
        length=record.rules.length,
        seating=AmendSeating(white=base.seating.white.value, home=base.seating.home.value),
        facing=record.rules.ruleset.facing.value,
        rows=[_row(row, base, here) for row in match.rows],
        remarks=list(record.remarks),
        edits=[EditOut(by=one.by, at=one.at, what=one.said.what) for one in edits.edits],
        sealed=None if sealed is None else SealOut(by=sealed.by, at=sealed.wall),
    )


def _row(row: DeskRow, base: RecordedMatch, here: OnDesk) -> AmendRow:
    doubt = base.doubt(row.mark)
    before, after = doubt.pictures
    return AmendRow(
        mark=row.mark,
        kind=row.kind,
        game=row.game,
        side=None if row.side is None else row.side.value,
        dice=None if row.roll is None else (row.roll.high, row.roll.low),
        text=row.text,
        done=row.done,
        value=row.value,
        score=row.score,
        before=_board(row.match.game.placement),
        after=_board(row.after),
        why=list(row.why),
        doubtful=row.doubtful,
        said=row.said,
        added=row.added,
        at=doubt.at,
        pictures=(before and here.picture(before), after and here.picture(after)),
    )


def _board(placement: Placement) -> AmendBoard:
    return AmendBoard(white=list(placement.white), black=list(placement.black))


_routes(MATCH, _of_match)
_routes(FILM, _of_film)
