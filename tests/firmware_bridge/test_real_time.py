"""A few cases in real time: firmware on the emulated chip, a real pty, pyserial, and the cable
pulled. Only emulated times are asserted.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.lights import led_colours
from firmware_bridge.link import Link
from firmware_bridge.link_events import (
    EdgeSeen,
    GapNoted,
    Linked,
    LinkEvent,
    LinkLost,
    Sensed,
    Shown,
)
from firmware_bridge.transport import BoardConnection
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.test_board import SCENE
from tests.firmware_bridge.wires import lit
from tests.hardware.emulated import EmulatedBoard

pytestmark = pytest.mark.board
DEADLINE_S = 90.0


def until(connection: BoardConnection, *kinds: type) -> list[LinkEvent]:
    """Poll until one event of each kind has come; the deadline only ends a hang."""
    found: list[LinkEvent] = []
    end = time.monotonic() + DEADLINE_S
    while not all(any(isinstance(event, kind) for event in found) for kind in kinds):
        assert time.monotonic() < end, (kinds, found[-5:], connection.problem)
        found += connection.poll(0.02)
    return found


def test_over_pyserial_the_cable_pulled_and_back(tmp_path: Path) -> None:
    tty = tmp_path / "board"
    with EmulatedBoard(reference_board(), 1, tty=tty) as board:
        board.set_placement(BACKGAMMON)
        connection = BoardConnection(Link(reference_board()), str(tty))
        connection.link.show(SCENE)
        until(connection, Linked, Shown, Sensed)
        assert lit(board.outputs.leds) == lit(
            led_colours(SCENE, reference_board().leds, connection.link.seating)
        )
        board.tell("unplug")
        until(connection, LinkLost)
        board.press(0, True)
        board.tell("plug")
        events = until(connection, Linked, EdgeSeen)
        assert [event.presses_lost for event in events if isinstance(event, GapNoted)] == [False]
        board.tell("ber 0.001")
        board.press(0, False)
        assert not [e for e in until(connection, EdgeSeen) if isinstance(e, EdgeSeen) and e.down]
        end = time.monotonic() + DEADLINE_S
        while board.counts()["flipped"] == 0:
            assert time.monotonic() < end
            connection.poll(0.02)
        board.tell("ber 0")
        board.tell("drop 7")
        board.press(3, True)
        until(connection, EdgeSeen)
        connection.close()


def test_a_board_that_resets_when_opened_has_its_gap_named(tmp_path: Path) -> None:
    """Auto-reset left on: every reconnect restarts the chip, and the record must say that presses
    may be lost.
    """
    tty = tmp_path / "board"
    with EmulatedBoard(reference_board(), 1, tty=tty, dtr_reset=True) as board:
        connection = BoardConnection(Link(reference_board()), str(tty))
        until(connection, Linked)
        board.tell("unplug")
        until(connection, LinkLost)
        board.tell("plug")
        gaps = [event for event in until(connection, Linked) if isinstance(event, GapNoted)]
        assert [gap.presses_lost for gap in gaps] == [True]
        assert "restarted" in gaps[0].reason
        connection.close()
