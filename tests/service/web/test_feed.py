"""Latest-value fan-out: nobody waits for anybody."""

from __future__ import annotations

import asyncio

from starlette.types import Message

from service.web.feed import STALLED_AFTER, LiveFeed


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
