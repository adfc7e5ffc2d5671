"""The report's bar: error rates beside gnubg's own analysis of the same file, and another engine's
beside gnubg's, match by match. What was judged is kept, so a run that was stopped goes on.

    python -m tests.service.report.engine_bar FOLDER [count=30] [keep=build/engine-bar]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rules.board import Side
from rules.notation.convert import read_file
from service.report.decisions import questions_of_match
from service.report.engine import Engine
from service.report.figures import figures
from service.report.gnubg_engine import GnubgEngine
from service.report.sage_engine import SageEngine
from tests.service.report.gnubgs_own import gnubgs_own

PLIES = 2
WORST = 3
ONE_POINT, A_TENTH = 1.0, 0.1


@dataclass(frozen=True)
class Rated:
    """What one engine says of one match: error rates White, Black; what was decided, with its cost;
    how long it took, s.
    """

    pr: list[float | None]
    costs: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def worst(self) -> set[str]:
        return set(sorted(self.costs, key=lambda name: -self.costs[name])[:WORST])


def rated(path: Path, engine: Engine) -> Rated:
    began = time.monotonic()
    asked = questions_of_match(read_file(path.read_bytes(), path.name))
    found = figures(asked, engine.judge(asked.questions(), lambda done, count: None))
    costs = {
        f"game {w.decision.game}, turn {w.decision.turn}, {w.decision.side.value},"
        f" {w.decision.choice.value}": round(w.cost, 4)
        for w in found.weighed
        if w.cost > 0
    }
    return Rated([found.sides[side].pr for side in Side], costs, time.monotonic() - began)


def own(path: Path) -> Rated:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        said = gnubgs_own(read_file(path.read_bytes(), path.name), Path(folder), PLIES)
    return Rated([-rate / 2 for rate in said["rate"]], {}, time.monotonic() - began)


def main(argv: list[str]) -> int:
    """0 where both bars are reached."""
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    (folder,) = [Path(word) for word in argv if "=" not in word]
    keep = Path(given.get("keep", "build/engine-bar"))
    keep.mkdir(parents=True, exist_ok=True)
    paths = sorted(folder.glob("*.mat"), key=lambda path: path.stat().st_size)
    near = tenth = same = 0
    paths = paths[: int(given.get("count", "30"))]
    for path in paths:
        kept = keep / f"{path.stem}.json"
        known = json.loads(kept.read_text()) if kept.exists() else {}
        for name in ("gnubgs own", "gnubg", "sage"):
            if name not in known:
                engine = {"gnubg": GnubgEngine(PLIES, 1), "sage": SageEngine()}.get(name)
                known[name] = asdict(own(path) if engine is None else rated(path, engine))
                kept.write_text(json.dumps(known, indent=1))
        theirs, ours, other = (Rated(**known[n]) for n in ("gnubgs own", "gnubg", "sage"))
        tenth += furthest(theirs, ours) <= A_TENTH
        near += furthest(theirs, other) <= ONE_POINT
        same += ours.worst() == other.worst()
        print(
            f"{path.stem[:40]:40} gnubg {furthest(theirs, ours):.2f} off, the other"
            f" {furthest(theirs, other):.2f} off; {len(ours.worst() & other.worst())} of the three"
            f" worst the same; {theirs.seconds:.0f}, {ours.seconds:.0f}, {other.seconds:.0f} s",
            flush=True,
        )
    print(
        f"{len(paths)} matches: gnubg within 0.1 in {tenth}; the other within 1.0 in {near}, the"
        f" same three worst in {same}"
    )
    count = len(paths)
    return 0 if tenth == count and near >= 0.9 * count and same >= 2 / 3 * count else 1


def furthest(one: Rated, other: Rated) -> float:
    """How far apart two engines' error rates are, of the side where they are furthest."""
    return max(abs((a or 0.0) - (b or 0.0)) for a, b in zip(one.pr, other.pr, strict=True))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
