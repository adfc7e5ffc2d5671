"""One step in the making: entries are said one after another, and each changes the state that the
next decision looks at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.board import Side
from rules.conduct import Listener, News, may_be_told
from service.journal.codec import frozen_json
from service.journal.entries import TABLE, AlertRaised, Body, Facts, Who
from service.referee.fold import fold
from service.referee.inputs import Command, KeepPicture, Outcome, Sound
from service.referee.state import State


class Draft:
    """Builds one Outcome. Lives for one step only; the values it makes are frozen."""

    def __init__(self, state: State, now: float, by: Who = TABLE) -> None:
        self.state = state
        self.now = now
        self.by = by
        self._bodies: list[Body] = []
        self._commands: list[Command] = []

    def say(self, body: Body) -> int:
        """Add an entry and fold it. Returns its number."""
        seq = self.state.seq + 1
        evidence = getattr(body, "evidence", None)
        if evidence:
            # Reconcile's lists become tuples, as they will be when the journal is read.
            body = replace(body, evidence=frozen_json(evidence))  # type: ignore[call-arg]
        self.state = fold(self.state, seq, round(self.now, 4), self.by, body)
        self._bodies.append(body)
        return seq

    # Fields of `Watch` by name, as `replace` takes them.
    def watch(self, **changes: Any) -> None:
        """Note something undecided."""
        self.state = replace(self.state, watch=replace(self.state.watch, **changes))

    def picture(self, what: str) -> str:
        """Ask for a picture of this moment; its id is made of what it shows and the entry that will
        name it.
        """
        name = f"{self.state.seq + 1:06d}-{what}"
        self._commands.append(KeepPicture(name))
        return name

    def sound(self, what: str) -> None:
        """Let the board be heard."""
        self._commands.append(Sound(what))

    def who_hears(self, news: News) -> str:
        """Who hears of it: the board (and so everybody), the arbiter, or nobody but the record
        (silent).
        """
        monitor = self.state.match.event.monitor
        if may_be_told(monitor, news, Listener.PLAYERS):
            return "board"
        return "arbiter" if may_be_told(monitor, news, Listener.ARBITER) else "silent"

    def alert(
        self,
        matter: str,
        side: Side | None = None,
        code: str = "",
        facts: Facts | None = None,
        about: int | None = None,
        news: News = News.DICE,
        told: str = "",
    ) -> None:
        """Raise an alert; its id is the number of the entry that raises it.

        Questions to both sides are news like dice: told always.
        """
        self.say(
            AlertRaised(
                f"a{self.state.seq + 1}",
                matter,
                side,
                code,
                facts or {},
                told or self.who_hears(news),
                about,
            )
        )

    def once(self, what: str) -> bool:
        """True the first time in this turn."""
        if what in self.state.watch.warned:
            return False
        self.watch(warned=self.state.watch.warned | {what})
        return True

    def outcome(self) -> Outcome:
        return Outcome(self.state, tuple(self._bodies), tuple(self._commands), self.by)
