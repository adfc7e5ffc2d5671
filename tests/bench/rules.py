"""Speed and agreement of the play generator, in one run on the same positions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position, View
from rules.ruleset import ruleset

POSITIONS = 2_000


def random_positions(seed: int, count: int, name: str = "backgammon") -> Iterator[tuple[Position, Roll]]:
    """Positions of random games with the roll to be played, reachable all of them."""
    rng = random.Random(seed)
    rules = ruleset(name)
    position = Position.start(rules, Side.WHITE)
    turn = 0
    for _ in range(count):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        yield position, roll
        views = sorted(plays(position, roll).results)
        after = position.after(rng.choice(views), first_turn=turn == 0)
        turn += 1
        if after.is_over or turn > 400:
            after, turn = Position.start(rules, Side.WHITE), 0
        position = after


def as_gnubg(view: View) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A view as gnubg's two boards (opponent, mover): points 1-24 of each side's own, then the bar."""
    mine = (*(max(n, 0) for n in view[:24]), view[24])
    theirs = (*(max(-n, 0) for n in reversed(view[:24])), view[26])
    return theirs, mine


def from_gnubg(opponent: tuple[int, ...], mover: tuple[int, ...]) -> View:
    pts = tuple(m - o for m, o in zip(mover[:24], reversed(opponent[:24]), strict=True))
    return (*pts, mover[24], 15 - sum(mover), opponent[24], 15 - sum(opponent))


def gnubg_results(view: View, roll: Roll) -> set[View]:
    """What gnubg's own generator lists, decoded; the position itself for a forced pass."""
    import gnubg_nn

    keys = gnubg_nn.moves(as_gnubg(view), roll.high, roll.low)
    return {from_gnubg(*gnubg_nn.board_from_position_key(k)) for k in keys} or {view}


def timed(name: str, job: Callable[[], int], calls: int, floor: float = 0.0) -> float:
    best = min(_once(job) for _ in range(3))
    print(f"  {name:44} {calls / best[0]:>10,.0f} calls/s {best[1] / best[0]:>12,.0f} results/s")
    return calls / best[0]


def _once(job: Callable[[], int]) -> tuple[float, int]:
    began = time.perf_counter()
    results = job()
    return time.perf_counter() - began, results


def main() -> None:
    cases = list(random_positions(1, POSITIONS))
    timed("rules.plays(position, roll).results", lambda: sum(1 for p, r in cases for _ in plays(p, r).results), POSITIONS)


if __name__ == "__main__":
    main()
