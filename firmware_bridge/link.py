"""Link: the session with one board, without any I/O.

Whoever owns the port calls `opened`, then in turn `receive(bytes, now)`, `tick(now)` and writes
what `data_to_send(now)` gives; `closed` when the port goes. The promises:

- every button edge comes exactly once, in order, with the finger's time, unless the board is
  restarted: then a `GapNoted` says so;
- commands are repeated until acknowledged, and what shall be shown is a state, not a queue: the
  latest scene and face win;
- a damaged or missing frame is repaired by asking for all sensors anew;
- no bytes whatever raise an exception.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from firmware_bridge import wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.clock_panel import ClockFace
from firmware_bridge.clock_sync import ClockSync
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.greeting import reset_cause, stranger
from firmware_bridge.lights import LightScene
from firmware_bridge.link_events import (
    BoardRefused,
    CommandRefused,
    EdgeSeen,
    GapNoted,
    Linked,
    LinkEvent,
    LinkLost,
    LinkStatistics,
    Sensed,
    Shown,
    Status,
)
from firmware_bridge.messages import (
    Ack,
    BoardStatus,
    Delta,
    Edge,
    EdgesSeen,
    FromHost,
    Hello,
    HelloAsk,
    Keyframe,
    Message,
    Ping,
    Pong,
    Stream,
    pack,
)
from firmware_bridge.outbox import Outbox
from rules.board import Seating

__all__ = [
    "BoardRefused",
    "CommandRefused",
    "EdgeSeen",
    "GapNoted",
    "Link",
    "LinkEvent",
    "LinkLost",
    "LinkSettings",
    "LinkState",
    "Linked",
    "Sensed",
    "Shown",
    "Status",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Times in seconds. `threshold` in wire units: how far a sensor moves before it is sent."""

    hello_every: float = 0.25
    patience: float = 4.5
    """An Arduino's bootloader keeps the line for one to two seconds after the port is opened."""
    retry: float = 0.08
    silence: float = 1.5
    ping_every: float = 0.5
    settle: float = 0.12
    """After the last movement so long all sensors are asked for, since deltas leave each up to
    `threshold` off.
    """
    threshold: int = 6
    keyframe: float = 1.0
    stall: float = 0.4
    """A longer pause between our own calls is our fault, and no sign of a silent board."""


class LinkState(enum.Enum):
    CLOSED = "closed"
    GREETING = "greeting"
    LINKED = "linked"
    REFUSED = "refused"


@dataclass(slots=True)
class _Outstanding:
    number: int
    command: FromHost
    sent: float


class Link:
    """See the module. `board` gives the LED plan and the number of sensors; `seating` turns scenes
    into LEDs and may be set at any time.
    """

    def __init__(
        self, board: BoardSpec, seating: Seating | None = None, settings: LinkSettings | None = None
    ) -> None:
        self._board, self.settings = board, settings or LinkSettings()
        stream = Stream(
            wire.STREAM_DELTAS | wire.STREAM_KEYFRAMES,
            self.settings.threshold,
            int(self.settings.keyframe * 1000),
        )
        self.state = LinkState.CLOSED
        self.statistics = LinkStatistics()
        self.hello: Hello | None = None
        self.clock = ClockSync(board.clock_tolerance)
        self._decoder = Decoder()
        self._out = bytearray()
        self._number = self._command_number = 0
        self._asked: dict[int, float] = {}
        self._pings: dict[int, float] = {}
        self._token = 0
        self._fast_pings = 0
        self._since = self._hello_at = self._ping_at = self._heard = self._called = 0.0
        self._lost_at: float | None = None
        self._outstanding: _Outstanding | None = None
        self._moved_at: float | None = None
        self._outbox = Outbox(board.leds, seating or Seating(), stream)
        self._shown: LightScene | None = None
        self._edge_next: int | None = None
        self._edge_turns = 0
        self._early: dict[int, Edge] = {}
        self._edge_ack_due = False
        self._frame_next: int | None = None
        self._values: list[int | None] = [None] * len(board.sensors.places)
        self._sensed = 0
        self._last_status: BoardStatus | None = None

    # What the owner wants shown
    # -------------------------------------------------------------------------------------

    @property
    def seating(self) -> Seating:
        return self._outbox.seating

    @seating.setter
    def seating(self, seating: Seating) -> None:
        self._outbox.seating = seating
        self.show(self._outbox.scene)

    def show(self, scene: LightScene) -> None:
        """Light this scene and nothing else; `Shown` follows.

        A later scene replaces one not yet sent.
        """
        self._shown = None
        self._outbox.show(scene)

    def face(self, face: ClockFace) -> None:
        """Show this on the clock's displays and lamps."""
        self._outbox.face = face

    def buzz(self, hz: int, ms: int) -> None:
        """Sound a tone once. Not more than eight wait; older ones give way."""
        self._outbox.buzz(hz, ms)

    def reset_board(self) -> None:
        """Restart the board's firmware (for tests and after flashing)."""
        self._outbox.reset_wanted = True

    # Port
    # -----------------------------------------------------------------------------------------------------------

    def opened(self, now: float) -> None:
        """The port is open: greet."""
        self._decoder = Decoder()
        self._out.clear()
        self._called = now
        self._greet(now)

    def closed(self, now: float, reason: str) -> tuple[LinkEvent, ...]:
        """The port is gone. What shall be shown, and what has been counted, is kept for its return."""
        was = self.state
        self.state = LinkState.CLOSED
        self._out.clear()
        return self._lose(reason, now) if was is LinkState.LINKED else ()

    def receive(self, data: bytes, now: float) -> tuple[LinkEvent, ...]:
        """What came over the wire."""
        if self.state in (LinkState.CLOSED, LinkState.REFUSED):
            return ()
        self._forgive_our_stall(now)
        self.statistics.bytes_in += len(data)
        self._decoder.feed(data)
        events: list[LinkEvent] = []
        while (received := self._decoder.next()) is not NEED_DATA:
            events += self._take(received.number, received.message, now)
        counts = self._decoder.counts
        self.statistics.damaged += counts.damaged
        self.statistics.unknown += counts.unknown
        self.statistics.frames += counts.frames
        counts.damaged = counts.unknown = counts.frames = 0
        if self._edge_ack_due and self.hello is not None and self._edge_next is not None:
            self._edge_ack_due = False
            self._send(EdgesSeen(self.hello.nonce, (self._edge_next - 1) & 0xFFFF))
        return tuple(events)

    def tick(self, now: float) -> tuple[LinkEvent, ...]:
        """Time passed: repeat, ping, notice silence. Call at `wake_at` or ten times a second."""
        self._forgive_our_stall(now)
        if self.state is LinkState.GREETING:
            return self._tick_greeting(now)
        if self.state is not LinkState.LINKED:
            return ()
        if now - self._heard > self.settings.silence:
            events = self._lose(f"the board has said nothing for {self.settings.silence:g} s", now)
            self._greet(now)
            return events
        if now - self._ping_at >= (0.03 if self._fast_pings else self.settings.ping_every):
            self._ping(now)
        if self._moved_at is not None and now - self._moved_at >= self.settings.settle:
            self._moved_at, self._outbox.keyframe_wanted = None, True
        self._push(now)
        if self._shown is None and self._outbox.scene_is_shown:
            self._shown = self._outbox.scene
            return (Shown(self._shown, now),)
        return ()

    def data_to_send(self, now: float) -> bytes:
        """Everything to be written to the port now."""
        if self.state is LinkState.LINKED:
            self._push(now)
        data = bytes(self._out)
        self._out.clear()
        self.statistics.bytes_out += len(data)
        return data

    def wake_at(self, now: float) -> float:
        """When `tick` has something to do, at the latest."""
        if self.state is LinkState.GREETING:
            return self._hello_at + self.settings.hello_every
        if self._outstanding is not None:
            return min(now + 0.1, self._outstanding.sent + self.settings.retry)
        return now + (0.03 if self._fast_pings or self._moved_at is not None else 0.1)

    # Greeting
    # -------------------------------------------------------------------------------------------------------

    def _greet(self, now: float) -> None:
        self.state = LinkState.GREETING
        self._since = now
        self._hello_at = -1e9
        self._asked.clear()
        self._outstanding = None
        self._tick_greeting(now)

    def _tick_greeting(self, now: float) -> tuple[LinkEvent, ...]:
        if self.hello is None and now - self._since > self.settings.patience:
            self.state = LinkState.REFUSED
            heard = self._decoder.counts.bytes
            seen = f"{heard} bytes came, but no greeting of ours" if heard else "it says nothing"
            problem = f" (last: {self._decoder.last_problem})" if self._decoder.last_problem else ""
            return (
                BoardRefused(
                    f"no takhte board answers here: {seen}{problem}. Is it the right port, and is"
                    " the firmware flashed?",
                    now,
                ),
            )
        if now - self._hello_at >= self.settings.hello_every:
            self._hello_at = now
            self._asked[self._send(HelloAsk())] = now
        return ()

    def _take_hello(self, number: int, hello: Hello, now: float) -> list[LinkEvent]:
        problem = stranger(hello, self._board)
        if problem:
            self.state = LinkState.REFUSED
            return [BoardRefused(problem, now)]
        before, events = self.hello, list[LinkEvent]()
        same_boot = before is not None and (before.uid, before.nonce) == (hello.uid, hello.nonce)
        if self.state is LinkState.LINKED and same_boot:
            # A greeting of ours that was repeated came late: the board has started the session
            # over, and so must we.
            self._outbox.forget()
            self._outstanding, self._frame_next = None, 0
            return []
        if self.state is LinkState.LINKED:
            self._lost_at = self._heard
        sent = self._asked.pop(number, self._since)
        if not same_boot:
            self.clock = ClockSync(self._board.clock_tolerance)
            self._edge_next, self._edge_turns, self._last_status = hello.oldest_edge, 0, None
        self.clock.add(hello.ms, sent, now)
        since = self._lost_at if self._lost_at is not None else now
        if before is not None and not same_boot:
            self.statistics.restarts += before.uid == hello.uid
            why = (
                f"the board restarted ({reset_cause(hello.cause)})"
                if before.uid == hello.uid
                else "another board was plugged in"
            )
            events.append(GapNoted(f"{why}; presses in between are lost", since, now, True))
        elif same_boot:
            events += self._resume_edges(hello, since, now)
        self._early.clear()
        self.hello, self.state, self._heard, self._lost_at = hello, LinkState.LINKED, now, None
        self._outbox.forget()
        self._moved_at, self._shown = None, None
        self._frame_next, self._fast_pings, self._ping_at = 0, 5, -1e9
        self._values = [None] * hello.sensors
        self._outstanding = None
        self.statistics.links += 1
        return [*events, Linked(hello, now, same_boot)]

    def _resume_edges(self, hello: Hello, since: float, now: float) -> list[LinkEvent]:
        """The same boot again: do its numbers and ours still meet?"""
        ahead = (hello.oldest_edge - (self._edge_next or 0)) & 0xFFFF
        if 0 < ahead < 0x8000:
            self._edge_next = hello.oldest_edge
            return [
                GapNoted(f"{ahead} presses were acknowledged to another program", since, now, True)
            ]
        return [GapNoted("the link was down; nothing was lost", since, now, False)]

    # Frames
    # ---------------------------------------------------------------------------------------------------------

    def _take(self, number: int, message: Message, now: float) -> list[LinkEvent]:
        if isinstance(message, Hello):
            return self._take_hello(number, message, now)
        if self.state is not LinkState.LINKED or self.hello is None:
            return []
        if isinstance(message, (Edge, BoardStatus)) and message.nonce != self.hello.nonce:
            events = self._lose("the board restarted", now)
            self._greet(now)
            return list(events)
        self._heard = now
        if isinstance(message, (Keyframe, Delta, Edge, BoardStatus)):
            self._count_frame(number)
        match message:
            case Keyframe():
                return self._take_keyframe(message)
            case Delta():
                return self._take_delta(message, now)
            case Edge():
                return self._take_edge(message, now)
            case Ack():
                return self._take_ack(number, message, now)
            case Pong():
                self._take_pong(message, now)
            case BoardStatus():
                return self._take_status(message, now)
            case _:
                self.statistics.unknown += 1
        return []

    def _count_frame(self, number: int) -> None:
        if self._frame_next is not None and number != self._frame_next:
            self.statistics.frames_missed += (number - self._frame_next) & 0xFF
            self._outbox.keyframe_wanted = True
        self._frame_next = (number + 1) & 0xFF

    def _take_keyframe(self, message: Keyframe) -> list[LinkEvent]:
        values = message.values
        if message.first + len(values) > len(self._values):
            return []
        self._values[message.first : message.first + len(values)] = values
        return self._sensed_event(message.ms)

    def _take_delta(self, message: Delta, now: float) -> list[LinkEvent]:
        for index, value in message.each:
            if index < len(self._values):
                self._values[index] = value
        self._moved_at = now
        return self._sensed_event(message.ms)

    def _sensed_event(self, ms: int) -> list[LinkEvent]:
        known = tuple(value for value in self._values if value is not None)
        if len(known) < len(self._values):
            return []
        self._sensed += 1
        return [Sensed(known, self.clock.host_time(ms)[0], self._sensed)]

    def _take_edge(self, message: Edge, now: float) -> list[LinkEvent]:
        """Edges are told in order; one that overtook a damaged one waits for it."""
        self._edge_ack_due = True
        ahead = (message.number - (self._edge_next or 0)) & 0xFFFF
        if ahead >= wire.EDGE_QUEUE or message.number in self._early:
            self.statistics.edges_repeated += 1
            return []
        self._early[message.number] = message
        found: list[LinkEvent] = []
        while self._edge_next in self._early:
            found.append(self._told(self._early.pop(self._edge_next), now))
        return found

    def _told(self, message: Edge, now: float) -> EdgeSeen:
        number = self._edge_turns * 0x10000 + message.number
        self._edge_next = (message.number + 1) & 0xFFFF
        self._edge_turns += self._edge_next == 0
        self.statistics.edges += 1
        at, doubt = self.clock.host_time(message.ms)
        return EdgeSeen(message.button, bool(message.down), min(at, now), number, doubt)

    def _take_pong(self, message: Pong, now: float) -> None:
        sent = self._pings.pop(message.token, None)
        if sent is not None:
            self.clock.add(message.ms, sent, now)
            self.statistics.rtt_s = now - sent
            self.statistics.rtt_best_s = min(self.statistics.rtt_best_s, now - sent)

    def _take_status(self, status: BoardStatus, now: float) -> list[LinkEvent]:
        events: list[LinkEvent] = [Status(status, now)]
        last, self._last_status = self._last_status, status
        for name in ("rx_bad", "rx_overrun", "tx_dropped", "edges_lost"):
            step = (getattr(status, name) - (getattr(last, name) if last else 0)) & 0xFFFF
            setattr(
                self.statistics, f"board_{name}", getattr(self.statistics, f"board_{name}") + step
            )
            if name == "edges_lost" and step:
                events.append(
                    GapNoted(
                        f"the board had no room for {step} presses while nobody listened",
                        self._since,
                        now,
                        True,
                    )
                )
        return events

    def _take_ack(self, number: int, message: Ack, now: float) -> list[LinkEvent]:
        waiting = self._outstanding
        if waiting is None or number != waiting.number or message.command != waiting.command.TYPE:
            return []
        if message.status == wire.STATUS_BUSY:
            return []
        self._outstanding = None
        self._outbox.done(waiting.command)
        if message.status != wire.STATUS_OK:
            return [CommandRefused(waiting.command, message.status, now)]
        return []

    # Commands
    # -------------------------------------------------------------------------------------------------------

    def _push(self, now: float) -> None:
        """Keep one command on its way: repeat it, or send the next."""
        waiting = self._outstanding
        if waiting is not None:
            if now - waiting.sent >= self.settings.retry:
                waiting.sent = now
                self.statistics.retries += 1
                self._send(waiting.command, waiting.number)
            return
        command = self._outbox.next()
        if command is not None:
            self.statistics.commands += 1
            self._command_number = (self._command_number + 1) & 0xFF
            self._send(command, self._command_number)
            self._outstanding = _Outstanding(self._command_number, command, now)

    def _ping(self, now: float) -> None:
        self._ping_at = now
        self._fast_pings = max(0, self._fast_pings - 1)
        self._token = (self._token + 1) & 0xFFFFFFFF
        self._pings[self._token] = now
        for old in [token for token in self._pings if self._token - token > 8]:
            del self._pings[old]
        self._send(Ping(self._token))

    def _send(self, message: FromHost, number: int | None = None) -> int:
        if number is None:
            self._number = number = (self._number + 1) & 0xFF
        self._out += encode(WireFrame(message.TYPE, number, pack(message)))
        return number

    # Time
    # -----------------------------------------------------------------------------------------------------------

    def _lose(self, reason: str, now: float) -> tuple[LinkEvent, ...]:
        self.statistics.losses += 1
        self._lost_at = self._heard
        self._outstanding = None
        return (LinkLost(reason, now),)

    def _forgive_our_stall(self, now: float) -> None:
        pause = now - self._called
        if pause > self.settings.stall:
            self._heard += pause
            self._since += pause if self.state is LinkState.GREETING else 0
        self._called = now
