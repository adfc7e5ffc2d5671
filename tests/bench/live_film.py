"""Films painted in palettes never trained on, each from its opening throw to the last checker,
before a live table with the default settings: no word from anybody after *Begin*, every play of the
record held against the film.

`python -m tests.bench live_film seeds=1 paces=18` plays one; `paces` are seconds a turn, 3 is a
blitz. Pictures come `rate` times a second of the film's own time, as a camera's do; the last column
is how much of a core the table took of that time. A play whose roll nobody could read is on record
without it: such are counted by themselves. Board 2 is not among the three: its dice are dark blue
with black pips, which no person reads either.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from rules.game import Played
from rules.notation.mat import read_mat
from rules.notation.record import GameRecord, games
from service.journal.entries import Role, Who
from service.referee.inputs import Order
from service.referee.state import Phase, PlayLine
from service.session.belief import Session, sure_placement
from service.session.sight import Hint, Sight, read_frame
from service.session.step import session_step
from tests.bench.match_film import NOISE, SEATING, shots_of
from vision.frame import Frame
from vision.train.film import PaintedBoard

MATCH: Final = "tests/data/matches/match6857357_e56cf3.mat"
CONSOLE: Final = Who("", Role.CONSOLE)
BEGIN_S: Final = 3.5
"""A start that was not seen by then is said, by *Begin*, s."""
END_S: Final = 14.0
"""The film goes on for so long after the last checker, s."""


@dataclass(frozen=True)
class Size:
    """Which game of which match, on which boards (with commas between), each at its pace, seconds a
    turn; `turns`: at most so many, 0 all; `rate`: pictures a second.
    """

    match: str = MATCH
    game: int = 0
    seeds: str = "1,4,3"
    paces: str = "18,9,3"
    turns: int = 0
    rate: float = 4.0


SMALLEST: Final = Size(seeds="1", paces="9", turns=2, rate=2.0)


def is_played_out(game: GameRecord) -> bool:
    """Whether a game was played to its last checker."""
    played = [action for _, action, _ in game.steps if isinstance(action, Played)]
    return bool(played) and 15 in (played[-1].after.white[0], played[-1].after.black[0])


def pictures_of(game: GameRecord, pace: float, size: Size, board: PaintedBoard) -> Iterator[Frame]:
    """The film as a camera gives it: each shot is seen until the next, with a sensor's noise."""
    shots = list(shots_of([game], pace, size.turns))
    last = shots[-1]
    shots.append(replace(last, at=last.at + END_S))
    # Nobody films the start for two seconds only.
    shots = [shots[0], *(replace(shot, at=shot.at + 3.0) for shot in shots[1:])]
    number = 0
    for n, (shot, after) in enumerate(itertools.pairwise(shots)):
        pixels = board.shoot(shot, n).pixels.astype(np.float32)
        for k in range(max(1, round((after.at - shot.at) * size.rate))):
            grain = np.random.default_rng((n, k)).standard_normal(pixels.shape, np.float32)
            seen = (pixels + grain * NOISE / 2).clip(0, 255).astype(np.uint8)
            yield Frame(seen, shot.at + k / size.rate, number)
            number += 1


def truth_of(game: GameRecord, most: int) -> list[str]:
    """What was played in a game, in order."""
    found = [
        f"{action.side.value} {match.game.roll} {action.after.white} {action.after.black}"
        for match, action, _ in game.steps
        if isinstance(action, Played)
    ]
    return found[: most or None]


def played_before(frames: Iterator[Frame]) -> tuple[Session, float, float]:
    """The table once the film is over, the film's length and the table's time, s."""
    session, sight = Session(), Sight()
    order = Order("set_match", {"ruleset": "backgammon", "length": 7, "clock": "none"}, CONSOLE)
    session = session_step(session, order, 0.0).session
    spent = now = 0.0
    for frame in frames:
        now, began = frame.seen_at, time.process_time()
        hint = Hint(SEATING, session.state.game.placement, sure_placement(session))
        sight, seen = read_frame(sight, frame, hint)
        session = session_step(session, seen, now).session
        if session.state.phase is Phase.SETTING_UP and now >= BEGIN_S:
            session = session_step(session, Order("start_game", {}, CONSOLE), now).session
        spent += time.process_time() - began
    return session, now, spent


def _is_among(line: PlayLine, true: list[str]) -> bool:
    """Whether that side left that board in one of the turns, whatever it threw."""
    end = f" {line.placement.white} {line.placement.black}"
    return any(each.startswith(line.side.value) and each.endswith(end) for each in true)


def main(size: Size) -> None:
    whole = [game for game in games(read_mat(Path(size.match).read_text())) if is_played_out(game)]
    game, wrong = whole[size.game], 0
    true = truth_of(game, size.turns)
    seeds, paces = size.seeds.split(","), size.paces.split(",")
    for seed, pace in zip((int(s) for s in seeds), (float(p) for p in paces), strict=True):
        board = PaintedBoard.of(seed, oblique=False)
        session, length, spent = played_before(pictures_of(game, pace, size, board))
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
            f" phase {session.state.phase.value}; {spent / length:.0%} of a core",
            flush=True,
        )
        for n, each in enumerate(true, 1):
            if each not in said:
                print(f"  missing: turn {n}, {' '.join(each.split()[:2])}")
        for line in others:
            print(f"  not so: {line.side.value} {line.roll} {line.text} {line.origin.value}")
    if wrong and not size.turns:
        sys.exit(f"{wrong} plays are missing or were not made so")
