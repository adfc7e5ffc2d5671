"""The newest entries a second time, in a small file of plain lines beside the journal (E).

SQLite forgets, without a word, everything after a damaged byte of its write-ahead log, and a copy
of the file without that log is a sound journal that ends too early. So each entry is written here
too, and synced, before it is acknowledged: a line holds its number, the hash before it, its own,
and its text. Once the log is folded into the file only the last is kept. The last line says where
the record ends; the lines before it bring back what the log has lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.journal.chain import link
from service.journal.sqlite_file import Row, beside, sync_folder

_to_disk: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)
"""Writes a file's bytes to the disk; macOS knows no way that leaves its times alone."""


def tail_path(journal: Path) -> Path:
    """Where the newest entries of a journal are kept a second time."""
    return beside(journal, ".tail")


@dataclass(frozen=True, slots=True)
class TailRow:
    """An entry with the hash of the one before it, so that each line can be checked by itself."""

    seq: int
    before: str
    hash: str
    text: bytes

    def line(self) -> bytes:
        return b"%d %s %s %s\n" % (self.seq, self.before.encode(), self.hash.encode(), self.text)


def tail_rows(rows: Iterable[Row], before: str) -> list[TailRow]:
    """Rows of a journal as lines, `before` the hash before the first."""
    found = []
    for seq, text, sealed in rows:
        found.append(TailRow(seq, before, sealed, text))
        before = sealed
    return found


def read_tail(path: Path) -> tuple[TailRow, ...]:
    """The sound lines of the file; a torn or damaged one is left out. Empty where there is none.

    Raises OSError where it is there and cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    # JSON has no newline inside a line, whatever a text holds.
    return tuple(row for each in data.split(b"\n") if (row := _row(each)) is not None)


def _row(data: bytes) -> TailRow | None:
    try:
        number, before, sealed, text = data.split(b" ", 3)
        row = TailRow(int(number), before.decode("ascii"), sealed.decode("ascii"), text)
    except ValueError:
        return None
    return row if link(row.before, row.text) == row.hash else None


class SecondCopy:
    """The file while it is written. An error leaves it as it was or behind, never wrong: `begin`
    puts it right.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1
        self._size = 0

    def begin(self, rows: Sequence[TailRow]) -> None:
        """Hold these lines and no others, on the disk when this returns. Raises OSError."""
        self.close()
        part = beside(self.path, ".part")
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            self._size = _write(file, rows)
            part.replace(self.path)
            sync_folder(self.path.parent)
        except BaseException:
            os.close(file)
            with suppress(OSError):
                part.unlink()
            raise
        self._file = file

    def add(self, rows: Sequence[TailRow]) -> None:
        """Add these lines, on the disk when this returns. Raises OSError."""
        self._size += _write(self._file, rows)

    def lies_there(self) -> bool:
        """Whether what was written lies under its name, whole."""
        try:
            ours, found = os.fstat(self._file), self.path.stat()
        except OSError:
            return False
        return os.path.samestat(ours, found) and found.st_size == self._size

    def close(self) -> None:
        """Idempotent."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _write(file: int, rows: Sequence[TailRow]) -> int:
    """How many bytes were written and synced."""
    data = b"".join(row.line() for row in rows)
    left = data
    while left:
        left = left[os.write(file, left) :]
    _to_disk(file)
    return len(data)
