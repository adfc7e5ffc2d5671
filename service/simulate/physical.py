"""The physical table of a simulated game: what stands there, the dice, the sources and the time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from rules.board import Placement, Side
from rules.observation import Condition, Source
from service.simulate.desk import DeskAnswer, PlayedTable
from service.simulate.noise import Die, Sense

STILL_S: Final = 0.25
"""The board says that it moves until it has lain still for so long, s, as
`firmware_bridge.sensing` does.
"""


@dataclass(frozen=True, slots=True)
class _Report:
    """What the board last reported, when it first did so, and when it last did."""

    placement: Placement
    first_at: float
    last_at: float


@dataclass
class PhysicalTable:
    """The table that hands and sources share; reports go to the desk, whose answers are kept.

    Times are seconds of the game's own.
    """

    placement: Placement
    senses: dict[Source, Sense]
    desk: PlayedTable
    now: float = 10.0
    dice: list[Die] = field(default_factory=list)
    answers: list[DeskAnswer] = field(default_factory=list)
    """Since they were last taken."""
    _board: _Report | None = None
    _moved_at: float = -STILL_S

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def report(
        self,
        source: Source,
        condition: Condition = Condition.AT_REST,
        hidden: frozenset[int] = frozenset(),
    ) -> None:
        """One source, where it is there, tells the desk what it sees but for `hidden` sites."""
        sense = self.senses.get(source)
        if sense is None or sense.lost:
            return
        observation = sense.observe(self.placement, self.now, condition, self.dice, hidden)
        self.answers += self.desk.observe(observation, self.now)

    def rest(
        self, times: Iterable[float] = (0.3, 0.5), hidden: frozenset[int] = frozenset()
    ) -> None:
        """Both sources report a board at rest after each of these pauses, s."""
        for pause in times:
            self.wait(pause)
            self.report(Source.CAMERA, hidden=hidden)
            self._report_of_board()

    def _report_of_board(self) -> None:
        """The board reports for a while after a change, and else a keyframe each second."""
        if self.now - self._moved_at < STILL_S:
            self.report(Source.SENSORS, Condition.MOVING)
            return
        if self._board is None or self._board.placement != self.placement:
            self._board = _Report(self.placement, self.now, self.now)
        elif self.now - self._board.first_at > 1.3 and self.now - self._board.last_at < 1.0:
            return
        self._board = replace(self._board, last_at=self.now)
        self.report(Source.SENSORS)

    def hand(self) -> None:
        """A hand comes over the board: the camera sees it, the magnets do not."""
        self.wait(0.2)
        self.report(Source.CAMERA, Condition.MOVING)

    def stand(self, placement: Placement) -> None:
        """Checkers come to stand so; both sources see them move, and the board reports them when
        they have lain still.
        """
        self.placement, self._moved_at = placement, self.now
        self.report(Source.SENSORS, Condition.MOVING)
        self.report(Source.CAMERA, Condition.MOVING)

    def press(self, side: Side) -> None:
        """A side presses its clock now."""
        self.answers += self.desk.press(side, self.now)

    def new_answers(self) -> list[DeskAnswer]:
        """What the desk answered since the last call."""
        new, self.answers = self.answers, []
        return new
