"""Dice of pictures without a board: traced onto cloth, near and far."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.dice.test_dice import BLACK, BOARD, RED, WHITE, flat, put, solid
from tests.vision.weights import NETWORKS
from vision.arrays import Pixels
from vision.dice.alone import find_dice_alone
from vision.read_command import main
from vision.train.dice import solids

FACES = (5, 2, 3)
PLACES = ((-1.2, 0.3), (0.1, -0.6), (1.0, 0.7))


def close_up(size: int) -> Pixels:
    """Three dice on cloth, the picture so many pixels wide; no board is in it."""
    rng = np.random.default_rng(2)
    cloth = np.clip(rng.normal((60, 90, 50), 5, (960, 1280, 3)), 0, 255).astype(np.uint8)
    bodies = [(WHITE, BLACK), (RED, WHITE), (WHITE, BLACK)]
    things = [
        flat(solid(solids.random_die, body, ink, 0.5), face, x, y)
        for (body, ink), face, (x, y) in zip(bodies, FACES, PLACES, strict=True)
    ]
    (left, top), (right, bottom) = BOARD.project([(-2.4, 1.8, 0), (2.4, -1.8, 0)]).astype(int)
    piece = put(cloth, things)[top:bottom, left:right]
    factor = size / piece.shape[1]
    return np.asarray(
        cv2.resize(piece, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8
    )


@pytest.mark.parametrize("size", [320, 800, 1600])
def test_dice_near_and_far_are_read_once_each(size: int) -> None:
    found = find_dice_alone(close_up(size), NETWORKS.dice_finder, NETWORKS.dice_reader)
    assert sorted(int(np.argmax(die.values)) + 1 for die in found) == sorted(FACES)


def test_cloth_holds_no_dice() -> None:
    cloth = np.random.default_rng(3).normal(120, 6, (480, 640, 3))
    pixels = np.clip(cloth, 0, 255).astype(np.uint8)
    assert find_dice_alone(pixels, NETWORKS.dice_finder, NETWORKS.dice_reader) == ()


def test_the_command_reads_dice_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "throw.png"
    cv2.imwrite(str(picture), close_up(640))
    assert main([str(picture), "--dice", "--json", str(tmp_path)]) == 0
    dice = json.loads((tmp_path / "throw.json").read_text())["dice"]
    assert sorted(d["value"] for d in dice) == sorted(FACES)
    assert "throw.png: dice: " in capsys.readouterr().out
