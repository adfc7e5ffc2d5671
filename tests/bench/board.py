"""What the board's room promises, measured: `make bench-board` or `python -m tests.bench board
presses=1000 parts=cable,reset`. Everything runs on the compiled firmware on the emulated chip in
lock-step, where not said otherwise; times are emulated times."""

from __future__ import annotations

import random
import statistics
import subprocess
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from cobs import cobs

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.lights import Light, LightColour, LightScene
from firmware_bridge.link import Link
from firmware_bridge.link_events import EdgeSeen, GapNoted, Linked, LinkLost, Sensed, Shown
from firmware_bridge.messages import Edge, Keyframe, pack
from firmware_bridge.simulator import Simulator
from rules.board import POINTS, Side
from tests.firmware_bridge.faulty import failing_boards
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.rest import Tally, laid_out, play, play_emulated
from tests.firmware_bridge.wires import Wire, bit_errors, of
from tests.hardware.emulated import Chip, EmulatedBoard
from tests.hardware.firmware import FIRMWARE, make

NEEDS: Final = ("make", "gcc", "avr-gcc")
CHIPS: Final = get_args(Chip)


@dataclass(frozen=True)
class Size:
    """Presses of the longest part, by which all others are sized too; turns of a game by hand and
    of one on the emulated chip; which parts, all where none is named; and the
    file in which `sensor_faults` keeps what it has played, so that a run that was stopped goes on;
    and the chip of the parts that have one.
    """

    presses: int = 10_000
    turns: int = 120
    emulated_turns: int = 50
    parts: str = ""
    kept: str = ""
    chip: str = CHIPS[0]

    def __post_init__(self) -> None:
        if self.chip not in CHIPS:
            raise ValueError(f"no chip {self.chip}; there are: {', '.join(CHIPS)}")
        if unknown := set(filter(None, self.parts.split(","))) - PARTS.keys():
            raise ValueError(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")

    def each(self, presses: int) -> int:
        """One for every so many presses, at least one."""
        return max(1, self.presses // presses)


def emulated(size: Size) -> Wire:
    board = reference_board()
    chip = next(chip for chip in CHIPS if chip == size.chip)
    found = Wire(EmulatedBoard(board, 1, chip=chip), Link(board))
    found.link.opened(found.now)
    found.run(1.0)
    return found


def same(got: list[EdgeSeen], truth: list[tuple[float, int, bool]]) -> tuple[int, int]:
    """(edges lost, edges wrong or invented)."""
    right = [(button, down) for _, button, down in truth]
    seen = [(p.button, p.down) for p in got]
    wrong = sum(a != b for a, b in zip(seen, right, strict=False)) + max(0, len(seen) - len(right))
    return max(0, len(right) - len(seen)), wrong


def bit_error_rate(size: Size) -> None:
    w, rng = emulated(size), random.Random(1)
    w.to_board, w.to_host = bit_errors(rng, 1e-3), bit_errors(rng, 1e-3)
    w.simulator.set_placement(BACKGAMMON)
    truth: list[tuple[float, int, bool]] = []
    asked = 0
    for n in range(size.presses):
        for down in (True, False):
            w.simulator.press(n % wire.BUTTONS, down)
            truth.append((w.now, n % wire.BUTTONS, down))
            w.run(0.02)
        if n % 50 == 0:
            w.link.show(LightScene(((1 + n // 50 % 24, Light(LightColour.SKY)),)))
            asked += 1
    w.run(5)
    got = of(EdgeSeen, w.events)
    lost, wrong = same(got, truth)
    late = max(abs(p.at - at) for p, (at, _, _) in zip(got, truth, strict=False)) * 1000
    s = w.link.statistics
    last = of(Shown, w.events)[-1].scene == LightScene(
        ((1 + (size.presses - 1) // 50 % 24, Light(LightColour.SKY)),)
    )
    print(
        f"bit errors 1e-3 both ways: {size.presses} presses = {len(truth)} edges, {lost} lost,"
        f" {wrong} wrong; finger's time within {late:.0f} ms"
    )
    print(
        f"  {s.commands} commands ({s.retries} repeats), {s.commands - _done(w)} lost, {asked}"
        f" scenes asked, the last one shown: {last}"
    )
    print(
        f"  {s.damaged + s.board_rx_bad} damaged frames refused, {s.frames} taken,"
        f" {len(of(LinkLost, w.events))} losses of the link"
    )
    w.simulator.close()


def _done(w: Wire) -> int:
    """Commands acknowledged: all but one that may be under way."""
    return w.link.statistics.commands - w.link.command_on_the_way


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


def cable(size: Size) -> None:
    w, rng, lost, wrong, gaps = emulated(size), random.Random(3), 0, 0, 0
    rounds = size.each(500)
    w.simulator.set_placement(BACKGAMMON)
    for _ in range(rounds):
        w.events.clear()
        w.pull()
        truth = []
        for n in range(rng.randint(1, 8)):
            for down in (True, False):
                w.simulator.press(n % 2, down)
                truth.append((w.now, n % 2, down))
                w.run(rng.uniform(0.03, 0.12))
        w.push_in()
        w.run(1.2)
        a, b = same(of(EdgeSeen, w.events), truth)
        lost, wrong = lost + a, wrong + b
        gaps += any(gap.presses_lost for gap in of(GapNoted, w.events))
    print(
        f"cable pulled and back within 2 s, {rounds} times, no auto-reset: {lost} presses lost,"
        f" {wrong} wrong, {gaps} gaps named as losing presses"
    )
    named = 0
    for _ in range(rounds):
        w.events.clear()
        w.pull()
        w.simulator.press(0, True)
        w.run(0.3)
        w.simulator.restart()
        w.simulator.press(0, False)
        w.push_in()
        w.run(1.2)
        named += [gap.presses_lost for gap in of(GapNoted, w.events)] == [True]
    print(f"the same with auto-reset on opening: the gap is named {named} of {rounds} times")
    w.simulator.close()


def reset(size: Size) -> None:
    w = emulated(size)
    back = []
    rounds = size.each(500)
    for _ in range(rounds):
        w.events.clear()
        at = w.now
        w.simulator.restart()
        w.run(2.0)
        back.append(of(Linked, w.events)[0].at - at)
        assert [gap.presses_lost for gap in of(GapNoted, w.events)] == [True]
    after = statistics.median(back) * 1000
    print(
        f"chip reset, not told by the port, {rounds} times: noticed, named and streaming again"
        f" after {after:.0f} ms (median)"
    )
    w.simulator.close()


def stall(size: Size) -> None:
    w = emulated(size)
    w.simulator.set_placement(BACKGAMMON)
    w.run(1)
    w.events.clear()
    truth, held = [], bytearray()
    for n in range(100):
        w.now += 0.05
        held += w.simulator.run(w.now)
        if n % 10 == 0:
            w.simulator.press(1, n % 20 == 0)
            truth.append((w.now, 1, n % 20 == 0))
    w.events += w.link.tick(w.now) + w.link.receive(bytes(held[:4096]), w.now)
    w.run(1)
    lost, wrong = same(of(EdgeSeen, w.events), truth)
    off = (
        max(abs(p.at - at) for p, (at, _, _) in zip(of(EdgeSeen, w.events), truth, strict=True))
        * 1000
    )
    print(
        f"host stalled 5 s (4096 bytes of {len(held)} kept by the kernel): {lost} presses lost,"
        f" {wrong} wrong, times within {off:.0f} ms, ",
        end="",
    )
    print(f"{len(of(LinkLost, w.events))} losses of the link declared")
    w.simulator.close()


def latency(size: Size) -> None:
    w, rng = emulated(size), random.Random(4)
    w.step = 0.001
    w.simulator.set_placement(BACKGAMMON)
    w.run(1.5)
    moves, presses = [], []
    for n in range(size.each(25)):
        w.events.clear()
        w.run(rng.uniform(0.15, 0.2))
        before = of(Sensed, w.events)[-1].values if of(Sensed, w.events) else None
        at = w.now
        w.events.clear()
        (w.simulator.put if n % 2 == 0 else w.simulator.lift)(3, Side.WHITE)
        while not any(
            before is None or max(abs(a - b) for a, b in zip(s.values, before, strict=True)) > 200
            for s in of(Sensed, w.events)
        ):
            w.run(0.001)
        moves.append((w.now - at) * 1000)
        at = w.now
        w.simulator.press(0, n % 2 == 0)
        while not of(EdgeSeen, w.events):
            w.run(0.001)
        presses.append((w.now - at) * 1000)
    for name, found in (
        ("move to Sensed", moves),
        ("press to Pressed (8 ms of debounce in it)", presses),
    ):
        p99 = sorted(found)[int(0.99 * len(found))]
        print(f"{name}: median {statistics.median(found):.1f} ms, p99 {p99:.1f} ms of {len(found)}")
    w.simulator.close()


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
