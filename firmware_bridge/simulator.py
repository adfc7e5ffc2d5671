"""A whole board in Python: real magnets in real physics under hands that are real enough, speaking
real bytes. No hardware, no compiler.

    board = Simulator(reference_board(), seed=1)
    board.set_placement(placement); board.lift(13, Side.WHITE); board.put(8, Side.WHITE);
    board.press(Button.SOUTH, True) board.receive(bytes_from_host, now); to_host = board.run(now)

`python -m firmware_bridge simulate` puts one on a pty.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from firmware_bridge import wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.calibration import Calibration, from_empty, with_gain
from firmware_bridge.physics import FITS, counts_per_mv
from firmware_bridge.simulated_firmware import Outputs, SimulatedFirmware
from firmware_bridge.simulated_table import SimulatedTable
from rules.board import Placement, Seating, Side, Site


class Simulator:
    """The board's side of a link.

    Same seed, same calls, same bytes. `fit`: guided, normal or sloppy (`physics.FITS`).
    """

    def __init__(
        self,
        board: BoardSpec,
        seed: int,
        *,
        fit: str = "normal",
        uid: bytes | None = None,
        ideal_parts: bool = False,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.board = board
        self.table = SimulatedTable(board, rng, FITS[fit], ideal_parts=ideal_parts)
        self.firmware = SimulatedFirmware(
            board, self.table.millivolts, rng, uid or rng.bytes(8), board.sensor.noise_mv
        )

    # Hands
    def set_placement(self, placement: Placement, seating: Seating | None = None) -> None:
        self.table.set_placement(placement, seating)

    def lift(self, site: Site, side: Side) -> None:
        self.table.lift(site, side)

    def put(self, site: Site, side: Side) -> None:
        self.table.put(site, side)

    def placement(self) -> Placement:
        """The truth."""
        return self.table.placement()

    def press(self, button: int, down: bool) -> None:
        self.firmware.press(button, down)

    def restart(self, cause: int = wire.CAUSE_BROWN_OUT) -> None:
        """Pull the power for a moment."""
        self.firmware.restart(cause)

    @property
    def outputs(self) -> Outputs:
        """What lights, lamps and displays show."""
        return self.firmware.outputs

    # Wire
    def receive(self, data: bytes, now: float) -> None:
        self.firmware.receive(data, now)

    def run(self, now: float) -> bytes:
        return self.firmware.run(now)


def factory_calibration(simulator: Simulator, fit: str = "normal") -> Calibration:
    """What LED-guided calibration would find on this board, without taking the time: the same steps
    over the same parts on a table of its own."""
    table = SimulatedTable(simulator.board, np.random.default_rng(0), ideal_parts=True)
    table.offsets, table.gains = simulator.table.offsets, simulator.table.gains
    board = simulator.board
    noise = np.random.default_rng(1).normal(
        0, board.sensor.noise_mv / 2, (16, len(board.sensors.places))
    )

    def scans() -> list[list[int]]:
        return [
            [round(float(v)) for v in row]
            for row in (table.millivolts() + noise) * counts_per_mv(board)
        ]

    found, _ = from_empty(board, scans(), simulator.firmware.uid.hex())
    for number, place in enumerate(board.sensors.places):
        if place.role in ("point", "bar"):
            table.put_on_sensor(number)
            values = [round(float(v)) for v in np.mean(scans(), axis=0)]
            found = with_gain(board, found, number, values)
            table.clear()
    return replace(found, fit=fit)
