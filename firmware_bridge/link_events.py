"""What a `Link` tells its owner, as frozen values, and the counters it keeps.

All times are host time, monotonic seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from firmware_bridge.lights import LightScene
from firmware_bridge.messages import BoardStatus, FromHost, Hello


@dataclass(frozen=True, slots=True)
class Linked:
    """A board of ours answered.

    `resumed`: the same boot of the same board as before, so nothing it counted is lost.
    """

    hello: Hello
    at: float
    resumed: bool


@dataclass(frozen=True, slots=True)
class Sensed:
    """Every sensor's value (wire units, 0..4092) as of board time mapped to `at`.

    `number` counts up over the life of the Link.
    """

    values: tuple[int, ...]
    at: float
    number: int


@dataclass(frozen=True, slots=True)
class EdgeSeen:
    """A button went down or up at `at` (give or take `doubt`, seconds): when the finger moved, not
    when the packet came. Each edge comes exactly once and in order. `number` counts one boot of the
    board."""

    button: int
    down: bool
    at: float
    number: int
    doubt: float


@dataclass(frozen=True, slots=True)
class Status:
    """The board's own report, four times a second."""

    status: BoardStatus
    at: float


@dataclass(frozen=True, slots=True)
class LevelsSeen:
    """The highest value (wire units) of every multiplexer's line since the last report, while all
    multiplexers were switched off: ground, where all is well."""

    values: tuple[int, ...]
    at: float


@dataclass(frozen=True, slots=True)
class LinkLost:
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class GapNoted:
    """Between `since` and `until` the board was not heard. `presses_lost`: edges may have gone for
    good, and the record must say so; otherwise every press of that time follows, with its true
    time."""

    reason: str
    since: float
    until: float
    presses_lost: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The board has lit this scene: acknowledged after the strip was refreshed."""

    scene: LightScene
    at: float


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """The board understood a command and said no. `status` as in protocol.toml."""

    command: FromHost
    status: int
    at: float


@dataclass(frozen=True, slots=True)
class BoardRefused:
    """What answers is no takhte board or speaks another protocol: let go of the port."""

    reason: str
    at: float


LinkEvent: TypeAlias = (
    Linked
    | Sensed
    | EdgeSeen
    | Status
    | LevelsSeen
    | LinkLost
    | GapNoted
    | Shown
    | CommandRefused
    | BoardRefused
)


@dataclass(slots=True)
class LinkStatistics:
    """Counters over the life of a Link, for logs and metrics.

    The `board_` ones come from the board's reports, wraps removed.
    """

    bytes_in: int = 0
    bytes_out: int = 0
    frames: int = 0
    damaged: int = 0
    unknown: int = 0
    frames_missed: int = 0
    commands: int = 0
    retries: int = 0
    links: int = 0
    losses: int = 0
    restarts: int = 0
    edges: int = 0
    edges_repeated: int = 0
    rtt_s: float = 0.0
    """Of the last answered PING."""
    rtt_best_s: float = field(default=float("inf"))
    board_rx_bad: int = 0
    board_rx_overrun: int = 0
    board_tx_dropped: int = 0
    board_edges_lost: int = 0

    def add_report(self, last: BoardStatus | None, status: BoardStatus) -> int:
        """How many edges the board lost since its last report; all that it counted is added."""
        self.board_rx_bad += _since(last.rx_bad if last else 0, status.rx_bad)
        self.board_rx_overrun += _since(last.rx_overrun if last else 0, status.rx_overrun)
        self.board_tx_dropped += _since(last.tx_dropped if last else 0, status.tx_dropped)
        lost = _since(last.edges_lost if last else 0, status.edges_lost)
        self.board_edges_lost += lost
        return lost


def _since(before: int, now: int) -> int:
    """What a counter that wraps at 65,536 went on by."""
    return (now - before) & 0xFFFF
