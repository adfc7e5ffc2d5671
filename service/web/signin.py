"""Signing in, pairing devices, accounts. (E)"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Collection
from functools import partial
from typing import Annotated
from urllib.parse import quote

import segno
from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParam
from starlette.concurrency import run_in_threadpool

from service.journal.entry import Role
from service.web.access import DEVICE_S, PAIRING_S, SESSION_S, Access, AccessError
from service.web.addresses import addresses, is_public
from service.web.api import FAILURES, UNREADABLE
from service.web.authority import cookie_of, open_lines_of, problem, tokens_of, visitor_of
from service.web.guard import asked_as_loopback
from service.web.lanes import lanes_of
from service.web.pages import secured_page
from service.web.policy import Visitor
from service.web.schema import (
    AccountIn,
    AccountOut,
    Accounts,
    CodeIn,
    Me,
    PairingIn,
    PairingOut,
    Responses,
    SideName,
    SignIn,
)

router = APIRouter(prefix="/api/v1", tags=["access"])
DEVICE_COOKIE = "takhte-device"
"""By which a device is known again from which somebody signed in; it gives no right."""
SIGNING: Responses = {**UNREADABLE, 401: FAILURES[401], 422: FAILURES[422]}
Name = Annotated[str, PathParam(pattern=r"^[\w.-]{1,60}$")]


def _me(visitor: Visitor, token: str | None = None) -> Me:
    tables = None if visitor.tables is None else sorted(visitor.tables)
    sides: tuple[SideName, ...] = ("white", "black")
    side = next((name for name in sides if name == visitor.side), None)
    return Me(name=visitor.name, role=visitor.role.value, side=side, tables=tables, token=token)


def admitted(response: Response, request: Request, token: str) -> Me:
    """Who a session's token makes of this device; the answer brings it as a cookie."""
    response.set_cookie(
        cookie_of(request),
        token,
        max_age=SESSION_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return _me(_access(request).visitor(token), token)


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


@router.get("/me", response_model=Me)
async def me(request: Request) -> Me:
    """Who the server takes this visitor for."""
    return _me(visitor_of(request))


@router.post("/sign-in", response_model=Me, responses=SIGNING)
async def sign_in(request: Request, response: Response, given: SignIn) -> Me:
    """Sign in with a name and a password.

    Wrong ones make the next try slower; nobody is ever locked out, and nobody's tries from
    elsewhere slow down a device from which this person signed in before. Over the network a
    password is taken behind TLS alone, where there is such a door.
    """
    if (secured := secured_page(request)) is not None:
        after = f"sign in at {secured.address}"
        raise problem(403, "not_secured", "a password behind TLS", "one in plain", after)
    access, lanes = _access(request), lanes_of(request)
    device = request.cookies.get(DEVICE_COOKIE, "")
    known = access.knows_device(given.name, device)
    keys = (
        (f"device:{device}",)
        if known
        else (f"name:{given.name}", f"address:{request.client.host if request.client else ''}")
    )
    async with lanes.of(*keys):
        await asyncio.sleep(access.slow_down(*keys))
        try:
            token = await lanes.hashing(
                partial(_tried, access, given.name, given.password), known=known
            )
        except AccessError as error:
            access.failed(*keys)
            raise problem(
                401, "wrong_password", str(error), given.name, "try again, or ask the director"
            ) from error
        access.succeeded(*keys)
    if not known:
        response.set_cookie(
            DEVICE_COOKIE,
            access.remember_device(given.name),
            max_age=DEVICE_S,
            path="/api/v1/sign-in",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
    return admitted(response, request, token)


def _tried(access: Access, name: str, password: str) -> str:
    """A session token; the try is in the audit, whatever came of it. Blocking: the audit waits for
    the disk, which the event loop must not do for every stranger. Raises AccessError.
    """
    try:
        token = access.sign_in(name, password)
    except AccessError:
        access.audit(name, "wrong password")
        raise
    access.audit(name, "signed in")
    return token


@router.post("/sign-out", response_model=Me)
async def sign_out(request: Request, response: Response) -> Me:
    """End this session, the cookie's and the bearer's."""
    for token in tokens_of(request):
        _access(request).end_session(token)
    open_lines_of(request).close_ended()
    response.delete_cookie(cookie_of(request))
    return _me(Visitor())


@router.post("/pair", response_model=Me, responses=SIGNING)
async def pair_device(request: Request, response: Response, given: CodeIn) -> Me:
    """Turn a pairing code into a session of this device."""
    access = _access(request)
    key = f"pair:{request.client.host if request.client else ''}"
    async with lanes_of(request).of(key):
        await asyncio.sleep(access.slow_down(key))
        try:
            token = access.pair(given.code)
        except AccessError as error:
            access.failed(key)
            after = "ask at the table for a new code"
            raise problem(401, "no_code", str(error), "", after) from error
        access.succeeded(key)
    visitor = access.visitor(token)
    access.audit(visitor.name or visitor.role.value, "device paired")
    return admitted(response, request, token)


@router.post("/pairings", response_model=PairingOut, responses={**FAILURES, **UNREADABLE})
async def new_pairing(request: Request, given: PairingIn) -> PairingOut:
    """A QR code that lets one device in: good once, for ten minutes."""
    if given.table is not None and given.table not in request.app.state.desks:
        raise problem(404, "no_table", "one of " + ", ".join(request.app.state.desks), given.table)
    tables = None if given.table is None else frozenset({given.table})
    if given.role in ("player", "clock", "camera") and tables is None:
        tables = frozenset({request.app.state.config.name})
    refuse_more(visitor_of(request), tables)
    side = given.side if given.role == "player" else None
    visitor = Visitor(given.name or given.side or given.role, Role(given.role), side, tables)
    access = _access(request)
    code = access.pairing(visitor)
    access.audit(visitor_of(request).name, f"pairing for {given.role} {given.name}")
    address = f"{request.url.scheme}://{reachable(request)}/pair?code={quote(code)}"
    picture = io.BytesIO()
    segno.make(address, micro=False).save(
        picture, kind="svg", scale=6, border=2, xmldecl=False, svgns=True, dark="#000", light="#fff"
    )
    return PairingOut(
        code=code, address=address, svg=picture.getvalue().decode(), seconds=PAIRING_S
    )


def refuse_more(visitor: Visitor, tables: Collection[str] | None) -> None:
    """Raises 403 where somebody would give rights at tables where he has none."""
    if not visitor.may_give(tables):
        own = ", ".join(sorted(visitor.tables or ()))
        after = "ask the director of all tables"
        raise problem(403, "not_allowed", f"tables that are yours: {own}", str(tables), after)


def reachable(request: Request) -> str:
    """Host and port by which another device reaches this page: the machine's own screen asks for
    itself as localhost.
    """
    host, config = request.headers["host"], request.app.state.config
    if asked_as_loopback(request.scope) and is_public(config.host):
        everywhere = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
        found = addresses() if config.host in everywhere else [config.host]
        if found:
            return f"[{found[0]}]:{config.port}" if ":" in found[0] else f"{found[0]}:{config.port}"
    return host


@router.get(
    "/accounts", response_model=Accounts, responses={k: v for k, v in FAILURES.items() if k != 404}
)
async def accounts(request: Request) -> Accounts:
    """Everybody who has a password."""
    found = _access(request).accounts()
    return Accounts(
        accounts=[
            AccountOut(
                name=a.name,
                role=a.role.value,
                tables=None if a.tables is None else sorted(a.tables),
            )
            for a in found
        ]
    )


@router.put("/accounts/{name}", response_model=Accounts, responses={**FAILURES, **UNREADABLE})
async def set_account(request: Request, name: Name, given: AccountIn) -> Accounts:
    """Make or change an account; its open sessions end."""
    access = _access(request)
    refuse_more(visitor_of(request), given.tables)
    await run_in_threadpool(
        access.set_account, name, given.password, Role(given.role), given.tables
    )
    open_lines_of(request).close_ended()
    access.audit(visitor_of(request).name, f"account {name} set to {given.role}")
    return await accounts(request)


@router.delete(
    "/accounts/{name}", response_model=Accounts, responses={**FAILURES, 409: FAILURES[404]}
)
async def remove_account(request: Request, name: Name) -> Accounts:
    """Remove an account; its open sessions end."""
    access = _access(request)
    if name not in {a.name for a in access.accounts()}:
        raise problem(404, "no_account", "the name of an account", name)
    try:
        access.remove_account(name)
    except AccessError as error:
        raise problem(409, "last_director", str(error), name) from error
    open_lines_of(request).close_ended()
    access.audit(visitor_of(request).name, f"account {name} removed")
    return await accounts(request)
