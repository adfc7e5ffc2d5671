"""A score book kept by hand: what the entries of a match say, added up without a rule of `rules`.

It knows a game only as an old scorer does: who has borne off, what the cube shows, who resigned how
high, what a penalty took; and a clock only as two banks and a watch. Whatever it finds otherwise
than the entries say is a difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from rules.board import Side
from service.journal import entries as e
from service.journal.chain import Entry

WORTH: Final = {
    "backgammon": (1, 2, 3),
    "nackgammon": (1, 2, 3),
    "nard": (1, 2, 3),
    "nard-bozorgmehr": (1, 1, 1),
    "narde": (1, 2, 2),
}
"""What a game, a gammon and a backgammon are worth; himly asks another question."""

WITH_CUBE: Final = ("backgammon", "nackgammon")


@dataclass
class Banks:
    """Two banks and a watch. `mode`: simple, bronstein or fischer."""

    mode: str
    bank: float
    delay: float
    per_game: bool
    left: dict[Side, float] = field(default_factory=dict)
    gone: set[Side] = field(default_factory=set)
    runs: Side | None = None
    since: float | None = None
    spent: float = 0.0
    flagged: bool = False

    def __post_init__(self) -> None:
        self.left = dict.fromkeys(Side, self.bank)

    def start(self, side: Side, at: float) -> None:
        if self.runs is side:
            self.since = at if self.since is None else self.since
            return
        self.end(at)
        self.runs, self.since, self.spent, self.flagged = side, at, 0.0, False

    def rest(self, at: float) -> None:
        if self.since is not None:
            self.spent += max(0.0, at - self.since)
            self.since = None

    def end(self, at: float) -> None:
        """The turn is over: what it cost comes off, what the press gives back is added."""
        self.rest(at)
        side = self.runs
        if side is not None and side not in self.gone:
            left = self.left[side]
            if self.mode == "simple" or self.mode == "bronstein":
                left -= max(0.0, self.spent - self.delay)
            else:
                left += self.delay - self.spent
            self.left[side] = left
        self.runs, self.spent = None, 0.0

    def flag(self, side: Side) -> None:
        self.left[side], self.flagged = 0.0, True
        self.gone.add(side)

    def game(self, at: float) -> None:
        self.end(at)
        if self.per_game:
            self.left = dict.fromkeys(Side, self.bank)
            self.gone.clear()


@dataclass
class Book:
    """One match as a scorer writes it down; `differences` in words."""

    ruleset: str
    length: int
    jacoby: bool
    banks: Banks | None
    score: dict[Side, int] = field(default_factory=lambda: {Side.WHITE: 0, Side.BLACK: 0})
    cube: int = 1
    turned: bool = False
    offered: int = 0
    resigned: int = 0
    flags: dict[Side, int] = field(default_factory=lambda: {Side.WHITE: 0, Side.BLACK: 0})
    board: dict[Side, tuple[int, ...]] = field(default_factory=dict)
    mover: Side | None = None
    crawford: list[bool] = field(default_factory=list)
    doubler: Side | None = None
    forfeit: bool = False
    differences: list[str] = field(default_factory=list)

    def keep(self, entries: Iterable[Entry]) -> list[str]:
        """Every entry written down; what it says otherwise than the book."""
        for entry in entries:
            self._time(entry)
            self._write(entry)
        return self.differences

    def expect(self, what: str, came: object, mine: object) -> None:
        if came != mine:
            self.differences.append(f"{what}: the table says {came}, the book {mine}")

    # The score.

    def _write(self, entry: Entry) -> None:
        match entry.body:
            case e.GameStarted(crawford=crawford):
                self.cube, self.turned, self.offered, self.resigned = 1, False, 0, 0
                self._expect_crawford(crawford)
            case e.OpeningThrown(cube_value=value) if value:
                self.cube *= 2
                self.expect("cube after equal dice", value, self.cube)
            case e.CubeOffered(value=value):
                self.offered = self.cube
                self.expect("cube offered", value, 2 * self.cube)
                self.expect("a double in the Crawford game", self.crawford[-1], False)
            case e.CubeBeavered(value=value):
                self.offered, self.cube, self.turned = 2 * self.cube, 4 * self.cube, True
                self.expect("cube after a beaver", value, self.cube)
            case e.CubeWithdrawn():
                self.offered = 0
            case e.CubeTaken(value=value):
                self.cube = max(self.cube, 2 * self.offered)
                self.turned = True
                self.expect("cube taken", value, self.cube)
            case e.PlayEntered(side=side, placement=placement):
                self.board = {Side.WHITE: placement.white, Side.BLACK: placement.black}
                self.mover = side
            case e.Resigned(level=level):
                self.resigned = level
            case e.GameEnded():
                self._game_ended(entry.body)
            case e.Penalised() as penalty:
                self._penalised(penalty)
            case e.MatchEnded(winner=winner, score=score):
                self.expect("score at the end", score, self._pair())
                if winner is not None and self.length and not self.forfeit:
                    self.expect("winner", self.score[winner] >= self.length, True)

    def _expect_crawford(self, came: bool) -> None:
        one_away = [s for s in Side if self.length and self.score[s] == self.length - 1]
        cube = self.ruleset in WITH_CUBE and self.length > 0
        self.expect("Crawford", came, cube and len(one_away) == 1 and not any(self.crawford))
        self.crawford.append(came)

    def _game_ended(self, body: e.GameEnded) -> None:
        if body.reason == "borne_off":
            home = self.board[body.winner]
            self.expect("borne off by the winner", home[0], sum(home))
            other = self.board[body.winner.other]
            self.expect("the other is not off", other[0] < sum(other), True)
            points = self._level(body.winner) * self.cube
        elif body.reason == "drawn":
            off = [board[0] == sum(board) for board in self.board.values()]
            self.expect("both off in a drawn game", off, [True, True])
            points = 0
        elif body.reason == "dropped":
            points = self.offered
        elif body.reason == "resigned":
            points = (1 if self.jacoby and not self.turned else self.resigned) * self.cube
        else:
            points = body.points
        self.expect(f"points of game {body.number} ({body.reason})", body.points, points)
        self.score[body.winner] += points
        self.expect("score", body.score, self._pair())

    def _level(self, winner: Side) -> int:
        """How a game was lost, by looking at the loser's checkers."""
        loser = self.board[winner.other]
        home = range(1, 7) if winner is Side.WHITE else range(19, 25)
        if self.ruleset == "narde":
            home = range(1, 7) if winner is Side.WHITE else range(13, 19)
        left = any(loser[point] for point in home)
        if self.ruleset == "nard-himly":
            return 2 if left else 1
        single, gammon, backgammon = WORTH[self.ruleset]
        if loser[0] or (self.jacoby and not self.turned):
            return single
        return backgammon if left or loser[25] else gammon

    def _penalised(self, body: e.Penalised) -> None:
        self.forfeit = self.forfeit or body.penalty == "match"
        if body.penalty == "points":
            self.score[body.side] = max(0, self.score[body.side] - int(body.amount))
            self.expect("score after a penalty", body.score, self._pair())

    def _pair(self) -> tuple[int, int]:
        return self.score[Side.WHITE], self.score[Side.BLACK]

    # The clock.

    def _time(self, entry: Entry) -> None:
        if self.banks is None:
            return
        banks, at = self.banks, entry.at
        match entry.body:
            case e.ClockStarted(side=side, started_at=started):
                banks.start(side, started)
            case e.ClockStopped(stopped_at=stopped, white=white, black=black):
                banks.rest(stopped)
                self._expect_time((white, black), stopped)
            case e.TurnPressed(side=side, pressed_at=pressed) if banks.runs in (side, None):
                banks.start(side.other, pressed)
            case e.CubeOffered(side=side) | e.CubeBeavered(side=side) if banks.runs is side:
                banks.start(side.other, at)
            case e.CubeTaken() | e.CubeWithdrawn() if (
                self.doubler is not None and banks.runs is self.doubler.other
            ):
                banks.start(self.doubler, at)
            case e.PlayEntered(side=side) if banks.runs is side:
                banks.start(side.other, at)
            case e.Flagged(side=side, violation=violation):
                self.flags[side] += 1
                self.expect("flags", violation, self.flags[side])
                self._expect_flag(side, at)
                banks.flag(side)
            case e.GameStarted():
                banks.game(at)
            case e.GameEnded() | e.MatchEnded():
                banks.end(at)
        if isinstance(entry.body, e.CubeOffered):
            self.doubler = entry.body.side

    def _expect_flag(self, side: Side, at: float) -> None:
        banks = self.banks
        assert banks is not None
        self.expect("whose flag fell", side, banks.runs)
        over = self._time_over(side, at)
        self.expect("the flag fell in time", 0 <= over <= 1.0 + 1e-6, True)

    def _time_over(self, side: Side, at: float) -> float:
        """Seconds since a side's time was up."""
        banks = self.banks
        assert banks is not None
        spent = banks.spent + (at - banks.since if banks.since is not None else 0.0)
        allowed = banks.delay
        if side not in banks.gone:
            allowed = banks.left[side] + (banks.delay if banks.mode == "simple" else 0.0)
        return spent - allowed

    def _expect_time(self, came: tuple[float | None, float | None], at: float) -> None:
        banks = self.banks
        assert banks is not None
        for side, bank in zip(Side, came, strict=True):
            mine = banks.left[side]
            if side is banks.runs and side not in banks.gone:
                off = max(0.0, banks.spent - banks.delay) if banks.mode == "simple" else banks.spent
                mine = max(0.0, mine - off)
            if bank is not None and abs(bank - mine) > 0.02:
                self.differences.append(
                    f"{side.value}'s bank at {at}: the table says {bank}, the book {mine}"
                )
