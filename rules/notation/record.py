"""A match as a record: what was agreed, who played, and every action in order.

Each codec here reads into one or writes one out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.apply import apply
from rules.board import Placement, Side
from rules.game import Action, ActionError, Corrected, Game, NextGame, PointsAdjusted
from rules.match import Match, MatchRules
from rules.notation.errors import MOST_RESULTS, NotationError
from rules.position import Position, View, placement_of

AS_RECORDED: Final = "the result as recorded"
"""Reason of an adjustment that makes a game count what its file says it counted."""


@dataclass(frozen=True)
class MatchRecord:
    """`tags` are what files say beside the game: Event, Round, Site, EventDate ("YYYY.MM.DD"),
    Transcriber and the like.

    `remarks` are what a reader noticed and could not carry.
    """

    rules: MatchRules
    names: Mapping[Side, str]
    actions: tuple[Action, ...]
    tags: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = field(default=(), compare=False)

    def start(self) -> Match:
        return Match.start(self.rules, self.names)

    def replay(self) -> Iterator[tuple[Match, Action, Match]]:
        """Each action with the match before and after it.

        Raises NotationError at an action that cannot be.
        """
        match = self.start()
        for number, action in enumerate(self.actions, start=1):
            try:
                after = apply(match, action)
            except ActionError as error:
                raise NotationError(f"action {number}, {type(action).__name__}: {error}") from None
            yield match, action, after
            match = after

    def final(self) -> Match:
        match = self.start()
        for _, _, after in self.replay():
            match = after
        return match


class Breadth:
    """How many boards the rolls of a match could lead to so far, roughly: what checking its plays
    costs a reader. A file is refused before that takes long.
    """

    def __init__(self) -> None:
        self.results = 0

    def add(self, game: Game) -> bool:
        """Counts the roll that is to be played; whether the match is still one to go on reading."""
        if game.side is not None and game.roll is not None:
            stacks = sum(n > 0 for n in game.placement.counts(game.side)[1:])
            steps = game.ruleset.doubles if game.roll.is_double else 2
            # Each step begins at some stack, and their order does not matter.
            self.results += math.comb(stacks + steps, steps)
        return self.results <= MOST_RESULTS


TOO_BROAD: Final = "the rolls of this match have more plays than those of any real one"


@dataclass(frozen=True)
class GameRecord:
    """The part of a record that is one game: (match before, action, match after) each."""

    steps: tuple[tuple[Match, Action, Match], ...]
    before: Match
    number: int

    @property
    def after(self) -> Match:
        return self.steps[-1][2] if self.steps else self.before

    @property
    def opening(self) -> Match:
        """The match when the game's first dice fell: a record may begin with a score, and after the
        Crawford game.
        """
        for match, action, _ in self.steps:
            if not isinstance(action, PointsAdjusted) and not _no_more_than_told(action):
                return match
        return self.after

    @property
    def gain(self) -> tuple[Side | None, int]:
        """(winner, points) as the file has them that the game came from; (None, 0) for a game
        without a result, or that counts for nobody.

        A site that counts less than the game was worth is followed; rulings are no part of a game.
        """
        result = self.after.game.result
        if result is None:
            return None, 0
        gained = dict.fromkeys(Side, 0) | {result.winner: result.points}
        for _, action, _ in self.steps:
            if isinstance(action, PointsAdjusted) and action.reason == AS_RECORDED:
                gained[action.side] += action.points
        winner = max(Side, key=gained.__getitem__)
        return (winner, gained[winner]) if gained[winner] > 0 else (None, 0)


def _no_more_than_told(action: Action) -> bool:
    """Whether a correction says something of the match alone, nothing of the board."""
    return isinstance(action, Corrected) and action == Corrected(
        score=action.score,
        length=action.length,
        crawford_played=action.crawford_played,
        reason=action.reason,
    )


def games(record: MatchRecord) -> list[GameRecord]:
    """The record game by game; what happens between games belongs to the game before it."""
    found: list[GameRecord] = []
    steps: list[tuple[Match, Action, Match]] = []
    before = record.start()
    for match, action, after in record.replay():
        if isinstance(action, NextGame):
            found.append(GameRecord(tuple(steps), before, match.game.number))
            steps, before = [], after
        else:
            steps.append((match, action, after))
    found.append(GameRecord(tuple(steps), before, before.game.number))
    return found


def moved(position: Position, pairs: list[tuple[int, int]]) -> Placement | None:
    """The board after checkers went from source to target (mover's numbering, 25 bar, 0 off), blots
    landed on hit; None where none stood.

    Legal or not: what a file says was done. Pairs may come in any order.
    """
    view = list(position.view)
    own = [view[25], *(max(n, 0) for n in view[:24]), view[24]]
    opp = [0, *(max(-n, 0) for n in view[:24])]
    obar = view[26]
    for source, target in pairs:
        own[source] -= 1
        own[target] += 1
        if 1 <= target <= 24 and opp[target]:
            if opp[target] > 1:
                return None
            opp[target] = 0
            obar += 1
    if min(own) < 0:
        return None
    after: View = (*(own[p] - opp[p] for p in range(1, 25)), own[25], own[0], obar, view[27])
    return placement_of(after, position.ruleset.facing, position.side)
