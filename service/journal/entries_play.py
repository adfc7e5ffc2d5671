"""Entries about the game on the board: set-up, dice, cube, plays, and what went wrong with them.

See `service.journal.entries`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from rules.board import Placement, Side
from rules.dice import Roll
from service.journal.entry import Body, DiceOrigin, Facts, Grounds, Standing

SEEN_LATER: Final = "seen_later"
"""The source of what only the turns after it told: that a turn was over, that a double was taken.
"""
READ_SO: Final = "read_so"
"""The reason of a line that is corrected because the board was read so already when it was entered.
"""


@dataclass(frozen=True, slots=True)
class SetUpVerified(Body):
    """The start position stands on the board, before the opening roll."""

    kind: ClassVar[str] = "set_up_verified"
    probability: float | None
    evidence: Grounds = field(default_factory=Grounds)
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameStarted(Body):
    """A game begins from the ruleset's start.

    `starter` is set where the side that begins is known without an opening roll.
    """

    kind: ClassVar[str] = "game_started"
    number: int
    crawford: bool = False
    starter: Side | None = None


@dataclass(frozen=True, slots=True)
class PositionSet(Body):
    """The position, side on roll and cube were set by a person: for study, to resume a game, or
    because the director said so. With the reason `played_on` nobody set them: board and record
    differed, nobody said why, and both sides went on from what stood there.
    """

    kind: ClassVar[str] = "position_set"
    placement: Placement
    on_roll: Side
    cube_value: int | None = None
    cube_owner: Side | None = None
    first_turns: tuple[bool, bool] = (False, False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OpeningThrown(Body):
    """An opening throw: the faces of White's and Black's dice (one or two each). `starter` None =
    equal, thrown again. `plays` tells whether the starter plays these dice."""

    kind: ClassVar[str] = "opening_thrown"
    white: tuple[int, ...]
    black: tuple[int, ...]
    starter: Side | None
    plays: bool
    origin: DiceOrigin = DiceOrigin.READ
    probability: float | None = None
    cube_value: int | None = None
    """The cube after an automatic double on equal dice."""


@dataclass(frozen=True, slots=True)
class RollEntered(Body):
    """A valid roll of the side on roll."""

    kind: ClassVar[str] = "rolled"
    side: Side
    roll: Roll
    origin: DiceOrigin
    probability: float | None = None
    evidence: Grounds = field(default_factory=Grounds)
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neshast(Body):
    """No die can be played: the turn passes.

    `closed_out` = on the bar against a closed home, where the side need not even roll.
    """

    kind: ClassVar[str] = "neshast"
    side: Side
    roll: Roll | None
    closed_out: bool = False


@dataclass(frozen=True, slots=True)
class DiceCalled(Body):
    """Dice that are no valid roll: cocked, on_checker, on_bar, off_board, wrong_half (one lies in
    the other half), other_half (both do: the other side may have thrown them), too_many, one_again
    (both had to be thrown again), premature; missing in journals of before.
    """

    kind: ClassVar[str] = "dice_called"
    side: Side
    problem: str
    roll: Roll | None = None
    reroll: str = "both"
    """Which dice are thrown again: both, that_die, none (they stand)."""
    probability: float | None = None
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RollWithdrawn(Body):
    """The roll does not count: thrown again, or the opponent had a premature roll redone."""

    kind: ClassVar[str] = "roll_withdrawn"
    side: Side
    roll: Roll | None
    reason: str


@dataclass(frozen=True, slots=True)
class CubeOffered(Body):
    """A double. `value` is what the game will be worth when taken; `source`: buttons, camera, page,
    or seen_later, of a double in the side's last turn that was taken and is told only now: a
    `cube_taken` follows at once.
    """

    kind: ClassVar[str] = "cube_offered"
    side: Side
    value: int
    source: str = "buttons"
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class CubeTaken(Body):
    """The offer is taken; `side` owns the cube at `value`. `source`: buttons, camera, page, dice of
    the doubler's, or seen_later.
    """

    kind: ClassVar[str] = "cube_taken"
    side: Side
    value: int
    source: str = "buttons"


@dataclass(frozen=True, slots=True)
class CubeWithdrawn(Body):
    """The double that was told was none: `side` goes on with the cube as it was. `reason`:
    laid_back, the camera saw it lie where it had been and nobody had answered.
    """

    kind: ClassVar[str] = "cube_withdrawn"
    side: Side
    reason: str


@dataclass(frozen=True, slots=True)
class CubeDropped(Body):
    """The offer is dropped: the game ends."""

    kind: ClassVar[str] = "cube_dropped"
    side: Side
    source: str = "buttons"


@dataclass(frozen=True, slots=True)
class CubeBeavered(Body):
    """Taken and redoubled at once; `side` owns the cube at `value`."""

    kind: ClassVar[str] = "cube_beavered"
    side: Side
    value: int
    source: str = "buttons"


@dataclass(frozen=True, slots=True)
class PlayEntered(Body):
    """A turn's play, which is its result: `placement` after it. `standing` is set when `infraction`
    names a rule that it breaks and it counts all the same; where a person let it stand unnoticed,
    `evidence.facts` are the facts of the case."""

    kind: ClassVar[str] = "played"
    version: ClassVar[int] = 2
    side: Side
    roll: Roll | None
    origin: DiceOrigin
    notation: str
    placement: Placement
    probability: float | None = None
    by_hand: bool = False
    """Said by a person, not decided from sensors."""
    infraction: str = ""
    standing: Standing | None = None
    evidence: Grounds = field(default_factory=Grounds)
    pictures: tuple[str, ...] = ()
    recovered: bool = False
    """Explained afterwards: one of the turns that passed unseen."""


@dataclass(frozen=True, slots=True)
class TurnPressed(Body):
    """A side ended its turn. `pressed_at` is the press's own time stamp; `source`: button, page,
    phone, dice_lifted, next_roll, seen_later. `bank` and `used` are the clock's: what is left
    after it, and the seconds this turn took."""

    kind: ClassVar[str] = "pressed"
    side: Side
    pressed_at: float
    source: str = "button"
    bank: float | None = None
    used: float | None = None


@dataclass(frozen=True, slots=True)
class HandedBack(Body):
    """The other side pressed before rolling: the turn goes back to the side that had ended it, and
    so does its clock.
    """

    kind: ClassVar[str] = "handed_back"
    side: Side
    handed_at: float
    rolled: bool = True
    """The roll of the turn is known; without it the turn goes back to before the roll."""


@dataclass(frozen=True, slots=True)
class TurnReopened(Body):
    """The side on roll pressed at once, before it rolled, or the other one had no play and has
    thrown again: the turn that the play numbered `about` had ended goes back to the other side,
    with its clock; the play is made anew. `rolled`: its roll is known."""

    kind: ClassVar[str] = "turn_reopened"
    side: Side
    reopened_at: float
    about: int
    rolled: bool = True


@dataclass(frozen=True, slots=True)
class IllegalNoticed(Body):
    """At the press and at rest the board stood as no rule allows. `code` names the rule, `facts`
    what its words name; `told` who was told by the event's monitor policy. `placement` is what
    stood there."""

    kind: ClassVar[str] = "illegal_noticed"
    version: ClassVar[int] = 2
    side: Side
    code: str
    facts: Facts
    roll: Roll | None
    placement: Placement
    nearest: tuple[str, ...] = ()
    told: str = "board"
    probability: float | None = None
    evidence: Grounds = field(default_factory=Grounds)
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IllegalCorrected(Body):
    """The illegal play numbered `noticed` was put right on the board before the next valid roll or
    double; a `played` entry follows.
    """

    kind: ClassVar[str] = "illegal_corrected"
    side: Side
    noticed: int


@dataclass(frozen=True, slots=True)
class IllegalStood(Body):
    """The illegal play numbered `noticed` stands; a `played` entry with its infraction follows."""

    kind: ClassVar[str] = "illegal_stood"
    side: Side
    noticed: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class BoardDiffered(Body):
    """The board and the record differ and no single explanation exists. `options` are the
    explanations in order, as notation; `sites` where they differ."""

    kind: ClassVar[str] = "differs"
    reason: str
    sites: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    evidence: Grounds = field(default_factory=Grounds)
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered(Body):
    """Board and record agree again: `how` is restored (the board was put right), explained (one
    explanation was left), chosen (a person chose), set."""

    kind: ClassVar[str] = "recovered"
    how: str


@dataclass(frozen=True, slots=True)
class Resigned(Body):
    """A resignation of 1, 2 or 3 times the cube: offered, then accepted (the game ends) or refused
    (it goes on).
    """

    kind: ClassVar[str] = "resigned"
    side: Side
    level: int
    answer: str = "offered"


@dataclass(frozen=True, slots=True)
class GameEnded(Body):
    """A game is over. `reason`: borne_off, dropped, resigned, ruled, flagged, aziz, set_up_anew
    (nobody saw or said the end), drawn (nobody won, whoever `winner` names: he began, and gets no
    points). `score` is the match score after it.
    """

    kind: ClassVar[str] = "game_ended"
    number: int
    winner: Side
    points: int
    reason: str
    result: str = ""
    """single, gammon, backgammon, mars ...: the ruleset's own word"""
    score: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PlayCorrected(Body):
    """An earlier entry, by number, was wrong: its roll, its play, or both. The old entry and its
    evidence stay. `placement` is what stands after the corrected play; the position now on the
    board is unchanged unless `rewinds`, which goes back to just after the corrected play."""

    kind: ClassVar[str] = "corrected"
    about: int
    roll: Roll | None
    origin: DiceOrigin
    notation: str
    placement: Placement
    infraction: str = ""
    rewinds: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GameReopened(Body):
    """The end of a game, numbered `about`, is taken back, because a play before it was wrong: its
    points are, and so is the match's end. `score` is the match score without them; a `corrected`
    entry follows."""

    kind: ClassVar[str] = "game_reopened"
    about: int
    number: int
    score: tuple[int, int]
