"""What one die may do: a board as one whole number, the moves as sums, and the rules of a single
move. What a whole turn owes is `rules.play`'s; read its head first.

Every rule of a single move is written here once, in `steps` (landing, entry, bar first, bearing
off, contact, head) and `prime_test`. The tables are arithmetic of the board, not results: nothing
is remembered between calls.

What is awkward: Python is slow, so the board is one whole number, 28 bytes in the order of a view
(byte 0 = point 1 ... 23 = point 24, bar, off, opponent's bar, opponent's off), each byte a signed
count. A move is then one addition, results are compared and kept as numbers, and `struct` turns a
number into the 28-tuple at once. No addition ever carries from one byte into the next, because each
move knows what stands on its target: an opponent's blot is byte 0xff, so hitting it adds 1 - 0xff
there. Above the 28 bytes a 29th counts checkers that left the head, where the ruleset has one.
Beside the number goes `own`, a bit for each site with a checker of the mover's (bit 1-24 points,
bit 25 bar).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Final

from rules.axes import (
    HOME,
    Bearoff,
    Contact,
    EntryRule,
    Facing,
    HeadFirstTurn,
    Landing,
    PrimeChecked,
)
from rules.board import BAR, OFF
from rules.dice import Roll
from rules.move import Move
from rules.position import BAR_AT, OBAR_AT, OOFF_AT, Position, View
from rules.ruleset import Ruleset

PACKED: Final = Struct("28b")
_OWN: Final = bytes(b"1"[0] if 0 < n < 128 else b"0"[0] for n in range(256))
_BLOT: Final = bytes(b"1"[0] if n == 255 else b"0"[0] for n in range(256))
_HELD: Final = bytes(b"1"[0] if 128 <= n < 255 else b"0"[0] for n in range(256))
_BAR_BIT: Final = 1 << BAR
ANYWHERE: Final = (1 << 26) - 1
_POINTS: Final = (1 << 25) - 2
_OUTSIDE: Final = 1 << (HOME + 1)
BOARD_BYTES: Final = (1 << 224) - 1
"""The 28 bytes without the head's counter."""


def _bits_from(first: int) -> tuple[tuple[int, ...], ...]:
    """For each number of thirteen bits those that are set, counted from `first` upwards."""
    found: tuple[tuple[int, ...], ...] = ((),)
    for bit in range(first, first + 13):
        found += tuple((*lower, bit) for lower in found)
    return found


_BITS_LOW: Final = _bits_from(0)
_BITS_HIGH: Final = _bits_from(13)


def _byte(site: int) -> int:
    """The weight of a view's byte for a site of the mover: points and bar by number, off is byte
    25.
    """
    return 1 << 8 * (25 if site == OFF else site - 1)


@dataclass(frozen=True)
class MoveSums:
    """What each move adds to the number, `[die][source]`, and what each such sum was."""

    quiet: tuple[tuple[int, ...], ...]
    hit: tuple[tuple[int, ...], ...]
    lift: tuple[int, ...]
    """Added beside a move that takes the only checker off a blot it stood on (contact at the end of
    the turn): the blot is as before.
    """
    what: dict[int, Move]


@functools.cache
def move_sums(head: int) -> MoveSums:
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
    return MoveSums(tuple(quiet), tuple(hit), lift, what)


_PLAIN: Final = move_sums(0)
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


class DiceRules:
    """What stays the same while one roll is played: the board's walls and blots, and the rules that
    this ruleset adds to the plain ones. `board` is the 28 bytes of the position's view.
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
            self.moves = move_sums(rules.head)
        if rules.prime_length:
            self.refused = prime_test(rules, position.view)
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


def prime_test(rules: Ruleset, view: View) -> Callable[[int, int], bool] | None:
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
        return bool(
            runs and runs & (_not_ahead(view_of_number(n), rotate, needed) if hitting else near)
        )

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


def steps(
    turn: DiceRules, front: Front, die: int, after: Front | None = None, rearmost: bool = False
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
                after.append((c, o, (2 << s) - 1 if rearmost else ANYWHERE))
    return made


def packed_counts(n: int) -> bytes:
    """The 28 bytes of a board, without the head's counter."""
    return (n & BOARD_BYTES).to_bytes(28, "little")


def own_bits(board: bytes) -> int:
    """A bit for each site with a checker of the mover's: 1-24 points, 25 bar."""
    return int(board[23::-1].translate(_OWN), 2) << 1 | (_BAR_BIT if board[BAR_AT] else 0)


def view_of_number(n: int) -> View:
    """The 28 numbers of a board."""
    return PACKED.unpack(packed_counts(n))
