"""Plays: every distinct legal result of a roll. The hardest file of the room, so first what it
does.

A play **is** its result; the moves are an annotation. `plays()` searches die by die from the
mover's view and keeps each result once.

Two rules of this file:

1. *Each rule of a ruleset is written once*: what one die may do is in `rules.one_die`; what a whole
   turn owes is here: as many dice as possible and the higher die in `_search`, the rules that
   prefer some legal results to others in `_FIRST_TURN` and `_HITTING`.
2. *Nothing is remembered between calls.*

The order of the dice matters only for where the search may stop early: two moves that were both
possible at the start can be made in either order, and equal dice can be played from the rearmost
checker forward. The one rule that looks at the board between the dice is a prime that is checked
each step; there, every order is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from struct import error
from typing import Final

from rules.axes import Facing, FirstMoveTriple
from rules.board import Placement, Side
from rules.dice import Roll
from rules.move import Move, write_play
from rules.one_die import (
    ANYWHERE,
    BOARD_BYTES,
    PACKED,
    Boards,
    DiceRules,
    Front,
    own_bits,
    packed_counts,
    steps,
    view_of_number,
)
from rules.position import OBAR_AT, Position, View, placement_of, view_of


@dataclass(frozen=True, slots=True)
class Play:
    """What a side did with its roll: its moves and the view after, still the mover's. No moves is a
    pass.

    `str(play)` is the usual notation, `13/8*(2)`; an empty play reads `no play`.
    """

    moves: tuple[Move, ...]
    view: View
    side: Side
    facing: Facing

    @property
    def placement(self) -> Placement:
        """The absolute placement after the play."""
        return placement_of(self.view, self.facing, self.side)

    def __str__(self) -> str:
        return write_play(self.moves)


def _two_dice(turn: DiceRules, start: Front, high: int, low: int) -> list[list[Boards]]:
    """All that different dice can do: one list of levels a way to stop (both dice, the higher only,
    the lower only).
    """
    after_high: Front = []
    after_low: Front = []
    highs, lows = steps(turn, start, high, after_high), steps(turn, start, low, after_low)
    both = steps(turn, after_high, low)
    if not turn.each_step:
        # What could be played with the higher die at once has been played with it first.
        n, what, allowed = start[0][0], turn.moves.what, ANYWHERE
        for c in highs:
            allowed ^= 1 << what[c - n].source
        after_low = [(c, o, allowed) for c, o, _ in after_low]
    both.update(steps(turn, after_low, high))
    return [[lows | highs, both], [highs], [lows]]


def _equal_dice(turn: DiceRules, start: Front, die: int, count: int) -> list[list[Boards]]:
    """All that `count` equal dice can do, longest first."""
    levels: list[Boards] = []
    front = start
    while front and len(levels) < count:
        after: Front = []
        made = steps(
            turn, front, die, after if len(levels) < count - 1 else None, not turn.each_step
        )
        if made:
            levels.append(made)
        # Where every order is searched, many lead to the same board.
        front = (
            list({c: (c, o, allowed) for c, o, allowed in after}.values())
            if turn.each_step
            else after
        )
    return [levels[:k] for k in range(len(levels), 0, -1)]


def _search(
    position: Position, roll: Roll
) -> tuple[int, DiceRules, list[list[Boards]], list[Boards]]:
    """The start board, the turn, every way to stop, and the levels whose last are the legal
    results.
    """
    rules = position.ruleset
    board = PACKED.pack(*position.view)
    n, own = int.from_bytes(board, "little"), own_bits(board)
    turn = DiceRules(position, roll, board)
    if roll.high == roll.low:
        ways = _equal_dice(turn, [(n, own, ANYWHERE)], roll.high, rules.doubles)
    else:
        ways = _two_dice(turn, [(n, own, ANYWHERE)], roll.high, roll.low)
        if not rules.higher_die:
            # Free choice of the one die.
            ways[1:] = [[ways[1][0] | ways[2][0]]]
    if turn.refused is not None and not turn.each_step:
        refused = turn.refused
        for way in ways:
            way[-1] = {
                c: p for c, p in way[-1].items() if not refused(c, own_bits(packed_counts(c)))
            }
    levels = next((way for way in ways if way[-1]), [{n: n}])
    first = _FIRST_TURN[rules.first_move_triple] if position.first_turn else None
    for preferred in (first, _HITTING[rules.mandatory_hit]):
        if preferred is not None:
            before, results = position.view, levels[-1]
            kept = {c: p for c, p in results.items() if preferred(before, view_of_number(c))}
            levels = [*levels[:-1], kept or results]
    return n, turn, ways, levels


# Rules that prefer some legal results to others, by what an axis says: does this one, of the view
# before and the view after, count among the preferred? Where none does, all stay legal.


def _no_new_triple(before: View, after: View) -> bool:
    """Whether no stack of three or more stands where there was none."""
    return not any(now >= 3 > was for was, now in zip(before[:24], after[:24], strict=True))


def _hits(before: View, after: View) -> bool:
    return after[OBAR_AT] > before[OBAR_AT]


Preference = Callable[[View, View], bool]
_FIRST_TURN: Final[Mapping[FirstMoveTriple, Preference | None]] = {
    FirstMoveTriple.ALLOWED: None,
    FirstMoveTriple.AVOID: _no_new_triple,
}
_HITTING: Final[Mapping[bool, Preference | None]] = {False: None, True: _hits}


class Plays:
    """Every legal play of a roll, one a distinct result: `placement in plays`, iterate, `len`,
    `bool`.

    A roll that cannot be played has one play, without moves, whose result is the position itself;
    `bool` is False then (neshast).
    """

    def __init__(self, position: Position, roll: Roll) -> None:
        self.position, self.roll = position, roll
        self._start, self._turn, self._ways, self._levels = _search(position, roll)

    def views(self) -> Iterator[View]:
        """The view after each play, still the mover's, each once."""
        # Where departures from the head are counted, the same board may come with two counts.
        boards = (
            {n & BOARD_BYTES for n in self._levels[-1]} if self._turn.head else self._levels[-1]
        )
        return PACKED.iter_unpack(b"".join([n.to_bytes(28, "little") for n in boards]))

    @property
    def results(self) -> set[View]:
        """The views as a set."""
        return set(self.views())

    def __iter__(self) -> Iterator[Play]:
        return self.where(lambda _: True)

    def where(self, chosen: Callable[[View], bool]) -> Iterator[Play]:
        """The plays whose view after, still the mover's, is chosen, each once, in the same order as
        all of them.
        """
        seen: set[View] = set()
        for n in self._levels[-1]:
            view = view_of_number(n)
            if view not in seen and chosen(view):
                seen.add(view)
                yield self._play(self._levels, n)

    def _play(self, levels: list[Boards], n: int) -> Play:
        """With its moves, in the order that they were searched in."""
        view = view_of_number(n)
        moves: list[Move] = []
        for level in reversed(levels):
            if n == self._start:
                break
            moves.append(self._turn.moves.what[n - level[n]])
            n = level[n]
        return Play(tuple(reversed(moves)), view, self.position.side, self.position.ruleset.facing)

    def __len__(self) -> int:
        return len(self.results) if self._turn.head else len(self._levels[-1])

    def __bool__(self) -> bool:
        return self._start not in self._levels[-1]

    def __contains__(self, placement: object) -> bool:
        return isinstance(placement, Placement) and self.find(placement) is not None

    def find(self, placement: Placement) -> Play | None:
        """The play that leaves the board so, if one does."""
        view = view_of(placement, self.position.ruleset.facing, self.position.side)
        return None if view is None else self.with_result(view)

    def with_result(self, view: View) -> Play | None:
        """The play with this view after, if one has it."""
        return self._find(self._levels, view)

    def stopped_short(self, view: View) -> Play | None:
        """The play with this view after that follows every rule of moving but may leave out what
        the whole turn owes.
        """
        return next((play for way in self._ways if (play := self._find(way, view))), None)

    def _find(self, levels: list[Boards], view: View) -> Play | None:
        try:
            wanted = int.from_bytes(PACKED.pack(*view), "little")
        except error:
            return None
        if not self._turn.head:
            return self._play(levels, wanted) if wanted in levels[-1] else None
        return next((self._play(levels, n) for n in levels[-1] if n & BOARD_BYTES == wanted), None)


def plays(position: Position, roll: Roll) -> Plays:
    """Every legal play of a roll: see `Plays`."""
    return Plays(position, roll)
