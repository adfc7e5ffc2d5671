"""A simulated game at a running table (`live`): its time, its reports and its players' orders."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final, Protocol

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Observation, Source
from rules.position import Position
from service.journal.codec import Json
from service.referee.inputs import Press
from service.referee.state import Phase
from service.session.core import Core
from service.simulate.desk import DeskAnswer

OVER: Final = (Phase.IDLE, Phase.MATCH_OVER)
HELD: Final = (Phase.FROZEN, Phase.ADJOURNED)
CALLS: Final = 0.004
"""How often, per turn, somebody calls the director."""


class RunningTable(Protocol):
    """What a simulated game needs of the table it is played at."""

    core: Core
    random: random.Random

    @property
    def now(self) -> float:
        """Table time, s."""
        ...

    def pause(self, until: float) -> None:
        """Return when it is that late at the table."""
        ...

    def wait_for_ruling(self) -> None:
        """Return when a frozen table goes on."""
        ...

    def order(self, name: str, **args: Json) -> None:
        """Give an order from the table's console; nothing is done where it is refused."""
        ...

    def new_answers(self) -> list[DeskAnswer]:
        """What players noticed since the last call."""
        ...


class LiveDesk:
    """A running table as what a simulated game reports to.

    The game's own time begins anew each game and stands while the table is frozen; an offset makes
    table time of it.
    """

    def __init__(self, table: RunningTable, fresh: bool) -> None:
        self.table, self._fresh = table, fresh
        self._offset = 0.0
        self._first: Position | None = None

    def at(self, position: Position, now: float) -> LiveDesk:
        """Open the desk at the game's time `now`."""
        self._offset = self.table.now - now
        self._first = position if self._fresh else None
        return self

    def _time(self, now: float) -> float:
        """Table time of the game's `now`, once it is that late and no ruling is awaited."""
        table = self.table
        table.pause(now + self._offset)
        if table.core.session.state.phase in HELD:
            table.wait_for_ruling()
            self._offset = table.now - now
        return table.now

    def observe(self, observation: Observation, now: float) -> list[DeskAnswer]:
        """What players notice of an observation; the game is started with the first of them."""
        at = self._time(now)
        table = self.table
        table.core.seen(replace(observation, seen_at=observation.seen_at + self._offset), at)
        if self._first is not None and now >= 11.0:
            first, self._first = self._first, None
            table.order("start_game", starter=first.side.value)
            if table.core.session.state.game.placement != first.placement:
                self._set_position(first.placement, first.side)
        return table.new_answers()

    def press(self, side: Side, now: float) -> list[DeskAnswer]:
        """What players notice of a press; now and then somebody calls the director."""
        at = self._time(now)
        self.table.core.pressed(Press(side, at), at)
        if self.table.random.random() < CALLS:
            self.table.order("call_director", reason="a question")
        return self.table.new_answers()

    def source(self, source: Source, ok: bool, now: float) -> None:
        """A source's cable is pulled, or put back."""
        self.table.core.source(
            "camera" if source is Source.CAMERA else "board",
            ok,
            "" if ok else "unplugged",
            self._time(now),
        )

    def waits_for(self, side: Side) -> bool:
        state = self.table.core.session.state
        return state.phase not in (Phase.GAME_OVER, *OVER) and state.game.on_roll is side

    def answer(self, roll: Roll, placement: Placement, now: float) -> None:
        """A person says what was truly rolled and stands there."""
        self._time(now)
        dice: Json = [roll.high, roll.low]
        if self.table.core.session.state.phase is Phase.TO_ROLL:
            self.table.order("declare_roll", roll=dice)
        self.table.order("declare_play", placement=_placement_json(placement), roll=dice)

    def resync(self, placement: Placement, on_roll: Side, now: float) -> bool:
        """Whether the record had to be put right, which is done."""
        state = self.table.core.session.state
        over = state.phase in (Phase.GAME_OVER, *OVER)
        if over or (state.game.placement == placement and state.game.on_roll is on_roll):
            return False
        self._set_position(placement, on_roll)
        return True

    def _set_position(self, placement: Placement, on_roll: Side) -> None:
        self.table.order(
            "set_position", placement=_placement_json(placement), on_roll=on_roll.value
        )

    def end(self) -> None:
        """End the game at the table; where the record does not know it yet, the loser resigns."""
        state = self.table.core.session.state
        if state.phase in (Phase.GAME_OVER, *OVER) or state.game.placement is None:
            return
        off = {side: state.game.placement.counts(side)[OFF] for side in Side}
        loser = min(Side, key=lambda side: off[side])
        self.table.order("resign", side=loser.value, level=1)
        self.table.order("accept_resignation", side=loser.other.value)


def _placement_json(placement: Placement) -> dict[str, Json]:
    """A placement as an order's argument."""
    return {"white": list(placement.white), "black": list(placement.black)}
