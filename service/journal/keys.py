"""The table's own key: made at the first start, kept beside the journal, readable by its owner
alone (E).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from service.journal.sqlite_file import sync_folder


class KeyFileError(OSError):
    """The table's key cannot be made or read; the message says why and what to do."""


HALL_JOURNAL: Final = "hall.journal"
"""A hall's own journal, beside that hall's key."""


def key_path(journal: Path) -> Path:
    """Where the key of a journal's table, or of its hall, is kept."""
    return journal.parent / ("hall.key" if journal.name == HALL_JOURNAL else "table.key")


def table_key(path: Path) -> Ed25519PrivateKey:
    """The key in this file, made there (mode 0600, whole or not at all) when there is none.

    Raises KeyFileError.
    """
    try:
        return _load(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise KeyFileError(f"{path}: the table's key cannot be read: {error}") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make(path)
        return _load(path)
    except OSError as error:
        raise KeyFileError(
            f"{path}: the table's key cannot be made: {error}. Make the folder writable"
        ) from error


def _load(path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise KeyFileError(
            f"{path}: expected an Ed25519 key in PEM, got something else ({error}): move the file"
            " away"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            f"{path}: expected an Ed25519 key, got {type(key).__name__}: move the file away"
        )
    return key


def _make(path: Path) -> None:
    """Two processes may start at once: the first link wins, and both read what stands there."""
    part = _written(path, Ed25519PrivateKey.generate())
    try:
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink(missing_ok=True)
    # What a key has sealed is worth nothing once a power cut has taken its name.
    sync_folder(path.parent)


def write_key(path: Path, key: Ed25519PrivateKey) -> None:
    """Put this key in the place of the one that lies there, whole or not at all. Raises OSError."""
    _written(path, key).replace(path)
    sync_folder(path.parent)


def _written(path: Path, key: Ed25519PrivateKey) -> Path:
    """A new file beside the path that holds the key, on the disk."""
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return part
