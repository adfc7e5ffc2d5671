"""A whole match before a simulated camera: games with the cube, given up or played out, and the
checkers set up anew between them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.board import Placement, Seating, Side
from rules.dice import Roll
from rules.observation import Condition, CubeOwner, CubeReading, Observation, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.film.cubes import FACES, CubeWatcher
from service.film.kept import FilmRead
from service.film.stills import stills_and_throws
from service.simulate.desk import DeskAnswer
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import Sense, pools
from service.simulate.score import TurnPlayed
from service.simulate.tally import Tally

Turn = tuple[Side, Roll, tuple[int, ...]]
_AT = {None: CubeOwner.CENTRE, Side.WHITE: CubeOwner.WHITE, Side.BLACK: CubeOwner.BLACK}


@dataclass(frozen=True)
class Script:
    """One game of a match: after which turns the cube is turned and taken, whether it is turned at
    last and dropped, and after how many turns the game ends unless it is played out.
    """

    takes: tuple[int, ...] = ()
    drops: bool = False
    turns: int = 400


@dataclass
class Cube:
    """The real cube, and how well it is read: `blurred`, the share of readings with another face;
    `hidden`, the share in which it is not in view.
    """

    rng: random.Random
    blurred: float
    hidden: float
    value: int = 1
    owner: Side | None = None
    place: CubeOwner = CubeOwner.CENTRE
    shows: int = 64

    def reading(self) -> CubeReading | None:
        """What the camera says of it now."""
        if self.rng.random() < self.hidden:
            return None
        face = self.rng.choice(FACES) if self.rng.random() < self.blurred else self.shows
        shown = {f: 0.75 if f == face else 0.05 for f in FACES}
        owner = {place: 0.97 if place is self.place else 0.015 for place in CubeOwner}
        return CubeReading(shown, owner)


class Tape:
    """A desk that only keeps what the camera said, the cube with it."""

    def __init__(self, cube: Cube) -> None:
        self.cube, self.seen, self.begun = cube, list[Observation](), 0.0

    def observe(self, observation: Observation, now: float) -> Sequence[DeskAnswer]:
        if observation.condition is Condition.AT_REST:
            observation = replace(observation, cube=self.cube.reading())
        self.seen.append(replace(observation, seen_at=self.begun + observation.seen_at))
        return ()

    def press(self, side: Side, now: float) -> Sequence[DeskAnswer]:
        return ()

    def answer(self, roll: Roll, placement: Placement, now: float) -> None: ...

    def source(self, source: Source, ok: bool, now: float) -> None: ...

    def waits_for(self, side: Side) -> bool:
        return False

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        return False


@dataclass
class Told:
    """What truly happened: turns by game, the cube's actions as (game, after, side, action)."""

    turns: list[list[Turn]]
    cube: list[tuple[int, int, Side, str]]


class FilmedGame(GamePlayed):
    """A game whose turns are known, whose dice are lifted after each, with the cube as written."""

    script: Script
    cube: Cube
    number: int
    told: Told

    def _turn(self, position: Position) -> Position:
        made = len(self.told.turns[-1])
        if made in self.script.takes:
            self._offer(position.side, made)
            side = position.side.other
            self.cube.value, self.cube.owner, self.cube.place = self.cube.shows, side, _AT[side]
            self.told.cube.append((self.number, made, side, "take"))
            self.table.hand()
            self.table.rest((0.6, 0.5))
        return super()._turn(position)

    def _offer(self, side: Side, made: int) -> None:
        """The cube is turned and put before the other side."""
        self.told.cube.append((self.number, made, side, "double"))
        self.table.hand()
        self.cube.shows, self.cube.place = self.cube.value * 2, CubeOwner.FIELD
        self.table.rest((0.6, 0.5, 0.8, 1.0))

    def _end(self, turn: TurnPlayed) -> Placement:
        side = turn.position.side
        self.told.turns[-1].append((side, turn.roll, turn.play.view))
        self.table.rest((0.8,))
        self.table.hand()
        self.table.dice.clear()
        self.table.rest((0.5, 0.4))
        made = len(self.told.turns[-1])
        if self.script.drops and made == self.script.turns:
            self._offer(side.other, made)
            self.told.cube.append((self.number, made, side, "drop"))
        return turn.play.placement


def set_up(game: FilmedGame, rng: random.Random) -> None:
    """The cube back in the middle, the checkers taken off and set up again, part by part."""
    table, cube = game.table, game.cube
    cube.value, cube.owner, cube.place, cube.shows = 1, None, CubeOwner.CENTRE, 64
    start = Position.start(game.ruleset, Side.WHITE).placement
    for share in (0.0, 0.3, 0.6, 0.9):
        table.hand()
        table.wait(1.5)
        keep = [rng.random() < share for _ in range(26)]
        part = Placement(
            tuple(n if k else 0 for n, k in zip(start.white, keep, strict=True)),
            tuple(n if k else 0 for n, k in zip(start.black, keep, strict=True)),
        )
        table.stand(part)
        table.rest((0.4, 0.6))


def match_film(
    scripts: Sequence[Script], level: str, seed: int, *, blurred: float = 0.3, hidden: float = 0.2
) -> tuple[Told, FilmRead]:
    """What truly happened in a match, and what its film shows."""
    rng, rules = random.Random(seed), ruleset("backgammon")
    cube = Cube(random.Random(seed + 1), blurred, hidden)
    tape, told = Tape(cube), Told([], [])
    habits = replace(
        PLAYERS["club"], illegal=0.0, bump=0.0, cable=0.0, hit_checker_late=0.0, forgotten_press=0.0
    )
    senses = {Source.CAMERA: Sense(pools()["camera", level], random.Random(seed))}
    for number, script in enumerate(scripts, start=1):
        game = FilmedGame(
            rules, habits, rng, senses, lambda position, now: tape, Tally(), longest=script.turns
        )
        game.script, game.cube, game.number, game.told = script, cube, number, told
        told.turns.append([])
        game.play()
        if number < len(scripts):
            set_up(game, rng)
        tape.begun += game.table.now
    stills, throws = stills_and_throws(tape.seen)
    watcher = CubeWatcher()
    for seen in tape.seen:
        watcher.feed(seen)
    start = Position.start(rules, Side.WHITE).placement
    read = FilmRead(
        rules, Seating(), start, False, None, stills, throws, None, (), watcher.finish()
    )
    return told, read
