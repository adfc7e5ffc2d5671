"""Lines end when they are told to, also where the word comes at an awkward moment."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from service.hall.nats_line import end, until_one_ends


class Waiting:
    """Waits as nats-py does for one acknowledgement after another."""

    def __init__(self) -> None:
        self.heard = 0
        self.came: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        while True:
            await asyncio.wait_for(self.came, 600)
            self.heard += 1
            self.came = asyncio.get_running_loop().create_future()


async def _some_turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_cancellation_that_comes_with_an_acknowledgement_is_asked_for_again() -> None:
    async def story() -> None:
        waiting = Waiting()
        session = asyncio.create_task(until_one_ends(waiting.run(), asyncio.Event().wait()))
        await _some_turns()
        waiting.came.set_result(None)
        session.cancel()
        with suppress(asyncio.CancelledError):
            await session
        assert waiting.heard == 1, "the cancellation was lost"

    asyncio.run(story())


def test_whoever_is_cancelled_while_it_ends_others_ends_them_first() -> None:
    async def story() -> None:
        waiting = Waiting()
        task = asyncio.create_task(waiting.run())
        await _some_turns()
        waiting.came.set_result(None)
        ending = asyncio.create_task(end(task))
        await _some_turns()
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending
        assert waiting.heard == 1, "the cancellation was lost"
        assert task.cancelled()

    asyncio.run(story())


def test_what_one_of_them_raised_is_raised() -> None:
    async def falls() -> None:
        raise OSError("the line is gone")

    async def story() -> None:
        with pytest.raises(OSError, match="the line is gone"):
            await until_one_ends(asyncio.Event().wait(), falls())

    asyncio.run(story())
