"""A match or a money session: what was agreed, games, score. What happens to it is
`rules.apply`'s.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rules.board import Side
from rules.cube import Cube
from rules.game import (
    Game,
    GamePhase,
    GameResult,
    start_game,
)
from rules.ruleset import Ruleset


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
