"""A host that sends without a pause, as one that repeats over a bad cable, hides no press."""

from __future__ import annotations

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.link import Link
from firmware_bridge.link_events import EdgeSeen
from firmware_bridge.messages import Ping, pack
from tests.firmware_bridge.wires import Wire, of
from tests.hardware.emulated import EmulatedBoard

pytestmark = pytest.mark.board


def test_a_press_is_seen_while_the_host_pours() -> None:
    """Each byte was answered for before the buttons were looked at: a tap of 20 ms was never seen,
    and no gap named."""
    board = reference_board()
    wire = Wire(EmulatedBoard(board, 1), Link(board))
    wire.link.opened(wire.now)
    wire.run(1.0)
    pings = (WireFrame(Ping.TYPE, n % 256, pack(Ping(0))) for n in range(400))
    wire.simulator.receive(b"".join(map(encode, pings)), wire.now)
    wire.run(0.02)
    pressed = wire.now
    for down in (True, False):
        wire.simulator.press(0, down)
        wire.run(0.02)
    wire.run(1.0)
    seen = of(EdgeSeen, wire.events)
    assert [(edge.button, edge.down) for edge in seen] == [(0, True), (0, False)]
    assert abs(seen[0].at - pressed) < 0.01
    wire.simulator.close()
