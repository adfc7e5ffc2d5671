"""A change of the board as moves of the mover's checkers, for formats that write moves and not
boards.

A legal play has its moves. A play that was illegal and stood is said with steps as the dice would
have made them where that can be, since gnubg drops a step that no die makes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from rules.board import BAR, OFF, Placement
from rules.dice import Roll
from rules.move import Move
from rules.position import Position, movers_counts

MOST_STEPS = 4


@dataclass(frozen=True)
class Change:
    """(source, target) of each checker that changed place, and the points where a blot was hit, all
    in the mover's numbering.
    """

    pairs: tuple[tuple[int, int], ...]
    hits: frozenset[int]


def change_of(position: Position, after: Placement) -> Change | None:
    """What the mover's checkers did; None where other things happened: an opposing checker moved,
    one lost, both sides on a point.
    """
    before, their_before = movers_counts(position.placement, position.ruleset.facing, position.side)
    now, theirs = movers_counts(after, position.ruleset.facing, position.side)
    if sum(now) != sum(before) or min(now) < 0 or any(now[p] and theirs[p] for p in range(1, 25)):
        return None
    hits = frozenset(p for p in range(1, 25) if theirs[p] != their_before[p])
    if any(their_before[p] != 1 or theirs[p] or not now[p] for p in hits):
        return None
    if theirs[BAR] != their_before[BAR] + len(hits) or theirs[OFF] != their_before[OFF]:
        return None
    left = [s for s in range(BAR, -1, -1) for _ in range(max(before[s] - now[s], 0))]
    came = [s for s in range(BAR, -1, -1) for _ in range(max(now[s] - before[s], 0))]
    return Change(tuple(zip(left, came, strict=True)), hits)


def as_dice_steps(position: Position, change: Change, roll: Roll) -> tuple[Move, ...] | None:
    """The change as at most four steps of the roll's numbers, no step landing where an opposing
    checker stands but to hit as it was hit.

    None where there is no such way.
    """
    view = position.view
    dice = sorted({roll.high, roll.low}, reverse=True)
    for ways in itertools.islice(
        itertools.product(*(_ways(view, pair, dice, change.hits) for pair in change.pairs)), 5_000
    ):
        steps = [step for way in ways for step in way]
        if len(steps) <= MOST_STEPS and change.hits <= {target for _, target in steps}:
            return tuple(Move(s, t, t in change.hits) for s, t in steps)
    return None


def bridge_of(position: Position, change: Change) -> tuple[tuple[int, Move], ...] | None:
    """The change as any number of steps by any dice, (die, move) each; None where a checker went
    backwards or would hit on its way.
    """
    found: list[tuple[int, Move]] = []
    for pair in change.pairs:
        way = next(
            (
                w
                for most in range(1, 9)
                for w in _ways(position.view, pair, [6, 5, 4, 3, 2, 1], change.hits, most)
            ),
            None,
        )
        if way is None:
            return None
        found.extend((s - t, Move(s, t, t in change.hits)) for s, t in way)
    return tuple(found) if change.hits <= {move.target for _, move in found} else None


def _ways(
    view: tuple[int, ...],
    pair: tuple[int, int],
    dice: list[int],
    hits: frozenset[int],
    most: int = MOST_STEPS,
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every way from source to target by these dice, longer steps first."""
    source, target = pair
    if source == target:
        yield ()
        return
    if most == 0 or source < target:
        return
    for die in dice:
        stop = max(source - die, OFF)
        if stop < target or (stop and view[stop - 1] < 0 and stop not in hits):
            continue
        for rest in _ways(view, (stop, target), dice, hits, most - 1):
            yield ((source, stop), *rest)
