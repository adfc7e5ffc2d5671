"""`python -m vision.train`: from scenes to weights.

`all` makes every network in one run (`everything`); the other words are its steps. What is made
lies in OUT/weights; `install` copies it to vision/weights, and nothing else does. CARD.md beside
the weights tells which run made them.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Final

import numpy as np
import torch

from vision.corners import PATCH
from vision.finder import FINDER_SIZE
from vision.network import SHIPPED, numbers_json
from vision.train.bars import train_bars
from vision.train.board_nets import BoardFinderNet, CornerNet
from vision.train.checkers import train_checkers
from vision.train.data import Labelled, Traced, painted_labelled
from vision.train.everything import make_all
from vision.train.export import (
    export_checkers,
    export_network,
    fit_bias,
    fit_checker_numbers,
)
from vision.train.find import train_corners, train_field, train_finder
from vision.train.learner import begin_from
from vision.train.nets import CheckerNet
from vision.train.orientation import judge_net, train_orientation
from vision.train.weights_folder import made_in
from vision.whole_field import FIELD_SIZE

STEPS: Final = (
    *("all", "checkers", "finder", "field", "corners", "orientation", "export", "bars", "install"),
)


def report(line: str) -> None:
    """Nothing; the line is printed at once."""
    print(line, flush=True)


def main() -> int:
    p = argparse.ArgumentParser("python -m vision.train", description=__doc__)
    p.add_argument("step", choices=STEPS)
    p.add_argument(
        "--scenes",
        type=Path,
        nargs="*",
        default=[],
        help="folders of traced scenes, used beside painted ones",
    )
    p.add_argument("--out", type=Path, default=Path("train-out"), help="folder of checkpoints")
    p.add_argument("--data", type=Path, help="for all: the folder of what is rendered and made")
    p.add_argument("--minutes", type=float, default=90)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=2e-3, help="first learning rate")
    p.add_argument(
        "--slowest",
        type=float,
        default=0.998,
        help="memory of the running mean of weights: shorter for short runs",
    )
    p.add_argument(
        "--resume",
        action="store_true",
        help="go on from the checkpoint in --out, or where there is none from the shipped weights",
    )
    a = p.parse_args()
    if a.step == "all":
        if a.data is None:
            p.error("all: expected --data DIR, a folder for what is rendered and made")
        return make_all(a.data, a.minutes, a.seed, report)
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
    elif a.step == "field":
        train_field(a.scenes, a.out, a.minutes, a.seed, report, resume=a.resume)
    elif a.step == "corners":
        train_corners(a.scenes, a.out, a.minutes, a.seed, report, resume=a.resume)
    elif a.step == "orientation":
        train_orientation(a.seed, a.out / "orientation.pt", report)
    elif a.step == "bars":
        train_bars(a.scenes, a.out, a.minutes, a.seed, report, rate=a.rate)
    elif a.step == "export":
        export_all(a.out, a.scenes, a.seed)
    else:
        for path in sorted(made_in(a.out).iterdir()):
            shutil.copyfile(path, SHIPPED / path.name)
            report(f"{path.name} is in vision/weights now")
    return 0


PAINTED_TO_FIT: Final = 120
"""Painted boards, new ones, beside the rendered ones of held-out palettes: those are few, and most
of them as hard as can be.
"""


def unlearned(store: Traced, seed: int) -> list[Labelled]:
    """Boards that nothing was taught with, for the numbers beside the weights."""
    rng = np.random.default_rng(1_000_003 + seed)
    return [*store.held_out, *(painted_labelled(rng) for _ in range(PAINTED_TO_FIT))]


def export_all(out: Path, scenes: list[Path], seed: int) -> None:
    """Nothing; every checkpoint that is there goes to OUT/weights, with the numbers fitted on
    the held-out palettes.
    """
    store, weights = Traced(scenes), made_in(out)
    if (out / "checkers.pt").exists():
        checkers = CheckerNet()
        begin_from(checkers, out / "checkers.pt")
        numbers = fit_checker_numbers(checkers, store.training, unlearned(store, seed), seed)
        (weights / "checkers.json").write_text(numbers_json(numbers))
        report(str(numbers))
        report(export_checkers(checkers, weights / "checkers.onnx"))
    if (out / "finder.pt").exists():
        net = begin_from(BoardFinderNet(), out / "finder.pt")
        x = torch.zeros(1, 3, FINDER_SIZE[1], FINDER_SIZE[0])
        report(export_network(net, weights / "finder.onnx", {"x": x}, ["heat", "there"]))
    if (out / "field.pt").exists():
        net = begin_from(BoardFinderNet(8), out / "field.pt")
        x = torch.zeros(1, 3, FIELD_SIZE[1], FIELD_SIZE[0])
        report(export_network(net, weights / "field.onnx", {"x": x}, ["heat", "there"]))
    if (out / "corners.pt").exists():
        net = begin_from(CornerNet(), out / "corners.pt")
        if store.held_out:
            bias = fit_bias(net, store.held_out, seed)
            (weights / "corners.json").write_text(numbers_json(bias))
            report(str(bias))
        x = torch.zeros(8, 3, PATCH, PATCH)
        report(export_network(net, weights / "corners.onnx", {"x": x}, ["out"]))
    if (out / "orientation.pt").exists():
        net = begin_from(judge_net(), out / "orientation.pt")
        x, judge = torch.zeros(8, 50), weights / "orientation.onnx"
        report(export_network(net, judge, {"x": x}, ["out"], any_number=True))


if __name__ == "__main__":
    raise SystemExit(main())
