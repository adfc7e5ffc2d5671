"""From one format to another: what a file is, read or written by its name. `takhte convert IN OUT` is `convert`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any, Final, TypeVar

from rules.notation.errors import LONGEST, NotationError
from rules.notation.jsonform import read_json, write_json
from rules.notation.mat import read_mat
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.notation.sgf import read_sgf
from rules.notation.sgfwrite import write_sgf

Codec = TypeVar("Codec", bound=Callable[[Any], Any])
READERS: Final[Mapping[str, Callable[[str], MatchRecord]]] = {".mat": read_mat, ".txt": read_mat, ".sgf": read_sgf, ".json": read_json}
WRITERS: Final[Mapping[str, Callable[[MatchRecord], str]]] = {".mat": write_mat, ".txt": write_mat, ".sgf": write_sgf, ".json": write_json}


def read_match(data: bytes, name: str) -> MatchRecord:
    """The match of a file's bytes; `name` tells the format by its ending. Raises NotationError with line and column."""
    if len(data) > LONGEST:
        raise NotationError(f"{len(data)} bytes are no match; {LONGEST} at most")
    return _codec(READERS, name)(_text(data))


def write_match(record: MatchRecord, name: str) -> str:
    """The text of a file of that name. Raises CannotCarryError for what the format has no words for."""
    return _codec(WRITERS, name)(record)


def convert(source: Path, target: Path) -> MatchRecord:
    """Reads `source`, writes `target` whole or not at all, and returns the match. Raises NotationError, OSError."""
    with source.open("rb") as file:
        data = file.read(LONGEST + 1)
    record = read_match(data, source.name)
    text = write_match(record, target.name)
    target.write_text(text, encoding="utf-8", newline="\n")
    return record


def _codec(codecs: Mapping[str, Codec], name: str) -> Codec:
    ending = PurePath(name).suffix.lower()
    if ending not in codecs:
        raise NotationError(f"{name}: the formats are {', '.join(codecs)}")
    return codecs[ending]


def _text(data: bytes) -> str:
    """UTF-8, with or without a mark; older programs wrote the Windows code page."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
