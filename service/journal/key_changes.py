"""One key of a table after another: each change is said by the key that goes and the key that
comes, in `table.keys` beside the journal, a line each (E).

A key that is only changed hands its trust on: whoever knows its fingerprint can follow the lines to
the present one. One that is *revoked*, because somebody else may have it, hands on nothing, since
that somebody could write such lines too: then people compare the new fingerprint themselves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.journal.codec import canonical
from service.journal.keys import KeyFileError, key_path, table_key, write_key
from service.journal.sqlite_file import beside, sync_folder

_PURPOSE: Final = b"takhte-key/1\n"


@dataclass(frozen=True, slots=True)
class KeyChange:
    """From one public key to the next; `wall` is the machine's date, `revoked` why the old one is
    not to be believed any more, "" where it is. The signatures are the old key's and the new one's.
    """

    old: bytes
    new: bytes
    wall: float
    revoked: str
    signatures: tuple[bytes, bytes] = (b"", b"")

    def to_json(self) -> dict[str, str | float]:
        return {
            "old": self.old.hex(),
            "new": self.new.hex(),
            "wall": self.wall,
            "revoked": self.revoked,
            "by_old": self.signatures[0].hex(),
            "by_new": self.signatures[1].hex(),
        }

    def signed(self) -> bytes:
        """What both keys sign."""
        said = {k: v for k, v in self.to_json().items() if not k.startswith("by_")}
        return _PURPOSE + canonical(said)


def changes_path(journal: Path) -> Path:
    """Where the changes of a journal's table's key are kept."""
    return key_path(journal).with_suffix(".keys")


def believed_change(data: object) -> KeyChange | None:
    """The change that this JSON says, None where either key has not signed it."""
    try:
        assert isinstance(data, dict)
        change = KeyChange(
            bytes.fromhex(data["old"]),
            bytes.fromhex(data["new"]),
            float(data["wall"]),
            str(data["revoked"]),
            (bytes.fromhex(data["by_old"]), bytes.fromhex(data["by_new"])),
        )
        for key, signature in zip((change.old, change.new), change.signatures, strict=True):
            Ed25519PublicKey.from_public_bytes(key).verify(signature, change.signed())
    except (AssertionError, InvalidSignature, KeyError, TypeError, ValueError):
        return None
    return change


def read_changes(path: Path) -> tuple[KeyChange, ...]:
    """The changes in this file, oldest first; none where there is no file. Raises KeyFileError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [believed_change(json.loads(line)) for line in lines]
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise KeyFileError(f"{path}: the table's keys cannot be read: {error}") from error
    return tuple(change for change in found if change is not None)


def follows(trusted: bytes, key: bytes, changes: Sequence[KeyChange]) -> bool:
    """Whether whoever trusts the one key may trust the other: it is the same, or the last of a line
    of changes of which none revoked what went before.
    """
    known = {trusted}
    for change in changes:
        if change.old in known and not change.revoked:
            known.add(change.new)
    return key in known


def keys_of_table(key: bytes, changes: Sequence[KeyChange]) -> frozenset[bytes]:
    """The present key and all that went before it, revoked ones too."""
    known = {key}
    for change in reversed(changes):
        if change.new in known:
            known.add(change.old)
    return frozenset(known)


def revocation(key: bytes, changes: Iterable[KeyChange]) -> KeyChange | None:
    """The change that revoked the key, None where none did."""
    return next((change for change in changes if change.old == key and change.revoked), None)


def change_key(journal: Path, wall: float, revoked: str = "") -> KeyChange:
    """Give the table of this journal a new key; the old one is gone. `revoked`: why nobody should
    believe the old one any more. Raises KeyFileError.
    """
    path, kept = key_path(journal), changes_path(journal)
    old, new = table_key(path), Ed25519PrivateKey.generate()
    said = KeyChange(
        old.public_key().public_bytes_raw(), new.public_key().public_bytes_raw(), wall, revoked
    )
    signatures = (old.sign(said.signed()), new.sign(said.signed()))
    change = KeyChange(said.old, said.new, wall, revoked, signatures)
    try:
        # First what is said, then the key: a power cut between leaves the old one in its place.
        lines = kept.read_bytes() if kept.exists() else b""
        part = beside(kept, ".part")
        part.write_bytes(lines + canonical(change.to_json()) + b"\n")
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(kept)
        sync_folder(kept.parent)
        write_key(path, new)
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be changed: {error}") from error
    return change
