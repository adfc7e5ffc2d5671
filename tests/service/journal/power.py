"""A disk that loses its power: what a program wrote and synced, as strace saw it, and what may be
left of it at any moment.

Chosen before a VFS of SQLite's own (apsw) and a preloaded library because it watches the program
as it is, with the SQLite that it runs on, and sees the plain files beside the database too. The
promise of POSIX alone is granted: what was synced is there; of what was written since, each write
may be there, be missing, or be torn at a sector, in any order; a name is there once its folder was
synced, and before that as far as the file system's journal came.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SECTOR: Final = 512
CALLS: Final = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,link"
STRACE: Final = ("strace", "-f", "-xx", "-s", "1000000", "-e", f"trace={CALLS}", "-o")
_LINE: Final = re.compile(r"(?:\d+\s+)?(\w+)\((.*)\)\s+= (-?\d+)")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Call:
    """A system call that did what it was asked: its name, its texts, its numbers, its result."""

    name: str
    texts: tuple[bytes, ...]
    numbers: tuple[int, ...]
    words: str
    result: int


def calls_in(trace: Path) -> Iterator[Call]:
    """The calls of a program of one thread, in order; those that failed are left out."""
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            if (found := _LINE.match(line)) is None or int(found[3]) < 0:
                continue
            texts = tuple(bytes.fromhex(t.replace("\\x", "")) for t in _TEXT.findall(found[2]))
            words = _TEXT.sub("", found[2])
            numbers = tuple(int(n) for n in re.findall(r"(?<![\w.])-?\d+", words))
            yield Call(found[1], texts, numbers, words, int(found[3]))


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at an offset; for None the file is cut there."""

    at: int
    data: bytes | None


@dataclass(slots=True)
class File:
    """What surely lies on the disk, and what was written since it was last synced."""

    sure: bytes = b""
    since: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        for write in self.since:
            self.sure = applied(self.sure, write)
        self.since.clear()

    def left(self, chance: random.Random) -> bytes:
        """What a power cut leaves of it."""
        found, writes = self.sure, self.since[:]
        kept = chance.choice((0.0, 0.5, 0.9))
        if chance.random() < 0.5:
            chance.shuffle(writes)
        for write in writes:
            if chance.random() < kept:
                for piece in torn(write, chance):
                    found = applied(found, piece)
        return found


def applied(data: bytes, write: Write) -> bytes:
    if write.data is None:
        return data[: write.at].ljust(write.at, b"\0")
    return data[: write.at].ljust(write.at, b"\0") + write.data + data[write.at + len(write.data) :]


def torn(write: Write, chance: random.Random) -> list[Write]:
    """The write, whole or some of its sectors."""
    if write.data is None or chance.random() < 0.6:
        return [write]
    pieces, at, data = [], write.at, write.data
    while data:
        length = SECTOR - at % SECTOR
        if chance.random() < 0.5:
            pieces.append(Write(at, data[:length]))
        at, data = at + length, data[length:]
    return pieces


@dataclass(slots=True)
class Disk:
    """One folder of a disk, fed with calls. `said` are the lines that the program wrote into its
    file `said`, which is no part of the disk.
    """

    folder: Path
    ignored: tuple[str, ...]
    said: list[str] = field(default_factory=list)
    _now: dict[str, File] = field(default_factory=dict)
    _sure: dict[str, File] = field(default_factory=dict)
    _renamed: list[dict[str, File]] = field(default_factory=list)
    """The folder after each change that was not synced yet."""
    _open: dict[int, tuple[File | None, list[int]]] = field(default_factory=dict)
    """By descriptor: the file (None for the folder itself) and where the next write goes."""
    _telling: int = -1

    def take(self, call: Call) -> None:
        file, place = self._open.get(call.numbers[0], (None, [0])) if call.numbers else (None, [0])
        match call.name:
            case "openat":
                self._opened(call)
            case "close":
                self._open.pop(call.numbers[0], None)
            case "write" if call.numbers[0] == self._telling:
                self.said += call.texts[0].decode().splitlines()
            case "write" if file is not None:
                file.since.append(Write(place[0], call.texts[0]))
                place[0] += len(call.texts[0])
            case "pwrite64" if file is not None:
                file.since.append(Write(call.numbers[-1], call.texts[0]))
            case "ftruncate" if file is not None:
                file.since.append(Write(call.numbers[-1], None))
            case "fsync" | "fdatasync" if call.numbers[0] in self._open:
                if file is not None:
                    file.sync()
                else:
                    self._sure, self._renamed = dict(self._now), []
            case "rename":
                self._named(call.texts[1], self._now.pop(self._name(call.texts[0]) or "", None))
            case "link":
                self._named(call.texts[1], self._now.get(self._name(call.texts[0]) or ""))
            case "unlink" if self._name(call.texts[0]) in self._now:
                del self._now[self._name(call.texts[0]) or ""]
                self._renamed.append(dict(self._now))

    def _opened(self, call: Call) -> None:
        path = Path(os.fsdecode(call.texts[0]))
        name = self._name(call.texts[0])
        self._open.pop(call.result, None)
        if path.name == "said":
            self._telling = call.result
        elif path == self.folder:
            self._open[call.result] = (None, [0])
        elif name is not None:
            if name not in self._now and "O_CREAT" in call.words:
                self._named(call.texts[0], File())
            if (file := self._now.get(name)) is not None:
                if "O_TRUNC" in call.words:
                    file.since.append(Write(0, None))
                self._open[call.result] = (file, [0])

    def _name(self, text: bytes) -> str | None:
        path = Path(os.fsdecode(text))
        inside = path.parent == self.folder and not path.name.endswith(self.ignored)
        return path.name if inside else None

    def _named(self, text: bytes, file: File | None) -> None:
        name = self._name(text)
        if name is not None and file is not None:
            self._now[name] = file
            self._renamed.append(dict(self._now))

    def cut(self, chance: random.Random, into: Path) -> None:
        """Write into an empty folder what may be left when the power goes now."""
        names = chance.choice([self._sure, *self._renamed])
        for name, file in names.items():
            (into / name).write_bytes(file.left(chance))
