"""Whole matches painted as films in palettes never trained on, and read: plays, cube, how each game
ended, at a calm and at a blitz's pace. What comes out otherwise must be marked doubtful.

`python -m tests.bench match_film seeds=1,2 paces=18,3` reads two games of a kept match;
`match=FILE games=2,3,4` reads others. `write=SHOTS.jsonl` writes what `vision.train.traced_film`
traces, and `traced=DIR` reads those pictures in place of painted ones.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from rules.board import BAR, OFF, Colour, Placement, Seating, Side
from rules.dice import Roll
from rules.game import Dropped, NextGame, Offered, Played, Taken
from rules.match import Match
from rules.notation.mat import read_mat
from rules.notation.record import GameRecord, games
from rules.position import Position
from rules.ruleset import ruleset
from service.film.transcribe import transcribe
from service.film.written import SURE, Transcript, told_game
from vision.frame import Frame, load_picture
from vision.known import geometric_counts
from vision.train.film import PaintedBoard, PaintedShot, filmed

MATCH: Final = Path("tests/data/matches/match1004844_31c508.mat")
SEATING: Final = Seating()
NOISE: Final = 2.0
"""Of a sensor, from picture to picture, brightness 0-255."""
EVERY: Final = 0.5
"""Seconds from picture to picture of a traced film in which nothing moves."""

Done = tuple[int, str]
"""Number of the game, and what was done in it: a play with its board, an action of the cube."""


@dataclass(frozen=True)
class Size:
    """Which games of which match (with commas between), on which boards, at which paces: seconds a
    turn; `turns`: at most so many of each game, 0 all; `oblique`: seen from a player's side.
    """

    match: str = str(MATCH)
    games: str = "1,2"
    seeds: str = "1,2,3"
    paces: str = "18,3"
    turns: int = 0
    oblique: int = 0
    write: str = ""
    traced: str = ""


SMALLEST: Final = Size(games="1", seeds="1", paces="6", turns=2)


@dataclass
class Filming:
    """Shots of a match one after another; `now` s of the film, `pace` s a turn. `sparing`: few
    pictures, since each takes a tracer ten seconds.
    """

    pace: float
    rng: random.Random
    sparing: bool = False
    now: float = 0.0
    cube: tuple[int, int | None] = (64, 0)

    def shot(self, placement: Placement, seconds: float, **what: object) -> PaintedShot:
        """The table as it stands, so long after the last shot."""
        self.now += seconds
        light, dark = (placement.counts(SEATING.side_of(c)) for c in Colour)
        counts = geometric_counts(placement, SEATING)
        off = (light[OFF], dark[OFF])
        shot = PaintedShot(self.now, counts, (light[BAR], dark[BAR]), off, cube=self.cube)
        return replace(shot, **what)

    def turn(self, position: Position, roll: Roll, after: Placement) -> Iterator[PaintedShot]:
        """Dice thrown, checkers moved, dice lifted."""
        step = self.pace / 9
        dice, east = (roll.high, roll.low), position.side is Side.WHITE
        before = position.placement
        if self.sparing:
            for _ in range(3):
                yield self.shot(before, 1.5 * step, dice=dice, east=east)
            yield self.shot(after, 2.5 * step, east=east, hand=True)
            for _ in range(2):
                yield self.shot(after, step, east=east)
            return
        yield self.shot(before, step, hand=True)
        for _ in range(3):
            yield self.shot(before, step, dice=dice, east=east)
        yield self.shot(before, step / 2, dice=dice, east=east, hand=True)
        yield self.shot(after, step / 2, dice=dice, east=east, hand=True)
        for _ in range(2):
            yield self.shot(after, step, dice=dice, east=east)
        yield self.shot(after, step, hand=True)
        yield self.shot(after, step)

    def offer(self, placement: Placement, side: Side, value: int) -> Iterator[PaintedShot]:
        """The cube turned and put on the field."""
        self.cube = (value, None)
        yield self.shot(placement, self.pace / 9, hand=True)
        for _ in range(3):
            yield self.shot(placement, max(0.7, self.pace / 9))

    def take(self, placement: Placement, side: Side, value: int) -> Iterator[PaintedShot]:
        """The cube drawn to the taker's end of the bar."""
        self.cube = (value, -1 if SEATING.south is side else 1)
        yield self.shot(placement, self.pace / 9, hand=True)
        yield self.shot(placement, max(0.7, self.pace / 9))

    def set_up(self, start: Placement) -> Iterator[PaintedShot]:
        """The cube back in the middle, the checkers put up again part by part."""
        self.cube = (64, 0)
        for share in (0.0, 0.4, 0.8):
            kept = [self.rng.random() < share for _ in range(26)]
            part = Placement(
                tuple(n if k else 0 for n, k in zip(start.white, kept, strict=True)),
                tuple(n if k else 0 for n, k in zip(start.black, kept, strict=True)),
            )
            yield self.shot(part, 1.5, hand=True)
            yield self.shot(part, 0.8)
        yield self.shot(start, 1.5, hand=True)
        for _ in range(3):
            yield self.shot(start, 0.8)


def shots_of(
    record: list[GameRecord], pace: float, most: int, *, sparing: bool = False
) -> Iterator[PaintedShot]:
    """The film of these games."""
    film = Filming(pace, random.Random(len(record)), sparing)
    start = Position.start(ruleset("backgammon"), Side.WHITE).placement
    for number, game in enumerate(record):
        yield from film.set_up(start) if number else (film.shot(start, 0.8) for _ in range(3))
        made = 0
        for match, action, _ in game.steps:
            if isinstance(action, Played) and most and (made := made + 1) > most:
                break
            yield from _shots(film, match, action)


def _shots(film: Filming, match: Match, action: object) -> Iterator[PaintedShot]:
    """The shots of one action."""
    placement, shows = match.game.placement, match.game.cube.value * 2
    match action:
        case Played():
            assert match.game.roll is not None
            yield from film.turn(match.game.position, match.game.roll, action.after)
        case Offered():
            yield from film.offer(placement, action.side, shows)
        case Taken():
            yield from film.take(placement, action.side, shows)


def pictures_of(shots: Iterable[PaintedShot]) -> Iterator[tuple[int, int, PaintedShot]]:
    """Each shot with the number of its picture and of its throw: what shows the same as the shot
    before is the same picture, and dice that were away between are thrown anew.
    """
    number, throw, last = -1, -1, None
    for shot in shots:
        if last is None or replace(shot, at=last.at) != last:
            number += 1
            throw += bool(shot.dice) and (last is None or not last.dice)
        last = shot
        yield number, throw, shot


def write_shots(shots: Iterable[PaintedShot], path: Path) -> None:
    """Nothing; one line for each picture is at `path`, as `vision.train.traced_film` reads it."""
    lines: dict[int, str] = {}
    for number, throw, shot in pictures_of(shots):
        row = {"points": shot.counts, "bar": shot.bar, "off": shot.off, "dice": shot.dice}
        row |= {"east": shot.east, "throw": throw, "cube": shot.cube, "hand": shot.hand}
        lines[number] = json.dumps(row)
    path.write_text("".join(f"{line}\n" for line in lines.values()))


def traced(shots: Iterable[PaintedShot], folder: Path) -> Iterator[Frame]:
    """The pictures of a traced film in order, what lies still again and again until the next shot,
    each with a sensor's noise of its own. A film that is not traced to its end stops where its
    pictures do; hands need not be traced.
    """
    now, made = 0.0, 0
    for number, _, shot in pictures_of(shots):
        path = folder / f"{number:04d}.jpg"
        if not path.exists():
            if shot.hand:
                continue
            return
        pixels = load_picture(path)
        times = max(1, int((shot.at - now) / EVERY)) if not shot.hand else 1
        for again in range(times):
            made += 1
            grain = np.random.default_rng(made).standard_normal(pixels.shape, np.float32) * NOISE
            at = shot.at - (times - 1 - again) * EVERY
            yield Frame((pixels + grain).clip(0, 255).astype(np.uint8), at, made)
        now = shot.at


def truth_of(record: list[GameRecord], most: int) -> list[Done]:
    """What was done in these games, in order."""
    found: list[Done] = []
    for number, game in enumerate(record, start=1):
        made = 0
        for match, action, _ in game.steps:
            if isinstance(action, Played):
                made += 1
                if most and made > most:
                    break
                roll = match.game.roll
                found.append((number, f"{action.side.value} {roll} {action.after.white}"))
            elif isinstance(action, Offered | Taken | Dropped):
                found.append((number, f"{action.side.value} {_WORDS[type(action)]}"))
            elif isinstance(action, NextGame):
                break
    return found


_WORDS: Final = {Offered: "double", Taken: "take", Dropped: "drop"}


def said_in(found: Transcript) -> list[tuple[Done, float]]:
    """What was read, and how surely."""
    said: list[tuple[Done, float]] = []
    for game in found.games:
        turns = [t for t in found.turns if t.turn.game == game.number]
        for made in range(len(turns) + 1):
            said += [
                ((game.number, f"{act.side.value} {act.act.value}"), act.confidence)
                for act in game.cube
                if act.after == made
            ]
            if made < len(turns):
                read = turns[made]
                white = read.turn.play.placement.white
                words = f"{read.turn.side.value} {read.turn.roll} {white}"
                said.append(((game.number, words), read.confidence))
    return said


def main(size: Size) -> None:
    rules, unmarked = ruleset("backgammon"), 0
    wanted = [int(n) for n in size.games.split(",")]
    whole = games(read_mat(Path(size.match).read_text()))
    record = [whole[n - 1] for n in wanted]
    true = truth_of(record, size.turns)
    if size.write:
        write_shots(shots_of(record, 18, size.turns, sparing=True), Path(size.write))
        return
    for seed in (int(s) for s in size.seeds.split(",")):
        painted = None if size.traced else PaintedBoard.of(seed, oblique=bool(size.oblique))
        for pace in (float(p) for p in size.paces.split(",")):
            began = time.process_time()
            shots = shots_of(record, pace, size.turns, sparing=painted is None)
            film = filmed(shots, painted) if painted else traced(shots, Path(size.traced))
            found = transcribe(film, rules)
            said = said_in(found)
            right = sum(done in {d for d, _ in said} for done in true)
            false = [sure for done, sure in said if done not in true]
            wrong = sum(sure >= SURE for sure in false)
            unmarked += wrong
            cost = time.process_time() - began
            print(
                f"board {seed}, {pace:g} s a turn: {right} of {len(true)} plays and actions of the"
                f" cube right, others: {len(false) - wrong} marked doubtful, {wrong} not;"
                f" {cost:.0f} s",
                flush=True,
            )
            for game in found.games:
                print("  " + told_game(game, found.seating), flush=True)
    if unmarked:
        sys.exit(f"{unmarked} plays or actions came out otherwise and are not marked doubtful")
