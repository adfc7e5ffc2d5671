"""What is said of one order: what it does, who may give it, when, with what arguments."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from service.journal.entry import AT_TABLE, Role
from service.referee.args import Arg, ArgSchema
from service.referee.clock import ticking
from service.referee.orders import Act
from service.referee.refusal import OrderError
from service.referee.state import Phase, State

IN_MATCH: Final = "a match in progress"
"""When an order may be given that needs a match, in words."""


def all_but(*phases: Phase) -> tuple[Phase, ...]:
    """Every phase but these."""
    return tuple(p for p in Phase if p not in phases)


class Whose(enum.Enum):
    """For whom a player may give an order; all others who may give it do so for both sides."""

    OWN = "his own side"
    TABLET = "both sides, from the tablet that they share"
    ANYONE = ""
    """No player gives it."""


class WhoseTurn(enum.Enum):
    """Which side's word an order is."""

    EITHER = ""
    ON_ROLL = "the side on roll"
    ASKED = "the side that was asked"
    INTERRUPTED = "the side whose turn was interrupted"
    OPPONENT = "the side that did not play it"


class ClockNeed(enum.Enum):
    """What an order needs of the table's clock."""

    NONE = ""
    OURS = "a clock of ours"
    RUNNING = "a clock that runs"
    RESTING = "a clock that rests"


@dataclass(frozen=True, slots=True)
class OrderSpec:
    """One order. `phases` empty = whenever; `when` says them in words where they are many; `act`
    None = carried out by the table's own process, not by the referee.
    """

    name: str
    does: str
    act: Act | None
    roles: frozenset[Role] = AT_TABLE
    whose: Whose = Whose.TABLET
    turn: WhoseTurn = WhoseTurn.EITHER
    phases: tuple[Phase, ...] = ()
    when: str = ""
    clock: ClockNeed = ClockNeed.NONE
    args: tuple[Arg[object], ...] = ()
    afar: bool = True
    """Whether it may be given from the hall; else it is about what only people at the table see."""
    conduct: str = ""
    """The paragraph of conduct that decides who gives it, where that is not plain."""

    def may(self, role: Role, one_side: bool = False, other_side: bool = False) -> bool:
        """Whether somebody may give this order: `one_side` where a player has a side of its own
        (else it is the tablet that both share), `other_side` where the order names not that one.
        """
        if role not in self.roles:
            return False
        if role is not Role.PLAYER or not one_side:
            return True
        return self.whose is Whose.OWN and not other_side

    def refuse_others(self, role: Role) -> None:
        """Raises OrderError for a role that may not give this order."""
        if role not in self.roles:
            expected = "one of " + ", ".join(sorted(r.value for r in self.roles))
            raise OrderError("not_yours", expected, role.value)

    def refuse_now(self, state: State) -> None:
        """Raises OrderError in a phase, or with a clock, in which this order means nothing."""
        if self.phases and state.phase not in self.phases:
            raise OrderError(
                "not_now",
                self.when or "the table in phase " + " or ".join(p.value for p in self.phases),
                f"phase {state.phase.value}",
            )
        clock = state.match.clock
        if self.clock is not ClockNeed.NONE and clock is None:
            code = "no_clock" if self.clock is ClockNeed.OURS else "not_now"
            raise OrderError(code, self.clock.value, "none of ours")
        if self.clock is (ClockNeed.RESTING if ticking(clock) else ClockNeed.RUNNING):
            raise OrderError(
                "not_now", self.clock.value, "it runs" if ticking(clock) else "it rests"
            )

    def schema(self) -> ArgSchema:
        """The JSON schema of the arguments."""
        found: ArgSchema = {
            "type": "object",
            "properties": {arg.name: arg.schema() for arg in self.args},
        }
        needed = [arg.name for arg in self.args if arg.needed]
        return {**found, "required": needed} if needed else found
