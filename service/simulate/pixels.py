"""The pixel mode: the real reader on painted frames, the real link and sensing on a simulated
board's bytes. For a few games.

Dice are the pools' also here: painted dice have no faces that a story could choose.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import Calibration
from firmware_bridge.link import Link
from firmware_bridge.link_events import Sensed
from firmware_bridge.physics import FITS
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulator import Simulator
from rules.board import BAR, OFF, POINTS, Placement, Seating, Side
from rules.observation import Condition, Observation, Source
from service.simulate.board_readings import FIT_OF, START, calibrated
from service.simulate.noise import Die, Pool, Sense
from vision.networks import Networks
from vision.reader import read_picture
from vision.synthetic.look import random_look
from vision.synthetic.scene import paint
from vision.synthetic.viewpoint import random_camera

STEP_S = 0.02
"""The board's bytes are fetched so often while it comes to rest, s."""
PATIENCE_S = 20.0
SIZE = (960, 720)


class PaintedCamera(Sense):
    """One camera over one board: every observation is painted and read.

    `level` bad looks from the side.
    """

    def __init__(self, pool: Pool, rng: random.Random, level: str) -> None:
        super().__init__(pool, rng)
        self._paint = np.random.default_rng(rng.getrandbits(64))
        self._look = random_look(self._paint)
        self._map = random_camera(self._paint, self._look, SIZE, 0, oblique=level == "bad")
        self._plain = level == "good"
        self._networks = Networks()

    def observe(
        self,
        placement: Placement,
        now: float,
        condition: Condition = Condition.AT_REST,
        dice: Sequence[Die] = (),
        hidden: frozenset[int] = frozenset(),
    ) -> Observation:
        self.number += 1
        seen = self.see_dice(dice)
        if condition is not Condition.AT_REST:
            return Observation(Source.CAMERA, now, self.number, condition, (), seen)
        counts = {
            p: (placement.white[p], placement.black[p])
            for p in POINTS
            if placement.white[p] or placement.black[p]
        }
        bar, off = ((placement.white[s], placement.black[s]) for s in (BAR, OFF))
        scene = paint(
            self._paint,
            counts,
            bar=bar,
            off=off,
            look=self._look,
            board_map=self._map,
            dice=0,
            plain_light=self._plain,
        )
        frame = replace(scene.frame, seen_at=now, number=self.number)
        found = read_picture(frame, scene.board_map, self._networks)
        return replace(
            found, sites=tuple(r for r in found.sites if r.site not in hidden), dice=seen
        )


class FirmwareBoard(Sense):
    """One board of bought parts behind its firmware's bytes."""

    def __init__(self, pool: Pool, rng: random.Random, level: str) -> None:
        super().__init__(pool, rng)
        self._spec = reference_board()
        self._board = Simulator(self._spec, rng.getrandbits(31), fit="guided")
        self._link = Link(self._spec, Seating())
        self._link.opened(0.0)
        self._now = 0.0
        self._values: tuple[int, ...] = ()
        calibration: Calibration = calibrated(self._spec, self._board.table, self._scan)
        self._board.table.fit = FITS[FIT_OF[level]]
        self._sensing = Sensing(self._spec, replace(calibration, fit=FIT_OF[level]), Seating())
        self._stands = START

    def _run(self, until: float) -> None:
        """Bytes both ways up to this time; the newest scan is kept."""
        while self._now < until:
            self._now += STEP_S
            self._board.receive(self._link.data_to_send(self._now), self._now)
            for event in (
                *self._link.receive(self._board.run(self._now), self._now),
                *self._link.tick(self._now),
            ):
                if isinstance(event, Sensed):
                    self._values = event.values

    def _scan(self) -> list[int]:
        """The newest scan, in wire units by sensor number, after a while at rest."""
        self._run(self._now + 0.6)
        while not self._values and self._now < PATIENCE_S:
            # The link says hello and asks for the stream first.
            self._run(self._now + 0.5)
        return list(self._values)

    def observe(
        self,
        placement: Placement,
        now: float,
        condition: Condition = Condition.AT_REST,
        dice: Sequence[Die] = (),
        hidden: frozenset[int] = frozenset(),
    ) -> Observation:
        self.number += 1
        self._move_to(placement)
        self._run(self._now + 1.1)
        calibration = self._sensing.calibration
        sites = (
            self._sensing.readings(calibration.checkers(self._values))
            if condition is Condition.AT_REST
            else ()
        )
        return Observation(Source.SENSORS, now, self.number, condition, sites)

    def _move_to(self, placement: Placement) -> None:
        """Hands lift what is too much and put what is too little, checker by checker."""
        for side in Side:
            was, now = self._stands.counts(side), placement.counts(side)
            for site in range(26):
                for _ in range(max(was[site] - now[site], 0)):
                    self._board.lift(site, side)
            for site in range(26):
                for _ in range(max(now[site] - was[site], 0)):
                    self._board.put(site, side)
        self._stands = placement
