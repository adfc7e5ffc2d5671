"""E. The port to a board: a serial device, `socket://host:port` or a pty, by way of pyserial;
opened for us alone.

`open_board` gives a `BoardPort` of raw bytes. `KeptPort` is the one loop that opens a port again,
with growing pauses (0.1 to 2 s): the table's thread pours its bytes into a queue, `BoardConnection`
adds the link, greets, and gives link events; on what is not our board that one lets go of the port
and raises NotOurBoard.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import serial
from serial.tools import list_ports

from firmware_bridge.errors import BoardLost, BridgeError, NotOurBoard
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import BoardRefused, LinkEvent, LinkLost
from firmware_bridge.search import the_one_that_answers
from firmware_bridge.wire import BAUD

OWN_IDS: Final[dict[tuple[int, int], str]] = {
    (0x2341, 0x0042): "Arduino Mega 2560",
    (0x2341, 0x0010): "Arduino Mega 2560",
    (0x2341, 0x0242): "Arduino Mega 2560",
    (0x2A03, 0x0042): "Arduino Mega 2560",
}
"""USB ids of an Arduino Mega."""
RASPBERRY_PI: Final = 0x2E8A
SHARED_IDS: Final[dict[tuple[int, int], str]] = {
    (0x1A86, 0x7523): "CH340",
    (0x1A86, 0x55D4): "CH9102",
    (0x0403, 0x6001): "FT232R",
    (0x0403, 0x6015): "FT231X",
    (0x10C4, 0xEA60): "CP2102",
    (RASPBERRY_PI, 0x000A): "Raspberry Pi Pico",
}
"""Those of bridges that clones have, of a Pico, and of other gadgets: the greeting decides, not
this table.
"""
BACK_OFF: Final = (0.1, 0.2, 0.4, 0.8, 1.6, 2.0)
READ_AT_MOST: Final = 65536


class BoardPort:
    """One open port. `read` never blocks; anything that goes wrong is BoardLost."""

    def __init__(self, port: serial.SerialBase, address: str) -> None:
        self._port, self.address = port, address

    def read(self) -> bytes:
        """What has come, perhaps nothing."""
        try:
            return bytes(self._port.read(READ_AT_MOST))
        except (serial.SerialException, OSError, TypeError) as error:
            raise self._gone(error) from error

    def write(self, data: bytes) -> None:
        """Send all of it, or raise BoardLost."""
        view = memoryview(data)
        deadline = time.monotonic() + 1.0
        while view:
            try:
                sent = self._port.write(bytes(view)) or 0
            except serial.SerialTimeoutException as error:
                # How much of it went is not known, so sending the rest would send some twice.
                raise self._stuck() from error
            except (serial.SerialException, OSError, TypeError) as error:
                raise self._gone(error) from error
            view = view[sent:]
            if view and time.monotonic() > deadline:
                raise self._stuck()

    def _stuck(self) -> BoardLost:
        return BoardLost(f"{self.address} is there and takes no bytes: press the board's reset")

    def _gone(self, error: Exception) -> BoardLost:
        """What a read or a write says of a port that is there no more."""
        return BoardLost(f"{self.address} is gone ({error}): is the cable in, the board powered?")

    def wait(self, seconds: float) -> None:
        """Sleep until bytes come, but not longer than this."""
        try:
            select.select([self._port.fileno()], [], [], max(0.0, seconds))
        except (OSError, ValueError, AttributeError, NotImplementedError, TypeError):
            time.sleep(min(0.005, max(0.0, seconds)))

    def close(self) -> None:
        """Let go of the port. May be called twice."""
        with contextlib.suppress(serial.SerialException, OSError):
            self._port.close()


def find_boards() -> tuple[str, ...]:
    """Addresses that might be a board by their USB id, Arduinos before what only has their bridge;
    stable names (/dev/serial/by-id) where there are any.
    """
    ports = [(port.device, (port.vid, port.pid)) for port in list_ports.comports()]
    own = [device for device, usb in ports if usb in OWN_IDS]
    shared = [device for device, usb in ports if usb in SHARED_IDS]
    by_id = Path("/dev/serial/by-id")
    links = (
        {os.path.realpath(link): str(link) for link in by_id.iterdir()} if by_id.is_dir() else {}
    )
    return tuple(
        address
        for found in (own, shared)
        for address in sorted(links.get(os.path.realpath(device), device) for device in found)
    )


def is_pico(address: str) -> bool:
    """Whether the port at an address is an RP2040's own USB, whatever runs on it."""
    device = os.path.realpath(address)
    return any(
        port.vid == RASPBERRY_PI and os.path.realpath(port.device) == device
        for port in list_ports.comports()
    )


def open_board(address: str | None = None) -> BoardPort:
    """Open a port at 250,000 baud, exclusively. `address`: /dev/tty..., a pty, socket://host:port;
    None = the only one found by USB id, or of several the one that greets as a board of ours.

    Raises BoardLost when none is there or it cannot be opened (try again), NotOurBoard when none of
    several answers, or two boards do. DTR is left alone where the system allows, so that a board
    with auto-reset wired off is not restarted by our coming.
    """
    if address is None:
        found = find_boards()
        if not found:
            raise BoardLost(
                "no board is plugged in (none of the USB ids of an Arduino Mega, its clones or a"
                " Pico);"
                " plug it in, or name its port with --board ADDRESS"
            )
        if len(found) > 1:
            return the_one_that_answers(found, open_board)
        address = found[0]
    try:
        if "://" in address:
            port = serial.serial_for_url(address, baudrate=BAUD, timeout=0)
        else:
            port = serial.Serial(address, BAUD, timeout=0, write_timeout=1.0, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise BoardLost(
            f"cannot open {address} ({error}): is the cable in, and does no other program have it?"
        ) from error
    return BoardPort(port, address)


class Port(Protocol):
    """What a `KeptPort` needs of an open port."""

    def read(self) -> bytes: ...
    def write(self, data: bytes) -> None: ...
    def wait(self, seconds: float) -> None: ...
    def close(self) -> None: ...


PortOpener = Callable[[str | None], Port]
"""Opens the port at an address; raises BoardLost (try again soon) or NotOurBoard (not so soon)."""


@dataclass(frozen=True, slots=True)
class PortOpened:
    """The port is open from now on."""


@dataclass(frozen=True, slots=True)
class PortGone:
    """The port could not be opened, or is gone; it is tried again by itself."""

    why: BridgeError


class KeptPort:
    """A port that is opened again, with growing pauses, whenever it is lost.

    `poll` often, from one thread. `clock` gives monotonic seconds.
    """

    def __init__(
        self,
        address: str | None = None,
        opener: PortOpener = open_board,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = address
        self._opener, self._clock = opener, clock
        self._port: Port | None = None
        self._failures = 0
        self._try_at = 0.0
        self._broken: BoardLost | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a port to write to."""
        return self._port is not None

    @property
    def where(self) -> str | None:
        """The address of the port that is open; None where none is."""
        return self._port.address if isinstance(self._port, BoardPort) else None

    def poll(self, wait: float) -> PortOpened | PortGone | bytes:
        """What happened within `wait` seconds at most: bytes that came, perhaps none, or that the
        port was opened or lost."""
        port = self._port
        if port is None:
            return self._reopen(wait)
        try:
            if self._broken is not None:
                raise self._broken
            port.wait(wait)
            return port.read()
        except BoardLost as error:
            self.let_go(0.0)
            self._back_off(BACK_OFF[min(self._failures, len(BACK_OFF) - 1)])
            return PortGone(error)

    def write(self, data: bytes) -> None:
        """Send all of it; what is lost with the port is told by the next `poll`."""
        if self._port is not None and self._broken is None and data:
            try:
                self._port.write(data)
            except BoardLost as error:
                self._broken = error

    def works(self) -> None:
        """What answers there is what was looked for: the next loss is a first one again."""
        self._failures = 0

    def let_go(self, pause: float) -> None:
        """Close the port; it is tried again after so many seconds."""
        if self._port is not None:
            self._port.close()
        self._port, self._broken = None, None
        self._try_at = self._clock() + pause

    def _reopen(self, wait: float) -> PortOpened | PortGone | bytes:
        now = self._clock()
        if now < self._try_at:
            time.sleep(max(0.0, min(wait, self._try_at - now)))
            return b""
        try:
            self._port = self._opener(self.address)
        except BoardLost as error:
            self._back_off(BACK_OFF[min(self._failures, len(BACK_OFF) - 1)])
            return PortGone(error)
        except NotOurBoard as error:
            self._back_off(BACK_OFF[-1])
            return PortGone(error)
        return PortOpened()

    def _back_off(self, pause: float) -> None:
        self._try_at = self._clock() + pause
        self._failures += 1


class BoardConnection:
    """A link kept alive over ports that come and go.

    Call `poll` often; it blocks `wait` seconds at most.
    """

    def __init__(
        self, link: Link, address: str | None = None, opener: PortOpener = open_board
    ) -> None:
        self.link, self.port = link, KeptPort(address, opener)
        self.problem: str | None = "not connected yet"
        """Why there is no link now, in words; None when there is one."""

    def poll(self, wait: float = 0.05) -> tuple[LinkEvent, ...]:
        """Open if need be, read, tick, write.

        Raises NotOurBoard, after letting go of the port, when a stranger answers.
        """
        now = time.monotonic()
        if self.port.is_open:
            self.port.write(self.link.data_to_send(now))
            wait = min(wait, max(0.0, self.link.wake_at(now) - now))
        happened = self.port.poll(wait)
        now = time.monotonic()
        match happened:
            case PortOpened():
                self.link.opened(now)
                return ()
            case PortGone(why):
                self.problem = str(why)
                if isinstance(why, NotOurBoard):
                    raise why
                return self.link.closed(now, self.problem)
            case data:
                return self._heard(data, now) if self.port.is_open else ()

    def close(self) -> None:
        """Let go of the port."""
        self.port.let_go(0.0)

    def _heard(self, data: bytes, now: float) -> tuple[LinkEvent, ...]:
        events = self.link.receive(data, now) if data else ()
        events += self.link.tick(now)
        self.port.write(self.link.data_to_send(now))
        for event in events:
            if isinstance(event, LinkLost):
                self.problem = event.reason
            if isinstance(event, BoardRefused):
                self.close()
                where = self.port.address or "the port found"
                raise NotOurBoard(f"{where}: {event.reason}")
        if self.link.state is LinkState.LINKED:
            self.port.works()
            self.problem = None
        return events
