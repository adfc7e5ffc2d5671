"""Building a record while reading a file: the match is played along, so that what is wrong is named
where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.apply import apply
from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import (
    Action,
    ActionError,
    Beavered,
    Corrected,
    Dropped,
    GameAwarded,
    GamePhase,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Passed,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    Rolled,
    Starts,
    Taken,
)
from rules.match import Match, MatchRules
from rules.notation.errors import (
    HIGHEST_SCORE,
    MOST_ACTIONS,
    MOST_GAMES,
    MOST_SET_UPS,
    MOST_TURNS,
    NotationError,
)
from rules.notation.record import AS_RECORDED, TOO_BROAD, Breadth, MatchRecord, moved
from rules.play import Plays, plays
from rules.position import PositionError, View, movers_counts, placement_of

_ON_THE_BOARD: Final = ("played", "dropped")
"""Ways in which a game ends for everybody to see, whatever a file says of it."""


class Replay:
    """A match being read; each method is something that a file said, at a line and column."""

    def __init__(
        self,
        rules: MatchRules,
        names: Mapping[Side, str],
        tags: tuple[tuple[str, str], ...] = (),
        unit: str = "line",
    ) -> None:
        """`unit` is what the file is counted in: lines, or records."""
        self.match = Match.start(rules, names)
        self.actions: list[Action] = []
        self.remarks: list[str] = []
        self.tags = tags
        self.turns = self.set_ups = 0
        self.breadth = Breadth()
        self.line = self.column = 0
        self.unit = unit
        self.idle = False
        """A roll that could be played stands there without moves: nothing was moved, or the side
        resigned instead.
        """
        self.unknown = False
        """What the roll that stands there was played with is not known."""
        self.cut = False
        """The file tells this game only in part: its points need not come of what is told."""

    def at(self, line: int, column: int) -> None:
        self.line, self.column = line, column

    def fail(self, what: str) -> NotationError:
        return NotationError(what, self.line, self.column, self.unit)

    def remark(self, what: str) -> None:
        """Something to be known of the place where the file is."""
        self.remarks.append(f"{self.unit} {self.line}: {what}")

    def settle(self) -> None:
        """Something else follows a roll without moves, so nothing was moved and that stood."""
        if self.idle:
            self.idle = False
            assert self.match.game.side is not None
            self.act(Played(self.match.game.side, self.match.game.placement, stands=True))
        if self.unknown:
            self.unknown = False
            assert self.match.game.side is not None
            self.remarks.append(
                f"before {self.unit} {self.line}: the play of {self.match.game.roll} is not known"
            )
            self.act(Corrected(side=self.match.game.side.other, reason="the play was not recorded"))

    def act(self, *actions: Action) -> None:
        for action in actions:
            self._done(action, action)

    def _done(self, action: Action, told: Action) -> None:
        """The match after `action`, which the record tells as `told`."""
        if len(self.actions) > MOST_ACTIONS:
            raise self.fail(f"more than {MOST_ACTIONS} actions are no match")
        try:
            self.match = apply(self.match, action)
        except ActionError as error:
            raise self.fail(str(error)) from None
        self.actions.append(told)

    def _legal(self) -> Plays:
        """Every play of the roll that stands there."""
        game = self.match.game
        if game.roll is None:
            raise self.fail("a play without a roll")
        if not self.breadth.add(game):
            raise self.fail(TOO_BROAD)
        try:
            return plays(game.position, game.roll)
        except PositionError as error:
            raise self.fail(f"the board before this play is no position: {error}") from None

    def _played(self, side: Side, after: Placement, *, legal: bool) -> None:
        """A play that was looked up: it is not judged a second time."""
        self._done(Played(side, after, stands=True), Played(side, after, stands=not legal))

    def record(self) -> MatchRecord:
        self.settle()
        return MatchRecord(
            self.match.rules, self.match.names, tuple(self.actions), self.tags, tuple(self.remarks)
        )

    def salvaged(self, trouble: NotationError) -> MatchRecord:
        """What was read before the trouble, which is the last remark."""
        self.idle = self.unknown = False
        self.remarks.append(f"read up to here only: {trouble}")
        return self.record()

    def next_game(self) -> None:
        """A game begins after another."""
        if self.match.game.number >= MOST_GAMES:
            raise self.fail(f"more than {MOST_GAMES} games are no match")
        if self.match.game.phase is not GamePhase.OVER:
            raise self.fail("a game begins before the one before it has a result")
        self.act(NextGame())
        self.turns = 0

    def score(self, white: int, black: int) -> None:
        """What the file says the score is; a difference to the games so far is a ruling."""
        if max(abs(white), abs(black)) > HIGHEST_SCORE:
            raise self.fail(f"{white} : {black} is no score; {HIGHEST_SCORE} at most")
        for side, said in ((Side.WHITE, white), (Side.BLACK, black)):
            gap = said - self.match.score.of(side)
            if gap:
                self.act(PointsAdjusted(side, gap, None, "the score as recorded"))

    def roll(self, side: Side, roll: Roll) -> None:
        self.settle()
        if self.match.game.phase is GamePhase.BEAVERED:
            # A beaver is accepted by rolling on.
            self.act(Taken(side))
        self.turns += 1
        if self.turns > MOST_TURNS:
            raise self.fail(f"more than {MOST_TURNS} turns are no game")
        if self.match.game.phase is GamePhase.OPENING and not roll.is_double:
            mine, theirs = (roll.high,), (roll.low,)
            self.act(OpeningDice(mine, theirs) if side is Side.WHITE else OpeningDice(theirs, mine))
            if self.match.game.roll is not None:
                return
        elif self.match.game.phase is GamePhase.OPENING:
            self.act(Starts(side, roll))
            return
        self.turn_of(side)
        self.act(Rolled(side, roll))

    def turn_of(self, side: Side) -> None:
        """The file goes on with this side: the other had no turn to speak of."""
        game = self.match.game
        if game.phase is GamePhase.OPENING:
            self.act(Starts(side))
        elif game.phase is GamePhase.TO_ROLL and game.side is not side:
            if game.closed_out:
                self.act(Passed(side.other))
            else:
                self.remark(f"{side.other.value} had a turn before this that was not recorded")
                self.act(Corrected(side=side, reason="the turn between was not recorded"))

    def play(self, side: Side, pairs: list[tuple[int, int]]) -> None:
        """Moves as the file lists them; a play that no rule allows is one that stood."""
        legal = self._legal()
        after = moved(legal.position, pairs)
        if after is None:
            raise self.fail(
                "no checker stands where a move begins, or the opponent holds where it ends"
            )
        if not pairs and legal:
            self.idle = True
            return
        allowed = after in legal
        if not allowed:
            # A stop on the way that hits is not always written: 24/15 for 24/21*/15.
            facing = legal.position.ruleset.facing
            own = movers_counts(after, facing, side)[0]
            meant = [view for view in legal.views() if _stands_so(view, own)]
            if len(meant) == 1:
                allowed, after = True, placement_of(meant[0], facing, side)
        self._played(side, after, legal=allowed)

    def stood(self, side: Side, after: Placement) -> None:
        """A play told by the board that it left; one that no rule allows is one that stood."""
        self._played(side, after, legal=after in self._legal())

    def board(self, after: Placement, side: Side | None) -> None:
        """The file sets the board up."""
        self.idle = False
        self._count_set_up()
        game = self.match.game
        if game.phase is GamePhase.ROLLED and game.side is not None:
            self.act(Played(game.side, after, stands=True))
        if self.match.game.placement != after or (
            side is not None and self.match.game.side is not side
        ):
            self.act(Corrected(after=after, side=side or self.match.game.side))

    def left_out(self, what: str, line: int) -> None:
        """The file sets the board up in a form that is not read."""
        self._count_set_up()
        self.remarks.append(f"{self.unit} {line}: {what} was left out")

    def _count_set_up(self) -> None:
        self.set_ups += 1
        if self.set_ups > MOST_SET_UPS:
            raise self.fail(f"more than {MOST_SET_UPS} boards set up are no match")

    def offer(self, side: Side) -> None:
        self.settle()
        if self.match.game.phase is GamePhase.OFFERED:
            # Offering back is how files write a beaver.
            self.act(Beavered(side))
        else:
            self.turn_of(side)
            if self.match.game.crawford and self.match.game.number == 1:
                # The record begins at match point; with a cube its first game is a later one.
                self.act(Corrected(crawford_played=True, reason="a cube was offered"))
            self.act(Offered(side))

    def take(self, side: Side) -> None:
        self.settle()
        self.act(Taken(side))

    def drop(self, side: Side) -> None:
        self.settle()
        self.act(Dropped(side))

    def awarded(self, winner: Side) -> None:
        """An arbiter gave the match to this side; a roll that stood there was never played."""
        self.idle = self.unknown = False
        self.act(MatchAwarded(winner))

    def won(self, winner: Side, points: int) -> None:
        """The result as the file says it."""
        self.idle = self.unknown = False
        result = self.match.game.result
        if result is not None and result.winner is not winner and result.how in _ON_THE_BOARD:
            self.remark(f"the file gives this game to {winner.value}; on the board it was not so")
            return
        points = self._believable(winner, points)
        if result is not None:
            length = self.match.rules.length
            # Some programs write no more points than the match still needed.
            needed = length - self.match.score.of(winner) + result.points if length else None
            if (result.winner, result.points) != (winner, points) and not (
                result.winner is winner and points == needed
            ):
                self.remark(f"the file says {points} points, the game was worth {result.points}")
                self.act(PointsAdjusted(result.winner, -result.points, None, AS_RECORDED))
                self.act(PointsAdjusted(winner, points, None, AS_RECORDED))
            return
        value = self._resigned(winner, points)
        if value is None:
            self.act(GameAwarded(winner, points, AS_RECORDED))
        else:
            self.act(ResignOffered(winner.other, value), ResignAccepted(winner))

    def _needed(self, winner: Side) -> int | None:
        """Points that the winner still needs, None where the match has no length."""
        length = self.match.rules.length
        return length - self.match.score.of(winner) if length else None

    def _believable(self, winner: Side, points: int) -> int:
        """The points that a file says, or what the match still needs where no game is worth them.

        Sites write such numbers for a match that was given up.
        """
        worth = [p for _, p in self.match.rules.ruleset.wins]
        needed = self._needed(winner)
        if needed is None or self.cut or points <= max(worth) * self.match.game.cube.value:
            return points
        result = self.match.game.result
        most = max(needed, 0)
        # Less than the match needs is no match given up, but a game counted wrongly.
        counted = most if points >= most else max(worth) * self.match.game.cube.value
        counted = counted if result is None else result.points
        if counted != points:
            self.remark(f"no game is worth {points} points; {counted} were counted")
        return counted

    def least(self, winner: Side, *, match: bool) -> int:
        """The points of a game of which the file says only who won it, or that it won the match."""
        result, needed = self.match.game.result, self._needed(winner) if match else None
        counted = max(needed or 0, self.match.game.cube.value) if result is None else result.points
        self.remark(f"the file does not say how many points that was; {counted} were counted")
        return counted

    def _resigned(self, winner: Side, points: int) -> int | None:
        """As what the game was given up (1 to 3), None where no resignation is worth these points.

        A site that writes no more points than the match still needed means the least that reaches
        them.
        """
        cube = self.match.game.cube
        worth = sorted({p for _, p in self.match.rules.ruleset.wins})
        if self.match.rules.jacoby and not cube.turned:
            worth = worth[:1]
        exact = [value for value in worth if value * cube.value == points]
        if exact or points != self._needed(winner) or points <= 0:
            return exact[0] if exact else None
        return next((value for value in worth if value * cube.value >= points), None)


def _stands_so(view: View, own: tuple[int, ...]) -> bool:
    """Whether the mover's checkers stand so in this view, whatever the opponent's do; `own` are its
    26 counts. Most views differ soon.
    """
    for number, count in zip(view, own[1:], strict=False):
        if number != count and (number > 0 or count):
            return False
    return view[25] == own[0]
