"""What the referee knows: one frozen value, folded from the journal alone, plus what it has noticed
and not yet decided (`Watch`).

`State` compares equal after replaying its journal; `Watch` is left out of that comparison: it holds
only things that the next observations will say again."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.board import Placement, Side
from rules.clock import Clock
from rules.dice import Roll
from rules.event import EventFile
from rules.observation import buttons_lost
from rules.position import Position
from rules.ruleset import Ruleset
from service.journal import entries as e
from service.journal.codec import Json
from service.journal.entries import DiceOrigin, MatchSet, Standing


class Phase(enum.Enum):
    """Where the table stands in the course of a match. docs/referee.md draws how one leads to the
    next.
    """

    IDLE = "idle"
    """No match is set."""
    SETTING_UP = "setting-up"
    """A game is to begin: the start position is awaited on the board."""
    OPENING = "opening"
    """The opening throw is awaited."""
    TO_ROLL = "to-roll"
    """The side on roll may double or roll."""
    DOUBLED = "doubled"
    """A double awaits its answer."""
    MOVING = "moving"
    """The roll is known; the side on roll plays it."""
    PRESSED = "pressed"
    """The turn was ended; the position is being judged."""
    ILLEGAL = "illegal"
    """What stands on the board is no legal play, and it may still be corrected."""
    DIFFERS = "differs"
    """Board and record differ and nothing explains it alone: people say what happened, or put the
    board right.
    """
    GAME_OVER = "game-over"
    MATCH_OVER = "match-over"
    FROZEN = "frozen"
    """A dispute: nobody moves a checker, nothing is judged."""
    ADJOURNED = "adjourned"


PLAYING: Final = frozenset(
    {Phase.TO_ROLL, Phase.DOUBLED, Phase.MOVING, Phase.PRESSED, Phase.ILLEGAL, Phase.DIFFERS}
)


@dataclass(frozen=True, slots=True)
class Notice:
    """An illegal play that was noticed and may still be corrected: the entry's number and what it
    said.
    """

    seq: int
    side: Side
    code: str
    why: Mapping[str, Json]
    roll: Roll | None
    placement: Placement
    told: str
    probability: float | None
    evidence: Mapping[str, Json]
    pictures: tuple[str, ...]
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayLine:
    """One line of the record, as the play list shows it.

    `amended` is the number of the entry that corrected it.
    """

    seq: int
    game: int
    number: int
    side: Side
    roll: Roll | None
    origin: DiceOrigin
    text: str
    placement: Placement
    probability: float | None = None
    infraction: str = ""
    standing: Standing | None = None
    by_hand: bool = False
    amended: int | None = None
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alert:
    """Something a person should look at, until somebody acknowledges it by name."""

    alert: str
    matter: str
    side: Side | None
    code: str
    why: Mapping[str, Json]
    told: str
    seq: int
    acknowledged_by: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Board and record differ; `seq` is the entry that said so."""

    seq: int
    reason: str
    sites: tuple[int, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling whose appeal window is open."""

    seq: int
    text: str
    until: float | None
    appealed: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that ended, for the score sheet."""

    number: int
    winner: Side
    points: int
    reason: str
    result: str
    score: tuple[int, int]
    seq: int


@dataclass(frozen=True, slots=True)
class Watch:
    """Noticed and not yet decided; never in the journal. `since` stamps are table time."""

    verdict: object | None = None
    """The last verdict of reconcile, for the page."""
    dice: object | None = None
    """The last roll evidence of reconcile, for the page."""
    roll: Roll | None = None
    opening: tuple[int, ...] = ()
    roll_since: float | None = None
    problem: str = ""
    problem_since: float = 0.0
    called: str = ""
    """The dice problem that was last announced: not announced twice for the same throw."""
    dice_lay: bool = False
    """Dice of this turn were seen, read or not."""
    empty_since: float | None = None
    """Since when no dice lie on a board where they lay."""
    cube: tuple[int, str] | None = None
    cube_since: float = 0.0
    rest_since: float | None = None
    """Since when a whole legal play stands unpressed."""
    whole: object | None = None
    """The verdict (Agreed) of that play."""
    doubt_since: float | None = None
    touched: bool = False
    """Before the roll was announced, checkers stand otherwise than the record says."""
    sites: tuple[int, ...] = ()
    """Where the board differs from what is waited for, to point at."""
    warned: frozenset[str] = frozenset()
    """Alerts of this turn that must not repeat."""
    asked_since: float = 0.0
    """Since when the present question may be asked."""
    next_roll: Roll | None = None
    """The opponent's dice, seen before this turn's verdict fell."""
    next_since: float = 0.0


@dataclass(frozen=True, slots=True)
class State:
    """Everything the table has decided. `seq` and `at` are the last entry's.

    `first_turns` tells whether White, Black still have their first turn of the game before them.
    `turn_seq` numbers the entry that began the turn. Seconds are table time."""

    seq: int = 0
    at: float = 0.0
    table: str = ""
    phase: Phase = Phase.IDLE
    before: Phase = Phase.IDLE
    """Where a frozen or adjourned table goes back to."""
    setting: MatchSet | None = None
    ruleset: Ruleset | None = None
    event: EventFile = field(default_factory=EventFile)
    names: tuple[str, str] = ("", "")
    length: int | None = None
    score: tuple[int, int] = (0, 0)
    game: int = 0
    crawford: bool = False
    crawford_played: bool = False
    cube: int = 1
    cube_owner: Side | None = None
    """None = in the centre."""
    cube_turned: bool = False
    """A double was taken in this game."""
    automatic: int = 0
    """Automatic doubles of this game."""
    offer: tuple[Side, int] | None = None
    """Who doubled, and what the game would be worth."""
    clock: Clock | None = None
    placement: Placement | None = None
    """What stands on the board by the record."""
    on_roll: Side = Side.WHITE
    first_turns: tuple[bool, bool] = (True, True)
    roll: Roll | None = None
    origin: DiceOrigin = DiceOrigin.UNKNOWN
    rolled_at: float = 0.0
    premature: Roll | None = None
    """The other side's roll thrown too early, until the interrupted side chooses."""
    opening: tuple[int, ...] = ()
    stuck: bool = False
    """No die can be played: neshast was announced."""
    resigning: tuple[Side, int] | None = None
    clock_used: bool = False
    """Somebody has pressed a clock in this match: from then on a press is waited for."""
    pressed_at: float = 0.0
    """When the turn before this one was ended."""
    turn_began: float = 0.0
    notice: Notice | None = None
    difference: Difference | None = None
    game_seq: int = 0
    plays: tuple[PlayLine, ...] = ()
    finished: tuple[Finished, ...] = ()
    illegal: tuple[int, int] = (0, 0)
    flags: tuple[int, int] = (0, 0)
    alerts: tuple[Alert, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    """Sources that are away, with the reason."""
    picture: str = ""
    """The last evidence picture: what stood before the turn."""
    result: str = ""
    watch: Watch = field(default=Watch(), compare=False)

    def first_turn(self, side: Side) -> bool:
        return self.first_turns[0 if side is Side.WHITE else 1]

    @property
    def press_ends_turn(self) -> bool:
        """Whether a turn is over only when it is pressed: there is a clock of ours, somebody uses
        it, and its buttons are there.
        """
        return self.clock is not None and self.clock_used and not buttons_lost(self.lost)

    def position(self) -> Position:
        """The position of the side on roll. Raises ValueError when no game is on; PositionError
        when an illegal play that stood left none."""
        if self.ruleset is None or self.placement is None:
            raise ValueError("no game is on")
        return Position.of(
            self.placement, self.ruleset, self.on_roll, self.first_turn(self.on_roll)
        )


@dataclass(frozen=True, slots=True)
class At:
    """Where an entry stands: number, table time, who said so."""

    seq: int
    at: float
    by: e.Who
