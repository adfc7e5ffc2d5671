"""PhonesHere as the table's camera and clock: how they come in, and their sockets. (E)

The code on the table's screen leads to a plain page without any secret, which says what the browser
will say; from there on it is HTTPS. What a phone says is read by `phone_link`, who is at the door
by `knocks`.
"""

from __future__ import annotations

import asyncio
import io
import struct
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

import segno
from fastapi import APIRouter, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import HTMLResponse

from service.journal.entry import Role
from service.journal.paths import name_path, phone_path
from service.web.access import Access
from service.web.addresses import addresses, is_public
from service.web.api import FAILURES, TABLE, UNREADABLE
from service.web.authority import problem, visitor_of
from service.web.config import WebConfig
from service.web.desk import Desk
from service.web.guard import asked_as_loopback
from service.web.knocks import KNOCK_S, CrowdedError, Knocks
from service.web.pages import Lang, render_page
from service.web.phone_clock import PhoneClock
from service.web.phone_link import Filmed, NotALinkError, PhoneLink, Pressed
from service.web.phone_schema import (
    KnockAnswer,
    KnockAnswerIn,
    KnockIn,
    KnockOut,
    KnocksOut,
    PhoneDoor,
    PhoneRole,
    WaitingKnock,
)
from service.web.policy import Visitor
from service.web.ports import TableDownError
from service.web.schema import Failure
from service.web.signin import admitted, reachable
from service.web.tablelink import RefusedError

router = APIRouter()
HEAD: Final = struct.Struct("<4sdI")
"""Of each picture on its way to the camera's process, as `vision.camera.phone` reads it."""
MARK: Final = b"tkp1"
TRY_S: Final = 0.5
"""So often at most the camera's process is looked for."""
AIM_S: Final = 0.7
CLOCKS: Final = 64
DEVICE: Final = r"^[A-Za-z0-9-]{8,40}$"
AGAIN: Final = ("busy", "disk_full")
"""Refusals after which a press is given again: the table has not got it, or has not said so."""
FILMING: Final = {"permissions-policy": "camera=(self), microphone=(), geolocation=()"}


class PhonesHere:
    """What is known of phones while this process lives: who knocks, each one's clock, which film
    and which are clocks now, by table.
    """

    def __init__(self) -> None:
        self.knocks = Knocks()
        self.filming: dict[str, WebSocket] = {}
        self.pressing: dict[str, int] = {}
        self._clocks: OrderedDict[str, PhoneClock] = OrderedDict()

    def clock_of(self, device: str) -> PhoneClock:
        """The clock of a device, known from before where it was here."""
        clock = self._clocks.pop(device, None) or PhoneClock()
        self._clocks[device] = clock
        while len(self._clocks) > CLOCKS:
            self._clocks.popitem(last=False)
        return clock


def _phones(connection: Request | WebSocket) -> PhonesHere:
    phones: PhonesHere = connection.app.state.phones
    return phones


def _secure(request: Request) -> bool:
    """Whether a browser lends its camera to this page."""
    return request.url.scheme == "https" or asked_as_loopback(request.scope)


# How a phone comes in


@router.get("/phone", include_in_schema=False)
async def phone_page(
    request: Request,
    role: Annotated[PhoneRole, Query(alias="as")] = "camera",
    lang: Lang = None,
) -> HTMLResponse:
    """What the code on the table's screen opens: plain, what to expect; over HTTPS, the door."""
    config: WebConfig = request.app.state.config
    host = request.url.hostname or ""
    host = f"[{host}]" if ":" in host else host
    asked = urlencode({"as": role, "table": request.query_params.get("table", config.name)[:40]})
    certificate = config.certificate
    return render_page(
        request,
        "phone.html",
        lang,
        role=role,
        secure=_secure(request),
        door=f"https://{host}:{config.https_port}/phone?{asked}" if config.https_port else "",
        fingerprint=certificate.fingerprint if certificate else "",
        installable=bool(certificate and certificate.authority),
    )


@router.get("/camera", include_in_schema=False)
async def camera_page(request: Request, lang: Lang = None) -> HTMLResponse:
    page = render_page(request, "camera.html", lang)
    page.headers.update(FILMING)
    return page


@router.get("/clock", include_in_schema=False)
async def clock_page(request: Request, lang: Lang = None) -> HTMLResponse:
    return render_page(request, "clock.html", lang)


@router.get("/authority.pem", include_in_schema=False)
async def authority_file(request: Request) -> Response:
    """The table's own authority, for a device that is to trust it for good."""
    certificate = request.app.state.config.certificate
    if certificate is None or certificate.authority is None:
        raise problem(404, "no_authority", "a table that made its own certificate", "none")
    return Response(certificate.authority.read_bytes(), media_type="application/x-x509-ca-cert")


@router.get("/api/v1/phones/door", tags=["access"], response_model=PhoneDoor, responses=FAILURES)
async def phone_door(
    request: Request, role: Annotated[PhoneRole, Query(alias="as")] = "camera"
) -> PhoneDoor:
    """The address that a phone scans to become the table's camera or clock. It holds no secret."""
    config: WebConfig = request.app.state.config
    asked = {"as": role, "table": request.query_params.get("table", config.name)[:40]}
    name = _name(config)
    address = f"http://{_plain(request, config)}/phone?{urlencode(asked)}"
    picture = io.BytesIO()
    segno.make(address, micro=False).save(
        picture, kind="svg", border=2, xmldecl=False, omitsize=True, dark="#000", light="#fff"
    )
    certificate = config.certificate
    return PhoneDoor(
        address=address,
        name=f"http://{name}:{config.port}/phone?{urlencode(asked)}" if name else "",
        svg=picture.getvalue().decode(),
        fingerprint=certificate.fingerprint if certificate else "",
        reachable=is_public(config.host),
        https=bool(config.https_port),
    )


def _plain(request: Request, config: WebConfig) -> str:
    """Host and port of the plain page for another device, whichever door was asked."""
    if asked_as_loopback(request.scope):
        return reachable(request)
    host = request.url.hostname or addresses()[0]
    return f"[{host}]:{config.port}" if ":" in host else f"{host}:{config.port}"


def _name(config: WebConfig) -> str:
    """The name under which the page is announced, "" where it is not."""
    try:
        return name_path(config.journal).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


@router.post(
    "/api/v1/knocks",
    tags=["access"],
    response_model=KnockOut,
    responses={
        **FAILURES,
        **UNREADABLE,
        429: {"model": Failure, "description": "too many at the door"},
    },
)
async def new_knock(request: Request, given: KnockIn) -> KnockOut:
    """A phone asks to be the table's camera or clock; somebody at the table lets it in."""
    if not _secure(request):
        raise problem(403, "https", "this page over HTTPS", request.url.scheme, "open /phone")
    if given.table not in request.app.state.desks:
        raise problem(404, "no_table", "one of " + ", ".join(request.app.state.desks), given.table)
    address = request.client.host if request.client else ""
    try:
        secret, knock = _phones(request).knocks.knock(
            given.role, given.table, _device(request), address, time.monotonic()
        )
    except CrowdedError:
        expected, after = "a few phones at a time", "wait a minute, then knock again"
        raise problem(429, "too_fast", expected, "more", after) from None
    return KnockOut(secret=secret, number=knock.number, seconds=int(KNOCK_S))


def _device(request: Request) -> str:
    """What kind of device this is, by a word of its browser's own name."""
    said = request.headers.get("user-agent", "")
    known = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux")
    return next((word for word in known if word in said), "")


@router.post("/api/v1/knocks/answer", tags=["access"], responses={**UNREADABLE})
async def knock_answer(request: Request, response: Response, given: KnockAnswerIn) -> KnockAnswer:
    """Whether this phone is let in; then its session comes with the answer, once."""
    knock = _phones(request).knocks.answer(given.secret, time.monotonic())
    if knock is None:
        return KnockAnswer(state="gone")
    if not knock.token:
        return KnockAnswer(state="waiting")
    admitted(response, request, knock.token)
    return KnockAnswer(state="in", role=knock.role)


@router.get("/api/v1/knocks", tags=["access"], response_model=KnocksOut, responses=FAILURES)
async def knocks(request: Request) -> KnocksOut:
    """PhonesHere that ask to be let in now."""
    waiting = _phones(request).knocks.at_the_door(time.monotonic())
    return KnocksOut(
        knocks=[
            WaitingKnock(ident=k.ident, number=k.number, role=k.role, device=k.device)
            for k in waiting
        ]
    )


@router.post("/api/v1/knocks/{ident}", tags=["access"], responses=FAILURES)
async def let_in(request: Request, ident: str) -> KnocksOut:
    """Let a phone in as what it asked to be, at the table that it asked for."""
    found, now = _phones(request).knocks, time.monotonic()
    knock = found.find(ident, now)
    if knock is None:
        raise problem(404, "no_knock", "a phone at the door", ident[:20], "have it knock again")
    access: Access = request.app.state.access
    visitor = Visitor(knock.role, Role(knock.role), None, frozenset({knock.table}))
    found.let_in(knock, access.open_session(visitor), now)
    access.audit(visitor_of(request).name, f"let in a {knock.role} ({knock.device})")
    return await knocks(request)


# Sockets


Take = Callable[[Pressed | Filmed], Awaitable[bool]]
"""Do with it what is to be done; False where the line should be dropped."""


async def _talk(socket: WebSocket, link: PhoneLink, take: Take) -> None:
    """Ask, listen and answer until the phone goes."""
    asking = asyncio.create_task(_ask(socket, link))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            if (text := message.get("text")) is not None:
                for press in link.heard(text, now):
                    if not await take(press):
                        await socket.close(1013)
                        return
            elif (film := link.part(message.get("bytes") or b"", now)) is not None:
                await take(film)
    except NotALinkError:
        await socket.close(1008)
    except (WebSocketDisconnect, RuntimeError, OSError):
        return
    finally:
        asking.cancel()


async def _ask(socket: WebSocket, link: PhoneLink) -> None:
    while True:
        text, wait = link.due(time.monotonic())
        if text is not None:
            await socket.send_text(text)
        await asyncio.sleep(wait)


@router.websocket(f"{TABLE}/phone-clock")
async def phone_clock(
    socket: WebSocket, table: str, device: Annotated[str, Query(pattern=DEVICE)]
) -> None:
    """The presses of a phone that is the table's clock, each answered once it is on record."""
    desk: Desk = socket.state.desk
    visitor: Visitor = socket.state.visitor
    by: dict[str, str | None] = {
        "name": visitor.name or visitor.role.value,
        "role": visitor.role.value,
        "side": None,
    }

    async def take(press: Pressed | Filmed) -> bool:
        if isinstance(press, Filmed):
            return False
        args: dict[str, str | float] = {
            "device": device,
            "number": press.number,
            "pressed": press.what,
            "monotonic": press.at,
            "doubt": press.doubt,
        }
        try:
            await desk.link.order("phone_press", args, by)
        except TableDownError:
            return False
        except RefusedError as error:
            if error.refusal.code in AGAIN:
                return False
        await socket.send_json({"t": "done", "n": press.number})
        return True

    await socket.accept()
    phones = _phones(socket)
    phones.pressing[table] = phones.pressing.get(table, 0) + 1
    try:
        link = PhoneLink(phones.clock_of(f"{table}/{device}"), time.monotonic())
        await _talk(socket, link, take)
    finally:
        phones.pressing[table] -= 1


@router.websocket(f"{TABLE}/phone-pictures")
async def phone_pictures(
    socket: WebSocket, table: str, device: Annotated[str, Query(pattern=DEVICE)]
) -> None:
    """The pictures of a phone that is the table's camera; whichever came last is it."""
    desk: Desk = socket.state.desk
    phones = _phones(socket)
    await socket.accept()
    before, phones.filming[table] = phones.filming.get(table), socket
    if before is not None:
        await _close(before)
    line = PictureLine(phone_path(desk.journal) if desk.journal else Path("/nowhere"))

    async def take(film: Pressed | Filmed) -> bool:
        if isinstance(film, Pressed):
            return False
        used = await line.send(film.jpeg, film.at, time.monotonic()) if film.jpeg else True
        await socket.send_json({"t": "got", "n": film.number, "used": used})
        return True

    aiming = asyncio.create_task(_aim(socket, desk))
    try:
        link = PhoneLink(phones.clock_of(f"{table}/{device}"), time.monotonic())
        await _talk(socket, link, take)
    finally:
        aiming.cancel()
        line.close()
        if phones.filming.get(table) is socket:
            del phones.filming[table]


async def _close(socket: WebSocket) -> None:
    try:
        await socket.close(4001, "another phone is the camera now")
    except (RuntimeError, OSError):
        return


async def _aim(socket: WebSocket, desk: Desk) -> None:
    """Tell the phone where the board lies in its picture, and one thing that would help."""
    while True:
        try:
            aim = await desk.link.ask("aim")
        except (TableDownError, RefusedError):
            aim = {"outline": [], "advice": "no_table"}
        await socket.send_json({"t": "aim", "aim": aim})
        await asyncio.sleep(AIM_S)


class PictureLine:
    """The way to the camera's process; newest wins: while one picture is under way, others are not
    sent.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: asyncio.StreamWriter | None = None
        self._due = 0.0

    async def send(self, jpeg: bytes, taken: float, now: float) -> bool:
        """Whether there is a camera's process that takes the pictures of a phone."""
        if self._writer is None or self._writer.transport.is_closing():
            if now < self._due:
                return False
            self._due = now + TRY_S
            try:
                _, self._writer = await asyncio.open_unix_connection(str(self._path))
            except OSError:
                return False
        if self._writer.transport.get_write_buffer_size() == 0:
            self._writer.write(HEAD.pack(MARK, taken, len(jpeg)) + jpeg)
        return True

    def close(self) -> None:
        """Let go of the camera's process."""
        if self._writer is not None:
            self._writer.close()
