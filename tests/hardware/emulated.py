"""The emulated board as tests hold it: the compiled firmware in lock-step behind the simulator's
own interface, so that `Wire` drives either."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.physics import FITS
from firmware_bridge.simulated_firmware import Outputs
from firmware_bridge.simulated_table import SimulatedTable
from rules.board import Placement, Seating, Side, Site
from tests.hardware.firmware import EMULATOR, firmware_elf, firmware_uf2, make, need

Chip = Literal["mega2560", "rp2040"]


@functools.cache
def emulator() -> Path:
    return make(EMULATOR) / "emulator"


def emulation(chip: Chip) -> list[str]:
    """The command that emulates a chip with its firmware."""
    if chip == "mega2560":
        return [str(emulator()), str(firmware_elf())]
    need("node")
    return ["node", str(EMULATOR / "rp2040/main.js"), str(firmware_uf2())]


class EmulatedBoard:
    """`receive` and `run` as `Simulator` has them; `tell(command)` for everything else the emulator
    can do. Time is emulated time.

    With `tty` the emulator (the Mega's) runs in real time behind that pty link, and only `tell` and
    the hands are of use.
    """

    def __init__(
        self,
        board: BoardSpec,
        seed: int,
        *,
        fit: str = "normal",
        noise_mv: float | None = None,
        tty: Path | None = None,
        dtr_reset: bool = False,
        chip: Chip = "mega2560",
    ) -> None:
        self.board = board
        self.table = SimulatedTable(board, np.random.default_rng(seed), FITS[fit])
        command = [*emulation(chip), "--seed", str(seed)]
        if tty is not None:
            command += ["--tty", str(tty)]
        if dtr_reset:
            command.append("--dtr-reset")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        while not self._read().startswith("ok ready"):
            pass
        self.tell(f"noise {board.sensor.noise_mv if noise_mv is None else noise_mv}")
        self._felt: np.ndarray | None = None  # type: ignore[type-arg]
        self._now: float | None = None
        self._from_boot = 0.0
        self._held = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._process.poll() is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)

    def tell(self, command: str) -> str:
        """One command; its answer without the "ok"."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        answer = self._read()
        assert answer.startswith("ok"), f"{command}: {answer}"
        return answer[2:].strip()

    def counts(self) -> dict[str, int]:
        words = self.tell("counts").split()
        return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}

    # Hands
    def set_placement(self, placement: Placement, seating: Seating | None = None) -> None:
        self.table.set_placement(placement, seating)
        self.feel()

    def lift(self, site: Site, side: Side) -> None:
        self.table.lift(site, side)
        self.feel()

    def put(self, site: Site, side: Side) -> None:
        self.table.put(site, side)
        self.feel()

    def placement(self) -> Placement:
        return self.table.placement()

    def press(self, button: int, down: bool) -> None:
        bit = 1 << button
        self._held = self._held | bit if down else self._held & ~bit
        self.tell(f"press {button} {int(down)}")

    def restart(self, cause: int = 0) -> None:
        """Pull the reset line; the chip then says so itself, whatever cause was asked for."""
        self.tell("reset")

    def feel(self) -> None:
        """Put on the sensors' lines what the checkers make of them."""
        felt = self.table.millivolts()
        moved = (
            range(len(felt))
            if self._felt is None
            else np.nonzero(np.abs(felt - self._felt) > 0.05)[0]
        )
        if len(moved):
            self.tell("mv " + " ".join(f"{n} {felt[n]:.2f}" for n in moved))
        self._felt = felt

    # Wire
    def receive(self, data: bytes, now: float) -> None:
        self.tell("give " + data.hex())

    def run(self, now: float) -> bytes:
        """Emulate up to `now`; the bytes that reached the host by then."""
        if self._felt is not self.table.millivolts():
            self.feel()
        step = 0.0 if self._now is None else max(0.0, now - self._now)
        self._now = now if self._now is None else max(self._now, now)
        _, _, data = self.tell(f"run {step * 1e6:.1f}").partition(" ")
        return b"" if data == "-" else bytes.fromhex(data)

    @property
    def outputs(self) -> Outputs:
        """What lights, lamps and displays show; LEDs without their patterns, since those are seen
        in time. Brightness and tone as the chips have them."""
        grb = self.tell("leds")
        bytes_ = b"" if grb == "-" else bytes.fromhex(grb)
        leds = tuple((bytes_[k + 1], bytes_[k], bytes_[k + 2], 0) for k in range(0, len(bytes_), 3))
        words = self.tell("displays").split()
        lit, tone = int(self.tell("lamps")), int(self.tell("tone"))
        brightness = int(words[2]) + 1 if int(words[1]) else 0
        return Outputs(
            leds,
            lit,
            0,
            bytes.fromhex(words[0] + words[4]),
            brightness,
            ((tone, 0),) if tone else (),
        )

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the emulator ended with {self._process.wait(10)}"
        return line
