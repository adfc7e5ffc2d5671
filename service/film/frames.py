"""Films on disk: a video file, or a folder of pictures with or without their times.  (E)

A folder may hold `clip.json` (or `times.json`): `{"frames": [{"image": "f0000.jpg", "t": 1.39},
...]}`, or a list of such rows. Without it the pictures are taken in order of name, so many seconds
apart.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2

from service.film.errors import FilmError
from vision.camera.sources import PICTURES, SourceError, bounded_picture, open_source
from vision.frame import Frame

INDEXES: Final = ("clip.json", "times.json")
MOST_ROWS: Final = 500_000


def frames_of(path: Path, every: float = 0.0, pace: float = 0.5) -> Iterator[Frame]:
    """The frames in order of time, none closer than `every` seconds to the one before.

    `pace`: seconds between pictures without times.
    """
    if not path.exists():
        raise FilmError(
            f"expected a video file or a folder of pictures, and {path} is not there: check the"
            " name"
        )
    last = -math.inf
    for frame in _frames_of_folder(path) if path.is_dir() else _frames_of_source(path, pace):
        if frame.seen_at >= last + every:
            last = frame.seen_at
            yield frame


def _frames_of_source(path: Path, pace: float) -> Iterator[Frame]:
    """The frames of a video, or of a folder of pictures so many seconds apart."""
    try:
        source = open_source(str(path), pace)
    except SourceError as error:
        raise FilmError(str(error)) from None
    number = 0
    try:
        while (got := source.read()) is not None:
            pixels, due = got
            yield Frame(pixels, due, number)
            number += 1
    except SourceError as error:
        raise FilmError(str(error)) from None
    finally:
        source.close()


def _frames_of_folder(folder: Path) -> Iterator[Frame]:
    """The frames of a folder, by its times where it has them."""
    index = next((folder / name for name in INDEXES if (folder / name).exists()), None)
    if index is None:
        if not any(p.suffix.lower() in PICTURES for p in folder.iterdir()):
            raise FilmError(
                f"expected pictures in {folder}, and there are none: give the folder that holds the"
                " frames"
            )
        yield from _frames_of_source(folder, 0.5)
        return
    for number, (name, at) in enumerate(_rows(index)):
        array = cv2.imread(str(folder / name))
        if array is None:
            continue
        try:
            yield Frame(bounded_picture(array), at, number)
        except SourceError as error:
            raise FilmError(f"{name}: {error}") from None


def _rows(index: Path) -> list[tuple[str, float]]:
    """(picture's name, seconds) in order of time."""
    try:
        data = json.loads(index.read_text())
    except (OSError, ValueError) as error:
        raise FilmError(f"expected JSON in {index.name}, and it cannot be read: {error}") from None
    found = data.get("frames", ()) if isinstance(data, dict) else data
    if not isinstance(found, list) or len(found) > MOST_ROWS:
        raise FilmError(f"expected a list of frames in {index.name}")
    rows: list[tuple[str, float]] = []
    for row in found:
        name, at = (row.get("image"), row.get("t")) if isinstance(row, dict) else (None, None)
        if (
            not isinstance(name, str)
            or Path(name).name != name
            or isinstance(at, bool)
            or not isinstance(at, int | float)
        ):
            raise FilmError(
                f"expected rows with image (a file's name) and t (seconds) in {index.name}, got"
                f" {str(row)[:60]}"
            )
        rows.append((name, float(at)))
    return sorted(rows, key=lambda r: r[1])
