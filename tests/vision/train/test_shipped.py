"""Shipped weights become a network that learns on and answers as before: `make test-train`, which
brings torch; `make test` leaves them out.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from vision.network import SHIPPED, load_network

pytestmark = pytest.mark.train


def test_an_unfolded_network_answers_as_the_shipped_one() -> None:
    import torch

    from vision.train.board_nets import CornerNet
    from vision.train.shipped import shipped

    torch.manual_seed(1)
    net = shipped(CornerNet(), SHIPPED / "corners.onnx", [(torch.randn(4, 3, 56, 56),)])
    x = torch.randn(8, 3, 56, 56)
    (want,) = load_network("corners").run({"x": x.numpy()}, ["out"])
    assert np.allclose(net.eval()(x).detach().numpy(), want, atol=1e-3)


def test_weights_of_another_network_are_refused() -> None:
    import torch

    from vision.train.board_nets import CornerNet
    from vision.train.shipped import shipped

    with pytest.raises(ValueError, match="train it from nothing"):
        shipped(CornerNet(), SHIPPED / "finder.onnx", [(torch.randn(2, 3, 56, 56),)])


def test_the_dice_finder_learns_on_from_the_shipped_one(tmp_path: Path) -> None:
    """Begun from nothing, a short training would ship a finder that finds nothing."""
    import torch

    from vision.train.dice.nets import DiceFinderNet
    from vision.train.dice.two_columns import in_one_column, in_two_columns
    from vision.train.shipped import shipped

    torch.manual_seed(1)
    looks = [(torch.rand(2, 3, 96, 96) - 0.5,) for _ in range(2)]
    one = in_one_column(SHIPPED / "dice_find.onnx", tmp_path / "dice_find.onnx")
    see = shipped(DiceFinderNet().see, one, looks)
    x = torch.rand(3, 3, 48, 64) - 0.5
    finder = load_network("dice_find")  # It takes one picture of any size.
    want = np.concatenate([finder.run({"x": one.numpy()}, ["y"])[0] for one in x.split(1)])
    assert np.allclose(see.eval()(x).detach().numpy(), want, atol=1e-3)
    in_two_columns(one)
    folded = load_network("dice_find", tmp_path)
    again = np.concatenate([folded.run({"x": each.numpy()}, ["y"])[0] for each in x.split(1)])
    assert np.array_equal(again, want)


def test_the_dice_reader_learns_on_from_the_shipped_one() -> None:
    """Its columns of a cube's number went to a network of its own: the rest answers as it did."""
    import torch

    from vision.dice.crops import CHANNELS, CROP
    from vision.dice.dice import DiceReader
    from vision.train.dice.nets import DiceReaderNet
    from vision.train.shipped import shipped

    torch.manual_seed(1)
    reader = DiceReader.load()
    looks = [(torch.randn(8, CHANNELS, CROP, CROP),) for _ in range(4)]
    net = shipped(DiceReaderNet(reader.columns.total), SHIPPED / "dice_read.onnx", looks)
    x = torch.randn(6, CHANNELS, CROP, CROP)
    (want,) = reader.net.run({"x": x.numpy()}, ["y"])
    assert np.allclose(net.eval()(x).detach().numpy(), want, atol=1e-3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # `dynamo=False` is meant.
@pytest.mark.parametrize("name", ["cube", "pips", "lies"])
def test_a_network_of_one_face_is_written_as_the_program_reads_it(
    name: str, tmp_path: Path
) -> None:
    import torch

    from vision.dice import lies, number, pips, upper
    from vision.train.dice.lies import lie_net
    from vision.train.dice.nets import FaceNet
    from vision.train.export import export_network

    net, planes, size, load = {
        "cube": (FaceNet(7), 3, upper.CROP, number.CubeNetwork.load),
        "pips": (FaceNet(len(pips.VALUES) + 1), 3, upper.CROP, pips.PipNetwork.load),
        "lies": (lie_net(), 4, lies.CROP, lies.LieNetwork.load),
    }[name]
    x = torch.randn(5, planes, size, size)
    export_network(net, tmp_path / f"{name}.onnx", {"x": x[:4]}, ["y"], any_number=True)
    shutil.copy(SHIPPED / f"{name}.json", tmp_path)
    (said,) = load(tmp_path).net.run({"x": x.numpy()}, ["y"])
    assert np.allclose(net.eval()(x).detach().numpy(), said, atol=1e-3)
