"""The application: built by a factory from one frozen configuration, nothing at import time. (E)"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from service.web import api, broadcast, commentator, evidence, onair, pages, signin, streams
from service.web.access import Access
from service.web.analysis import Gnubg
from service.web.authority import authorise
from service.web.config import WebConfig
from service.web.delay import Delays
from service.web.desk import Desk
from service.web.gallery import Terms
from service.web.guard import Guard
from service.web.metrics import Metrics
from service.web.push import Push
from service.web.rights import ROUTES, methods_of
from service.web.static_files import PackedFiles

STATIC = Path(__file__).parent / "static"
DESCRIPTION = """One table, or several: state, live feed, history, orders, evidence.

Guests read what is public. A session (cookie, or `Authorization: Bearer` with the token that signing in or pairing gave) may do more;
requests from the machine itself have the console's rights. Every refusal says what was expected, what came and what to do next.
"""


def create_app(config: WebConfig) -> FastAPI:
    """The web application of one machine.

    `app.state` holds config, access, desks (by table) and metrics.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pushing = []
        for desk in app.state.desks.values():
            desk.start()
            pushing.append(asyncio.create_task(app.state.push.run(desk)))
        # What was loaded at the start never dies: keeping it out of the collector's sight takes
        # pauses of 100 ms and more from the tail.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 1000)
        yield
        for task in pushing:
            task.cancel()
        for desk in app.state.desks.values():
            await desk.stop()

    app = FastAPI(
        title="takhte",
        version="1",
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(authorise)],
    )
    app.state.config = config
    app.state.rights = ROUTES
    app.state.access = Access(config.folder / "access.db")
    app.state.delays = Delays(config.folder / "delay.json")
    app.state.push = Push(config.folder / "push.json")
    terms = Terms(config.picture_megabytes * 1_000_000, config.picture_rate)
    app.state.desks = {
        name: Desk(name, journal, socket, app.state.delays, terms)
        for name, journal, socket in config.tables
    }
    app.state.commentary = commentator.Box(Gnubg())
    app.state.metrics = Metrics(app.state.desks)
    for module in (api, streams, onair, broadcast, evidence, commentator, signin, pages):
        app.include_router(module.router)
    app.mount("/static", PackedFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, hosts=config.hosts)
    tell_errors(app)
    return app


def tell_errors(app: FastAPI) -> None:
    """Every refusal says what was expected, what came and what to do next."""
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(RequestValidationError, _not_valid)


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    detail: Any = error.detail
    if not isinstance(detail, dict):
        detail = {
            "code": {404: "not_found", 405: "method"}.get(error.status_code, "http"),
            "expected": str(detail),
            "came": request.url.path[:200],
        }
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["allow"] = ", ".join(methods_of(request.url.path))
    told = {"code": "", "expected": "", "came": "", "next": "", **detail}
    return JSONResponse({"error": told}, error.status_code, headers)


async def _not_valid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    told = {
        "code": "not_valid",
        "expected": str(first.get("msg", ""))[:200],
        "came": "/".join(str(part) for part in first.get("loc", ()))[:200],
        "next": "see /docs for what this route takes",
    }
    return JSONResponse({"error": told}, 422)
