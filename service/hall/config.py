"""What a hall is told at its start, and what it says of itself as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NotRequired, TypedDict

from service.hall import view as wall
from service.hall.leaf import PORT, Branch, MainHall
from service.journal.entries import EventKeys
from service.web.certificate import PageCertificate
from service.web.door import BY_ADDRESS


class WallEvent(TypedDict):
    """The tournament in one line: its name, its round and how many matches of it are over; `starts`
    is when its next round begins (seconds since 1970).
    """

    name: str
    round: int
    finished: int
    matches: int
    starts: float | None
    over: bool


class HallAbout(TypedDict):
    """What holds for the hall as a whole: whether its line is up, what is wrong, and how many
    entries wait to be read.
    """

    up: bool
    problem: str
    behind: int
    version: str
    event: NotRequired[WallEvent]


@dataclass(frozen=True, slots=True)
class HallConfig:
    """What the hall is told at its start."""

    data: Path
    name: str = "hall"
    host: str = "127.0.0.1"
    port: int = 8010
    nats_port: int = 4222
    gigabytes: float = 8.0
    slow_after: float = wall.SLOW_S
    language: str = ""
    hosts: tuple[str, ...] = ()
    console_port: int = 0
    proxies: tuple[str, ...] = ()
    event: EventKeys = field(default_factory=dict)
    """The event of its rounds, by section; empty: each table plays by its own."""
    rules_text: str = ""
    connections: int = BY_ADDRESS
    https_port: int = 0
    """Port of the pages behind TLS; 0 = none."""
    certificate: PageCertificate | None = None
    """What they show there."""
    encrypted: bool = True
    """Whether the line between tables and hall is."""
    branches: tuple[Branch, ...] = ()
    """Other halls whose tables this one shows."""
    leaf_port: int = PORT
    leaf_address: str = ""
    """HOST:PORT by which they reach this one; empty: its own."""
    main: MainHall | None = None
    """The hall that shows this one's tables."""
    good_for: float = 10.0
    """Seconds of table time for which an order to a table is good."""

    @property
    def folder(self) -> Path:
        """Where the pages keep what is theirs."""
        return self.data
