"""The table's side of a board remembers how a settled placement reads: tall piles are told by what changes, a wrong memory is refused."""

from __future__ import annotations

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import Placement, Seating, Side
from rules.observation import Condition, Observation
from service.wires import Wires

BOARD = reference_board()
HEADS = Placement.of({24: 15}, {12: 15})


class Bench:
    """A simulated board and the wires on its port, back to back in their own time."""

    def __init__(self, seed: int) -> None:
        self.board = Simulator(BOARD, seed)
        kept = factory_calibration(self.board)
        self.wires = Wires(BOARD, Seating(), lambda _: kept)
        self.now = 0.0
        self.wires.opened(self.now)

    def rest(self, seconds: float = 3.0) -> Observation:
        """Run until the board has lain still; its last observation."""
        seen: list[Observation] = []
        for _ in range(round(seconds / 0.02)):
            self.now += 0.02
            if data := self.wires.to_send(self.now):
                self.board.receive(data, self.now)
            found = self.wires.receive(self.board.run(self.now), self.now) + self.wires.tick(self.now)
            seen += [o for o in found if isinstance(o, Observation)]
        assert seen[-1].condition is Condition.AT_REST
        return seen[-1]


def sureness(seen: Observation, site: int, white: int) -> float:
    """How much of a site's likelihood is for so many of White's."""
    reading = seen.at(site)
    assert reading is not None
    return reading.likelihood(white, 0) / sum(p for _, _, p in reading.outcomes)


def test_a_checker_off_a_settled_head_of_fifteen_is_counted() -> None:
    sure: dict[bool, list[float]] = {True: [], False: []}
    for seed in (3, 4, 6):
        for told, found in sure.items():
            bench = Bench(seed)
            bench.board.set_placement(HEADS)
            bench.rest(1.5)
            bench.wires.settled(HEADS if told else None)
            bench.board.lift(24, Side.WHITE)
            bench.board.put(18, Side.WHITE)
            found.append(sureness(bench.rest(1.5), 24, 14))
    assert min(sure[True]) > 0.6
    assert sum(sure[True]) > sum(sure[False]) + 0.2, "without memory a tall pile is honest doubt"


def test_what_the_board_reads_otherwise_is_not_remembered() -> None:
    """The record settled a play that these sensors did not see."""
    bench = Bench(5)
    bench.board.set_placement(HEADS)
    doubt = sureness(bench.rest(), 24, 15)
    bench.wires.settled(HEADS.moved(Side.WHITE, 24, 20))
    assert sureness(bench.rest(), 24, 15) == pytest.approx(doubt, abs=0.05)
