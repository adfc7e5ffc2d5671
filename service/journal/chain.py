"""The journal's lines: an entry, its bytes, and the chain of hashes that ties each to the one
before.

    hash = SHA-256(hash before + canonical JSON of {at, body, by, kind, seq, v, wall})

so that changing, dropping, inserting or re-ordering anything breaks every later link. The one
exception is said by the record itself: an entry from which a person's name was erased keeps its
hash, and a later, signed entry holds the digest of its text as it stands now
(`service.journal.erasures`). Pure: storing is `service.journal.store`, folding is
`service.referee.step`. A body knows its version; an older one is lifted by
`service.journal.lifting` when read and keeps the bytes that it was sealed with, a newer one is
refused in one clear line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from service.journal.codec import CodecError, canonical, decode, encode
from service.journal.entries import KINDS, Body, Who
from service.journal.lifting import UPCASTS

FORMAT: Final = 1
"""Version of the journal as a whole: the chain and the line's own fields."""
GENESIS: Final = "0" * 64


HEAD_SHOWN: Final = 16
"""Digits of a hash that people are shown: another record with the same ones cannot be made by
trying; for the eight that a hurried hand notes, a fast machine needs minutes.
"""
EARLIEST: Final = 1_735_689_600.0
"""2025-01-01: a machine that believes to be older than this program has no date at all (a Pi
without a battery starts in 1970).
"""


def clock_trust(wall: float) -> str:
    """What a record says of the dates it carries:

    `machine` when they are what the machine believed, `none` when they cannot be right.
    """
    return "machine" if wall >= EARLIEST else "none"


class JournalError(ValueError):
    """A journal that cannot be read as it stands; the message says where, what was expected, what
    came, what to do.
    """


class NewerJournalError(JournalError):
    """Written by a later version of takhte."""


class BrokenChainError(JournalError):
    """A line was changed, lost, added or torn. `seq` is the first number that cannot be trusted."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(
            f"entry {seq}: {reason}; everything before it is sound. Keep the file, and continue in"
            " a new journal"
        )
        self.seq = seq


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal.

    `seq` counts from 1 without gaps; `at` is table time (seconds that run only while the table
    runs), `wall` the machine's date in seconds since 1970 as it believed it; `by` who said so;
    `hash` ties `text`, the bytes that it was sealed with, to all before. An older body was lifted
    to what this version says; its text was not."""

    seq: int
    at: float
    wall: float
    by: Who
    body: Body
    hash: str
    text: bytes = field(default=b"", repr=False)


def line(seq: int, at: float, wall: float, by: Who, body: Body) -> bytes:
    """The canonical bytes that an entry's hash covers."""
    return canonical(
        {
            "seq": seq,
            "at": at,
            "wall": wall,
            "by": encode(by),
            "kind": body.kind,
            "v": body.version,
            "body": encode(body),
        },
    )


def link(previous: str, text: bytes) -> str:
    return hashlib.sha256(previous.encode() + text).hexdigest()


def seal_entry(
    previous: str, seq: int, at: float, wall: float, by: Who, body: Body
) -> tuple[Entry, bytes]:
    """The entry that follows the one whose hash is `previous`, and its bytes.

    Times are rounded to a tenth of a millisecond.
    """
    at, wall = round(at, 4), round(wall, 3)
    text = line(seq, at, wall, by, body)
    return Entry(seq, at, wall, by, body, link(previous, text), text), text


def chain(
    bodies: Iterable[tuple[float, float, Who, Body]], previous: str = GENESIS, seq: int = 0
) -> Iterator[tuple[Entry, bytes]]:
    """Seal one body after another: (at, wall, by, body) each."""
    for at, wall, by, body in bodies:
        seq += 1
        entry, text = seal_entry(previous, seq, at, wall, by, body)
        previous = entry.hash
        yield entry, text


def nothing_explained(seq: int, text: bytes) -> bool:
    """No entry has lost a name."""
    return False


def parse_entry(text: bytes, sealed: str) -> Entry:
    """The entry that these bytes and this hash spell; `checked_entries` checks the link to the one
    before.

    Raises NewerJournalError for a kind or version of the future, JournalError for anything else
    that is no entry.
    """
    data = _json(text)
    if not isinstance(data, Mapping) or set(data) != {
        "seq",
        "at",
        "wall",
        "by",
        "kind",
        "v",
        "body",
    }:
        raise JournalError(
            f"expected an entry with seq, at, wall, by, kind, v and body; got {text[:60]!r}"
        )
    kind, version, fields = data["kind"], data["v"], data["body"]
    known = KINDS.get(kind) if isinstance(kind, str) else None
    if known is None or not isinstance(version, int) or version > known.version:
        raise NewerJournalError(
            f"entry {data['seq']} is of kind {kind!r} version {version}, which this version of"
            " takhte does not know: use a later one"
        )
    if not isinstance(fields, dict):
        raise JournalError(f"entry {data['seq']}: expected a body, got {type(fields).__name__}")
    try:
        for old in range(version, known.version):
            fields = UPCASTS[kind, old](fields)
        seq, at, wall = (
            decode(int, data["seq"], "seq"),
            decode(float, data["at"], "at"),
            decode(float, data["wall"], "wall"),
        )
        by, body = decode(Who, data["by"], "by"), decode(known, fields, kind)
        return Entry(seq, at, wall, by, body, sealed, text)
    except CodecError as error:
        raise JournalError(f"entry {data['seq']}: {error}") from None


def _json(text: bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"expected a line of JSON, got {text[:60]!r}: {error}") from None


def checked_entries(
    rows: Iterable[tuple[int, bytes, str]],
    previous: str = GENESIS,
    seq: int = 0,
    explained: Callable[[int, bytes], bool] = nothing_explained,
) -> Iterator[Entry]:
    """Read rows of (number, bytes, hash), checking each link. `erased` says from which entries of
    the record names were erased (`erased_by`); it is asked only where a link does not hold.

    Raises BrokenChainError at the first that does not hold; all before it were yielded.
    """
    for number, text, sealed in rows:
        seq += 1
        if number != seq:
            raise BrokenChainError(seq, f"expected number {seq}, got {number}")
        if link(previous, text) != sealed and not explained(seq, text):
            raise BrokenChainError(seq, "its hash does not fit its text and the entry before")
        try:
            entry = parse_entry(text, sealed)
        except NewerJournalError:
            raise
        except JournalError as error:
            raise BrokenChainError(seq, str(error)) from None
        if entry.seq != seq:
            raise BrokenChainError(seq, f"its text says number {entry.seq}")
        previous = sealed
        yield entry
