"""Who may do what, as data: deny by default.

Every route names one `Right`; every order to the table names the roles that may give it. What is
not in a table here is refused, and a test walks every route, role and table. Roles are held **at a
table**: a session names the tables it is good for, and `may` is asked with the table that the
request is about, after it was looked up.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


class Role(enum.Enum):
    """In which capacity somebody stands before the page."""

    GUEST = "guest"
    """Anybody: reads what is public, after the delay."""
    PLAYER = "player"
    """A player, or the house tablet that both players share (no side)."""
    ANNOTATOR = "annotator"
    ARBITER = "arbiter"
    DIRECTOR = "director"
    CONSOLE = "console"
    """The machine's own screen: always let in, so that nobody is locked out of a running match."""


class Right(enum.Enum):
    """What a route lets one do."""

    OPEN = "open"
    """Pages without content of their own, health, signing in."""
    READ = "read"
    """What is public of a table."""
    PLAY = "play"
    """Send orders; which ones, `ORDERS` says."""
    LIVE = "live"
    """The live state with belief and evidence, before any delay."""
    PICTURES = "pictures"
    ARBITRATE = "arbitrate"
    MANAGE = "manage"
    """Accounts, pairing, hardware, delay, events."""


_STAFF: Final = frozenset({Role.ANNOTATOR, Role.ARBITER, Role.DIRECTOR, Role.CONSOLE})
_RULING: Final = frozenset({Role.ARBITER, Role.DIRECTOR, Role.CONSOLE})
_MANAGING: Final = frozenset({Role.DIRECTOR, Role.CONSOLE})
_TABLE: Final = _STAFF | {Role.PLAYER}

HOLDERS: Final[Mapping[Right, frozenset[Role]]] = {
    Right.OPEN: frozenset(Role),
    Right.READ: frozenset(Role),
    Right.PLAY: _TABLE,
    Right.LIVE: _STAFF,
    Right.PICTURES: _STAFF,
    Right.ARBITRATE: _RULING,
    Right.MANAGE: _MANAGING,
}

_OWN: Final = "own"  # a player gives this order for his own side only
ORDERS: Final[Mapping[str, tuple[frozenset[Role], str]]] = {
    # what players do from the house tablet; with a side in hand, for that side only
    "press": (_TABLE, _OWN),
    "offer": (_TABLE, _OWN),
    "take": (_TABLE, _OWN),
    "drop": (_TABLE, _OWN),
    "beaver": (_TABLE, _OWN),
    "resign": (_TABLE, _OWN),
    "accept_resignation": (_TABLE, _OWN),
    "refuse_resignation": (_TABLE, _OWN),
    "call_director": (_TABLE, _OWN),
    "declare_roll": (_TABLE, _OWN),
    "appeal": (_TABLE, _OWN),
    "premature_stands": (_TABLE, _OWN),
    "premature_again": (_TABLE, _OWN),
    # what both players agree on at the table: the house tablet (a player without a side) or anybody
    # above
    "set_match": (_TABLE, "tablet"),
    "start_game": (_TABLE, "tablet"),
    "roll_again": (_TABLE, "tablet"),
    "next_game": (_TABLE, "tablet"),
    "declare_play": (_TABLE, "tablet"),
    "choose_explanation": (_TABLE, "tablet"),
    "adjourn": (_TABLE, "tablet"),
    "resume": (_TABLE, "tablet"),
    # the record
    "let_stand": (_TABLE, "tablet"),
    "correct_play": (_STAFF, ""),
    "correct_roll": (_STAFF, ""),
    "set_position": (_STAFF, ""),
    # the director's chair
    "freeze": (_RULING, ""),
    "unfreeze": (_RULING, ""),
    "rule": (_RULING, ""),
    "penalise": (_RULING, ""),
    "adjust_clock": (_RULING, ""),
    "stop_clocks": (_RULING, ""),
    "start_clocks": (_RULING, ""),
    "acknowledge": (_RULING, ""),
    "amend": (_RULING, ""),
    "close_appeal": (_RULING, ""),
    "end_match": (_RULING, ""),
    "use_board": (_MANAGING, ""),
    "use_camera": (_MANAGING, ""),
    "set_corners": (_MANAGING, ""),
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
        """Whether this visitor holds a right, at a table where the route is about one."""
        if right in (Right.OPEN, Right.READ):
            return True
        if self.role not in HOLDERS[right]:
            return False
        return table is None or self.tables is None or table in self.tables

    def may_order(self, order: str, table: str, side: str | None = None) -> bool:
        """Whether this visitor may give an order at a table; `side` is the side that the order
        speaks for, where it names one.
        """
        known = ORDERS.get(order)
        if known is None or not self.may(Right.PLAY, table):
            return False
        roles, whose = known
        if self.role not in roles:
            return False
        if self.role is not Role.PLAYER or self.side is None:
            return True
        return whose == _OWN and side in (None, self.side)

    def orders(self, table: str) -> list[str]:
        """Every order that this visitor may give: what the page shows buttons for."""
        return [name for name in ORDERS if self.may_order(name, table, self.side)]

    @property
    def view(self) -> str:
        """Which view of a table this visitor gets: public, player or staff."""
        return (
            "staff" if self.role in _STAFF else "player" if self.role is Role.PLAYER else "public"
        )

    def view_at(self, table: str) -> str:
        return self.view if self.tables is None or table in self.tables else "public"


GUEST: Final = Visitor()
CONSOLE: Final = Visitor("console", Role.CONSOLE)
