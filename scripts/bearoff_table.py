"""Writes `rules/data/bearoff.bin`: the mean number of rolls that each home board needs to bear off,
played to need the fewest. Some ten seconds.

    python scripts/bearoff_table.py
"""

from __future__ import annotations

import itertools
import zlib
from array import array
from pathlib import Path

from rules.race import HOME_POINTS, TABLE_STEPS, bearoff_index, one_die_home

MOST = 15
TARGET = Path(__file__).parents[1] / "rules" / "data" / "bearoff.bin"
Home = tuple[int, ...]


def every_home() -> list[Home]:
    """All ways to have 0 to 15 checkers on six points, those with fewer pips first."""
    ways = (
        tuple(b - a - 1 for a, b in itertools.pairwise((-1, *bars)))
        for bars in itertools.combinations(range(MOST + HOME_POINTS), HOME_POINTS)
    )
    return sorted(ways, key=lambda home: sum(p * n for p, n in enumerate(home, start=1)))


def mean_rolls() -> dict[Home, float]:
    """The average number of rolls of each home board."""
    rolls: dict[Home, float] = {}
    # best[d][k][home]: the rolls still needed after k more dice of d, played at their best.
    best: dict[int, list[dict[Home, float]]] = {d: [{} for _ in range(4)] for d in range(1, 7)}
    for home in every_home():
        if not any(home):
            rolls[home] = 0.0
            for d in range(1, 7):
                for k in range(4):
                    best[d][k][home] = 0.0
            continue
        after = {d: one_die_home(home, d) for d in range(1, 7)}
        total = 0.0
        for d in range(1, 7):
            for k in range(3):
                nearer = rolls if k == 0 else best[d][k - 1]
                best[d][k][home] = min(nearer[h] for h in after[d])
            total += min(best[d][2][h] for h in after[d])
        for a, b in itertools.combinations(range(1, 7), 2):
            total += 2 * min(
                min(best[b][0][h] for h in after[a]), min(best[a][0][h] for h in after[b])
            )
        rolls[home] = 1 + total / 36
    return rolls


def main() -> None:
    found = mean_rolls()
    table = array("H", bytes(2 * len(found)))
    for home, rolls in found.items():
        table[bearoff_index(home)] = round(rolls * TABLE_STEPS)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(zlib.compress(table.tobytes(), 9))
    print(f"{TARGET}: {len(table)} boards, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
