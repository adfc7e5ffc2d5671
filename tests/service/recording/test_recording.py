"""Recordings: what is written is read back to the last bit; cut, torn or hostile ones give one
clear line.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.recording.format import (
    BytesTaken,
    FrameRead,
    FrameTaken,
    Header,
    OrderTaken,
    PressTaken,
    Recording,
    RecordingError,
    SourceTaken,
    Taken,
    TickTaken,
    Writer,
    decode_taken,
    encode_taken,
)

time = st.floats(0, 1e6, allow_nan=False)
items: st.SearchStrategy[Taken] = st.one_of(
    st.builds(FrameRead, time),
    st.builds(BytesTaken, time, st.binary(max_size=40)),
    st.builds(PressTaken, time, st.text(max_size=8), st.booleans(), time),
    st.builds(
        OrderTaken,
        time,
        st.text(max_size=8),
        st.dictionaries(st.text(max_size=4), st.integers()),
        st.just({"role": "player"}),
    ),
    st.builds(
        SourceTaken, time, st.sampled_from(["camera", "board"]), st.booleans(), st.text(max_size=20)
    ),
    st.builds(TickTaken, time, st.none() | time),
    st.builds(
        FrameTaken,
        time,
        st.integers(0, 99),
        st.integers(0, 99),
        time,
        st.integers(0, 99),
        st.integers(0, 99),
    ),
)


@given(items)
def test_every_line_reads_back_the_same(item: Taken) -> None:
    assert decode_taken(encode_taken(item)) == item


@given(st.binary(max_size=60) | st.from_regex(rb'\{"at":[0-9]\.0,"[a-z]+":.{0,20}\}\n'))
@settings(max_examples=200)
def test_any_other_line_is_refused(line: bytes) -> None:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        decode_taken(line)


def picture(number: int) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    return np.random.default_rng(number).integers(0, 255, (48, 64, 3), np.uint8)


def make(folder: Path) -> list[np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]]:
    writer = Writer(folder, Header(declared=({"order": "start_game"},)))
    read = []
    for n in range(4):
        read.append(writer.frame(n + 0.1, n + 7, n + 0.05, picture(n)))
        writer.take(FrameRead(n + 0.2))
        writer.take(BytesTaken(n + 0.3, bytes([n])))
    writer.close()
    return read


def test_the_picture_read_is_the_picture_recorded(tmp_path: Path) -> None:
    read = make(tmp_path / "r")
    recording = Recording(tmp_path / "r")
    assert recording.problem is None
    assert recording.length == 3.3
    assert recording.header.declared == ({"order": "start_game"},)
    played = list(recording.pictures())
    assert [f.number for f, _ in played] == [7, 8, 9, 10]
    for before, (_, after) in zip(read, played, strict=True):
        assert np.array_equal(before, after)
    assert [f.index for f, _ in recording.pictures(1.5)] == [2, 3]


@pytest.mark.parametrize("name", ["log.jsonl", "frames.mjpeg"])
def test_cut_anywhere_it_plays_up_to_there(name: str, tmp_path: Path) -> None:
    make(tmp_path / "r")
    file = tmp_path / "r" / name
    whole = file.read_bytes()
    for cut in range(len(whole) - 1, 120, -max(1, len(whole) // 50)):
        file.write_bytes(whole[:cut])
        recording = Recording(tmp_path / "r")
        assert len(list(recording.pictures())) <= 4
        at_a_line = name == "log.jsonl" and whole[cut - 1 : cut] == b"\n"
        assert recording.problem or at_a_line, f"cut at {cut} of {len(whole)} in silence"


REFUSED = {
    "no folder": (None, "not a recording"),
    "another format": ({"format": "wav"}, "not the header"),
    "a later version": ({"format": "takhte-recording", "version": 2}, "version 2"),
    "a video elsewhere": (
        {"format": "takhte-recording", "version": 1, "video": "/etc/passwd"},
        "in the folder itself",
    ),
    "values of the wrong kind": (
        {"format": "takhte-recording", "version": 1, "declared": [1]},
        "wrong kind",
    ),
    "a camera that hangs askew": (
        {"format": "takhte-recording", "version": 1, "orientation": 45},
        "wrong kind",
    ),
    "no log": ({"format": "takhte-recording", "version": 1}, "cannot be read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_recording_is_refused(name: str, tmp_path: Path) -> None:
    header, why = REFUSED[name]
    if header is not None:
        (tmp_path / "recording.json").write_text(json.dumps(header))
    with pytest.raises(RecordingError, match=why) as refused:
        Recording(tmp_path if header is not None else tmp_path / "none")
    assert "\n" not in str(refused.value)


def test_a_video_that_is_text_is_told(tmp_path: Path) -> None:
    make(tmp_path / "r")
    header = json.loads((tmp_path / "r/recording.json").read_text()) | {"video": "frames.mkv"}
    (tmp_path / "r/recording.json").write_text(json.dumps(header))
    (tmp_path / "r/frames.mkv").write_text("no video at all\n" * 50)
    recording = Recording(tmp_path / "r")
    assert list(recording.pictures()) == []
    assert recording.problem
    assert "ends at picture 0" in recording.problem


def test_the_limit_stops_the_recording_and_not_the_match(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "r", Header(), limit=5_000)
    for n in range(40):
        assert writer.frame(float(n), n, float(n), picture(n)).shape == (48, 64, 3)
    assert writer.problem
    assert "the match goes on" in writer.problem
    assert list(Recording(tmp_path / "r").pictures())


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot record there"):
        Writer(tmp_path / "file" / "r", Header())
