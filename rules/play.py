"""Plays: every distinct legal result of a roll. The hardest file of the room, so first what it
does.

A play **is** its result; the moves are an annotation. `plays()` searches die by die from the
mover's view and keeps each result once.

Two rules of this file:

1. *Each rule of a ruleset is written once*: what one die may do is `_steps` (landing, entry, bar
   first, bearing off, contact, head) and
   `_prime_test`; what a whole turn owes (as many dice as possible, the higher die, triples,
   mandatory hits) is `_search` and `_chosen`.
2. *Nothing is remembered between calls.* The tables below are arithmetic of the board, not results.

What is awkward: Python is slow, so the board is one whole number, 28 bytes in the order of a view
(byte 0 = point 1 ... 23 = point 24, bar, off, opponent's bar, opponent's off), each byte a signed
count. A move is then one addition, results are compared and kept as numbers, and `struct` turns a
number into the 28-tuple at once. No addition ever carries from one byte into the next, because each
move knows what stands on its target: an opponent's blot is byte 0xff, so hitting it adds 1 - 0xff
there. Above the 28 bytes a 29th counts checkers that left the head, where the ruleset has one.
Beside the number goes `own`, a bit for each site with a checker of the mover's (bit 1-24 points,
bit 25 bar).

The order of the dice matters only for where the search may stop early: two moves that were both
possible at the start can be made in either order, and equal dice can be played from the rearmost
checker forward. The one rule that looks at the board between the dice is a prime that is checked
each step; there, every order is searched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct, error
from typing import Final

from rules.axes import (
    HOME,
    Bearoff,
    Contact,
    EntryRule,
    Facing,
    FirstMoveTriple,
    HeadFirstTurn,
    Landing,
    PrimeChecked,
)
from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.position import BAR_AT, OBAR_AT, OOFF_AT, Position, View, placement_of, view_of
from rules.ruleset import Ruleset

_VIEW: Final = Struct("28b")
_OWN: Final = bytes(b"1"[0] if 0 < n < 128 else b"0"[0] for n in range(256))
_BLOT: Final = bytes(b"1"[0] if n == 255 else b"0"[0] for n in range(256))
_HELD: Final = bytes(b"1"[0] if 128 <= n < 255 else b"0"[0] for n in range(256))
_BAR_BIT: Final = 1 << BAR
_ALL: Final = (1 << 26) - 1
_POINTS: Final = (1 << 25) - 2
_OUTSIDE: Final = 1 << (HOME + 1)
_BOARD: Final = (1 << 224) - 1
"""The 28 bytes without the head's counter."""
_BITS_LOW: Final = tuple(tuple(s for s in range(13) if m >> s & 1) for m in range(1 << 13))
_BITS_HIGH: Final = tuple(tuple(s + 13 for s in range(13) if m >> s & 1) for m in range(1 << 13))


@dataclass(frozen=True, slots=True)
class Move:
    """One checker by one die, in the mover's numbering: 25 is the bar, 0 off."""

    source: int
    target: int
    hit: bool = False


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
        from rules.notation.plays import write_play

        return write_play(self.moves)


def _byte(site: int) -> int:
    """The weight of a view's byte for a site of the mover: points and bar by number, off is byte
    25.
    """
    return 1 << 8 * (25 if site == OFF else site - 1)


@dataclass(frozen=True)
class _Moves:
    """What each move adds to the number, `[die][source]`, and what each such sum was."""

    quiet: tuple[tuple[int, ...], ...]
    hit: tuple[tuple[int, ...], ...]
    lift: tuple[int, ...]
    """Added beside a move that takes the only checker off a blot it stood on (contact at the end of
    the turn): the blot is as before.
    """
    what: dict[int, Move]


@functools.cache
def _moves(head: int) -> _Moves:
    """Tables for a ruleset that counts checkers leaving `head` (0: none does)."""
    left = {head: 1 << 224} if head else {}
    # An opponent's blot, 0xff, becomes the mover's checker, 1; a lifted checker, 1 and 0 without
    # it, becomes the blot again.
    hit_gain = (1 - 0xFF) - 1
    obar = 1 << 8 * OBAR_AT
    lift = tuple(0xFF * _byte(s) - obar if 1 <= s <= 24 else 0 for s in range(26))
    none: tuple[int, ...] = (0,) * 26
    quiet, hit = [none], [none]
    what: dict[int, Move] = {}
    for die in range(1, 7):
        q, h = [0] * 26, [0] * 26
        for s in range(1, 26):
            t = max(s - die, OFF)
            q[s] = _byte(t) - _byte(s) + left.get(s, 0)
            h[s] = q[s] + hit_gain * _byte(t) + obar if t else q[s]
            for add, is_hit in ((q[s], False), (h[s], True)):
                if t or not is_hit:
                    what[add] = what[add + lift[s]] = Move(s, t, is_hit)
        quiet.append(tuple(q))
        hit.append(tuple(h))
    return _Moves(tuple(quiet), tuple(hit), lift, what)


_PLAIN: Final = _moves(0)
_BYTE: Final = tuple(0xFF * _byte(s) if s else 0 for s in range(26))
_TARGET_BIT: Final = tuple(
    tuple(1 << s - die if s > die else 0 for s in range(26)) for die in range(7)
)

# What an entering checker needs beyond the landing rule, by axis: (number of the board, target) ->
# may it enter.


def _count(n: int, point: int) -> int:
    """Checkers on a point, of whichever side."""
    byte = n >> 8 * (point - 1) & 0xFF
    return byte if byte < 128 else 256 - byte


_ENTRY: Final[dict[EntryRule, Callable[[int, int], bool] | None]] = {
    EntryRule.OPEN: None,
    EntryRule.EMPTY: lambda n, point: _count(n, point) == 0,
    EntryRule.NO_STACK: lambda n, point: _count(n, point) < 2,
}


class _Turn:
    """What stays the same while one roll is played: the board's walls and blots, and the rules that
    this ruleset adds to the plain ones.
    """

    __slots__ = (
        "blots",
        "each_step",
        "entry",
        "exact",
        "free",
        "head",
        "head_left",
        "lifts",
        "moves",
        "refused",
    )

    def __init__(self, position: Position, roll: Roll, board: bytes) -> None:
        rules = position.ruleset
        points = board[23::-1]
        self.blots = int(points.translate(_BLOT), 2) << 1
        held = int(points.translate(_HELD), 2) << 1
        if rules.landing is Landing.CLAIM:
            held |= self.blots
            self.blots = 0
        self.free = ~held & _POINTS
        self.exact = rules.bearoff is Bearoff.EXACT
        self.moves = _PLAIN
        self.entry: Callable[[int, int], bool] | None = None
        self.refused: Callable[[int, int], bool] | None = None
        self.head = self.head_left = self.lifts = 0
        self.each_step = False
        if not rules.is_plain:
            self._add(rules, position, roll)

    def _add(self, rules: Ruleset, position: Position, roll: Roll) -> None:
        self.entry = _ENTRY[rules.entry]
        self.lifts = self.blots if rules.contact is Contact.TURN_END else 0
        if rules.head_limit:
            self.head = 1 << rules.head
            self.head_left = head_allowance(rules, roll, position.first_turn)
            self.moves = _moves(rules.head)
        if rules.prime_length:
            self.refused = _prime_test(rules, position.view)
            self.each_step = (
                self.refused is not None and rules.prime_checked is PrimeChecked.EACH_STEP
            )


def head_allowance(rules: Ruleset, roll: Roll, first_turn: bool) -> int:
    """Checkers that may leave the head this turn."""
    two = (
        first_turn
        and {
            HeadFirstTurn.ANY: True,
            HeadFirstTurn.BIG_DOUBLES: roll.is_double and roll.high in (3, 4, 6),
            HeadFirstTurn.NONE: False,
        }[rules.head_first_turn]
    )
    return max(rules.head_limit, 2) if two else rules.head_limit


def _prime_test(rules: Ruleset, view: View) -> Callable[[int, int], bool] | None:
    """A test of a board and its `own` bits: is there a run that is refused? None when none can be.

    A run counts along the opponent's way, from its 24 down to its 1, so it is looked for in the
    opponent's numbering; the seam between the opponent's finish and head is an end there and cannot
    be run across. Where checkers can be hit, who is ahead changes during a turn.
    """
    length, needed = rules.prime_length, rules.prime_needs_opponent_ahead
    rotate = rules.facing is Facing.ROTATE
    hitting = rules.landing is Landing.HIT
    near = _not_ahead(view, rotate, needed)
    if not near and not hitting:
        return None

    def refused(n: int, own: int) -> bool:
        # Our points 13-24 are the opponent's 1-12 where both travel the same way; else the order is
        # the other way round.
        runs = (
            (own >> 13 & 0xFFF) << 1 | (own >> 1 & 0xFFF) << 13
            if rotate
            else int(f"{own >> 1 & 0xFFFFFF:024b}"[::-1], 2) << 1
        )
        for _ in range(length - 1):
            runs &= runs >> 1
        return bool(runs and runs & (_not_ahead(_decode(n), rotate, needed) if hitting else near))

    return refused


def _not_ahead(view: View, rotate: bool, needed: int) -> int:
    """Bits of the opponent's points with fewer than `needed` of its checkers further along (or
    off).

    A run whose far end is one of them is refused.
    """
    theirs = view[12:24] + view[:12] if rotate else view[23::-1]
    ahead, low = view[OOFF_AT], 1
    while ahead < needed and low < 25:
        ahead += max(-theirs[low - 1], 0)
        low += 1
    return (1 << low) - 2


Boards = dict[int, int]
"""Boards and the board that each was made of."""
Front = list[tuple[int, int, int]]
"""Boards to go on from: the number, its `own` bits, and the sources that may still be moved from.
"""


def _steps(
    turn: _Turn, front: Front, die: int, after: Front | None = None, rearmost: bool = False
) -> Boards:
    """Every board that one die makes of those in `front`: the rules of a single move.

    With `after`, what was made is added there to go on from; `rearmost`: only from the last source
    forward.
    """
    moves, free, blots, entry = turn.moves, turn.free << die, turn.blots, turn.entry
    quiet, hit = moves.quiet[die], moves.hit[die]
    made: Boards = {}
    for n, own, allowed in front:
        sources = own & free & allowed
        if own >= _BAR_BIT:
            # Bar first.
            sources &= _BAR_BIT
            if sources and entry is not None and not entry(n, BAR - die):
                continue
        elif own < _OUTSIDE and own:
            # Bearing off: all are home.
            if own >> die & 1:
                sources |= 1 << die & allowed
            elif own < 1 << die and not turn.exact:
                sources |= 1 << own.bit_length() - 1 & allowed
        if not sources:
            continue
        if turn.head and n >> 224 >= turn.head_left:
            # The head has given what it may this turn.
            sources &= ~turn.head
        hits = sources & (blots & ~own) << die
        for s in _BITS_LOW[sources & 0x1FFF] + _BITS_HIGH[sources >> 13]:
            c = n + (hit[s] if hits >> s & 1 else quiet[s])
            if after is None and not turn.each_step and not turn.lifts:
                made[c] = n
                continue
            o = own | _TARGET_BIT[die][s]
            if not c & _BYTE[s]:
                o ^= 1 << s
                if turn.lifts >> s & 1:
                    c += moves.lift[s]
            if turn.each_step and turn.refused is not None and turn.refused(c, o):
                continue
            made[c] = n
            if after is not None:
                after.append((c, o, (2 << s) - 1 if rearmost else _ALL))
    return made


def _two_dice(turn: _Turn, start: Front, high: int, low: int) -> list[list[Boards]]:
    """All that different dice can do: one list of levels a way to stop (both dice, the higher only,
    the lower only).
    """
    after_high: Front = []
    after_low: Front = []
    highs, lows = _steps(turn, start, high, after_high), _steps(turn, start, low, after_low)
    both = _steps(turn, after_high, low)
    if not turn.each_step:
        # What could be played with the higher die at once has been played with it first.
        n, what, allowed = start[0][0], turn.moves.what, _ALL
        for c in highs:
            allowed ^= 1 << what[c - n].source
        after_low = [(c, o, allowed) for c, o, _ in after_low]
    both.update(_steps(turn, after_low, high))
    return [[lows | highs, both], [highs], [lows]]


def _equal_dice(turn: _Turn, start: Front, die: int, count: int) -> list[list[Boards]]:
    """All that `count` equal dice can do, longest first."""
    levels: list[Boards] = []
    front = start
    while front and len(levels) < count:
        after: Front = []
        made = _steps(
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


def _search(position: Position, roll: Roll) -> tuple[int, _Turn, list[list[Boards]], list[Boards]]:
    """The start board, the turn, every way to stop, and the levels whose last are the legal
    results.
    """
    rules = position.ruleset
    view = _VIEW.pack(*position.view)
    n = int.from_bytes(view, "little")
    own = int(view[23::-1].translate(_OWN), 2) << 1 | (_BAR_BIT if position.view[BAR_AT] else 0)
    turn = _Turn(position, roll, view)
    if roll.high == roll.low:
        ways = _equal_dice(turn, [(n, own, _ALL)], roll.high, rules.doubles)
    else:
        ways = _two_dice(turn, [(n, own, _ALL)], roll.high, roll.low)
        if not rules.higher_die:
            # Free choice of the one die.
            ways[1:] = [[ways[1][0] | ways[2][0]]]
    if turn.refused is not None and not turn.each_step:
        refused = turn.refused
        for way in ways:
            way[-1] = {c: p for c, p in way[-1].items() if not refused(c, _own(c))}
    levels = next((way for way in ways if way[-1]), [{n: n}])
    if rules.mandatory_hit or (
        position.first_turn and rules.first_move_triple is FirstMoveTriple.AVOID
    ):
        levels = [*levels[:-1], _chosen(position, levels[-1])]
    return n, turn, ways, levels


def _chosen(position: Position, results: Boards) -> Boards:
    """The results that the rules preferring some legal plays to others leave."""
    view = position.view
    if position.first_turn and position.ruleset.first_move_triple is FirstMoveTriple.AVOID:
        results = {c: p for c, p in results.items() if not _new_triple(view, _decode(c))} or results
    if position.ruleset.mandatory_hit:
        results = {
            c: p for c, p in results.items() if _decode(c)[OBAR_AT] > view[OBAR_AT]
        } or results
    return results


def _new_triple(before: View, after: View) -> bool:
    """Whether a stack of three or more stands where there was none."""
    return any(now >= 3 > was for was, now in zip(before[:24], after[:24], strict=True))


def _own(n: int) -> int:
    board = (n & _BOARD).to_bytes(28, "little")
    return int(board[23::-1].translate(_OWN), 2) << 1 | (_BAR_BIT if board[BAR_AT] else 0)


def _decode(n: int) -> View:
    return _VIEW.unpack((n & _BOARD).to_bytes(28, "little"))


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
        boards = {n & _BOARD for n in self._levels[-1]} if self._turn.head else self._levels[-1]
        return _VIEW.iter_unpack(b"".join([n.to_bytes(28, "little") for n in boards]))

    @property
    def results(self) -> set[View]:
        """The views as a set."""
        return set(self.views())

    def __iter__(self) -> Iterator[Play]:
        seen: set[View] = set()
        for n in self._levels[-1]:
            view = _decode(n)
            if view not in seen:
                seen.add(view)
                yield self._play(self._levels, n)

    def _play(self, levels: list[Boards], n: int) -> Play:
        """With its moves, in the order that they were searched in."""
        view = _decode(n)
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
            wanted = int.from_bytes(_VIEW.pack(*view), "little")
        except error:
            return None
        if not self._turn.head:
            return self._play(levels, wanted) if wanted in levels[-1] else None
        return next((self._play(levels, n) for n in levels[-1] if n & _BOARD == wanted), None)


def plays(position: Position, roll: Roll) -> Plays:
    """Every legal play of a roll: see `Plays`."""
    return Plays(position, roll)
