"""What a sensor says of a table that is known, drawn from what real readers said.

A *pool* is one level of one source: readings that were really given for each true pair of counts,
in groups that were read together (one picture's light and set of checkers, one board's magnets). A
game draws one group, so that a bad light is bad for every site; a site keeps its draw until its
checkers are touched, so that a misread stays misread frame after frame; and when a draw is wrong
its neighbours are drawn from the wrong ones too, as often as they were wrong together. A board
remembers how settled piles read, so a tall pile of a placement that the table told it is drawn from
readings of just that change (`kept`). The pools are made by `confusions.py`, never edited.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Final, TypeAlias

from rules.board import BAR, OFF, Placement
from rules.observation import Condition, DieReading, DieStatus, Observation, SiteReading, Source
from service.session.settled_placements import contradicted
from service.simulate.measured import SCHEMA, Group, LevelJson, ReadingJson

Pair: TypeAlias = tuple[int, int]
"""(White's, Black's) checkers on one site."""
Truth: TypeAlias = tuple[bool, Pair]
"""Whether it is the bar, and what stands there."""
Shape: TypeAlias = tuple[tuple[tuple[int, int, float], ...], float]
"""Outcomes and floor of a reading, without its site."""

LEVELS: Final = ("good", "club", "bad")


class ConfusionsError(ValueError):
    """A confusions file that is none: says what was expected."""


@dataclass(frozen=True)
class Pool:
    """One source at one level: readings that were really given, to draw from.

    `groups`: what truly stands there -> readings, each a short run of frames of the same still
    site. `wrong_together`: P(a neighbour is misread | a site is misread). `dice`: readings of flat
    dice by face (values, P(flat)), `cocked`: of leaning ones; `missed_die`: P(a die on the board is
    not found at all).
    """

    source: Source
    groups: tuple[Mapping[Truth, tuple[tuple[Shape, ...], ...]], ...]
    wrong_together: float
    dice: Mapping[int, tuple[tuple[tuple[float, ...], float], ...]] = field(default_factory=dict)
    cocked: tuple[tuple[tuple[float, ...], float], ...] = ()
    missed_die: float = 0.0
    sees: tuple[int, ...] = tuple(range(1, 26))
    rare: tuple[Mapping[Truth, tuple[tuple[Shape, ...], ...]], ...] = ()
    kept: tuple[Mapping[tuple[int, int], tuple[tuple[Shape, ...], ...]], ...] = ()
    """By group: (checkers confirmed, checkers now) of one White pile -> readings, where the source
    remembers.
    """


@functools.cache
def pools(path: Path | None = None) -> Mapping[tuple[str, str], Pool]:
    """(source, level) -> Pool, from a confusions file; default the one that ships.

    Raises ConfusionsError.
    """
    file = (
        resources.files("service.simulate") / "data" / "confusions.json" if path is None else path
    )
    data = json.loads(file.read_text())
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ConfusionsError(
            f"expected a file of schema {SCHEMA}: make one with `python -m"
            " service.simulate.confusions`"
        )
    return {
        (source, level): _pool(source, data[source][level])
        for source in ("camera", "board")
        for level in data[source]
    }


def made_by(path: Path | None = None) -> Mapping[str, str]:
    """How each part of a confusions file was made."""
    file = (
        resources.files("service.simulate") / "data" / "confusions.json" if path is None else path
    )
    return dict(json.loads(file.read_text()).get("made_by", {}))


def _pool(source: str, data: LevelJson) -> Pool:
    """One level as read from the file."""
    groups = tuple(_group(group) for group in data["groups"])
    rare = tuple(_group(group) for group in data.get("rare", ()))
    dice = {
        int(face): tuple((tuple(values), flat) for values, flat in found)
        for face, found in data.get("dice", {}).items()
    }
    cocked = tuple((tuple(values), flat) for values, flat in data.get("cocked", ()))
    sees = tuple(data.get("sees", range(1, 26)))
    kind = Source.CAMERA if source == "camera" else Source.SENSORS
    kept = tuple(
        {
            _change(key): tuple(tuple(_shape(shape) for shape in run) for run in runs)
            for key, runs in group.get("kept", {}).items()
        }
        for group in data["groups"]
    )
    missed = data.get("missed_die", 0.0)
    return Pool(kind, groups, data["wrong_together"], dice, cocked, missed, sees, rare, kept)


def _group(data: Group) -> dict[Truth, tuple[tuple[Shape, ...], ...]]:
    return {
        (where == "bar", _pair(key)): tuple(tuple(_shape(shape) for shape in run) for run in runs)
        for where in ("point", "bar")
        for key, runs in data.get(where, {}).items()
    }


def _change(key: str) -> tuple[int, int]:
    before, after = key.split(">")
    return int(before), int(after)


def _pair(key: str) -> Pair:
    white, black = key.split(",")
    return int(white), int(black)


def _shape(data: ReadingJson) -> Shape:
    return tuple((int(w), int(b), float(p)) for w, b, p in data[0]), float(data[1])


def _best(shape: Shape) -> Pair:
    white, black, _ = max(shape[0], key=lambda o: o[2], default=(-1, -1, 0.0))
    return white, black


@functools.lru_cache(maxsize=65536)
def _reading(site: int, shape: Shape) -> SiteReading:
    return SiteReading(site, shape[0], shape[1])


@functools.lru_cache(maxsize=65536)
def _mirrored(shape: Shape) -> Shape:
    return tuple((b, w, p) for w, b, p in shape[0]), shape[1]


@dataclass
class Die:
    """A die on the table: where it lies on the geometric board, its upper face, how it lies."""

    where: tuple[float, float]
    face: int
    status: DieStatus = DieStatus.FLAT


class Sense:
    """One source watching one game."""

    def __init__(self, pool: Pool, rng: random.Random) -> None:
        self.pool, self.rng = pool, rng
        self._take_groups()
        self.spare = pool.groups + pool.rare
        self.number = 0
        self.lost = False
        self._drawn: dict[int, tuple[Pair, tuple[Shape, ...]]] = {}
        self._remembered: dict[int, tuple[Pair, Pair]] = {}
        """Site -> (what the table said stands there, what truly stood there)."""
        self._dice: dict[int, tuple[tuple[float, float], int, tuple[float, ...], float, bool]] = {}

    def observe(
        self,
        placement: Placement,
        now: float,
        condition: Condition = Condition.AT_REST,
        dice: Sequence[Die] = (),
        hidden: frozenset[int] = frozenset(),
    ) -> Observation:
        """What the source reports of this placement and these dice now, but for `hidden` sites."""
        self.number += 1
        sites: tuple[SiteReading, ...] = ()
        if condition is Condition.AT_REST:
            sites = tuple(
                self._site(site, (placement.white[site], placement.black[site]))
                for site in self.pool.sees
                if site not in hidden
            )
        seen = self.see_dice(dice) if self.pool.source is Source.CAMERA else None
        return Observation(self.pool.source, now, self.number, condition, sites, seen)

    def relit(self) -> None:
        """The light changed, or the board was taken apart: every site is drawn anew."""
        self._drawn.clear()

    def drift(self) -> None:
        """The light or the magnets have changed for good: another group of readings from now on."""
        self._take_groups()
        self._drawn.clear()

    def _take_groups(self) -> None:
        which = self.rng.randrange(len(self.pool.groups))
        self.group, self.kept = self.pool.groups[which], self.pool.kept[which]
        self.rare = self.rng.choice(self.pool.rare) if self.pool.rare else {}

    @property
    def remembers(self) -> bool:
        """Whether a placement was taken that the readings did not contradict."""
        return bool(self._remembered)

    def remember(self, placement: Placement | None) -> None:
        """Take what the table says stands there (None: it no longer knows), as a real board does;
        see `service.session.settled_placements`.
        """
        self._remembered.clear()
        if placement is None or not self.kept:
            return
        recorded = {site: (placement.white[site], placement.black[site]) for site in self._drawn}
        if any(
            contradicted(_reading(site, run[0]), *recorded[site])
            for site, (_, run) in self._drawn.items()
        ):
            return
        for site, (truth, run) in self._drawn.items():
            self._remembered[site] = (recorded[site], truth)
            self._drawn[site] = (truth, self._draw_kept(recorded[site], recorded[site]) or run)

    def _draw_kept(self, before: Pair, now: Pair) -> tuple[Shape, ...] | None:
        """A reading of one side's pile by what changed since it was confirmed; None where nothing
        such was measured.
        """
        black = bool(before[1] or now[1])
        if (before[0] or now[0]) and black:
            return None
        runs = self.kept.get((max(before), max(now)))
        return (
            tuple(_mirrored(shape) if black else shape for shape in self.rng.choice(runs))
            if runs
            else None
        )

    def _site(self, site: int, truth: Pair) -> SiteReading:
        """What is read of a site where these checkers stand, drawn anew when they were touched."""
        drawn = self._drawn.get(site)
        if drawn is None or drawn[0] != truth:
            run = self._draw_by_change(site, truth) or self._draw((site == BAR, truth))
            wrong = _best(run[0]) != truth
            self._drawn[site] = drawn = (truth, run)
            if wrong:
                self._spread(site)
        run = drawn[1]
        return _reading(site, run[self.number % len(run)])

    def _draw_by_change(self, site: int, truth: Pair) -> tuple[Shape, ...] | None:
        """What a site reads by its change since it was confirmed, None where that is not known.

        A count that was confirmed wrongly explains no change: then the pile is read by itself, as
        a real memory does that finds no such pile (`firmware_bridge.stack_memory`).
        """
        if site not in self._remembered or site == BAR:
            return None
        recorded, was = self._remembered[site]
        return self._draw_kept(recorded, truth) if recorded == was else None

    def _draw(self, truth: Truth) -> tuple[Shape, ...]:
        """A run of readings that was really given for this truth, the game's own groups first."""
        runs = self.rare.get(truth) or self.group.get(truth)
        if not runs:
            runs = next(
                (g[truth] for g in self.rng.sample(self.spare, len(self.spare)) if truth in g), None
            )
        if not runs:
            # Both colours on a point, or more than any picture had: nothing is known of it, which
            # is what a reader would say at best.
            return (((((*truth[1], 0.2),), 0.01)),)
        return self.rng.choice(runs)

    def _spread(self, site: int) -> None:
        """A wrong reading takes its neighbours with it as often as they were wrong together."""
        for near in (site - 1, site + 1):
            kept = self._drawn.get(near)
            if (
                kept is None
                or site in (BAR, OFF)
                or near not in range(1, 25)
                or self.rng.random() >= self.pool.wrong_together
            ):
                continue
            wrong = [
                run
                for group in self.spare
                for run in group.get((False, kept[0]), ())
                if _best(run[0]) != kept[0]
            ]
            if wrong:
                self._drawn[near] = (kept[0], self.rng.choice(wrong))

    def see_dice(self, dice: Sequence[Die]) -> tuple[DieReading, ...]:
        """What is seen of the dice that lie there; a die keeps its reading until it moves."""
        kept = {}
        seen = []
        for die in dice:
            drawn = self._dice.get(id(die))
            if drawn is None or drawn[0] != die.where or drawn[1] != die.face:
                values, flat = self._draw_die(die)
                drawn = (
                    die.where,
                    die.face,
                    values,
                    flat,
                    self.rng.random() < self.pool.missed_die,
                )
            kept[id(die)] = drawn
            if drawn[4]:
                continue
            east = die.where[0] + self.rng.gauss(0, 0.001)
            north = die.where[1] + self.rng.gauss(0, 0.001)
            other = die.status if die.status is not DieStatus.FLAT else DieStatus.COCKED
            six = (drawn[2][0], drawn[2][1], drawn[2][2], drawn[2][3], drawn[2][4], drawn[2][5])
            seen.append(
                DieReading((east, north), six, {DieStatus.FLAT: drawn[3], other: 1 - drawn[3]})
            )
        self._dice = kept
        return tuple(seen)

    def likelihoods_of(self, dice: Sequence[Die]) -> list[tuple[float, ...]]:
        """What was given of the faces 1 to 6 of each of these dice that was found at all."""
        drawn = [self._dice.get(id(die)) for die in dice]
        return [each[2] for each in drawn if each is not None and not each[4]]

    def _draw_die(self, die: Die) -> tuple[tuple[float, ...], float]:
        if die.status is DieStatus.FLAT:
            return self.rng.choice(self.pool.dice[die.face])
        return self.rng.choice(self.pool.cocked)
