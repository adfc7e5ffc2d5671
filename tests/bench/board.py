"""What the board's room promises, measured: `make bench-board` or `python -m tests.bench board
presses=1000 parts=cable,reset`. Everything runs on the compiled firmware on the emulated chip in
lock-step, where not said otherwise; times are emulated times."""

from __future__ import annotations

import random
import subprocess
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cobs import cobs

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.link import Link
from firmware_bridge.messages import Edge, Keyframe, pack
from firmware_bridge.simulator import Simulator
from rules.board import POINTS
from tests.bench._board_link import (
    CHIPS,
    LinkSize,
    bit_error_rate,
    cable,
    latency,
    reset,
    stall,
)
from tests.firmware_bridge.faulty import failing_boards
from tests.firmware_bridge.rest import Tally, laid_out, play, play_emulated
from tests.hardware.firmware import FIRMWARE, make

NEEDS: Final = ("make", "gcc", "avr-gcc")


@dataclass(frozen=True)
class Size(LinkSize):
    """That of the link, and turns of a game by hand and of one on the emulated chip; which parts,
    all where none is named.
    """

    turns: int = 120
    emulated_turns: int = 50
    parts: str = ""

    def __post_init__(self) -> None:
        if self.chip not in CHIPS:
            raise ValueError(f"no chip {self.chip}; there are: {', '.join(CHIPS)}")
        if unknown := set(filter(None, self.parts.split(","))) - PARTS.keys():
            raise ValueError(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")


def damaged_frames(size: Size) -> None:
    """How many damaged frames a decoder takes: flips, cuts, bursts, and two frames run together."""
    rng, tries, taken = random.Random(2), 40 * size.presses, 0
    for _ in range(tries):
        payload = pack(
            Edge(
                rng.getrandbits(32),
                rng.getrandbits(16),
                rng.randrange(7),
                rng.randrange(2),
                rng.getrandbits(32),
            )
        )
        number = rng.randrange(256)
        good = encode(WireFrame(Edge.TYPE, number, payload))
        data = bytearray(good)
        kind = rng.randrange(4)
        if kind == 0:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            at = rng.randrange(len(data) - 1)
            data[at : at + rng.randint(1, 6)] = rng.randbytes(rng.randint(0, 6))
        elif kind == 2:
            data = data[: rng.randrange(1, len(data) - 1)] + data[rng.randrange(len(data) - 1) :]
        else:
            data[-1:] = bytes([rng.randrange(1, 256)]) + good
        decoder = Decoder()
        decoder.feed(b"\0" + bytes(data) + b"\0")
        while (received := decoder.next()) is not NEED_DATA:
            whole = (received.number, pack(received.message)) == (number, payload)
            taken += received.message.TYPE is not Edge.TYPE or not whole
    print(
        f"damaged frames: {taken} of {tries} taken (a CRC-32's own share would be"
        f" {tries / 2**32:.4f})"
    )


def fuzz(size: Size) -> None:
    """Ten million bytes at full size on each decoder."""
    total = 1000 * size.presses
    done = subprocess.run(
        [make(FIRMWARE, "build/fuzz") / "fuzz", "7", str(total)],
        capture_output=True,
        text=True,
        check=False,
    )
    print(
        f"C decoder and all of core/ under sanitizers: {(done.stdout or done.stderr).strip()} (exit"
        f" {done.returncode})"
    )
    rng, link, fed, now = random.Random(8), Link(reference_board()), 0, 0.0
    link.opened(now)
    simulator = Simulator(reference_board(), 1)
    while fed < total:
        now += 0.01
        noise = rng.randbytes(rng.randint(1, 60_000))
        if rng.random() < 0.5:
            noise = bytes(b if b > 60 else 0 for b in noise)
        link.receive(noise, now)
        link.tick(now)
        simulator.receive(link.data_to_send(now), now)
        link.receive(simulator.run(now), now)
        fed += len(noise)
    print(
        f"Python decoder and link: {fed} bytes, no exception; then {link.state.value},"
        f" {link.statistics.damaged} pieces refused"
    )


def decode_rate(size: Size) -> None:
    values = tuple(range(0, 4096, 128))
    frame = encode(WireFrame(Keyframe.TYPE, 1, pack(Keyframe.of(1, 2, 0, values))))
    data, count = frame * (size.presses // 5), size.presses // 5
    bodies = [frame[:-1]] * count
    ours = theirs = float("inf")
    for _ in range(7):
        decoder = Decoder()
        start = time.process_time()
        decoder.feed(data)
        while decoder.next() is not NEED_DATA:
            pass
        ours = min(ours, time.process_time() - start)
        start = time.process_time()
        for body in bodies:
            zlib.crc32(cobs.decode(body))
        theirs = min(theirs, time.process_time() - start)
    line = wire.BAUD / 10 / len(frame)
    print(
        f"decode: {count / ours:,.0f} frames/s, {ours / theirs:.1f} times the C codec's and CRC's"
        f" own time, {count / ours / line:,.0f} times what the wire carries"
    )


def positions(size: Size) -> None:
    tally, plain = Tally(), Tally()
    games = size.each(250)
    for seed in range(games):
        play(1000 + seed, size.turns, tally, narde=seed % 4 == 3)
        play(1000 + seed, size.turns, plain, narde=seed % 4 == 3, confirm=False)
    for name, t in (
        ("each rest confirmed by the house", tally),
        ("every rest read by itself", plain),
    ):
        print(f"games of normal slack, {name}: {t.positions} rest positions;")
        print(
            "  truth likeliest by conservation alone"
            f" {100 * (1 - t.wrong_conserving / t.positions):.2f} %, ",
            end="",
        )
        print(
            "given the placement before and conservation"
            f" {100 * (1 - t.wrong_after / t.positions):.2f} %; ",
            end="",
        )
        print(f"calibration error of P(count) {100 * t.calibration_error():.2f} %")
    spread = Tally()
    for seed in range(size.each(500)):
        laid_out(
            2000 + seed,
            40,
            lambda rng: [
                rng.randint(-15, 15) if p % 3 == 1 else rng.choice([0, 0, rng.randint(-5, 5)])
                for p in POINTS
            ],
            spread,
        )
    print(
        f"piles of 0 to 15 laid anew, {len(spread.said)} claims: calibration error of P(count)"
        f" {100 * spread.calibration_error():.2f} %"
    )


def emulated_games(size: Size) -> None:
    tally = Tally()
    games = size.each(2500)
    for seed in range(games):
        play_emulated(3000 + seed, size.emulated_turns, tally, narde=seed % 2 == 1)
    print(
        f"games on the emulated board, firmware and wire in step: {tally.positions} rest positions,"
        " truth not likeliest in ",
        end="",
    )
    print(
        f"{tally.wrong_conserving} by conservation alone, {tally.wrong_after} given the placement"
        " before"
    )


def sensor_faults(size: Size) -> None:
    kept = Path(size.kept) if size.kept else None
    for line in failing_boards(size.each(100), size.each(10), size.each(50), kept):
        print(line, flush=True)


PARTS: dict[str, Callable[[Size], None]] = {
    part.__name__: part
    for part in (
        decode_rate,
        damaged_frames,
        latency,
        cable,
        reset,
        stall,
        bit_error_rate,
        emulated_games,
        positions,
        sensor_faults,
        fuzz,
    )
}
SMALLEST: Final = Size(presses=20, turns=4, emulated_turns=1)


def main(size: Size) -> None:
    for name in size.parts.split(",") if size.parts else PARTS:
        PARTS[name](size)
