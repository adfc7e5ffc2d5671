"""A recording in the world's place: whoever joins, when and how often, meets a board that answers
and presses that come once.
"""

from __future__ import annotations

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.link import Link
from firmware_bridge.link_events import EdgeSeen, GapNoted, Linked, LinkEvent, LinkLost, Sensed
from service.recording.format import Recording
from service.recording.playback import AFTER_S, BoardPlayer, Stage
from tests.service.tables import CLIP0

FOUND = Recording(CLIP0)


def joined(player: BoardPlayer, link: Link, start: float, end: float) -> list[LinkEvent]:
    events: list[LinkEvent] = []
    for n in range(round(start / 0.02), round(end / 0.02)):
        now = n * 0.02
        player.receive(link.data_to_send(now), now)
        events += [*link.receive(player.run(now), now), *link.tick(now)]
    return events


@pytest.mark.parametrize("start", [0.0, 7.95, 30.0, 66.0, 80.0])
def test_whoever_joins_is_greeted_and_hears_what_comes(start: float) -> None:
    link = Link(reference_board())
    link.opened(start)
    events = joined(BoardPlayer(FOUND, start), link, start, start + 12)
    assert sum(isinstance(e, Linked) for e in events) == 1
    assert not any(isinstance(e, LinkLost) for e in events)
    assert any(isinstance(e, Sensed) for e in events)
    assert all(e.at >= start - 0.1 for e in events if isinstance(e, EdgeSeen))


def test_every_press_comes_once_and_in_its_time() -> None:
    link = Link(reference_board())
    link.opened(0.0)
    events = joined(BoardPlayer(FOUND), link, 0.0, 70.0)
    presses = [e.at for e in events if isinstance(e, EdgeSeen) and e.down]
    assert presses == pytest.approx(
        [7.92, 15.54, 24.54, 32.32, 40.52, 47.87, 57.41, 65.03], abs=0.1
    )


def test_a_host_that_comes_back_loses_no_press() -> None:
    """The cable out for six seconds around a press, the same program on it: the board kept the
    press.
    """
    player, link = BoardPlayer(FOUND), Link(reference_board())
    link.opened(0.0)
    joined(player, link, 0.0, 5.0)
    link.closed(5.0, "pulled")
    player.unplugged()
    for n in range(250, 550):
        player.run(n * 0.02)
    link.opened(11.0)
    events = joined(player, link, 11.0, 14.0)
    assert [e.at for e in events if isinstance(e, EdgeSeen) and e.down] == pytest.approx(
        [7.92], abs=0.1
    )
    assert not any(e.presses_lost for e in events if isinstance(e, GapNoted))


def test_the_recording_waits_for_whoever_follows_and_for_whoever_reads_slowly() -> None:
    stage = Stage(FOUND, 1.3, speed=1e6)
    assert stage.position == 1.3
    first = FOUND.frames[0].at
    stage.go()
    for _ in range(3):
        assert stage.position < first + 0.31
    assert not stage.over


def test_a_film_that_stands_stays_where_it_is_and_ends_once() -> None:
    stage = Stage(FOUND, 1.3, speed=1e9)
    stage.no_pictures()
    assert stage.paused
    stage.go()
    assert not stage.paused
    end = stage.position
    assert end == stage.position == FOUND.length + AFTER_S
    assert stage.over
    stage.pause()
    assert not stage.paused, "what is over cannot be paused"
