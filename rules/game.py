"""One game: whose turn it is, what may be done next, how it ended.

A game is a value; `rules.apply.apply` makes the next one from an action. `MOVES_ON` is the table of
what may be done when.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.axes import HOME, LastRoll, Opening, ShishBesh, Stakes, Win
from rules.board import BAR, OFF, Placement, Side
from rules.cube import Cube
from rules.dice import ROLLS, Roll
from rules.play import plays
from rules.position import Position, PositionError, movers_counts
from rules.ruleset import Ruleset


class ActionError(ValueError):
    """An action that cannot be done now.

    The match is unchanged; the message says what was expected, what came and what to do.
    """


class GamePhase(enum.Enum):
    """What a game waits for."""

    OPENING = "opening"
    """The opening dice."""
    TO_ROLL = "to_roll"
    """The side on roll rolls, or offers the cube first."""
    OFFERED = "offered"
    """The other side takes, drops or beavers."""
    BEAVERED = "beavered"
    """The side that offered accepts the beaver or drops."""
    ROLLED = "rolled"
    """The side on roll plays its roll."""
    OVER = "over"


# Actions: what is done to a match, one value each.


@dataclass(frozen=True, slots=True)
class OpeningDice:
    """The dice of the opening: one each, or two each.

    A side that did not throw has (). `first` threw first, where that is known.
    """

    white: tuple[int, ...]
    black: tuple[int, ...]
    first: Side | None = None


@dataclass(frozen=True, slots=True)
class Starts:
    """Who starts, however that was settled; with `roll` the side plays that roll, else it rolls."""

    side: Side
    roll: Roll | None = None


@dataclass(frozen=True, slots=True)
class Rolled:
    side: Side
    roll: Roll


@dataclass(frozen=True, slots=True)
class Played:
    """The side ends its turn with the board at `after`.

    `stands`: the play was illegal and stands.
    """

    side: Side
    after: Placement
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """The side is closed out and does not roll."""

    side: Side


@dataclass(frozen=True, slots=True)
class Offered:
    """The cube is offered by a side before its roll."""

    side: Side


@dataclass(frozen=True, slots=True)
class Taken:
    side: Side


@dataclass(frozen=True, slots=True)
class Dropped:
    side: Side


@dataclass(frozen=True, slots=True)
class Beavered:
    """Taken and redoubled at once, the cube kept (money)."""

    side: Side


@dataclass(frozen=True, slots=True)
class ResignOffered:
    """The side offers to lose `value` times the cube (1, 2 or 3: a single game, gammon, backgammon;
    mars, super-mars).
    """

    side: Side
    value: int = 1


@dataclass(frozen=True, slots=True)
class ResignAccepted:
    side: Side


@dataclass(frozen=True, slots=True)
class ResignRefused:
    side: Side


@dataclass(frozen=True, slots=True)
class NextGame:
    """Set up again, after a game is over and the match is not."""


@dataclass(frozen=True, slots=True)
class GameAwarded:
    """A ruling ends the game: so many points to a side (0 is a game that counts for nobody)."""

    side: Side
    points: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MatchAwarded:
    """A ruling ends the match."""

    side: Side
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PointsAdjusted:
    """A ruling changes a side's score by `points`, not below `floor` (None: below zero too)."""

    side: Side
    points: int
    floor: int | None = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The arbiter's word: what is given replaces what was believed; None leaves it.

    `undo_roll` takes the roll or an offered cube back; `first_turn` says whether the side on roll
    is on its own first turn; `reopen` takes the result of a game that is over back, and its points.
    """

    after: Placement | None = None
    side: Side | None = None
    roll: Roll | None = None
    undo_roll: bool = False
    first_turn: bool | None = None
    reopen: bool = False
    cube: Cube | None = None
    score: tuple[int, int] | None = None
    length: int | None = None
    crawford_played: bool | None = None
    """Whether the Crawford game has been played, as in a stretch that nobody recorded."""
    reason: str = ""


Action = (
    OpeningDice
    | Starts
    | Rolled
    | Played
    | Passed
    | Offered
    | Taken
    | Dropped
    | Beavered
    | ResignOffered
    | ResignAccepted
    | ResignRefused
    | NextGame
    | GameAwarded
    | MatchAwarded
    | PointsAdjusted
    | Corrected
)

MOVES_ON: Final[Mapping[type, frozenset[GamePhase]]] = {
    OpeningDice: frozenset({GamePhase.OPENING}),
    Starts: frozenset({GamePhase.OPENING}),
    Rolled: frozenset({GamePhase.TO_ROLL}),
    Offered: frozenset({GamePhase.TO_ROLL}),
    Passed: frozenset({GamePhase.TO_ROLL}),
    Played: frozenset({GamePhase.ROLLED}),
    Taken: frozenset({GamePhase.OFFERED, GamePhase.BEAVERED}),
    Dropped: frozenset({GamePhase.OFFERED, GamePhase.BEAVERED}),
    Beavered: frozenset({GamePhase.OFFERED}),
    ResignOffered: frozenset(
        {GamePhase.OPENING, GamePhase.TO_ROLL, GamePhase.OFFERED, GamePhase.ROLLED}
    ),
    ResignAccepted: frozenset(set(GamePhase) - {GamePhase.OVER}),
    ResignRefused: frozenset(set(GamePhase) - {GamePhase.OVER}),
    NextGame: frozenset({GamePhase.OVER}),
    GameAwarded: frozenset(set(GamePhase) - {GamePhase.OVER}),
}
"""When each action may come; what is not named here may always."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended: `win` is None where a drop, resignation or ruling ended it. `points` are
    what the winner scores.
    """

    winner: Side
    points: int
    win: Win | None = None
    how: str = "played"
    """played, dropped, resigned, awarded or drawn; a drawn game gives its starter no points."""


@dataclass(frozen=True)
class Game:
    """One game as it stands.

    `side` is on roll (None before the opening is settled); `taken_turns` says who has had a first
    turn.
    """

    ruleset: Ruleset
    placement: Placement
    phase: GamePhase = GamePhase.OPENING
    side: Side | None = None
    roll: Roll | None = None
    cube: Cube = field(default_factory=Cube)
    taken_turns: frozenset[Side] = frozenset()
    resigning: tuple[Side, int] | None = None
    """The side that offers to resign, and the value."""
    crawford: bool = False
    number: int = 1
    result: GameResult | None = None
    starter: Side | None = None
    """Who had the first turn of the game, where that is known."""

    @property
    def first_turn(self) -> bool:
        """Whether the side on roll is on its own first turn."""
        return self.side is not None and self.side not in self.taken_turns

    @property
    def position(self) -> Position:
        """The position of the side on roll.

        Raises PositionError when the board stands as no position can, ActionError before the
        opening is settled.
        """
        if self.side is None:
            raise ActionError("nobody is on roll before the opening dice are thrown")
        return Position.of(self.placement, self.ruleset, self.side, self.first_turn)

    @property
    def closed_out(self) -> bool:
        """Whether no roll at all can be played, so that the side on roll need not roll."""
        try:
            position = self.position
        except (PositionError, ActionError):
            return False
        return not position.is_over and not any(plays(position, roll) for roll in ROLLS)


def start_game(
    ruleset: Ruleset, cube: Cube, number: int, crawford: bool, starter: Side | None
) -> Game:
    """The board set up; `starter` starts without opening dice (the winner of the game before, where
    the ruleset says so).
    """
    placement = Position.start(ruleset, Side.WHITE).placement
    phase = GamePhase.OPENING if starter is None else GamePhase.TO_ROLL
    return Game(
        ruleset,
        placement,
        phase,
        starter,
        cube=cube,
        crawford=crawford,
        number=number,
        starter=starter,
    )


def awaits_last_roll(
    ruleset: Ruleset, placement: Placement, starter: Side | None, played: Side
) -> bool:
    """Whether the game goes on after a play of `played` though a side has borne off all: who began
    has, and the other has not had its last turn.
    """
    return (
        ruleset.last_roll is LastRoll.DRAW
        and played is starter
        and placement.counts(played)[OFF] >= ruleset.checkers
    )


def is_drawn(ruleset: Ruleset, placement: Placement) -> bool:
    """Whether both sides have borne off all their checkers."""
    return all(placement.counts(side)[OFF] >= ruleset.checkers for side in Side)


def opening_winner(ruleset: Ruleset, dice: OpeningDice) -> Side | None:
    """Who starts after these opening dice; None means that they are thrown again.

    Raises ActionError for dice that no opening has.
    """
    each = 2 if ruleset.opening is Opening.TWO_DICE_EACH else 1
    thrown = {Side.WHITE: dice.white, Side.BLACK: dice.black}
    for side, values in thrown.items():
        if not all(1 <= v <= 6 for v in values):
            raise ActionError(f"dice show 1 to 6; {side.value} threw {values}")
    if ruleset.shish_besh is ShishBesh.STARTS:
        threw = [side for side in thrown if sorted(thrown[side]) == [5, 6]]
        if threw:
            # The first 6-5 starts at once: the other side may not have thrown at all.
            return threw[0] if len(threw) == 1 else dice.first
    for side, values in thrown.items():
        if len(values) != each:
            raise ActionError(
                f"each side throws {each} {'die' if each == 1 else 'dice'} in the opening;"
                f" {side.value} threw {len(values)}"
            )
    white, black = sum(dice.white), sum(dice.black)
    return None if white == black else Side.WHITE if white > black else Side.BLACK


def resignation_values(ruleset: Ruleset) -> tuple[int, ...]:
    """How many times the cube one may resign, lowest first: what a game of this ruleset costs."""
    flat = ruleset.stakes is Stakes.FLAT
    return tuple(sorted({1 if flat else points for _, points in ruleset.wins}))


def resignation_win(ruleset: Ruleset, value: int) -> Win:
    """What a game is lost as that is resigned at this value: the plainest win of that worth."""
    words = {points: win for win, points in reversed(ruleset.wins)}
    return Win.SINGLE if ruleset.stakes is Stakes.FLAT else words.get(value, Win.SINGLE)


def result_of(placement: Placement, ruleset: Ruleset, winner: Side) -> tuple[Win, int]:
    """How much a game that `winner` has won is worth before the cube: the highest of the ruleset's
    results whose condition holds.
    """
    _, loser = movers_counts(placement, ruleset.facing, winner)
    none_off = loser[OFF] == 0
    in_home = any(loser[p] for p in range(1, HOME + 1))
    on_bar = loser[BAR] > 0
    holds = {
        Win.SINGLE: True,
        Win.GAMMON: none_off,
        Win.BACKGAMMON: none_off and (on_bar or in_home),
        Win.LEFT_IN_HOME: in_home,
        Win.LEFT_IN_HOME_OR_BAR: in_home or on_bar,
        Win.AZIZ: loser[BAR] == ruleset.checkers,
    }
    values = [*ruleset.wins, *([(Win.AZIZ, ruleset.aziz)] if ruleset.aziz else [])]
    win, points = max(((w, p) for w, p in values if holds[w]), key=lambda item: item[1])
    return win, 1 if ruleset.stakes is Stakes.FLAT else points
