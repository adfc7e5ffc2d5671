"""Speed and agreement of the play generator, in one run on the same positions."""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rules.board import Side
from rules.dice import Roll
from rules.game import Played
from rules.infraction import Infraction
from rules.judge import judge
from rules.notation.convert import read_file
from rules.play import plays
from rules.position import Position, View
from rules.ruleset import ruleset

DATA = Path(__file__).parents[1] / "data/matches"


@dataclass(frozen=True)
class Size:
    """Positions whose plays are generated, rounds of it, positions compared with gnubg's, and the
    folder of match files that is replayed.
    """

    positions: int = 2_000
    rounds: int = 5
    compared: int = 100_000
    matches: str = str(DATA)


SMALLEST: Final = Size(positions=20, rounds=1, compared=20)


def random_positions(
    seed: int, count: int, name: str = "backgammon"
) -> Iterator[tuple[Position, Roll]]:
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
    """A view as gnubg's two boards (opponent, mover): each side's own points 1-24, then the bar."""
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


def peer_results(view: View, roll: Roll) -> set[View]:
    """What gvformat's pure-Python generator lists, each play applied: it gives moves and not
    boards.
    """
    from gvformat.legality import legal_plays

    mine = [0, *(max(n, 0) for n in view[:24]), view[24]]
    theirs = [0, *(max(-n, 0) for n in view[:24]), view[26]]
    listed, _ = legal_plays(mine, theirs, roll.high, roll.low)
    found = set()
    for play in listed:
        after = list(view)
        # Sorted from low to high; a checker that goes on must arrive before it leaves.
        for source, target in reversed(play):
            after[source - 1] -= 1
            if not target:
                after[25] += 1
            elif after[target - 1] == -1:
                after[target - 1] = 1
                after[26] += 1
            else:
                after[target - 1] += 1
        found.add(tuple(after))
    return found or {view}


def _bare_peer(view: View, roll: Roll) -> Iterable[object]:
    from gvformat.legality import legal_plays

    mine = [0, *(max(n, 0) for n in view[:24]), view[24]]
    theirs = [0, *(max(-n, 0) for n in view[:24]), view[26]]
    found: set[object] = legal_plays(mine, theirs, roll.high, roll.low)[0]
    return found


def _bare_gnubg(view: View, roll: Roll) -> Iterable[object]:
    import gnubg_nn

    found: tuple[object, ...] = gnubg_nn.moves(as_gnubg(view), roll.high, roll.low)
    return found


OURS = "rules.plays(position, roll).views()"
GENERATORS: dict[str, Callable[[Position, Roll], Iterable[object]]] = {
    OURS: lambda p, r: plays(p, r).views(),
    "gvformat.legality.legal_plays": lambda p, r: peer_results(p.view, r),
    "gnubg_nn.moves, decoded": lambda p, r: gnubg_results(p.view, r),
    "  (legal_plays, moves not applied)": lambda p, r: _bare_peer(p.view, r),
    "  (gnubg_nn.moves, keys not decoded)": lambda p, r: _bare_gnubg(p.view, r),
}


def speed(positions: int, rounds: int) -> None:
    """Calls a second on the same positions, the generators in turn, the best of several rounds;
    every call iterated.

    Processor time, since other work on the machine would blur the wall's.
    """
    cases = list(random_positions(1, positions))
    best: dict[str, float] = {}
    results: dict[str, int] = {}
    here = {
        name: generate
        for name, generate in GENERATORS.items()
        if all(installed(m) for m in ("gvformat", "gnubg_nn") if needs(name, m))
    }
    for name in GENERATORS.keys() - here.keys():
        print(f"  {name.strip()}: not run, it is not installed here")
    for _ in range(rounds):
        for name, generate in here.items():
            began = time.process_time()
            results[name] = sum(1 for p, r in cases for _ in generate(p, r))
            best[name] = max(best.get(name, 0.0), len(cases) / (time.process_time() - began))
    for name, calls in best.items():
        a_second, times = calls * results[name] / positions, best[OURS] / calls
        print(
            f"  {name:40} {calls:>9,.0f} calls/s {a_second:>11,.0f} results/s   ours is"
            f" {times:4.1f} times"
        )
    if installed("gvformat"):
        same = sum(1 for p, r in cases if plays(p, r).results == peer_results(p.view, r))
        print(f"  gvformat agrees on {same:,} of {positions:,} positions")


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def needs(name: str, module: str) -> bool:
    """Whether a generator of the table is that module's."""
    return {"gvformat": "legal_plays" in name, "gnubg_nn": "gnubg_nn" in name}[module]


def agreement(count: int) -> int:
    """Positions of random games where gnubg's results are not ours."""
    wrong = 0
    for position, roll in random_positions(2, count):
        if plays(position, roll).results != gnubg_results(position.view, roll):
            wrong += 1
            print(f"  differs: {position.view} {roll}")
    return wrong


def real_matches(folder: Path) -> None:
    """Every play of the match files in a folder, legal or named."""
    counted = illegal = 0
    files = sorted(p for p in folder.iterdir() if p.suffix in (".mat", ".sgf"))
    for path in files:
        for before, action, _ in read_file(path.read_bytes(), path.name).replay():
            if isinstance(action, Played):
                counted += 1
                if action.stands:
                    illegal += 1
                    verdict = judge(before.game.position, before.game.roll, action.after)
                    print(
                        f"  {path.name}, game {before.game.number}:"
                        f" {verdict.why() if isinstance(verdict, Infraction) else verdict}"
                    )
    print(f"  {len(files)} match files, {counted} plays, {illegal} illegal")


def main(size: Size) -> None:
    speed(size.positions, size.rounds)
    if installed("gnubg_nn"):
        count = size.compared
        print(f"  gnubg agrees on {count - agreement(count):,} of {count:,} positions")
    else:
        print("  agreement with gnubg: not run, gnubg-nn is for x86-64 only")
    real_matches(Path(size.matches))
