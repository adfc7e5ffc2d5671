"""`takhte hall forget NAME`: a person's name out of everything that a hall keeps (E).

The hall's own journal loses it as a table's does (`service.journal.erasing`). A table's record is
the table's: where the table has erased the name itself, what it sent before is taken out of the
stream, and it sends its record again, without the name, when it is heard. No hall may be running.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass

import nats.js.errors
from nats.js import JetStreamContext

from service.appliance.forget import forget
from service.hall.archive import ARCHIVE
from service.hall.config import HallConfig
from service.hall.hall import Hall
from service.hall.identity import link_seed
from service.hall.model import Model, remove_model
from service.hall.nats_line import connect
from service.hall.server import ServerError
from service.hall.wire import STREAM, entries_of
from service.journal.entries import NamesErased
from service.journal.erasing import IsName, spellings, who_holds
from service.players.played import same_name


@dataclass(frozen=True, slots=True)
class HeldByTables:
    """Spellings of a name in what tables sent, which of them have erased it themselves since, and
    which have not, or have no board any more.
    """

    spelled: frozenset[str]
    erased: tuple[str, ...]
    kept: tuple[str, ...]


def forget_player(config: HallConfig, name: str) -> int:
    """0 once nothing in the hall's folder holds the name. Blocking; what was done, and what is left
    to do, is printed. Raises OSError, JournalError, PlayerBookError.
    """

    def is_name(text: str) -> bool:
        return same_name(text) == same_name(name)

    found = asyncio.run(_in_the_stream(config, is_name))
    for table in found.erased:
        print(f"table {table}: what it sent is gone; it sends it again, without the name")
    left = [
        f"table {table}: its record has the name; run `takhte forget` there and let it be heard,"
        " then this again"
        for table in found.kept
    ]
    left += [
        f"{path}: still holds the name; delete it"
        for path in forget(config.data, name, found.spelled)
    ]
    if (archive := config.data / ARCHIVE).exists():
        left.append(f"{archive}: was made before; delete it")
    for each in left:
        print(f"takhte hall forget: {each}", file=sys.stderr)
    return 1 if left else 0


async def _in_the_stream(config: HallConfig, is_name: IsName) -> HeldByTables:
    hall = Hall(config)
    await hall.start()
    try:
        await hall.caught_up()
        boards = {b.table for b in hall.registry.boards().values() if b.until is None}
        found = held_by_tables(hall.model, boards, is_name)
        for table in found.erased:
            await _delete(hall, table)
        named = {word for p in hall.registry.pairings() for word in (p.white, p.black)}
        spelled = found.spelled | {word for word in named if is_name(word)}
        hall.registry.forget(is_name, spelled)
    finally:
        await hall.stop()
    if found.erased:
        remove_model(config.data / "model.db")
    return HeldByTables(spelled, found.erased, found.kept)


def held_by_tables(model: Model, boards: set[str], is_name: IsName) -> HeldByTables:
    """Which tables' records hold a name, as far as it can be taken out of them."""
    every = [(table, n) for table in model.ledgers for n, _ in model.epochs(table)]
    texts = (text for table, n in every for _, text, _ in model.rows(table, epoch=n))
    spelled = spellings(texts, is_name)
    erased: list[str] = []
    kept: list[str] = []
    for table in dict.fromkeys(table for table, _ in every):
        records = {n: list(model.rows(table, epoch=n)) for t, n in every if t == table}
        held = {n: who_holds(rows, spelled, is_name)[0] for n, rows in records.items()}
        if not any(held.values()):
            continue
        present = model.ledgers[table].epoch
        stated = {
            int(number)
            for entry in model.entries(table)
            if isinstance(entry.body, NamesErased)
            for number in entry.body.entries
        }
        mine = table in boards and set(held[present]) <= stated
        (erased if mine else kept).append(table)
    return HeldByTables(spelled, tuple(erased), tuple(kept))


async def _delete(hall: Hall, table: str) -> None:
    """Take a table's messages out of the stream: what lay there is overwritten."""
    ended = asyncio.Event()
    line = await connect(
        hall.server.address,
        link_seed(hall.key),
        "forget",
        "_INBOX_hall",
        ended.set,
        hall.certificate,
    )
    try:
        stream, number = line.jetstream(timeout=5), 0
        while (number := await _next(stream, table, number + 1)) > 0:
            await stream.delete_msg(STREAM, number)
    except nats.js.errors.APIError as error:
        raise ServerError(
            f"expected a stream from which messages can be taken out, got one that refuses"
            f" ({error}): it was begun by an earlier version. Stop every table, delete"
            f" {hall.config.data / 'stream'}, and start again: tables send everything anew"
        ) from error
    finally:
        await line.close()


async def _next(stream: JetStreamContext, table: str, number: int) -> int:
    """The number of a table's first message from this one on; 0 for none."""
    with contextlib.suppress(nats.js.errors.NotFoundError):
        found = await stream.get_msg(
            STREAM, seq=number, subject=entries_of(table), direct=True, next=True
        )
        return found.seq or 0
    return 0
