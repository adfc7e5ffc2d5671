"""Devices that ask to be let in at a table. Pure: `now` is passed in.

One that scanned the code on the table's screen has nothing secret: it knocks over HTTPS, and
both screens show the same number. Whoever may manage the table sees it and lets that device in;
it fetches its session once, with a secret that it alone was given.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import Final

KNOCK_S: Final = 60.0
"""A knock is forgotten after so long; so is a session that nobody fetched."""
MOST: Final = 16
MOST_OF_ONE: Final = 3
"""Knocks of one address: a household behind one router has few phones."""


class CrowdedError(Exception):
    """Too many knock at once."""


@dataclass(frozen=True, slots=True)
class Knock:
    """One phone at the door. `number` is what both screens show; `token` is set once it is in."""

    ident: str
    number: str
    role: str
    table: str
    device: str
    address: str
    at: float
    token: str = ""


class Knocks:
    """Who is at the door, by the digest of each phone's secret."""

    def __init__(self) -> None:
        self._waiting: dict[str, Knock] = {}

    def knock(
        self, role: str, table: str, device: str, address: str, now: float
    ) -> tuple[str, Knock]:
        """A phone's secret, and its knock. Raises CrowdedError."""
        self._forget(now)
        own = [k for k in self._waiting.values() if k.address == address]
        if len(self._waiting) >= MOST or len(own) >= MOST_OF_ONE:
            raise CrowdedError
        taken = {k.number for k in self._waiting.values()}
        number = next(n for n in iter(_four_digits, "") if n not in taken)
        secret = secrets.token_urlsafe(32)
        made = Knock(secrets.token_hex(8), number, role, table, device, address, now)
        self._waiting[_digest(secret)] = made
        return secret, made

    def at_the_door(self, now: float) -> list[Knock]:
        """Those that wait to be let in, oldest first."""
        self._forget(now)
        return [k for k in self._waiting.values() if not k.token]

    def find(self, ident: str, now: float) -> Knock | None:
        """The knock of this id, None where it is gone or in already."""
        return next((k for k in self.at_the_door(now) if k.ident == ident), None)

    def let_in(self, knock: Knock, token: str, now: float) -> None:
        """Give a phone its session: it has so long again to fetch it."""
        for key, waiting in self._waiting.items():
            if waiting.ident == knock.ident:
                self._waiting[key] = replace(waiting, token=token, at=now)

    def answer(self, secret: str, now: float) -> Knock | None:
        """The knock of this secret, None where there is none. One that is in is given once."""
        self._forget(now)
        key = _digest(secret)
        found = self._waiting.get(key)
        if found is not None and found.token:
            del self._waiting[key]
        return found

    def _forget(self, now: float) -> None:
        self._waiting = {k: v for k, v in self._waiting.items() if now - v.at < KNOCK_S}


def _four_digits() -> str:
    return f"{secrets.randbelow(9000) + 1000}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
