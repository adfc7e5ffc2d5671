"""Random games on numbers alone: how sets of checkers come to stand, for judging which way round a
board lies.

Two sides move by dice towards their homes on the same side of the board (the one south, the other
north), or both the same way round as in nard; hits go to the bar. Not a rules engine: moves are
random and only roughly legal, which is all that a prior over positions needs.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.arrays import F32, I64

STARTS: tuple[tuple[dict[int, int], float], ...] = (
    ({24: 2, 13: 5, 8: 3, 6: 5}, 0.45),
    ({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}, 0.15),
    ({24: 15}, 0.12),
    ({24: 1, 23: 1, 22: 1}, 0.05),
)


def random_game(rng: np.random.Generator) -> tuple[I64, I64]:
    """(points 24 x (south, north) in south's numbering, bar of both) after some plies of a random
    game. South's home is points 1-6.
    """
    if rng.random() < 0.2:
        return _round_and_round(rng)
    weights = np.array([w for _, w in STARTS], np.float64)
    start = STARTS[int(np.searchsorted(np.cumsum(weights / weights.sum()), rng.random() * 0.999))][
        0
    ]
    own = np.zeros((2, 26), np.int64)
    for point, number in start.items():
        own[:, point] = number
    plies = int(rng.integers(0, (1, 12, 40, 90)[int(rng.integers(4))]))
    turn = int(rng.integers(2))
    for _ in range(plies):
        a, b = (int(d) for d in rng.integers(1, 7, 2))
        for die in [a] * 4 if a == b else [a, b]:
            _move(own, turn, die, rng, hits=True)
        turn = 1 - turn
    points = np.stack([own[0, 1:25], own[1, 24:0:-1]], 1)
    return points, own[:, 25].copy()


def _move(own: I64, turn: int, die: int, rng: np.random.Generator, *, hits: bool) -> None:
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
        if there >= 2 or (there and not hits):
            continue
        if there:
            own[1 - turn, 25 - target] -= 1
            own[1 - turn, 25] += 1
        own[turn, source] -= 1
        own[turn, target] += 1
        return


def _round_and_round(
    rng: np.random.Generator,
) -> tuple[I64, I64]:
    """Nard: both go the same way round; south's head is 24, north's is 12."""
    own = np.zeros((2, 26), np.int64)
    own[:, 24] = 15
    turn = int(rng.integers(2))
    for _ in range(int(rng.integers(0, 46))):
        a, b = (int(d) for d in rng.integers(1, 7, 2))
        heads = 2 if a == b else 1
        for die in [a] * 4 if a == b else [a, b]:
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
    north = np.array([own[1, (p + 11) % 24 + 1] for p in range(1, 25)])
    return np.stack([own[0, 1:25], north], 1), np.zeros(2, np.int64)


def bearing_off(rng: np.random.Generator) -> tuple[I64, I64]:
    """Both sides at home with some checkers gone."""
    points = np.zeros((24, 2), np.int64)
    for side in (0, 1):
        for p in rng.integers(0, 6, int(rng.integers(0, 16))):
            points[p if side == 0 else 23 - p, side] += 1
    return points, np.zeros(2, np.int64)


def anywhere(rng: np.random.Generator) -> tuple[I64, I64]:
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
    return points, np.zeros(2, np.int64)


SEATINGS: Final = (
    (False, False, 0.53),
    (False, True, 0.22),
    (True, False, 0.22),
    (True, True, 0.03),
)
"""(homes on the west side, light at the top, how often) of the four ways to sit at a board whose
east is on the right. Homes lie east where trays are, since checkers are borne off there; without
trays some houses, and a quarter of the rendered boards, have them west.
"""


def features(number: int, seed: int) -> tuple[F32, F32]:
    """`number` x 50 features (light on points 1-24, dark on 1-24, both bars; in fives) and whether
    east is on the right. Who sits where is no part of the question: a position that one seating
    shows and another shows turned by 180 degrees must leave the judge as unsure as they are equal.
    """
    rng = np.random.default_rng(seed)
    x, y = np.zeros((number, 50), np.float32), np.zeros(number, np.float32)
    for i in range(number):
        kind = rng.random()
        points, bar = (
            anywhere(rng) if kind < 0.12 else bearing_off(rng) if kind < 0.25 else random_game(rng)
        )
        west, swapped = SEATINGS[rng.choice(len(SEATINGS), p=[s[2] for s in SEATINGS])][:2]
        if west:
            points = points.reshape(2, 12, 2)[:, ::-1].reshape(24, 2)
        if swapped:
            points, bar = points[:, ::-1], bar[::-1]
        upright = rng.random() < 0.5
        if not upright:
            points = np.roll(points, 12, 0)
        x[i] = np.concatenate([points[:, 0], points[:, 1], bar]) / 5
        y[i] = upright
    return x, y
