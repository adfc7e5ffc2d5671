"""The one loop that opens a lost port again, on ports that fail as told and a clock of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from firmware_bridge.errors import BoardLost, BridgeError, NotOurBoard
from firmware_bridge.transport import BACK_OFF, KeptPort, PortGone, PortOpened


class ScriptedPort:
    """Gives these bytes, then is gone; takes no bytes once it is `stuck`."""

    def __init__(self, *given: bytes, stuck: bool = False) -> None:
        self._given, self.stuck = list(given), stuck
        self.written, self.closed = b"", False

    def read(self) -> bytes:
        if not self._given:
            raise BoardLost("cable")
        return self._given.pop(0)

    def write(self, data: bytes) -> None:
        if self.stuck:
            raise BoardLost("stuck")
        self.written += data

    def wait(self, seconds: float) -> None: ...

    def close(self) -> None:
        self.closed = True


class Desk:
    """A kept port whose opener follows a script and whose clock is set by hand."""

    def __init__(self, *script: ScriptedPort | BridgeError) -> None:
        self.now = 100.0
        self.opened: list[float] = []
        steps: Iterator[ScriptedPort | BridgeError] = iter(script)

        def opener(address: str | None) -> ScriptedPort:
            self.opened.append(self.now)
            step = next(steps, BoardLost("the script is over"))
            if isinstance(step, BridgeError):
                raise step
            return step

        self.port = KeptPort("/dev/it", opener, clock=lambda: self.now)

    def pass_time(self, seconds: float) -> list[object]:
        """What happened meanwhile, asked every 10 ms."""
        found: list[object] = []
        for _ in range(round(seconds / 0.01)):
            found += [happened] if (happened := self.port.poll(0.0)) != b"" else []
            self.now = round(self.now + 0.01, 4)
        return found


def test_pauses_grow_and_end_with_a_port_that_works() -> None:
    desk = Desk(*(BoardLost(str(n)) for n in range(8)), ScriptedPort(b"hello"))
    desk.pass_time(20.0)
    waits = [round(b - a, 2) for a, b in itertools.pairwise(desk.opened)]
    assert waits[:8] == [*BACK_OFF, BACK_OFF[-1], BACK_OFF[-1]]


def test_what_comes_and_how_it_goes_is_told_in_order() -> None:
    desk = Desk(ScriptedPort(b"one", b"two"), BoardLost("still"), ScriptedPort(b"three"))
    found = desk.pass_time(0.5)
    kinds = [h if isinstance(h, bytes) else str(getattr(h, "why", "opened")) for h in found]
    assert kinds == ["opened", b"one", b"two", "cable", "still", "opened", b"three", "cable"]


@pytest.mark.parametrize("works", [True, False])
def test_only_a_port_that_works_forgets_the_failures(works: bool) -> None:
    desk = Desk(*(BoardLost("no") for _ in range(4)), ScriptedPort(b"x"), ScriptedPort())
    while not desk.port.is_open:
        desk.pass_time(0.01)
    if works:
        desk.port.works()
    desk.pass_time(3.0)
    assert round(desk.opened[5] - desk.opened[4], 1) == (BACK_OFF[0] if works else BACK_OFF[4])


def test_bytes_it_will_not_take_end_the_port() -> None:
    stuck = ScriptedPort(b"x", b"y", stuck=True)
    desk = Desk(stuck)
    assert isinstance(desk.port.poll(0.0), PortOpened)
    desk.port.write(b"hello")
    gone = desk.port.poll(0.0)
    assert isinstance(gone, PortGone)
    assert str(gone.why) == "stuck"
    assert stuck.closed
    assert not desk.port.is_open


def test_several_ports_are_said_and_asked_again_seldom() -> None:
    desk = Desk(NotOurBoard("several"), ScriptedPort(b"x"))
    [gone, *_] = desk.pass_time(2.5)
    assert isinstance(gone, PortGone)
    assert isinstance(gone.why, NotOurBoard)
    assert round(desk.opened[1] - desk.opened[0], 2) == BACK_OFF[-1]


def test_a_stranger_is_let_go_for_as_long_as_asked() -> None:
    stranger = ScriptedPort(b"?", b"?")
    desk = Desk(stranger, ScriptedPort(b"x"))
    desk.port.poll(0.0)
    desk.port.let_go(5.0)
    assert stranger.closed
    desk.pass_time(6.0)
    assert round(desk.opened[1] - desk.opened[0], 1) == 5.0
