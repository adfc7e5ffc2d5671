"""The hall's application: the table's own web pieces over the hall's desks, and the hall's routes
before them (E).
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI

from service.hall import routes
from service.hall.hall import Hall, HallConfig
from service.web import api, broadcast, evidence, pages, signin, streams
from service.web.access import Access
from service.web.app import STATIC, tell_errors
from service.web.authority import authorise
from service.web.guard import Guard
from service.web.metrics import Metrics
from service.web.push import Push
from service.web.static_files import PackedFiles

DESCRIPTION = """Many tables: the wall, each table's page from afar, boards, rounds, results.

Every table's own API is here as well; its orders are sent on to the table, signed, and answered by it.
"""


def create_hall(config: HallConfig) -> FastAPI:
    """The application of one hall.

    `app.state.hall` is the hall; it begins and ends with the application.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        hall: Hall = app.state.hall
        await hall.start()
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 1000)
        yield
        await hall.stop()

    app = FastAPI(
        title="takhte hall",
        version="1",
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(authorise)],
    )
    hall = Hall(config)
    app.state.config = config
    app.state.hall = hall
    app.state.rights = routes.RIGHTS
    app.state.access = Access(config.folder / "access.db")
    app.state.delays = hall.delays
    app.state.push = Push(config.folder / "push.json")
    app.state.desks = hall.desks
    app.state.metrics = Metrics(hall.desks)
    for module in (routes, api, streams, broadcast, evidence, signin, pages):
        app.include_router(module.router)
    app.mount("/static", PackedFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, hosts=config.hosts)
    tell_errors(app)
    return app
