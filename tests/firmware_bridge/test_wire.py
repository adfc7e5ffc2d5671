"""Frames, messages and decoder: what is sent is what comes, whatever the bytes in between;
generated files are what the table makes.
"""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import generate, messages, wire
from firmware_bridge.decoder import NEED_DATA, Decoder, Received
from firmware_bridge.errors import DamagedFrame, MisuseError, UnknownMessage
from firmware_bridge.frames import MAX_ENCODED, WireFrame, decode, encode
from firmware_bridge.messages import Delta, Edge, Keyframe, Leds, Message, Ping, pack, unpack

GOLDEN = {
    # frame -> bytes on the wire; the C tests pin the same
    WireFrame(0x05, 1, bytes.fromhex("78563412")): "0b0501785634126e41465200",
    WireFrame(0x06, 0, b""): "02060579b5831700",
    WireFrame(0x08, 255, bytes.fromhex("efbeadde0100")): "0808ffefbeadde01056d79194d00",
}


@pytest.mark.parametrize("path", generate.outputs())
def test_generated_files_are_what_the_table_makes(path) -> None:
    assert path.read_text(encoding="utf-8") == generate.outputs()[path], (
        "run `python -m firmware_bridge.generate`"
    )


@pytest.mark.parametrize("kind", wire.Type)
def test_messages_have_the_fields_of_the_table(kind: wire.Type) -> None:
    names = tuple(field.name for field in dataclasses.fields(messages.KINDS[kind]))
    assert names == wire.FIELDS[kind] + (("each",) if kind in wire.EACH else ())


@pytest.mark.parametrize(("frame", "expected"), GOLDEN.items(), ids=lambda value: str(value)[:20])
def test_goldens(frame: WireFrame, expected: str) -> None:
    assert encode(frame).hex() == expected
    assert decode(bytes.fromhex(expected)[:-1]) == frame


def _field(code: str) -> st.SearchStrategy[object]:
    if code.endswith("s"):
        return st.binary(min_size=int(code[:-1] or 1), max_size=int(code[:-1] or 1))
    return st.integers(0, {"B": 0xFF, "H": 0xFFFF, "I": 0xFFFFFFFF}[code])


def _codes(layout: str) -> list[str]:
    codes, digits = [], ""
    for character in layout[1:]:
        if character.isdigit():
            digits += character
        else:
            codes.append(digits + character)
            digits = ""
    return codes


@st.composite
def any_message(draw: st.DrawFn) -> Message:
    kind = draw(st.sampled_from(list(wire.Type)))
    values = [draw(_field(code)) for code in _codes(wire.LAYOUT[kind])]
    if kind in wire.EACH:
        record = st.tuples(*(_field(code) for code in _codes(wire.EACH[kind])))
        values.append(tuple(draw(st.lists(record, max_size=12))))
    return messages.KINDS[kind](*values)  # type: ignore[arg-type]


@given(st.lists(any_message(), max_size=6), st.integers(1, 64))
@settings(max_examples=60)
def test_messages_survive_the_wire_in_pieces_of_any_size(sent: list[Message], piece: int) -> None:
    data = b"".join(encode(WireFrame(m.TYPE, n, pack(m))) for n, m in enumerate(sent))
    decoder, got = Decoder(), []
    for start in range(0, len(data), piece):
        decoder.feed(data[start : start + piece])
        while (received := decoder.next()) is not NEED_DATA:
            got.append(received)
    assert got == [Received(n, m) for n, m in enumerate(sent)]
    assert decoder.counts.damaged == decoder.counts.unknown == 0


@given(st.lists(st.binary(max_size=400), max_size=8))
@settings(max_examples=100)
def test_any_bytes_are_survived_and_the_next_frame_is_heard(noise: list[bytes]) -> None:
    decoder = Decoder()
    for piece in noise:
        decoder.feed(piece)
    decoder.feed(b"\0" + encode(WireFrame(Ping.TYPE, 7, pack(Ping(99)))))
    last = None
    while (received := decoder.next()) is not NEED_DATA:
        last = received
    assert last == Received(7, Ping(99))


def test_a_stream_without_a_zero_takes_no_memory() -> None:
    decoder = Decoder()
    for _ in range(1000):
        decoder.feed(b"\x55" * 1000)
        assert decoder.next() is NEED_DATA
    assert len(decoder._rest) <= MAX_ENCODED
    assert decoder.counts.damaged == 1


def test_damaged_frames_are_not_taken() -> None:
    """Up to six flipped bits in one frame: a CRC-32 finds all of them at these lengths; 20,000
    tries.
    """
    rng = random.Random(5)
    taken = 0
    for _ in range(20_000):
        data = bytearray(
            encode(
                WireFrame(
                    Edge.TYPE,
                    rng.randrange(256),
                    pack(Edge(rng.getrandbits(32), rng.getrandbits(16), 1, 1, rng.getrandbits(32))),
                )
            )
        )
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data) - 1)] ^= 1 << rng.randrange(8)
        decoder = Decoder()
        decoder.feed(b"\0" + bytes(data) + b"\0")
        whole = bytes(data)
        while (received := decoder.next()) is not NEED_DATA:
            taken += (
                encode(WireFrame(received.message.TYPE, received.number, pack(received.message)))
                != whole
            )
    assert taken == 0


BAD_CHUNKS = {
    "empty": (b"", DamagedFrame),
    "too short": (bytes.fromhex("03060579"), DamagedFrame),
    "stuffing past the end": (b"\xff\x01\x02", DamagedFrame),
    "too long": (b"\x01" * (MAX_ENCODED + 1), DamagedFrame),
    "checksum": (encode(WireFrame(5, 1, b"1234"))[:-2] + b"\x7f", DamagedFrame),
}


@pytest.mark.parametrize("name", BAD_CHUNKS)
def test_bad_chunks_are_named(name: str) -> None:
    chunk, error = BAD_CHUNKS[name]
    with pytest.raises(error):
        decode(chunk)


BAD_PAYLOADS = {
    "unknown type": (0x7F, b""),
    "too short": (wire.Type.PING, b"abc"),
    "too long": (wire.Type.PING, b"abcde"),
    "half a record": (wire.Type.DELTA, bytes(8)),
}


@pytest.mark.parametrize("name", BAD_PAYLOADS)
def test_bad_payloads_are_named(name: str) -> None:
    with pytest.raises(UnknownMessage):
        unpack(*BAD_PAYLOADS[name])


@pytest.mark.parametrize(
    "message",
    [
        Ping(-1),
        Ping(1 << 32),
        Leds(0, 1, ((256, 0, 0, 0),)),
        Leds(0, 1, ((1, 2, 3, 4),) * 60),
        Delta(0, 0, ((1, 70000),)),
    ],
)
def test_what_does_not_fit_is_refused_before_it_is_sent(message: Message) -> None:
    with pytest.raises(MisuseError):
        pack(message)


@given(st.lists(st.integers(0, 4095), min_size=32, max_size=32))
@settings(max_examples=30)
def test_keyframes_pack_twelve_bits(values: list[int]) -> None:
    assert Keyframe.of(1, 2, 32, tuple(values)).values == tuple(values)
