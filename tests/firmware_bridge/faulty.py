"""Boards whose circuits fail in the middle of a game, and what sensing says of it.

The record is taken to know the truth, as a referee's does while play goes on; `settled` is what
`WiredBoard` does with it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import firmware_bridge
from firmware_bridge.board_spec import reference_board
from firmware_bridge.physics import F64, counts_per_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import BAR, POINTS, Placement
from rules.observation import Condition, Observation
from service.session.settled_placements import contradicted
from tests.firmware_bridge import hands
from tests.firmware_bridge.hands import BACKGAMMON, random_game

Fault = Callable[[F64, float], F64]
"""The sound board's millivolts and the time since it failed -> the failed board's: 128 sensors,
then the line of each multiplexer while it is off."""
LINES = 128
SURE = 0.9
SOON_S = 5.0
TOLD = 25
"""After so many games a long run says how far it is."""


def hangs(rng: random.Random) -> Fault:
    number, mv = rng.randrange(128), rng.uniform(0, 4800)

    def fault(volts: F64, since: float) -> F64:
        volts[number] = mv
        return volts

    return fault


def freezes(rng: random.Random) -> Fault:
    number, kept = rng.randrange(128), list[float]()

    def fault(volts: F64, since: float) -> F64:
        kept.append(float(volts[number]))
        volts[number] = kept[0]
        return volts

    return fault


def opens(rng: random.Random) -> Fault:
    number = rng.randrange(128)

    def fault(volts: F64, since: float) -> F64:
        volts[number] = 0.0
        return volts

    return fault


def touches(rng: random.Random) -> Fault:
    """Two channels of one multiplexer: both outputs pull."""
    number = 16 * rng.randrange(8) + rng.randrange(15)

    def fault(volts: F64, since: float) -> F64:
        volts[number : number + 2] = volts[number : number + 2].mean()
        return volts

    return fault


def row_dies(rng: random.Random) -> Fault:
    row, mv = rng.randrange(8), rng.uniform(0, 4800)

    def fault(volts: F64, since: float) -> F64:
        volts[16 * row : 16 * row + 16] = mv
        volts[LINES + row] = mv
        return volts

    return fault


def select_is_off(rng: random.Random) -> Fault:
    row, bit, high = rng.randrange(8), 1 << rng.randrange(4), rng.random() < 0.5

    def fault(volts: F64, since: float) -> F64:
        channels = np.arange(16)
        seen = channels | bit if high else channels & ~bit
        volts[16 * row : 16 * row + 16] = volts[16 * row + seen]
        return volts

    return fault


def selects_are_swapped(rng: random.Random) -> Fault:
    row, (one, other) = rng.randrange(8), rng.sample(range(4), 2)

    def fault(volts: F64, since: float) -> F64:
        channels = np.arange(16)
        differ = (channels >> one ^ channels >> other) & 1
        seen = channels ^ (differ << one | differ << other)
        volts[16 * row : 16 * row + 16] = volts[16 * row + seen]
        return volts

    return fault


def drifts(rng: random.Random) -> Fault:
    number, mv_each_s = rng.randrange(128), rng.choice((-1, 1)) * rng.uniform(0.1, 2)

    def fault(volts: F64, since: float) -> F64:
        volts[number] = min(max(volts[number] + mv_each_s * since, 0), 4800)
        return volts

    return fault


def ripples(rng: random.Random) -> Fault:
    mv, noise = rng.uniform(5, 40), np.random.default_rng(rng.randrange(1 << 30))

    def fault(volts: F64, since: float) -> F64:
        return np.asarray(volts + 0.4 * noise.normal(0, mv, len(volts)))

    return fault


KINDS = (
    hangs, freezes, opens, touches, row_dies, select_is_off, selects_are_swapped, drifts, ripples,
)  # fmt: skip


@dataclass
class Outcome:
    """`wrong_for`: how long a site was wrong above 0.9 with nothing named; 0 when never."""

    named: bool = False
    wrong_for: float = 0.0
    rests: int = 0


def play_faulty(seed: int, faults: list[Fault], turns: int) -> Outcome:
    """A game whose board fails after its first move."""
    simulator = Simulator(reference_board(), seed)
    sensing = Sensing(simulator.board, factory_calibration(simulator))
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    unit = counts_per_mv(simulator.board)
    simulator.set_placement(BACKGAMMON)
    outcome, now, failed_at, wrong_at = Outcome(), 0.0, float("inf"), float("inf")
    moves = random_game(BACKGAMMON, rng, turns)
    for turn, (steps, _, truth) in enumerate(moves):
        for step in steps:
            if step.hit:
                simulator.lift(step.target, step.side.other)
                simulator.put(BAR, step.side.other)
            simulator.lift(step.source, step.side)
            simulator.put(step.target, step.side)
        if turn == 1:
            failed_at = now
        seen: Observation | None = None
        for _ in range(6):
            now += 0.3
            volts = np.concatenate([simulator.table.millivolts(), np.zeros(8)])
            if now > failed_at:
                for fault in faults:
                    volts = fault(volts, now - failed_at)
            volts = volts + noise.normal(0, 0.4, len(volts))
            values = np.clip(volts * unit, 0, 3580).round().astype(int).tolist()
            sensing.hear_levels(values[LINES:])
            found = sensing.observe(values[:LINES], now)
            named = bool(sensing.health().bad or found.note)
            outcome.named |= named
            if found.condition is not Condition.AT_REST:
                continue
            seen = found
            wrong = _surely_wrong(found, truth)
            if named or not wrong:
                wrong_at = float("inf")
            else:
                wrong_at = min(wrong_at, now)
                outcome.wrong_for = max(outcome.wrong_for, now - wrong_at + 0.3)
        if seen is not None:
            outcome.rests += 1
            _settled(sensing, seen, truth)
    return outcome


def _surely_wrong(seen: Observation, truth: Placement) -> bool:
    for reading in seen.sites:
        total = sum(p for _, _, p in reading.outcomes)
        white, black, p = max(reading.outcomes, key=lambda outcome: outcome[2])
        standing = (truth.white[reading.site], truth.black[reading.site])
        if p / total > SURE and (white, black) != standing:
            return True
    return False


def _settled(sensing: Sensing, seen: Observation, truth: Placement) -> None:
    if any(contradicted(s, truth.white[s.site], truth.black[s.site]) for s in seen.sites):
        sensing.disputed(truth)
        sensing.forget()
        return
    sensing.confirm(truth)
    empty = [s for s in (BAR, *POINTS) if not truth.white[s] and not truth.black[s]]
    sensing.known_empty(frozenset(empty))


def failing_boards(sound: int, single: int, double: int, kept: Path | None = None) -> Iterator[str]:
    """Circuits that fail in the middle of so many games: each should be harmless, or named within
    five seconds of the first site that it makes wrong above 0.9; a sound board should name none.

    With `kept`, a file, every outcome is kept there, and one of the same sources is not played
    again: a run that was stopped goes on where it was.
    """
    for name, games, at_once in (
        ("sound boards", sound, 0),
        ("single faults", single, 1),
        ("double faults", double, 2),
    ):
        known = _outcomes(kept, at_once)
        outcomes = []
        for seed in range(games):
            if seed not in known:
                known[seed] = play_faulty(4000 + seed, faults_of(seed, at_once), 8)
                _keep(kept, at_once, seed, known[seed])
            outcomes.append(known[seed])
            if len(outcomes) % TOLD == 0 and len(outcomes) < games:
                yield f"  {len(outcomes)} of {games} {name}"
        named = sum(outcome.named for outcome in outcomes)
        silent = sum(outcome.wrong_for > SOON_S for outcome in outcomes)
        worst = max(outcome.wrong_for for outcome in outcomes)
        yield (
            f"circuits that fail, {games} {name}: {named} named, {silent} wrong above 0.9 and"
            f" silent for more than {SOON_S:g} s; the longest {worst:.1f} s"
        )


def faults_of(seed: int, at_once: int) -> list[Fault]:
    """The faults of one game: every kind by turns."""
    rng = random.Random(seed)
    return [KINDS[(seed + 4 * k) % len(KINDS)](rng) for k in range(at_once)]


SOURCES = (
    "bar_model.py", "board.toml", "calibration.py", "count_model.json", "count_model.py",
    "disputes.py", "physics.py", "sensing.py", "sensor_faults.py", "sensor_health.py",
    "simulated_table.py", "simulator.py", "stack_memory.py",
)  # fmt: skip


@functools.cache
def edition() -> str:
    """A mark of all that an outcome hangs on."""
    bridge = Path(firmware_bridge.__file__).parent
    sources = [bridge / name for name in SOURCES] + [Path(__file__), Path(hands.__file__)]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def _outcomes(kept: Path | None, at_once: int) -> dict[int, Outcome]:
    if kept is None or not kept.exists():
        return {}
    # A run that was killed while it wrote leaves half a line: that game is played again.
    text = kept.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        kept.write_text(whole, encoding="utf-8")
    lines = [json.loads(line) for line in whole.splitlines()]
    return {
        line["seed"]: Outcome(**line["outcome"])
        for line in lines
        if (line["edition"], line["at_once"]) == (edition(), at_once)
    }


def _keep(kept: Path | None, at_once: int, seed: int, outcome: Outcome) -> None:
    if kept is None:
        return
    line = {"edition": edition(), "at_once": at_once, "seed": seed, "outcome": asdict(outcome)}
    with kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
