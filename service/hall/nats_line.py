"""A line to the hall's nats-server, held by both its ends: a table's publisher and the hall (E)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Final

import nats
import nats.errors
from nats.aio.client import Client

from service.hall.certificate import line_context
from service.hall.identity import nkey_seed

log = logging.getLogger(__name__)

BACK_OFF: Final = (0.3, 0.5, 1.0, 2.0, 4.0)
"""Seconds between two attempts; the last again and again."""
LOST: Final = (nats.errors.Error, OSError, TimeoutError, asyncio.TimeoutError)
"""What a line that is gone raises."""
AGAIN_S: Final = 1.0
"""What was cancelled and has not ended by then is cancelled again."""


async def connect(
    address: str,
    seed: bytes,
    name: str,
    inbox: str,
    closed: Callable[[], None],
    certificate: str = "",
) -> Client:
    """A line to the server that never mends itself: whoever holds it opens another. With a
    certificate it is encrypted, to whoever has that one.

    Raises what is in LOST.
    """

    async def gone() -> None:
        closed()

    async def log_error(error: Exception) -> None:
        log.debug("%s: %s", name, error)

    line = await nats.connect(
        address,
        tls=line_context(certificate) if certificate else None,
        name=name,
        nkeys_seed_str=nkey_seed(seed),
        inbox_prefix=inbox.encode(),
        allow_reconnect=False,
        connect_timeout=4,
        ping_interval=4,
        max_outstanding_pings=2,
        closed_cb=gone,
        disconnected_cb=gone,
        error_cb=log_error,
    )
    # A server, or whoever stands before it, that never asks for encryption gets none: nothing of
    # ours was said yet but who we are.
    if certificate and not line._server_info.get("tls_required"):
        await line.close()
        raise ConnectionRefusedError("the line to the hall is not encrypted: join the hall anew")
    return line


async def until_one_ends(*works: Coroutine[None, None, object]) -> None:
    """Do all at once until one ends, and end the others. Raises what that one raised."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await end(*tasks)


async def end(*tasks: asyncio.Future[None] | asyncio.Future[object]) -> None:
    """Cancel tasks that hold a line, and return once they have ended. Whoever is cancelled while it
    waits here still waits for them, and is cancelled then.

    They are cancelled again and again: a cancellation that comes together with what
    `asyncio.wait_for` waits for (an acknowledgement, say) is lost in Python 3.11 (CPython issue
    86296), and nats-py stands on it throughout.
    """
    cancelled = False
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        try:
            await asyncio.wait(left, timeout=AGAIN_S)
        except asyncio.CancelledError:
            cancelled = True
    await asyncio.gather(*tasks, return_exceptions=True)
    if cancelled:
        raise asyncio.CancelledError
