"""Who gets a place at the server, before a byte of his is read: by address, for how long, and who
makes room when it is full. (E)

Counted where connections are accepted and closed, so that one that never says anything, or hangs in
the middle of a handshake, counts as well. Whoever has sent a whole request keeps his place; whoever
has not gives it up to the next that comes. So idle and slow connections cost places only while
nobody else wants them, and behind one router the newest visitor is always heard.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import struct
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

WHOLE_S: Final = 10.0
"""Seconds for a request to come whole, headers and body; and for a connection to begin one."""
STUCK_S: Final = 20.0
"""Seconds for which an answer may wait without a byte of it being taken."""
UNSENT: Final = 32_000_000
"""Bytes of answers that may wait for all visitors together; beyond it the largest goes."""
MOST: Final = 12_000
"""Ten thousand may watch one table, and staff find room besides."""
FILES: Final = 16_384
"""Open files that a full page needs: a socket for each viewer, and what else is open."""
OTHER_FILES: Final = 200
BY_ADDRESS: Final = 512
"""A whole club may stand behind one address."""
_AT_ONCE: Final = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many connections there may be, of all and of one address; and how many of each that have
    not sent a whole request.
    """

    most: int = MOST
    by_address: int = BY_ADDRESS
    waiting: int = 1024
    waiting_by_address: int = 64


def raised_file_limit() -> int:
    """How many files this process may open, after asking for as many as a full page needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return FILES if soft == resource.RLIM_INFINITY else soft


def places_within(files: int, by_address: int) -> Capacity:
    """The places that a process has which may open so many files."""
    most = max(64, min(MOST, files - OTHER_FILES))
    if most < MOST:
        log.warning(
            "only %d files may be open here, so at most %d visitors are served at once: raise the"
            " limit (ulimit -n %d, or LimitNOFILE in the unit)",
            files,
            most,
            FILES,
        )
    return Capacity(most, min(by_address, most), min(1024, most // 2), min(64, by_address))


class Visit(socket.socket):
    """A visitor's connection, which gives its place back when it is closed."""

    def __init__(self, handle: int, keeper: Doorkeeper, address: str) -> None:
        super().__init__(fileno=handle)
        self.keeper, self.address = keeper, address
        self.transport: asyncio.Transport | None = None
        self.unsent, self.stuck_since = 0, 0.0

    def close(self) -> None:
        self.keeper.gone(self)
        super().close()

    def show_out(self) -> None:
        """End it at once, whatever it is in the middle of."""
        if self.transport is not None:
            self.transport.abort()
            return
        try:
            self.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It went by itself.
            return


class Doorkeeper:
    """Keeps the places of one server. `trusted` are addresses behind which many stand: proxies, and
    this machine itself; their connections count towards the whole alone.
    """

    def __init__(self, places: Capacity, trusted: Collection[str] = ()) -> None:
        self.places = places
        self._trusted = {"127.0.0.1", "::1", *trusted}
        self._visits: dict[int, Visit] = {}
        self._by_address: dict[str, int] = {}
        self._waiting: dict[Visit, float] = {}
        """Whoever has not sent a whole request, and since when; who waits longest first."""
        self._waiting_from: dict[str, dict[Visit, None]] = {}

    def __len__(self) -> int:
        return len(self._visits)

    def at(self, handle: int) -> Visit | None:
        """The visit of an open file's number."""
        return self._visits.get(handle)

    def lets_in(self, address: str) -> bool:
        """Whether there is a place for one more from there; somebody may be shown out for it."""
        places = self.places
        if address not in self._trusted:
            waiting = self._waiting_from.get(address, {})
            full = self._by_address.get(address, 0) >= places.by_address
            if full and not waiting:
                return False
            if full or len(waiting) >= places.waiting_by_address:
                self._make_room(next(iter(waiting)))
        if len(self._waiting) >= places.waiting or len(self._visits) >= places.most:
            longest = next(iter(self._waiting), None) or self._most_stuck()
            if longest is None:
                return False
            self._make_room(longest)
        return True

    def _make_room(self, visit: Visit) -> None:
        # Its place is free at once, though its connection ends a moment later.
        self.gone(visit)
        visit.show_out()

    def _most_stuck(self) -> Visit | None:
        stuck = [visit for visit in self._visits.values() if visit.unsent]
        return min(stuck, key=lambda visit: visit.stuck_since, default=None)

    def came(self, visit: Visit, now: float) -> None:
        """Somebody was let in."""
        self._visits[visit.fileno()] = visit
        self._by_address[visit.address] = self._by_address.get(visit.address, 0) + 1
        self.waits(visit, now)

    def waits(self, visit: Visit, now: float) -> None:
        """A whole request is expected of this visitor from now on."""
        if self._visits.get(visit.fileno()) is visit:
            self._waiting.pop(visit, None)
            self._waiting[visit] = now
            self._waiting_from.setdefault(visit.address, {})[visit] = None

    def served(self, visit: Visit) -> None:
        """The visitor has sent a whole request: it is for us to answer."""
        if self._waiting.pop(visit, None) is not None:
            here = self._waiting_from[visit.address]
            del here[visit]
            if not here:
                del self._waiting_from[visit.address]

    def gone(self, visit: Visit) -> None:
        """The visitor's place is free; told twice, it is freed once."""
        handle = visit.fileno()
        if self._visits.get(handle) is not visit:
            return
        self.served(visit)
        del self._visits[handle]
        self._by_address[visit.address] -= 1
        if not self._by_address[visit.address]:
            del self._by_address[visit.address]

    def sweep(self, now: float) -> None:
        """Show out who has taken too long, once a second."""
        for visit, since in list(self._waiting.items()):
            if now - since < WHOLE_S:
                break
            self._make_room(visit)
        unsent = []
        for visit in list(self._visits.values()):
            size = visit.transport.get_write_buffer_size() if visit.transport else 0
            if not size or size != visit.unsent:
                visit.unsent, visit.stuck_since = size, now
            elif now - visit.stuck_since > STUCK_S:
                self._make_room(visit)
                continue
            if size:
                unsent.append(visit)
        held = sum(visit.unsent for visit in unsent)
        for visit in sorted(unsent, key=lambda each: -each.unsent):
            if held <= UNSENT:
                break
            held -= visit.unsent
            self._make_room(visit)


class Door(socket.socket):
    """A socket that listens, and accepts whom its keeper lets in."""

    def __init__(self, listening: socket.socket, keeper: Doorkeeper) -> None:
        super().__init__(fileno=listening.detach())
        self.keeper = keeper

    def accept(self) -> tuple[Visit, tuple[str, int]]:
        """The next visitor for whom there is a place. Raises what accept raises: BlockingIOError
        when nobody is left."""
        while True:
            plain, peer = super().accept()
            # An IPv4 visitor at a door that hears both is written so.
            address = str(peer[0]).removeprefix("::ffff:")
            if not self.keeper.lets_in(address):
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
                plain.close()
                continue
            visit = Visit(plain.detach(), self.keeper, address)
            self.keeper.came(visit, time.monotonic())
            return visit, peer


def carried_by(keepers: Collection[Doorkeeper], transport: asyncio.Transport) -> Visit | None:
    """The visit that a transport carries, None where it came in by another way."""
    found = transport.get_extra_info("socket")
    handle = found.fileno() if found is not None else -1
    return next(_at(keepers, handle), None)


def _at(keepers: Collection[Doorkeeper], handle: int) -> Iterator[Visit]:
    return (visit for keeper in keepers if (visit := keeper.at(handle)) is not None)
