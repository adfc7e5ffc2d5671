"""`python -m vision.train`: from scenes to vision/weights.

Each word is one step; CARD.md beside the weights tells which run made them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from vision.corners import PATCH
from vision.finder import FINDER_SIZE
from vision.network import numbers_json
from vision.train import WEIGHTS
from vision.train.board_nets import BoardFinderNet, CornerNet
from vision.train.checkers import train_checkers
from vision.train.data import Traced
from vision.train.export import (
    export_checkers,
    export_network,
    fit_bias,
    fit_checker_numbers,
)
from vision.train.find import train_corners, train_finder
from vision.train.learner import begin_from
from vision.train.nets import CheckerNet
from vision.train.orientation import judge_net, train_orientation


def report(line: str) -> None:
    """Nothing; the line is printed at once."""
    print(line, flush=True)


def main() -> int:
    p = argparse.ArgumentParser("python -m vision.train", description=__doc__)
    p.add_argument("step", choices=("checkers", "finder", "corners", "orientation", "export"))
    p.add_argument(
        "--scenes",
        type=Path,
        nargs="*",
        default=[],
        help="folders of traced scenes, used beside painted ones",
    )
    p.add_argument("--out", type=Path, default=Path("train-out"), help="folder of checkpoints")
    p.add_argument("--minutes", type=float, default=90)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=2e-3, help="first learning rate")
    p.add_argument(
        "--slowest",
        type=float,
        default=0.998,
        help="memory of the running mean of weights: shorter for short runs",
    )
    p.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    a = p.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    if a.step == "checkers":
        train_checkers(
            a.scenes,
            a.out / "checkers.pt",
            a.minutes,
            a.seed,
            report,
            rate=a.rate,
            resume=a.resume,
            slowest=a.slowest,
        )
    elif a.step == "finder":
        train_finder(a.scenes, a.out, a.minutes, a.seed, report, resume=a.resume)
    elif a.step == "corners":
        train_corners(a.scenes, a.out, a.minutes, a.seed, report, resume=a.resume)
    elif a.step == "orientation":
        train_orientation(a.seed, a.out / "orientation.pt", report)
    else:
        export_all(a.out, a.scenes, a.seed)
    return 0


def export_all(out: Path, scenes: list[Path], seed: int) -> None:
    """Nothing; every checkpoint that is there goes to vision/weights, with the numbers fitted on
    the held-out palettes.
    """
    store = Traced(scenes)
    if (out / "checkers.pt").exists():
        checkers = CheckerNet()
        begin_from(checkers, out / "checkers.pt")
        numbers = fit_checker_numbers(checkers, store.training, store.held_out, seed)
        (WEIGHTS / "checkers.json").write_text(numbers_json(numbers))
        report(str(numbers))
        report(export_checkers(checkers, WEIGHTS / "checkers.onnx"))
    if (out / "finder.pt").exists():
        net = begin_from(BoardFinderNet(), out / "finder.pt")
        x = torch.zeros(1, 3, FINDER_SIZE[1], FINDER_SIZE[0])
        report(export_network(net, WEIGHTS / "finder.onnx", {"x": x}, ["heat", "there"]))
    if (out / "corners.pt").exists():
        net = begin_from(CornerNet(), out / "corners.pt")
        if store.held_out:
            bias = fit_bias(net, store.held_out, seed)
            (WEIGHTS / "corners.json").write_text(numbers_json(bias))
            report(str(bias))
        x = torch.zeros(8, 3, PATCH, PATCH)
        report(export_network(net, WEIGHTS / "corners.onnx", {"x": x}, ["out"]))
    if (out / "orientation.pt").exists():
        net = begin_from(judge_net(), out / "orientation.pt")
        x = torch.zeros(1, 50)
        report(export_network(net, WEIGHTS / "orientation.onnx", {"x": x}, ["out"]))


if __name__ == "__main__":
    raise SystemExit(main())
