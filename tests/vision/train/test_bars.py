"""The bar's part of the checker network learns alone: `make test-train`, which brings torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vision.checkers import ANSWERS
from vision.network import SHIPPED, load_network

pytestmark = pytest.mark.train


def canvas_input() -> dict[str, np.ndarray]:
    x = np.random.default_rng(1).normal(0, 1, (1, 3, 192, 288)).astype(np.float32)
    return {"x": x, "palette": np.zeros((1, 7, 1, 1), np.float32)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # `dynamo=False` is meant.
def test_a_training_of_bars_changes_what_is_said_of_the_bar_alone(tmp_path: Path) -> None:
    from vision.train.bars import train_bars, without_bar

    said: list[str] = []
    train_bars([], tmp_path, 0.02, 1, said.append)
    assert said[-1].startswith("held-out bars wrong: ")
    before, after = (
        load_network("checkers", folder).run(canvas_input(), ANSWERS)
        for folder in (SHIPPED, tmp_path / "weights")
    )
    for name, a, b in zip(ANSWERS, before, after, strict=True):
        assert np.array_equal(a, b) is (name != "bar"), name
    old, new = (
        json.loads((folder / "checkers.json").read_text())
        for folder in (SHIPPED, tmp_path / "weights")
    )
    assert {k for k in old if old[k] != new[k]} <= {"bar_temperature"}
    first, then = (
        without_bar(folder / "checkers.onnx")[1] for folder in (SHIPPED, tmp_path / "weights")
    )
    kept = {name for name in first if bool((first[name] == then[name]).all())}
    assert {name for name in first if name.startswith("whole.")} <= kept < set(first)


def test_the_part_that_learns_says_what_the_whole_network_says_of_the_bar() -> None:
    import torch

    from vision.train.bars import Trunk, bar_part

    path = SHIPPED / "checkers.onnx"
    canvas = np.random.default_rng(2).integers(0, 256, (192, 288, 3)).astype(np.uint8)
    palette = np.zeros(7, np.float32)
    seen = torch.from_numpy(Trunk(path).seen(canvas, palette).astype(np.float32))
    x = ((canvas.transpose(2, 0, 1)[None] - 127.5) / 64).astype(np.float32)
    whole = load_network("checkers").run({"x": x, "palette": palette.reshape(1, 7, 1, 1)}, ["bar"])
    with torch.no_grad():
        part = bar_part(path).eval()(seen[None]).numpy()
    assert np.allclose(part, whole[0], atol=0.03)


def test_the_whole_network_learns_on_from_the_shipped_one() -> None:
    import torch

    from vision.train.nets import CheckerNet
    from vision.train.shipped import shipped

    torch.manual_seed(1)
    looks = [(torch.randn(2, 3, 192, 288), torch.zeros(2, 7, 1, 1))]
    net = shipped(CheckerNet(), SHIPPED / "checkers.onnx", looks).eval()
    given = canvas_input()
    said = net(*(torch.from_numpy(given[name]) for name in ("x", "palette")))
    for a, b in zip(said, load_network("checkers").run(given, ANSWERS), strict=True):
        assert np.allclose(a.detach().numpy(), b, atol=2e-3)


def test_what_is_taught_too_often_is_not_said_too_often() -> None:
    from vision.train.bars import as_taught, shares

    often = shares(np.array([[0, 3], [3, 3], [3, 1]]))
    assert often.argmax() == 3
    usual = np.full(6, 1 / 6)
    assert as_taught(often, usual).argmax() == 3 and as_taught(usual, usual).abs().max() < 1e-6
