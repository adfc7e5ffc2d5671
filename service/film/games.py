"""The games of a film: what was done with the cube, how each game ended, and the score. Pure.

The turns say where a game ends; the cube is then followed through each game. Between two turns it
stays, or the side on roll turns it and the other takes; after the last turn it may be turned and
dropped. Each way costs what the cube as it was seen says against it, a lie charged when it begins
or when a story moves the cube and the lie stays. What no camera can see, who gave a game up that
was not played out and at what price, is told from the race and is never sure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from rules.apply import apply
from rules.board import Side
from rules.game import (
    Action,
    Dropped,
    GamePhase,
    NextGame,
    Offered,
    Played,
    ResignAccepted,
    ResignOffered,
    Taken,
    resignation_values,
)
from rules.match import Match, MatchRules
from rules.race import pip_count
from service.film.cubes import AT, FACES, OFFERED, CubeLie
from service.reconcile.reel import ReadTurn, Throw

_MOST: Final = 5.0
"""Nats that one lie of the cube may say against a story by its face, and by its place."""
_OFFER: Final = 3.5
"""A cube turned before a turn: about one in thirty."""
_UNSEEN: Final = 1.5
"""It was turned, and no picture shows it lying there to be answered."""
_ELSEWHERE: Final = 2.0
"""It waits for its answer and does not lie on the field: about one in seven."""
_RESIGNED: Final = 5.0
"""A game given up with no cube turned."""
_RACE: Final = 16.0
"""Pips by which a side that gives up is behind, a blur: one that far ahead hardly ever does."""
_MOST_SURE: Final = 0.8
"""Of who gave up, which no picture shows."""


class CubeAct(Enum):
    """What was done with the cube."""

    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class CubeRead:
    """`side` did this in a game after so many of its turns; `value`: what the cube is worth if
    taken, of a drop what it was worth before. `at` s and `frame`: when it was first seen so, else
    the turn before it.
    """

    game: int
    after: int
    side: Side
    act: CubeAct
    value: int
    frame: int
    at: float
    confidence: float


@dataclass(frozen=True, slots=True)
class GameRead:
    """One game: the cube's actions, who won how many points and how ("played", "dropped",
    "resigned"; "open": the film ends before the game does, nobody won), and the score after it.
    """

    number: int
    cube: tuple[CubeRead, ...]
    how: str
    winner: Side | None
    points: int
    confidence: float
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class GameSaid:
    """What a person says of a game's end: who won how many points (0: it counts for nobody)."""

    winner: Side
    points: int


_Cube: TypeAlias = tuple[int, Side | None]
"""Its value, and whose it is."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way through a game: its cost, nats, the windows in which the cube was taken, each with
    the first lie that showed it, and whether it was dropped at last.
    """

    cost: float
    cube: _Cube
    takes: tuple[tuple[int, int | None], ...] = ()
    drop: int | None = None
    """Index of the lie that showed the cube that was dropped, -1 where none did."""


@dataclass(frozen=True, slots=True)
class _Window:
    """What lies before one turn, or after the last: the side on roll, the lies that begin in it,
    the last lie where it lasts longer.
    """

    side: Side
    lies: tuple[int, ...]
    lasting: int | None


def read_games(
    turns: Sequence[ReadTurn],
    lies: Sequence[CubeLie],
    rules: MatchRules,
    said: Mapping[int, GameSaid] | None = None,
    throws: Sequence[Throw] = (),
) -> tuple[GameRead, ...]:
    """The games of these turns, in order, each with its cube, its end and the score. `throws`: all
    that were seen; one that no turn used, before a cube that was dropped, leaves open whose it was.
    """
    used = {t.turn.throw for t in turns}
    unused = [throw for n, throw in enumerate(throws) if n not in used]
    match, found = Match.start(rules, {}), []
    for number in sorted({t.turn.game for t in turns}):
        own = [t for t in turns if t.turn.game == number]
        next_at = next((t.turn.at for t in turns if t.turn.game > number), None)
        reader = _GameReader(own, lies, match, next_at, unused)
        game, match = reader.read((said or {}).get(number))
        found.append(game)
        # A score that is over before the film is was not read right: the games go on all the same.
        match = apply(replace(match, winner=None), NextGame()) if game.how != "open" else match
    return tuple(found)


def cube_actions(game: GameRead, after: int) -> Iterator[Action]:
    """What was done with the cube after so many turns of a game."""
    kinds: dict[CubeAct, Callable[[Side], Action]] = {
        CubeAct.DOUBLE: Offered,
        CubeAct.TAKE: Taken,
        CubeAct.DROP: Dropped,
    }
    for each in game.cube:
        if each.after == after:
            yield kinds[each.act](each.side)


def given_up(game: GameRead, match: Match) -> tuple[Action, ...]:
    """The actions by which a game ends that was given up: for the highest price one may resign at
    that is not above its points.
    """
    if game.how != "resigned" or game.winner is None:
        return ()
    values = resignation_values(match.rules.ruleset)
    times = game.points // match.game.cube.value
    value = max((v for v in values if v <= times), default=values[0])
    return (ResignOffered(game.winner.other, value), ResignAccepted(game.winner))


class _GameReader:
    """Reads one game of its turns and the cube's lies. `match` stands at the game's start;
    `next_at`: when the next game's first turn was seen, None where the film ends before.
    """

    def __init__(
        self,
        turns: Sequence[ReadTurn],
        lies: Sequence[CubeLie],
        match: Match,
        next_at: float | None,
        unused: Sequence[Throw],
    ) -> None:
        self._turns, self._lies, self._match, self._next_at = turns, lies, match, next_at
        self._unused = unused
        until = math.inf if next_at is None else next_at
        ats = [t.turn.at for t in turns]
        sides = [t.turn.side for t in turns[1:]] + [turns[-1].turn.side.other]
        # Nobody doubles before the first roll, so what lies before it tells nothing of this game.
        self._windows = [
            self._window(side, begin, end)
            for side, begin, end in zip(sides, ats, [*ats[1:], until], strict=True)
        ]

    def _window(self, side: Side, begin: float, end: float) -> _Window:
        inside = tuple(n for n, lie in enumerate(self._lies) if begin < lie.at <= end)
        earlier = [n for n, lie in enumerate(self._lies) if lie.at <= begin]
        lasting = inside[-1] if inside else earlier[-1] if earlier else None
        if lasting is not None and self._lies[lasting].until < end:
            lasting = None
        return _Window(side, inside, lasting)

    def read(self, said: GameSaid | None) -> tuple[GameRead, Match]:
        """The game, and the match after it."""
        best = self._best()
        acts = tuple(self._acts(best))
        over = self._ended(best)
        if best.drop is not None:
            how, sure = "dropped", acts[-1].confidence
        elif over.game.result is not None:
            how, sure = "played", self._turns[-1].placed
        elif self._next_at is None and said is None:
            how, sure = "open", 1.0
        else:
            over, sure = self._resigned(over)
            how = "resigned"
        if said is not None:
            over, how, sure = self._as_said(over, said, how)
        result = over.game.result
        game = GameRead(
            self._turns[0].turn.game,
            acts,
            how,
            None if result is None or not result.points else result.winner,
            0 if result is None else result.points,
            min([sure, *(a.confidence for a in acts)]),
            (over.score.white, over.score.black),
        )
        return game, over

    # How the cube went.

    def _best(self, without: int | None = None, *, drops: bool = True) -> _Way:
        """The cheapest way through the game; without a take in that window, without a drop."""
        ways: dict[_Cube, _Way] = {(1, None): _Way(0.0, (1, None))}
        for k, window in enumerate(self._windows[:-1]):
            grown: dict[_Cube, _Way] = {}
            for way in ways.values():
                for longer in self._through(way, k, window, takes=k != without):
                    known = grown.get(longer.cube)
                    if known is None or longer.cost < known.cost:
                        grown[longer.cube] = longer
            ways = grown
        ends = [end for way in ways.values() for end in self._last(way, drops=drops)]
        return min(ends, key=lambda way: way.cost)

    def _through(self, way: _Way, k: int, window: _Window, *, takes: bool) -> Iterator[_Way]:
        """The ways on past a turn: the cube stays, or it is turned and taken."""
        stayed = self._against(window.lies, *way.cube)
        yield replace(way, cost=way.cost + stayed)
        if not takes or not self._may_offer(window.side, way.cube):
            return
        taken = (way.cube[0] * 2, window.side.other)
        kept = [] if window.lasting is None else [window.lasting]
        for before, offered, after in _parts(window.lies):
            cost = self._against(before, *way.cube) + self._offered(offered, taken[0])
            cost += self._against(after, *taken) + _OFFER + (0 if offered else _UNSEEN)
            cost += 0 if after else self._against(kept, *taken)
            shown = (*offered, *after)
            first = shown[0] if shown else None
            yield replace(way, cost=way.cost + cost, cube=taken, takes=(*way.takes, (k, first)))

    def _last(self, way: _Way, *, drops: bool) -> Iterator[_Way]:
        """The ways in which a game may end; what follows its end lies as the next one begins."""
        window = self._windows[-1]
        unfinished = self._ended(way).game.result is None
        gone_on = self._next_at is not None
        for before, offered, after in _parts(window.lies):
            base = way.cost + self._against(before, *way.cube)
            if not offered:
                away = self._against(after, 1, None)
                yield replace(way, cost=base + away + (_RESIGNED if unfinished and gone_on else 0))
            if not (drops and unfinished and self._may_offer(window.side, way.cube)):
                continue
            if offered or gone_on:
                cost = self._offered(offered, way.cube[0] * 2) + self._against(after, 1, None)
                cost += _OFFER + (0 if offered else _UNSEEN)
                yield replace(way, cost=base + cost, drop=offered[0] if offered else -1)

    def _may_offer(self, side: Side, cube: _Cube) -> bool:
        return self._standing(side, cube).may_offer(side)

    def _standing(self, side: Side, cube: _Cube) -> Match:
        """The match with a side on roll and the cube so."""
        value, owner = cube
        now = replace(self._match.game.cube, value=value, owner=owner, turned=owner is not None)
        game = replace(self._match.game, phase=GamePhase.TO_ROLL, side=side, cube=now)
        return replace(self._match, game=game)

    def _against(self, lies: Iterable[int], value: int, owner: Side | None) -> float:
        """Nats that these lies say against a cube that stands so."""
        total = 0.0
        for lie in (self._lies[n] for n in lies):
            shown = lie.shown[FACES.index(value)] if value > 1 else lie.shown[-1]
            if value == 1:
                # Before it is turned it may show anything, a 64 as a rule.
                shown = max(shown, max(lie.shown) - 2.0)
            total += min(_MOST, -shown) + min(_MOST, -lie.place[AT[owner]])
        return total

    def _offered(self, lies: Iterable[int], value: int) -> float:
        """Nats against a cube that waits for its answer, on the field as a rule."""
        face = FACES.index(value)
        return sum(
            min(_MOST, -lie.shown[face]) + min(_ELSEWHERE, -lie.place[OFFERED])
            for lie in (self._lies[n] for n in lies)
        )

    def _acts(self, best: _Way) -> Iterator[CubeRead]:
        """What was done with the cube on the best way: as sure as the best without it is far."""
        number, value = self._turns[0].turn.game, 1
        for k, lie in best.takes:
            side, sure = self._windows[k].side, _sure(self._best(without=k).cost - best.cost)
            value *= 2
            frame, at = self._when(k, lie)
            for who, act in ((side, CubeAct.DOUBLE), (side.other, CubeAct.TAKE)):
                yield CubeRead(number, k + 1, who, act, value, frame, at, sure)
        if best.drop is not None:
            k, side = len(self._windows) - 1, self._windows[-1].side
            sure = _sure(self._best(drops=False).cost - best.cost)
            if self._next_at is None:
                # The film ends there: it may have been taken.
                sure = min(sure, 0.5)
            frame, at = self._when(k, best.drop if best.drop >= 0 else None)
            unused = self._thrown_unused(at if best.drop >= 0 else math.inf)
            # Without the last turn it was the other side that turned it.
            sure = min(sure, 1 - unused, _sure(self._turns[-1].gap))
            yield CubeRead(number, k + 1, side, CubeAct.DOUBLE, value * 2, frame, at, sure)
            yield CubeRead(number, k + 1, side.other, CubeAct.DROP, value, frame, at, sure)

    def _thrown_unused(self, until: float) -> float:
        """Probability that dice that no turn used were thrown after the last turn: a dance, it may
        be, so that the other side turned the cube.
        """
        last = self._turns[-1].turn
        end = until if self._next_at is None else min(until, self._next_at)
        return max((t.valid for t in self._unused if last.at < t.at and t.until <= end), default=0)

    def _when(self, k: int, lie: int | None) -> tuple[int, float]:
        """Frame and time of the lie that showed it, else of the turn before."""
        if lie is not None:
            return self._lies[lie].frame, self._lies[lie].at
        return self._turns[k].turn.frame, self._turns[k].turn.at

    # How it ended.

    def _ended(self, way: _Way) -> Match:
        """The match after the last turn, and after the drop where there was one."""
        last = self._turns[-1].turn
        match = self._standing(last.side, way.cube)
        rolled = replace(
            match.game,
            phase=GamePhase.ROLLED,
            placement=last.position.placement,
            roll=last.roll,
            starter=self._turns[0].turn.side,
        )
        match = apply(replace(match, game=rolled), Played(last.side, last.play.placement, True))
        if way.drop is not None and match.game.result is None:
            offered = replace(match.game, phase=GamePhase.OFFERED)
            match = apply(replace(match, game=offered), Dropped(last.side))
        return match

    def _resigned(self, match: Match) -> tuple[Match, float]:
        """The match with the game given up by the side that is behind in the race, and how sure
        that is. Its price is a single game's: more is not to be seen.
        """
        game = match.game
        white, black = (
            pip_count(game.placement, game.ruleset.facing, side)
            for side in (Side.WHITE, Side.BLACK)
        )
        loser = Side.WHITE if white > black else Side.BLACK
        sure = 1 / (1 + math.exp(-abs(white - black) / _RACE))
        value = resignation_values(game.ruleset)[0]
        over = apply(apply(match, ResignOffered(loser, value)), ResignAccepted(loser.other))
        return over, min(sure, _MOST_SURE)

    def _as_said(self, over: Match, said: GameSaid, how: str) -> tuple[Match, str, float]:
        """The match with the game ended as a person says."""
        before = self._match.score
        result = over.game.result
        assert result is not None, "a game of which an end is said has ended"
        if (result.winner, result.points) == (said.winner, said.points):
            return over, how, 1.0
        told = replace(result, winner=said.winner, points=said.points, win=None)
        over = replace(
            over,
            game=replace(over.game, result=told),
            score=before.plus(said.winner, said.points),
        )
        return over, "resigned", 1.0


def _parts(lies: Sequence[int]) -> Iterator[tuple[Sequence[int], Sequence[int], Sequence[int]]]:
    """Every way to part lies in order into three, each perhaps empty."""
    for first in range(len(lies) + 1):
        for second in range(first, len(lies) + 1):
            yield lies[:first], lies[first:second], lies[second:]


def _sure(gap: float) -> float:
    return 1 / (1 + math.exp(-min(gap, 40.0)))
