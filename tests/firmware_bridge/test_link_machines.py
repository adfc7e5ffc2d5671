"""The small machines of the link, each held to its promise by itself."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.greeting import Greeting
from firmware_bridge.link_machines import Commands, OrderedEdges, Pings, SensorFrames
from firmware_bridge.messages import Ack, Delta, Edge, Keyframe, Pong, Stream
from firmware_bridge.outbox import Outbox
from rules.board import Seating


def edge(number: int) -> Edge:
    return Edge(1, number & 0xFFFF, 0, 1, 0)


@given(st.integers(0, 0xFFFF), st.permutations(range(12)), st.lists(st.integers(0, 11)))
def test_every_edge_comes_once_and_in_order_whatever_overtakes_or_repeats(
    oldest: int, order: list[int], again: list[int]
) -> None:
    edges = OrderedEdges()
    edges.restart(oldest)
    found = []
    for n in [*order, *again, *order]:
        found += edges.take(edge(oldest + n)) or ()
    assert [number for number, _ in found] == list(range(oldest, oldest + 12))
    assert [e.number for _, e in found] == [(oldest + n) & 0xFFFF for n in range(12)]
    assert edges.acknowledgement() == (oldest + 11) & 0xFFFF
    assert edges.acknowledgement() is None


def test_edges_that_another_program_acknowledged_are_counted() -> None:
    edges = OrderedEdges()
    edges.restart(0xFFFE)
    assert edges.resume(0xFFFE) == 0
    assert edges.resume(3) == 5
    assert edges.take(edge(2)) is None
    assert [n for n, _ in edges.take(edge(3)) or ()] == [3]


def test_frames_that_never_came_are_counted_over_the_wrap() -> None:
    frames = SensorFrames(2)
    assert frames.missed(77) == 0
    frames.renumber()
    assert [frames.missed(n) for n in (0, 1, 4, 5)] == [0, 0, 2, 0]
    frames.missed(254)
    assert frames.missed(1) == 2


def test_a_scan_is_whole_when_every_sensor_is_known() -> None:
    frames = SensorFrames(4)
    assert frames.keyframe(Keyframe.of(0, 0, 0, (7, 8)))
    assert frames.whole() is None
    assert not frames.keyframe(Keyframe.of(0, 0, 3, (1, 2)))
    frames.delta(Delta(0, 0, ((2, 9), (3, 10), (40, 1))), 5.0)
    assert frames.whole() == (7, 8, 9, 10)
    assert not frames.came_to_rest(5.1, 0.12)
    assert frames.came_to_rest(5.2, 0.12)
    assert not frames.came_to_rest(9.0, 0.12)


def test_pings_hurry_after_a_greeting_and_forget_what_is_old() -> None:
    pings = Pings(0.5)
    pings.restart()
    asked, now = [], 0.0
    while now < 2.0:
        if pings.due(now):
            asked.append((now, pings.ask(now)))
        now = round(now + 0.01, 2)
    gaps = [round(b - a, 2) for (a, _), (b, _) in itertools.pairwise(asked)]
    assert gaps[:4] == [0.03] * 4
    assert set(gaps[4:]) == {0.5}
    at, last = asked[-1]
    assert pings.sent_at(Pong(last.token, 0)) == at
    assert pings.sent_at(Pong(last.token, 0)) is None


def test_one_command_at_a_time_repeated_until_acknowledged() -> None:
    outbox = Outbox(reference_board().leds, Seating(), Stream(3, 6, 1000))
    commands = Commands(0.08)
    first = commands.push(outbox, 0.0)
    assert first is not None
    assert isinstance(first.command, Stream)
    assert commands.push(outbox, 0.05) is None
    again = commands.push(outbox, 0.09)
    assert again is not None
    assert (again.number, again.command, again.repeated) == (first.number, first.command, True)
    ack = Ack(first.command.TYPE, wire.STATUS_OK)
    assert commands.acknowledged(first.number + 1, ack) is None
    assert commands.acknowledged(first.number, Ack(ack.command, wire.STATUS_BUSY)) is None
    assert commands.on_the_way
    assert commands.acknowledged(first.number, ack) is first.command
    assert not commands.on_the_way


def test_greeting_asks_every_so_often_and_gives_up_but_not_for_our_own_stall() -> None:
    greeting = Greeting(every=0.25, patience=4.5)
    greeting.begin(100.0)
    assert greeting.due(100.0)
    greeting.sent(9, 100.0)
    assert not greeting.due(100.2)
    assert greeting.due_at() == 100.25
    assert greeting.sent_at(9) == 100.0
    assert greeting.sent_at(9) == greeting.since
    assert greeting.gave_up(104.6)
    greeting.forgive(2.0)
    assert not greeting.gave_up(104.6)
