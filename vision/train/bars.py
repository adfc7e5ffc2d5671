"""Teaches the bar's part of the checker network alone, which sees what the rest of it makes of the
bar. All else stays as it is to the bit, so points are read as before.

Boards have far more on the bar than play has. What is learned is therefore corrected for how often
each number came, and the network goes on saying what `bar_prior` takes for usual.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision import canvas as grid
from vision.arrays import F32, F64, I64, Pixels
from vision.checkers import ANSWERS, CheckerNumbers
from vision.geometry import GeometryError
from vision.network import load_numbers, numbers_json, picture_input
from vision.train.canvas_data import BAR_KINDS, CanvasExample, canvas_example, straight
from vision.train.data import Labelled, Traced, painted_labelled, stamped
from vision.train.export import coolest, export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, one_core
from vision.train.nets import BarPart, CheckerNet, Net
from vision.train.weights_folder import made_in

F16 = npt.NDArray[np.float16]
BarBatch = dict[str, Tensor]
BAR_CELLS: Final = (grid.ROWS // grid.CELL, 4)
"""Rows and columns of cells that the part sees."""
LOOKS: Final = 2
"""Times that a painted board is shaken and re-coloured."""
FULL: Final = 0.7
"""Share of the painted boards that have a full bar; the others are as play has them."""
PAINTED_A_STEP: Final = 2
TRACED_A_STEP: Final = 4
BATCH: Final = 256
KEPT: Final = 24_000
"""Looks of each kind, painted and traced, that are drawn from."""
TO_FIT: Final = 160
"""Painted boards for the temperature, beside the traced ones of held-out palettes."""


class Trunk:
    """What the checker network of a file makes of a canvas before the bar's part reads it."""

    def __init__(self, path: Path) -> None:
        model = without_bar(path)[0]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, ["CPUExecutionProvider"]
        )
        self._name = model.graph.output[-1].name

    def seen(self, canvas: Pixels, palette: F32) -> F16:
        """Features of the bar and half a point beside it: channels x 24 x 4."""
        inputs = {"x": picture_input(canvas, 1 / 64), "palette": palette.reshape(1, 7, 1, 1)}
        return np.asarray(self._session.run([self._name], inputs)[0][0], np.float16)


def without_bar(path: Path) -> tuple[onnx.ModelProto, dict[str, Tensor]]:
    """The checker network of a file without the bar's part, what that part sees its last answer;
    and the weights of that part by name.
    """
    model = onnx.load(str(path))
    graph = model.graph
    first = next(n for n in graph.node if any(i.startswith("bar.") for i in n.input))
    graph.output.append(
        onnx.helper.make_tensor_value_info(first.input[0], onnx.TensorProto.FLOAT, None)
    )
    kept = [o.name for o in graph.output if o.name != "bar"]
    own = {
        i.name.removeprefix("bar."): torch.tensor(np.array(numpy_helper.to_array(i)))
        for i in graph.initializer
        if i.name.startswith("bar.")
    }
    return onnx.utils.Extractor(model).extract_model([i.name for i in graph.input], kept), own


def bar_part(path: Path) -> BarPart:
    """The bar's part of the checker network of a file as a network that can learn on, but for what
    knows checkers by their places: a few thousand boards would spoil that.
    """
    part, stored = CheckerNet().bar, without_bar(path)[1]
    # Older files know nothing but that.
    (part if "across.weight" in stored else part.whole).load_state_dict(stored)
    part.whole.requires_grad_(requires_grad=False)
    return part


class _Alone(Net):
    """The part with its weights named as in the whole network."""

    def __init__(self, part: BarPart) -> None:
        super().__init__()
        self.bar = part

    def forward(self, seen: Tensor) -> Tensor:
        return self.bar(seen)


def write_bar_part(part: BarPart, path: Path) -> None:
    """Nothing; the bar's part of the network in the file becomes this one, all else stays."""
    trunk, _ = without_bar(path)
    alone = path.with_name("bar.onnx.part")
    seen = torch.zeros(1, part.across.in_channels, *BAR_CELLS)
    export_network(_Alone(part), alone, {"seen_at_bar": seen}, ["bar"])
    io_map = [(trunk.graph.output[-1].name, "seen_at_bar")]
    whole = onnx.compose.merge_models(
        trunk, onnx.load(str(alone)), io_map=io_map, outputs=list(ANSWERS)
    )
    alone.unlink()
    onnx.checker.check_model(whole)
    onnx.save(whole, str(path))


class Looks:
    """Features of bars with their truths, so many at the most: then new ones take any's place."""

    def __init__(self, most: int = KEPT) -> None:
        self.number, self._most = 0, most
        self._seen: F16 | None = None
        self._bars = np.zeros((most, 2), np.int64)
        self._rows = np.zeros((most, 2, BAR_CELLS[0]), np.float32)

    def add(self, seen: F16, example: CanvasExample, rng: np.random.Generator) -> None:
        """Nothing; there is one more."""
        if self._seen is None:
            self._seen = np.empty((self._most, *seen.shape), np.float16)
        k = self.number if self.number < self._most else int(rng.integers(self._most))
        self._seen[k], self._rows[k] = seen, example.bar_rows
        self._bars[k] = np.minimum(example.bar, BAR_KINDS - 1)
        self.number = min(self.number + 1, self._most)

    def drawn(self, number: int, rng: np.random.Generator) -> BarBatch:
        """Features and truths of so many."""
        return self._some(rng.integers(self.number, size=number))

    def all(self) -> BarBatch:
        """Features and truths."""
        return self._some(np.arange(self.number))

    def _some(self, chosen: I64) -> BarBatch:
        if self._seen is None:
            raise ValueError("no bars to learn from: expected painted or traced boards")
        t = torch.from_numpy
        return {
            "seen": t(self._seen[chosen].astype(np.float32)),
            "bar": t(self._bars[chosen]),
            "rows": t(self._rows[chosen]),
        }

    def often(self) -> F64:
        """How often each number of checkers stands there."""
        return shares(self._bars[: self.number])


def shares(bars: I64) -> F64:
    """How often each number of checkers is among these (N x 2)."""
    counts = np.bincount(bars.ravel(), minlength=BAR_KINDS) + 1.0
    return np.asarray(counts / counts.sum(), np.float64)


def as_taught(often: F64, usual: F64) -> Tensor:
    """What is to be added to logits that take `usual` for granted where numbers came so `often`."""
    return torch.tensor(np.log(often / usual), dtype=torch.float32)


class BarLessons:
    """Batches of looks at painted and, half of them where there are any, traced boards; there are
    more with every batch.
    """

    def __init__(self, store: Traced, trunk: Trunk, usual: F64, rng: np.random.Generator) -> None:
        self._trunk, self._rng, self._usual = trunk, rng, usual
        self._painted, self._traced = Looks(), Looks()
        self._boards = [
            (one, straight(one)) for item in store.training for one in (item, stamped(item, rng))
        ]
        for _ in range(32):
            self._grow()

    def _grow(self) -> None:
        rng, boards = self._rng, self._boards
        for _ in range(PAINTED_A_STEP):
            item = painted_labelled(rng, full_bar=rng.random() < FULL)
            try:
                ready = straight(item)
            except GeometryError:
                # Seen from so low that nobody could read it.
                continue
            for _ in range(LOOKS):
                self._look(self._painted, canvas_example(item, rng, ready))
        for k in rng.integers(len(boards), size=TRACED_A_STEP) if boards else ():
            self._look(self._traced, canvas_example(boards[k][0], rng, boards[k][1]))

    def _look(self, looks: Looks, example: CanvasExample) -> None:
        looks.add(self._trunk.seen(example.canvas, example.palette), example, self._rng)

    def batch(self) -> BarBatch:
        """BATCH looks."""
        self._grow()
        kinds = [looks for looks in (self._painted, self._traced) if looks.number]
        parts = [looks.drawn(BATCH // len(kinds), self._rng) for looks in kinds]
        often = np.mean([looks.often() for looks in kinds], 0)
        both = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
        return {**both, "added": as_taught(often, self._usual)}

    def refresh(self) -> None:
        """Nothing; the traced boards are those that were there at first."""

    def words(self) -> str:
        """How many looks there are to draw from."""
        return f"{self._painted.number} painted, {self._traced.number} traced"

    def figures(self) -> str:
        """Nothing said: held-out boards are asked at the end."""
        return ""


def _loss_of(part: BarPart, b: BarBatch) -> Tensor:
    """How many of each set there are, and in which rows: few boards teach a sum alone."""
    said, rows = part.found(b["seen"])
    f = nn.functional
    counted = f.cross_entropy((said + b["added"]).reshape(-1, BAR_KINDS), b["bar"].reshape(-1))
    smooth = torch.tensor([0.25, 0.5, 0.25]).reshape(1, 1, 3)
    off = f.conv1d((rows - b["rows"]).reshape(-1, 1, BAR_CELLS[0]), smooth, padding=1)
    return counted + 20 * (off**2).mean()


def held_out_looks(store: Traced, trunk: Trunk, seed: int) -> Looks:
    """Traced boards of held-out palettes, each shaken too, and painted ones that nobody taught."""
    rng = np.random.default_rng(1_000_003 + seed)
    looks = Looks(4 * len(store.held_out) + TO_FIT)
    boards = [(item, straight(item)) for item in store.held_out]
    boards += [(item, straight(item)) for item in painted_boards(rng)]
    for item, ready in boards:
        for shaken in (None, rng, rng, rng) if item.traced else (None,):
            example = canvas_example(item, shaken, ready)
            looks.add(trunk.seen(example.canvas, example.palette), example, rng)
    return looks


def painted_boards(rng: np.random.Generator) -> list[Labelled]:
    """`TO_FIT` boards with full bars."""
    return [painted_labelled(rng, full_bar=True) for _ in range(TO_FIT)]


def fitted(part: BarPart, looks: Looks, numbers: CheckerNumbers) -> tuple[CheckerNumbers, str]:
    """The numbers with the temperature that makes the bar's confidences honest on held-out boards,
    and how many bars are read wrongly there.
    """
    truths = looks.all()
    with torch.no_grad():
        said, want = part.eval()(truths["seen"]), truths["bar"]
    # How often each number came among them is no part of what the network says.
    added = as_taught(looks.often(), np.array(numbers.bar_prior))
    tempered = coolest(
        lambda x, y: nn.functional.cross_entropy(x + added, y),
        [said.reshape(-1, BAR_KINDS)],
        [want.reshape(-1)],
    )
    wrong = int(((said + added).argmax(-1) != want).any(1).sum())
    return replace(numbers, bar_temperature=round(tempered, 3)), f"{wrong} of {len(want)}"


def train_bars(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    rate: float = 2e-3,
) -> None:
    """Nothing; OUT/weights/checkers.onnx reads its bar as learned, its JSON says how surely. What
    it knows of places stays.
    """
    one_core(seed)
    weights = made_in(out)
    path = weights / "checkers.onnx"
    numbers = load_numbers(CheckerNumbers, "checkers", weights)
    trunk, part, store = Trunk(path), bar_part(path), Traced(folders)
    looks = held_out_looks(store, trunk, seed)
    say(f"held-out bars wrong before: {fitted(part, looks, numbers)[1]}")
    part.train()
    lessons = BarLessons(store, trunk, np.array(numbers.bar_prior), np.random.default_rng(seed))
    learner = TorchLearner(part, _loss_of, out / "bars.pt", decay=1e-3)
    fit(lessons, learner, Plan(cosine(rate, 50), minutes, say_every=100), time.monotonic, say)
    best = learner.best
    # A running mean of equal weights is off by what rounding makes of it.
    best.whole.load_state_dict(part.whole.state_dict())
    fresh, wrong = fitted(best, looks, numbers)
    say(f"held-out bars wrong: {wrong}; temperature {fresh.bar_temperature}")
    write_bar_part(best, path)
    (weights / "checkers.json").write_text(numbers_json(fresh))
