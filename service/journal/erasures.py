"""What a record says of entries from which a person's name was erased, and when that is believed.

An entry that lost a name no longer fits its own hash. It is taken for sound where a later entry of
the record, `names_erased`, is signed by a table's key and holds the digest of the text as it
stands, and where the entry is of a kind in which names and people's own words stand (`ERASABLE`).
So nobody can pass off a changed play, roll, result, penalty or time as an erasure, whatever he
signs. Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.journal.chain import Entry, JournalError, parse_entry
from service.journal.codec import canonical
from service.journal.entries import NamesErased

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ERASABLE: Final = frozenset(
    {
        "match_set",
        "match_amended",
        "event_chosen",
        "ruled",
        "noted",
        "director_called",
        "frozen",
        "unfrozen",
        "adjourned",
        "resumed",
        "appealed",
        "appeal_closed",
        "alert_raised",
        "alert_acknowledged",
        "player_entered",
        "player_amended",
        "player_struck",
        "player_left",
        "player_returned",
        "stage_drawn",
        "round_paired",
    }
)
"""Kinds of entries that may lose a name. `match_set` holds the terms of the match as well, and
`match_amended` may lose one only where it puts a name right; the last seven are a hall's, and who
met whom follows from two of them.
"""
ERASING: Final = b'"kind":"names_erased"'
"""In the bytes of an entry that says so, and of no other: inside a text the marks are escaped."""
_PURPOSE: Final = b"takhte-erased/1\n"


@dataclass(frozen=True, slots=True)
class Erasure:
    """A statement of the record: which entries lost a name, by whose key, and the date it bears."""

    seq: int
    entries: tuple[int, ...]
    key: bytes
    wall: float


def text_digest(text: bytes) -> str:
    """What a statement holds of an entry's text."""
    return hashlib.sha256(text).hexdigest()


def may_lose_a_name(text: bytes) -> bool:
    """Whether an entry with this text is of a kind from which a name may be erased."""
    try:
        data = json.loads(text)
        kind, body = data["kind"], data["body"]
        named = kind != "match_amended" or body["what"] in ("white", "black")
    except (ValueError, KeyError, TypeError):
        return False
    return kind in ERASABLE and named


def _signed(seq: int, entries: dict[str, str]) -> bytes:
    return _PURPOSE + canonical({"seq": seq, "entries": entries})


def statement(seq: int, entries: dict[str, str], key: Ed25519PrivateKey) -> NamesErased:
    """What entry `seq` says: these entries, by number, have texts of these digests now."""
    return NamesErased(
        entries, key.public_key().public_bytes_raw().hex(), key.sign(_signed(seq, entries)).hex()
    )


def is_signed(entry: Entry) -> bool:
    """Whether the statement is signed by the key that it names."""
    body = entry.body
    if not isinstance(body, NamesErased):
        return False
    # Heavy, and hardly a record needs it: every table reads records, also on a small machine.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(body.key)).verify(
            bytes.fromhex(body.signature), _signed(entry.seq, dict(body.entries))
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def erasures_of(entries: Iterable[Entry]) -> list[Erasure]:
    """Every statement among the entries of a sound record."""
    return [
        Erasure(entry.seq, tuple(map(int, body.entries)), bytes.fromhex(body.key), entry.wall)
        for entry in entries
        if isinstance(body := entry.body, NamesErased) and is_signed(entry)
    ]


class Erasures:
    """The statements of one record, read when they are first asked for."""

    def __init__(self, texts: Callable[[], Iterable[bytes]]) -> None:
        self._texts = texts
        self._digests: dict[int, str] | None = None

    def explains(self, seq: int, text: bytes) -> bool:
        """Whether the record says that this entry lost a name and reads so since."""
        if self._digests is None:
            self._digests = {}
            for each in self._texts():
                self._digests |= _digests(each)
        return self._digests.get(seq) == text_digest(text) and may_lose_a_name(text)


def _digests(text: bytes) -> dict[int, str]:
    if ERASING not in text:
        return {}
    try:
        entry = parse_entry(text, "")
    except JournalError:
        return {}
    body = entry.body
    if not isinstance(body, NamesErased) or not is_signed(entry):
        return {}
    # A statement is about what stands before it.
    return {int(n): digest for n, digest in body.entries.items() if int(n) < entry.seq}
