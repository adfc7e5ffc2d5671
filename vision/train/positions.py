"""Random games on numbers alone: how sets of checkers come to stand, for judging which way round a
board lies.

Two sides move by dice towards their homes on the same side of the board (the one south, the other
north), or both the same way round as in nard; hits go to the bar. Not a rules engine: moves are
random and only roughly legal, which is all that a prior over positions needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from vision.arrays import F32, I64
from vision.orientation import HALF_TURN

STARTS: Final[tuple[tuple[dict[int, int], float, int], ...]] = (
    ({24: 2, 13: 5, 8: 3, 6: 5}, 0.56, 100),
    ({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}, 0.17, 100),
    ({24: 15}, 0.14, 100),
    ({24: 1, 23: 1, 22: 1}, 0.13, 14),
)
"""What each side begins with in its own numbering, how often, and how many plies a game has."""
NARD: Final = 45
"""Plies of a game of nard."""
_FLIPPED: Final = np.r_[np.arange(24, 48)[::-1], np.arange(24)[::-1], 49, 48]
_ROUND: Final = np.r_[HALF_TURN[24:48], HALF_TURN[:24], 49, 48]


def positions(number: int, seed: int) -> F32:
    """`number` x 50: light on points 1-24, dark on 1-24, both bars, as they come to stand where
    light sits south and has its home east, each set as often the one that began.
    """
    rng = np.random.default_rng(seed)
    found: list[I64] = []
    while len(found) < number:
        kind = rng.random()
        if kind < 0.1:
            found.append(_joined(bearing_off(rng), np.zeros(2, np.int64)))
        elif kind < 0.25:
            found.append(_joined(anywhere(rng), np.zeros(2, np.int64)))
        elif kind < 0.45:
            found += [x[_ROUND] if rng.random() < 0.5 else x for x in _nard(rng)]
        else:
            found += [x[_FLIPPED] if rng.random() < 0.5 else x for x in _game(rng)]
    return np.array(found[:number], np.float32)


def _joined(points: I64, bar: I64) -> I64:
    """Fifty numbers of points (24 x light, dark) and the bar."""
    return np.concatenate([points[:, 0], points[:, 1], bar])


def _game(rng: np.random.Generator) -> Iterator[I64]:
    """Some positions of one random game, light the south side; early ones most."""
    start, _, most = STARTS[rng.choice(len(STARTS), p=[often for _, often, _ in STARTS])]
    own = np.zeros((2, 26), np.int64)
    for point, checkers in start.items():
        own[:, point] = checkers
    turn = int(rng.integers(2))
    shown = {int(rng.integers(min(40, most))), int(rng.integers(min(40, most)))}
    shown |= {int(rng.integers(most))} | ({0} if rng.random() < 0.3 else set())
    for ply in range(max(shown) + 1):
        if ply in shown:
            yield _joined(np.stack([own[0, 1:25], own[1, 24:0:-1]], 1), own[:, 25])
        for die in _throw(rng):
            _move(own, turn, die, rng)
        turn = 1 - turn


def _throw(rng: np.random.Generator) -> list[int]:
    """Dice, a double four times."""
    a, b = (int(d) for d in rng.integers(1, 7, 2))
    return [a] * 4 if a == b else [a, b]


def _move(own: I64, turn: int, die: int, rng: np.random.Generator) -> None:
    """One checker of `turn`, each side counting its own points down to its home; 25 is the bar."""
    sources = [25] if own[turn, 25] else [int(p) for p in np.flatnonzero(own[turn, 1:25]) + 1]
    home = not own[turn, 7:].any()
    rng.shuffle(sources)
    for source in sources:
        target = source - die
        if target <= 0:
            if home and (target == 0 or not own[turn, source + 1 : 7].any()):
                own[turn, source] -= 1
                return
            continue
        there = own[1 - turn, 25 - target]
        if there >= 2:
            continue
        if there:
            own[1 - turn, 25 - target] -= 1
            own[1 - turn, 25] += 1
        own[turn, source] -= 1
        own[turn, target] += 1
        return


def _nard(rng: np.random.Generator) -> Iterator[I64]:
    """Some positions of one game in which both go the same way round: light's head is 24, dark's is
    12.
    """
    own = np.zeros((2, 26), np.int64)
    own[:, 24] = 15
    turn = int(rng.integers(2))
    shown = {int(ply) for ply in rng.integers(0, NARD + 1, 3)}
    for ply in range(max(shown) + 1):
        if ply in shown:
            north = own[1, (np.arange(1, 25) + 11) % 24 + 1]
            yield _joined(np.stack([own[0, 1:25], north], 1), np.zeros(2, np.int64))
        dice = _throw(rng)
        heads = 2 if len(dice) == 4 else 1
        for die in dice:
            sources = [int(p) for p in np.flatnonzero(own[turn, 1:25]) + 1 if p != 24 or heads]
            rng.shuffle(sources)
            home = not own[turn, 7:].any()
            for source in sources:
                target = source - die
                if (target > 0 and not own[1 - turn, (target + 11) % 24 + 1]) or (
                    target <= 0 and home
                ):
                    own[turn, source] -= 1
                    heads -= source == 24
                    if target > 0:
                        own[turn, target] += 1
                    break
        turn = 1 - turn


def bearing_off(rng: np.random.Generator) -> I64:
    """Both sides at home with some checkers gone: points 24 x (light, dark)."""
    points = np.zeros((24, 2), np.int64)
    for side in (0, 1):
        for p in rng.integers(0, 6, int(rng.integers(0, 16))):
            points[p if side == 0 else 23 - p, side] += 1
    return points


def anywhere(rng: np.random.Generator) -> I64:
    """Piles set up without sense: what tells nothing must leave the judge unsure."""
    points = np.zeros((24, 2), np.int64)
    free = list(rng.permutation(24))
    high = int(rng.choice([2, 6, 15]))
    for side in (0, 1):
        left = 15 if rng.random() < 0.7 else int(rng.integers(0, 16))
        while left > 0 and free:
            pile = min(left, int(rng.integers(1, high + 1)))
            points[free.pop(), side] = pile
            left -= pile
    return points
