"""What truly happened in a simulated game, turn by turn; it knows the rules and nothing of the
referee.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.board import Placement, Side
from rules.dice import Roll


@dataclass
class TrueTurn:
    """One turn as it was. Times are table time in seconds.

    `stands`: what may be said to stand there after it, with and without what was shifted in
    passing; `illegal`: the kind of misplay that stayed, "" where it was legal; `also_read`: rolls
    that what the camera was given of the dice speaks for as much as for the true one, all rolls
    where nothing was seen; `troubled`: a checker is not where the play left it.
    """

    number: int
    side: Side
    roll: Roll | None
    began: float
    thrown_at: float = 0.0
    ended: float = 0.0
    before: Placement | None = None
    stands: tuple[Placement, ...] = ()
    illegal: str = ""
    wrong_at: float = 0.0
    explained: bool = False
    also_read: frozenset[Roll] = frozenset()
    dice_read: bool = True
    troubled: bool = False
    first_turn: bool = False
    habits: tuple[str, ...] = ()


@dataclass
class WrongSpell:
    """For so long an illegal play of a side stood there, whether or not it was put right."""

    side: Side
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """Dice as they came to lie, whether or not they count. `wrong`: what is wrong with them, in the
    words of `DiceCalled`; empty for dice that lie as they should. `half`: in whose half both
    lie, None for one in each.
    """

    at: float
    side: Side
    wrong: frozenset[str] = frozenset()
    half: Side | None = None


def too_early(at: float, side: Side) -> ThrownDice:
    """Dice that a side throws into its own half before it is its turn."""
    return ThrownDice(at, side, frozenset({"premature"}), side)


@dataclass
class TrueGame:
    """One game as it was: turns in order, throws, cube, and how it ended."""

    name: str
    first_seq: int
    turns: list[TrueTurn] = field(default_factory=list)
    wrong: list[WrongSpell] = field(default_factory=list)
    throws: list[tuple[float, Side, Roll]] = field(default_factory=list)
    dice: list[ThrownDice] = field(default_factory=list)
    """Everything that was thrown, also what was thrown again."""
    openings: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    cube: list[tuple[str, Side]] = field(default_factory=list)
    winner: Side | None = None
    points: int = 0
    untold: bool = False
    """Its end was never told to the table: conceded with a nod."""
    shifted: bool = False
    """A checker that was shifted stayed where it was."""
    typed_wrongly: list[float] = field(default_factory=list)
    """When somebody said something that was not so."""
    helped: list[tuple[float, int, str]] = field(default_factory=list)
    """A person put the record right: when, how many turns it was behind, and why it was needed."""


def sure_roll(roll: Roll | None) -> Roll:
    """A roll that was surely thrown."""
    assert roll is not None
    return roll
