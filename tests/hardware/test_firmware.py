"""The firmware: built, unit-tested and fuzzed under sanitizers, released byte for byte, and saying
what the Python simulator says.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.decoder import NEED_DATA, Decoder, Received
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.messages import (
    Ack,
    BoardStatus,
    Buzz,
    Delta,
    Edge,
    EdgesSeen,
    Face,
    Hello,
    HelloAsk,
    Keyframe,
    KeyframeAsk,
    Lamps,
    Leds,
    Levels,
    Message,
    Ping,
    Pong,
    Stream,
    pack,
)
from firmware_bridge.simulator import Simulator
from tests.hardware.firmware import FIRMWARE, ROOT, firmware_elf, firmware_uf2, make, native_board

pytestmark = pytest.mark.board


def test_core_passes_its_unit_tests_under_sanitizers() -> None:
    done = subprocess.run(
        [make(FIRMWARE, "build/unit") / "unit"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("ok ")


@pytest.mark.parametrize("seed", [1, 2])
def test_core_survives_noise_and_hostile_frames(seed: int) -> None:
    """Ten million bytes by `make bench-board`; here a taste."""
    done = subprocess.run(
        [make(FIRMWARE, "build/fuzz") / "fuzz", str(seed), "400000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_release_is_what_the_sources_build() -> None:
    """Byte for byte, so that nobody need trust the file; `make -C hardware/firmware release` after
    a change.
    """
    named = make(FIRMWARE, "build/release.json") / "release.json"
    for built in (firmware_elf().with_suffix(".hex"), firmware_uf2(), named):
        assert (ROOT / "firmware_bridge/data" / built.name).read_bytes() == built.read_bytes(), (
            "run `make -C hardware/firmware release` with the compilers of the release, gcc-avr"
            " 5.4.0 and gcc-arm-none-eabi 12.2 as in Debian 12"
        )


def test_no_elf_is_tracked() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.elf", "*.o"],
        cwd=FIRMWARE,
        capture_output=True,
        text=True,
        check=True,
    )
    assert listed.stdout == ""


def test_memory_leaves_room_for_the_stack() -> None:
    sizes = (
        subprocess.run(
            ["avr-size", str(firmware_elf())], capture_output=True, text=True, check=True
        )
        .stdout.splitlines()[1]
        .split()
    )
    text, data, bss = (int(word) for word in sizes[:3])
    assert text + data < 64 * 1024
    assert data + bss < 6 * 1024, "8 KiB of RAM, 2 of them for the stack"


def test_core_allocates_nothing_and_knows_no_chip() -> None:
    for path in (FIRMWARE / "core").iterdir():
        text = path.read_text()
        assert "<avr/" not in text, path
        assert "alloc(" not in text, path


class Native:
    """The C core as a process, a line at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [native_board()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._decoder = Decoder()

    def __call__(self, line: str) -> list[Received]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        return decoded(self._decoder, b"" if answer == "-" else bytes.fromhex(answer))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(10) == 0


def decoded(decoder: Decoder, data: bytes) -> list[Received]:
    decoder.feed(data)
    found = []
    while (received := decoder.next()) is not NEED_DATA:
        found.append(received)
    return found


def plain(received: Received) -> Any:
    """What must agree between the two boards: all but clocks, names and counters of scans."""
    m = received.message
    if isinstance(m, Hello):
        m = replace(m, uid=b"", nonce=0, ms=0, build=0, cause=0)
    elif isinstance(m, (Keyframe, Delta)):
        return type(m).__name__
    elif isinstance(m, Pong):
        m = replace(m, ms=0)
    elif isinstance(m, Edge):
        m = replace(m, nonce=0, ms=0)
    elif isinstance(m, BoardStatus):
        m = replace(m, ms=0, nonce=0, scans=0)
    return (received.number, m)


UNASKED = (BoardStatus, Levels)
"""Come by the clock, which differs by a few milliseconds."""
COMMANDS: list[tuple[int, Message]] = [
    (1, HelloAsk()),
    (2, Ping(77)),
    (3, Stream(0, 6, 1000)),
    (4, Leds(0, 0, ((1, 2, 3, 0),))),
    (5, Leds(55, 1, ((250, 250, 250, 1),))),
    (6, Leds(56, 1, ((1, 1, 1, 0),))),
    (7, Leds(50, 1, ((1, 1, 1, 0),) * 7)),
    (8, Leds(0, 1, ())),
    (9, Lamps(3, 1)),
    (9, Lamps(3, 1)),
    (10, Face(7, b"\x3f" * 8)),
    (11, Buzz(440, 50)),
    (12, KeyframeAsk()),
    (13, Ping(0)),
    (14, Hello(b"tkht", 3, 0, 0, bytes(8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    (255, HelloAsk(protocol=99)),
]


def test_the_simulator_answers_as_the_firmware_does() -> None:
    """The same commands and presses to both; the same frames back."""
    native, simulator, ears = Native(), Simulator(reference_board(), 1), Decoder()
    now = 0.0
    try:
        for number, message in COMMANDS:
            data = encode(WireFrame(message.TYPE, number, pack(message)))
            simulator.receive(data, now)
            now += 0.03
            ours = decoded(ears, simulator.run(now))
            theirs = native("give " + data.hex()) + native("run 30")
            assert [plain(r) for r in ours if not isinstance(r.message, UNASKED)] == [
                plain(r) for r in theirs if not isinstance(r.message, UNASKED)
            ], message
        numbers: list[list[Any]] = [[], []]
        for button, down in ((0, True), (3, True), (0, False), (3, False)):
            simulator.press(button, down)
            native(f"press {button} {int(down)}")
            now += 0.05
            numbers[0] += [
                r.message for r in decoded(ears, simulator.run(now)) if isinstance(r.message, Edge)
            ]
            numbers[1] += [r.message for r in native("run 50") if isinstance(r.message, Edge)]
        once = [{(e.number, e.button, e.down) for e in edges} for edges in numbers]
        assert once[0] == once[1] == {(1, 0, 1), (2, 3, 1), (3, 0, 0), (4, 3, 0)}
        for side, edges in enumerate(numbers):
            seen = encode(WireFrame(EdgesSeen.TYPE, 3, pack(EdgesSeen(edges[0].nonce, 4))))
            now += 0.3
            if side == 0:
                simulator.receive(seen, now)
                simulator.run(now)
                rest = [
                    r
                    for r in decoded(ears, simulator.run(now + 0.3))
                    if isinstance(r.message, Edge)
                ]
            else:
                native("give " + seen.hex())
                rest = [r for r in native("run 300") if isinstance(r.message, Edge)]
            assert [r for r in rest if r.message.number > 4] == rest  # type: ignore[union-attr]
    finally:
        native.close()


def test_statuses_agree_on_health() -> None:
    native = Native()
    try:
        native("give " + encode(WireFrame(HelloAsk.TYPE, 1, pack(HelloAsk()))).hex())
        native("give 0102030000")
        native("level 2 300")
        said = [r.message for r in native("run 600")]
        levels = [message for message in said if isinstance(message, Levels)]
        assert levels[-1].each == ((0,), (0,), (1050,), (0,), (0,), (0,), (0,), (0,))
        found = [message for message in said if isinstance(message, BoardStatus)]
        assert len(found) == len(levels)
        assert (found[-1].rx_ok, found[-1].rx_bad, found[-1].edges_waiting) == (1, 1, 0)
        assert isinstance(
            native("give " + encode(WireFrame(Buzz.TYPE, 2, b"abc")).hex())[0].message, Ack
        )
        assert wire.STATUS_BAD_ARGUMENTS == 1
    finally:
        native.close()
