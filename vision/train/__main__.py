"""`python -m vision.train`: from scenes to vision/weights.

Each word is one step; CARD.md beside the weights tells which run made them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from vision.train.data import Traced
from vision.train.export import (
    export_checkers,
    export_corners,
    export_finder,
    export_orientation,
    fit_bias,
    fit_numbers,
)
from vision.train.find import CornerNet, FinderNet, train_corners, train_finder
from vision.train.fit import train
from vision.train.nets import CheckerNet
from vision.train.orientation import train_orientation

WEIGHTS = Path(__file__).resolve().parent.parent / "weights"


def say(line: str) -> None:
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
        train(
            a.scenes,
            a.out / "checkers.pt",
            a.minutes,
            a.seed,
            say,
            rate=a.rate,
            resume=a.resume,
            slowest=a.slowest,
        )
    elif a.step == "finder":
        train_finder(a.scenes, a.out, a.minutes, a.seed, say, resume=a.resume)
    elif a.step == "corners":
        train_corners(a.scenes, a.out, a.minutes, a.seed, say, resume=a.resume)
    elif a.step == "orientation":
        torch.save(train_orientation(a.seed, say).state_dict(), a.out / "orientation.pt")
    else:
        export(a.out, a.scenes, a.seed)
    return 0


def export(out: Path, scenes: list[Path], seed: int) -> None:
    """Every checkpoint that is there goes to vision/weights; the checker network's numbers are
    fitted on the held-out palettes.
    """
    store = Traced(scenes)
    if (out / "checkers.pt").exists():
        net = CheckerNet()
        net.load_state_dict(torch.load(out / "checkers.pt"))
        say(str(fit_numbers(net, store.training, store.held_out, WEIGHTS / "checkers.json", seed)))
        say(f"checkers.onnx {export_checkers(net, WEIGHTS / 'checkers.onnx')} bytes")
    for name, make, write in (
        ("finder", FinderNet, export_finder),
        ("corners", CornerNet, export_corners),
    ):
        if (out / f"{name}.pt").exists():
            net = make()
            net.load_state_dict(torch.load(out / f"{name}.pt"))
            if name == "corners" and store.held_out:
                say(
                    f"corners' bias {fit_bias(net, store.held_out, WEIGHTS / 'corners.json', seed)}"
                )
            say(f"{name}.onnx {write(net, WEIGHTS / f'{name}.onnx')} bytes")
    if (out / "orientation.pt").exists():
        nn = torch.nn
        judge = nn.Sequential(
            nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)
        )
        judge.load_state_dict(torch.load(out / "orientation.pt"))
        say(f"orientation.onnx {export_orientation(judge, WEIGHTS / 'orientation.onnx')} bytes")


if __name__ == "__main__":
    raise SystemExit(main())
