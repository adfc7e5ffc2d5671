"""What the referee knows: one frozen value, folded from the journal alone, plus what it has noticed
and not yet decided (`Watch`).

`State` compares equal after replaying its journal; `Watch` is left out of that comparison: it holds
only things that the next observations will say again."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.board import BySide, Placement, Side
from rules.clock import Clock
from rules.dice import Roll
from rules.event import EventFile
from rules.observation import buttons_lost
from rules.position import Position
from rules.ruleset import Ruleset
from service.journal import entries as e
from service.journal.entries import DiceOrigin, EventKeys, Facts, Grounds, MatchSet, Standing
from service.reconcile import Agreed, Ambiguous, Differs, Explanation, Illegal, OtherRoll, Verdict


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


CUBE_OUT_OF_TURN: Final = "cube_out_of_turn"
"""Noted of a cube that was turned where it may not be, with the reason as its text."""

PLAYING: Final = frozenset(
    {Phase.TO_ROLL, Phase.DOUBLED, Phase.MOVING, Phase.PRESSED, Phase.ILLEGAL, Phase.DIFFERS}
)


@dataclass(frozen=True, slots=True)
class Notice:
    """An illegal play that may still be corrected: its entry's number and what that said."""

    seq: int
    side: Side
    code: str
    facts: Facts
    roll: Roll | None
    placement: Placement
    told: str
    probability: float | None
    evidence: Grounds
    pictures: tuple[str, ...]
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayLine:
    """One line of the record, as the play list shows it; `amended`: the entry that corrected it."""

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
    before: Placement | None = None
    """What stood on the board before it."""
    first_turn: bool = False
    """It was its side's first turn of the game."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something a person should look at, until somebody acknowledges it by name."""

    alert: str
    matter: str
    side: Side | None
    code: str
    facts: Facts
    told: str
    seq: int
    acknowledged_by: str | None = None
    about: int | None = None
    """The entry that it is about, where that is not the one that raised it."""
    settled: bool = False
    """What it called for was done: it stays until it is acknowledged, but calls nobody any more."""


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

    verdict: Verdict | None = None
    """The last verdict of reconcile, for the page."""
    roll: Roll | None = None
    opening: tuple[int, ...] = ()
    roll_since: float | None = None
    problem: str = ""
    problem_since: float = 0.0
    called: str = ""
    """The dice problem that was last announced: not announced twice for the same throw."""
    called_where: tuple[tuple[float, float], ...] = ()
    """Where the dice lay when a throw was called of which both must be thrown again."""
    dice_lay: bool = False
    """Dice of this turn were seen, read or not."""
    others_lay: bool = False
    """They lay in the other side's half: that side may have thrown them."""
    lie_since: float | None = None
    """When the first of those that lie there before the roll is known was seen."""
    stirred_at: float = 0.0
    """When hands were last seen over the board before the roll was announced."""
    empty_since: float | None = None
    """Since when no dice lie on a board where they lay."""
    rest_since: float | None = None
    """Since when a whole legal play stands unpressed."""
    whole: Agreed | None = None
    """The verdict of that play."""
    left: Agreed | None = None
    """The same when the turn was ended."""
    set_down: tuple[Agreed, float] | None = None
    """A whole play that was left standing in this turn and stands so no more, and since when."""
    offered: Differs | None = None
    """What would explain a board that differs, or that was thrown over, as last looked at."""
    may_stand: bool = False
    """One of the plays of the roll most likely stood there, whichever it was."""
    half_since: float | None = None
    """Since when half a play stands, where what was set down matters."""
    doubt_since: float | None = None
    touched_since: float | None = None
    """Since when, before the roll was announced, checkers stand otherwise than the record says."""
    sites: tuple[int, ...] = ()
    """Where the board differs from what is waited for, to point at."""
    warned: frozenset[str] = frozenset()
    """Alerts of this turn that must not repeat."""
    asked_since: float = 0.0
    """Since when the present question may be asked."""
    raised_at: float = 0.0
    """When the question or notice of this turn was raised."""
    next_roll: Roll | None = None
    """The opponent's dice, seen before this turn's verdict fell."""
    next_since: float = 0.0
    thrown_over: tuple[Agreed, float, bool] | None = None
    """The whole play over which the opponent threw before the press, when, and whether it moved."""
    played_over: Agreed | None = None
    """What the opponent has played over it."""
    base: tuple[Placement, float] | None = None
    """What stood there, and when, as board and record were found to differ: people may play on."""
    unseen: Explanation | None = None
    """Two turns that nobody saw and that alone explain it, if any do."""
    next_base: tuple[Placement, float] | None = None
    """What stands there instead, and since when: it has moved on once more."""
    played_on: tuple[Agreed, float] | None = None
    """The play that was made from it, and since when it stands."""
    early_press: tuple[Side, float] | None = None
    """Who pressed a clock out of turn by the record, in whatever phase, and when."""
    pressed_again: tuple[float, str] | None = None
    """When the side whose turn was ended pressed once more, and with what."""
    out_of_turn: tuple[Agreed, float] | None = None
    """What the other side, or the doubler over an open double, has played, and since when."""
    asked: Ambiguous | Illegal | OtherRoll | None = None
    """What was last asked about the turn that was ended, or may be."""
    stood: Placement | None = None
    """What stood there when the turn was ended, before anybody played over it."""
    next_thrown: float | None = None
    """When the opponent's dice came to lie there after the turn was ended, read or not."""
    cube_back: bool = False
    """A cube that seemed to be offered lies back where it was."""
    anew_since: float | None = None
    """Since when the start stands there in the middle of a game."""
    likely: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    """What opening dice that are asked about may show, White's and Black's, likeliest first."""


SAID_NOT_SO: Final = "said_not_so"
"""Why board and record differ where a person says that the board is not as the table takes it."""
QUESTIONS: Final = frozenset({"say_roll", "choose_play", "other_roll"})
"""What people are asked about a turn that was ended: matters of alerts."""
NOTHING: Final = BySide(0, 0)
BOTH: Final = BySide(True, True)
NEITHER: Final = BySide(False, False)
NAMELESS: Final = BySide("", "")


@dataclass(frozen=True, slots=True)
class TurnState:
    """What one turn has come to so far: a new turn is `TurnState(began=...)`."""

    began: float = 0.0
    """Table time at which the turn began."""
    roll: Roll | None = None
    premature: Roll | None = None
    """A roll thrown too early, until the interrupted side chooses."""
    premature_by: Side | None = None
    """Who threw it."""
    opening: tuple[int, ...] = ()
    stuck: bool = False
    """No die can be played: neshast was announced."""
    offer: tuple[Side, int] | None = None
    """Who doubled, and what the game would be worth."""
    offered_at: float = 0.0
    offer_seen: bool = False
    laid_back: bool = False
    """Whether the camera alone told the double, and whether one of this turn was none."""
    notice: Notice | None = None
    difference: Difference | None = None
    resigning: tuple[Side, int] | None = None
    timed_from: float | None = None
    """From when the thinking of whoever is to act counts, after a double or a pause."""
    stopped_at: float | None = None
    """Since when nobody's thinking counts: the director was called, the table halted, or a
    resignation is being answered."""
    reopened: bool = False
    """The turn was recorded and handed back: it may be ended by the opponent's roll again."""


@dataclass(frozen=True, slots=True)
class GameState:
    """What the game in progress stands at, from its start or from a position that was set."""

    number: int = 0
    seq: int = 0
    """The entry that began it."""
    crawford: bool = False
    placement: Placement | None = None
    """What stands on the board by the record."""
    on_roll: Side = Side.WHITE
    starter: Side | None = None
    first_turns: BySide[bool] = BOTH
    """Who had the first turn, None before it; whether each side still has its own before it."""
    cube: int = 1
    cube_owner: Side | None = None
    """None = in the centre."""
    cube_turned: bool = False
    cube_since: float = 0.0
    """A double was taken in this game; when its opening or a person last told how the cube is."""
    automatic: int = 0
    """Automatic doubles of this game."""
    behind: tuple[float, float] = (0.0, 0.0)
    """From when until when the record was last behind: turns were told of later, or it differed."""
    cube_refused: frozenset[str] = frozenset()
    """Why the cube was turned in vain in this game, as both players were told."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """What was set for the match and what it has come to; a match that is set begins it anew.

    Times are table time in seconds."""

    setting: MatchSet | None = None
    since: int = 0
    """The journal's number of the entry that set it."""
    ruleset: Ruleset | None = None
    event: EventFile = field(default_factory=EventFile)
    names: BySide[str] = NAMELESS
    length: int | None = None
    score: BySide[int] = NOTHING
    crawford_played: bool = False
    clock: Clock | None = None
    clock_used: bool = False
    """Somebody has pressed a clock in this match: from then on a press is waited for."""
    dice_elsewhere: int = 0
    dice_read: int = 0
    """Throws that lay in the other half and were played; throws that were read anywhere."""
    due: float | None = None
    """When the match was called to begin, until it has begun."""
    confirmed: BySide[bool] = NEITHER
    """Who is there and agrees with length and clock."""
    rests_for: str = ""
    """Why the clock rests, "" while it runs or was never started."""
    origin: DiceOrigin = DiceOrigin.UNKNOWN
    rolled_at: float = 0.0
    """How the last roll came to be known, and when."""
    pressed_at: float = 0.0
    pressed_by: str = ""
    """When the turn before this one was ended, and by what: button, page, phone, dice_lifted,
    next_roll or seen_later."""
    plays: tuple[PlayLine, ...] = ()
    finished: tuple[Finished, ...] = ()
    illegal: BySide[int] = NOTHING
    flags: BySide[int] = NOTHING
    rulings: tuple[Ruling, ...] = ()
    picture: str = ""
    """The last evidence picture: what stood before the turn."""
    result: str = ""
    before_play: tuple[GameState, TurnState] | None = None
    """What the game and the turn were before the last play, to which it can be handed back."""


@dataclass(frozen=True, slots=True)
class ChosenEvent:
    """An event as it was chosen: its keys by section, and the club's own rulesets file."""

    event: EventKeys = field(default_factory=dict)
    rules_text: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Everything the table has decided. `seq` and `at` are the last entry's."""

    seq: int = 0
    at: float = 0.0
    table: str = ""
    phase: Phase = Phase.IDLE
    before: Phase = Phase.IDLE
    """Where a frozen or adjourned table goes back to."""
    chosen: ChosenEvent = ChosenEvent()
    """What every match is played by that does not say otherwise."""
    of_settings: ChosenEvent | None = None
    """What the machine's settings chose last: they choose again when they have changed."""
    match: MatchState = MatchState()
    game: GameState = GameState()
    turn: TurnState = TurnState()
    alerts: tuple[Alert, ...] = ()
    phones: Mapping[str, int] = field(default_factory=dict)
    """The last press of each phone that is a clock, by its mark: none counts twice."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Sources that are away, with the reason."""
    watch: Watch = field(default=Watch(), compare=False)

    @property
    def press_ends_turn(self) -> bool:
        """Whether a turn is over only when it is pressed: there is a clock of ours, somebody uses
        it, and its buttons are there.
        """
        m = self.match
        return m.clock is not None and m.clock_used and not buttons_lost(self.lost)

    @property
    def awaits_next_throw(self) -> bool:
        """Whether the turn that was ended may have had no play, nobody having seen its dice."""
        left = self.watch.left
        return self.turn.roll is None and left is not None and not left.play.moves

    def position(self) -> Position:
        """The position of the side on roll. Raises ValueError when no game is on; PositionError
        when an illegal play that stood left none."""
        game, ruleset = self.game, self.match.ruleset
        if ruleset is None or game.placement is None:
            raise ValueError("no game is on")
        return Position.of(game.placement, ruleset, game.on_roll, game.first_turns[game.on_roll])


@dataclass(frozen=True, slots=True)
class At:
    """Where an entry stands: number, table time, who said so."""

    seq: int
    at: float
    by: e.Who
