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

from service.journal.entry import AT_TABLE, MANAGERS, RULERS, STAFF, Role
from service.referee.order_table import ORDERS


class Right(enum.Enum):
    """What a route lets one do."""

    OPEN = "open"
    """Pages without content of their own, health, signing in."""
    READ = "read"
    """What is public of a table."""
    PLAY = "play"
    """Send orders; which ones, the referee's table of orders says."""
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
    Right.READ: frozenset(Role),
    Right.PLAY: AT_TABLE,
    Right.PLAYS: AT_TABLE,
    Right.LIVE: STAFF,
    Right.PICTURES: STAFF,
    Right.ARBITRATE: RULERS,
    Right.MANAGE: MANAGERS,
}


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
        if right in (Right.OPEN, Right.READ):
            return True
        if self.role not in HOLDERS[right] or (right is Right.PLAYS and self.side is not None):
            return False
        return table is None or self.tables is None or table in self.tables

    def may_everywhere(self, right: Right, tables: Collection[str], *, may_grow: bool) -> bool:
        """Whether this visitor holds a right at the whole machine: at every table it has, and at
        those that may join it.
        """
        if not self.may(right) or right in (Right.OPEN, Right.READ):
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
        if spec is None or not self.may(Right.PLAY, table):
            return False
        one_side = self.role is Role.PLAYER and self.side is not None
        return spec.may(self.role, one_side, other_side=side not in (None, self.side))

    def orders(self, table: str) -> list[str]:
        """Every order that this visitor may give: what the page shows buttons for."""
        return [name for name in ORDERS if self.may_order(name, table, self.side)]

    @property
    def view(self) -> str:
        """Which view of a table this visitor gets: public, player or staff."""
        return "staff" if self.role in STAFF else "player" if self.role is Role.PLAYER else "public"

    def view_at(self, table: str) -> str:
        return self.view if self.tables is None or table in self.tables else "public"


GUEST: Final = Visitor()
CONSOLE: Final = Visitor("console", Role.CONSOLE)
