"""What shall be on the board and what is there: the next command is their difference.

A state and not a queue, so that a slow or broken wire never builds up stale scenes. Only tones
queue, eight at most.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from firmware_bridge.board_spec import LedPlan
from firmware_bridge.clock_panel import ClockFace
from firmware_bridge.lights import Led, LightScene, difference, led_colours
from firmware_bridge.messages import Buzz, Face, FromHost, KeyframeAsk, Lamps, Leds, Reset, Stream
from rules.board import Seating

BUZZES_KEPT: Final = 8
UNKNOWN: Final[Led] = (-1, -1, -1, -1)


class Outbox:
    """`next()` gives the command to send, `done(command)` says that it was acknowledged, `forget()`
    that nothing is known of the board any more."""

    def __init__(self, plan: LedPlan, seating: Seating, stream: Stream) -> None:
        self._plan, self.seating, self._stream = plan, seating, stream
        self.scene = LightScene()
        self.face = ClockFace(brightness=0)
        self.keyframe_wanted = False
        self.reset_wanted = False
        self._wanted = led_colours(self.scene, plan, seating)
        self._buzzes: deque[Buzz] = deque(maxlen=BUZZES_KEPT)
        self.forget()

    def forget(self) -> None:
        self._streaming, self.keyframe_wanted = False, True
        self._there: list[Led] = [UNKNOWN] * self._plan.count
        self._unshown = True
        self._face_there: Face | None = None
        self._lamps_there: Lamps | None = None

    def show(self, scene: LightScene) -> None:
        self.scene = scene
        self._wanted = led_colours(scene, self._plan, self.seating)

    def buzz(self, hz: int, ms: int) -> None:
        self._buzzes.append(Buzz(max(50, min(hz, 10_000)), max(1, min(ms, 5_000))))

    @property
    def scene_is_shown(self) -> bool:
        """The strip was refreshed with exactly this scene."""
        return not self._unshown and tuple(self._there) == self._wanted

    def next(self) -> FromHost | None:
        """In order of need: the stream, the sensors, the clock, the lights, tones, a restart."""
        if not self._streaming:
            return self._stream
        if self.keyframe_wanted:
            return KeyframeAsk()
        lamps, face = Lamps(*self.face.lamps()), Face(self.face.brightness, self.face.segments())
        if self._lamps_there != lamps:
            return lamps
        if self._face_there != face:
            return face
        return self._next_lights() or self._next_rarity()

    def _next_lights(self) -> Leds | None:
        runs = difference(self._wanted, tuple(self._there))
        if runs:
            first, values = runs[0]
            return Leds(first, int(len(runs) == 1), values)
        return Leds(0, 1, self._wanted[:1]) if self._unshown else None

    def _next_rarity(self) -> FromHost | None:
        if self._buzzes:
            return self._buzzes[0]
        return Reset() if self.reset_wanted else None

    def done(self, command: FromHost) -> None:
        match command:
            case Stream():
                self._streaming = True
            case KeyframeAsk():
                self.keyframe_wanted = False
            case Lamps():
                self._lamps_there = command
            case Face():
                self._face_there = command
            case Leds():
                self._there[command.first : command.first + len(command.each)] = command.each
                self._unshown = not command.show
            case Buzz():
                if self._buzzes and self._buzzes[0] is command:
                    self._buzzes.popleft()
            case Reset():
                self.reset_wanted = False
            case _:
                pass
