"""`takhte read` from end to end: traced boards of palettes never trained on, and everything that is
no board.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.evaluate import labelled_pictures, measure_folder, table
from vision.frame import Frame, load_picture
from vision.geometry import BoardMap
from vision.read_command import main
from vision.synthetic.scene import paint

DATA = Path(__file__).resolve().parent.parent / "data" / "vision"
BOARDS = {case.name: case for case in labelled_pictures(DATA)}


def corners(name: str) -> str:
    return ",".join(f"{v:.1f}" for c in BOARDS[name].corners for v in c)


def said(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_corners_given(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing false is said of a board in full view, and nearly everything is said."""
    case = BOARDS[name]
    status = main(
        [
            str(case.path),
            "--corners",
            corners(name),
            "--orientation",
            str(case.orientation),
            "--json",
            str(tmp_path),
            "--overlay",
            str(tmp_path),
        ]
    )
    assert status == 0
    assert "bar:" in capsys.readouterr().out
    got, truth = said(tmp_path, name)["points"], case.truth["points"]
    counted = {p: got[p] and (got[p]["light"], got[p]["dark"]) for p in got}
    want = {p: (truth[p]["light"], truth[p]["dark"]) for p in truth}
    wrong = {
        p: (counted[p], want[p]) for p in want if counted[p] is not None and counted[p] != want[p]
    }
    assert len(wrong) <= 1, wrong
    assert sum(c is None for c in counted.values()) <= 2
    assert (tmp_path / f"{name}.jpg").stat().st_size > 10_000


def test_a_map_serves_the_next_picture(tmp_path: Path) -> None:
    case = BOARDS["board_117"]
    path = tmp_path / "map.json"
    assert (
        main(
            [
                str(case.path),
                "--corners",
                corners("board_117"),
                "--orientation",
                "0",
                "--save-map",
                str(path),
            ]
        )
        == 0
    )
    assert BoardMap.from_json(path.read_text()).size == Frame(load_picture(case.path)).size
    assert main([str(case.path), "--map", str(path), "--json", str(tmp_path)]) == 0
    assert said(tmp_path, "board_117")["points"]["24"] is not None


def no_board(kind: str, path: Path) -> Path:
    rng = np.random.default_rng(0)
    pictures = {
        "grey": np.full((480, 640, 3), 128, np.uint8),
        "noise": rng.integers(0, 255, (480, 640, 3), dtype=np.uint8),
        "stripes": np.repeat(
            np.tile(np.array([0, 255], np.uint8).repeat(20), 16)[None, :, None], 480, 0
        ).repeat(3, 2),
        "16 bit grey": (rng.integers(0, 4000, (480, 640))).astype(np.uint16),
        "one pixel": np.zeros((1, 1, 3), np.uint8),
        "huge": np.full((5000, 8000, 3), 200, np.uint8),
    }
    target = path / f"{kind.replace(' ', '_')}.png"
    if kind in pictures:
        cv2.imwrite(str(target), pictures[kind], [cv2.IMWRITE_PNG_COMPRESSION, 1])
    elif kind == "cut off":
        target = target.with_suffix(".jpg")
        data = BOARDS["board_117"].path.read_bytes()
        target.write_bytes(data[: len(data) // 2])
    else:
        target.write_bytes(b"no picture at all")
    return target


@pytest.mark.parametrize(
    "kind", ["grey", "noise", "stripes", "16 bit grey", "one pixel", "huge", "cut off", "text"]
)
def test_what_is_no_board_is_refused_with_words(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = no_board(kind, tmp_path)
    assert main([str(path), "--json", str(tmp_path)]) == 1
    assert path.name in capsys.readouterr().err
    assert set(said(tmp_path, path.stem)["points"].values()) == {None}


def test_one_bad_picture_does_not_stop_the_rest(tmp_path: Path) -> None:
    bad, good = no_board("text", tmp_path), BOARDS["board_117"].path
    assert (
        main(
            [
                str(bad),
                str(good),
                "--corners",
                corners("board_117"),
                "--orientation",
                "0",
                "--json",
                str(tmp_path),
            ]
        )
        == 1
    )
    assert said(tmp_path, "board_117")["board"]["orientation"] == 0


@pytest.mark.parametrize("text", ["1,2,3", "a,b,c,d,e,f,g,h", ""])
def test_corners_that_are_no_numbers(text: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["p.jpg", "--corners", text])
    assert stop.value.code == 2


def test_empty_boards_have_no_checkers(tmp_path: Path) -> None:
    for seed in range(4):
        scene = paint(np.random.default_rng(900 + seed), {}, dice=0)
        path = tmp_path / f"empty_{seed}.png"
        cv2.imwrite(str(path), scene.frame.pixels)
        given = ",".join(f"{v:.1f}" for v in scene.board_map.corners().ravel())
        assert (
            main([str(path), "--corners", given, "--orientation", "0", "--json", str(tmp_path)])
            == 0
        )
        got = said(tmp_path, path.stem)
        assert sum(p["light"] + p["dark"] for p in got["points"].values() if p is not None) == 0
        assert got["bar"]["light"] + got["bar"]["dark"] == 0


def test_the_figures_can_be_printed() -> None:
    tallies, failed, _ = measure_folder(DATA, cold=False, limit=2)
    assert tallies["all"].pictures == 2
    assert "all" in table(tallies)
    assert len(failed) <= 2
