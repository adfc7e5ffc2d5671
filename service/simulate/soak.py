"""A soak: many simulated evenings of one setting, in shards that can be stopped and resumed (E).

Each evening is told by its number alone, so a soak is the same whatever machine plays which part of
it. What an evening counted is written to the resume folder as one file, whole or not at all; what
lies there is not played again.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rules.observation import Source
from rules.ruleset import Ruleset, ruleset
from service.simulate.cube_sense import CubeSense, cubes
from service.simulate.evening import Evening
from service.simulate.habit_table import People
from service.simulate.held_against import GameBook
from service.simulate.noise import Sense, pools
from service.simulate.tally import Tally

GAMES_AN_EVENING: Final = 4
IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108
"""Journals of simulated evenings live here where there is such a place: they are thrown away."""


@dataclass(frozen=True)
class EveningSetting:
    """Everything that the figures of a soak depend on.

    `habits`: those that people have, None for all of the table.
    """

    ruleset: str
    seed: int
    camera: str
    board: str
    players: str
    clock: str
    longest: int
    confusions: Path | None = None
    habits: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        """A short name of this setting, for the files of its evenings."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]


def play_evening(
    setting: EveningSetting,
    number: int,
    games: int,
    books: Callable[[Tally, Ruleset], GameBook] = GameBook,
) -> Tally:
    """One evening; the same setting and number give the same evening anywhere. `books` keeps what
    each game counts.
    """
    tally = Tally()
    chosen = (setting.seed, setting.ruleset, setting.camera, setting.board, setting.players,
              setting.clock, number)  # fmt: skip
    rng = random.Random("/".join(str(each) for each in chosen))
    found = pools(setting.confusions)
    senses = {
        source: Sense(found[kind, level], random.Random(rng.random()))
        for source, kind, level in (
            (Source.CAMERA, "camera", setting.camera),
            (Source.SENSORS, "board", setting.board),
        )
        if level != "none"
    }
    rules = ruleset(setting.ruleset)
    only = None if setting.habits is None else frozenset(setting.habits)
    people = People(setting.players, rng, only=only)
    place = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="takhte-evening-", dir=place) as folder:
        journal = Path(folder) / "evening.journal"
        book = books(tally, rules)
        eyes = CubeSense(cubes(setting.confusions), random.Random("/".join(map(str, chosen))))
        evening = Evening(rules, people, senses, eyes, journal, book, setting.clock)
        evening.play(games, setting.longest, f"evening {number}")
    return tally


@dataclass(frozen=True)
class Soak:
    """So many games of a setting; `shard` (i, n) plays every n-th evening from the i-th."""

    setting: EveningSetting
    games: int
    jobs: int = 1
    shard: tuple[int, int] = (1, 1)
    resume: Path | None = None

    def evenings(self) -> list[tuple[int, int]]:
        """(number, games) of each evening of this shard."""
        whole, rest = divmod(self.games, GAMES_AN_EVENING)
        sizes = [GAMES_AN_EVENING] * whole + ([rest] if rest else [])
        mine, of = self.shard
        return [(n, size) for n, size in enumerate(sizes) if n % of == mine - 1]

    def run(self) -> Tally:
        """Play what was not played yet; the sum of all, in the order of the evenings."""
        kept = {number: self._kept(number, games) for number, games in self.evenings()}
        left = [each for each in self.evenings() if kept[each[0]] is None]
        began, done = time.monotonic(), len(kept) - len(left)
        for number, tally in self._play(left):
            kept[number] = tally
            done += 1
            _show_progress(done, len(kept), time.monotonic() - began, done - len(kept) + len(left))
        total = Tally()
        for number, _ in self.evenings():
            found = kept[number]
            assert found is not None
            total.merge(found)
        return total

    def _play(self, left: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Tally]]:
        """Each evening as it is finished."""
        if self.jobs == 1 or len(left) < 2:
            for number, games in left:
                yield number, self._keep(number, games, play_evening(self.setting, number, games))
            return
        with ProcessPoolExecutor(self.jobs) as pool:
            asked = {pool.submit(play_evening, self.setting, *each): each for each in left}
            for future in as_completed(asked):
                number, games = asked[future]
                yield number, self._keep(number, games, future.result())

    def _file(self, number: int, games: int) -> Path | None:
        if self.resume is None:
            return None
        return self.resume / f"{self.setting.key}-{number:06}-{games}.json"

    def _kept(self, number: int, games: int) -> Tally | None:
        file = self._file(number, games)
        if file is None or not file.exists():
            return None
        return Tally.from_json(json.loads(file.read_text("utf-8")))

    def _keep(self, number: int, games: int, tally: Tally) -> Tally:
        file = self._file(number, games)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            half = file.with_suffix(".part")
            half.write_text(json.dumps(tally.to_json()), "utf-8")
            half.replace(file)
        return tally


def _show_progress(done: int, of: int, seconds: float, played: int) -> None:
    """One line on a terminal: how far it is, and how long it will take."""
    if not sys.stderr.isatty() and done % max(1, of // 20) and done != of:
        return
    left = seconds / max(1, played) * (of - done)
    end = "\n" if done == of or not sys.stderr.isatty() else ""
    sys.stderr.write(f"\r{done} of {of} evenings, {left / 60:.0f} min left{end}")
    sys.stderr.flush()
