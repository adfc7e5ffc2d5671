"""`takhte capture`: a picture given back is the board alone, labelled as the person said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vision import capture, read_command
from vision.evaluate import ErrorCounts, compare, labelled_pictures
from vision.frame import load_picture

DATA = Path(__file__).resolve().parent.parent / "data" / "vision"
BOARD = next(case for case in labelled_pictures(DATA))


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `takhte read --json` says of the board, taken as turned round, put right."""
    folder = tmp_path_factory.mktemp("said")
    corners = ",".join(f"{v:.1f}" for c in BOARD.corners for v in c)
    words = [str(BOARD.path), "--corners", corners, "--orientation", "180", "--json", str(folder)]
    assert read_command.main(words) == 0
    path = folder / f"{BOARD.path.stem}.json"
    rows = json.loads(path.read_text())
    rows["points"] = {
        str((int(p) + 11) % 24 + 1): {**pair, "confidence": 1.0}
        for p, pair in BOARD.truth["points"].items()
    }
    rows["bar"] = {**(BOARD.truth["bar"] or {"light": 0, "dark": 0}), "confidence": 1.0}
    path.write_text(json.dumps(rows))
    return folder


def test_it_is_measured_as_it_stands(said: Path, tmp_path: Path) -> None:
    words = [str(BOARD.path), "--said", str(said), "--consent", "Club X, CC0"]
    assert capture.main([*words, "--out", str(tmp_path)]) == 0
    assert capture.main([*words, "--out", str(tmp_path)]) == 0
    (case,) = labelled_pictures(tmp_path)
    # Named by its place in the picture, however the board was taken to lie.
    assert case.truth["points"] == BOARD.truth["points"]
    again, whole = load_picture(case.path), load_picture(BOARD.path)
    assert again.size < whole.size
    height, width = again.shape[:2]
    inner = np.array(case.corners)
    assert (inner >= 0).all() and (inner < (width, height)).all()
    middle, was = inner.mean(0).astype(int), np.array(BOARD.corners).mean(0).astype(int)
    here, there = again[middle[1], middle[0]], whole[was[1], was[0]]
    assert np.abs(here.astype(int) - there).max() < 40
    tally = ErrorCounts()
    out = tmp_path / "again"
    corners = ",".join(f"{v:.1f}" for c in case.corners for v in c)
    assert (
        read_command.main(
            [str(case.path), "--corners", corners, "--orientation", "0", "--json", str(out)]
        )
        == 0
    )
    compare(tally, case.truth, json.loads((out / f"{case.path.stem}.json").read_text()))
    assert tally.n["wrong"] <= 1 and tally.n["occupied_right"] >= 0.85 * tally.n["occupied"]


def test_nothing_beyond_the_board_is_given() -> None:
    pixels = np.full((600, 800, 3), 200, np.uint8)
    corners = [(250, 200), (550, 190), (560, 430), (240, 440)]
    kept, inner = capture.board_alone(pixels, corners)
    assert kept.shape[0] < 400 and kept.shape[1] < 520
    assert kept[0, 0].tolist() == [0, 0, 0]
    assert kept[int(inner[:, 1].mean()), int(inner[:, 0].mean())].tolist() == [200, 200, 200]


def test_what_cannot_stand_there_is_refused(
    said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads((said / f"{BOARD.path.stem}.json").read_text())
    rows["points"]["1"] = {"light": 16, "dark": 0, "confidence": 1.0}
    (tmp_path / f"{BOARD.path.stem}.json").write_text(json.dumps(rows))
    words = [str(BOARD.path), "--said", str(tmp_path), "--consent", "Club X, CC0"]
    assert capture.main([*words, "--out", str(tmp_path / "given")]) == 1
    assert "a set has fifteen" in capsys.readouterr().err
    assert not list((tmp_path / "given").glob("*.jpg"))
