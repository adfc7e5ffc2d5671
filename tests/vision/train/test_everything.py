"""A whole training: its steps in order, what is done stays done, and nothing shipped changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vision.network import SHIPPED
from vision.scene_truth import MEASURED, Share, share_of
from vision.train.data_card import data_card
from vision.train.everything import Task, chains, make_all
from vision.train.weights_folder import made_in


def still(folder: Path, number: int, theme: str) -> None:
    folder.mkdir(exist_ok=True)
    truth = {
        "theme": theme,
        "view": "low",
        "position_kind": "mid",
        "board_style": "nard",
        "table": "stone",
        "point_visible": {str(p): 1.0 for p in range(1, 25)},
        "dice": [{}, {}],
    }
    (folder / f"s_{number}.json").write_text(json.dumps(truth))
    (folder / f"s_{number}.jpg").write_bytes(b"")


def test_every_step_is_done_once_and_a_failed_one_again(tmp_path: Path) -> None:
    still(tmp_path / "wide", 0, "wide_000")
    ran: list[str] = []
    failing = {"checkers"}

    def run(step: Task, log: Path) -> int:
        ran.append(step.name)
        return 3 if step.name in failing else 0

    said: list[str] = []
    assert make_all(tmp_path, 60, 1, said.append, run) == 3
    board, dice = chains(tmp_path, 60, 1)
    names = [step.name for step in board]
    assert [n for n in ran if n in names] == names[: names.index("checkers") + 1]
    assert [n for n in ran if n not in names] == [step.name for step in dice]
    assert any("checkers: failed with 3" in line for line in said)
    ran.clear()
    failing.clear()
    assert make_all(tmp_path, 60, 1, said.append, run) == 0
    assert ran == names[names.index("checkers") :]


def test_the_time_of_each_chain_is_what_was_asked(tmp_path: Path) -> None:
    still(tmp_path / "wide", 0, "wide_000")
    for chain in chains(tmp_path, 100, 1):
        lasting = 0.0
        for step in chain:
            words = step.arguments
            if "--minutes" in words:
                lasting += float(words[words.index("--minutes") + 1])
        assert 60 <= lasting <= 100


def test_a_training_begins_with_the_shipped_weights_and_leaves_them_alone(tmp_path: Path) -> None:
    before = {p.name: p.read_bytes() for p in SHIPPED.iterdir() if p.is_file()}
    folder = made_in(tmp_path)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    (folder / "trays.json").write_text("{}")
    assert made_in(tmp_path) == folder and (folder / "trays.json").read_text() == "{}"
    assert (SHIPPED / "trays.json").read_bytes() == before["trays.json"]


@pytest.mark.parametrize("module", ["trays", "piles", "dice/calibrate"])
def test_no_step_names_the_shipped_folder_to_write_to(module: str) -> None:
    text = (SHIPPED.parent / "train" / f"{module}.py").read_text()
    assert "made_in(" in text and "SHIPPED" not in text and "WEIGHTS" not in text


def test_a_palette_is_for_one_thing_by_its_name() -> None:
    shares = [share_of(f"wide_{n:03d}") for n in range(1000)]
    assert 150 < shares.count(Share.MEASURE) < 250 and 60 < shares.count(Share.FIT) < 140
    assert {share_of(name) for name in MEASURED} == {Share.MEASURE}
    assert share_of("F_cork_tan") is Share.LEARN


def test_the_data_card_counts_what_teaches_apart_from_what_measures(tmp_path: Path) -> None:
    for number in range(10):
        still(tmp_path / "wide", number, f"wide_{number:03d}")
    card = data_card([tmp_path / "wide"])
    for share in Share:
        many = sum(share_of(f"wide_{n:03d}") is share for n in range(10))
        assert f"| {share.value} | {many} | {many} |" in card
    taught = sum(share_of(f"wide_{n:03d}") is Share.LEARN for n in range(10))
    assert f"| dice | {2 * taught} |" in card and f"low {taught}" in card
