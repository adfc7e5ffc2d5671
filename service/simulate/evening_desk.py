"""The table of a simulated evening: core and journal are the table's own, on a disk; it can be
killed and opened again (E).

What was acknowledged is kept beside the journal, and compared with it at every restart and in the
end: an entry that the journal has lost, or tells otherwise, is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rules.board import Placement, Side
from rules.observation import Observation, Source
from service.journal.chain import Entry
from service.journal.codec import Json, encode
from service.journal.entries import TableOpened
from service.journal.store import Store
from service.referee.inputs import Press
from service.referee.refusal import Answer, Refusal
from service.referee.state import Phase, State
from service.session.core import Core
from service.session.settled_placements import to_remember
from service.table import opening

TABLET: Final = {"name": "tablet", "role": "console", "side": None}


@dataclass
class EveningDesk:
    """One table over an evening. `remember` is called with what the board is to remember."""

    path: Path
    remember: Callable[[Placement | None], None]
    acknowledged: list[Entry] = field(default_factory=list)
    lost: int = 0
    restarts: int = 0
    _seen: int = 0

    def __post_init__(self) -> None:
        self._store = Store.open(self.path)
        session, now = opening.session_of(self._store)
        self.core = Core(session, self._store, None, stored=self._keep)
        self.core.begin([TableOpened("simulate", "simulate", "none")], now)

    @property
    def state(self) -> State:
        return self.core.session.state

    def _keep(self, entries: tuple[Entry, ...]) -> None:
        self.acknowledged += entries
        bodies = [entry.body for entry in entries]
        for placement in to_remember(bodies, self.state.game.placement):
            self.remember(placement)

    def new_entries(self) -> list[Entry]:
        """What was written since the last call."""
        new = self.acknowledged[self._seen :]
        self._seen = len(self.acknowledged)
        return new

    # What comes in.

    def seen(self, observation: Observation, now: float) -> None:
        self.core.seen(observation, now)

    def tick(self, now: float) -> None:
        self.core.tick(now)

    def press(self, side: Side, now: float) -> None:
        self.core.pressed(Press(side, now), now)

    def source(self, source: Source, ok: bool, now: float) -> None:
        self.core.source(source.kind.device, ok, "" if ok else "unplugged", now)

    def order(
        self,
        name: str,
        now: float,
        speaker: Side | None = None,
        args: Mapping[str, Json] | None = None,
    ) -> Refusal | None:
        """Give an order from the tablet, or as a player of a side; the refusal, if it is one."""
        answers: list[Answer] = []
        by = TABLET if speaker is None else {"name": "", "role": "player", "side": speaker.value}
        self.core.order(name, args or {}, by, now, answers.append)
        return next((answer for answer in answers if isinstance(answer, Refusal)), None)

    def set_position(self, placement: Placement, on_roll: Side, now: float) -> None:
        """A person says what stands there and whose turn it is."""
        said: dict[str, Json] = {"placement": encode(placement), "on_roll": on_roll.value}
        self.order("set_position", now, args=said)

    @property
    def asks(self) -> bool:
        """Whether the table waits for a person."""
        waits = self.state.phase in (Phase.DIFFERS, Phase.ILLEGAL)
        return waits or any(a.matter not in NO_QUESTION for a in self.state.alerts)

    # Life and death.

    def has_on_record(self, side: Side, placement: Placement) -> bool:
        """Whether the record ends with this play, so that nothing is to be said."""
        last = self.state.match.plays[-1] if self.state.match.plays else None
        return last is not None and (last.side, last.placement) == (side, placement)

    def has_other_to_play(self, side: Side) -> bool:
        """Whether the record has the other side to play, and not after a play of this one that a
        word would be about.
        """
        state = self.state
        last = state.match.plays[-1] if state.match.plays else None
        left = last is not None and (last.side, last.placement) == (side, state.game.placement)
        return state.game.on_roll is side.other and not left

    def restart(self, now: float) -> None:
        """The process dies as it stands, and comes back."""
        self.restarts += 1
        self._store.close()
        self._compare()
        self._store = Store.open(self.path)
        session, since = opening.session_of(self._store)
        self.core = Core(session, self._store, None, stored=self._keep)
        self.core.begin([opening.came_back(self._store.heartbeat(), max(now, since), now)], now)

    def close(self) -> None:
        """The evening is over: the journal is read once more and compared."""
        self._store.close()
        self._compare()

    def _compare(self) -> None:
        """Count what was acknowledged and stands otherwise, or not at all, in the journal."""
        with Store.open(self.path) as again:
            kept = {entry.seq: entry.hash for entry in again.past}
        self.lost = sum(kept.get(entry.seq) != entry.hash for entry in self.acknowledged)


NO_QUESTION: Final = frozenset(
    {
        "dice",
        "set_up_anew",
        "source_lost",
        "hit_checker",
        "slow_play",
        "missed_press",
        "flag",
        "director_called",
        "illegal_limit",
        "release_is_final",
        "appeal",
    }
)
"""Matters of alerts that ask nobody what stands on the board."""
