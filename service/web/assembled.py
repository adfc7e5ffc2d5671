"""A web application put together: what a table's pages and a hall's have in common. (E)"""

from __future__ import annotations

import gc
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from service.journal.entry import STAFF
from service.players.book import BOOK, PlayerBook
from service.referee.refusal import Refusal
from service.web.access import Access
from service.web.authority import Denied, RefusedRequest, authorise, identify
from service.web.certificate import PageCertificate
from service.web.delay import Delays
from service.web.desk import Desk
from service.web.docs_page import EXAMPLES, with_examples, with_rights
from service.web.door import Capacity
from service.web.guard import Guard
from service.web.metrics import Metrics
from service.web.open_lines import OpenLines
from service.web.pages import render_page
from service.web.policy import Right
from service.web.push import Push
from service.web.rights import methods_of
from service.web.static_files import PackedFiles

STATIC: Final = Path(__file__).parent / "static"


class PageConfig(Protocol):
    """What the pages ask of a configuration, a table's or a hall's."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> Path:
        """Where access.db and the pages' own settings are kept."""
        ...

    @property
    def language(self) -> str: ...

    @property
    def hosts(self) -> tuple[str, ...]: ...

    @property
    def console_port(self) -> int: ...

    @property
    def proxies(self) -> tuple[str, ...]: ...

    @property
    def https_port(self) -> int:
        """Port of the pages behind TLS, 0 for none."""
        ...

    @property
    def certificate(self) -> PageCertificate | None: ...

    @property
    def connections(self) -> int:
        """How many connections one address may have."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What makes one application: its words, desks by table, rights and routers, and what runs
    while it does.
    """

    title: str
    description: str
    config: PageConfig
    desks: Mapping[str, Desk]
    delays: Delays
    rights: Mapping[tuple[str, str], Right]
    routers: tuple[APIRouter, ...]
    running: Callable[[FastAPI], AbstractAsyncContextManager[None]]


class DescribedApp(FastAPI):
    """An application whose description says who may use each route and has examples."""

    def openapi(self) -> dict[str, Any]:
        """The description, put together when it is asked for first."""
        if self.openapi_schema is None:
            shown = with_examples(super().openapi(), self.state.examples)
            self.openapi_schema = with_rights(shown, self.state.rights)
        return self.openapi_schema

    @cached_property
    def openapi_text(self) -> str:
        """The same as JSON."""
        return json.dumps(self.openapi())


def assemble(parts: Parts) -> FastAPI:
    """The application: guarded, deny by default, every refusal in one shape.

    `app.state` holds config, places, rights, examples (files of them), access, open_lines,
    players, delays, push, desks and metrics.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with parts.running(app):
            # What was loaded at the start never dies: keeping it out of the collector's sight
            # takes pauses of 100 ms and more from the tail.
            gc.collect()
            gc.freeze()
            gc.set_threshold(50_000, 20, 1000)
            yield

    app = DescribedApp(
        title=parts.title,
        version="1",
        description=parts.description,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(authorise)],
    )
    folder = parts.config.folder
    app.state.config = parts.config
    # Whoever serves the application says whether it is behind TLS too.
    app.state.behind_tls = False
    app.state.places = Capacity(by_address=parts.config.connections)
    app.state.rights = parts.rights
    app.state.examples = (EXAMPLES,)
    app.state.access = Access(folder / "access.db")
    app.state.open_lines = OpenLines(app.state.access)
    app.state.players = PlayerBook(folder / BOOK)
    app.state.delays = parts.delays
    app.state.push = Push(folder / "push.json")
    app.state.desks = parts.desks
    app.state.metrics = Metrics(parts.desks)
    # First, since most that is asked is there, and finding a route costs more than the file.
    app.mount("/static", PackedFiles(directory=STATIC), name="static")
    for router in parts.routers:
        app.include_router(router)
    app.add_middleware(
        Guard,
        hosts=parts.config.hosts,
        places=lambda: app.state.places,
        is_staff=lambda scope: identify(HTTPConnection(scope)).role in STAFF,
    )
    tell_errors(app)
    return app


def tell_errors(app: FastAPI) -> None:
    """Every refusal says what was expected, what came and what to do next."""
    app.add_exception_handler(HTTPException, _answer_refused)
    app.add_exception_handler(RequestValidationError, _answer_invalid)


async def _answer_refused(request: Request, error: Exception) -> Response:
    """The refusal as JSON; where a person opened a page, the sign-in form in that page's place, so
    that signing in leads on to it, or a page that says that there is none.
    """
    assert isinstance(error, HTTPException)
    if error.status_code == 404 and _page_wanted(request):
        if not hasattr(request.state, "visitor"):
            # No route, so nobody asked yet who this is.
            request.state.visitor = identify(request)
        missing = render_page(request, "not_here.html")
        missing.status_code = 404
        return missing
    if isinstance(error, Denied) and _page_wanted(request):
        answer = render_page(request, "sign_in.html", refused=error.refusal.code)
        answer.status_code = error.status_code
        return answer
    if isinstance(error, RefusedRequest):
        refusal = error.refusal
    else:
        code = {404: "not_found", 405: "method"}.get(error.status_code, "http")
        refusal = Refusal(code, str(error.detail), request.url.path[:200])
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["allow"] = ", ".join(methods_of(request.url.path))
    return JSONResponse({"error": refusal.to_json()}, error.status_code, headers)


def _page_wanted(request: Request) -> bool:
    """Whether a browser was sent to a page of ours, rather than a program to the API."""
    return (
        # A socket has no method.
        request.scope.get("method") == "GET"
        and "text/html" in request.headers.get("accept", "")
        and not request.url.path.startswith("/api/")
    )


async def _answer_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    refusal = Refusal(
        "not_valid",
        str(first.get("msg", ""))[:200],
        "/".join(str(part) for part in first.get("loc", ()))[:200],
        "see /docs for what this route takes",
    )
    return JSONResponse({"error": refusal.to_json()}, 422)
