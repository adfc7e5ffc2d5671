"""Webhooks: entries of chosen kinds sent to other programs, each once, in order and signed, as late
as the feed `push`. (E)

The journal is the queue: a hook remembers which entry of each table it sent last, so nothing is
forgotten by a restart or while the other side is away; its last tries are kept beside that.
Messages are signed as standardwebhooks.com says, so receivers need no code of ours. While nobody
answers, the same message is tried again for ever; one that is refused again and again is given up,
and said.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.journal.codec import Json
from service.web.desk import Desk
from service.web.ports import EntryRow, NoJournalError, ReadableRow, row_of
from service.web.records import PUBLIC, readable
from service.web.sending import SendAnswer, checked_address, send

log = logging.getLogger(__name__)

MOST: Final = 8
LOGGED: Final = 20
AT_ONCE: Final = 200
PAUSES: Final = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 300.0)
"""Seconds before a message is sent again; refused once more after the last, it is given up."""
GONE: Final = 410
"""What a receiver answers that wants nothing more."""


class WebhookError(ValueError):
    """A webhook that cannot be kept."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where entries of these kinds are sent, and with which secret they are signed."""

    ident: str
    url: str
    events: tuple[str, ...]
    secret: str

    def __post_init__(self) -> None:
        checked_address(self.url)
        if not self.events or set(self.events) - PUBLIC.keys():
            raise WebhookError("choose kinds of entries that everybody may read")


@dataclass(frozen=True, slots=True)
class Delivery:
    """One try to send a message: `status` is 0 where nobody answered, `problem` "" where it
    arrived.
    """

    at: float
    table: str
    event: str
    seq: int
    tries: int
    status: int
    problem: str


Place = tuple[int, str]
"""Number and hash of an entry."""


def signature(secret: str, ident: str, stamp: int, body: bytes) -> str:
    """What `webhook-signature` says: HMAC-SHA256 over id, time and body, as standardwebhooks.com
    has it.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{ident}.{stamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def message(table: str, row: ReadableRow) -> bytes:
    """What is sent of an entry: what the public may read of it."""
    when = datetime.fromtimestamp(row["wall"], UTC).isoformat()
    told = {"type": row["kind"], "timestamp": when, "data": {"table": table, **row}}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


class Webhooks:
    """The hooks of a machine, kept in a file that only its owner may read; belongs to the event
    loop.
    """

    def __init__(self, path: Path, pauses: tuple[float, ...] = PAUSES) -> None:
        self.path, self.pauses = path, pauses
        self.hooks: dict[str, Webhook] = {}
        self.log: dict[str, deque[Delivery]] = {}
        self._sent: dict[str, dict[str, Place]] = {}
        self._changed = asyncio.Event()
        # Threads of its own: a receiver that hangs takes none from the pages.
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="webhook")
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            for row in kept["hooks"]:
                hook = Webhook(row["ident"], row["url"], tuple(row["events"]), row["secret"])
                self._take(hook, {t: (int(n), str(h)) for t, (n, h) in row["sent"].items()})
                self.log[hook.ident] += (Delivery(**tried) for tried in row.get("log", ()))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.error("no webhook is sent: %s cannot be read (%s)", path, error)

    def _take(self, hook: Webhook, sent: Mapping[str, Place]) -> None:
        self.hooks[hook.ident] = hook
        self.log[hook.ident] = deque(maxlen=LOGGED)
        self._sent[hook.ident] = dict(sent)

    def add(self, url: str, events: Iterable[str], sent: Mapping[str, Place]) -> Webhook:
        """A new hook that is told what comes after these entries.

        Raises WebhookError, AddressError, OSError.
        """
        if len(self.hooks) >= MOST:
            raise WebhookError(f"at most {MOST} webhooks: end one first")
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        hook = Webhook(secrets.token_hex(4), url, tuple(sorted(set(events))), secret)
        self._take(hook, sent)
        self._keep()
        self._changed.set()
        return hook

    def remove(self, ident: str) -> bool:
        """Send nothing to it any more; False where there is none. Raises OSError."""
        if self.hooks.pop(ident, None) is None:
            return False
        self._sent.pop(ident), self.log.pop(ident)
        self._keep()
        self._changed.set()
        return True

    def _keep(self) -> None:
        rows = [
            {
                **asdict(hook),
                "sent": self._sent[hook.ident],
                "log": [asdict(tried) for tried in self.log[hook.ident]],
            }
            for hook in self.hooks.values()
        ]
        part = self.path.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_text(json.dumps({"hooks": rows}) + "\n", encoding="utf-8")
        part.replace(self.path)

    def _try_to_keep(self) -> None:
        with suppress(OSError):
            # Where it cannot be kept, a restart sends again: receivers know a message by its id.
            self._keep()

    async def run(self, desks: Mapping[str, Desk]) -> None:
        """Send for ever what each hook wants of each table."""
        couriers: dict[tuple[str, str], asyncio.Task[None]] = {}
        try:
            while True:
                self._changed.clear()
                for key in [key for key in couriers if key[0] not in self.hooks]:
                    couriers.pop(key).cancel()
                for ident, hook in self.hooks.items():
                    for name, desk in desks.items():
                        if (ident, name) not in couriers:
                            task = asyncio.create_task(self._carry(hook, desk))
                            couriers[ident, name] = task
                await self._changed.wait()
        finally:
            for task in couriers.values():
                task.cancel()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _carry(self, hook: Webhook, desk: Desk) -> None:
        loop, feed = asyncio.get_running_loop(), desk.feeds["push"]
        while True:
            number = feed.number
            while rows := await loop.run_in_executor(self._threads, self._due, hook, desk):
                for row in rows:
                    shown = readable(row, "public")
                    if row["kind"] in hook.events and shown is not None:
                        await self._deliver(hook, desk.name, shown, row["hash"])
                    if hook.ident in self._sent:
                        self._sent[hook.ident][desk.name] = (row["seq"], row["hash"])
            await feed.wait_past(number)

    def _due(self, hook: Webhook, desk: Desk) -> list[EntryRow]:
        """The next entries that may be told by now, none while the feed is held. Blocking."""
        seq, digest = self._sent.get(hook.ident, {}).get(desk.name, (0, ""))
        with suppress(NoJournalError):
            if desk.held("push") > 0:
                return []
            if seq:
                last = row_of(desk.record, seq)
                # Another record took the place of the one that was being told: from its start.
                seq = seq if last is not None and last["hash"] == digest else 0
            return list(desk.history("push", seq, AT_ONCE))
        return []

    async def _deliver(self, hook: Webhook, table: str, row: ReadableRow, digest: str) -> None:
        """Send one entry until it has arrived, or was refused once too often."""
        ident = "msg_" + hashlib.sha256(f"{hook.ident}.{digest}".encode()).hexdigest()[:24]
        body, refused = message(table, row), 0
        for tries in range(1, 1_000_000):
            answer = await self._send(hook, ident, body)
            if hook.ident not in self.hooks:
                return
            found = (answer.status, answer.problem)
            self.log[hook.ident].append(
                Delivery(time.time(), table, row["kind"], row["seq"], tries, *found)
            )
            refused += bool(answer.problem and answer.status)
            if answer.status == GONE:
                log.warning("the receiver of webhook %s wants nothing more", hook.ident)
                self.remove(hook.ident)
                return
            if not answer.problem or refused > len(self.pauses):
                break
            self._try_to_keep()
            await asyncio.sleep(self.pauses[min(tries, len(self.pauses)) - 1])
        if answer.problem:
            log.warning(
                "webhook %s: %s of table %s, entry %d, is given up (%s)",
                *(hook.ident, row["kind"], table, row["seq"], answer.problem),
            )
        self._sent[hook.ident][table] = (row["seq"], digest)
        self._try_to_keep()

    async def ping(self, hook: Webhook) -> Delivery:
        """Send a message of no table, so that whoever sets a hook up sees that it arrives."""
        told: dict[str, Json] = {"type": "ping", "timestamp": datetime.now(UTC).isoformat()}
        answer = await self._send(
            hook, "msg_" + secrets.token_hex(12), json.dumps({**told, "data": {}}).encode()
        )
        found = Delivery(time.time(), "", "ping", 0, 1, answer.status, answer.problem)
        if hook.ident in self.log:
            self.log[hook.ident].append(found)
        return found

    async def _send(self, hook: Webhook, ident: str, body: bytes) -> SendAnswer:
        stamp = int(time.time())
        headers = {
            "webhook-id": ident,
            "webhook-timestamp": str(stamp),
            "webhook-signature": signature(hook.secret, ident, stamp, body),
        }
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, send, hook.url, body, headers)


def newest_told(desk: Desk) -> Place:
    """The last entry of a table that may be told by now; (0, "") where there is none. Blocking."""
    last: Place = (0, "")
    with suppress(NoJournalError):
        for row in desk.history("push", 0):
            last = (row["seq"], row["hash"])
    return last
