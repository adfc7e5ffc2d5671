"""What was seen in a film, without its pictures, kept beside the transcript: read again with a
person's corrections in seconds, with no film at hand.  (E)
"""

from __future__ import annotations

import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from rules.axes import RulesetError
from rules.board import Colour, Placement, Seating
from rules.dice import ROLLS
from rules.ruleset import Ruleset, ruleset
from service.film.cubes import AT, FACES, PLACES, CubeLie
from service.film.errors import FilmError
from service.film.unread import Unread
from service.reconcile.codes import CODES, SITES
from service.reconcile.reel import Still, Throw

KEPT: Final = "reading.npz"
_VERSION: Final = 3
_READS: Final = (1, 2, 3)
"""Without the cube and the length of the match, with them, and with the field as a place of the
cube."""
_ROWS: Final = {"logs": (SITES, CODES), "seen": (SITES,), "rolls": (len(ROLLS),)}
"""Shape of one row of each array that is computed with."""
_UNREADABLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
    ValueError,
    KeyError,
    TypeError,
    RulesetError,
)
"""What a file that is no reading of ours makes the unpacking raise."""
_MOST_BYTES: Final = 2_000_000_000
"""Unpacked, of all arrays together: a day of film is a tenth of it."""


@dataclass(frozen=True, slots=True, eq=False)
class FilmRead:
    """Everything that explaining a film needs. `given`: the start was said, not the ruleset's;
    `on_roll`: whose turn is first, None where either;
    `length`: points of the match, 0 a money session.
    """

    ruleset: Ruleset
    seating: Seating
    start: Placement
    given: bool
    on_roll: Colour | None
    stills: tuple[Still, ...]
    throws: tuple[Throw, ...]
    presses: tuple[float, ...] | None = None
    unread: tuple[Unread, ...] = ()
    cubes: tuple[CubeLie, ...] = ()
    length: int = 0


def keep(read: FilmRead, path: Path) -> None:
    """Nothing; what was seen is written to `path`."""
    head = {
        "version": _VERSION,
        "ruleset": read.ruleset.name,
        "seating": read.seating.to_json(),
        "white": list(read.start.white),
        "black": list(read.start.black),
        "given": read.given,
        "on_roll": None if read.on_roll is None else read.on_roll.value,
        "presses": None if read.presses is None else list(read.presses),
        "unread": [[u.began, u.ended, u.why] for u in read.unread],
        "length": read.length,
        "cubes": [[c.frame, c.at, c.until, c.shown, c.place, c.looks] for c in read.cubes],
    }
    np.savez_compressed(
        path,
        head=np.frombuffer(json.dumps(head).encode(), np.uint8),
        frames=np.array([s.frame for s in read.stills], np.int64),
        times=np.array([(s.at, s.until) for s in read.stills], np.float64),
        logs=np.array([s.logs for s in read.stills], np.float32),
        seen=np.array([s.seen for s in read.stills], np.bool_),
        throw_frames=np.array([t.frame for t in read.throws], np.int64),
        throws=np.array([(t.at, t.until, t.valid) for t in read.throws], np.float64),
        rolls=np.array([t.rolls for t in read.throws], np.float64),
    )


def load_kept(path: Path) -> FilmRead:
    """What was seen, as it was kept. Raises FilmError."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(part.file_size for part in packed.infolist())
        if size > _MOST_BYTES:
            raise FilmError(f"expected at most {_MOST_BYTES} bytes in {path.name}, it holds {size}")
        with np.load(path, allow_pickle=False) as data:
            head = json.loads(bytes(data["head"]).decode())
            if head["version"] not in _READS:
                raise FilmError(
                    f"{path.name} is of version {head['version']}, this program reads {_VERSION}:"
                    " read the film again"
                )
            for name, shape in _ROWS.items():
                if len(data[name]) and data[name].shape[1:] != shape:
                    raise ValueError(f"{name}: expected {shape} a row, got {data[name].shape[1:]}")
            stills = tuple(
                Still(int(frame), float(at), float(until), logs, seen)
                for frame, (at, until), logs, seen in zip(
                    data["frames"], data["times"], data["logs"], data["seen"], strict=True
                )
            )
            throws = tuple(
                Throw(int(frame), float(at), float(until), rolls, float(valid))
                for frame, (at, until, valid), rolls in zip(
                    data["throw_frames"], data["throws"], data["rolls"], strict=True
                )
            )
        return FilmRead(
            ruleset(head["ruleset"]),
            Seating.from_json(head["seating"]),
            Placement(tuple(head["white"]), tuple(head["black"])),
            bool(head["given"]),
            None if head["on_roll"] is None else Colour(head["on_roll"]),
            stills,
            throws,
            None if head["presses"] is None else tuple(head["presses"]),
            tuple(Unread(began, ended, why) for began, ended, why in head["unread"]),
            tuple(_lie(row) for row in head.get("cubes", ())),
            int(head.get("length", 0)),
        )
    except _UNREADABLE as error:
        if isinstance(error, FilmError):
            raise
        raise FilmError(
            f"expected what was seen in a film in {path.name}, and it cannot be read ({error}):"
            " read the film again"
        ) from error


def _lie(row: tuple[int, float, float, list[float], list[float], int]) -> CubeLie:
    """The cube as it lay, of its row. Raises ValueError."""
    frame, at, until, shown, place, looks = row
    if len(place) == len(AT):
        # Until version 3 a cube on the field was read as one in the middle.
        place = [*place, place[AT[None]]]
    if len(shown) != len(FACES) or len(place) != len(PLACES):
        raise ValueError(f"cubes: expected {len(FACES)} faces and {len(PLACES)} places, got {row}")
    return CubeLie(int(frame), float(at), float(until), tuple(shown), tuple(place), int(looks))
