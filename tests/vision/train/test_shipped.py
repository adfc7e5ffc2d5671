"""Shipped weights become a network that learns on and answers as before: `make test-train`, which
brings torch; `make test` leaves them out.
"""

from __future__ import annotations

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


def test_the_dice_finder_learns_on_from_the_shipped_one() -> None:
    """Begun from nothing, a short training would ship a finder that finds nothing."""
    import torch

    from vision.train.dice.nets import DiceFinderNet
    from vision.train.shipped import shipped

    torch.manual_seed(1)
    looks = [(torch.rand(2, 3, 96, 96) - 0.5,) for _ in range(2)]
    see = shipped(DiceFinderNet().see, SHIPPED / "dice_find.onnx", looks)
    x = torch.rand(3, 3, 48, 64) - 0.5
    (want,) = load_network("dice_find").run({"x": x.numpy()}, ["y"])
    assert np.allclose(see.eval()(x).detach().numpy(), want, atol=1e-3)
