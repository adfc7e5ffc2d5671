"""From one table to the hall and back: `python -m service.hall.publish --journal FILE`, started by
`takhte run` once a hall was joined (E).

A process of its own, so that nothing here can hold up the game: it reads the journal read-only,
sends what the stream does not have yet (`outbox` decides), says every two seconds that the table is
there, and hands the hall's commands to the table's own socket, as any arbiter's page does. Cut off,
it tries again for ever; the game does not notice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import nats
import nats.errors
import nats.js.errors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from service.appliance import joined
from service.appliance.joined import Joined, joined_path
from service.hall import ledger
from service.hall.follow import JournalReader
from service.hall.identity import hall_id, key_id, link_seed
from service.hall.nats_line import BACK_OFF, LOST, connect, until_one_ends
from service.hall.outbox import Unacknowledged, Want
from service.hall.pictures import ASKED, part_of
from service.hall.taken import OrdersTaken, objection, out_of_place
from service.hall.wire import (
    MOST_ENTRIES,
    STREAM,
    Command,
    MessageError,
    Sealed,
    TableStatus,
    Tail,
    WireMessage,
    bundle_of,
    command_from,
    commands_of,
    entries_of,
    inbox_of,
    open_message,
    sign_message,
    status_of,
)
from service.journal.keys import key_path, table_key
from service.journal.paths import socket_path
from service.referee.refusal import AnswerLine, Refusal
from service.settings import version
from service.web.asking import AskLine, ask
from service.web.delay import FEEDS, Delays, delay_path

log = logging.getLogger(__name__)

POLL_S: Final = 0.05
"""How often the journal is looked at for something new."""
STATUS_S: Final = 2.0
ACK_S: Final = 4.0


class Publisher:
    """One table's line to its hall.

    `order(request)` hands a request to the table and returns its answer; blocking.
    """

    def __init__(
        self,
        known: Joined,
        key: Ed25519PrivateKey,
        journal: Path,
        order: Callable[[AskLine], AnswerLine],
        poll: float = POLL_S,
    ) -> None:
        self.joined, self.key, self.poll = known, key, poll
        self.hall = hall_id(bytes.fromhex(known.hall))
        self._public = key_id(key.public_key().public_bytes_raw())
        self.journal = JournalReader(journal)
        self.outbox = Unacknowledged(known.table)
        self.taken = OrdersTaken(journal.with_suffix(".hall.db"))
        self._pictures = journal.with_name(f"{journal.stem}.pictures")
        self.connected = False
        self.sent = 0
        self._order = order
        self._began = time.monotonic()
        self._problem_logged = ""

    async def run(self) -> None:
        """Until cancelled."""
        failures = 0
        try:
            while True:
                try:
                    await self._session()
                    failures = 0
                except sqlite3.Error as error:
                    self._say(
                        f"the publisher's own file cannot be used now ({error}); it is tried again"
                    )
                except LOST as error:
                    self._say(
                        f"the hall at {self.joined.nats} does not answer ({type(error).__name__});"
                        " entries wait in the journal"
                    )
                self.connected = False
                self.outbox = self.outbox.doubt()
                await asyncio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])
                failures += 1
        finally:
            self.journal.close()
            self.taken.close()

    async def _session(self) -> None:
        table, cut = self.joined.table, asyncio.Event()
        line = await connect(
            self.joined.nats,
            link_seed(self.key),
            f"table {table}",
            inbox_of(table),
            cut.set,
            self.joined.certificate,
        )
        try:
            stream = line.jetstream(timeout=ACK_S)
            await line.subscribe(commands_of(table), cb=self._command)
            self._say("")
            self.connected = True
            await until_one_ends(self._entries(stream), self._statuses(line), cut.wait())
        finally:
            await line.close()

    def _say(self, problem: str) -> None:
        """The first failure and the recovery, nothing between."""
        if problem and not self._problem_logged:
            log.warning("table %s: %s", self.joined.table, problem)
        elif self._problem_logged and not problem:
            log.info("table %s: the hall answers again", self.joined.table)
        self._problem_logged = problem

    # Entries.

    async def _entries(self, stream: JetStreamContext) -> None:
        """Send for ever what the stream does not have."""
        failures = 0
        while True:
            if self.outbox.want is Want.TAIL:
                self.outbox = self.outbox.resumed(await self._tail(stream), self.journal.hash_at)
            elif self.outbox.want is Want.ROWS:
                rows = self.journal.rows(self.outbox.seq, MOST_ENTRIES, self.outbox.head)
                if rows is None and self.journal.last():
                    self.outbox = self.outbox.doubt()
                elif rows:
                    said = self.journal.erasures(rows, self.outbox.head)
                    self.outbox = self.outbox.send(rows, said)
                else:
                    await self._wait()
            elif self.outbox.want is Want.ACK:
                failures = 0 if await self._send(stream) else failures + 1
                if failures:
                    await asyncio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])
            else:
                self._say(
                    "another board publishes under this table's name: let the hall's director pair"
                    " the right one again"
                )
                await asyncio.sleep(5)

    async def _wait(self) -> None:
        """Until the journal has something new, or lies no longer where it lay."""
        while not self.journal.changed():
            await asyncio.sleep(self.poll)

    async def _send(self, stream: JetStreamContext) -> bool:
        bundle = self.outbox.sent
        assert bundle is not None
        subject = entries_of(bundle.table)
        sealed = sign_message(self.key, ledger.PURPOSE, self.hall, subject, bundle.body())
        headers = {
            **sealed.headers,
            "Nats-Msg-Id": bundle.message_id,
            "Nats-Expected-Stream": STREAM,
            "Nats-Expected-Last-Subject-Sequence": str(self.outbox.follows),
        }
        try:
            ack = await stream.publish(subject, sealed.data, timeout=ACK_S, headers=headers)
        except (nats.js.errors.Error, TimeoutError, nats.errors.Error) as error:
            log.debug(
                "table %s: %s was not acknowledged: %s", bundle.table, bundle.message_id, error
            )
            self.outbox = self.outbox.doubt()
            return False
        self.outbox = self.outbox.acked(ack.seq)
        self.sent += len(bundle.rows)
        return True

    async def _tail(self, stream: JetStreamContext) -> Tail:
        """The stream's last message of this table, by the only question that this table may ask of
        the stream.
        """
        subject = entries_of(self.joined.table)
        try:
            last = await stream.get_last_msg(STREAM, subject, direct=True)
        except nats.js.errors.NotFoundError:
            return Tail()
        if last.data is None or last.seq is None:
            raise nats.js.errors.Error("expected the stream's last message, got none")
        try:
            sealed = Sealed.of(last.data, last.headers)
            if sealed.key != self._public:
                raise MessageError("foreign", "another board's")
            bundle = bundle_of(open_message(sealed, ledger.PURPOSE, self.hall, subject))
        except MessageError as error:
            # Whatever lies there, this board did not say it: it is followed by an epoch of its own,
            # and the hall judges it by itself.
            log.info(
                "table %s: the stream's last message is not this board's (%s)",
                self.joined.table,
                error,
            )
            return Tail(at=last.seq)
        return Tail(bundle.epoch, bundle.last, bundle.head, last.seq, own=True)

    # Statuses and commands.

    async def _statuses(self, line: Client) -> None:
        subject = status_of(self.joined.table)
        while True:
            sealed = sign_message(self.key, "status", self.hall, subject, self.status().body())
            await line.publish(subject, sealed.data, headers=sealed.headers)
            await asyncio.sleep(STATUS_S)

    def status(self) -> TableStatus:
        # A table that was started just now has given no sign of life yet: that is no alarm.
        """What the table says of itself now."""
        at, age = self.journal.beat(time.monotonic()) or (0.0, time.monotonic() - self._began)
        behind = max(0, self.journal.last() - self.outbox.seq)
        answers, delays = self.taken.outcomes(), Delays(delay_path(self.journal.path.parent))
        return TableStatus(
            self.joined.table,
            self.outbox.epoch,
            self.outbox.seq,
            at,
            time.time(),
            age,
            behind,
            version(),
            answers,
            {feed: delays[feed].total for feed in FEEDS},
        )

    async def _table_time(self) -> float | None:
        """Table time now, waited for where the table was started just now or its journal cannot be
        read at this moment; None where that lasts `STATUS_S`.
        """
        patience = time.monotonic() + STATUS_S
        while (beat := self.journal.beat(time.monotonic())) is None:
            if time.monotonic() > patience:
                return None
            await asyncio.sleep(self.poll)
        return beat[0]

    async def _command(self, message: Msg) -> None:
        """Answer one command. What does not come from the hall is not answered at all."""
        subject = commands_of(self.joined.table)
        try:
            sealed = Sealed.of(message.data, message.headers)
            if sealed.key != self.joined.hall:
                raise MessageError("foreign", "expected a command of the hall, got another's")
            command = command_from(open_message(sealed, "command", self.hall, subject))
        except MessageError as error:
            log.warning("table %s: a command was refused: %s", self.joined.table, error)
            return
        now = await self._table_time()
        if command.order == ASKED:
            refusal = out_of_place(command, self.joined.table, now)
            picture, start = command.args.get("picture"), command.args.get("from")
            answer = (
                refusal.answer_json()
                if refusal
                else await asyncio.to_thread(part_of, self._pictures, picture, start)
            )
            await self._answer(message, command, answer)
            return
        refusal = objection(command, self.joined.table, self.taken.last, now)
        if refusal:
            answer = refusal.answer_json()
        else:
            self.taken.take(command)
            answer = await asyncio.to_thread(self._apply, command)
            done = bool(answer.get("ok"))
            why = Refusal.from_json(answer.get("error"))
            detail = str(answer.get("seq")) if done else why.code
            self.taken.answered(command.number, done, detail)
        log.info(
            "table %s: %s by %s from the hall: %s",
            self.joined.table,
            command.order,
            command.name,
            answer,
        )
        await self._answer(message, command, answer)

    async def _answer(self, message: Msg, command: Command, answer: AnswerLine) -> None:
        subject = commands_of(self.joined.table)
        body: WireMessage = {
            "format": 1,
            "id": command.id,
            "answer": json.loads(json.dumps(answer, default=str)),
        }
        sealed = sign_message(self.key, "answer", self.hall, subject, body)
        if message.reply:
            await message._client.publish(message.reply, sealed.data, headers=sealed.headers)

    def _apply(self, command: Command) -> AnswerLine:
        by = {"name": command.name, "role": command.role, "side": None}
        try:
            return self._order(
                {"id": "hall", "order": command.order, "args": {**command.args}, "by": by}
            )
        except (OSError, ValueError) as error:
            expected = "the table's own process to answer"
            after = "somebody must look at the table's machine"
            down = Refusal("table_down", expected, type(error).__name__, after)
            return down.answer_json()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m service.hall.publish", description=__doc__)
    parser.add_argument(
        "--journal",
        type=Path,
        required=True,
        nargs="+",
        help="journals of this machine's tables, each in a folder of its own",
    )
    given = parser.parse_args(words)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    try:
        publishers = {joined_path(journal): publisher_of(journal) for journal in given.journal}
    except (joined.JoinedError, FileNotFoundError) as error:
        log.error("%s", error)
        return 3
    asyncio.run(_until_signalled(publishers))
    return 0


def publisher_of(journal: Path) -> Publisher:
    """The publisher of the table whose journal this is, by what lies beside it.

    Raises JoinedError, FileNotFoundError, KeyFileError.
    """
    known, socket = joined.load_joined(joined_path(journal)), socket_path(journal)
    log.info("table %s publishes to the hall at %s", known.table, known.nats)
    return Publisher(
        known, table_key(key_path(journal)), journal, lambda request: ask(socket, request)
    )


async def _until_signalled(publishers: Mapping[Path, Publisher]) -> None:
    """Until a signal, or until a table has joined another hall, or left: then the family starts a
    publisher that knows.
    """
    signalled = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, signalled.set)
    await until_one_ends(
        signalled.wait(),
        _until_joined_anew(publishers),
        *(publisher.run() for publisher in publishers.values()),
    )


async def _until_joined_anew(publishers: Mapping[Path, Publisher]) -> None:
    while all(_still(path, publisher.joined) for path, publisher in publishers.items()):
        await asyncio.sleep(STATUS_S)


def _still(path: Path, known: Joined) -> bool:
    try:
        return joined.load_joined(path) == known
    except (joined.JoinedError, FileNotFoundError):
        return False


if __name__ == "__main__":
    raise SystemExit(main())
