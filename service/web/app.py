"""The application: built by a factory from one frozen configuration, nothing at import time. (E)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from service.report.gnubg import Gnubg
from service.report.kept import NAME as KEPT_ANSWERS
from service.web import (
    amending,
    api,
    broadcast,
    coming_in,
    commentator,
    devices,
    evidence,
    finished,
    onair,
    pages,
    phones,
    players,
    proposals,
    signin,
    stills,
    streams,
    themes,
    webhook_routes,
)
from service.web.assembled import Parts, assemble
from service.web.config import WebConfig
from service.web.delay import Delays, delay_path
from service.web.follow import Follower
from service.web.gallery import Terms
from service.web.notes import notes_path
from service.web.rights import ROUTES
from service.web.webhooks import Webhooks

DESCRIPTION = """One table, or several: state, live feed, history, orders, evidence.

Guests read what is public. A session (cookie, or `Authorization: Bearer` with the token that \
signing in or pairing gave) may do more;
requests from the machine itself have the console's rights. Every refusal says what was expected, \
what came and what to do next.
"""


def create_app(config: WebConfig) -> FastAPI:
    """The web application of one machine; `app.state.followers` keep its desks, by table."""
    delays = Delays(delay_path(config.folder))
    terms = Terms(config.picture_megabytes * 1_000_000, config.picture_rate)
    followers = {
        name: Follower(name, journal, socket, delays, terms, notes=notes_path(config.folder, name))
        for name, journal, socket in config.tables
    }

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        pushing = []
        for follower in followers.values():
            follower.start()
            pushing.append(asyncio.create_task(app.state.push.run(follower.desk)))
        pushing.append(asyncio.create_task(app.state.webhooks.run(app.state.desks)))
        yield
        for task in pushing:
            task.cancel()
        for follower in followers.values():
            await follower.stop()

    app = assemble(
        Parts(
            "takhte",
            DESCRIPTION,
            config,
            {name: follower.desk for name, follower in followers.items()},
            delays,
            ROUTES,
            tuple(
                module.router
                for module in (
                    *(api, proposals, streams, onair, broadcast, stills),
                    *(evidence, commentator, signin, devices, pages, finished, players),
                    *(coming_in, phones, themes, amending, webhook_routes),
                )
            ),
            running,
        )
    )
    app.state.followers = followers
    app.state.webhooks = Webhooks(config.folder / "webhooks.json")
    app.state.phones = phones.PhonesHere()
    app.state.commentary = commentator.Box(Gnubg(), config.folder / KEPT_ANSWERS)
    app.state.amending = amending.AmendingDesk(config.folder)
    app.state.reports = finished.Reports(
        config.folder, app.state.players, app.state.amending.amendments
    )
    return app
