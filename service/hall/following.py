"""A hall's stream read into a model, from a line that may end at any time (E).

The server pushes the stream, as fast as it is taken; whatever is odd (silence, a number missing, a
stream that is not the one that was read) ends the line, and a new one goes on from the model. So
there is one way to begin, and it is always taken. `line` is the hall's own, `branch` another's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import nats.errors
import nats.js.errors
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext, api

from service.hall.identity import link_seed
from service.hall.ledger import Believed, MessageRefused, PairedBoard
from service.hall.model import Message, Model, ModelError
from service.hall.nats_line import BACK_OFF, LOST, connect, until_one_ends
from service.hall.wire import (
    STREAM,
    MessageError,
    Sealed,
    TableStatus,
    open_message,
    status_from,
    table_of,
)

log = logging.getLogger(__name__)

TOGETHER: Final = 64
"""Messages judged and stored in one go."""
HEARTBEAT_S: Final = 1.0
SILENCE_S: Final = 3.5
"""A server that sends nothing for so long, not even a sign of life, does not read the stream out.
"""
RETRY_S: Final = 1.0


class Following:
    """`take_entries` is called with the verdicts of each batch, after they are stored,
    `take_status` with each status, `forget_entries` where the stream is read from its start.

    `hall`: whose stream it is; `domain`: where, "" for this hall's own server.
    """

    def __init__(
        self,
        model: Model,
        key: Ed25519PrivateKey,
        hall: str,
        address: str,
        certificate: str,
        take_entries: Callable[[Sequence[Believed | MessageRefused]], None],
        take_status: Callable[[TableStatus], None],
        forget_entries: Callable[[], None],
        inbox: str = "_INBOX_hall",
        domain: str = "",
    ) -> None:
        self.model, self.key, self.hall = model, key, hall
        self.address, self.certificate = address, certificate
        self.boards: Mapping[tuple[str, str], PairedBoard] = {}
        self.up = False
        self.problem = ""
        """What is wrong with the line, "" for nothing."""
        self.behind = 0
        """Messages of the stream that are not yet in the model."""
        self._take_entries, self._take_status = take_entries, take_status
        self._forget_entries = forget_entries
        self._inbox, self._domain = inbox, domain
        self._line: Client | None = None

    # What differs between the hall's own stream and another's.

    def gone(self, why: str) -> str:
        """What is said where the line is gone."""
        raise NotImplementedError

    async def found_stream(self, stream: JetStreamContext) -> api.StreamInfo:
        """The stream as it is now. Raises what is in LOST."""
        return await stream.stream_info(STREAM)

    async def opened(self, line: Client) -> None:
        """Called with each new line, before anything is read."""

    def new_numbers(self) -> None:
        """Called where the stream was begun anew, with numbers of its own."""

    async def know(self, messages: Sequence[Message]) -> None:
        """Called before messages are judged: whose they are must be known by then."""

    def weigh(self, message: Message, *, refused: bool) -> None:
        """Called with each message that was judged."""

    async def run(self) -> None:
        """Until cancelled."""
        failures = 0
        while True:
            try:
                await self._session()
            except LOST as error:
                self._say(self.gone(_what(error)))
            except Exception:
                # Whatever it was, the next session begins from what is stored.
                log.exception("a hall's line ended; it is opened again")
            failures = 0 if self.up else failures + 1
            self.up, self._line = False, None
            await asyncio.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])

    async def _session(self) -> None:
        cut = asyncio.Event()
        line = await connect(
            self.address, link_seed(self.key), "hall", self._inbox, cut.set, self.certificate
        )
        try:
            stream = line.jetstream(timeout=5, domain=self._domain or None)
            await self.opened(line)
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
            log.info("no longer so: %s", self.problem)
        self.problem = problem

    # The stream.

    async def _stream(self, stream: JetStreamContext) -> None:
        """See whether the stream is the one that was read."""
        info = await self.found_stream(stream)
        identity = str(getattr(info, "created", "") or "")
        model = self.model
        if model.stream != identity:
            if model.stream:
                log.warning(
                    "the stream is not the one that was read before: boards send everything again,"
                    " and the hall reads it anew"
                )
                self.new_numbers()
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
        delivered = 0
        self.behind = (await stream.add_consumer(STREAM, config=config)).num_pending or 0
        while True:
            batch = [await arrived.next_msg(timeout=SILENCE_S)]
            while len(batch) < TOGETHER and arrived.pending_msgs:
                batch.append(await arrived.next_msg(timeout=SILENCE_S))
            found = [(came, _message(came)) for came in batch]
            if messages := [message for _, message in found if message is not None]:
                delivered = _one_after_another(messages, delivered)
                await self._take(messages)
            for asked in filter(None, (_asks(came) for came, message in found if message is None)):
                await line.publish(asked)

    async def _take(self, messages: list[Message]) -> None:
        await self.know(messages)
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
            self.weigh(message, refused=isinstance(verdict, MessageRefused))
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

    # Statuses.

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


def _one_after_another(messages: Sequence[Message], delivered: int) -> int:
    """How many messages the server has sent by now. It counts those that it sends: the stream's own
    numbers have gaps where somebody was forgotten. Raises nats.errors.Error where one is missing.
    """
    for message in messages:
        delivered += 1
        if message.sent != delivered:
            raise nats.errors.Error(
                f"expected the server's message {delivered}, got its {message.sent}: one was lost"
                " on the way"
            )
    return delivered


def _message(found: Msg) -> Message | None:
    """A message of the stream; None for the server's own words (`_asks`)."""
    if not found.reply or not found.reply.startswith("$JS.ACK."):
        return None
    about = found.metadata
    return Message(
        about.sequence.stream,
        found.subject,
        found.data,
        found.headers,
        about.timestamp.timestamp(),
        about.sequence.consumer,
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
