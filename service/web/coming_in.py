"""How a device comes in that brings no password: a phone as camera or clock, a tablet, a player's
or an official's phone. (E)

The code on the table's screen leads to a plain page without any secret, which says what the browser
will say; from there on it is HTTPS. The device knocks (`knocks`), both screens show the same
number, and whoever may manage the table lets it in.
"""

from __future__ import annotations

import io
import time
from typing import Annotated, Final, get_args
from urllib.parse import urlencode

import segno
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from service.journal.entry import Role
from service.journal.paths import name_path
from service.web.access import Access
from service.web.addresses import addresses, is_public
from service.web.api import FAILURES, UNREADABLE
from service.web.authority import problem, visitor_of
from service.web.config import WebConfig
from service.web.guard import asked_as_loopback
from service.web.knocks import KNOCK_S, CrowdedError, Knock
from service.web.pages import Lang, render_page
from service.web.phone_schema import (
    KnockAnswer,
    KnockAnswerIn,
    KnockIn,
    KnockOut,
    KnockRole,
    KnocksOut,
    PhoneDoor,
    PhoneRole,
    WaitingKnock,
)
from service.web.phones import phones_here
from service.web.policy import Visitor
from service.web.schema import Failure
from service.web.signin import admitted, reachable, refuse_more

router = APIRouter()
FILMING: Final = {"permissions-policy": "camera=(self), microphone=(), geolocation=()"}


def _secure(request: Request) -> bool:
    """Whether a browser lends its camera to this page."""
    return request.url.scheme == "https" or asked_as_loopback(request.scope)


@router.get("/phone", include_in_schema=False)
async def phone_page(
    request: Request,
    role: Annotated[KnockRole, Query(alias="as")] = "camera",
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
        phone=role in get_args(PhoneRole),
        name=_name(config),
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
    request: Request, role: Annotated[KnockRole, Query(alias="as")] = "camera"
) -> PhoneDoor:
    """The address that a device scans to be let in as this. It holds no secret."""
    config: WebConfig = request.app.state.config
    name = _name(config)
    asked = {"as": role, "table": request.query_params.get("table", config.name)[:40]}
    if name:
        asked["name"] = name
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
    """A device asks to be let in; somebody at the table lets it."""
    if not _secure(request):
        raise problem(403, "https", "this page over HTTPS", request.url.scheme, "open /phone")
    if given.table not in request.app.state.desks:
        raise problem(404, "no_table", "one of " + ", ".join(request.app.state.desks), given.table)
    address = request.client.host if request.client else ""
    try:
        secret, knock = phones_here(request).knocks.knock(
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
    knock = phones_here(request).knocks.answer(given.secret, time.monotonic())
    if knock is None:
        return KnockAnswer(state="gone")
    if not knock.token:
        return KnockAnswer(state="waiting")
    admitted(response, request, knock.token)
    return KnockAnswer(state="in", role=knock.role)


@router.get("/api/v1/knocks", tags=["access"], response_model=KnocksOut, responses=FAILURES)
async def knocks(request: Request) -> KnocksOut:
    """Devices that ask to be let in now."""
    waiting = phones_here(request).knocks.at_the_door(time.monotonic())
    return KnocksOut(
        knocks=[
            WaitingKnock(ident=k.ident, number=k.number, role=k.role, device=k.device)
            for k in waiting
        ]
    )


@router.post("/api/v1/knocks/{ident}", tags=["access"], responses=FAILURES)
async def let_in(request: Request, ident: str) -> KnocksOut:
    """Let a device in as what it asked to be, at the table that it asked for."""
    found, now = phones_here(request).knocks, time.monotonic()
    knock = found.find(ident, now)
    if knock is None:
        raise problem(404, "no_knock", "a device at the door", ident[:20], "have it knock again")
    access: Access = request.app.state.access
    visitor = _visitor(knock)
    refuse_more(visitor_of(request), visitor.tables)
    found.let_in(knock, access.open_session(visitor), now)
    access.audit(visitor_of(request).name, f"let in a {knock.role} ({knock.device})")
    return await knocks(request)


def _visitor(knock: Knock) -> Visitor:
    """Who a device is once it is let in: White's and Black's own phones speak for their side."""
    side = knock.role if knock.role in ("white", "black") else None
    role = Role.PLAYER if side else Role(knock.role)
    return Visitor(knock.role, role, side, frozenset({knock.table}))
