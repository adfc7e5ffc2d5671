"""The hall's own line to its server: reads the stream into the model, hears statuses, sends
commands (E).

The server pushes the stream, as fast as it is taken; whatever is odd (silence, a number missing, a
stream that is not the one that was read) ends the line, and a new one goes on from the model. So
there is one way to begin, and it is always taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Final

import nats.errors
import nats.js.errors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext, api

from service.hall.identity import hall_id, key_id, link_seed
from service.hall.junk import MOST_SAID, Junk
from service.hall.ledger import Believed, MessageRefused
from service.hall.model import Message, Model, ModelError
from service.hall.nats_line import BACK_OFF, LOST, connect, until_one_ends
from service.hall.registry import Registry
from service.hall.wire import (
    LARGEST,
    STREAM,
    Command,
    MessageError,
    Sealed,
    TableStatus,
    commands_of,
    open_message,
    sign_message,
    status_from,
    table_of,
)
from service.referee.refusal import Answer, answer_from

log = logging.getLogger(__name__)

TOGETHER: Final = 64
"""Messages judged and stored in one go."""
HEARTBEAT_S: Final = 1.0
SILENCE_S: Final = 3.5
"""A server that sends nothing for so long, not even a sign of life, does not read the stream out.
"""
RETRY_S: Final = 1.0
ANSWER_S: Final = 6.0
DUPLICATES_S: Final = 120.0
HEADERS: Final = 4096
"""Bytes that a message's headers may add."""


class LineDownError(ConnectionError):
    """The hall has no line to its server, or the table does not answer."""


class UnknownOutcomeError(LineDownError):
    """A command was sent and nobody answered: it may have been done or not."""


class Line:
    """The hall's end. `take_entries` is called with the verdicts of each batch, after they are
    stored, `take_status` with each status, `forget_entries` where the stream is read from its
    start, `retired` with a table whose board fills the stream and is let in no more.
    """

    def __init__(
        self,
        registry: Registry,
        model: Model,
        key: Ed25519PrivateKey,
        address: str,
        take_entries: Callable[[Sequence[Believed | MessageRefused]], None],
        take_status: Callable[[TableStatus], None],
        forget_entries: Callable[[], None] = lambda: None,
        gigabytes: float = 8.0,
        retired: Callable[[str], None] = lambda _: None,
        certificate: str = "",
    ) -> None:
        self.certificate = certificate
        self.registry, self.model, self.key, self.address = registry, model, key, address
        self.hall = hall_id(key.public_key().public_bytes_raw())
        self.gigabytes = gigabytes
        self.boards = registry.boards()
        self.up = False
        self.problem = ""
        """What is wrong with the hall itself, "" for nothing."""
        self.behind = 0
        """Messages of the stream that are not yet in the model."""
        self._take_entries, self._take_status = take_entries, take_status
        self._forget_entries, self._retired = forget_entries, retired
        self._junk, self._said = Junk(), Junk(MOST_SAID)
        self._line: Client | None = None

    async def run(self) -> None:
        """Until cancelled."""
        failures = 0
        while True:
            try:
                await self._session()
            except LOST as error:
                self._say(
                    f"the hall's own server does not answer ({_what(error)}); tables play on, and"
                    " keep their entries"
                )
            except Exception:
                # Whatever it was, the next session begins from what is stored.
                log.exception("the hall's line ended; it is opened again")
            failures = 0 if self.up else failures + 1
            self.up, self._line = False, None
            await asyncio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])

    async def _session(self) -> None:
        cut = asyncio.Event()
        line = await connect(
            self.address, link_seed(self.key), "hall", "_INBOX_hall", cut.set, self.certificate
        )
        try:
            stream = line.jetstream(timeout=5)
            await self._stream(stream)
            await line.subscribe("hall.status.*", cb=self._status)
            self._line, self.up = line, True
            self._say("")
            await until_one_ends(self._read(line, stream), cut.wait())
        finally:
            await line.close()

    def _say(self, problem: str) -> None:
        if problem and problem != self.problem:
            log.warning("%s", problem)
        elif self.problem and not problem:
            log.info("the hall follows its tables again")
        self.problem = problem

    # The stream.

    async def _stream(self, stream: JetStreamContext) -> None:
        """Make the stream where there is none, and see whether it is the one that was read."""
        try:
            info = await stream.stream_info(STREAM)
        except nats.js.errors.NotFoundError:
            wanted = api.StreamConfig(
                name=STREAM,
                subjects=["hall.entries.*"],
                storage=api.StorageType.FILE,
                discard=api.DiscardPolicy.NEW,
                max_msg_size=LARGEST + HEADERS,
                max_bytes=int(self.gigabytes * (1 << 30) * 0.9),
                duplicate_window=DUPLICATES_S,
                allow_direct=True,
                deny_delete=True,
                deny_purge=True,
            )
            info = await stream.add_stream(wanted)
        identity = str(getattr(info, "created", "") or "")
        model = self.model
        if model.stream != identity:
            if model.stream:
                log.warning(
                    "the stream is not the one that was read before: boards send everything again,"
                    " and the hall reads it anew"
                )
                self.registry.forget_bounds()
                self.boards = self.registry.boards()
            self._begin_anew(identity)
        elif model.number > info.state.last_seq or (
            model.number and await self._ident(stream, model.number) != model.ident
        ):
            log.warning(
                "the stream lost its end: boards send it again, and the hall reads the stream anew"
            )
            self._begin_anew(identity)
        self.behind = info.state.last_seq - model.number

    def _begin_anew(self, identity: str) -> None:
        self.model.begin_anew(identity)
        self._forget_entries()

    async def _ident(self, stream: JetStreamContext, number: int) -> str:
        try:
            message = await stream.get_msg(STREAM, number)
        except nats.js.errors.NotFoundError:
            return ""
        return str((message.headers or {}).get("Nats-Msg-Id", ""))

    async def _read(self, line: Client, stream: JetStreamContext) -> None:
        """Take messages as they come until something is odd."""
        inbox = line.new_inbox()
        arrived = await line.subscribe(inbox)
        # Pushed, not pulled: of a pull request that runs out while nothing comes, nats-server 2.9
        # now and then says nothing and serves no
        # other until it is asked anew, so entries would wait for seconds. It is held back by flow
        # control instead.
        config = api.ConsumerConfig(
            deliver_subject=inbox,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=self.model.number + 1,
            ack_policy=api.AckPolicy.NONE,
            flow_control=True,
            idle_heartbeat=HEARTBEAT_S,
            inactive_threshold=30.0,
        )
        await stream.add_consumer(STREAM, config=config)
        while True:
            batch = [await arrived.next_msg(timeout=SILENCE_S)]
            while len(batch) < TOGETHER and arrived.pending_msgs:
                batch.append(await arrived.next_msg(timeout=SILENCE_S))
            found = [(came, _message(came)) for came in batch]
            if messages := [message for _, message in found if message is not None]:
                await self._take(messages)
            for asked in filter(None, (_asks(came) for came, message in found if message is None)):
                await line.publish(asked)

    async def _take(self, messages: list[Message]) -> None:
        expected = self.model.number + 1
        if [m.number for m in messages] != list(range(expected, expected + len(messages))):
            raise nats.errors.Error(
                f"expected message {expected} and those after it, got {messages[0].number} to"
                f" {messages[-1].number}"
            )
        while True:
            try:
                verdicts = self.model.take(messages, self.boards)
                break
            except ModelError as error:
                self._say(str(error))
                await asyncio.sleep(RETRY_S)
        self._say("")
        self.behind = max(0, self.behind - len(messages))
        for message, verdict in zip(messages, verdicts, strict=True):
            self._weigh(message, refused=isinstance(verdict, MessageRefused))
            if isinstance(verdict, MessageRefused):
                log.warning(
                    "table %s: a message was refused: %s: %s",
                    verdict.table,
                    verdict.reason.value,
                    verdict.text,
                )
        self._take_entries(verdicts)
        # Pages and statuses have their turn between two batches of a long catching up.
        await asyncio.sleep(0)

    def _weigh(self, message: Message, *, refused: bool) -> None:
        """Let a table in no more whose present board leaves no room for the others."""
        table, size = table_of(message.subject), len(message.data)
        now = [b for b in self.boards.values() if b.table == table and b.until is None]
        if not now or message.number <= now[0].since:
            return
        junk = refused and self._junk.is_too_much(table, size, message.at)
        if self._said.is_too_much(table, size, message.at) or junk:
            self._retire(table)

    def _retire(self, table: str) -> None:
        """Nobody is this table from now on: what it sends would leave no room for the others."""
        log.error(
            "table %s: its board fills the stream with more than a table can have to say, or with"
            " what cannot be believed, and is let in no more: look what it is, then give it a new"
            " code",
            table,
        )
        self.registry.retire(table, self.model.number)
        self.boards = self.registry.boards()
        self._retired(table)

    # Statuses and commands.

    async def _status(self, message: Msg) -> None:
        table = table_of(message.subject)
        try:
            sealed = Sealed.of(message.data, message.headers)
            board = self.boards.get((table, sealed.key))
            if board is None or board.until is not None:
                raise MessageError("foreign", "expected the table's own board, got another")
            status = status_from(open_message(sealed, "status", self.hall, message.subject))
            if status.table != table:
                raise MessageError(
                    "foreign", f"expected the status of {table}, got that of {status.table}"
                )
        except MessageError as error:
            log.debug("a status of %s was refused: %s", table, error)
            return
        self._take_status(status)

    async def order(self, command: Command) -> Answer:
        """Send a command and wait for the table's own word. Raises LineDownError where it was not
        sent, UnknownOutcomeError where nobody answered."""
        subject = commands_of(command.table)
        line = self._line
        if line is None or not line.is_connected:
            raise LineDownError("the hall has no line to its own server; nothing was sent")
        sealed = sign_message(self.key, "command", self.hall, subject, command.body())
        try:
            answer = await line.request(
                subject, sealed.data, timeout=ANSWER_S, headers=sealed.headers
            )
        except nats.errors.NoRespondersError:
            raise LineDownError(f"table {command.table} is not there; nothing was sent") from None
        except LOST:
            raise UnknownOutcomeError(
                f"table {command.table} did not answer: whether it was done will be seen when it is"
                " heard again"
            ) from None
        try:
            sealed_answer = Sealed.of(answer.data, answer.headers)
            board = self.boards.get((command.table, sealed_answer.key))
            body = open_message(sealed_answer, "answer", self.hall, subject)
            found = body.get("answer")
            own = board is not None and board.until is None and body.get("id") == command.id
            if not own or not isinstance(found, dict):
                raise MessageError("foreign", "expected the table's own answer to this command")
        except MessageError as error:
            raise UnknownOutcomeError(
                f"the answer of table {command.table} cannot be believed ({error})"
            ) from None
        return answer_from(found)

    async def newest(self) -> int:
        """Number of the stream's last message, as well as it can be known now."""
        line = self._line
        if line is not None and line.is_connected:
            with contextlib.suppress(*LOST):
                return int((await line.jetstream(timeout=3).stream_info(STREAM)).state.last_seq)
        return self.model.number + self.behind

    @property
    def public(self) -> str:
        """The hall's public key as text."""
        return key_id(self.key.public_key().public_bytes_raw())


def _message(found: Msg) -> Message | None:
    """A message of the stream; None for the server's own words (`_asks`)."""
    if not found.reply or not found.reply.startswith("$JS.ACK."):
        return None
    about = found.metadata
    return Message(
        about.sequence.stream, found.subject, found.data, found.headers, about.timestamp.timestamp()
    )


def _asks(word: Msg) -> str:
    """Where the server wants to hear that what it sent so far was taken; "" for a mere sign of
    life. Raises nats.errors.Error for a word that ends the reading."""
    headers = word.headers or {}
    code = str(headers.get("Status", ""))
    if code != "100":
        raise nats.errors.Error(
            f"the server no longer reads the stream out ({code} {headers.get('Description', '')})"
        )
    return word.reply or str(headers.get("Nats-Consumer-Stalled", ""))


def _what(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:120]
