"""What tables and hall say to each other: subjects, signed messages, bundles of entries, statuses,
commands. Pure.

Everything is signed by who says it (Ed25519) over a purpose, the hall's id, the subject and the
exact bytes sent: so nothing said to one hall, about one table or for one purpose can be used for
another. NATS carries it and is believed in nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypedDict

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.hall.identity import key_id
from service.journal.codec import Json, canonical

STREAM: Final = "ENTRIES"
KEY: Final = "Takhte-Key"
SIGNATURE: Final = "Takhte-Signature"
FORMAT: Final = 1
LARGEST: Final = 512 * 1024
"""Bytes of one message; the server's own limit is above it."""
MOST_ENTRIES: Final = 256
"""Entries of one bundle."""
MOST_FEEDS: Final = 16


JOIN: Final = "takhte-hall/1\njoin\n{code}\n{key}\n{link}"
"""What a board signs to join: whoever sends its key has it."""
WELCOME: Final = "takhte-hall/1\nwelcome\n{key}\n{table}\n{nats}\n{certificate}"
"""What the hall signs for a board that joins: which line is the hall's, and how it is encrypted."""


class MessageError(ValueError):
    """A message that is not what it should be:

    `code` names the kind, the text says what was expected and what came.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def entries_of(table: str) -> str:
    """Where a table's entries go; the stream keeps them."""
    return f"hall.entries.{table}"


def status_of(table: str) -> str:
    """Where a table says that it is there; nobody keeps it."""
    return f"hall.status.{table}"


def commands_of(table: str) -> str:
    """Where a table listens for the hall's orders."""
    return f"hall.commands.{table}"


def inbox_of(table: str) -> str:
    """The only prefix under which a table may take answers."""
    return f"_INBOX_{table}"


def table_of(subject: str) -> str:
    """The table that a subject names."""
    return subject.rpartition(".")[2]


# Signing.


@dataclass(frozen=True, slots=True)
class Sealed:
    """Bytes, whose key signed them, and the signature; both as a message's headers have them."""

    data: bytes
    key: str
    signature: str

    @property
    def headers(self) -> dict[str, str]:
        """Key and signature as a message's headers."""
        return {KEY: self.key, SIGNATURE: self.signature}

    @classmethod
    def of(cls, data: bytes, headers: Mapping[str, str] | None) -> Sealed:
        """The message as it came.

        Raises MessageError for bytes without a signature, or too many of them.
        """
        if len(data) > LARGEST:
            raise MessageError("too_large", f"expected at most {LARGEST} bytes, got {len(data)}")
        key, signature = (headers or {}).get(KEY), (headers or {}).get(SIGNATURE)
        if not isinstance(key, str) or not isinstance(signature, str):
            raise MessageError(
                "unsigned", "expected a signed message, got one without key or signature"
            )
        return cls(data, key, signature)


def _covered(purpose: str, hall: str, subject: str, data: bytes) -> bytes:
    return f"takhte-hall/{FORMAT}\n{purpose}\n{hall}\n{subject}\n".encode() + data


class WireMessage(TypedDict, total=False):
    """What a message between a table and its hall may hold; of what came only the format is
    checked, and whoever takes a field out of it checks that one.
    """

    format: int
    id: object
    table: object
    epoch: object
    first: object
    rows: object
    erasures: object
    seq: object
    at: object
    wall: object
    beat_age: object
    behind: object
    program: object
    answers: object
    delays: object
    number: object
    order: object
    args: object
    by: object
    until: object
    answer: object


def sign_message(
    key: Ed25519PrivateKey, purpose: str, hall: str, subject: str, body: WireMessage
) -> Sealed:
    """A message signed by `key`."""
    data = canonical(body)
    signature = base64.b64encode(key.sign(_covered(purpose, hall, subject, data))).decode()
    return Sealed(data, key_id(key.public_key().public_bytes_raw()), signature)


def open_message(sealed: Sealed, purpose: str, hall: str, subject: str) -> WireMessage:
    """What a message says, after its signature was checked.

    Whose key that is, the caller must know. Raises MessageError.
    """
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(sealed.key))
        public.verify(
            base64.b64decode(sealed.signature, validate=True),
            _covered(purpose, hall, subject, sealed.data),
        )
    except (InvalidSignature, ValueError, binascii.Error):
        raise MessageError(
            "forged", "expected the signature of its own key over this very message, got another"
        ) from None
    try:
        body: WireMessage = json.loads(sealed.data)
    except (ValueError, RecursionError):
        raise MessageError("unreadable", "expected JSON, got something else") from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        found = body.get("format") if isinstance(body, dict) else type(body).__name__
        raise MessageError(
            "format",
            f"expected format {FORMAT}, got {str(found)[:20]}: one of the two needs another version"
            " of takhte",
        )
    return body


def _whole(body: WireMessage, name: str, low: int = 0) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value < 2**53:
        raise MessageError(
            "unreadable", f"{name}: expected a whole number from {low}, got {str(value)[:20]!r}"
        )
    return value


def _number(name: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not -1e12 < value < 1e12:
        raise MessageError("unreadable", f"{name}: expected a number, got {str(value)[:20]!r}")
    return float(value)


def _text(name: str, value: object, most: int = 400) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise MessageError(
            "unreadable",
            f"{name}: expected a text of at most {most} letters, got {str(value)[:20]!r}",
        )
    return value


# Entries.

Row = tuple[int, bytes, str]
"""(number, canonical bytes, hash) of an entry, as the journal holds it."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Entries `first` onwards of one journal, as they were sealed there. `epoch` tells a table's
    journals apart: another one, with a higher number, begins where a table's record does not go on
    from what was sent before. `erasures`: texts of later entries of the journal that say which of
    these lost a person's name and no longer fit their hash."""

    table: str
    epoch: int
    rows: tuple[Row, ...]
    erasures: tuple[bytes, ...] = ()

    @property
    def first(self) -> int:
        """Number of the first entry."""
        return self.rows[0][0]

    @property
    def last(self) -> int:
        """Number of the last entry."""
        return self.rows[-1][0]

    @property
    def head(self) -> str:
        """Hash of the last entry."""
        return self.rows[-1][2]

    @property
    def message_id(self) -> str:
        """The message's id: the same entries are taken once."""
        return f"{self.table}/{self.epoch}/{self.last}"

    def body(self) -> WireMessage:
        """What is signed and sent."""
        rows = [[text.decode(), sealed] for _, text, sealed in self.rows]
        body: WireMessage = {
            "format": FORMAT,
            "table": self.table,
            "epoch": self.epoch,
            "first": self.first,
            "rows": rows,
        }
        if self.erasures:
            body["erasures"] = [text.decode() for text in self.erasures]
        return body


def bundle_of(body: WireMessage) -> Bundle:
    """The bundle that a message spells; its chain is not checked here. Raises MessageError."""
    first, rows = _whole(body, "first", 1), body.get("rows")
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_ENTRIES:
        raise MessageError(
            "unreadable",
            f"rows: expected 1 to {MOST_ENTRIES} entries, got"
            f" {len(rows) if isinstance(rows, list) else 'none'}",
        )
    found = []
    for number, row in enumerate(rows, start=first):
        match row:
            case [str(text), str(sealed)]:
                found.append((number, text.encode("utf-8", "surrogatepass"), sealed))
            case _:
                raise MessageError(
                    "unreadable",
                    f"entry {number}: expected its text and its hash, got {str(row)[:40]!r}",
                )
    said = body.get("erasures", [])
    if not isinstance(said, list) or not all(isinstance(text, str) for text in said):
        raise MessageError("unreadable", f"erasures: expected texts, got {str(said)[:40]!r}")
    return Bundle(
        _text("table", body.get("table"), 32),
        _whole(body, "epoch", 1),
        tuple(found),
        tuple(text.encode("utf-8", "surrogatepass") for text in said),
    )


@dataclass(frozen=True, slots=True)
class Tail:
    """The last that the stream holds of a table: which entry, its hash, and the number `at` of the
    message that brought it. All zero and empty where it holds nothing. `own`: signed by this very
    board; another's message says nothing but its number."""

    epoch: int = 0
    seq: int = 0
    hash: str = ""
    at: int = 0
    own: bool = False


# Statuses.


@dataclass(frozen=True, slots=True)
class TableStatus:
    """What a table says of itself every second or two. `at` is table time at `wall`, the machine's
    date; `beat_age` how long ago, in seconds, the table's own process last gave a sign of life;
    `behind` how many entries wait to be sent; `answers` what became of the last commands: (id,
    done, entry or code); `delays` how late its own feeds are, in seconds."""

    table: str
    epoch: int
    seq: int
    at: float
    wall: float
    beat_age: float
    behind: int = 0
    program: str = ""
    answers: tuple[tuple[str, bool, str], ...] = ()
    delays: Mapping[str, float] = field(default_factory=dict)

    def body(self) -> WireMessage:
        """What is signed and sent."""
        return {
            "format": FORMAT,
            "table": self.table,
            "epoch": self.epoch,
            "seq": self.seq,
            "at": round(self.at, 3),
            "wall": round(self.wall, 3),
            "beat_age": round(self.beat_age, 3),
            "behind": self.behind,
            "program": self.program,
            "answers": [list(a) for a in self.answers],
            "delays": {**self.delays},
        }


def status_from(body: WireMessage) -> TableStatus:
    """The status that a message spells. Raises MessageError."""
    at, wall, age = (_number(n, body.get(n)) for n in ("at", "wall", "beat_age"))
    late = body.get("delays", {})
    if not isinstance(late, dict) or len(late) > MOST_FEEDS:
        raise MessageError("unreadable", f"delays: expected seconds by feed, got {str(late)[:40]}")
    delays = {str(feed): _number(f"delays.{feed}", value) for feed, value in late.items()}
    given, answers = body.get("answers"), []
    for row in given[:64] if isinstance(given, list) else ():
        if isinstance(row, list) and len(row) == 3 and isinstance(row[1], bool):
            answers.append((str(row[0])[:60], row[1], str(row[2])[:200]))
    behind, epoch, seq = _whole(body, "behind"), _whole(body, "epoch"), _whole(body, "seq")
    return TableStatus(
        _text("table", body.get("table"), 32),
        epoch,
        seq,
        at,
        wall,
        age,
        behind,
        _text("program", body.get("program")),
        tuple(answers),
        delays,
    )


# Commands.


@dataclass(frozen=True, slots=True)
class Command:
    """One order of the hall to one table. `number` grows with each: a table takes none twice, and
    none that is older than the last. `until` is table time: whatever was held up on the way counts
    no more after it, and no two machines' dates need agree."""

    id: str
    number: int
    table: str
    order: str
    args: Mapping[str, Json] = field(default_factory=dict)
    name: str = ""
    role: str = "arbiter"
    until: float = 0.0

    def body(self) -> WireMessage:
        """What is signed and sent."""
        return {
            "format": FORMAT,
            "id": self.id,
            "number": self.number,
            "table": self.table,
            "order": self.order,
            "args": self.args,
            "by": {"name": self.name, "role": self.role},
            "until": round(self.until, 3),
        }


def command_from(body: WireMessage) -> Command:
    """The command that a message spells. Raises MessageError."""
    args, by, until = body.get("args"), body.get("by"), body.get("until")
    if not isinstance(args, dict) or not isinstance(by, dict) or not isinstance(until, int | float):
        raise MessageError(
            "unreadable",
            "expected args and by as objects and until as a number, got something else",
        )
    return Command(
        _text("id", body.get("id"), 60),
        _whole(body, "number", 1),
        _text("table", body.get("table"), 32),
        _text("order", body.get("order"), 40),
        args,
        _text("name", by.get("name"), 80),
        _text("role", by.get("role"), 20),
        float(until),
    )
