"""What the referee, the session and the store cost: `python -m tests.bench referee`."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from service.journal.chain import line
from service.journal.entries import TABLE, Noted
from service.journal.store import Reader, Store
from service.referee.step import replay
from service.session import step as game
from service.session.step import Session
from service.show.compose import table_document
from service.show.scene import scene_document
from tests.service.hands import Hands


def played(turns: int) -> Hands:
    """A game of a few turns with both sensors at ten readings a second."""
    hands = Hands()
    hands.set_up(clock="ours")
    hands.throw_opening(6, 3)
    hands.play_any().press()
    for n in range(turns):
        if hands.state.phase.value != "to-roll":
            break
        hands.throw(1 + n % 6, 1 + (3 * n + 1) % 6)
        hands.play_any(n).press()
    return hands


def timed(act: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each call, CPU time of this process where it is long enough to be seen."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        found.append(1000 * (time.perf_counter() - began))
    return sorted(found)


def line_of(name: str, ms: list[float]) -> str:
    return (
        f"{name:<58} p50 {statistics.median(ms):8.3f} ms   p99 {ms[int(0.99 * (len(ms) - 1))]:8.3f}"
        f" ms   n {len(ms)}"
    )


def sessions(hands: Hands) -> None:
    """Every observation, press and tick of a game through the session, judging left out and left
    in.
    """
    own: list[float] = []
    whole: list[float] = []
    spent = 0.0
    real = {
        name: getattr(game, name) for name in ("judge", "placement_seen", "roll_seen", "observe")
    }

    def counted(name: str) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            nonlocal spent
            began = time.perf_counter()
            try:
                return real[name](*args, **options)
            finally:
                spent += time.perf_counter() - began

        return call

    for name in real:
        setattr(game, name, counted(name))
    try:
        session = Session()
        for now, given in hands.given:
            spent = 0.0
            began = time.perf_counter()
            session = game.session_step(session, given, now).session
            took = time.perf_counter() - began
            whole.append(1000 * took)
            own.append(1000 * (took - spent))
    finally:
        for name, function in real.items():
            setattr(game, name, function)
    print(line_of("session_step, whole", sorted(whole)))
    print(line_of("session_step, without reconcile", sorted(own)))
    print(f"{'mean of all steps, without reconcile':<58} {statistics.mean(own):8.3f} ms")


def main() -> None:
    hands = played(14)
    sessions(hands)
    state = hands.state
    print(
        line_of(
            "state document with scene",
            timed(lambda: table_document(state, 1.0, scene_document(state, 1.0)), 500),
        )
    )
    entries = hands.entries
    print(line_of(f"replay of {len(entries)} entries", timed(lambda: replay(entries), 30)))
    sizes = [len(line(e.seq, e.at, e.wall, e.by, e.body)) for e in entries]
    print(f"{'bytes of an entry: mean, greatest':<58} {statistics.mean(sizes):8.0f} {max(sizes)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        with Store.open(path) as store:
            print(
                line_of(
                    "Store.append of one entry (WAL, synchronous=FULL)",
                    timed(lambda: store.append([(1.0, 1.0, TABLE, Noted("x"))]), 300),
                )
            )
            print(line_of("Store.beat", timed(lambda: store.beat(1.0, 1.0), 300)))
            store.append([(1.0, 1.0, TABLE, Noted("x", text="y" * 400))] * 10_000)
        began = time.perf_counter()
        with Reader(path) as reader:
            count = len(reader.read())
        print(f"{f'verify {count} entries':<58} {time.perf_counter() - began:8.2f} s")


if __name__ == "__main__":
    main()
