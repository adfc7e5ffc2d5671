"""The report's bar: error rates beside gnubg's own analysis of the same file, and another engine's
beside gnubg's, match by match. What was judged is kept, so a run that was stopped goes on.

    python -m tests.service.report.engine_bar FOLDER [count=30] [pick=spread] [keep=FOLDER]
                                                     [part=1/2]

`part=1/2` and `part=2/2` share the matches between two processes with one `keep`; a run without
`part` then says the whole, in seconds. `spread` takes matches of every length, from the shortest to
the longest of the folder; `shortest` the shortest, which is quick, but in which a side has some
twenty decisions: then engines that differ by 0.04 over the whole match differ by 1.0 in its error
rate.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rules.board import Side
from rules.notation.convert import read_file
from service.report.decisions import questions_of_match
from service.report.engine import Engine
from service.report.figures import BLUNDER, Costed, figures
from service.report.gnubg_engine import GnubgEngine
from service.report.kept import Kept
from service.report.sage_engine import SageEngine
from tests.service.report.gnubgs_own import gnubgs_own

PLIES = 2
WORST = 3
ONE_POINT, A_TENTH = 1.0, 0.1
PATIENCE_S = 3600.0
"""How long gnubg may take over some positions: a bar runs beside whatever else the machine does."""


@dataclass(frozen=True)
class Rated:
    """What one engine says of one match: error rates White, Black, and its three worst decisions,
    the dearest first, with how many of them are blunders.
    """

    pr: list[float]
    worst: tuple[str, ...] = ()
    blunders: int = 0
    split: tuple[tuple[int, float, float], ...] = ()
    """A side's count of decisions, and what was lost in equity by plays and by the cube."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """What each decision cost, by what it is called."""


def rated(path: Path, engine: Engine) -> Rated:
    asked = questions_of_match(read_file(path.read_bytes(), path.name))
    found = figures(asked, engine.judge(asked.questions(), lambda done, count: None))
    dearest = sorted(found.weighed, key=lambda w: -w.cost)[:WORST]
    named = map(_named, dearest)
    each = [found.sides[side] for side in Side]
    split = tuple((one.plays + one.cubes, one.play_cost, one.cube_cost) for one in each)
    blunders = sum(weighed.cost >= BLUNDER for weighed in dearest)
    costs = {_named(weighed): weighed.cost for weighed in found.weighed}
    return Rated([one.pr or 0.0 for one in each], tuple(named), blunders, split, costs)


def _named(weighed: Costed) -> str:
    one = weighed.decision
    return f"{one.game}, {one.turn}, {one.side.value}, {one.choice.value}"


def own(path: Path, kept: Path) -> Rated:
    """gnubg's own figures, kept beside the answers."""
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            said = gnubgs_own(read_file(path.read_bytes(), path.name), Path(folder), PLIES)
        kept.write_text(json.dumps([-rate / 2 for rate in said["rate"]]))
    return Rated(json.loads(kept.read_text()))


def where(one: Rated, other: Rated) -> str:
    """What makes two engines differ, of the side where they are furthest apart."""
    pairs = zip(one.pr, other.pr, one.split, other.split, Side, strict=True)
    _, _, (count, plays, cubes), (others, their_plays, their_cubes), side = max(
        pairs, key=lambda pair: abs(pair[0] - pair[1])
    )
    named = f", {side.value}, "
    apart = {
        name: other.costs.get(name, 0.0) - cost for name, cost in one.costs.items() if named in name
    }
    most = max(apart, key=lambda name: abs(apart[name]))
    return (
        f"    {count} and {others} decisions; plays lost {plays:.3f} and {their_plays:.3f}, cubes"
        f" {cubes:.3f} and {their_cubes:.3f}; most by {most}: {one.costs[most]:.3f} and"
        f" {other.costs.get(most, 0.0):.3f}"
    )


def main(argv: list[str]) -> int:
    """0 where both bars are reached."""
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    (folder,) = [Path(word) for word in argv if "=" not in word]
    keep = Path(given.get("keep", "build/engine-bar"))
    keep.mkdir(parents=True, exist_ok=True)
    paths = picked(folder, int(given.get("count", "30")), given.get("pick", "spread"))
    part, parts = map(int, given.get("part", "1/1").split("/"))
    paths = paths[part - 1 :: parts]
    judged = keep / "judged.sqlite3"
    near = tenth = same = alike = 0
    for path in paths:
        began = time.monotonic()
        theirs = own(path, keep / f"{path.stem}.own.json")
        ours = rated(path, Kept(GnubgEngine(PLIES, 1, PATIENCE_S), judged))
        other = rated(path, Kept(SageEngine(1), judged))
        tenth += furthest(theirs, ours) <= A_TENTH
        near += furthest(theirs, other) <= ONE_POINT
        # The third worst of a match with one blunder is a trifle, and any of many.
        blunders = ours.blunders
        same += set(ours.worst[:blunders]) == set(other.worst[:blunders])
        alike += set(ours.worst) == set(other.worst)
        print(
            f"{path.stem[:40]:40} gnubg {furthest(theirs, ours):.2f} off, the other"
            f" {furthest(theirs, other):.2f} off; of {blunders} worst blunders"
            f" {len(set(ours.worst[:blunders]) & set(other.worst[:blunders]))} the same, of"
            f" {len(ours.worst)} worst decisions {len(set(ours.worst) & set(other.worst))};"
            f" {time.monotonic() - began:.0f} s",
            flush=True,
        )
        if furthest(theirs, other) > ONE_POINT:
            print(where(ours, other), flush=True)
    count = len(paths)
    print(
        f"{count} matches: gnubg within 0.1 in {tenth}; the other within 1.0 in {near}, the same"
        f" worst blunders (three at most) in {same}, the same three worst decisions in {alike}"
    )
    return 0 if tenth == count and near >= 0.9 * count and same >= 2 / 3 * count else 1


def picked(folder: Path, count: int, pick: str) -> list[Path]:
    """So many of a folder's matches, the shortest first."""
    found = sorted(folder.glob("*.mat"), key=lambda path: path.stat().st_size)
    if pick == "shortest" or len(found) <= count:
        return found[:count]
    return [found[number * (len(found) - 1) // max(1, count - 1)] for number in range(count)]


def furthest(one: Rated, other: Rated) -> float:
    """How far apart two engines' error rates are, of the side where they are furthest."""
    return max(abs(a - b) for a, b in zip(one.pr, other.pr, strict=True))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
