"""Who may do what: every route, every role, every table; nothing is open by forgetting."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.routing import Mount

from service.journal.entry import Role
from service.referee.order_table import ORDERS
from service.web.app import create_app
from service.web.config import WebConfig
from service.web.policy import HOLDERS, Right, Visitor
from service.web.rights import ENDLESS, OWN_TABLES, ROUTES, WEBSOCKET

FILLED = {
    "{table}": "t1",
    "{seq}": "1",
    "{picture}": "p1",
    "{name}": "other",
    "{code}": "fa",
    "{what}": "boards",
    "{feed}": "public",
    "{ident}": "0123456789abcdef",
}
BODIES: dict[str, Any] = {
    "/api/v1/knocks": {"role": "camera", "table": "t1"},
    "/api/v1/knocks/answer": {"secret": "a" * 43},
    "/api/v1/pair": {"code": "AAAABBBB"},
    "/api/v1/pairings": {"role": "player", "table": "t1"},
    "/api/v1/sign-in": {"name": "nobody", "password": "wrong"},
    "/api/v1/sign-out": {},
    "/api/v1/tables/{table}/orders": {"order": "adjourn", "args": {}},
    "/api/v1/accounts/{name}": {"role": "arbiter", "password": "a long sentence"},
    "/api/v1/delays/{feed}": {"seconds": 0},
    "/api/v1/push": {"url": ""},
    "/api/v1/webhooks": {"url": "http://127.0.0.1:9/", "events": ["game_ended"]},
}
VISITORS = [
    Visitor(),
    *(
        Visitor("somebody", role, side, tables)
        for role, side, tables in itertools.product(
            list(Role)[1:], (None, "white"), (None, frozenset({"t1"}), frozenset({"t2"}))
        )
        if side is None or role is Role.PLAYER
    ),
]


def app(folder: Path) -> Any:
    tables = (("t2", folder / "b.journal", folder / "b.sock"),)
    return create_app(WebConfig(folder / "a.journal", folder / "a.sock", others=tables))


def routes(application: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pending = list(application.routes)
    while pending:
        route = pending.pop()
        if isinstance(route, APIRoute):
            found += [(method, route.path) for method in route.methods]
        elif isinstance(route, APIWebSocketRoute):
            found.append((WEBSOCKET, route.path))
        elif isinstance(route, Mount):
            assert route.path == "/static"
        else:
            inner = getattr(route, "routes", None) or getattr(
                getattr(route, "original_router", None), "routes", None
            )
            assert inner is not None, f"a route that nobody guards: {route!r}"
            pending += inner
    return found


def test_every_route_names_its_right_and_none_is_left_over(tmp_path: Path) -> None:
    assert set(routes(app(tmp_path))) == set(ROUTES)


async def _walk(visitor: Visitor, folder: Path) -> list[str]:
    application = app(folder)
    token = (
        application.state.access.open_session(visitor) if visitor.role is not Role.GUEST else None
    )
    headers = {"authorization": f"Bearer {token}"} if token else {}
    wrong = []
    transport = httpx.ASGITransport(
        application, client=("192.0.2.7", 5), raise_app_exceptions=False
    )
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", headers=headers
    ) as client:
        for (method, path), right in ROUTES.items():
            if method == WEBSOCKET or path.endswith(ENDLESS):
                continue
            address = path
            for key, value in FILLED.items():
                address = address.replace(key, value)
            answer = await client.request(method, address, json=BODIES.get(path))
            if path == "/api/v1/sign-out" and token:
                client.headers["authorization"] = (
                    f"Bearer {application.state.access.open_session(visitor)}"
                )
            if "{table}" in path or (method, path) in OWN_TABLES:
                allowed = visitor.may(right, "t1" if "{table}" in path else None)
            else:
                allowed = visitor.may_everywhere(right, ("t1", "t2"), may_grow=False)
            if path == "/api/v1/tables/{table}/orders":
                allowed = visitor.may_order("adjourn", "t1")
            refused = answer.status_code in (401, 403) and answer.json()["error"]["code"] in (
                "sign_in",
                "not_allowed",
            )
            if refused == allowed:
                wrong.append(f"{method} {path}: {answer.status_code} for {visitor}")
    return wrong


@pytest.mark.parametrize(
    "visitor",
    VISITORS,
    ids=lambda v: f"{v.role.value}-{v.side or 'any'}-{','.join(v.tables or ['all'])}",
)
def test_every_route_for_every_visitor(visitor: Visitor, tmp_path: Path) -> None:
    """Allowed means that the policy's table says so; the answer may still be that there is no such
    table running.
    """
    assert not asyncio.run(_walk(visitor, tmp_path))


def test_an_unnamed_route_is_refused(tmp_path: Path) -> None:
    application = app(tmp_path)

    @application.get("/forgotten")
    def forgotten() -> str:
        return "secret"

    async def ask() -> int:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.get("/forgotten")).status_code

    assert asyncio.run(ask()) == 401


ORDER_CASES = [
    # order, visitor, side that it speaks for, allowed
    ("take", Visitor("a", Role.PLAYER, "white", frozenset({"t1"})), "white", True),
    ("take", Visitor("a", Role.PLAYER, "white", frozenset({"t1"})), "black", False),
    ("take", Visitor("a", Role.PLAYER, "white", frozenset({"t2"})), "white", False),
    ("take", Visitor("tablet", Role.PLAYER, None, frozenset({"t1"})), "black", True),
    ("set_match", Visitor("tablet", Role.PLAYER, None, frozenset({"t1"})), None, True),
    ("set_match", Visitor("a", Role.PLAYER, "white", frozenset({"t1"})), None, False),
    ("let_stand", Visitor("a", Role.PLAYER, "white", frozenset({"t1"})), None, False),
    ("rule", Visitor("tablet", Role.PLAYER, None, None), None, False),
    ("rule", Visitor("n", Role.ANNOTATOR), None, False),
    ("rule", Visitor("n", Role.ARBITER), None, True),
    ("rule", Visitor("n", Role.ARBITER, None, frozenset({"t2"})), None, False),
    ("use_camera", Visitor("n", Role.ARBITER), None, False),
    ("use_camera", Visitor("n", Role.DIRECTOR), None, True),
    ("no_such_order", Visitor("n", Role.CONSOLE), None, False),
    ("take", Visitor(), "white", False),
    ("press", Visitor("clock", Role.CLOCK, None, frozenset({"t1"})), "black", True),
    ("press", Visitor("clock", Role.CLOCK, None, frozenset({"t2"})), "black", False),
    ("declare_roll", Visitor("clock", Role.CLOCK, None, frozenset({"t1"})), None, False),
    ("set_match", Visitor("clock", Role.CLOCK, None, frozenset({"t1"})), None, False),
    ("press", Visitor("camera", Role.CAMERA, None, frozenset({"t1"})), "white", False),
]


@pytest.mark.parametrize(("order", "visitor", "side", "allowed"), ORDER_CASES)
def test_orders(order: str, visitor: Visitor, side: str | None, allowed: bool) -> None:
    assert visitor.may_order(order, "t1", side) is allowed


def test_guests_hold_nothing_but_what_is_public() -> None:
    held = {right for right in Right if Visitor().may(right, "t1")}
    assert held == {Right.OPEN, Right.SCORE, Right.READ}
    assert set(HOLDERS) == set(Right)
    assert not Visitor().orders("t1")
    assert all(spec.roles for spec in ORDERS.values())
