"""What one table teaches in one evening: `takhte tune` on painted pictures of it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.board import Colour, Corner, Placement, Seating
from tests.vision.weights import NETWORKS
from vision.known import geometric_counts
from vision.read_command import main as read
from vision.sets import Palette
from vision.synthetic.scene import paint
from vision.tune import Tuned, TuneError, fitted_temperature, main, tuned_from

DARK = {1: 2, 12: 5, 17: 3, 19: 5}
STOOD = (
    Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, DARK),
    Placement.of({24: 2, 13: 4, 8: 4, 6: 5}, DARK),
    Placement.of({24: 2, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 15: 1, 17: 3, 19: 5}),
    Placement.of({24: 1, 18: 1, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 15: 1, 17: 3, 19: 5}),
)
SEATING = Seating(Colour.LIGHT, Corner.SOUTH_EAST)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `takhte transcribe --out` writes it, of one painted board."""
    folder = tmp_path_factory.mktemp("evening")
    (folder / "pictures").mkdir()
    plays = []
    for number, stood in enumerate(STOOD):
        scene = paint(
            np.random.default_rng(5), geometric_counts(stood, SEATING), size=(800, 600), dice=0
        )
        cv2.imwrite(str(folder / "pictures" / f"{number}.jpg"), scene.frame.pixels)
        after = {"white": list(stood.white), "black": list(stood.black)}
        plays.append({"frame": number, "after": after, "doubtful": False})
    plays.append({"frame": 99, "after": plays[0]["after"], "doubtful": True})
    (folder / "transcript.json").write_text(json.dumps({"plays": plays}))
    return folder


def test_an_evening_teaches_the_colours_of_the_sets(
    evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuned.json"
    assert main([str(evening), "--out", str(out)]) == 0
    found = tuned_from(out.read_text())
    assert found.placements == len(STOOD)
    assert "of 96 points" in capsys.readouterr().out
    # The light set's mean is lighter than the dark one's, as painted.
    assert np.mean(found.palette.light) > np.mean(found.palette.dark) + 30
    picture = evening / "pictures" / "0.jpg"
    assert read([str(picture), "--tuned", str(out), "--orientation", "0"]) == 0


def test_a_folder_that_teaches_nothing_is_refused_with_words(
    evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuned.json"
    assert main([str(tmp_path), "--out", str(out)]) == 1
    assert "takhte transcribe" in capsys.readouterr().err
    assert main([str(evening), "--out", str(out), "--most", "1"]) == 1
    assert "expected 3 or more settled placements" in capsys.readouterr().err
    assert not out.exists()
    out.write_text("{}")
    assert read([str(evening / "pictures" / "0.jpg"), "--tuned", str(out)]) == 1
    assert "takhte tune" in capsys.readouterr().err


def test_only_what_is_surer_than_right_is_made_less_sure() -> None:
    rows = np.full((200, 31), 0.001)
    rows[:, 0] = 0.97
    right = np.zeros(200, np.int64)
    assert fitted_temperature(rows, right) == 1.0
    half = right.copy()
    half[::4] = 3
    assert fitted_temperature(rows, half) > 1.3


def test_what_was_learned_is_read_back() -> None:
    found = Tuned(Palette((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), 1.25, 7)
    assert tuned_from(found.to_json()) == found
    with pytest.raises(TuneError, match="takhte tune"):
        tuned_from(found.to_json().replace("1.25", "0.2"))
    assert NETWORKS.temperature == 1.0
