"""What the referee, the session and the store cost: `python -m tests.bench referee`."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Final

from service.journal.chain import line
from service.journal.entries import TABLE, Noted
from service.journal.store import Reader, Store
from service.referee.step import replay
from service.session import step as game
from service.session.belief import Session
from service.show.compose import table_document
from service.show.scene import scene_document
from tests.service.hands import Hands


@dataclass(frozen=True)
class Size:
    """Turns of the game; times each document, replay and append is made; entries to verify."""

    turns: int = 14
    documents: int = 500
    replays: int = 30
    appends: int = 300
    entries: int = 10_000


SMALLEST: Final = Size(turns=2, documents=5, replays=2, appends=3, entries=100)


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
    """Every observation, press and tick of a game through the session, what reconcile does left
    out and left in.
    """
    own: list[float] = []
    whole: list[float] = []
    spent = 0.0
    real = {
        name: function
        for name, function in vars(game).items()
        if isinstance(function, FunctionType)
        and function.__module__.startswith("service.reconcile")
    }
    assert real, "the session calls nothing of reconcile"

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


def main(size: Size) -> None:
    hands = played(size.turns)
    sessions(hands)
    state = hands.state
    print(
        line_of(
            "state document with scene",
            timed(lambda: table_document(state, 1.0, scene_document(state, 1.0)), size.documents),
        )
    )
    entries = hands.entries
    print(
        line_of(f"replay of {len(entries)} entries", timed(lambda: replay(entries), size.replays))
    )
    sizes = [len(line(e.seq, e.at, e.wall, e.by, e.body)) for e in entries]
    print(f"{'bytes of an entry: mean, greatest':<58} {statistics.mean(sizes):8.0f} {max(sizes)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        with Store.open(path) as store:
            print(
                line_of(
                    "Store.append of one entry (WAL, synchronous=FULL)",
                    timed(lambda: store.append([(1.0, 1.0, TABLE, Noted("x"))]), size.appends),
                )
            )
            print(line_of("Store.beat", timed(lambda: store.beat(1.0, 1.0), size.appends)))
            store.append([(1.0, 1.0, TABLE, Noted("x", text="y" * 400))] * size.entries)
        began = time.perf_counter()
        with Reader(path) as reader:
            count = len(reader.read())
        print(f"{f'verify {count} entries':<58} {time.perf_counter() - began:8.2f} s")
