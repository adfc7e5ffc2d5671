"""What reconcile is asked and what it answers: frozen values, no logic."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

from rules.board import Placement
from rules.dice import Roll
from rules.infraction import Infraction
from rules.observation import Source
from rules.play import Play
from rules.position import Position
from service.journal.entry import DiceOrigin, Grounds
from service.reconcile.memory import Earlier
from service.reconcile.recall import Recollection
from service.reconcile.recovery import Explanation
from service.reconcile.rolls import WHOLE_FIELD, Area
from service.reconcile.told import Recalled
from service.reconcile.tuning import DEFAULT


class Awaiting(enum.Enum):
    """What the table waits for."""

    SETTING_UP = "setting-up"
    AWAITING_ROLL = "awaiting-roll"
    MOVING = "moving"
    PRESSED = "pressed"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the referee knows. `roll`: announced (read) or said by a person (`roll_declared`), None
    while unknown. `since`: when the stage began; for `late_s` from then on hands may still be seen
    that came before it. `dice_area`: where a die counts for the side on roll (`rolls.right_half`).
    `next_first_turn`: the opponent's next turn would be its first. `earlier`: the turn before, as
    long as it may still be put right. `watched`: a camera has looked since that turn ended, so that
    dice would have been seen. `memory`: what was seen over the last turns."""

    position: Position
    roll: Roll | None = None
    stage: Awaiting = Awaiting.MOVING
    roll_declared: bool = False
    since: float = 0.0
    late_s: float = 0.0
    dice_area: Area = WHOLE_FIELD
    next_first_turn: bool = False
    earlier: Earlier | None = None
    watched: bool = False
    memory: Recollection | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """Not yet. `reason`: hand, unseen, unsettled, nothing_moved, half_made, hit_checker, dice,
    doubt, or not_played: the turn was ended, no roll was read and nothing has moved for a while.
    `sites` that it is about. `likeliest`: what most likely stands there, a play that is not certain
    enough, where that has been at rest for as long as anything but a play would be named.
    """

    reason: str
    sites: tuple[int, ...] = ()
    grounds: Grounds = field(default_factory=Grounds)
    likeliest: Placement | None = None


AGREED_AT: Final = DEFAULT.agree
"""A play that is less likely than this is only the likeliest of those that may have been made."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """The play that was made, with probability `probability` that it is this one. `accident`:
    hit_checker when the hit checker is not on the bar (`sites` says where), "" otherwise. The roll
    is the likeliest when `dice` is UNKNOWN."""

    play: Play
    roll: Roll
    dice: DiceOrigin
    probability: float
    grounds: Grounds = field(default_factory=Grounds)
    accident: str = ""
    sites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several plays, or several rolls of one play, are left: a person decides.

    `options` best first. `denied`: beside the first, a place that it leaves alone stands otherwise
    for every source that sees it, or a pile that it changes as before for several. `legal`: the
    probability of all plays of the roll that was read, of any roll where none was, those that are
    not among the options included; None where that is what the options come to. `stands`: what no
    play leaves, with its probability, where it is likelier than all of them, or has such a pile as
    it is read.
    """

    options: tuple[tuple[Play, Roll, float], ...]
    grounds: Grounds = field(default_factory=Grounds)
    denied: bool = False
    legal: float | None = None
    stands: tuple[Placement, float] | None = None


@dataclass(frozen=True, slots=True)
class OtherRoll:
    """The checkers stand as a play of another roll than `read` leaves them: a misread die or a
    miscount, and people saw which.

    `infraction`: what it breaks with the roll read; `options` the plays by other rolls, best first.
    """

    read: Roll
    infraction: Infraction
    placement: Placement
    options: tuple[tuple[Play, Roll, float], ...]
    probability: float
    grounds: Grounds = field(default_factory=Grounds)


@dataclass(frozen=True, slots=True)
class Illegal:
    """What stands there is no legal result, and that is believed.

    `roll` None when the dice were never read and no roll explains it. `blames` is False where it
    need not be the doing of the side whose turn it is: people are asked then, and nobody is called.
    """

    infraction: Infraction
    placement: Placement
    roll: Roll | None
    probability: float
    grounds: Grounds = field(default_factory=Grounds)
    blames: bool = True


@dataclass(frozen=True, slots=True)
class Blind:
    """No source says anything: `sources` with their reasons."""

    sources: tuple[tuple[Source, str], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Differs:
    """Board and record differ. `explanations` best first; `certain` is the one that is left when
    only one is: then no person need be asked. `recalled`: turns that are over, as they were seen
    one after another; then nothing else need be asked either. `unwatched`: nobody looked all the
    while since the turn began. `thrown_over`: dice were thrown once more in this turn when it
    stood so already."""

    explanations: tuple[Explanation, ...]
    sites: tuple[int, ...]
    grounds: Grounds = field(default_factory=Grounds)
    certain: Explanation | None = None
    recalled: Recalled | None = None
    unwatched: bool = False
    thrown_over: bool = False


Verdict = Pending | Agreed | Ambiguous | OtherRoll | Illegal | Blind | Differs


@dataclass(frozen=True, slots=True)
class Matches:
    """The expected placement stands there."""

    p: float


@dataclass(frozen=True, slots=True)
class DoesNotMatch:
    """It does not: `sites` that differ, with probability `p`."""

    sites: tuple[int, ...]
    p: float


@dataclass(frozen=True, slots=True)
class Unseen:
    """It cannot be said yet; `reason` as in Pending or Blind."""

    reason: str


PlacementSeen = Matches | DoesNotMatch | Unseen
