"""What is asked of the last turns, and what they tell."""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.board import Placement, Side
from rules.dice import Roll
from rules.play import Play
from rules.position import Position
from service.reconcile.reel import Still, Throw


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a turn began by the record: its position, and when, in table time. `guessed`: nobody
    knows by which play of which roll it came to stand so; `taken`: nor by any, it was taken as it
    stood, and a checker may have been knocked.
    """

    at: float
    position: Position
    guessed: bool = False
    taken: bool = False


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A turn that was seen to its end: what it left, by a `play` unless no rule allows that, the
    roll where it is sure, whether it was `read`, when the turn was over, whether it was the other
    side's turn, and whether its dice lay there read as the `roll` while the checkers were played
    otherwise: nobody has said which it was.
    """

    side: Side
    placement: Placement
    play: Play | None
    roll: Roll | None
    read: bool
    ended: float
    out_of_turn: bool = False
    unresolved: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """The turns since the first anchor that are over, where they explain what is seen.

    `revised`: so many of them stand in place of the last lines of the record, the first of which
    was played otherwise than it was entered.
    `start`: what they were played from, where what led there is not sure. `overtaken`: another turn
    is being played already, so that what stands there now is not what the last of them left.
    """

    turns: tuple[TurnTold, ...]
    revised: int
    p: float
    start: Position | None = None
    overtaken: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What turns are read from. It is the same question as long as no still, throw or press was
    added and each site reads alike (`reads`).
    """

    anchors: tuple[Anchor, ...]
    presses: tuple[tuple[Side, float], ...]
    seen: tuple[tuple[float, float], ...]
    shown: tuple[tuple[float, int], ...]
    reads: bytes
    stills: tuple[Still, ...] = field(compare=False)
    throws: tuple[Throw, ...] = field(compare=False)

    def is_guessed(self, first: int, count: int) -> bool:
        """Whether one of so many placements of the record, from the `first` anchor's on, is one of
        which nobody knows how it came to stand so.
        """
        return any(anchor.guessed for anchor in self.anchors[first : first + count])

    def has_thrown(self, side: Side, since: float, until: float) -> bool:
        """Whether a side has thrown in its half between two times, whatever its dice showed."""
        return any(t.side is side and since <= t.at < until for t in self.throws)

    def has_pressed(self, side: Side, since: float, until: float) -> bool:
        """Whether a side has pressed after one time and not after the other."""
        return any(who is side and since < at <= until for who, at in self.presses)

    def was_unwatched(self, since: float, until: float) -> bool:
        """Whether nobody looked for a while before a still that began in this stretch (s): a turn
        may have passed.
        """
        begun = (still for still in self.stills if since <= still.at <= until)
        return any(still.unlooked is not None for still in begun)
