"""Live feeds: WebSocket and server-sent events, both the newest value only. (E)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final, Literal, get_args

from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse

from service.web.authority import desk, visitor_of
from service.web.desk import Desk
from service.web.guard import DIRECT
from service.web.schema import Failure

Shared = Literal["public", "overlay"]
"""Feeds that anybody may ask for by name: what many eyes look at."""
SHARED: Final[tuple[str, ...]] = get_args(Shared)
router = APIRouter(prefix="/api/v1/tables/{table}", tags=["live"])


@router.websocket("/live")
async def live(socket: WebSocket, table: str) -> None:
    """The state document at once and after each change; what the client sends is ignored."""
    found: Desk = socket.state.desk
    # What goes on the air, or on the wall, is what that feed may know, whoever asks: the director's
    # own machine too.
    asked = socket.query_params.get("feed")
    shared = next((name for name in SHARED if name == asked), None)
    feed = found.feeds[socket.state.visitor.feed_at(table, shared)]
    await socket.accept()
    try:
        # Past the framework's own wrappers: they cost more than the sending does, and nothing but
        # sending follows.
        await feed.serve(socket.scope.get(DIRECT) or socket.send)
    except (WebSocketDisconnect, RuntimeError, OSError):
        return
    except asyncio.CancelledError:
        # Shed, or the server is stopping: either way this viewer's line is done.
        return


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {
                "text/event-stream": {"example": 'id: 7\ndata: {"schema":"takhte-state/1"}\n\n'}
            }
        },
        404: {"model": Failure},
    },
)
async def events(
    request: Request, table: str, feed: Annotated[Shared | None, Query()] = None
) -> StreamingResponse:
    """The same as server-sent events, for clients without sockets: each `data:` line is a whole
    state document. `feed=public` gives what a spectator sees, whoever asks.
    """
    followed = desk(request).feeds[visitor_of(request).feed_at(table, feed)]

    async def lines() -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        async for number, text in followed.stream():
            yield f"id: {number}\ndata: {text}\n\n"

    return StreamingResponse(
        lines(), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )
