"""The table's data and orders over HTTP. (E)"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Annotated, Any, Literal, TypedDict

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from rules.dice import Roll
from service.journal.chain import JournalError
from service.journal.codec import Json
from service.journal.entry import Role
from service.journal.store import StoreError
from service.referee.order_table import ORDERS
from service.show.compose import placement_document
from service.show.document import PlacementDocument
from service.show.legal import LegalPlay
from service.show.legal import legal_plays as legal_plays_of
from service.web.authority import (
    Denied,
    RefusedRequest,
    desk,
    problem,
    tokens_of,
    visitor_of,
)
from service.web.desk import Desk, encode_document
from service.web.event_text import with_event_file
from service.web.lanes import lanes_of
from service.web.policy import Right
from service.web.ports import EntryRow, NoJournalError, TableDownError, row_of
from service.web.records import readable
from service.web.schema import (
    STATE_SCHEMA,
    Answer,
    Failure,
    OrderDone,
    OrderIn,
    PageHealth,
    Responses,
    StateAnswer,
    TableName,
    TableOut,
    Tables,
)
from service.web.tablelink import RefusedError

FAILURES: Responses = {
    401: {"model": Failure, "description": "sign in or pair this device first"},
    403: {"model": Failure, "description": "this visitor may not"},
    404: {"model": Failure, "description": "no such table or thing"},
    422: {"model": Failure, "description": "the request is not as described"},
}
UNREADABLE: Responses = {400: {"model": Failure, "description": "the body cannot be read"}}
TABLE_FAILURES: Responses = {
    **FAILURES,
    409: {"model": Failure, "description": "the table said no, and why"},
    503: {
        "model": Failure,
        "description": "the table's own process does not answer; nothing was done",
    },
}
router = APIRouter()
TABLE = "/api/v1/tables/{table}"
LARGEST_SEQ = 2**53


@router.get("/api/v1/tables", tags=["table"], response_model=Tables)
async def list_tables(request: Request) -> Tables:
    """Every table of this machine."""
    visitor, out = visitor_of(request), []
    for name, found in request.app.state.desks.items():
        shown = found.document(visitor.view_at(name))
        row = TableOut(name=name, connected=found.connected)
        if shown is not None:
            players = shown["match"]["players"]
            row.white, row.black = players["white"]["name"], players["black"]["name"]
            row.phase = shown["phase"]
        out.append(row)
    return Tables(tables=out)


@router.get(f"{TABLE}/state", tags=["table"], response_model=StateAnswer, responses=FAILURES)
async def state(
    request: Request,
    table: TableName,
    at: Annotated[
        float | None,
        Query(
            ge=0,
            le=1e9,
            description="table time: the state as it was then, never younger than the delay",
        ),
    ] = None,
    feed: Annotated[
        Literal["public"] | None,
        Query(description="public: what a spectator sees, whoever asks"),
    ] = None,
) -> Response:
    """The state document: everything a page needs to draw the table.

    It says which view it is and how much it is delayed.
    """
    found, view = desk(request), visitor_of(request).feed_at(table, feed)
    shown = found.document(view) if at is None else await run_in_threadpool(found.past, view, at)
    if shown is None:
        raise problem(404, "no_state", "a table that has begun", table, "start it: takhte run")
    return Response(encode_document(shown), media_type="application/json")


@router.get(
    f"{TABLE}/entries",
    tags=["table"],
    response_class=StreamingResponse,
    responses={
        **FAILURES,
        200: {
            "content": {
                "application/x-ndjson": {
                    "example": (
                        '{"seq":7,"at":31.2,"kind":"rolled","body":{"side":"white","roll":"65"}}\n'
                    )
                }
            }
        },
    },
)
async def entries(
    request: Request,
    table: TableName,
    since: Annotated[
        int, Query(ge=0, le=LARGEST_SEQ, description="number of the last entry that you have")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 100_000,
    follow: Annotated[
        bool,
        Query(
            description="go on with what comes, as late as the view; an empty line is a sign of"
            " life"
        ),
    ] = False,
) -> StreamingResponse:
    """The history, one JSON object a line, oldest first.

    A spectator reads plays, rolls, cube and results; staff read everything. With `follow=1` it goes
    on for as long as somebody listens.
    """
    found, view = desk(request), visitor_of(request).view_at(table)
    try:
        first = list(found.history(view, since, 1))
    except NoJournalError as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error

    def lines() -> Iterator[str]:
        if not first:
            return
        for entry in found.history(view, since, limit):
            shown = readable(entry, view)
            if shown is not None:
                yield encode_document(shown) + "\n"

    if not follow:
        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def followed() -> AsyncIterator[str]:
        last = since
        async for _ in found.feeds[view].stream():
            new = await run_in_threadpool(_newer, found, view, last)
            last = new[-1]["seq"] if new else last
            told = [shown for entry in new if (shown := readable(entry, view)) is not None]
            yield "".join(encode_document(shown) + "\n" for shown in told) or "\n"

    return StreamingResponse(
        followed(), media_type="application/x-ndjson", headers={"x-accel-buffering": "no"}
    )


def _newer(found: Desk, view: str, since: int) -> list[EntryRow]:
    return list(found.history(view, since))


@router.post(
    f"{TABLE}/orders",
    tags=["orders"],
    response_model=OrderDone,
    responses={**TABLE_FAILURES, **UNREADABLE},
)
async def order(request: Request, table: TableName, given: OrderIn) -> OrderDone:
    """Give the table an order.

    The answer comes after the journal's commit, or says why not; nothing is done twice or later.
    """
    found, visitor = desk(request), visitor_of(request)
    if given.order not in ORDERS:
        raise problem(
            422, "no_order", "one of " + ", ".join(sorted(ORDERS)), given.order, "see /docs"
        )
    side = given.args.get("side")
    if not visitor.may_order(given.order, table, str(side) if side is not None else None):
        raise Denied(visitor, Right.PRESS)
    try:
        encode_document(given.args).encode()
    except UnicodeEncodeError as error:
        after = "send half of no letter"
        raise problem(
            422, "not_text", "letters", f"a lone surrogate at {error.start}", after
        ) from error
    # pydantic spells JSON with a type of its own.
    args: dict[str, Any] = dict(given.args)
    if given.order == "set_match":
        args = with_event_file(args)
    if visitor.side is not None and "side" not in args:
        args["side"] = visitor.side
    by = {
        "name": visitor.name or visitor.role.value,
        "role": visitor.role.value,
        "side": visitor.side,
    }
    metrics, began = request.app.state.metrics, time.monotonic()
    outcome = "ok"
    # Whoever gives a hundred orders at once leaves the table's few lines to the others.
    players = visitor.role in (Role.PLAYER, Role.CLOCK)
    alone = [f"orders:{token}" for token in tokens_of(request)[:1] if players]
    try:
        async with lanes_of(request).of(*alone):
            done = await found.link.order(given.order, args, by)
    except TableDownError as error:
        outcome = "down"
        raise problem(
            503,
            "table_down",
            str(error),
            given.order,
            "check the table's machine; then give the order again",
        ) from error
    except RefusedError as error:
        outcome = "refused"
        raise RefusedRequest(409, error.refusal) from error
    finally:
        metrics.orders.labels(given.order, outcome).inc()
        metrics.answer.observe(time.monotonic() - began)
    # A state that is asked for now holds what was ordered.
    await found.shows(done.seq)
    return OrderDone(seq=done.seq)


@router.get(
    f"{TABLE}/legal-plays", tags=["orders"], response_model=Answer, responses=TABLE_FAILURES
)
async def legal_plays_route(
    request: Request,
    table: TableName,
    high: Annotated[
        int | None, Query(ge=1, le=6, description="a die, to see the plays of another roll")
    ] = None,
    low: Annotated[int | None, Query(ge=1, le=6)] = None,
    entry: Annotated[
        int | None,
        Query(
            ge=1, le=LARGEST_SEQ, description="the plays at an earlier turn, by its entry's number"
        ),
    ] = None,
) -> Answer:
    """Every legal play from the position in force, or where an earlier play was made: `before`,
    `roll`, and `plays`, each with its notation and the placement after it. For correcting, never
    for advice: the device of one side alone is told none.
    """
    if visitor_of(request).role is Role.PLAYER and (high or low or entry):
        raise Denied(visitor_of(request), Right.LIVE)
    found = desk(request)
    thrown = Roll.of(high, low) if high and low else None
    if entry is not None:
        return Answer(result=await run_in_threadpool(plays_before, found, entry, thrown))
    answer = await ask_table(
        found, "legal_plays", {"roll": [thrown.high, thrown.low]} if thrown else {}
    )
    board = found.live["board"] if found.live else None
    roll = found.live["dice"]["roll"] if found.live else None
    return Answer(
        result={
            "before": {
                "white": board["white"] if board else None,
                "black": board["black"] if board else None,
            },
            "roll": [thrown.high, thrown.low] if thrown else roll,
            "plays": answer,
        }
    )


class PlaysBefore(TypedDict):
    """What stood before a turn, its roll where it is known, and every legal play of it."""

    before: PlacementDocument
    roll: list[int] | None
    plays: list[LegalPlay]


def plays_before(found: Desk, entry: int, thrown: Roll | None) -> PlaysBefore:
    """The plays that were legal where the play numbered `entry` was made, from the journal alone.

    Raises 404.
    """
    try:
        state = found.instants.before(entry)
        position = state.position()
    except (JournalError, StoreError, ValueError) as error:
        raise problem(
            404, "no_position", "the number of a play of this journal", str(entry), str(error)
        ) from error
    roll = thrown or state.turn.roll
    return {
        "before": placement_document(position.placement),
        "roll": [roll.high, roll.low] if roll else None,
        "plays": legal_plays_of(state, roll),
    }


async def ask_table(found: Desk, query: str, args: Mapping[str, Json] | None = None) -> object:
    """Ask the table; its absence is 503, its refusal 409."""
    try:
        return await found.link.ask(query, args)
    except TableDownError as error:
        raise problem(503, "table_down", str(error), query, "check the table's machine") from error
    except RefusedError as error:
        raise RefusedRequest(409, error.refusal) from error


@router.get(
    "/api/v1/schema/state-1.json",
    tags=["table"],
    response_class=FileResponse,
    responses={200: {"content": {"application/schema+json": {}}}},
)
async def state_schema() -> FileResponse:
    """The JSON schema of the state document, version 1."""
    return FileResponse(STATE_SCHEMA, media_type="application/schema+json")


@router.get("/-/healthy", tags=["health"], response_model=PageHealth)
async def healthy() -> PageHealth:
    """This process runs. Touches neither disk nor table."""
    return PageHealth(status="ok")


@router.get(
    "/-/ready",
    tags=["health"],
    response_model=PageHealth,
    responses={503: {"model": PageHealth, "description": "not ready, and why"}},
)
async def ready(request: Request) -> JSONResponse:
    """Every table's process answers and every journal can be read."""
    reasons = []
    for name, found in request.app.state.desks.items():
        if not found.connected:
            reasons.append(f"{name}: the table's process does not answer")
        try:
            row_of(found.record, 1)
        except NoJournalError as error:
            reasons.append(f"{name}: {error}")
    return JSONResponse(
        {"status": "degraded" if reasons else "ok", "reasons": reasons}, 503 if reasons else 200
    )


@router.get(
    "/metrics",
    tags=["health"],
    response_class=Response,
    responses={**FAILURES, 200: {"content": {"text/plain": {}}}},
)
async def metrics(request: Request) -> Response:
    """Prometheus metrics, live: for staff and the machine itself."""
    return Response(
        request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8"
    )


@router.get("/openapi.json", tags=["health"], include_in_schema=False)
async def openapi(request: Request) -> Response:
    return Response(request.app.openapi_text, media_type="application/json")


__all__ = ["FAILURES", "TABLE", "UNREADABLE", "ask_table", "router"]
