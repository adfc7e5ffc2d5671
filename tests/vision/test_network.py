"""Weights and the columns that stand beside them: said once, compared when they are loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vision.network as network
from rules.observation import DieStatus
from tests.vision import scenes_dice as scenes
from tests.vision.weights import NETWORKS
from vision.calibrate import find_board
from vision.dice.cube import find_cube
from vision.dice.dice import DiceColumns, DiceNumbers, DiceReader, find_dice
from vision.dice.lies import LieNetwork
from vision.dice.number import CubeNetwork
from vision.dice.pips import PipNetwork
from vision.frame import Frame
from vision.networks import Networks
from vision.piles import PileNetwork, PileNumbers
from vision.prepared import PreparedMap
from vision.train.dice import scenes as labels

FILES = (
    "checkers",
    "corners",
    "cube",
    "dice_find",
    "dice_read",
    "field",
    "finder",
    "lies",
    "piles",
    "pips",
    "trays",
)


def test_all_weights_are_what_their_columns_say() -> None:
    networks = Networks()
    assert networks.finder and networks.field and networks.corners and networks.orientation
    assert networks.checkers
    assert networks.piles and networks.trays and networks.dice_finder and networks.dice_reader
    assert networks.cube
    assert {p.stem for p in network.SHIPPED.glob("*.json")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_numbers_has_a_version_and_columns(name: str) -> None:
    found = json.loads((network.SHIPPED / f"{name}.json").read_text())
    assert found["version"] == network.VERSION and "columns" in found


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of the weights that may be spoiled."""
    folder = tmp_path / "weights"
    folder.mkdir()
    for path in (*network.SHIPPED.glob("*.json"), *network.SHIPPED.glob("*.onnx")):
        (folder / path.name).symlink_to(path)
    return folder


def spoil(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.json").unlink()
    (folder / f"{name}.json").write_text(text)


def test_a_column_too_many_is_refused_by_name(weights: Path) -> None:
    found = json.loads((weights / "dice_read.json").read_text())
    found["columns"]["status"].append("in_hand")
    spoil(weights, "dice_read", json.dumps(found))
    with pytest.raises(network.WeightsError, match=r"dice_read.json names columns.*\(1, 14\).*13"):
        DiceReader.load(weights)


@pytest.mark.parametrize(
    ("load", "name", "before", "after", "words"),
    [
        (DiceReader.load, "dice_read", '"status"', '"lies"', "kind, lies, value"),
        (DiceReader.load, "dice_read", '"rolling"', '"spinning"', "spinning"),
        (CubeNetwork.load, "cube", '"none"', '"1"', "names columns"),
        (CubeNetwork.load, "cube", '"face"', '"side"', "needs bias, reader, face"),
        (
            DiceReader.load,
            "dice_read",
            '"flat",',
            '"rolling",',
            "needs flat, cocked, on_checker first",
        ),
        (LieNetwork.load, "lies", '"cocked"', '"leaning"', "names columns"),
        (LieNetwork.load, "lies", '"odd"', '"bias"', "needs reader, face, odd"),
        (PipNetwork.load, "pips", '"6"', '"7"', "names columns"),
        (PipNetwork.load, "pips", '"face"', '"side"', "needs reader, face"),
    ],
    ids=[
        "a part by another name",
        "a status that nobody knows",
        "a number that no cube shows",
        "a weight by another name",
        "statuses in another order",
        "a way of lying by another name",
        "a weight of those that say how a die lies",
        "a value that no die shows",
        "a weight of the two that say what a die shows",
    ],
)
def test_numbers_that_a_reader_cannot_mean_are_refused(
    load: Callable[[Path], object], name: str, before: str, after: str, words: str, weights: Path
) -> None:
    text = (weights / f"{name}.json").read_text()
    spoil(weights, name, text.replace(before, after, 1))
    with pytest.raises(network.WeightsError, match=words):
        load(weights)


def test_another_version_and_damage_are_refused(weights: Path) -> None:
    found = json.loads((weights / "piles.json").read_text())
    spoil(weights, "piles", json.dumps(found | {"version": 99}))
    with pytest.raises(network.WeightsError, match="version 99"):
        PileNetwork.load(weights)
    spoil(weights, "piles", '{"version": 1, "columns": {}}')
    with pytest.raises(network.WeightsError, match=r"piles.json cannot be used"):
        PileNetwork.load(weights)


def test_numbers_are_written_as_they_are_read(weights: Path) -> None:
    numbers = network.load_numbers(PileNumbers, "piles", weights)
    changed = replace(numbers, blend=(0.25, 0.75))
    spoil(weights, "piles", network.numbers_json(changed))
    assert network.load_numbers(PileNumbers, "piles", weights) == changed


def test_training_labels_stand_in_the_order_of_the_columns() -> None:
    columns = DiceColumns.of(network.load_numbers(DiceNumbers, "dice_read"))
    assert columns.kind.names[labels.DIE] == "die" and columns.kind.names[labels.CUBE] == "cube"
    statuses = (labels.FLAT, labels.COCKED, labels.ON_CHECKER, labels.ROLLING)
    looks = (DieStatus.FLAT, DieStatus.COCKED, DieStatus.ON_CHECKER, DieStatus.ROLLING)
    assert [DieStatus(columns.status.names[s]) for s in statuses] == list(looks)
    assert columns.total == 13


def test_dice_and_cube_are_made_of_what_was_looked_for() -> None:
    """Both take the readings of one pass: where that found nothing, neither looks again."""
    blank = np.zeros((960, 1280, 3), np.uint8)
    assert find_dice((), scenes.board_map()) == ()
    assert find_cube(blank, (), scenes.board_map(), Networks().cube) is None


def test_no_module_remembers_anything() -> None:
    """What is kept between pictures is a value that its owner holds: `Eye`, `PreparedMap`,
    `Networks`.
    """
    memory = re.compile(r"lru_cache|functools\.cache\b|^\s+global |weakref", re.M)
    room = Path(network.__file__).parent
    assert not [p.name for p in room.rglob("*.py") if memory.search(p.read_text())]


def test_a_prepared_map_works_everything_out_once() -> None:
    prepared, asked = PreparedMap(scenes.board_map()), []

    def work(board_map: object, place: int) -> list[int]:
        asked.append(place)
        return [place]

    assert prepared.once(work, 3) is prepared.once(work, 3)
    assert prepared.once(work, 4) == [4] and asked == [3, 4]
    assert prepared.half() is prepared.half()
    assert prepared.half().board_map == scenes.board_map().scaled(0.5)


def test_one_value_of_networks_serves_picture_after_picture() -> None:
    frame = Frame(scenes.empty_board(1))
    corners = np.array(scenes.CORNERS)
    found = [find_board(frame, NETWORKS, corners=corners, orientation=0) for _ in range(2)]
    assert found[0] == found[1]
