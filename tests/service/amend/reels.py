"""Films whose plays are known, as they were read, and faults put into them by hand."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from rules.board import Placement, Seating, Side
from rules.dice import ROLLS, Roll
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import ruleset
from service.film.kept import FilmRead
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import Still, Throw

RULES = ruleset("backgammon")
PACE = 10
"""Frames from one play to the next."""


@dataclass(frozen=True)
class Truth:
    """A play as it was made."""

    side: Side
    roll: Roll
    before: Position
    play: Play


def played(turns: int, seed: int) -> list[Truth]:
    """So many turns of random legal plays; White begins."""
    rng = random.Random(seed)
    position = Position.start(RULES, Side.WHITE)
    found: list[Truth] = []
    while len(found) < turns and not position.is_over:
        roll = rng.choice([r for r in ROLLS if found or not r.is_double])
        legal = list(plays(position, roll))
        play = rng.choice(legal)
        found.append(Truth(position.side, roll, position, play))
        position = position.after(play.view, False)
    return found


def frame_of(number: int) -> int:
    """The frame that first shows the result of the play of this number, from 0."""
    return PACE * (number + 1)


def shown(frame: int, placement: Placement) -> Still:
    """The board at rest, read well."""
    logs = np.full((SITES, CODES), -9.0, np.float32)
    logs[np.arange(SITES), codes_of(placement)] = 0.0
    seen = np.ones(SITES, np.bool_)
    seen[0] = False
    return Still(frame, frame / 2, frame / 2 + 2, logs, seen)


def thrown(number: int, roll: Roll) -> Throw:
    rolls = np.full(len(ROLLS), -9.0)
    rolls[ROLLS.index(roll)] = 0.0
    at = frame_of(number) / 2 - 2
    return Throw(frame_of(number) - 4, at, at + 1, rolls, 0.95)


def read_well(truth: list[Truth]) -> FilmRead:
    """A film in which everything was read rightly."""
    start = Position.start(RULES, Side.WHITE).placement
    stills = [shown(0, start)]
    stills += [shown(frame_of(n), one.play.placement) for n, one in enumerate(truth)]
    throws = [thrown(n, one.roll) for n, one in enumerate(truth)]
    return FilmRead(RULES, Seating(), start, False, None, tuple(stills), tuple(throws))


def apart(one: Placement, other: Placement) -> int:
    return sum(
        abs(a - b)
        for side in Side
        for a, b in zip(one.counts(side), other.counts(side), strict=True)
    )


def with_fault(read: FilmRead, truth: list[Truth], number: int, rng: random.Random) -> FilmRead:
    """The same with the dice of one play taken for others, and a checker seen where those lead,
    until the sites are touched again.
    """
    one = truth[number]
    right = one.play.placement
    others = [
        (apart(play.placement, right), rng.random(), roll, play.placement)
        for roll in ROLLS
        if roll != one.roll
        for play in plays(one.before, roll)
        if play.placement != right
    ]
    _, _, wrong_roll, wrong = min(others, key=lambda other: other[:2])
    misread = {
        side: {
            site: wrong.counts(side)[site]
            for site in range(26)
            if wrong.counts(side)[site] != right.counts(side)[site]
        }
        for side in Side
    }
    stills = list(read.stills)
    for n in range(number, len(truth)):
        still = stills[n + 1]
        stood = truth[n].play.placement
        sides = []
        for side in Side:
            counts = list(stood.counts(side))
            for site, value in list(misread[side].items()):
                if counts[site] != right.counts(side)[site]:
                    del misread[side][site]
                else:
                    counts[site] = value
            sides.append(tuple(counts))
        seen = shown(still.frame, Placement(*sides))
        # What another fault misreads there stays misread.
        differs = seen.logs.argmax(1) != codes_of(stood)
        logs = np.where(differs[:, None], seen.logs, still.logs)
        stills[n + 1] = replace(still, logs=logs)
        if not any(misread.values()):
            break
    throws = list(read.throws)
    throws[number] = thrown(number, wrong_roll)
    return replace(read, stills=tuple(stills), throws=tuple(throws))
