"""Four of the five small machines that make a `Link`; the fifth, `Greeting`, is in `greeting.py`.

Each keeps one promise of the link and knows nothing of the others: values in, values out, `now` an
argument. The link hands them what came and sends what they want sent.

- `OrderedEdges`: every button edge once and in order.
- `SensorFrames`: what every sensor last said, and which frames never came.
- `Pings`: when to ask for the board's clock, and what an answer took.
- `Commands`: one command on its way, repeated until acknowledged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_bridge import wire
from firmware_bridge.messages import Ack, Delta, Edge, FromHost, Keyframe, Ping, Pong
from firmware_bridge.outbox import Outbox

FAST_PINGS: Final = 5
FAST_S: Final = 0.03
"""The first pings after a greeting come so soon one after another, to tell the board's clock."""
PINGS_KEPT: Final = 8


class OrderedEdges:
    """Button edges by number: what came once is given once, what overtook another waits for it."""

    def __init__(self) -> None:
        self._next = self._turns = 0
        self._early: dict[int, Edge] = {}
        self._unacknowledged = False

    def restart(self, oldest: int) -> None:
        """The board was started anew: its numbers begin at the oldest edge it still has."""
        self._next, self._turns = oldest, 0
        self._early.clear()

    def resume(self, oldest: int) -> int:
        """How many edges of the same boot were acknowledged to another program, 0 for none."""
        self._early.clear()
        ahead = (oldest - self._next) & 0xFFFF
        if not 0 < ahead < 0x8000:
            return 0
        self._next = oldest
        return ahead

    def take(self, edge: Edge) -> tuple[tuple[int, Edge], ...] | None:
        """(number over the whole boot, edge) of all that are in order now; None for a repeated
        one."""
        self._unacknowledged = True
        ahead = (edge.number - self._next) & 0xFFFF
        if ahead >= wire.EDGE_QUEUE or edge.number in self._early:
            return None
        self._early[edge.number] = edge
        found: list[tuple[int, Edge]] = []
        while self._next in self._early:
            found.append((self._turns * 0x10000 + self._next, self._early.pop(self._next)))
            self._next = (self._next + 1) & 0xFFFF
            self._turns += self._next == 0
        return tuple(found)

    def acknowledgement(self) -> int | None:
        """The number up to which all edges came, where the board waits to hear it; else None."""
        if not self._unacknowledged:
            return None
        self._unacknowledged = False
        return (self._next - 1) & 0xFFFF


class SensorFrames:
    """Every sensor's last value (wire units) and the numbers of the frames that bring them."""

    def __init__(self, sensors: int) -> None:
        self._values: list[int | None] = [None] * sensors
        self._next: int | None = None
        self._moved_at: float | None = None

    def restart(self, sensors: int) -> None:
        """Nothing is known of the board any more; its next frame is number 0."""
        self._values, self._moved_at = [None] * sensors, None
        self.renumber()

    def renumber(self) -> None:
        """The board counts its frames from 0 again."""
        self._next = 0

    def missed(self, number: int) -> int:
        """How many frames are missing before this one."""
        missing = 0 if self._next is None else (number - self._next) & 0xFF
        self._next = (number + 1) & 0xFF
        return missing

    def keyframe(self, message: Keyframe) -> bool:
        """Whether these sensors are ours; then they are kept."""
        values = message.values
        if message.first + len(values) > len(self._values):
            return False
        self._values[message.first : message.first + len(values)] = values
        return True

    def delta(self, message: Delta, now: float) -> None:
        """Keep what moved."""
        for index, value in message.each:
            if index < len(self._values):
                self._values[index] = value
        self._moved_at = now

    def whole(self) -> tuple[int, ...] | None:
        """All values, by sensor number; None while one is not known yet."""
        known = tuple(value for value in self._values if value is not None)
        return known if len(known) == len(self._values) else None

    @property
    def moving(self) -> bool:
        """Whether something moved that `came_to_rest` has not ended yet."""
        return self._moved_at is not None

    def came_to_rest(self, now: float, settle: float) -> bool:
        """Whether the last movement is `settle` seconds old; True once for each movement."""
        if self._moved_at is None or now - self._moved_at < settle:
            return False
        self._moved_at = None
        return True


class Pings:
    """Questions for the board's clock: `every` so many seconds, the first few faster."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._sent: dict[int, float] = {}
        self._token = self._fast = 0
        self._last = 0.0

    @property
    def hurried(self) -> bool:
        """Whether the fast ones after a greeting are still to be sent."""
        return self._fast > 0

    def restart(self) -> None:
        """A greeting: ask a few times at once."""
        self._fast, self._last = FAST_PINGS, -1e9

    def due(self, now: float) -> bool:
        return now - self._last >= (FAST_S if self._fast else self._every)

    def ask(self, now: float) -> Ping:
        """The next question; it is taken as sent now."""
        self._last = now
        self._fast = max(0, self._fast - 1)
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._sent[self._token] = now
        for old in [token for token in self._sent if self._token - token > PINGS_KEPT]:
            del self._sent[old]
        return Ping(self._token)

    def sent_at(self, answer: Pong) -> float | None:
        """When the answered question was sent; None for an answer to none of ours."""
        return self._sent.pop(answer.token, None)


@dataclass(slots=True)
class _Outstanding:
    number: int
    command: FromHost
    sent: float


@dataclass(frozen=True, slots=True)
class Sending:
    """A command to be written to the wire now, under its number."""

    number: int
    command: FromHost
    repeated: bool


class Commands:
    """One command on its way at a time: the outbox's next, repeated every `retry` seconds until it
    is acknowledged."""

    def __init__(self, retry: float) -> None:
        self._retry = retry
        self._number = 0
        self._waiting: _Outstanding | None = None

    @property
    def on_the_way(self) -> bool:
        """Whether a command waits for its acknowledgement."""
        return self._waiting is not None

    def forget(self) -> None:
        """The link is gone: nothing is on its way any more."""
        self._waiting = None

    def due_at(self) -> float | None:
        """When the waiting command is repeated; None while none waits."""
        return None if self._waiting is None else self._waiting.sent + self._retry

    def push(self, outbox: Outbox, now: float) -> Sending | None:
        """What to send now: the waiting command again, or the outbox's next, or nothing."""
        waiting = self._waiting
        if waiting is not None:
            if now - waiting.sent < self._retry:
                return None
            waiting.sent = now
            return Sending(waiting.number, waiting.command, repeated=True)
        command = outbox.next()
        if command is None:
            return None
        self._number = (self._number + 1) & 0xFF
        self._waiting = _Outstanding(self._number, command, now)
        return Sending(self._number, command, repeated=False)

    def acknowledged(self, number: int, ack: Ack) -> FromHost | None:
        """The waiting command, now done; None where this acknowledges another, or the board is
        busy and wants it repeated."""
        waiting = self._waiting
        if waiting is None or number != waiting.number or ack.command != waiting.command.TYPE:
            return None
        if ack.status == wire.STATUS_BUSY:
            return None
        self._waiting = None
        return waiting.command
