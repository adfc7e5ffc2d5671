"""Dice on painted boards that no network was taught with: found, read and called odd, each die
counted, by their true maps.

`python -m tests.bench painted_dice first=1300 boards=30` is the full size; `oblique=1`: boards seen
from a player's side.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from rules.board import Side
from rules.observation import DieReading, DieStatus
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.tuning import DEFAULT
from tests.bench.match_film import Filming
from vision.dice.dice import find_dice, look_for_dice
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.train.film import PaintedBoard

NETWORKS: Final = Networks()
NEAR: Final = 0.6
"""So many edges from a die's middle its reading lies at the most."""
SURE: Final = 0.99


@dataclass(frozen=True)
class Size:
    """The first board's seed, how many boards and throws of two dice on each."""

    first: int = 1300
    boards: int = 30
    throws: int = 10
    oblique: int = 0


SMALLEST: Final = Size(boards=2, throws=3)


def main(size: Size) -> None:
    """Prints how many dice are found and read rightly, and what else is said."""
    counted: Counter[str] = Counter()
    for seed in range(size.first, size.first + size.boards):
        counted += on_board(seed, size)
    print(
        f"{counted['dice']} dice: {counted['dice'] - counted['found']} not found,"
        f" {counted['right']} right, {counted['odd']} called odd ({counted['aloud']} so surely"
        f" that a table says it); {counted['sure wrong']} of {counted['sure']} said with {SURE}"
        f" wrong; {counted['false']} false"
    )


def on_board(seed: int, size: Size) -> Counter[str]:
    """What becomes of the dice of some throws beside the start position."""
    rng, board = random.Random(seed), PaintedBoard.of(seed, oblique=bool(size.oblique))
    filming, prepared = Filming(9, rng), PreparedMap(board.board)
    start = Position.start(ruleset("backgammon"), Side.WHITE).placement
    counted: Counter[str] = Counter()
    for number in range(size.throws):
        low, high = sorted((rng.randint(1, 6), rng.randint(1, 6)))
        shot = filming.shot(start, 1.0, dice=(high, low), east=rng.random() < 0.5)
        pixels = board.shoot(shot, 101 + 2 * number).pixels
        things = look_for_dice(pixels, prepared, NETWORKS.dice_finder, NETWORKS.dice_reader)
        left = list(find_dice(things, board.board))
        for value, pose in board.thrown(shot):
            counted += judged(value, left, *_seen(board, pose.centre))
        counted["false"] += len(left)
    return counted


def judged(
    value: int, left: list[DieReading], at: tuple[float, float], edge: float
) -> Counter[str]:
    """What became of one die at a pixel, so many pixels large; its reading is taken from `left`."""
    near = [one for one in left if one.pixel and math.dist(one.pixel, at) < NEAR * edge]
    if not near:
        return Counter(dice=1)
    one = min(near, key=lambda each: math.dist(each.pixel or (0, 0), at))
    left.remove(one)
    right, sure = 1 + int(np.argmax(one.values)) == value, max(one.values) >= SURE
    lies = max(one.status, key=lambda way: one.status[way])
    odd = lies is not DieStatus.FLAT
    aloud = odd and one.status[lies] >= DEFAULT.roll_read
    said = {
        "right": right,
        "odd": odd,
        "aloud": aloud,
        "sure": sure,
        "sure wrong": sure and not right,
    }
    return Counter({"dice": 1, "found": 1, **{name: int(so) for name, so in said.items()}})


def _seen(
    board: PaintedBoard, centre: tuple[float, float, float]
) -> tuple[tuple[float, float], float]:
    """A die's pixel, and its edge in pixels as at the middle of the board."""
    at, west, east = board.board.project([centre, (-0.5, 0, 0), (0.5, 0, 0)])
    edge = board.die.edge * float(np.linalg.norm(east - west))
    return (float(at[0]), float(at[1])), edge
