"""Random games by hand over the simulated board: enough of a game for the sensors (moves, hits,
bar, stacks, bearing off), without a rule book."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from rules.board import BAR, OFF, POINTS, Placement, Side

BACKGAMMON = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
NARDE = Placement.of({24: 15}, {12: 15})


@dataclass(frozen=True)
class Step:
    """One checker's journey; `hit`: the opponent's blot on the target goes to the bar first."""

    side: Side
    source: int
    target: int
    hit: bool


def random_turn(
    placement: Placement, side: Side, rng: random.Random, *, rotate: bool = False
) -> tuple[list[Step], Placement]:
    """Up to four random moves of a side. White moves 24 to 1; Black 1 to 24, or with `rotate`
    (narde) in White's direction from 12 round to 13."""
    dice = [rng.randint(1, 6), rng.randint(1, 6)]
    steps: list[Step] = []
    for die in dice * 2 if dice[0] == dice[1] else dice:
        options = [
            step
            for source in (*POINTS, BAR)
            if (step := _step(placement, side, source, die, rotate))
        ]
        if not options:
            continue
        step = rng.choice(options)
        if step.hit:
            placement = placement.moved(side.other, step.target, BAR)
        placement = placement.moved(side, step.source, step.target)
        steps.append(step)
    return steps, placement


def _step(placement: Placement, side: Side, source: int, die: int, rotate: bool) -> Step | None:
    own, other = placement.counts(side), placement.counts(side.other)
    if not own[source] or (own[BAR] and source != BAR):
        return None
    # The side's own numbering: 25 bar, 24 .. 1, 0 off.
    turned = side is Side.BLACK

    def mine(site: int) -> int:
        if site in (OFF, BAR) or not turned:
            return site
        return (site + 11) % 24 + 1 if rotate else 25 - site

    target = mine(source) - die
    if target <= 0:
        if any(own[site] and mine(site) > 6 for site in (*POINTS, BAR)):
            return None
        return Step(side, source, OFF, False)
    site = next(site for site in POINTS if mine(site) == target)
    if other[site] > (0 if rotate else 1):
        return None
    return Step(side, source, site, other[site] == 1)


def random_game(
    start: Placement, rng: random.Random, turns: int, *, rotate: bool = False
) -> Iterator[tuple[list[Step], Placement, Placement]]:
    """(steps, placement before, after) of each turn; begins anew when one side is off."""
    placement, side = start, Side.WHITE
    for _ in range(turns):
        before = placement
        steps, placement = random_turn(placement, side, rng, rotate=rotate)
        yield steps, before, placement
        side = side.other
        if 15 in (placement.white[OFF], placement.black[OFF]):
            return
