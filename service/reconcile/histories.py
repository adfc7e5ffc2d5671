"""Stories that explain what was seen over several turns, chains of turns with their cost, and how
sure the best one's are.

A turn is sure only by its distance from the best story without it. Stories that meet again in the
same position are compared where they part, and the turns between carry the gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from rules.board import BySide, Side
from rules.dice import Roll
from rules.position import Position
from service.reconcile import hypotheses
from service.reconcile.arrays import F32, Bools
from service.reconcile.codes import SITES, Codes, codes_of
from service.reconcile.reel import Costs, ReadTurn, Still, Turn
from service.reconcile.rolls import LOG_PRIOR

MEMORY: Final = 4
"""Stills for which a story remembers what each site was charged."""


@dataclass(eq=False)
class StoryTurn:
    """One turn of a story, in a chain with those `before`; `number` counts from 0.

    `gap`: how far behind, in nats, the best story without it lies; `placed`: the best in which
    something else stood there after it, whatever was rolled. `rivals`: stories that came to the
    same position as the one that ends here, each with how much dearer it was; they count when
    this one turns out to be part of the best.
    """

    turn: Turn
    before: StoryTurn | None
    number: int
    cost: float = 0.0
    """Of the whole story when the turn was completed, nats."""
    between_nats: float = 0.0
    """How much of that setting up checkers between games cost."""
    gap: float = math.inf
    placed: float = math.inf
    rivals: list[tuple[StoryTurn | None, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class TurnMade:
    """A turn that a story takes up: its roll, the `codes` (26,) and the mover's `view` it leaves.

    `throw`: index of the throw it used, None when none was seen; `throws`: throws before this index
    are used or passed over then. `cost` of the whole story then, nats; `other_rolls`: P(another
    roll made the same board); `price`: what a turn against the rules costs, nats.
    """

    roll: Roll
    codes: Codes
    view: tuple[int, ...]
    throw: int | None
    throws: int
    cost: float
    other_rolls: float
    price: float | None = None


def no_charges() -> F32:
    """(MEMORY, 26) zeros: nothing was charged of late."""
    return np.zeros((MEMORY, SITES), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """A way to explain the film so far: where it stands (`position`, `codes` (26,)), its `cost`."""

    position: Position
    codes: Codes
    cost: float = 0.0
    recent: F32 = field(default_factory=no_charges)
    """(MEMORY, 26) what each site was charged in the last stills, the newest first."""
    throws: int = 0
    """Throws before this index are used or passed over."""
    last: StoryTurn | None = None
    since: int = -1
    """Still at which the last turn ended."""
    first: BySide[bool] = field(default_factory=lambda: BySide.both(True))
    """Whether a side's own first turn is still to come."""
    game: int = 1
    askew: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """(26,) neighbours that were charged as one error, a checker that lay between them: one that
    lies there still when the next turn was made is none."""
    owed: float = 0.0
    """What neighbours paid in full because they lay askew still when the next turn was made, nats:
    it is given back when they read rightly without having been played from."""
    owed_at: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    between: bool = False
    """The game is over, or given up, and checkers are set up for the next one."""
    between_nats: float = 0.0
    """What that cost between all games by now, nats."""

    @classmethod
    def opening_at(cls, position: Position) -> Story:
        """The story that begins with this position and has no turn yet."""
        return cls(position, codes_of(position.placement), first=BySide.both(position.first_turn))

    def with_turn(self, made: TurnMade, number: int, still: Still) -> Story:
        """The story after one more turn, whose result the still of this number is first to show."""
        side = self.position.side
        first = self.first.put(side, False)
        turn = Turn(
            self.position,
            made.roll,
            made.view,
            made.throw,
            still.frame,
            still.at,
            self.game,
            made.other_rolls,
            made.price,
        )
        count = self.last.number + 1 if self.last else 0
        return replace(
            self,
            position=self.position.after(made.view, first[side.other]),
            codes=made.codes,
            cost=made.cost,
            recent=no_charges(),
            throws=made.throws,
            last=StoryTurn(turn, self.last, count, made.cost, self.between_nats),
            since=number,
            first=first,
        )


def turns_back(last: StoryTurn | None) -> Iterator[StoryTurn]:
    """The turns of a story from its last to its first."""
    while last is not None:
        yield last
        last = last.before


def note_gap(winner: StoryTurn | None, loser: StoryTurn | None, gap: float) -> None:
    """Note the gap on every turn that the winner has and the loser has not."""
    mine: list[StoryTurn] = []
    a, b = winner, loser
    theirs: set[tuple[int, Side, Roll, tuple[int, ...]]] = set()
    boards: set[tuple[int, Side, tuple[int, ...]]] = set()
    while a is not b:
        if a is not None and (b is None or a.number >= b.number):
            mine.append(a)
            a = a.before
        else:
            assert b is not None
            theirs.add(_same_turn(b.turn))
            boards.add((b.turn.game, b.turn.side, b.turn.view))
            b = b.before
    for each in mine:
        if _same_turn(each.turn) not in theirs:
            each.gap = min(each.gap, gap)
        if (each.turn.game, each.turn.side, each.turn.view) not in boards:
            each.placed = min(each.placed, gap)


@dataclass(frozen=True, slots=True)
class Marked:
    """Where the stories were before the still of this number, to go on from there again."""

    still: int
    stories: tuple[Story, ...]
    rivals: tuple[tuple[StoryTurn, int], ...]
    """Every turn of theirs, and how many rivals it had."""

    @classmethod
    def before(cls, still: int, stories: Sequence[Story]) -> Marked:
        """The mark of these stories."""
        turns: dict[int, StoryTurn] = {}
        for story in stories:
            for turn in turns_back(story.last):
                if id(turn) in turns:
                    break
                turns[id(turn)] = turn
        return cls(still, tuple(stories), tuple((t, len(t.rivals)) for t in turns.values()))

    def again(self) -> list[Story]:
        """The stories as they were then: what was noted on their turns since is taken back."""
        for turn, count in self.rivals:
            del turn.rivals[count:]
            turn.gap = turn.placed = math.inf
        return list(self.stories)


def _same_turn(turn: Turn) -> tuple[int, Side, Roll, tuple[int, ...]]:
    """What two stories' turns are compared by: game, side, roll, and the view that is left."""
    return (turn.game, turn.side, turn.roll, turn.view)


def note_all_gaps(stories: Sequence[Story]) -> None:
    """Note on the turns of the best story, which comes first, how far behind all others lie."""
    best = stories[0]
    for other in stories[1:]:
        note_gap(best.last, other.last, other.cost - best.cost)
    for each in turns_back(best.last):
        for rival, gap in each.rivals:
            note_gap(each, rival, gap)


def read_turns(best: Story, tuning: Costs) -> tuple[ReadTurn, ...]:
    """The best story's turns with their confidence: by the gaps noted, by other rolls of the same
    board, and by how badly it fits around them.
    """
    chain = list(turns_back(best.last))[::-1]
    misfit = _misfits(best, chain, tuning)
    result: list[ReadTurn] = []
    for n, each in enumerate(chain):
        around = max(misfit[max(n - 1, 0) : n + 3])
        sure, left = (1 / (1 + math.exp(-min(gap, 40.0))) for gap in (each.gap, each.placed))
        confidence = sure * fits(around, tuning.misfit) * (1 - each.turn.other_rolls)
        itself = max(misfit[n : n + 2])
        placed = left * fits(itself, tuning.misfit)
        result.append(ReadTurn(each.turn, each.gap, confidence, around, placed, left, itself))
    return tuple(result)


def fits(misfit: float, doubtful: float) -> float:
    """The probability that a story with so many unexplained nats around a turn is right about it,
    where it is as likely wrong as right with a `doubtful` number of them.
    """
    return 1 / (1 + math.exp(min((misfit - doubtful) / 2.0, 40.0)))


def _misfits(best: Story, chain: Sequence[StoryTurn], tuning: Costs) -> list[float]:
    """Nats charged from one turn to the next beyond what every turn costs, one a turn; last, what
    came after the last.
    """
    misfit = [
        each.cost - (each.before.cost if each.before else 0.0) - least_cost(each.turn)
        for each in chain
    ]
    misfit.append(best.cost - (chain[-1].cost if chain else 0.0))
    for n, each in enumerate(chain[1:], start=1):
        before = chain[n - 1].turn
        if each.turn.game != before.game:
            # The next game began: that explains what setting it up cost.
            misfit[n] -= each.between_nats - chain[n - 1].between_nats
        elif each.turn.position.placement != before.position.after(before.view).placement:
            # The story was lost between these two.
            misfit[n] = max(misfit[n], tuning.lost)
        elif each.turn.side is before.side:
            # What a turn out of turn costs explains it.
            misfit[n] -= tuning.out_of_turn
    return misfit


def least_cost(turn: Turn) -> float:
    """What any turn costs, nats: the chance of its play among the legal ones, and of its roll where
    no dice showed it; or that of a turn against the rules.
    """
    if turn.price is not None:
        return turn.price
    share = hypotheses.legal(turn.position, turn.roll).share_of(turn.view)
    rolled = 0.0 if turn.throw is not None else LOG_PRIOR[hypotheses.ROLL_INDEX[turn.roll]]
    return -share - float(rolled)
