"""A match or a money session: games, score, and `apply(match, action) -> match`, the one way
anything happens.

Values in, values out: `apply` never changes a match, it returns the next one or raises ActionError
and nothing has happened.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rules.axes import NextStart, Opening, Stakes, Win
from rules.board import Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import (
    MOVES_ON,
    Action,
    ActionError,
    Beavered,
    Corrected,
    Dropped,
    Game,
    GameAwarded,
    GamePhase,
    GameResult,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Passed,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    ResignRefused,
    Rolled,
    Starts,
    Taken,
    opening_winner,
    result_of,
    start_game,
)
from rules.infraction import Infraction
from rules.judge import judge
from rules.position import PositionError
from rules.ruleset import Ruleset

__all__ = [
    "Action",
    "ActionError",
    "Cube",
    "DeadCube",
    "Game",
    "Match",
    "MatchRules",
    "Score",
    "apply",
]


class DeadCube(enum.Enum):
    """Whether a side may offer a cube that can gain it nothing."""

    ALLOWED = "allowed"
    REFUSED = "refused"


@dataclass(frozen=True)
class MatchRules:
    """What is agreed before the first game. `length` is points to win, 0 a money session.

    `jacoby`, `beavers` and `automatic_doubles` (how many a game, 0 none) are on in money sessions
    and off in matches unless chosen: `MatchRules.of` does that. `cube_limit` None takes the
    ruleset's.
    """

    ruleset: Ruleset
    length: int = 0
    crawford: bool = True
    jacoby: bool = False
    beavers: bool = False
    automatic_doubles: int = 0
    cube_limit: int | None = None
    dead_cube: DeadCube = DeadCube.ALLOWED

    def __post_init__(self) -> None:
        if not 0 <= self.length <= 999:
            raise ValueError(f"a match is 1 to 999 points, 0 a money session; got {self.length}")

    @classmethod
    def of(
        cls,
        ruleset: Ruleset,
        length: int = 0,
        *,
        crawford: bool | None = None,
        jacoby: bool | None = None,
        beavers: bool | None = None,
        automatic_doubles: int | None = None,
        cube_limit: int | None = None,
        dead_cube: DeadCube = DeadCube.ALLOWED,
    ) -> MatchRules:
        """With the usual practice where nothing is chosen; rulesets without a cube have none of its
        rules.
        """
        money = length == 0 and ruleset.has_cube
        return cls(
            ruleset,
            length,
            (length > 0 and ruleset.has_cube) if crawford is None else crawford,
            money if jacoby is None else jacoby,
            money if beavers is None else beavers,
            int(money) if automatic_doubles is None else automatic_doubles,
            cube_limit,
            dead_cube,
        )

    @property
    def is_money(self) -> bool:
        return self.length == 0

    @property
    def highest_cube(self) -> int:
        """The cube's limit; 0 where there is none: by the ruleset, or because one point is all that
        is played for.
        """
        if not self.ruleset.has_cube or self.length == 1:
            return 0
        return self.ruleset.cube_limit if self.cube_limit is None else self.cube_limit


@dataclass(frozen=True, slots=True)
class Score:
    """Points of each side. A penalty may make one negative where the event says so."""

    white: int = 0
    black: int = 0

    def of(self, side: Side) -> int:
        return self.white if side is Side.WHITE else self.black

    def plus(self, side: Side, points: int) -> Score:
        return (
            replace(self, white=self.white + points)
            if side is Side.WHITE
            else replace(self, black=self.black + points)
        )


@dataclass(frozen=True)
class Match:
    """A match as it stands.

    `winner` is set once it is over; a money session has none until it is awarded.
    """

    rules: MatchRules
    game: Game
    score: Score = Score()
    results: tuple[GameResult, ...] = ()
    crawford_played: bool = False
    winner: Side | None = None
    names: Mapping[Side, str] = field(
        default_factory=lambda: {Side.WHITE: "White", Side.BLACK: "Black"}
    )

    @classmethod
    def start(cls, rules: MatchRules, names: Mapping[Side, str] | None = None) -> Match:
        """The first game, waiting for its opening dice."""
        match = cls(
            rules, start_game(rules.ruleset, Cube(limit=rules.highest_cube), 1, False, None)
        )
        return match if names is None else replace(match, names=dict(names))

    @property
    def is_over(self) -> bool:
        return self.winner is not None

    def away(self, side: Side) -> int | None:
        """Points a side still needs, None in a money session."""
        return None if self.rules.is_money else self.rules.length - self.score.of(side)

    @property
    def is_crawford(self) -> bool:
        return self.game.crawford

    @property
    def is_post_crawford(self) -> bool:
        return self.crawford_played and not self.game.crawford

    def cube_is_dead(self, side: Side) -> bool:
        """Whether doubling could gain a side nothing: a single game at the present value already
        wins it the match.
        """
        away = self.away(side)
        return away is not None and self.game.cube.value >= away

    def why_no_offer(self, side: Side) -> str:
        """Why a side may not offer the cube now; "" when it may."""
        game = self.game
        if game.phase is not GamePhase.TO_ROLL or game.side is not side:
            return "the cube is offered by the side on roll, before it rolls"
        if game.crawford and game.cube.limit:
            return "this is the Crawford game: no cube"
        if self.rules.dead_cube is DeadCube.REFUSED and self.cube_is_dead(side):
            return "the cube is dead: it can gain this side nothing"
        return game.cube.why_not(side)

    def may_offer(self, side: Side) -> bool:
        return not self.why_no_offer(side)


def apply(match: Match, action: Action) -> Match:
    """The match after an action.

    Raises ActionError when it cannot be done now; the match is unchanged then.
    """
    act = _ACTS.get(type(action))
    if act is None:
        raise ActionError(f"{action!r} is no action")
    game = match.game
    if match.is_over and not isinstance(action, (Corrected, PointsAdjusted)):
        raise ActionError("the match is over; only the arbiter can change it now")
    phases = MOVES_ON.get(type(action))
    if phases is not None and game.phase not in phases:
        wanted = " or ".join(sorted(phase.value for phase in phases))
        raise ActionError(
            f"{type(action).__name__} comes in phase {wanted}; the game is in phase"
            f" {game.phase.value}"
        )
    if game.resigning and isinstance(
        action, (Rolled, Played, Offered, Taken, Dropped, Beavered, Passed)
    ):
        raise ActionError("a resignation is offered: accept or refuse it first")
    return act(match, action)


def _expect(side: Side, expected: Side | None, what: str) -> None:
    if expected is not None and side is not expected:
        raise ActionError(f"it is {expected.value}'s to {what}, not {side.value}'s")


def _opening(match: Match, action: OpeningDice) -> Match:
    game, rules = match.game, match.rules
    winner = opening_winner(rules.ruleset, action)
    if winner is None:
        tied_dice = len(action.white) == len(action.black) == 1
        if tied_dice and game.cube.automatic < rules.automatic_doubles:
            return replace(match, game=replace(game, cube=game.cube.doubled_automatically()))
        return match
    if rules.ruleset.opening is Opening.PLAY_THE_DICE:
        return _starts(match, Starts(winner, Roll.of(action.white[0], action.black[0])))
    return _starts(match, Starts(winner))


def _starts(match: Match, action: Starts) -> Match:
    phase = GamePhase.TO_ROLL if action.roll is None else GamePhase.ROLLED
    return replace(match, game=replace(match.game, phase=phase, side=action.side, roll=action.roll))


def _rolled(match: Match, action: Rolled) -> Match:
    _expect(action.side, match.game.side, "roll")
    return replace(match, game=replace(match.game, phase=GamePhase.ROLLED, roll=action.roll))


def _played(match: Match, action: Played) -> Match:
    game = match.game
    _expect(action.side, game.side, "play")
    if not action.stands:
        try:
            verdict = judge(game.position, game.roll, action.after)
        except PositionError as error:
            raise ActionError(
                f"the board before this play is no position ({error}); let it stand, or correct the"
                " board"
            ) from None
        if isinstance(verdict, Infraction):
            raise ActionError(f"not legal: {verdict.why()}")
    return _turn_over(match, replace(game, placement=action.after))


def _turn_over(match: Match, game: Game) -> Match:
    side = game.side
    assert side is not None
    done = replace(game, roll=None, taken_turns=game.taken_turns | {side})
    for who in (side, side.other):
        if done.placement.counts(who)[0] >= game.ruleset.checkers:
            win, points = result_of(done.placement, game.ruleset, who)
            return _won(match, done, who, _worth(match, game, points), win, "played")
    return replace(match, game=replace(done, phase=GamePhase.TO_ROLL, side=side.other))


def _worth(match: Match, game: Game, points: int) -> int:
    """Points with the cube; under Jacoby a gammon counts only once the cube was turned."""
    if match.rules.jacoby and game.cube.limit and not game.cube.turned:
        points = 1
    return points * game.cube.value


def _won(match: Match, game: Game, winner: Side, points: int, win: Win | None, how: str) -> Match:
    result = GameResult(winner, points, win, how)
    score = match.score.plus(winner, points)
    over = not match.rules.is_money and score.of(winner) >= match.rules.length
    return replace(
        match,
        game=replace(game, phase=GamePhase.OVER, roll=None, resigning=None, result=result),
        score=score,
        results=(*match.results, result),
        crawford_played=match.crawford_played or game.crawford,
        winner=winner if over else match.winner,
    )


def _passed(match: Match, action: Passed) -> Match:
    _expect(action.side, match.game.side, "play")
    if not match.game.closed_out:
        raise ActionError(
            "a side need not roll only while no roll at all can be played; roll the dice"
        )
    return _turn_over(match, match.game)


def _offered(match: Match, action: Offered) -> Match:
    why = match.why_no_offer(action.side)
    if why:
        raise ActionError(why)
    return replace(match, game=replace(match.game, phase=GamePhase.OFFERED))


def _answerer(game: Game) -> Side:
    assert game.side is not None
    return game.side.other if game.phase is GamePhase.OFFERED else game.side


def _taken(match: Match, action: Taken) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    # A beaver is accepted without the cube moving: it was redoubled already and stays with the
    # beaverer.
    cube = game.cube.taken(action.side) if game.phase is GamePhase.OFFERED else game.cube
    return replace(match, game=replace(game, phase=GamePhase.TO_ROLL, cube=cube))


def _dropped(match: Match, action: Dropped) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    # Dropping loses the value before the offer; before a beaver that is half of what the cube
    # shows.
    points = game.cube.value if game.phase is GamePhase.OFFERED else game.cube.value // 2
    return _won(match, game, action.side.other, points, None, "dropped")


def _beavered(match: Match, action: Beavered) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    if not match.rules.beavers:
        raise ActionError("beavers were not agreed; take or drop")
    if game.cube.value * 4 > game.cube.limit:
        raise ActionError(
            f"a beaver would pass the cube's limit of {game.cube.limit}; take or drop"
        )
    cube = game.cube.taken(action.side).taken(action.side)
    return replace(match, game=replace(game, phase=GamePhase.BEAVERED, cube=cube))


def _resign_offered(match: Match, action: ResignOffered) -> Match:
    values = sorted(
        {
            1 if match.rules.ruleset.stakes is Stakes.FLAT else points
            for _, points in match.rules.ruleset.wins
        }
    )
    if action.value not in values:
        raise ActionError(
            f"one may resign {', '.join(map(str, values))} in this game; got {action.value}"
        )
    return replace(match, game=replace(match.game, resigning=(action.side, action.value)))


def _resign_accepted(match: Match, action: ResignAccepted) -> Match:
    game = match.game
    if game.resigning is None:
        raise ActionError("nobody has offered to resign")
    loser, value = game.resigning
    _expect(action.side, loser.other, "answer the resignation")
    return _won(match, game, loser.other, _worth(match, game, value), None, "resigned")


def _resign_refused(match: Match, action: ResignRefused) -> Match:
    game = match.game
    if game.resigning is None:
        raise ActionError("nobody has offered to resign")
    _expect(action.side, game.resigning[0].other, "answer the resignation")
    return replace(match, game=replace(game, resigning=None))


def _next_game(match: Match, action: NextGame) -> Match:
    rules, last = match.rules, match.game.result
    needs_one = [side for side in Side if match.away(side) == 1]
    crawford = rules.crawford and not match.crawford_played and len(needs_one) == 1
    starter = (
        last.winner if last is not None and rules.ruleset.next_start is NextStart.WINNER else None
    )
    game = start_game(
        rules.ruleset, Cube(limit=rules.highest_cube), match.game.number + 1, crawford, starter
    )
    return replace(match, game=game)


def _game_awarded(match: Match, action: GameAwarded) -> Match:
    if action.points < 0:
        raise ActionError(f"a game is awarded for 0 points or more; got {action.points}")
    return _won(match, match.game, action.side, action.points, None, "awarded")


def _match_awarded(match: Match, action: MatchAwarded) -> Match:
    game = match.game
    if game.phase is not GamePhase.OVER:
        game = replace(
            game,
            phase=GamePhase.OVER,
            roll=None,
            resigning=None,
            result=GameResult(action.side, 0, None, "awarded"),
        )
    return replace(match, game=game, winner=action.side)


def _points_adjusted(match: Match, action: PointsAdjusted) -> Match:
    new = match.score.of(action.side) + action.points
    if action.floor is not None:
        new = max(new, min(action.floor, match.score.of(action.side)))
    score = match.score.plus(action.side, new - match.score.of(action.side))
    return _settled(replace(match, score=score))


def _settled(match: Match) -> Match:
    """The winner again, after a ruling changed score or length."""
    length = match.rules.length
    there = [side for side in Side if length and match.score.of(side) >= length]
    return replace(match, winner=max(there, key=match.score.of, default=None))


def _corrected(match: Match, action: Corrected) -> Match:
    if action.reopen:
        match = _reopened(match)
    game = match.game
    changes: dict[str, Any] = {}
    if action.after is not None:
        changes["placement"] = action.after
    if action.side is not None:
        changes["side"] = action.side
    if action.cube is not None:
        changes["cube"] = action.cube
    if action.roll is not None:
        changes |= {"roll": action.roll, "phase": GamePhase.ROLLED}
    elif action.undo_roll or (
        action.side is not None
        and game.phase in (GamePhase.OPENING, GamePhase.ROLLED)
        and action.side is not game.side
    ):
        changes |= {"roll": None, "phase": GamePhase.TO_ROLL}
    side = changes.get("side", game.side)
    if side is None and changes.get("phase", game.phase) is not GamePhase.OPENING:
        raise ActionError("say whose turn it is: nobody is on roll before the opening")
    if action.first_turn is not None and side is not None:
        changes["taken_turns"] = (
            game.taken_turns - {side} if action.first_turn else game.taken_turns | {side}
        )
    match = replace(match, game=replace(game, **changes))
    if action.length is not None:
        match = replace(match, rules=replace(match.rules, length=action.length))
    if action.score is not None:
        match = replace(match, score=Score(*action.score))
    return match if action.length is None and action.score is None else _settled(match)


def _reopened(match: Match) -> Match:
    game, last = match.game, match.game.result
    if game.phase is not GamePhase.OVER or last is None:
        raise ActionError("only a game that is over can be reopened")
    side = game.side
    return replace(
        match,
        game=replace(
            game, phase=GamePhase.OPENING if side is None else GamePhase.TO_ROLL, result=None
        ),
        score=match.score.plus(last.winner, -last.points),
        results=match.results[:-1] if match.results[-1:] == (last,) else match.results,
        crawford_played=match.crawford_played and not game.crawford,
        winner=None,
    )


_ACTS: Final[Mapping[type, Callable[[Match, Any], Match]]] = {
    OpeningDice: _opening,
    Starts: _starts,
    Rolled: _rolled,
    Played: _played,
    Passed: _passed,
    Offered: _offered,
    Taken: _taken,
    Dropped: _dropped,
    Beavered: _beavered,
    ResignOffered: _resign_offered,
    ResignAccepted: _resign_accepted,
    ResignRefused: _resign_refused,
    NextGame: _next_game,
    GameAwarded: _game_awarded,
    MatchAwarded: _match_awarded,
    PointsAdjusted: _points_adjusted,
    Corrected: _corrected,
}
