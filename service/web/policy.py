"""Who may do what, as data: deny by default.

Every route names one `Right`; who may give which order stands in the referee's table of orders.
What is in neither is refused, and a test walks every route, role and table. Roles are held **at a
table**: a session names the tables it is good for, and `may` is asked with the table that the
request is about, after it was looked up.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from service.journal.entry import AT_BUTTONS, AT_TABLE, MANAGERS, RULERS, STAFF, Role
from service.referee.order_table import ORDERS


class Right(enum.Enum):
    """What a route lets one do."""

    OPEN = "open"
    """Pages without content of their own, health, signing in."""
    SCORE = "score"
    """What a clock shows of a table: names, score, clocks, whose turn it is."""
    READ = "read"
    """What is public of a table: position, dice and record too."""
    PRESS = "press"
    """Send orders; which ones, the referee's table of orders says."""
    PLAY = "play"
    """What the people at a table do with a page: set up a match, say a play."""
    FILM = "film"
    """Give the table its pictures."""
    PLAYS = "plays"
    """See which plays are legal: whoever may declare one, so no device of one side alone."""
    LIVE = "live"
    """The live state with belief and evidence, before any delay."""
    PICTURES = "pictures"
    ARBITRATE = "arbitrate"
    MANAGE = "manage"
    """Accounts, pairing, hardware, delay, events."""


HOLDERS: Final[Mapping[Right, frozenset[Role]]] = {
    Right.OPEN: frozenset(Role),
    Right.SCORE: frozenset(Role) - {Role.CAMERA},
    Right.READ: frozenset(Role) - {Role.CAMERA, Role.CLOCK},
    Right.PRESS: AT_BUTTONS,
    Right.PLAY: AT_TABLE,
    Right.FILM: MANAGERS | {Role.CAMERA},
    Right.PLAYS: AT_TABLE,
    Right.LIVE: STAFF,
    Right.PICTURES: STAFF,
    Right.ARBITRATE: RULERS,
    Right.MANAGE: MANAGERS,
}
PUBLIC: Final = frozenset({Right.OPEN, Right.SCORE, Right.READ})
"""Rights that whoever holds them holds at every table."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who stands before the page.

    `tables` None = every table of this machine; `side` only for a player.
    """

    name: str = ""
    role: Role = Role.GUEST
    side: str | None = None
    tables: frozenset[str] | None = None

    def may(self, right: Right, table: str | None = None) -> bool:
        """Whether this visitor holds a right at a table, or at any of his where none is named."""
        if self.role not in HOLDERS[right] or (right is Right.PLAYS and self.side is not None):
            return False
        return right in PUBLIC or table is None or self.tables is None or table in self.tables

    def may_everywhere(self, right: Right, tables: Collection[str], *, may_grow: bool) -> bool:
        """Whether this visitor holds a right at the whole machine: at every table it has, and at
        those that may join it.
        """
        if not self.may(right) or right in PUBLIC:
            return self.may(right)
        return self.tables is None or (not may_grow and self.tables.issuperset(tables))

    def may_give(self, tables: Collection[str] | None) -> bool:
        """Whether an account or code for these tables (None = all) is no more than he has."""
        return self.tables is None or (tables is not None and self.tables.issuperset(tables))

    def may_order(self, order: str, table: str, side: str | None = None) -> bool:
        """Whether this visitor may give an order at a table; `side` is the side that the order
        speaks for, where it names one.
        """
        spec = ORDERS.get(order)
        if spec is None or not self.may(Right.PRESS, table):
            return False
        one_side = self.role is Role.PLAYER and self.side is not None
        return spec.may(self.role, one_side, other_side=side not in (None, self.side))

    def orders(self, table: str) -> list[str]:
        """Every order that this visitor may give: what the page shows buttons for."""
        return [name for name in ORDERS if self.may_order(name, table, self.side)]

    @property
    def view(self) -> str:
        """Which view of a table this visitor gets: public, clock, player or staff."""
        if not self.may(Right.READ):
            return "clock"
        return "staff" if self.role in STAFF else "player" if self.role is Role.PLAYER else "public"

    def view_at(self, table: str) -> str:
        """Which view this visitor gets of a table; the public one of those where he has no role,
        if he may see that.
        """
        elsewhere = self.tables is not None and table not in self.tables
        return "public" if elsewhere and self.may(Right.READ) else self.view

    def feed_at(self, table: str, asked: str | None) -> str:
        """The feed that this visitor follows: the shared one that he asks for where he may see
        what is public, else his own view.
        """
        return asked if asked and self.may(Right.READ) else self.view_at(table)


GUEST: Final = Visitor()
CONSOLE: Final = Visitor("console", Role.CONSOLE)
