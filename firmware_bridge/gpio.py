"""E. A clock panel wired to a Raspberry Pi: buttons, lamps, two TM1637 displays, an active buzzer,
through gpiozero.

Needs a pin factory (lgpio on a Pi); without one, NoGpio says so. Tests run it on gpiozero's
MockFactory with a modelled TM1637 on the other end.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import deque
from collections.abc import Callable
from typing import Protocol, TypeVar

import gpiozero
from gpiozero.exc import GPIOZeroError, PinFactoryFallback

from firmware_bridge.clock_panel import Button, ButtonEdge, Chords, ClockFace, Lamp
from firmware_bridge.errors import NoGpio
from firmware_bridge.panel_pins import PanelPins


class Closable(Protocol):
    """Hardware that is let go of."""

    def close(self) -> None: ...


_Device = TypeVar("_Device", bound=Closable)


class Tm1637:
    """One four-digit display on two pins.

    Low bit first, data changes while the clock is low, a ninth clock for the chip's answer.
    """

    def __init__(self, clock: int, data: int) -> None:
        self._clock = gpiozero.OutputDevice(clock, initial_value=True)
        self._data = gpiozero.OutputDevice(data, initial_value=True)

    def show(self, segments: bytes, brightness: int) -> None:
        """Four bytes of segments; brightness 0 (dark) to 8."""
        self._say(b"\x40")
        self._say(b"\xc0" + segments)
        self._say(bytes([0x88 | (brightness - 1)]) if brightness else b"\x80")

    def close(self) -> None:
        self._clock.close()
        self._data.close()

    def _say(self, data: bytes) -> None:
        self._data.off()
        for byte in data:
            for bit in range(9):
                self._clock.off()
                self._data.value = byte >> bit & 1 if bit < 8 else 0
                self._clock.on()
        self._clock.off()
        self._data.off()
        self._clock.on()
        self._data.on()


class GpioPanel:
    """`ClockPanel` on a Pi's pins.

    Presses are stamped in gpiozero's own thread as they come; lamps blink as `presses` is polled.
    """

    def __init__(
        self, pins: PanelPins | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pins, self._time = pins or PanelPins(), clock
        self._waiting: deque[ButtonEdge] = deque()
        self._number = 0
        self._chords = Chords()
        self._face = ClockFace(brightness=0)
        self._quiet_at: float | None = None
        self._open: list[Closable] = []
        try:
            with warnings.catch_warnings():
                # Which pin libraries were tried is in the error.
                warnings.simplefilter("ignore", PinFactoryFallback)
                self._fit()
        except (GPIOZeroError, OSError, ImportError) as error:
            self.close()
            raise NoGpio(
                f"no GPIO pins here ({error}): run on a Raspberry Pi with lgpio installed, or use"
                " the board's own panel"
            ) from error

    def _fit(self) -> None:
        pins = self._pins
        for button, pin in ((Button.SOUTH, pins.south), (Button.NORTH, pins.north), *pins.more):
            device = self._keep(gpiozero.Button(pin, pull_up=True, bounce_time=pins.bounce_s))
            device.when_pressed = self._noter(button, True)
            device.when_released = self._noter(button, False)
        self._lamps = [
            self._keep(gpiozero.LED(pin)) if pin is not None else None
            for pin in (pins.lamp_south, pins.lamp_north)
        ]
        self._displays = [
            self._keep(Tm1637(*pair)) if pair is not None else None
            for pair in (pins.display_south, pins.display_north)
        ]
        self._buzzer = (
            self._keep(gpiozero.OutputDevice(pins.buzzer)) if pins.buzzer is not None else None
        )

    def _keep(self, device: _Device) -> _Device:
        self._open.append(device)
        return device

    def _noter(self, button: Button, down: bool) -> Callable[[], None]:
        def note() -> None:
            self._number += 1
            self._waiting.append(
                ButtonEdge(button, down, self._time(), self._number, self._pins.bounce_s or 0.0)
            )

        return note

    def show(self, face: ClockFace) -> None:
        for display, side, old in zip(
            self._displays,
            (face.south, face.north),
            (self._face.south, self._face.north),
            strict=True,
        ):
            if display is not None and (
                side.segments() != old.segments() or face.brightness != self._face.brightness
            ):
                display.show(side.segments(), face.brightness)
        self._face = face
        self._light_lamps(self._time())

    def presses(self, now: float) -> tuple[ButtonEdge, ...]:
        self._light_lamps(now)
        if self._quiet_at is not None and now >= self._quiet_at and self._buzzer is not None:
            self._buzzer.off()
            self._quiet_at = None
        found = [self._waiting.popleft() for _ in range(len(self._waiting))]
        for press in found:
            self._chords.add(press)
        return (*found, *self._chords.due(now))

    def buzz(self, hz: int, ms: int) -> None:
        """An active buzzer has its own pitch; it ends at the first poll after `ms`."""
        if self._buzzer is not None:
            self._buzzer.on()
            self._quiet_at = self._time() + ms / 1000

    def close(self) -> None:
        for device in self._open:
            with contextlib.suppress(GPIOZeroError, OSError):
                if isinstance(device, Tm1637):
                    device.show(bytes(4), 0)
                device.close()
        self._open.clear()

    def _light_lamps(self, now: float) -> None:
        for lamp, side in zip(self._lamps, (self._face.south, self._face.north), strict=True):
            if lamp is not None:
                lamp.value = side.lamp is Lamp.ON or (side.lamp is Lamp.BLINK and now % 1.0 < 0.5)
