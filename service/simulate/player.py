"""Players that play like people: not well, but forwards, and sometimes against the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.axes import Landing
from rules.board import BAR, OFF, Placement
from rules.dice import Roll
from rules.judge import rolls_explaining
from rules.play import Play, plays
from rules.position import OFF_AT, Position, placement_of
from rules.race import is_race
from rules.ruleset import Ruleset

Maker: TypeAlias = Callable[[Position, Roll, list[Play], random.Random], Placement | None]
"""Makes one kind of misplay of a roll, given its legal plays: what stands there after, None where
this position allows none.
"""


def choose(position: Position, legal: list[Play], rng: random.Random) -> Play:
    """A plausible play: hits, makes points, leaves few blots, gets home; with some whim."""
    if len(legal) == 1:
        return legal[0]
    claim = position.ruleset.landing is Landing.CLAIM
    free = claim or is_race(position)
    return max(
        legal,
        key=lambda play: (
            _worth(play.view, claim) + rng.gauss(0, 0.8) + BORNE_OFF * free * play.view[OFF_AT]
        ),
    )


BORNE_OFF: Final = 3.0
"""What a checker borne off is worth more where none can be hit any more: then people bear off fewer
than they could in one turn of forty-six (14 of 642 in matches that people played).
"""


def _worth(view: tuple[int, ...], claim: bool) -> float:
    """How good a result looks to a club player, in no unit; `claim`: one checker holds a point."""
    own = view[:24]
    if claim:
        return (
            0.4 * sum(n > 0 for n in own)
            + 1.5 * view[25]
            - 0.06 * sum((p + 1) * n for p, n in enumerate(own) if n > 0)
        )
    made = sum(1.0 if n >= 2 else 0.0 for n in own) + 0.5 * sum(1.0 for n in own[:6] if n >= 2)
    blots = sum(1.0 + (p < 12) * 0.3 for p, n in enumerate(own) if n == 1)
    return (
        made
        - 0.7 * blots
        + 2.0 * view[26]
        + 1.5 * view[25]
        - 0.02 * sum((p + 1) * n for p, n in enumerate(own) if n > 0)
    )


@dataclass(frozen=True, slots=True)
class Misplay:
    """An illegal play: its kind and what stands there after.

    `explained`: a legal play of another roll leaves the board just so.
    """

    kind: str
    placement: Placement
    explained: bool


def misplay(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Misplay | None:
    """One illegal play of a kind that this position allows, None when none was found."""
    return misplay_of(tuple(_KINDS), position, roll, legal, rng)


def misplay_of(
    kinds: Sequence[str], position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Misplay | None:
    """One illegal play of one of these kinds, None when this position allows none."""
    kinds = list(kinds)
    rng.shuffle(kinds)
    results = {play.placement for play in legal}
    for kind in kinds:
        for _ in range(4):
            after = _KINDS[kind](position, roll, legal, rng)
            if (
                after is None
                or after in results
                or after == position.placement
                or min(after.white) < 0
                or min(after.black) < 0
            ):
                continue
            if after.total(position.side) == after.counts(position.side)[OFF]:
                # The game is over, and a play that ends the game is never an infraction.
                continue
            return Misplay(kind, after, bool(rolls_explaining(position, after)))
    return None


def _after_step(
    position: Position, view: tuple[int, ...], source: int, target: int
) -> Placement | None:
    """The placement after one checker of the mover goes over anything from source to target.

    Sites in the mover's own numbering; a blot is hit. None when no checker stands at the source.
    """
    own = list(view)
    at = 24 if source == BAR else source - 1
    if own[at] <= 0:
        return None
    own[at] -= 1
    if target <= OFF:
        own[25] += 1
    elif own[target - 1] >= 0:
        own[target - 1] += 1
    elif own[target - 1] == -1 and position.ruleset.landing is Landing.HIT:
        own[target - 1] = 1
        own[26] += 1
    else:
        # On top of the opponent's point: both stand there, which no view can say.
        placement = placement_of(tuple(own), position.ruleset.facing, position.side)
        probe = [0] * 28
        probe[target - 1] = 1
        site = (
            placement_of(tuple(probe), position.ruleset.facing, position.side)
            .counts(position.side)
            .index(1)
        )
        counts = list(placement.counts(position.side))
        counts[site] += 1
        return placement.with_counts(position.side, tuple(counts))
    return placement_of(tuple(own), position.ruleset.facing, position.side)


def _sources(view: tuple[int, ...]) -> list[int]:
    return [p + 1 for p in range(24) if view[p] > 0] + ([BAR] if view[24] else [])


def _play_with_moves(legal: list[Play], rng: random.Random) -> Play | None:
    """One of the legal plays that moves a checker, None when none does."""
    made = [play for play in legal if play.moves]
    return rng.choice(made) if made else None


def _wrong_die(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """A miscount: one checker of a legal play a point or two off."""
    play = _play_with_moves(legal, rng)
    if play is None:
        return None
    move = rng.choice(play.moves)
    if move.target == OFF:
        return None
    other = move.target + rng.choice((-1, 1, -2, 2))
    if not 1 <= other <= 24 or play.view[move.target - 1] <= 0 or play.view[other - 1] < 0:
        return None
    view = list(play.view)
    view[move.target - 1] -= 1
    view[other - 1] += 1
    return placement_of(tuple(view), position.ruleset.facing, position.side)


def _one_die(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """Pressed after one move though more could be played."""
    play = _play_with_moves(legal, rng)
    if play is None or len(play.moves) < 2:
        return None
    move = play.moves[0]
    return _after_step(position, position.view, move.source, move.target)


def _backwards(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """One checker moved the wrong way."""
    source = rng.choice(_sources(position.view))
    target = source + rng.choice((roll.high, roll.low))
    if target > 24 or source == BAR or position.view[target - 1] < 0:
        return None
    return _after_step(position, position.view, source, target)


def _blocked(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """Set down on a point that the opponent holds."""
    wall = -1 if position.ruleset.landing is Landing.CLAIM else -2
    options = [
        (s, s - d)
        for s in _sources(position.view)
        for d in (roll.high, roll.low)
        if 1 <= s - d <= 24
        and position.view[s - d - 1] <= wall
        and (not position.view[24] or s == BAR)
    ]
    return _after_step(position, position.view, *rng.choice(options)) if options else None


def _bar_ignored(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """Another checker moved with one on the bar."""
    if not position.view[24]:
        return None
    sources = [s for s in _sources(position.view) if s != BAR]
    if not sources:
        return None
    source = rng.choice(sources)
    target = source - rng.choice((roll.high, roll.low))
    return (
        _after_step(position, position.view, source, target)
        if target >= 1 and position.view[target - 1] >= 0
        else None
    )


def _off_early(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """Borne off with a checker outside the home table."""
    if not any(n > 0 for n in position.view[6:24]) and not position.view[24]:
        return None
    sources = [s for s in _sources(position.view) if s <= 6]
    return _after_step(position, position.view, rng.choice(sources), OFF) if sources else None


def _relaxed(
    relax: Callable[[Ruleset], Ruleset],
) -> Maker:
    """A kind of misplay: a play that the same rules with an axis relaxed allow."""

    def make(
        position: Position, roll: Roll, legal: list[Play], rng: random.Random
    ) -> Placement | None:
        loose = relax(position.ruleset)
        if loose == position.ruleset:
            return None
        found = list(plays(replace(position, ruleset=loose), roll))
        return rng.choice(found).placement if found else None

    return make


def _opponents(
    position: Position, roll: Roll, legal: list[Play], rng: random.Random
) -> Placement | None:
    """One of the opponent's checkers moved by one of the dice, its own way."""
    theirs = position.turned()
    source = rng.choice(_sources(theirs.view)) if _sources(theirs.view) else BAR
    target = source - rng.choice((roll.high, roll.low))
    if source == BAR or target < 1 or theirs.view[target - 1] < 0:
        return None
    return _after_step(theirs, theirs.view, source, target)


_KINDS: Final[dict[str, Maker]] = {
    "wrong_die": _wrong_die,
    "one_die": _one_die,
    "backwards": _backwards,
    "blocked": _blocked,
    "bar_ignored": _bar_ignored,
    "off_early": _off_early,
    "higher_die": _relaxed(lambda rules: replace(rules, higher_die=False)),
    "head": _relaxed(lambda rules: replace(rules, head_limit=0)),
    "prime": _relaxed(lambda rules: replace(rules, prime_length=0)),
    "doubles": _relaxed(lambda rules: replace(rules, doubles=4)),
    "opponents": _opponents,
}


def placements_between(position: Position, play: Play) -> list[Placement]:
    """The board after each move of a play, the last one excluded: what stands there while the play
    is being made.
    """
    steps: list[Placement] = []
    view = position.view
    for move in play.moves[:-1]:
        after = _after_step(replace(position, view=view), view, move.source, move.target)
        if after is None:
            break
        steps.append(after)
        own, other = after.counts(position.side), after.counts(position.side.other)
        if any(own[s] and other[s] for s in range(1, 25)):
            break
        view = Position.of(after, position.ruleset, position.side).view
    return steps
