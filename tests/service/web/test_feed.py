"""Latest-value fan-out: nobody waits for anybody."""

from __future__ import annotations

import asyncio

from starlette.types import Message

from service.web.feed import ROUSED, STALLED_AFTER, LiveFeed


def test_a_viewer_gets_the_newest_at_once_and_skips_what_it_missed() -> None:
    async def run() -> list[str]:
        feed, got = LiveFeed(), []
        feed.publish("one")
        gate = asyncio.Event()

        async def send(message: Message) -> None:
            got.append(message["text"])
            await gate.wait()

        viewer = asyncio.create_task(feed.serve(send))
        await asyncio.sleep(0)
        for text in ("two", "three", "four"):
            feed.publish(text)
        gate.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        viewer.cancel()
        await asyncio.gather(viewer, return_exceptions=True)
        return got

    assert asyncio.run(run()) == ["one", "four"]


def test_thousands_of_viewers_leave_room_for_others_between_them() -> None:
    """Each round of the event loop wakes a few, so whoever needs ten rounds waits for ten times so
    many and not for ten times all of them.
    """

    async def run() -> tuple[int, int]:
        feed, told = LiveFeed(), [0]

        async def send(message: Message) -> None:
            told[0] += 1

        viewers = [asyncio.create_task(feed.serve(send)) for _ in range(2000)]
        await asyncio.sleep(0)
        feed.publish("one")
        for _ in range(10):
            await asyncio.sleep(0)
        early = told[0]
        while told[0] < 2000:
            await asyncio.sleep(0)
        for viewer in viewers:
            viewer.cancel()
        await asyncio.gather(*viewers, return_exceptions=True)
        return early, told[0]

    early, all_told = asyncio.run(run())
    assert early <= 12 * ROUSED and all_told == 2000


def test_a_stalled_viewer_hurts_nobody_and_is_let_go() -> None:
    async def run() -> tuple[list[str], int, int, int]:
        feed, got = LiveFeed(), []

        async def stalled(message: Message) -> None:
            await asyncio.Event().wait()

        async def quick(message: Message) -> None:
            got.append(message["text"])

        viewers = [
            asyncio.create_task(feed.serve(stalled)),
            *(asyncio.create_task(feed.serve(quick)) for _ in range(3)),
        ]
        for text in ("a", "b", "c"):
            await asyncio.sleep(0)
            feed.publish(text)
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        before = feed.viewers
        early = feed.shed(0.0)
        late = feed.shed(1e12)
        await asyncio.sleep(0)
        after = feed.viewers
        for viewer in viewers:
            viewer.cancel()
        await asyncio.gather(*viewers, return_exceptions=True)
        return got, before - after, early, late

    got, gone, early, late = asyncio.run(run())
    assert got == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert (gone, early, late) == (1, 0, 1)
    assert STALLED_AFTER > 0
