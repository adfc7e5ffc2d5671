"""The hall's own line to its server: its stream is read into the model (`following`), commands are
sent to its tables, and the main hall is told whose boards these are (E).
"""

from __future__ import annotations

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

from service.hall.following import Following
from service.hall.identity import hall_id, key_id
from service.hall.junk import MOST_SAID, Junk
from service.hall.leaf import boards_body, boards_of
from service.hall.ledger import Believed, MessageRefused
from service.hall.model import Message, Model
from service.hall.nats_line import LOST
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
    table_of,
)
from service.referee.refusal import Answer, answer_from

log = logging.getLogger(__name__)

ANSWER_S: Final = 6.0
DUPLICATES_S: Final = 120.0
HEADERS: Final = 4096
"""Bytes that a message's headers may add."""


class LineDownError(ConnectionError):
    """The hall has no line to its server, or the table does not answer."""


class UnknownOutcomeError(LineDownError):
    """A command was sent and nobody answered: it may have been done or not."""


class Line(Following):
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
        hall = hall_id(key.public_key().public_bytes_raw())
        super().__init__(
            model, key, hall, address, certificate, take_entries, take_status, forget_entries
        )
        self.registry, self.gigabytes = registry, gigabytes
        self.boards = registry.boards()
        self._retired = retired
        self._junk, self._said = Junk(), Junk(MOST_SAID)

    def gone(self, why: str) -> str:
        return (
            f"the hall's own server does not answer ({why}); tables play on, and keep their entries"
        )

    async def found_stream(self, stream: JetStreamContext) -> api.StreamInfo:
        """Make the stream where there is none."""
        try:
            return await stream.stream_info(STREAM)
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
                # A person's name can be taken out, by the hall alone (`forget`).
                deny_delete=False,
                deny_purge=True,
            )
            return await stream.add_stream(wanted)

    async def opened(self, line: Client) -> None:
        await line.subscribe(boards_of(self.hall), cb=self._boards_asked)

    def new_numbers(self) -> None:
        self.registry.forget_bounds()
        self.boards = self.registry.boards()

    async def _boards_asked(self, message: Msg) -> None:
        """Tell the main hall which boards are this one's, signed."""
        subject = boards_of(self.hall)
        body = boards_body(self.registry.boards().values())
        sealed = sign_message(self.key, "boards", self.hall, subject, body)
        if message.reply:
            await message._client.publish(message.reply, sealed.data, headers=sealed.headers)

    def weigh(self, message: Message, *, refused: bool) -> None:
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

    # Commands.

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
