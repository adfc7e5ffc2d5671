"""The parts of the board's benchmark that hold the link and one chip against each other: faults of
the wire, and how long a move and a press take. Long runs are played in pieces that can be kept.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

import firmware_bridge
from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.lights import Light, LightColour, LightScene
from firmware_bridge.link import Link
from firmware_bridge.link_events import EdgeSeen, GapNoted, Linked, LinkLost, Sensed, Shown
from rules.board import Side
from tests.bench._kept import Kept, edition_of
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.wires import Wire, bit_errors, clean, of
from tests.hardware.emulated import Chip, EmulatedBoard
from tests.hardware.firmware import EMULATOR

CHIPS: Final = get_args(Chip)
PIECE: Final = 500
"""Presses of one piece of a long run."""


@dataclass(frozen=True)
class LinkSize:
    """Presses of the longest part, by which all others are sized too; the file in which
    `sensor_faults`, `bit_error_rate` and `latency` keep what they have played, so that a run that
    was stopped goes on; the chip.
    """

    presses: int = 10_000
    kept: str = ""
    chip: str = CHIPS[0]

    def each(self, presses: int) -> int:
        """One for every so many presses, at least one."""
        return max(1, self.presses // presses)


def pieces_of(size: LinkSize) -> Kept:
    """What was kept of the parts that run on a chip."""
    if not size.kept:
        return Kept(None, "")
    bridge = Path(firmware_bridge.__file__).parent
    emulator = (path for path in EMULATOR.rglob("*.[cj]*") if "build" not in path.parts)
    sources = [*bridge.glob("*.py"), *(bridge / "data").iterdir(), *emulator, Path(__file__)]
    return Kept(Path(f"{size.kept}-{size.chip}"), edition_of(sources))


def emulated(size: LinkSize, seed: int = 1) -> Wire:
    board = reference_board()
    chip = next(chip for chip in CHIPS if chip == size.chip)
    found = Wire(EmulatedBoard(board, seed, chip=chip), Link(board))
    found.link.opened(found.now)
    found.run(1.0)
    return found


def same(got: list[EdgeSeen], truth: list[tuple[float, int, bool]]) -> tuple[int, int]:
    """(edges lost, edges wrong or invented)."""
    right = [(button, down) for _, button, down in truth]
    seen = [(p.button, p.down) for p in got]
    wrong = sum(a != b for a, b in zip(seen, right, strict=False)) + max(0, len(seen) - len(right))
    return max(0, len(right) - len(seen)), wrong


def bit_error_rate(size: LinkSize) -> None:
    """In pieces with a chip, a seed and errors of their own."""
    kept, done, pieces = pieces_of(size), 0, []
    while done < size.presses:
        presses, seed = min(PIECE, size.presses - done), len(pieces) + 1
        name = f"bit errors, {presses} presses, seed {seed}"
        pieces.append(kept.of(name, lambda n=presses, seed=seed: _spoilt(size, seed, n)))
        done += presses
        if done < size.presses:
            print(f"  {done} of {size.presses} presses, {pieces[-1][0]:.0f} lost", flush=True)
    late = max(piece[2] for piece in pieces)
    lost, wrong, _, commands, retries, undone, asked, shown, damaged, taken, losses = (
        int(sum(figures)) for figures in zip(*pieces, strict=True)
    )
    print(
        f"bit errors 1e-3 both ways: {done} presses = {2 * done} edges, {lost} lost,"
        f" {wrong} wrong; finger's time within {late:.0f} ms"
    )
    print(
        f"  {commands} commands ({retries} repeats), {undone} lost, {asked} scenes asked, the last"
        f" one shown: {shown == len(pieces)}"
    )
    print(f"  {damaged} damaged frames refused, {taken} taken, {losses} losses of the link")


def _spoilt(size: LinkSize, seed: int, presses: int) -> list[float]:
    """The figures of one piece of `bit_error_rate`, in the order in which it sums them."""
    w, rng = emulated(size, seed), random.Random(seed)
    w.to_board, w.to_host = bit_errors(rng, 1e-3), bit_errors(rng, 1e-3)
    w.simulator.set_placement(BACKGAMMON)
    truth: list[tuple[float, int, bool]] = []
    asked = 0
    for n in range(presses):
        for down in (True, False):
            w.simulator.press(n % wire.BUTTONS, down)
            truth.append((w.now, n % wire.BUTTONS, down))
            w.run(0.02)
        if n % 50 == 0:
            scene = LightScene(((1 + n // 50 % 24, Light(LightColour.SKY)),))
            w.link.show(scene)
            asked += 1
    w.run(5)
    # What was asked for at the very end shall be answered too, before it is called lost.
    w.to_board = w.to_host = clean
    w.run(1)
    got = of(EdgeSeen, w.events)
    lost, wrong = same(got, truth)
    late = max(abs(p.at - at) for p, (at, _, _) in zip(got, truth, strict=False)) * 1000
    s, shown = w.link.statistics, of(Shown, w.events)[-1].scene == scene
    undone, losses = s.commands - _done(w), len(of(LinkLost, w.events))
    w.simulator.close()
    said = (s.commands, s.retries, undone, asked, shown, s.damaged + s.board_rx_bad, s.frames)
    return [lost, wrong, late, *said, losses]


def _done(w: Wire) -> int:
    """Commands acknowledged: all but one that may be under way."""
    return w.link.statistics.commands - w.link.command_on_the_way


def cable(size: LinkSize) -> None:
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


def reset(size: LinkSize) -> None:
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


def stall(size: LinkSize) -> None:
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


def latency(size: LinkSize) -> None:
    """In pieces of a hundred moves and presses."""
    kept, moves, presses = pieces_of(size), list[float](), list[float]()
    while len(moves) < size.each(25):
        count, seed = min(100, size.each(25) - len(moves)), len(moves) // 100 + 4
        name = f"latency, {count} moves, seed {seed}"
        found = kept.of(name, lambda n=count, seed=seed: _delays(size, seed, n))
        moves, presses = moves + found[:count], presses + found[count:]
    for name, found in (
        ("move to Sensed", moves),
        ("press to Pressed (8 ms of debounce in it)", presses),
    ):
        p99 = sorted(found)[int(0.99 * len(found))]
        print(f"{name}: median {statistics.median(found):.1f} ms, p99 {p99:.1f} ms of {len(found)}")


def _delays(size: LinkSize, seed: int, count: int) -> list[float]:
    """Milliseconds from so many moves to Sensed, then from as many presses to EdgeSeen."""
    w, rng = emulated(size), random.Random(seed)
    w.step = 0.001
    w.simulator.set_placement(BACKGAMMON)
    w.run(1.5)
    moves, presses = [], []
    for n in range(count):
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
    w.simulator.close()
    return moves + presses
