"""The edge against a real pty: connect, lose the cable, find it again; strangers are let go of; two
programs cannot share a board.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import socket
import threading
import time
import tty

import pytest
import serial

from firmware_bridge.board_spec import reference_board
from firmware_bridge.errors import BoardLost, NotOurBoard
from firmware_bridge.link import Link, LinkSettings
from firmware_bridge.link_events import EdgeSeen, GapNoted, Linked, LinkEvent, LinkLost, Sensed
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from firmware_bridge.transport import BoardConnection, BoardPort, open_board

DEADLINE_S = 30.0


def until(connection: BoardConnection, kind: type, count: int = 1) -> list[LinkEvent]:
    """Poll until so many events of a kind have come; the deadline only ends a hang."""
    found: list[LinkEvent] = []
    end = time.monotonic() + DEADLINE_S
    while sum(isinstance(event, kind) for event in found) < count:
        assert time.monotonic() < end, found[-5:]
        found += connection.poll(0.02)
    return found


def test_connects_presses_loses_the_cable_and_finds_it_again() -> None:
    with PtyBoard(Simulator(reference_board(), 1)) as board:
        connection = BoardConnection(Link(reference_board()), board.address)
        until(connection, Linked)
        with board.hands() as simulator:
            simulator.press(0, True)
        assert until(connection, EdgeSeen)
        board.unplug()
        assert until(connection, LinkLost)
        assert connection.problem
        with board.hands() as simulator:
            simulator.press(0, False)
        connection.port.address = board.plug()
        events = until(connection, EdgeSeen)
        assert [event.presses_lost for event in events if isinstance(event, GapNoted)] == [False]
        assert connection.problem is None
        connection.close()


class FailingPort:
    """A port whose every write fails with this."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def write(self, _: bytes) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EIO, "Input/output error"), "is the cable in"),
        (serial.SerialException("write failed: [Errno 5]"), "is the cable in"),
        (serial.SerialTimeoutException("Write timeout"), "takes no bytes"),
    ],
)
def test_a_write_that_fails_tells_a_cable_from_a_stuck_board(error: Exception, words: str) -> None:
    with pytest.raises(BoardLost, match=words):
        BoardPort(FailingPort(error), "/dev/board").write(b"ask")


def test_two_programs_cannot_share_a_board() -> None:
    with PtyBoard(Simulator(reference_board(), 1)) as board:
        first = open_board(board.address)
        with pytest.raises(BoardLost, match="other program"):
            open_board(board.address)
        first.close()
        open_board(board.address).close()


def test_what_is_not_our_board_is_let_go_of() -> None:
    """A device that chatters in another tongue: NotOurBoard, and the port is free again at once."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    address = os.ttyname(slave)
    stop = threading.Event()

    def chatter() -> None:
        while not stop.wait(0.02):
            os.write(master, b"$GPGGA,123519,4807.038,N\r\n")

    thread = threading.Thread(target=chatter)
    thread.start()
    try:
        connection = BoardConnection(
            Link(reference_board(), settings=LinkSettings(patience=0.3)), address
        )
        with pytest.raises(NotOurBoard, match="no takhte board answers"):
            until(connection, Linked)
        open_board(address).close()
    finally:
        stop.set()
        thread.join()
        os.close(master)
        os.close(slave)


def test_a_board_far_away_answers_over_a_socket() -> None:
    """socket://host:port, as ser2net or a Pi beside the board serves it."""
    simulator, stop = Simulator(reference_board(), 2), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.settimeout(0.005)
            while not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    simulator.receive(peer.recv(4096), time.monotonic())
                peer.sendall(simulator.run(time.monotonic()))

    thread = threading.Thread(target=serve)
    thread.start()
    connection = BoardConnection(
        Link(reference_board()), f"socket://127.0.0.1:{listener.getsockname()[1]}"
    )
    try:
        until(connection, Linked)
        until(connection, Sensed)
        stop.set()
        thread.join()
        assert until(connection, LinkLost)
        assert connection.problem
    finally:
        stop.set()
        thread.join()
        connection.close()
        listener.close()


def test_no_such_port_is_said_and_tried_again() -> None:
    connection = BoardConnection(Link(reference_board()), "/dev/no-such-board")
    assert connection.poll(0.0) == ()
    assert connection.problem is not None
    assert "/dev/no-such-board" in connection.problem


def test_with_no_board_plugged_in_the_search_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.transport.find_boards", lambda: ())
    with pytest.raises(BoardLost, match="no board is plugged in"):
        open_board()


def test_the_board_is_found_among_other_gadgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent gadget and one port that is gone: the one that greets is opened. Two boards are
    named; none at all is said."""
    board, gadget = PtyBoard(Simulator(reference_board(), 3)), pty.openpty()
    tty.setraw(gadget[1])
    other = os.ttyname(gadget[1])
    monkeypatch.setattr("firmware_bridge.search.PATIENCE_S", 1.0)

    def ports(*found: str) -> None:
        monkeypatch.setattr("firmware_bridge.transport.find_boards", lambda: found)

    try:
        with board:
            ports(other, "/dev/no-such-port", board.address)
            connection = BoardConnection(Link(reference_board()))
            until(connection, Linked)
            connection.close()
            with PtyBoard(Simulator(reference_board(), 4)) as second:
                ports(board.address, second.address)
                with pytest.raises(NotOurBoard, match="several boards are plugged in"):
                    open_board()
        ports(other, "/dev/no-such-port")
        with pytest.raises(NotOurBoard, match=f"no takhte board answers at {other}"):
            open_board()
    finally:
        for end in gadget:
            os.close(end)
