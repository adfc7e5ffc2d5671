"""What a verdict costs beside reading a frame, and how long recovery over two turns takes. CPU
seconds, so that a busy machine tells the same."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Awaiting, Differs, Evidence, Expectation, decide, observe, prepare
from service.simulate.noise import Sense, pools
from service.simulate.player import choose, misplay
from vision.networks import Networks
from vision.reader import read_picture
from vision.synthetic.scene import paint, random_counts


@dataclass(frozen=True)
class Size:
    """Turns of each game, frames read, and looks at a play being made: one each quarter second are
    a quick player's.
    """

    turns: int = 60
    looks: int = 8
    frames: int = 5


SMALLEST: Final = Size(turns=2, looks=1, frames=1)


def _times(name: str, size: Size) -> tuple[list[float], list[float], list[float]]:
    """(seconds of each verdict after a press, of each two-turn recovery, of what a look while
    moving prepares) over the turns of a game with club sensors."""
    rng = random.Random(11)
    found = pools()
    senses = [Sense(found["camera", "club"], rng), Sense(found["board", "club"], rng)]
    position = Position.start(ruleset(name), Side.WHITE)
    verdicts, recoveries, looks = [], [], []
    now = 0.0
    for turn in range(size.turns):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        legal = list(plays(position, roll))
        play = choose(position, legal, rng)
        wrong = misplay(position, roll, legal, rng) if turn % 4 == 0 else None
        evidence = Evidence.fresh(position.placement, now)
        for _ in range(4):
            now += 0.3
            for sense in senses:
                evidence = observe(
                    evidence, sense.observe(wrong.placement if wrong else play.placement, now), now
                )
        known = roll if turn % 3 else None
        # The session has looked while the play was being made.
        for look in range(size.looks):
            begin = time.process_time()
            prepare(position, look)
            looks.append(time.process_time() - begin)
        begin = time.process_time()
        decide(evidence, Expectation(position, known, Awaiting.PRESSED, since=now - 1), now)
        verdicts.append(time.process_time() - begin)
        after = position.after(play.view)
        if after.is_over:
            break
        if turn % 5 == 0:
            second = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
            answer = choose(after, list(plays(after, second)), rng)
            seen = Evidence.fresh(position.placement, now)
            for _ in range(5):
                now += 0.3
                for sense in senses:
                    seen = observe(seen, sense.observe(answer.placement, now), now)
            begin = time.process_time()
            said = decide(seen, Expectation(position, None, Awaiting.DIFFERS, since=now - 1), now)
            recoveries.append(time.process_time() - begin)
            assert isinstance(said, Differs)
        position = after
    return verdicts, recoveries, looks


def _frame_read(times_read: int) -> float:
    """CPU seconds of one full read of a painted 1280x960 frame, median of so many."""
    rng = np.random.default_rng(1)
    counts, bar, off = random_counts(rng)
    networks = Networks()
    scene = paint(rng, counts, bar=bar, off=off, size=(1280, 960))
    times = []
    for n in range(times_read):
        begin = time.process_time()
        read_picture(replace(scene.frame, number=n), scene.board_map, networks)
        times.append(time.process_time() - begin)
    return float(np.median(times))


def main(size: Size) -> None:
    frame = _frame_read(size.frames)
    print(f"one full read of a frame: {1000 * frame:.0f} ms")
    for name in ("backgammon", "narde"):
        verdicts, recoveries, looks = _times(name, size)
        ms = 1000 * np.quantile(verdicts, [0.5, 0.99])
        print(
            f"{name}: verdict median {ms[0]:.1f} ms, p99 {ms[1]:.1f} ms ({ms[1] / 1000 / frame:.2f}"
            " of a frame read)",
            end="; ",
        )
        print(f"two-turn recovery worst {max(recoveries):.3f} s of {len(recoveries)}", end="; ")
        print(f"prepared by a look p99 {1000 * np.quantile(looks, 0.99):.1f} ms")
