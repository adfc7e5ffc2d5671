"""Films painted in palettes never trained on, each from its opening throw to the last checker,
before a live table with the default settings: no word from anybody after *Begin*, every play of the
record held against the film.

`python -m tests.bench live_film seeds=1 paces=18` plays one; `games=1,2` plays those of the match
one after another, with their doubles, drops and setting up, and compares the points as well.
`paces` are seconds a turn, 3 is a blitz. `traced=DIR` plays the pictures that
`vision.train.traced_film` made of `write=SHOTS.jsonl`, with their hands, in place of painted
ones. Pictures come `rate` times a second of the film's own time, as a camera's do; the last
column is how much of a core the table took of that time. A play whose roll nobody could read is
on record without it: such are counted by themselves. What the table called or asked is listed: of
a film in which everybody plays by the rules all of it is too much, but for the first throw, both of
whose dice lie before the side that begins. Board 2 is not among the three: its dice are
dark blue with black pips, which no person reads either.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from rules.board import Side
from rules.game import Played
from rules.notation.mat import read_mat
from rules.notation.record import GameRecord, games
from service.journal.entries import AlertRaised, Body, Role, Who
from service.referee.inputs import Order
from service.referee.state import Phase, PlayLine
from service.session.belief import Session, sure_placement
from service.session.sight import Hint, Sight, read_frame
from service.session.step import session_step
from tests.bench.match_film import NOISE, SEATING, pictures_of, shots_of, write_shots
from vision.arrays import Pixels
from vision.frame import Frame, load_picture
from vision.train.film import PaintedBoard, PaintedShot

MATCH: Final = "tests/data/matches/match6857357_e56cf3.mat"
CONSOLE: Final = Who("", Role.CONSOLE)
BEGIN_S: Final = 3.5
"""A start that was not seen by then is said, by *Begin*, s."""
END_S: Final = 14.0
"""The film goes on for so long after the last checker, s."""


@dataclass(frozen=True)
class Size:
    """Which of a match's games that were played to the end, or which `games` of it by number (with
    commas between), on which boards, each at its pace, seconds a turn; `turns`: at most so many, 0
    all; `rate`: pictures a second.
    """

    match: str = MATCH
    game: int = 0
    games: str = ""
    seeds: str = "1,4,3"
    paces: str = "18,9,3"
    turns: int = 0
    rate: float = 4.0
    write: str = ""
    traced: str = ""


SMALLEST: Final = Size(seeds="1", paces="9", turns=2, rate=2.0)


def is_played_out(game: GameRecord) -> bool:
    """Whether a game was played to its last checker."""
    played = [action for _, action, _ in game.steps if isinstance(action, Played)]
    return bool(played) and 15 in (played[-1].after.white[0], played[-1].after.black[0])


Shooting = Callable[[PaintedShot, int], Pixels]
"""The picture of a shot with this number."""


def traced_in(shots: list[PaintedShot], folder: Path) -> Shooting:
    """Shots as pictures that were traced beforehand."""
    numbers = [number for number, _, _ in pictures_of(shots)]
    return lambda _, n: load_picture(folder / f"{numbers[n]:04d}.jpg")


def painted_by(seed: int) -> Shooting:
    """Shots as pictures painted on the spot."""
    board = PaintedBoard.of(seed, oblique=False)
    return lambda shot, n: board.shoot(shot, n).pixels


def frames_of(shots: list[PaintedShot], rate: float, shoot: Shooting) -> Iterator[Frame]:
    """The film as a camera gives it: each shot is seen until the next, with a sensor's noise."""
    last = shots[-1]
    # Nobody films the start for two seconds only.
    late = [shots[0], *(replace(shot, at=shot.at + 3.0) for shot in shots[1:])]
    late.append(replace(last, at=late[-1].at + END_S))
    number = 0
    for n, (shot, after) in enumerate(itertools.pairwise(late)):
        pixels = shoot(shot, n).astype(np.float32)
        for k in range(max(1, round((after.at - shot.at) * rate))):
            grain = np.random.default_rng((n, k)).standard_normal(pixels.shape, np.float32)
            seen = (pixels + grain * NOISE / 2).clip(0, 255).astype(np.uint8)
            yield Frame(seen, shot.at + k / rate, number)
            number += 1


def truth_of(played: Sequence[GameRecord], most: int) -> list[str]:
    """What was played in these games, in order."""
    found = [
        f"{action.side.value} {match.game.roll} {action.after.white} {action.after.black}"
        for game in played
        for match, action, _ in game.steps
        if isinstance(action, Played)
    ]
    return found[: most or None]


def points_of(played: Sequence[GameRecord]) -> list[tuple[str, int]]:
    """Who won each of these games, and how many points; without the last, where it was given up
    and no picture tells so.
    """
    ended = played if is_played_out(played[-1]) else played[:-1]
    won = [
        (side.value, game.after.score.of(side) - game.before.score.of(side))
        for game in ended
        for side in Side
    ]
    return [each for each in won if each[1]]


@dataclass
class Showing:
    """A film that was played before a table: the session after it, the film's `length` and the
    table's time, s, and what the table said of dice and plays meanwhile, or asked.
    """

    session: Session
    length: float
    spent: float
    said: Counter[str]


def played_before(frames: Iterator[Frame], length: int = 7) -> Showing:
    """What a table makes of the film of a match to `length` points."""
    session, sight = Session(), Sight()
    setting = {"ruleset": "backgammon", "length": length or None, "clock": "none"}
    order = Order("set_match", setting, CONSOLE)
    session = session_step(session, order, 0.0).session
    spent = now = 0.0
    said: Counter[str] = Counter()
    for frame in frames:
        now, began = frame.seen_at, time.process_time()
        hint = Hint(SEATING, session.state.game.placement, sure_placement(session))
        sight, seen = read_frame(sight, frame, hint)
        step = session_step(session, seen, now)
        session = step.session
        said.update(filter(None, map(_told, step.entries)))
        if session.state.phase is Phase.SETTING_UP and now >= BEGIN_S:
            session = session_step(session, Order("start_game", {}, CONSOLE), now).session
        spent += time.process_time() - began
    return Showing(session, now, spent, said)


def _told(body: Body) -> str:
    """What an entry calls or asks, "" for nothing."""
    match body:
        case AlertRaised() if body.matter != "source_lost":
            return f"{body.matter} {body.code}".strip()
        case _:
            return ""


def _is_among(line: PlayLine, true: list[str]) -> bool:
    """Whether that side left that board in one of the turns, whatever it threw."""
    end = f" {line.placement.white} {line.placement.black}"
    return any(each.startswith(line.side.value) and each.endswith(end) for each in true)


def main(size: Size) -> None:
    record, wrong = list(games(read_mat(Path(size.match).read_text()))), 0
    numbers = [int(n) for n in size.games.split(",") if n]
    whole = [game for game in record if is_played_out(game)]
    chosen = [record[n - 1] for n in numbers] or [whole[size.game]]
    true = truth_of(chosen, size.turns)
    if size.write:
        write_shots(shots_of(chosen, 18, size.turns, sparing=True), Path(size.write))
        return
    seeds, paces = size.seeds.split(","), size.paces.split(",")
    for seed, pace in zip((int(s) for s in seeds), (float(p) for p in paces), strict=True):
        shots = list(shots_of(chosen, pace, size.turns, sparing=bool(size.traced)))
        shoot = traced_in(shots, Path(size.traced)) if size.traced else painted_by(seed)
        showing = played_before(frames_of(shots, size.rate, shoot), chosen[0].before.rules.length)
        session = showing.session
        lines = session.state.match.plays
        said = [
            f"{line.side.value} {line.roll} {line.placement.white} {line.placement.black}"
            for line in lines
        ]
        right = sum(each in said for each in true)
        others = [line for line, text in zip(lines, said, strict=True) if text not in true]
        wrong += len(true) - right + len(others)
        unrolled = sum(line.roll is None and _is_among(line, true) for line in lines)
        ended = session.state.match.finished
        print(
            f"board {seed}, {pace:g} s a turn: {right} of {len(true)} plays right, {unrolled} more"
            f" without their roll, {len(others) - unrolled} not so,"
            f" {'ended' if ended else 'not ended'},"
            f" phase {session.state.phase.value}; {showing.spent / showing.length:.0%} of a core",
            flush=True,
        )
        told = ", ".join(f"{what} {n}" for what, n in sorted(showing.said.items()))
        print(f"  said or asked: {told or 'nothing'}")
        won = [(each.winner.value, each.points) for each in ended]
        if numbers and won != points_of(chosen):
            wrong += 1
            print(f"  games: {points_of(chosen)} truly, {won} on record")
        for n, each in enumerate(true, 1):
            if each not in said:
                print(f"  missing: turn {n}, {' '.join(each.split()[:2])}")
        for line in others:
            print(f"  not so: {line.side.value} {line.roll} {line.text} {line.origin.value}")
    if wrong and not size.turns:
        sys.exit(f"{wrong} plays are missing or were not made so")
