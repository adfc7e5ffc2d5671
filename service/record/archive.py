"""The record that leaves the house: signed JSON lines, and what stands beside them.

An archive is a header line, one line for each entry (its canonical bytes as JSON, with the hash
that ties it to all before), and a seal:

    {"takhte-archive":1,"table":...,"program":...,"key":"<base64 Ed25519 public key>"[,"keys":[..]]}
    {"entry":{...},"hash":"..."}            one a line
    {"seal":{"count":N,"head":"<hash of the last>"},"signature":"<base64>"}

The signature is Ed25519 (RFC 8032) over `takhte-archive/1`, the header's and the seal's canonical
JSON, a newline between each. Whoever trusts the key (its fingerprint is on the score sheet) can
check every entry without this program: SHA-256, base64 and Ed25519 are all it takes. An entry that
a signed entry of kind `names_erased` lists fits the digest given there instead of its hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from rules.notation.errors import CannotCarryError
from rules.notation.jsonform import write_json
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.notation.sgfwrite import write_sgf
from service.journal.chain import GENESIS, Entry, JournalError, checked_entries
from service.journal.codec import CodecError, Json, canonical
from service.journal.erasures import Erasures, erasures_of
from service.journal.key_changes import (
    KeyChange,
    believed_change,
    follows,
    keys_of_table,
    revocation,
)

FORMAT: Final = 1
_PURPOSE: Final = b"takhte-archive/1"
MOST_BYTES: Final = 256_000_000


class ArchiveError(ValueError):
    """An archive that cannot be believed; the message says which line, what was expected and what
    came.
    """


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive that holds together says: its entries, and whose key sealed it."""

    table: str
    program: str
    key: bytes
    entries: tuple[Entry, ...]
    head: str
    changes: tuple[KeyChange, ...] = ()
    """The table's keys, one after another, as they said it themselves."""


def fingerprint(key: bytes) -> str:
    """A public key as people compare it: the first 80 bits of its SHA-256, in groups of four."""
    digest = hashlib.sha256(key).hexdigest()[:20]
    return " ".join(digest[i : i + 4] for i in range(0, 20, 4))


class Seal(TypedDict):
    """What the signature covers beside the header: how many entries, and the last one's hash."""

    count: int
    head: str


def write_archive(
    entries: Iterable[Entry],
    key: Ed25519PrivateKey,
    table: str,
    program: str,
    changes: Sequence[KeyChange] = (),
) -> bytes:
    """The whole archive, sealed. Entries must be a journal's from its first on; `changes` are those
    of the table's key.
    """
    public = key.public_key().public_bytes_raw()
    header = canonical(
        {
            "takhte-archive": FORMAT,
            "table": table,
            "program": program,
            "key": base64.b64encode(public).decode(),
            **({"keys": [change.to_json() for change in changes]} if changes else {}),
        }
    )
    lines, head, count = [header], GENESIS, 0
    for entry in entries:
        lines.append(canonical({"entry": json.loads(entry.text), "hash": entry.hash}))
        head, count = entry.hash, count + 1
    seal: Seal = {"count": count, "head": head}
    signature = key.sign(_signed(header, seal))
    lines.append(canonical({"seal": seal, "signature": base64.b64encode(signature).decode()}))
    return b"\n".join(lines) + b"\n"


def _signed(header: bytes, seal: Seal) -> bytes:
    return b"\n".join((_PURPOSE, header, canonical(seal)))


def read_archive(data: bytes, trusted: bytes | None = None) -> Archive:
    """Check an archive whole: form, chain, seal, signature, and where `trusted` (a public key, 32
    bytes) is given, that it is this key's.

    Raises ArchiveError. Without `trusted` the archive is only known to be what the holder of
    `Archive.key` sealed.
    """
    if len(data) > MOST_BYTES:
        raise ArchiveError(f"expected at most {MOST_BYTES} bytes, got {len(data)}")
    # A text may hold any other character at which Python would end a line.
    rows = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    if len(rows) < 2:
        raise ArchiveError(f"expected a header, entries and a seal, got {len(rows)} lines")
    header, seal = _object(rows, 0), _object(rows, len(rows) - 1)
    if header.get("takhte-archive") != FORMAT:
        raise ArchiveError(
            f"line 1: expected a takhte archive of format {FORMAT}, got"
            f" {str(header.get('takhte-archive'))[:20]!r}"
        )
    key = _bytes(header.get("key"), 32, "line 1: a public key")
    said = header.get("keys", [])
    changes = tuple(filter(None, map(believed_change, said if isinstance(said, list) else ())))
    if trusted is not None and not follows(trusted, key, changes):
        gone = revocation(trusted, changes)
        raise ArchiveError(
            f"expected the seal of {fingerprint(trusted)}, got that of {fingerprint(key)}"
            + (
                f", by which it was revoked ({gone.revoked}): compare the new fingerprint with the"
                " table's people"
                if gone is not None
                else ""
            )
        )
    try:
        links = tuple(_links(rows))
        stated = Erasures(lambda: (text for _, text, _ in links))
        entries = tuple(checked_entries(links, explained=stated.explains))
    except (JournalError, CodecError) as error:
        raise ArchiveError(str(error)) from None
    for erasure in erasures_of(entries):
        if erasure.key not in keys_of_table(key, changes):
            raise ArchiveError(
                f"entry {erasure.seq}: names were erased with the key {fingerprint(erasure.key)},"
                f" the archive is sealed with {fingerprint(key)}: expected the same"
            )
    head = entries[-1].hash if entries else GENESIS
    if seal.get("seal") != {"count": len(entries), "head": head}:
        raise ArchiveError(
            f"the seal is for {str(seal.get('seal'))[:120]}, the lines are {len(entries)} entries"
            f" up to {head[:16]}…"
        )
    signature = _bytes(seal.get("signature"), 64, "the last line: a signature")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(
            signature, _signed(rows[0].encode(), {"count": len(entries), "head": head})
        )
    except InvalidSignature:
        raise ArchiveError(
            "the signature does not fit: header, entries or seal were changed after they were"
            " sealed"
        ) from None
    return Archive(
        str(header.get("table", "")), str(header.get("program", "")), key, entries, head, changes
    )


def _object(rows: list[str], number: int) -> dict[str, Json]:
    try:
        found = json.loads(rows[number])
    except (ValueError, RecursionError) as error:
        raise ArchiveError(
            f"line {number + 1}: expected JSON, got {rows[number][:40]!r} ({error})"
        ) from None
    if not isinstance(found, dict):
        raise ArchiveError(f"line {number + 1}: expected a JSON object, got {rows[number][:40]!r}")
    return found


def _links(rows: list[str]) -> Iterable[tuple[int, bytes, str]]:
    for number in range(1, len(rows) - 1):
        row = _object(rows, number)
        yield number, canonical(row.get("entry")), str(row.get("hash"))


def _bytes(value: object, length: int, what: str) -> bytes:
    try:
        found = base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != length:
        raise ArchiveError(
            f"{what} of {length} bytes in base64 was expected, got {str(value)[:20]!r}"
        )
    return found


# Other formats.

WRITERS: Final = {"mat": write_mat, "sgf": write_sgf, "json": write_json}
"""Formats beside the archive, by their file ending."""


class CannotExportError(ValueError):
    """A format that this match, or this machine, cannot be exported to; the message says why."""


def write_match(record: MatchRecord, ending: str) -> bytes:
    """A match in one of `WRITERS` or as `ogxm`. Raises CannotExportError with the reason."""
    if ending == "ogxm":
        return _ogxm(record)
    try:
        return WRITERS[ending](record).encode()
    except CannotCarryError as error:
        raise CannotExportError(str(error)) from None


def _ogxm(record: MatchRecord) -> bytes:
    """OGXM through the packages `ogxm` (a library for x86-64 alone; it makes no signatures) and
    `gammonview`, where they are installed."""
    text = write_match(record, "mat").decode()
    try:
        import ogxm
        from gvformat.mat import mat_to_ogxm
    except (ImportError, OSError) as error:
        raise CannotExportError(
            f"OGXM needs the packages ogxm and gammonview, which run on x86-64 only: {error}"
        ) from None
    try:
        binary: bytes = ogxm.json_to_binary(json.dumps(mat_to_ogxm(text)))
    except (ValueError, RuntimeError, TypeError) as error:
        raise CannotExportError(f"the OGXM library refused this match: {error}") from None
    return binary
