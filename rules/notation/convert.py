"""From one format to another: what a file is, read or written by its name. `takhte convert IN OUT`
is `main`.

A position or a match at one point is given by its id and printed: `takhte convert XGID=... board`.
"""

from __future__ import annotations

import argparse
import codecs
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final, Protocol, TypeVar

from rules.match import Match
from rules.notation.drawing import draw_position
from rules.notation.errors import LONGEST, NotationError
from rules.notation.ids import read_match, read_position_id, write_match_id, write_position_id
from rules.notation.jsonform import read_json, write_json
from rules.notation.mat import read_mat
from rules.notation.matwrite import cuts, write_mat
from rules.notation.ogid import looks_like_ogid, read_ogid, write_ogid
from rules.notation.record import MatchRecord
from rules.notation.several import nth_match
from rules.notation.sgf import read_sgf
from rules.notation.sgfwrite import write_sgf
from rules.notation.xg import MAGIC, read_xg
from rules.notation.xgid import found_xgid, read_xgid, write_xgid
from rules.position import Position

Codec = TypeVar("Codec")


class ReadsMatch(Protocol):
    """Reads a match from a text. Raises NotationError."""

    def __call__(self, text: str, *, until_trouble: bool = False) -> MatchRecord: ...


READERS: Final[Mapping[str, ReadsMatch]] = {
    ".mat": read_mat,
    ".txt": read_mat,
    ".gam": read_mat,
    ".sgf": read_sgf,
    ".json": read_json,
}
WRITERS: Final[Mapping[str, Callable[[MatchRecord], str]]] = {
    ".mat": write_mat,
    ".txt": write_mat,
    ".sgf": write_sgf,
    ".json": write_json,
}


def read_file(
    data: bytes, name: str, *, until_trouble: bool = False, number: int = 1
) -> MatchRecord:
    """The match of a file's bytes; `name` tells the format by its ending; `number` which match of
    several in one .mat or SGF.

    Raises NotationError with line and column; with `until_trouble` only where nothing can be kept:
    else the match ends before the trouble, and its last remark says what it was.
    """
    if len(data) > LONGEST:
        raise NotationError(f"{len(data)} bytes are no match; {LONGEST} at most")
    is_xg = PurePath(name).suffix.lower() == ".xg" or data.startswith(MAGIC)
    reader = None if is_xg else _codec(READERS, name)
    if number != 1 and reader not in (read_mat, read_sgf):
        raise NotationError(f"match {number} was asked for; a .mat, .txt or .sgf alone has several")
    if reader is None:
        return read_xg(data, until_trouble=until_trouble)
    text = _text(data)
    if reader is read_sgf:
        return read_sgf(text, until_trouble=until_trouble, number=number)
    return reader(text if number == 1 else nth_match(text, number), until_trouble=until_trouble)


def write_file(record: MatchRecord, name: str) -> str:
    """The text of a file of that name.

    Raises CannotCarryError for what the format has no words for.
    """
    return _codec(WRITERS, name)(record)


def convert(source: Path, target: Path, *, salvage: bool = False, number: int = 1) -> MatchRecord:
    """Reads `source`, writes `target` whole or not at all, and returns the match; `salvage` keeps
    what stands before the place where `source` is wrong, `number` says which match of several.

    Raises NotationError, OSError.
    """
    with source.open("rb") as file:
        data = file.read(LONGEST + 1)
    record = read_file(data, source.name, until_trouble=salvage, number=number)
    text = write_file(record, target.name)
    target.write_text(text, encoding="utf-8", newline="\n")
    return replace(record, remarks=(*record.remarks, *cuts(text)))


def _codec(codecs: Mapping[str, Codec], name: str) -> Codec:
    ending = PurePath(name).suffix.lower()
    if ending not in codecs:
        raise NotationError(f"{name}: the formats are {', '.join(codecs)}")
    return codecs[ending]


def _text(data: bytes) -> str:
    """UTF-16 (Notepad's "Unicode"), else UTF-8; older programs wrote the Windows code page."""
    # Programs of old end a text with Ctrl-Z.
    data = data if _wide(data) else data.rstrip(b"\x1a\0")
    for encoding in (_wide(data),) if _wide(data) else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _wide(data: bytes) -> str:
    """Which UTF-16 this is, by its mark or by the first two letters; "" where it is none."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[1:4:2] == b"\0\0":
        return "utf-16-le"
    return "utf-16-be" if data[:3:2] == b"\0\0" else ""


LONGEST_ID: Final = 20_000
"""Bytes of a file that are looked through for an id."""
POINTS_OF: Final = ("xgid", "ogid", "gnubgid", "positionid", "board")
"""What a single position can be printed as."""


_SHOWN: Final = re.compile(
    r"Position[ -]?ID\s{0,9}:?\s{0,9}([A-Za-z0-9+/]{14})(?![A-Za-z0-9+/])"
    r"(?:.{0,200}?Match[ -]?ID\s{0,9}:?\s{0,9}([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/]))?",
    re.IGNORECASE | re.DOTALL,
)
"""A position as gnubg and BGBlitz show it above or below its board."""


def read_id(text: str) -> Match | Position:
    """A match at one point from an XGID (alone, over several lines, or in the text that eXtreme
    Gammon copies), an OGID or gnubg's `position:match`, or a position from a Position ID alone;
    from a board as gnubg shows it by the ids beside it.

    Raises NotationError.
    """
    if "XGID=" in text.upper():
        return read_xgid(found_xgid(text))
    if looks_like_ogid(text):
        return read_ogid(text)
    if shown := _SHOWN.search(text):
        return read_match(shown[1], shown[2]) if shown[2] else read_position_id(shown[1])
    board, colon, match = text.removeprefix("GNUBGID ").partition(":")
    return read_match(board, match) if colon else read_position_id(board)


def _id_text(source: str) -> str:
    """What a word of the command line says, or the file says that it names."""
    # An XGID may be longer than a system lets a file's name be.
    if ":" in source or not Path(source).is_file():
        return source
    with Path(source).open("rb") as file:
        return _text(file.read(LONGEST_ID))


def write_id(found: Match | Position, form: str) -> str:
    """Raises NotationError for a form that needs more than there is."""
    if isinstance(found, Position):
        if form == "board":
            return draw_position(found.placement).rstrip()
        if form == "positionid":
            return write_position_id(found)
        raise NotationError(
            f"a Position ID says nothing of the match, so it cannot be written as {form}"
        )
    position = found.game.position
    forms: Mapping[str, Callable[[], str]] = {
        "xgid": lambda: write_xgid(found),
        "ogid": lambda: write_ogid(found),
        "gnubgid": lambda: f"{write_position_id(position)}:{write_match_id(found)}",
        "positionid": lambda: write_position_id(position),
        "board": lambda: draw_position(found.game.placement).rstrip(),
    }
    return forms[form]()


def main(words: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(
        prog="takhte convert",
        description=(
            f"Read a match file ({', '.join(READERS)}, .xg) and write it in another format. Or"
            " print the position of an id."
        ),
    )
    parser.add_argument(
        "source",
        metavar="IN",
        help="a match file; or an XGID, OGID, GNUBGID or Position ID, or a text file with one",
    )
    parser.add_argument(
        "target", metavar="OUT", help=f"a file, or for an id one of {', '.join(POINTS_OF)}"
    )
    parser.add_argument(
        "--salvage",
        action="store_true",
        help="keep what stands before the place where IN is wrong, and say where that is",
    )
    parser.add_argument(
        "--match",
        type=int,
        default=1,
        metavar="N",
        help="of several matches in one .mat or .sgf, which one (1)",
    )
    asked = parser.parse_args(words)
    try:
        if asked.target in POINTS_OF:
            print(write_id(read_id(_id_text(asked.source)), asked.target))
            return 0
        record = convert(
            Path(asked.source), Path(asked.target), salvage=asked.salvage, number=asked.match
        )
    except NotationError as error:
        print(f"takhte convert: {asked.source}: {error}", file=sys.stderr)
        return 1
    except (OSError, UnicodeError) as error:
        print(f"takhte convert: {error}", file=sys.stderr)
        return 1
    score = record.final().score
    print(f"{asked.target}: {len(record.actions)} actions, score {score.white} : {score.black}")
    for remark in record.remarks:
        print(f"  {remark}")
    return 0
