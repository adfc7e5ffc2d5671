"""The table's side of a board remembers how a settled placement reads: tall piles are told by what
changes, a wrong memory is refused.
"""

from __future__ import annotations

import random

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import Placement, Seating, Side
from rules.observation import Condition, Observation, SiteReading
from service.session.settled_placements import contradicted
from service.session.wired_board import WiredBoard
from service.simulate.noise import Sense, pools

BOARD = reference_board()
HEADS = Placement.of({24: 15}, {12: 15})


class Bench:
    """A simulated board and the wires on its port, back to back in their own time."""

    def __init__(self, seed: int) -> None:
        self.board = Simulator(BOARD, seed)
        kept = factory_calibration(self.board)
        self.wires = WiredBoard(BOARD, Seating(), lambda _: kept)
        self.now = 0.0
        self.wires.opened(self.now)

    def rest(self, seconds: float = 3.0) -> Observation:
        """Run until the board has lain still; its last observation."""
        seen: list[Observation] = []
        for _ in range(round(seconds / 0.02)):
            self.now += 0.02
            if data := self.wires.to_send(self.now):
                self.board.receive(data, self.now)
            found = self.wires.receive(self.board.run(self.now), self.now) + self.wires.tick(
                self.now
            )
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


@pytest.mark.parametrize(
    ("site", "read", "record", "refused"),
    [
        (6, (5, 0), (5, 0), False),
        (6, (8, 0), (5, 0), False),
        (6, (5, 0), (4, 0), True),
        (6, (0, 6), (6, 0), True),
        (6, (1, 0), (0, 0), True),
        (25, (2, 0), (1, 0), False),
        (25, (0, 1), (1, 0), True),
    ],
)
def test_only_heights_of_tall_piles_and_counts_on_the_bar_may_be_read_otherwise(
    site: int, read: tuple[int, int], record: tuple[int, int], refused: bool
) -> None:
    assert contradicted(SiteReading(site, ((*read, 1.0),), 1e-4), *record) is refused


def test_the_simulated_board_remembers_as_the_real_one_does() -> None:
    """Untouched piles hold what was settled, a checker less is told by the change; a record that a
    low site denies is not believed.
    """
    pool = pools()["board", "club"]
    before = Placement.of({6: 9, 8: 6}, {19: 8, 17: 7})
    after = before.moved(Side.WHITE, 6, 3)
    told = right = 0
    for seed in range(40):
        sense = Sense(pool, random.Random(seed))
        sense.observe(before, 1.0)
        sense.remember(before)
        seen = {r.site: r for r in sense.observe(after, 2.0).sites}
        told += 1
        right += all(
            max(seen[s].outcomes, key=lambda o: o[2])[:2] == (after.white[s], after.black[s])
            for s in (6, 8, 19, 17)
        )
        sense.remember(before)
        assert not sense.remembers, "a checker stands where the record has none"
    assert right / told > 0.9
