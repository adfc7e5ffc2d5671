"""Films encoded anew: read at seven JPEG qualities, with noise and half a pixel's shift, beside the
film as it is. A play that comes out otherwise must be marked doubtful: a confidence that flips with
the compression is none.

`python -m tests.bench encodings films=/a/clip,/another` reads others than the demo's recording:
video files or folders of pictures that begin with the start position.
"""

from __future__ import annotations

import difflib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from rules.ruleset import ruleset
from service.film.frames import frames_of
from service.film.transcribe import transcribe
from service.film.written import SURE, Transcript
from vision.frame import Frame

CLIP: Final = Path("tests/data/clip0/frames.mkv")
TRUTH: Final = Path("tests/data/clip0/truth.json")
PACE: Final = 0.84
"""Seconds from picture to picture of the clip, which a table plays faster."""
NOISE: Final = 3.0
"""Of a sensor at night, brightness 0-255."""

Play = tuple[str, tuple[int, int], tuple[int, ...], tuple[int, ...]]
"""Side, dice, and what stands on White's and on Black's points."""


@dataclass(frozen=True)
class Size:
    """Which films (with commas between), and at which qualities they are encoded."""

    films: str = str(CLIP)
    qualities: str = "95,80,61,45,33,24,15"


SMALLEST: Final = Size(qualities="33")


def pictures_of(film: Path) -> Iterator[Frame]:
    """The frames of a film at the pace at which it was played."""
    for frame in frames_of(film):
        at = frame.number * PACE if film == CLIP else frame.seen_at
        yield Frame(frame.pixels, at, frame.number)


def encoded_anew(frames: Iterator[Frame], quality: int) -> Iterator[Frame]:
    """The frames with a sensor's noise, moved by half a pixel and encoded at this quality: the same
    each time.
    """
    rng = np.random.default_rng(quality)
    moved = np.array([[1, 0, 0.5], [0, 1, 0.5]])
    for frame in frames:
        height, width = frame.pixels.shape[:2]
        shifted = cv2.warpAffine(
            frame.pixels, moved, (width, height), borderMode=cv2.BORDER_REPLICATE
        )
        grain = rng.standard_normal(shifted.shape, np.float32) * NOISE
        noisy = (shifted + grain).clip(0, 255).astype(np.uint8)
        _, data = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, quality])
        pixels = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        yield Frame(pixels, frame.seen_at, frame.number)


def plays_of(found: Transcript) -> list[Play]:
    """What was read, turn by turn."""
    return [
        (
            read.turn.side.value,
            (read.turn.roll.high, read.turn.roll.low),
            read.turn.play.placement.white,
            read.turn.play.placement.black,
        )
        for read in found.turns
    ]


def true_plays() -> list[Play]:
    """The plays of the clip."""
    return [
        (
            turn["side"],
            (max(turn["roll"]), min(turn["roll"])),
            tuple(turn["placement"]["white"]),
            tuple(turn["placement"]["black"]),
        )
        for turn in json.loads(TRUTH.read_text())["turns"]
    ]


def otherwise(true: list[Play], found: Transcript) -> tuple[int, int, int]:
    """Of the plays that were read: how many are true, and of the rest how many are marked doubtful
    and how many are not.
    """
    said = plays_of(found)
    blocks = difflib.SequenceMatcher(None, true, said, autojunk=False).get_matching_blocks()
    same = {block.b + n for block in blocks for n in range(block.size)}
    rest = [read for n, read in enumerate(found.turns) if n not in same]
    doubtful = sum(read.confidence < SURE for read in rest)
    return len(same), doubtful, len(rest) - doubtful


def main(size: Size) -> None:
    rules, unmarked = ruleset("backgammon"), 0
    for film in (Path(name) for name in size.films.split(",")):
        began = time.process_time()
        as_it_is = transcribe(pictures_of(film), rules)
        true = true_plays() if film == CLIP else plays_of(as_it_is)
        for quality in (None, *(int(q) for q in size.qualities.split(","))):
            found = as_it_is
            if quality is not None:
                began = time.process_time()
                found = transcribe(encoded_anew(pictures_of(film), quality), rules)
            same, doubtful, sure = otherwise(true, found)
            unmarked += sure
            name = "as it is" if quality is None else f"at quality {quality}"
            print(
                f"{film.name} {name:14} {same} of {len(true)} plays the same, others: {doubtful}"
                f" marked doubtful, {sure} not; {time.process_time() - began:.1f} s",
                flush=True,
            )
    if unmarked:
        sys.exit(f"{unmarked} plays came out otherwise and are not marked doubtful")
