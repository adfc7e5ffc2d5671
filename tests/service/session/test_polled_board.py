"""A board without a link: found, silent, damaged, gone; and told again until it lies still."""

from __future__ import annotations

import itertools

from firmware_bridge.errors import DamagedFrame
from rules.board import Seating
from rules.observation import Condition, Observation, Source
from service.referee.inputs import SourceChanged
from service.session.boards import AGAIN_FOR_S, AGAIN_S, LastReading
from service.session.polled_board import SILENCE_S, PolledBoard


class Feet:
    """Sensing of one number: at rest a quarter second after it changed."""

    def __init__(self) -> None:
        self.seating = Seating()
        self._last, self._since = -1, 0.0

    def observe(self, reading: int, now: float, number: int, /) -> Observation:
        if reading != self._last:
            self._last, self._since = reading, now
        still = now - self._since >= 0.25
        return Observation(
            Source.SENSORS, now, number, Condition.AT_REST if still else Condition.MOVING
        )


def decoded(data: bytes) -> int:
    if not data.isdigit():
        raise DamagedFrame(f"no number: {data!r}")
    return int(data)


def board() -> PolledBoard[int]:
    found = PolledBoard(Source.SENSORS, 1, decoded, Feet())
    found.opened(0.0)
    return found


def changes(found: list[object]) -> list[tuple[bool, str]]:
    return [(f.ok, f.reason) for f in found if isinstance(f, SourceChanged)]


def test_it_is_found_with_its_first_reading_and_lost_with_its_port() -> None:
    it = board()
    assert it.trouble
    found = it.receive(b"7", 0.1)
    assert changes(found) == [(True, "")]
    assert isinstance(found[-1], Observation)
    assert not it.trouble
    assert changes(it.closed(0.2, "cable")) == [(False, "cable")]
    assert changes(it.closed(0.3, "cable")) == []
    assert it.trouble == "cable"


def test_silence_is_a_loss_and_is_said_once() -> None:
    it = board()
    it.receive(b"7", 0.0)
    said = [c for n in range(200) for c in changes(it.tick(n * 0.05))]
    assert said == [(False, f"the board has given no reading for {SILENCE_S:g} s")]
    assert changes(it.receive(b"7", 11.0)) == [(True, "")]


def test_a_damaged_reading_is_a_loss_until_a_whole_one_comes() -> None:
    it = board()
    it.receive(b"7", 0.0)
    assert changes(it.receive(b"?", 0.1)) == [(False, "no number: b'?'")]
    assert it.tick(0.2) == []
    assert changes(it.receive(b"7", 0.3)) == [(True, "")]


def test_a_reading_is_told_again_until_it_was_seen_at_rest_long_enough() -> None:
    last, feet = LastReading[int](), Feet()
    last.take(feet, 3, 0.0)
    told = [(n / 100, o) for n in range(400) for o in last.again(feet, n / 100)]
    gaps = [round(b - a, 2) for (a, _), (b, _) in itertools.pairwise(told)]
    assert all(AGAIN_S <= gap <= AGAIN_S + 0.02 for gap in gaps)
    assert told[-1][1].condition is Condition.AT_REST
    assert last.rested is told[-1][1]
    assert told[-1][0] < 0.25 + AGAIN_FOR_S
    assert [o.number for _, o in told] == list(range(2, 2 + len(told)))
