"""The hall's application: the table's own web pieces over the hall's desks, and the hall's routes
before them (E).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from service.amend.shelf import Amendments
from service.hall import day_routes, routes
from service.hall.hall import Hall, HallConfig
from service.web import (
    api,
    broadcast,
    devices,
    evidence,
    finished,
    pages,
    players,
    proposals,
    signin,
    stills,
    streams,
    themes,
)
from service.web.assembled import Parts, assemble

DESCRIPTION = """Many tables: the wall, each table's page from afar, boards, rounds, results.

Every table's own API is here as well; its orders are sent on to the table, signed, and answered \
by it.
"""


def create_hall(config: HallConfig) -> FastAPI:
    """The application of one hall.

    `app.state.hall` is the hall; it begins and ends with the application.
    """
    hall = Hall(config)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        await hall.start()
        yield
        await hall.stop()

    app = assemble(
        Parts(
            "takhte hall",
            DESCRIPTION,
            config,
            hall.desks,
            hall.delays,
            routes.RIGHTS,
            tuple(
                module.router
                for module in (
                    routes,
                    day_routes,
                    api,
                    proposals,
                    streams,
                    broadcast,
                    stills,
                    themes,
                    evidence,
                    signin,
                    devices,
                    pages,
                    finished,
                    players,
                )
            ),
            running,
        )
    )
    app.state.hall = hall
    app.state.reports = finished.Reports(
        config.folder, app.state.players, Amendments(config.folder / "amended")
    )
    app.state.examples += (Path(__file__).parent / "data" / "api_examples.json",)
    return app
