"""The log of a recording: everything a table took in, a line each, and the header. Imports nothing
heavy: whoever only asks how long a recording is needs no pictures.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "takhte-recording"
VERSION: Final = 1
LONGEST_LINE: Final = 1 << 20
LARGEST_PICTURE: Final = 64 << 20


JsonObject = Mapping[str, Any]
"""Plain JSON as it came over the socket: kept and given again, never looked into here."""


class RecordingError(ValueError):
    """Not a recording that can be played: what was expected, what came, what to do next."""


@dataclass(frozen=True, slots=True)
class FrameTaken:
    """A picture the table began to read.

    `index` counts pictures in the video, `number` is the camera's own.
    """

    at: float
    index: int
    number: int
    seen_at: float
    start: int = -1
    size: int = 0


@dataclass(frozen=True, slots=True)
class FrameRead:
    """The moment at which what was read off the last picture entered the game."""

    at: float


@dataclass(frozen=True, slots=True)
class BytesTaken:
    """Bytes off the board's wire, as they came."""

    at: float
    data: bytes


@dataclass(frozen=True, slots=True)
class PressTaken:
    """A button that did not come over the board's wire: a panel on the Pi's pins, the page.

    `down_at` is table time.
    """

    at: float
    button: str
    down: bool
    down_at: float


@dataclass(frozen=True, slots=True)
class OrderTaken:
    """A person's order, as it came over the socket."""

    at: float
    order: str
    args: JsonObject
    by: JsonObject


@dataclass(frozen=True, slots=True)
class SourceTaken:
    """A camera or board that came or went."""

    at: float
    source: str
    ok: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TickTaken:
    """The clock's own beat.

    `wall` is set where the machine's date was set or jumped: unix seconds minus table time.
    """

    at: float
    wall: float | None = None


Taken = FrameTaken | FrameRead | BytesTaken | PressTaken | OrderTaken | SourceTaken | TickTaken


@dataclass(frozen=True, slots=True)
class Header:
    """What a recording is.

    `exact`: made by a table, with every tick and every moment of reading: replay gives the same
    entries byte for byte. False: made by a script; the player reads each picture at once and beats
    the clock itself. `declared`: what was told before the first picture (orders). `board`: the text
    of the board file that the bytes came through, empty for the reference board. `scheme`: the kind
    of board that they came from (`docs/boards.md`), empty for one with a microcontroller.
    `orientation`: which way up the camera was said to hang, -1 where nobody said. `tuned`: the text
    of what `takhte tune` had learned of the table, empty for nothing.
    """

    video: str = "frames.mjpeg"
    exact: bool = True
    made_by: str = "takhte"
    declared: tuple[JsonObject, ...] = ()
    board: str = ""
    seating: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    scheme: str = ""
    orientation: int = -1
    tuned: str = ""

    def to_json(self) -> str:
        """The text of `recording.json`: what came later than the format only where it says
        anything, so that an older takhte still plays the rest.
        """
        later = {"scheme": "", "orientation": -1, "tuned": ""}
        said = {k: getattr(self, k) for k in self.__dataclass_fields__}
        row = {k: v for k, v in said.items() if k not in later or v != later[k]}
        whole = {"format": FORMAT, "version": VERSION, **row}
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


class RecordedLog:
    """What a recording says was taken in and when, without its pictures.

    `problem` says in one line what its tail lost, None when it is whole.
    """

    def __init__(self, folder: Path) -> None:
        """Read the header and the log. Raises RecordingError when there is nothing to play."""
        self.folder = folder
        self.problem: str | None = None
        self.header = _read_header(folder)
        self.items = tuple(self._read_log(folder / "log.jsonl"))
        if not self.items:
            raise RecordingError(f"{folder}: the log is empty: nothing was recorded")

    @property
    def length(self) -> float:
        """Seconds from the start to the last thing taken."""
        return self.items[-1].at

    @property
    def frames(self) -> tuple[FrameTaken, ...]:
        """Every picture that was taken, in order."""
        return tuple(i for i in self.items if isinstance(i, FrameTaken))

    def _read_log(self, path: Path) -> Iterator[Taken]:
        last, number = 0.0, 0
        try:
            file = path.open("rb")
        except OSError as e:
            raise RecordingError(
                f"{path}: cannot be read ({e.strerror}); a recording is a folder with"
                " recording.json, log.jsonl, a video"
            ) from None
        with file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                try:
                    item = decode_taken(line)
                    if not line.endswith(b"\n") or item.at < last:
                        raise ValueError("cut off or out of order")
                except (ValueError, KeyError, TypeError) as e:
                    self.problem = f"{path}:{number}: {e or 'unreadable'}; played up to there"
                    return
                last = item.at
                yield item


def _read_header(folder: Path) -> Header:
    path = folder / "recording.json"
    try:
        text = path.read_bytes()[: LONGEST_LINE + 1]
        given = json.loads(text)
        if given["format"] != FORMAT:
            raise ValueError("another format")
    except OSError as e:
        raise RecordingError(
            f"{folder}: not a recording: no recording.json in it ({e.strerror}); give the folder"
            " that --record made"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RecordingError(
            f"{path}: not the header of a recording (expected format {FORMAT!r}); give the folder"
            " that --record made"
        ) from None
    if given.get("version") != VERSION:
        raise RecordingError(
            f"{path}: version {given.get('version')!r}, this takhte plays version {VERSION}; play"
            " it with the takhte that made it"
        )
    known = {k: given[k] for k in Header.__dataclass_fields__ if k in given}
    if Path(str(known.get("video", "x"))).name != known.get("video", "x"):
        raise RecordingError(
            f"{path}: the video must lie in the folder itself, got {known['video']!r}"
        )
    try:
        header = Header(**known | {"declared": tuple(known.get("declared", ()))})
        if not all(isinstance(d, Mapping) for d in header.declared):
            raise TypeError
        if not isinstance(header.tuned, str) or header.orientation not in (-1, 0, 180):
            raise TypeError
    except (TypeError, ValueError):
        raise RecordingError(
            f"{path}: the header has values of the wrong kind; make the recording again"
        ) from None
    return header


def encode_taken(item: Taken) -> bytes:
    """One line of the log. Times are written to the last bit."""
    row = {"at": item.at, **_fields(item)}
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _fields(item: Taken) -> JsonObject:
    """What a line says besides its time; the first key tells what was taken."""
    match item:
        case FrameTaken():
            row = {"frame": item.index, "number": item.number, "seen": item.seen_at}
            return row | ({"from": item.start, "size": item.size} if item.start >= 0 else {})
        case FrameRead():
            return {"read": True}
        case BytesTaken():
            return {"bytes": base64.b64encode(item.data).decode()}
        case PressTaken():
            return {"press": item.button, "down": item.down, "down_at": item.down_at}
        case OrderTaken():
            return {"order": item.order, "args": item.args, "by": item.by}
        case SourceTaken():
            return {"source": item.source, "ok": item.ok, "reason": item.reason}
        case TickTaken():
            return {"tick": item.wall}


def decode_taken(line: bytes) -> Taken:
    """The thing a line says was taken in.

    Raises ValueError, KeyError or TypeError on any other line.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError("a line longer than 1 MiB")
    row = json.loads(line)
    at = _number(row["at"])
    if "frame" in row:
        index, number, start, size = (
            int(row.get(k, d)) for k, d in (("frame", 0), ("number", 0), ("from", -1), ("size", 0))
        )
        if index < 0 or size > LARGEST_PICTURE:
            raise ValueError("a picture that cannot be")
        return FrameTaken(at, index, number, _number(row["seen"]), start, size)
    if "read" in row:
        return FrameRead(at)
    if "bytes" in row:
        return BytesTaken(at, base64.b64decode(row["bytes"], validate=True))
    if "press" in row:
        return PressTaken(at, str(row["press"]), bool(row["down"]), _number(row["down_at"]))
    if "order" in row:
        return OrderTaken(at, str(row["order"]), dict(row["args"]), dict(row["by"]))
    if "source" in row:
        return SourceTaken(at, str(row["source"]), bool(row["ok"]), str(row["reason"]))
    return TickTaken(at, None if row["tick"] is None else _number(row["tick"]))


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("a time that is no number")
    return float(value)
