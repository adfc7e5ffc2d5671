"""Who this visitor is and whether he may: one dependency on every route, deny by default. (E)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import HTTPException, Request
from starlette.requests import HTTPConnection

from service.referee.refusal import Refusal
from service.web.access import Access
from service.web.desk import Desk
from service.web.event_says import as_the_event_lets
from service.web.guard import is_console
from service.web.open_lines import OpenLines
from service.web.policy import CONSOLE, GUEST, Right, Visitor
from service.web.rights import OWN_TABLES, WEBSOCKET

COOKIE: Final = "takhte"
HALLS_COOKIE: Final = "takhte-hall"
"""A browser knows no ports: a table and a hall on one machine must not end each other's session."""


class RefusedRequest(HTTPException):
    """A request that is refused, and why."""

    def __init__(self, status: int, refusal: Refusal) -> None:
        super().__init__(status, refusal.code)
        self.refusal = refusal


class Denied(RefusedRequest):
    """Not allowed: 401 for a guest (sign in), 403 for anybody else."""

    def __init__(self, visitor: Visitor, right: Right | None) -> None:
        expected = f"somebody with the right to {right.value}" if right else "a known route"
        if visitor == GUEST:
            after = "sign in or pair this device"
            super().__init__(401, Refusal("sign_in", expected, visitor.role.value, after))
        else:
            after = "ask the director"
            super().__init__(403, Refusal("not_allowed", expected, visitor.role.value, after))


def problem(
    status: int, code: str, expected: str, came: str = "", after: str = ""
) -> RefusedRequest:
    """The refusal of a request, with its HTTP status."""
    return RefusedRequest(status, Refusal(code, expected, came[:200], after))


def cookie_of(connection: HTTPConnection) -> str:
    """Under which name this application keeps a session in a browser."""
    return HALLS_COOKIE if hasattr(connection.app.state, "hall") else COOKIE


def tokens_of(connection: HTTPConnection) -> list[str]:
    """What a request shows of sessions: the bearer's token first, then the cookie's."""
    bearer = connection.headers.get("authorization", "")
    shown = bearer[7:] if bearer.lower().startswith("bearer ") else ""
    return [token for token in (shown, connection.cookies.get(cookie_of(connection), "")) if token]


def identify(connection: HTTPConnection) -> Visitor:
    """The visitor of a request: a signed-in session first, then the machine's own screen, else a
    guest.
    """
    return _identified(connection)[0]


def _identified(connection: HTTPConnection) -> tuple[Visitor, str]:
    """The visitor, and the token of the session by which he is known, "" for none."""
    access: Access = connection.app.state.access
    for token in tokens_of(connection)[:1]:
        visitor = access.visitor(token)
        if visitor is not GUEST:
            return visitor, token
    if is_console(connection.scope, connection.app.state.config.console_port):
        return CONSOLE, ""
    return GUEST, ""


def desk_of(connection: HTTPConnection, table: str) -> Desk:
    """The table of that name. Raises 404."""
    desks: dict[str, Desk] = connection.app.state.desks
    if table not in desks:
        raise problem(
            404, "no_table", f"one of {', '.join(desks)}", table, "GET /api/v1/tables lists them"
        )
    return desks[table]


async def authorise(connection: HTTPConnection) -> None:
    """Application-wide dependency. Identifies the visitor, finds the table, asks the policy."""
    table = connection.path_params.get("table")
    paired, token = _identified(connection)
    if token:
        open_lines_of(connection).opened(token)
    desks: Mapping[str, Desk] = connection.app.state.desks
    visitor = as_the_event_lets(paired, {name: d.live for name, d in desks.items()}, table)
    connection.state.visitor = visitor
    route = connection.scope.get("route")
    method = WEBSOCKET if connection.scope["type"] == "websocket" else connection.scope["method"]
    rights: Mapping[tuple[str, str], Right] = connection.app.state.rights
    right = rights.get((method, getattr(route, "path", "")))
    if right is None or not visitor.may(right, table):
        if visitor is not paired and right is not None and paired.may(right, table):
            raise problem(
                403,
                "face_down",
                "the board, or the tablet that both players share",
                "a player's own device",
                "the event has phones face down",
            )
        raise Denied(visitor, right)
    if table is None and (method, getattr(route, "path", "")) not in OWN_TABLES:
        # What is about no one table is about all of them.
        hall = hasattr(connection.app.state, "hall")
        if not visitor.may_everywhere(right, desks, may_grow=hall):
            raise Denied(visitor, right)
    if table is not None:
        connection.state.desk = desk_of(connection, table)


def open_lines_of(connection: HTTPConnection) -> OpenLines:
    """What every session has open now."""
    found: OpenLines = connection.app.state.open_lines
    return found


def visitor_of(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


def desk(request: Request) -> Desk:
    found: Desk = request.state.desk
    return found
