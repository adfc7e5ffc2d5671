"""The hall's own routes: the wall, pairing boards, rounds and results, overlays, commands,
refusals, the archive (E).
"""

from __future__ import annotations

import asyncio
import io
import re
import time
from typing import Annotated, Final
from urllib.parse import quote, urlsplit

import segno
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from service.hall import archive, rounds
from service.hall.day_routes import RIGHTS as DAY_RIGHTS
from service.hall.hall import Hall
from service.hall.registry import NAME, Pairing, RegistryError
from service.hall.rounds import RoundsError
from service.hall.schema import (
    BegunOut,
    BoardOut,
    BoardsOut,
    CodeOut,
    CommandOut,
    CommandsOut,
    JoinAnswer,
    JoinIn,
    OverlayIn,
    OverlaysOut,
    RefusalOut,
    RefusalsOut,
    ResultOut,
    ResultsOut,
    RoundIn,
    ScreenOut,
    TableBegun,
    TableIn,
)
from service.hall.wire import JOIN, WELCOME
from service.record.archive import fingerprint
from service.web.authority import problem, visitor_of
from service.web.guard import DIRECT
from service.web.pages import Lang, render_page, render_table
from service.web.policy import Right, Visitor
from service.web.ports import TableDownError
from service.web.proposals import known_rulesets
from service.web.rights import ROUTES as TABLE_ROUTES
from service.web.rights import WEBSOCKET
from service.web.signin import reachable
from service.web.tablelink import RefusedError

router = APIRouter(tags=["hall"])
API: Final = "/api/v1/hall"
RIGHTS: Final = {
    **TABLE_ROUTES,
    ("GET", "/"): Right.OPEN,
    ("GET", "/table"): Right.OPEN,
    ("GET", "/hall/boards"): Right.LIVE,
    **DAY_RIGHTS,
    ("GET", "/air/{screen}"): Right.OPEN,
    ("GET", "/join"): Right.OPEN,
    ("GET", f"{API}/wall"): Right.READ,
    (WEBSOCKET, f"{API}/live"): Right.READ,
    ("POST", f"{API}/join"): Right.OPEN,
    ("POST", f"{API}/codes"): Right.MANAGE,
    ("POST", f"{API}/retire"): Right.MANAGE,
    ("GET", f"{API}/boards"): Right.LIVE,
    ("GET", f"{API}/rounds"): Right.READ,
    ("POST", f"{API}/rounds"): Right.MANAGE,
    ("POST", f"{API}/rounds/{{number}}/begin"): Right.MANAGE,
    ("GET", f"{API}/results.csv"): Right.READ,
    ("GET", f"{API}/results.json"): Right.READ,
    ("GET", f"{API}/overlays"): Right.READ,
    ("PUT", f"{API}/overlays"): Right.MANAGE,
    ("GET", f"{API}/commands"): Right.LIVE,
    ("GET", f"{API}/refusals"): Right.LIVE,
    ("GET", f"{API}/archive.zip"): Right.MANAGE,
}
"""Every route of the hall's application and the right that it needs; the table's own are among
them.
"""
Table = Annotated[str | None, Query(pattern=NAME.pattern)]


def hall_of(request: Request | WebSocket) -> Hall:
    """The hall that this application serves."""
    found: Hall = request.app.state.hall
    return found


# The wall.


@router.get("/", include_in_schema=False)
async def hall_wall_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "hall.html", lang)


@router.get("/table", include_in_schema=False)
async def hall_table_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_table(request, lang, wall=False)


@router.get("/hall/boards", include_in_schema=False)
async def desk_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "hall_desk.html", lang)


@router.get("/join", include_in_schema=False)
async def join_page(
    request: Request, code: Annotated[str, Query(max_length=12)] = "", lang: Lang = None
) -> HTMLResponse:
    shown = code if re.fullmatch(r"[0-9A-Za-z-]{0,12}", code) else ""
    return render_page(
        request,
        "hall_join.html",
        lang,
        code=shown,
        address=f"{request.url.scheme}://{request.headers['host']}",
    )


@router.get("/air/{screen}", include_in_schema=False)
async def air_page(request: Request, screen: str, lang: Lang = None) -> HTMLResponse:
    """The overlay of whatever table this screen shows; its address stays the same all day."""
    table = hall_of(request).registry.overlays().get(screen, "")
    return render_page(request, "overlay.html", lang, table=table, screen=screen)


@router.get(f"{API}/wall")
async def wall(request: Request) -> Response:
    """Every table's card in reading order, as this visitor may see it: staff with who needs help,
    everybody else without.
    """
    hall = hall_of(request)
    message = (hall.staff if _staff(visitor_of(request)) else hall.guests.feed).since(0)
    return Response(message["text"], media_type="application/json")


def _staff(visitor: Visitor) -> bool:
    # An official of a few tables sees the whole hall only as the public does.
    return visitor.view == "staff" and visitor.tables is None


@router.websocket(f"{API}/live")
async def wall_frames(socket: WebSocket) -> None:
    """Frames of the wall: everything first, then what changed."""
    hall = hall_of(socket)
    feed = hall.staff if _staff(socket.state.visitor) else hall.guests.feed
    await socket.accept()
    try:
        await feed.serve_frames(socket.scope.get(DIRECT) or socket.send)
    except (WebSocketDisconnect, RuntimeError, OSError, asyncio.CancelledError):
        return


# Boards.


@router.post(f"{API}/codes", response_model=CodeOut)
async def new_code(request: Request, given: TableIn) -> CodeOut:
    """A one-time code that makes a board this table, and the same as a picture to be held before
    its camera.
    """
    hall = hall_of(request)
    try:
        code = hall.registry.code(given.table)
    except RegistryError as error:
        raise problem(422, "bad_name", str(error), given.table) from error
    public = bytes.fromhex(hall.line.public)
    address = (
        f"{request.url.scheme}://{reachable(request)}/join?code={quote(code)}&hall={hall.line.hall}"
    )
    picture = io.BytesIO()
    segno.make(address, micro=False, error="m").save(
        picture, kind="svg", scale=6, border=2, xmldecl=False, svgns=True, dark="#000", light="#fff"
    )
    request.app.state.access.audit(visitor_of(request).name, f"code for table {given.table}")
    return CodeOut(
        code=code, address=address, svg=picture.getvalue().decode(), fingerprint=fingerprint(public)
    )


@router.post(f"{API}/join", response_model=JoinAnswer)
async def join(request: Request, given: JoinIn) -> JoinAnswer:
    """A board joins with its code: its public key is this table from now on, and a board that was
    it is so no more.
    """
    hall, access = hall_of(request), request.app.state.access
    key = f"join:{request.client.host if request.client else ''}"
    await asyncio.sleep(access.slow_down(key))
    try:
        signed = JOIN.format(code=given.code, key=given.key, link=given.link).encode()
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(given.key)).verify(
            bytes.fromhex(given.signature), signed
        )
        table = await hall.pair(given.code, given.key, given.link)
    except (InvalidSignature, ValueError) as error:
        access.failed(key)
        text = (
            str(error)
            if isinstance(error, RegistryError)
            else "the signature of the board's own key"
        )
        raise problem(401, "no_code", text, "", "ask at the hall's desk for a new code") from error
    access.succeeded(key)
    access.audit(table, f"board {fingerprint(bytes.fromhex(given.key))} joined")
    host = urlsplit(f"//{request.headers['host']}").hostname or ""
    shown = f"[{host}]" if ":" in host else host
    page = f"{request.url.scheme}://{request.headers['host']}"
    nats = f"nats://{shown}:{hall.config.nats_port}"
    welcome = WELCOME.format(key=given.key, table=table, nats=nats, certificate=hall.certificate)
    return JoinAnswer(
        hall=hall.line.public,
        nats=nats,
        table=table,
        page=page,
        certificate=hall.certificate,
        signature=hall.key.sign(welcome.encode()).hex(),
    )


@router.post(f"{API}/retire")
async def retire(request: Request, given: TableIn) -> dict[str, str]:
    """Nobody is this table any more: its board is let in no longer, its record stays."""
    await hall_of(request).retire(given.table)
    request.app.state.access.audit(visitor_of(request).name, f"table {given.table} retired")
    return {"table": given.table}


@router.get(f"{API}/boards")
async def paired_boards(request: Request) -> BoardsOut:
    """Which board is or was which table, by the key's fingerprint."""
    yours = visitor_of(request).may
    found = [b for b in hall_of(request).registry.boards().values() if yours(Right.LIVE, b.table)]
    listed = sorted(found, key=lambda b: (b.table, b.since))
    return BoardsOut(
        boards=[
            BoardOut(
                table=b.table,
                fingerprint=fingerprint(bytes.fromhex(b.key)),
                since=b.since,
                until=b.until,
            )
            for b in listed
        ]
    )


# Rounds.


def _results(hall: Hall, visitor: Visitor | None = None) -> list[rounds.Result]:
    """How the pairings stand, for whoever is not of the hall's staff as late as the public's feed.

    None: for the hall itself.
    """
    live = visitor is None or _staff(visitor)
    views = hall.views if live else hall.guests.views
    return rounds.results(hall.registry.pairings(), views, time.monotonic())


@router.get(f"{API}/rounds")
async def pairings(request: Request) -> ResultsOut:
    """Every pairing and how it stands."""
    found = rounds.rows(_results(hall_of(request), visitor_of(request)))
    return ResultsOut(results=[ResultOut(**row) for row in found])


@router.post(f"{API}/rounds")
async def set_pairings(request: Request, given: RoundIn) -> dict[str, int]:
    """Pairings as CSV or JSON; all of them or none. One of the same round and table is replaced."""
    try:
        own = known_rulesets(hall_of(request).config.rules_text)
        found = rounds.read_pairings(given.text, own)
    except RoundsError as error:
        raise problem(
            422, "rounds", str(error), "", "correct the list, and send all of it again"
        ) from error
    count = hall_of(request).registry.set_pairings(found)
    request.app.state.access.audit(visitor_of(request).name, f"{count} pairings")
    return {"pairings": count}


@router.post(f"{API}/rounds/{{number}}/begin")
async def begin(request: Request, number: int) -> BegunOut:
    """Tell each table of the round who plays there.

    A table where a match is still on is left alone, and says so.
    """
    hall, visitor = hall_of(request), visitor_of(request)
    wanted = [p for p in hall.registry.pairings() if p.round == number]
    if not wanted:
        raise problem(
            404, "no_round", "a round with pairings", str(number), "send the pairings first"
        )
    waiting = {
        r.pairing.table
        for r in _results(hall)
        if r.pairing.round == number and r.state == "waiting"
    }
    by = {"name": visitor.name or visitor.role.value, "role": visitor.role.value, "side": None}

    async def tell(pairing: Pairing) -> TableBegun:
        if pairing.table not in waiting:
            return TableBegun(table=pairing.table, ok=True, why="begun")
        try:
            config = hall.config
            order = rounds.order_of(pairing, config.event, config.rules_text)
            done = await hall.command(pairing.table, "set_match", order, by)
        except (TableDownError, RefusedError) as error:
            return TableBegun(table=pairing.table, ok=False, why=str(error))
        return TableBegun(table=pairing.table, ok=True, why=f"entry {done.seq}")

    return BegunOut(tables=list(await asyncio.gather(*(tell(p) for p in wanted))))


@router.get(f"{API}/results.csv", response_class=Response)
async def results_csv(request: Request) -> Response:
    """Results by the tables' own records, for a spreadsheet or a pairing program."""
    found = rounds.as_csv(_results(hall_of(request), visitor_of(request)))
    return Response(found, media_type="text/csv; charset=utf-8")


@router.get(f"{API}/results.json", response_class=Response)
async def results_json(request: Request) -> Response:
    """The same as JSON."""
    found = rounds.as_json(_results(hall_of(request), visitor_of(request)))
    return Response(found, media_type="application/json")


# Overlays, commands, refusals, the archive.


@router.get(f"{API}/overlays")
async def overlays(request: Request, screen: str = "") -> OverlaysOut | ScreenOut:
    """Which table each screen shows; with `screen`, that one alone."""
    found = hall_of(request).registry.overlays()
    return ScreenOut(table=found.get(screen, "")) if screen else OverlaysOut(overlays=dict(found))


@router.put(f"{API}/overlays")
async def set_overlay(request: Request, given: OverlayIn) -> OverlaysOut:
    """Put a table on a screen; no table takes it off."""
    hall = hall_of(request)
    if given.table and given.table not in hall.desks:
        raise problem(404, "no_table", "a table of this hall", given.table)
    hall.registry.set_overlay(given.screen, given.table)
    return OverlaysOut(overlays=dict(hall.registry.overlays()))


@router.get(f"{API}/commands")
async def commands(request: Request, table: Table = None) -> CommandsOut:
    """What was sent to the tables and what became of it, the newest first."""
    yours = visitor_of(request).may
    found = [c for c in hall_of(request).registry.commands(table) if yours(Right.LIVE, c.table)]
    return CommandsOut(
        commands=[
            CommandOut(
                table=c.table,
                what=c.what,
                who=c.who,
                at=c.at,
                outcome=c.outcome,
                detail=c.detail,
            )
            for c in found
        ]
    )


@router.get(f"{API}/refusals")
async def refusals(request: Request, table: Table = None) -> RefusalsOut:
    """What the hall did not believe, and why."""
    yours = visitor_of(request).may
    found = [r for r in hall_of(request).model.refusals(table) if yours(Right.LIVE, r["table"])]
    return RefusalsOut(refusals=[RefusalOut(**row) for row in found])


@router.get("/api/v1/tables/{table}/export.zip", response_class=Response, include_in_schema=False)
async def export_table(request: Request, table: str) -> Response:
    """One table's records, as the hall has them: everything but the pictures, which stay at the
    table.
    """
    hall = hall_of(request)
    data = await run_in_threadpool(archive.table_archive, hall.config.data, hall.line.hall, table)
    headers = {"content-disposition": f'attachment; filename="takhte-{table}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.get(f"{API}/archive.zip", response_class=FileResponse)
async def everything(request: Request) -> FileResponse:
    """Everything in one file: every table's record in every format, results, commands, refusals."""
    hall = hall_of(request)
    found = rounds.rows(_results(hall))
    path = await run_in_threadpool(
        archive.build_archive, hall.config.data, hall.line.hall, hall.registry, found
    )
    return FileResponse(
        path,
        media_type="application/zip",
        filename="archive.zip",
        background=BackgroundTask(path.unlink),
    )
