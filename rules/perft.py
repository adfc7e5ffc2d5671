"""Perft: how many distinct plays there are, summed over the rolls, so that two generators can be
compared by one number.

A perft file is data, one case a line: `ruleset [axis=value ...] | view | roll or * | first turn 0
or 1 | depth | count`; the view is 28 numbers, or `start`. When a count is wrong, `split` says roll
by roll and play by play where.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rules.board import Side
from rules.dice import ROLLS, Roll
from rules.play import plays
from rules.position import Position
from rules.ruleset import Ruleset, ruleset


def perft(
    position: Position, depth: int, roll: Roll | None = None, second_first_turn: bool = False
) -> int:
    """Distinct plays after `depth` turns, over all 21 rolls of each turn or over one for the first.

    `second_first_turn`: the opponent's next turn is its first of the game. A finished game has no
    more plays.
    """
    return sum(split(position, depth, roll, second_first_turn).values())


def split(
    position: Position, depth: int, roll: Roll | None = None, second_first_turn: bool = False
) -> Mapping[str, int]:
    """The count of each roll, `31`, or with depth above 1 of each play of each roll, `31 8/5 6/5`.

    Raises ValueError below depth 1.
    """
    if depth < 1:
        raise ValueError(f"perft looks at 1 turn or more; got {depth}")
    found: dict[str, int] = {}
    for thrown in ROLLS if roll is None else (roll,):
        if position.is_over:
            continue
        legal = plays(position, thrown)
        if depth == 1:
            found[str(thrown)] = len(legal)
            continue
        for play in legal:
            after = position.after(play.view, second_first_turn)
            found[f"{thrown} {play}"] = perft(after, depth - 1)
    return found


@dataclass(frozen=True)
class PerftCase:
    """One line of a perft file."""

    position: Position
    roll: Roll | None
    depth: int
    count: int
    line: int
    second_first_turn: bool

    def counted(self) -> int:
        return perft(self.position, self.depth, self.roll, self.second_first_turn)

    def split(self) -> Mapping[str, int]:
        return split(self.position, self.depth, self.roll, self.second_first_turn)


def read_cases(text: str) -> Iterator[PerftCase]:
    """The cases of a perft file. Raises ValueError naming the line."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", maxsplit=1)[0].strip()
        if not words:
            continue
        try:
            name, view, dice, first, depth, count = (part.strip() for part in words.split("|"))
            rules = _ruleset(name)
            starts = view == "start"
            if starts:
                position = Position.start(rules, Side.WHITE)
            else:
                position = Position(
                    rules, Side.WHITE, tuple(int(n) for n in view.split()), first == "1"
                )
            roll = None if dice == "*" else Roll.of(int(dice[0]), int(dice[1]))
            yield PerftCase(position, roll, int(depth), int(count), number, starts)
        except (ValueError, IndexError) as error:
            raise ValueError(f"line {number}: {error}") from None


def _ruleset(words: str) -> Ruleset:
    name, *options = words.split()
    return ruleset(name, dict(option.split("=", 1) for option in options))
