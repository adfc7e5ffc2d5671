"""A board that fills the stream with what nobody believes is let in no more, and the others play
on.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from service.hall.identity import link_seed
from service.hall.junk import MOST, WITHIN_S, Junk
from service.hall.ledger import MessageRefused
from service.hall.line import Line
from service.hall.model import Message, Model
from service.hall.nats_line import connect
from service.hall.registry import Registry
from service.hall.wire import entries_of, inbox_of
from service.journal.keys import table_key
from tests.service.hall.making import MadeHall, played, until

PIECE = 400_000


def test_what_is_refused_is_counted_by_table_and_forgotten() -> None:
    junk = Junk()
    assert not any(junk.is_too_much("t1", MOST // 4, now) for now in (0.0, 1.0, 2.0, 3.0))
    assert not junk.is_too_much("t2", MOST, 3.0)
    assert not junk.is_too_much("t1", MOST // 4, WITHIN_S + 0.5), "the first is too long ago"
    assert junk.is_too_much("t1", MOST // 4, WITHIN_S + 0.6)
    assert not junk.is_too_much("t1", MOST // 4, WITHIN_S + 0.7), "counted from nothing"


def test_what_was_sent_before_the_present_board_was_paired_is_not_its_own(tmp_path: Path) -> None:
    registry, key = Registry(tmp_path / "hall.db"), table_key(tmp_path / "hall.key")
    registry.pair(registry.code("t1"), "a key", "a link", 100)
    model = Model(tmp_path / "model.db", "")
    line = Line(registry, model, key, "", lambda _: None, lambda _: None)
    for number, retired in ((100, False), (101, True)):
        line.weigh(Message(number, entries_of("t1"), b"x" * MOST, {}, 5.0), refused=True)
        line.weigh(Message(number, entries_of("t1"), b"x", {}, 6.0), refused=True)
        assert ("t1" not in registry.links()) is retired
    model.close()


def test_a_board_that_fills_the_stream_is_retired_and_another_is_believed(tmp_path: Path) -> None:
    async def story(made: MadeHall) -> None:
        one, two = made.table("t1"), made.table("t2")
        for table in (one, two):
            table.start()
        await until(lambda: made.believed(one) and made.believed(two))
        await one.stop()
        line = await connect(
            made.server.address, link_seed(one.key), "thief", inbox_of("t1"), lambda: None
        )
        await line.publish(entries_of("t1"), b"x" * 900_000)
        await line.flush()
        two.note(1)
        await until(lambda: made.believed(two))
        assert not any(isinstance(v, MessageRefused) for v in made.verdicts), "it takes no room"
        for _ in range(MOST // PIECE + 2):
            await line.publish(entries_of("t1"), b"x" * PIECE)
            await line.flush()
        await until(lambda: "t1" not in made.registry.links())
        await line.close()
        two.note(20)
        await until(lambda: made.believed(two))
        assert set(made.registry.links()) == {"t2"}
        assert made.model.ledgers["t1"].seq == 2, "its record stays"
        await asyncio.sleep(0)

    played(story, tmp_path)
