"""Whether the hall believes a message of the stream: pure.

A table's ledger says how far its record is believed. A message either takes it on, entry by entry
along the chain of hashes, or is refused with a reason that is kept and shown; nothing is ever half
believed, and nothing that was believed is taken back. What an entry *says* was decided by the
referee and is not asked here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from service.hall.wire import (
    Bundle,
    MessageError,
    Sealed,
    bundle_of,
    entries_of,
    open_message,
    table_of,
)
from service.journal.chain import GENESIS, link
from service.journal.erasures import Erasures

PURPOSE: Final = "entries"


class Reason(enum.Enum):
    """Why a message is refused."""

    FORGED = "forged"
    """Its signature does not fit, or it has none."""
    UNREADABLE = "unreadable"
    FOREIGN = "foreign"
    """Of a board that is not paired as this table, or said about another table."""
    RETIRED = "retired"
    """Of a board that was this table's until another took its place."""
    REPLAYED = "replayed"
    """Entries that were believed before, sent again."""
    GAP = "gap"
    """Entries between the last one believed and these are missing."""
    BROKEN = "broken"
    """The chain of hashes does not hold."""


@dataclass(frozen=True, slots=True)
class PairedBoard:
    """A board that is or was paired as a table: its public key as text, and the numbers of the
    stream's messages between which it spoke for the table. `until` is None while it does."""

    table: str
    key: str
    since: int = 0
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """How far one table's record is believed."""

    epoch: int = 0
    seq: int = 0
    head: str = GENESIS


@dataclass(frozen=True, slots=True)
class Believed:
    """The ledger after a message, and the bundle that took it there.

    `anew`: another record of the table begins with it.
    """

    ledger: Ledger
    bundle: Bundle
    anew: bool


@dataclass(frozen=True, slots=True)
class MessageRefused:
    """A message that changes nothing. `text` says what was expected and what came."""

    table: str
    reason: Reason
    text: str


def accept_or_refuse(
    ledger: Ledger,
    boards: Mapping[tuple[str, str], PairedBoard],
    hall: str,
    subject: str,
    number: int,
    sealed: Sealed,
) -> Believed | MessageRefused:
    """What message `number` of the stream does to its table's ledger. `boards` by (table, key)."""
    table = table_of(subject)
    try:
        body = open_message(sealed, PURPOSE, hall, subject)
        bundle = bundle_of(body)
    except MessageError as error:
        return MessageRefused(
            table,
            Reason.FORGED if error.code in ("forged", "unsigned") else Reason.UNREADABLE,
            str(error),
        )
    if subject != entries_of(bundle.table):
        return MessageRefused(
            table, Reason.FOREIGN, f"expected entries of table {table}, got those of {bundle.table}"
        )
    board = boards.get((table, sealed.key))
    if board is None:
        return MessageRefused(
            table,
            Reason.FOREIGN,
            f"expected the board that is paired as {table}, got the key {sealed.key[:16]}…",
        )
    if board.until is not None and number > board.until:
        return MessageRefused(
            table,
            Reason.RETIRED,
            f"expected the board that is paired as {table} now, got one that was until message"
            f" {board.until}",
        )
    return _continues(ledger, bundle)


def _continues(ledger: Ledger, bundle: Bundle) -> Believed | MessageRefused:
    anew = bundle.epoch > ledger.epoch
    if bundle.epoch < ledger.epoch or (not anew and bundle.last <= ledger.seq):
        came = f"epoch {bundle.epoch}, entries {bundle.first} to {bundle.last}"
        return MessageRefused(
            bundle.table,
            Reason.REPLAYED,
            f"expected epoch {ledger.epoch} from entry {ledger.seq + 1}, got {came}, again",
        )
    seq, head = (0, GENESIS) if anew else (ledger.seq, ledger.head)
    if bundle.first > seq + 1:
        return MessageRefused(
            bundle.table,
            Reason.GAP,
            f"expected entry {seq + 1} of epoch {bundle.epoch}, got entry {bundle.first}",
        )
    # What is known already may come again at the head of what is new, where it is the same.
    known, new = (
        [r for r in bundle.rows if r[0] <= seq],
        tuple(r for r in bundle.rows if r[0] > seq),
    )
    if known and known[-1][2] != head:
        return MessageRefused(
            bundle.table, Reason.BROKEN, f"entry {seq}: its hash is not the one that is believed"
        )
    bundle = replace(bundle, rows=new)
    explained = Erasures(lambda: bundle.erasures).explains
    for number, text, sealed in new:
        if link(head, text) != sealed and not explained(number, text):
            return MessageRefused(
                bundle.table,
                Reason.BROKEN,
                f"entry {number}: its hash does not fit its text and the entry before",
            )
        head = sealed
    return Believed(Ledger(bundle.epoch, bundle.last, head), bundle, anew)


def retired(board: PairedBoard, at: int) -> PairedBoard:
    """The board once another took its place, when the stream's last message was number `at`."""
    return replace(board, until=at)


def refusal_text(refused: MessageRefused) -> Mapping[str, str]:
    """A refusal as page and log tell it: whose message, why, and in words."""
    return {"table": refused.table, "reason": refused.reason.value, "text": refused.text}
