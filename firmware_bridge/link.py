"""Link: the session with one board, without any I/O.

Whoever owns the port calls `opened`, then in turn `receive(bytes, now)`, `tick(now)` and writes
what `data_to_send(now)` gives; `closed` when the port goes. The promises:

- every button edge comes exactly once, in order, with the finger's time, unless the board is
  restarted: then a `GapNoted` says so;
- commands are repeated until acknowledged, and what shall be shown is a state, not a queue: the
  latest scene and face win;
- a damaged or missing frame is repaired by asking for all sensors anew;
- no bytes whatever raise an exception.

Each promise is kept by a small machine of its own (`greeting.Greeting`; `link_machines`); this file
is the table of what they tell each other.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from firmware_bridge import greeting, wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.clock_panel import ClockFace
from firmware_bridge.clock_sync import ClockSync
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.lights import LightScene
from firmware_bridge.link_events import (
    BoardRefused,
    CommandRefused,
    EdgeSeen,
    GapNoted,
    LevelsSeen,
    Linked,
    LinkEvent,
    LinkLost,
    LinkStatistics,
    Sensed,
    Shown,
    Status,
)
from firmware_bridge.link_machines import Commands, OrderedEdges, Pings, SensorFrames
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
    Levels,
    Message,
    Pong,
    Stream,
    pack,
)
from firmware_bridge.outbox import Outbox
from rules.board import Seating


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


class Link:
    """See the module. `board` gives the LED plan and the number of sensors; `seating` turns scenes
    into LEDs and may be set at any time.
    """

    def __init__(
        self, board: BoardSpec, seating: Seating | None = None, settings: LinkSettings | None = None
    ) -> None:
        self._board, self.settings = board, settings or LinkSettings()
        given = self.settings
        stream = Stream(
            wire.STREAM_DELTAS | wire.STREAM_KEYFRAMES, given.threshold, int(given.keyframe * 1000)
        )
        self.state = LinkState.CLOSED
        self.statistics = LinkStatistics()
        self.hello: Hello | None = None
        self.clock = ClockSync(board.clock_tolerance)
        self._decoder = Decoder()
        self._out = bytearray()
        self._number = self._sensed = 0
        self._greeting = greeting.Greeting(given.hello_every, given.patience)
        self._edges = OrderedEdges()
        self._frames = SensorFrames(len(board.sensors.places))
        self._pings = Pings(given.ping_every)
        self._commands = Commands(given.retry)
        self._outbox = Outbox(board.leds, seating or Seating(), stream)
        self._shown: LightScene | None = None
        self._heard = self._called = 0.0
        self._lost_at: float | None = None
        self._last_status: BoardStatus | None = None

    # What the owner wants shown

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

    @property
    def command_on_the_way(self) -> bool:
        """Whether a command was sent and is not acknowledged yet."""
        return self._commands.on_the_way

    # Port

    def opened(self, now: float) -> None:
        """The port is open: greet."""
        self._decoder = Decoder()
        self._out.clear()
        self._called = now
        self._greet(now)

    def closed(self, now: float, reason: str) -> tuple[LinkEvent, ...]:
        """The port is gone. What shall be shown, and what was counted, is kept for its return."""
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
        if self.hello is not None and (upto := self._edges.acknowledgement()) is not None:
            self._send(EdgesSeen(self.hello.nonce, upto))
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
        if self._pings.due(now):
            self._send(self._pings.ask(now))
        if self._frames.came_to_rest(now, self.settings.settle):
            self._outbox.keyframe_wanted = True
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
            return self._greeting.due_at()
        repeat_at = self._commands.due_at()
        if repeat_at is not None:
            return min(now + 0.1, repeat_at)
        return now + (0.03 if self._pings.hurried or self._frames.moving else 0.1)

    # Greeting

    def _greet(self, now: float) -> None:
        self.state = LinkState.GREETING
        self._greeting.begin(now)
        self._commands.forget()
        self._tick_greeting(now)

    def _tick_greeting(self, now: float) -> tuple[LinkEvent, ...]:
        if self.hello is None and self._greeting.gave_up(now):
            self.state = LinkState.REFUSED
            heard, problem = self._decoder.counts.bytes, self._decoder.last_problem
            return (BoardRefused(greeting.unanswered(heard, problem), now),)
        if self._greeting.due(now):
            self._greeting.sent(self._send(HelloAsk()), now)
        return ()

    def _take_hello(self, number: int, hello: Hello, now: float) -> list[LinkEvent]:
        problem = greeting.stranger(hello, self._board)
        if problem:
            self.state = LinkState.REFUSED
            return [BoardRefused(problem, now)]
        before, events = self.hello, list[LinkEvent]()
        same_boot = before is not None and (before.uid, before.nonce) == (hello.uid, hello.nonce)
        if self.state is LinkState.LINKED and same_boot:
            # A greeting of ours that was repeated came late: the board has started the session
            # over, and so must we.
            self._outbox.forget()
            self._commands.forget()
            self._frames.renumber()
            return []
        if self.state is LinkState.LINKED:
            self._lost_at = self._heard
        sent = self._greeting.sent_at(number)
        if not same_boot:
            self.clock = ClockSync(self._board.clock_tolerance)
            self._edges.restart(hello.oldest_edge)
            self._last_status = None
        self.clock.add(hello.ms, sent, now)
        since = self._lost_at if self._lost_at is not None else now
        if before is not None and not same_boot:
            self.statistics.restarts += before.uid == hello.uid
            events.append(greeting.gap_of_restart(before, hello, since, now))
        elif same_boot:
            elsewhere = self._edges.resume(hello.oldest_edge)
            events.append(greeting.gap_in_one_boot(elsewhere, since, now))
        self.hello, self.state, self._heard, self._lost_at = hello, LinkState.LINKED, now, None
        self._outbox.forget()
        self._commands.forget()
        self._frames.restart(hello.sensors)
        self._pings.restart()
        self._shown = None
        self.statistics.links += 1
        return [*events, Linked(hello, now, same_boot)]

    # Frames

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
        if isinstance(message, (Keyframe, Delta, Edge, BoardStatus, Levels)):
            self._count_frame(number)
        match message:
            case Keyframe():
                return self._whole_scan(message.ms) if self._frames.keyframe(message) else []
            case Delta():
                self._frames.delta(message, now)
                return self._whole_scan(message.ms)
            case Edge():
                return self._take_edge(message, now)
            case Ack():
                return self._take_ack(number, message, now)
            case Pong():
                self._take_pong(message, now)
            case BoardStatus():
                return self._take_status(message, now)
            case Levels():
                return [LevelsSeen(tuple(value for (value,) in message.each), now)]
            case _:
                self.statistics.unknown += 1
        return []

    def _count_frame(self, number: int) -> None:
        missed = self._frames.missed(number)
        if missed:
            self.statistics.frames_missed += missed
            self._outbox.keyframe_wanted = True

    def _whole_scan(self, ms: int) -> list[LinkEvent]:
        values = self._frames.whole()
        if values is None:
            return []
        self._sensed += 1
        return [Sensed(values, self.clock.host_time(ms)[0], self._sensed)]

    def _take_edge(self, message: Edge, now: float) -> list[LinkEvent]:
        in_order = self._edges.take(message)
        if in_order is None:
            self.statistics.edges_repeated += 1
            return []
        self.statistics.edges += len(in_order)
        found: list[LinkEvent] = []
        for number, edge in in_order:
            at, doubt = self.clock.host_time(edge.ms)
            found.append(EdgeSeen(edge.button, bool(edge.down), min(at, now), number, doubt))
        return found

    def _take_pong(self, message: Pong, now: float) -> None:
        sent = self._pings.sent_at(message)
        if sent is not None:
            self.clock.add(message.ms, sent, now)
            self.statistics.rtt_s = now - sent
            self.statistics.rtt_best_s = min(self.statistics.rtt_best_s, now - sent)

    def _take_status(self, status: BoardStatus, now: float) -> list[LinkEvent]:
        events: list[LinkEvent] = [Status(status, now)]
        lost = self.statistics.add_report(self._last_status, status)
        self._last_status = status
        if lost:
            why = f"the board had no room for {lost} presses while nobody listened"
            events.append(GapNoted(why, self._greeting.since, now, True))
        return events

    def _take_ack(self, number: int, message: Ack, now: float) -> list[LinkEvent]:
        command = self._commands.acknowledged(number, message)
        if command is None:
            return []
        self._outbox.done(command)
        if message.status != wire.STATUS_OK:
            return [CommandRefused(command, message.status, now)]
        return []

    # Sending

    def _push(self, now: float) -> None:
        """Keep one command on its way: repeat it, or send the next."""
        sending = self._commands.push(self._outbox, now)
        if sending is None:
            return
        if sending.repeated:
            self.statistics.retries += 1
        else:
            self.statistics.commands += 1
        self._send(sending.command, sending.number)

    def _send(self, message: FromHost, number: int | None = None) -> int:
        if number is None:
            self._number = number = (self._number + 1) & 0xFF
        self._out += encode(WireFrame(message.TYPE, number, pack(message)))
        return number

    # Time

    def _lose(self, reason: str, now: float) -> tuple[LinkEvent, ...]:
        self.statistics.losses += 1
        self._lost_at = self._heard
        self._commands.forget()
        return (LinkLost(reason, now),)

    def _forgive_our_stall(self, now: float) -> None:
        pause = now - self._called
        if pause > self.settings.stall:
            self._heard += pause
            if self.state is LinkState.GREETING:
                self._greeting.forgive(pause)
        self._called = now
