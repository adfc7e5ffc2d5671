"""`takhte tune`: what one table teaches in one evening, without training.  (E)

    takhte transcribe EVENING.mp4 --out FOLDER        # or transcript.json put right by a person
    takhte tune FOLDER --out tuned.json
    takhte read P.jpg --tuned tuned.json
    takhte run --camera 0 --tuned tuned.json

From the pictures of settled placements it takes the colours of the two sets as this camera sees
them, and how much surer than right the checker network is at this table.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from rules.board import Colour, Corner, Placement, Seating
from vision.arrays import F64, I64, Pixels
from vision.calibrate import BoardNotFound, find_board
from vision.canvas import canvas
from vision.checkers import CheckerReading, completed, point_kind, points_in_view
from vision.frame import Frame, PictureError, load_scaled
from vision.geometry import GeometryError
from vision.known import explains, geometric_counts
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.sets import Palette, palette_of
from vision.settings import DEFAULT

FEWEST: Final = 3
"""Settled placements below which nothing is learned."""
_SPREAD: Final = 0.25
"""How far tables differ in the logarithm of their temperature, before anything is seen."""
_LEAST: Final = 1e-6


class TuneError(ValueError):
    """What was given cannot be learned from; says what was expected."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was learned of one table: the colours of its sets, by how much the checker network's
    logits are divided more than usual (1 or more), and from how many placements.
    """

    palette: Palette
    temperature: float
    placements: int

    def to_json(self) -> str:
        """As a file's text."""
        found = {
            "format": "takhte-tuned/1",
            "light": self.palette.light,
            "dark": self.palette.dark,
            "temperature": self.temperature,
            "placements": self.placements,
        }
        return json.dumps(found, indent=1) + "\n"


def tuned_from(text: str) -> Tuned:
    """What `Tuned.to_json` wrote. Raises TuneError."""
    try:
        d = json.loads(text)
        light, dark = ((float(b), float(g), float(r)) for b, g, r in (d["light"], d["dark"]))
        found = Tuned(Palette(light, dark), float(d["temperature"]), int(d["placements"]))
        if d["format"] != "takhte-tuned/1" or not 1 <= found.temperature <= 10:
            raise ValueError("another format, or a temperature that is not 1 to 10")
        if not all(0 <= v <= 255 for v in (*light, *dark)):
            raise ValueError("a colour that is not 0 to 255")
    except (ValueError, KeyError, TypeError) as error:
        raise TuneError(
            f"expected what `takhte tune --out FILE` writes, and it cannot be read ({error})"
        ) from error
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Still:
    """A picture of the board at rest, straightened and read, with what stood there."""

    straight: Pixels
    reading: CheckerReading
    stood: Placement


def tune(
    pictures: Sequence[tuple[Pixels, Placement]], networks: Networks
) -> tuple[Tuned, tuple[int, int]]:
    """What the pictures of one table teach, and how many of their points the networks read wrongly
    as they are, of how many. White is the light set. Raises TuneError.
    """
    stills = [s for pixels, stood in pictures for s in _still(pixels, stood, networks)]
    if len(stills) < FEWEST:
        raise TuneError(
            f"expected {FEWEST} or more settled placements whose board is found, there are"
            f" {len(stills)} in {len(pictures)} pictures: show more of the evening"
        )
    seating = _seating(stills)
    counts = [geometric_counts(s.stood, seating) for s in stills]
    found = [palette_of(s.straight, s.reading, 0, c) for s, c in zip(stills, counts, strict=True)]
    seen = np.array([(p.light, p.dark) for p in found if p is not None])
    if not len(seen):
        raise TuneError("expected both sets to be seen, one of them is in no picture")
    (lb, lg, lr), (db, dg, dr) = np.median(seen, 0).tolist()
    rows = np.concatenate([s.reading.points for s in stills])
    kinds = np.array([point_kind(*c.get(p, (0, 0))) for c in counts for p in range(1, 25)])
    shown = np.concatenate([points_in_view(s.reading) for s in stills])
    rows, kinds = rows[shown], kinds[shown]
    wrong = int((rows.argmax(1) != kinds).sum())
    light = (round(lb, 1), round(lg, 1), round(lr, 1))
    dark = (round(db, 1), round(dg, 1), round(dr, 1))
    temperature = round(fitted_temperature(rows, kinds), 3)
    return Tuned(Palette(light, dark), temperature, len(stills)), (wrong, len(kinds))


def fitted_temperature(rows: F64, kinds: I64) -> float:
    """By how much more than usual the logits of these probabilities (N x 31) are to be divided, so
    that they are as sure as they are right. Never less than 1: what an evening settled was read by
    the same eyes, and is no reason to be surer.
    """
    logs = np.log(np.maximum(rows, _LEAST))

    def cost(temperature: float) -> float:
        cooled = logs / temperature
        likely = cooled[np.arange(len(kinds)), kinds] - np.logaddexp.reduce(cooled, 1)
        return -float(likely.sum()) + (math.log(temperature) / _SPREAD) ** 2 / 2

    choices = [math.pow(2.5, k / 23) for k in range(24)]
    return min(choices, key=cost)


def _still(pixels: Pixels, stood: Placement, networks: Networks) -> list[_Still]:
    """The picture read, in a list; none where its board is not found."""
    try:
        board = PreparedMap(find_board(Frame(pixels), networks, orientation=0))
    except (BoardNotFound, GeometryError):
        return []
    straight = canvas(pixels, board)
    reading = networks.checkers.read(straight, 0)
    numbers = networks.checkers.numbers
    whole = completed(reading, pixels, board, numbers, networks.piles, DEFAULT.checkers)
    return [_Still(straight, whole, stood)]


def _seating(stills: Sequence[_Still]) -> Seating:
    """Where White's home is in the pictures: one camera, one evening."""
    ways = [Seating(Colour.LIGHT, home) for home in Corner]
    fits = [sum(explains(s.reading, geometric_counts(s.stood, w)) for s in stills) for w in ways]
    best = int(np.argmax(fits))
    if fits[best] / len(stills) < DEFAULT.calibrate.unlike_known:
        raise TuneError(
            "the pictures do not show what the transcript says stood there: give the folder that"
            " `takhte transcribe --out` wrote, with its pictures"
        )
    return ways[best]


def settled(folder: Path) -> list[tuple[Path, Placement]]:
    """The pictures of a transcript's folder that show a placement beyond doubt. Raises
    TuneError.
    """
    path = folder / "transcript.json"
    try:
        rows = json.loads(path.read_text())["plays"]
        found = [
            (
                folder / "pictures" / f"{int(row['frame'])}.jpg",
                Placement(tuple(row["after"]["white"]), tuple(row["after"]["black"])),
            )
            for row in rows
            if not row["doubtful"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TuneError(
            f"expected a folder that `takhte transcribe --out` wrote, {path} cannot be read:"
            f" {error}"
        ) from error
    return [(picture, stood) for picture, stood in found if picture.exists()]


def main(arguments: Sequence[str] | None = None) -> int:
    """0 written, 1 there is too little to learn from, 2 asked wrongly."""
    p = argparse.ArgumentParser(
        "takhte tune", description="Learn the colours of one table from an evening's placements."
    )
    p.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of transcripts")
    p.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="for --tuned of `takhte read` and `takhte run`",
    )
    p.add_argument("--most", type=int, default=60, metavar="N", help="so many pictures are read")
    a = p.parse_args(arguments)
    try:
        known = [one for folder in a.folders for one in settled(folder)]
        chosen = known[:: max(1, -(-len(known) // max(1, a.most)))]
        pictures = [(load_scaled(path)[0], stood) for path, stood in chosen]
        found, (wrong, points) = tune(pictures, Networks())
    except (TuneError, PictureError) as error:
        print(f"takhte tune: {error}", file=sys.stderr)
        return 1
    a.out.write_text(found.to_json())
    print(
        f"{found.placements} placements, {wrong} of {points} points read otherwise; light"
        f" {_hex(found.palette.light)}, dark {_hex(found.palette.dark)}, temperature"
        f" {found.temperature:.2f}: {a.out}"
    )
    return 0


def _hex(bgr: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(v):02x}" for v in reversed(bgr))


if __name__ == "__main__":
    raise SystemExit(main())
