"""Dice in a picture: where each lies, what it shows, how it lies.  Find where, then read what.

`vision.dice.find` gives the places that look like a die or a cube; a second small network is shown
each, straightened and turned (`vision.dice.crops`), and says what it is, what it shows and whether
it lies flat, leans, lies on a checker or rolls. Whether it lies on the bar or off the board is
geometry. Nothing is decided: every answer is a likelihood, calibrated on palettes kept out of
training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

import numpy as np

from rules.observation import DieReading, DieStatus
from vision.arrays import F32, F64, Mask, Pixels
from vision.dice import lies, pips
from vision.dice.crops import CHANNELS, CROP, network_input, pair_in_four
from vision.dice.find import Candidate, DiceFinder, find_candidates
from vision.dice.low import each_die_once
from vision.dice.upper import STEEPEST
from vision.geometry import BoardMap
from vision.network import (
    SHIPPED,
    ColumnGroup,
    Columns,
    OnnxNetwork,
    WeightsError,
    load_network,
    load_numbers,
    parts_of,
    softmax,
)
from vision.prepared import PreparedMap
from vision.settings import DEFAULT, DiceSettings, Thresholds

_SCALES: Final = (0.88, 1.13)
_SURE: Final = (1.5, 1.0)
"""Margins of logits, of what it is and how it lies, above which one look is enough: three say the
same. What it shows is looked at again by a network of its own.
"""


@dataclass(frozen=True, slots=True)
class DiceNumbers:
    """What was fitted beside the reader network: for each part of its answer a temperature, and how
    finder and reader together make a certainty, for dice and for cubes.
    """

    columns: Columns
    temperatures: Mapping[str, float]
    certainty: Mapping[str, Mapping[str, float]]
    """Of `die` and `cube`: `bias`, and the weights of `finder` and `reader`."""


@dataclass(frozen=True, slots=True)
class DiceColumns:
    """Where each part of the reader's answer stands among its columns."""

    kind: ColumnGroup
    status: ColumnGroup
    value: ColumnGroup

    @classmethod
    def of(cls, numbers: DiceNumbers) -> Self:
        """Those that the numbers name, in their order. Raises WeightsError for other parts."""
        try:
            return cls(**parts_of(numbers.columns))
        except TypeError:
            raise WeightsError(
                "vision/weights/dice_read.json names the columns of"
                f" {', '.join(numbers.columns)}; this program reads kind, status, value"
            ) from None

    @property
    def by_name(self) -> dict[str, ColumnGroup]:
        """The parts by their names, which are those of the temperatures."""
        return {"kind": self.kind, "status": self.status, "value": self.value}

    @property
    def total(self) -> int:
        """How many columns there are."""
        return sum(len(part.names) for part in self.by_name.values())


@dataclass(frozen=True, slots=True, eq=False)
class DiceReader:
    """The network that reads what a candidate is and shows, with its columns and numbers, and the
    two that look again at the upper face of a die.
    """

    net: OnnxNetwork
    numbers: DiceNumbers
    columns: DiceColumns
    shows: pips.PipNetwork
    lying: lies.LieNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("dice_read", folder)
        numbers = load_numbers(DiceNumbers, "dice_read", folder)
        columns = DiceColumns.of(numbers)
        net.check({"x": (1, CHANNELS, CROP, CROP)}, {"y": (1, columns.total)})
        strange = set(columns.status.names) - {status.value for status in DieStatus}
        if strange:
            raise WeightsError(
                f"vision/weights/dice_read.json names a status {', '.join(sorted(strange))}; this"
                f" program knows {', '.join(status.value for status in DieStatus)}"
            )
        calm = tuple(way.value for way in lies.LIES)
        if columns.status.names[: len(calm)] != calm:
            raise WeightsError(
                f"vision/weights/dice_read.json names the statuses {columns.status.names}; this"
                f" program needs {', '.join(calm)} first"
            )
        on_top = pips.PipNetwork.load(folder), lies.LieNetwork.load(folder)
        return cls(net, numbers, columns, *on_top)

    def probabilities(self, logits: F32, part: str, usual: F32 | None = None) -> F32:
        """Of one part (N x its columns), after its temperature; `usual`: how common each is."""
        columns = self.columns.by_name[part].columns
        here = logits[:, columns] / self.numbers.temperatures[part]
        return softmax(here if usual is None else here + np.log(usual))


@dataclass(frozen=True, slots=True, eq=False)
class CandidateReading:
    """One candidate with what the reader network said of it: probabilities after calibration.

    `x`, `y`: board, at half an edge above the field. `edge`: point widths. `die`, `cube`: that it
    is one. `lies`: flat, cocked, on a checker, rolling. `values`: 1-6. `colour`: RGB. `axes`,
    `slant`: the picture there, see `crops.local_frame`.
    """

    pixel: tuple[float, float]
    x: float
    y: float
    edge: float
    edge_pixels: float
    die: float
    cube: float
    lies: Mapping[DieStatus, float]
    values: tuple[float, ...]
    colour: tuple[int, int, int]
    axes: F64
    slant: float


def find_dice(
    readings: Sequence[CandidateReading], board_map: BoardMap, settings: Thresholds = DEFAULT
) -> tuple[DieReading, ...]:
    """Every die among what `read_candidates` gave, the surest first; () when there is none.

    `certainty` is the probability that there is a die; readings under `settings.dice.found` are
    left out, far off the field those under `settings.dice.found_alone`: logos lie there.
    """
    s = settings.dice

    def least(one: CandidateReading) -> float:
        out = max(abs(one.x) - board_map.width / 2, abs(one.y) - board_map.height / 2)
        return s.found_alone if out > s.far_off else s.found

    dice = [(one.die, one) for one in readings if one.die >= least(one)]
    return tuple(_reading(one, board_map, settings) for _, one in sorted(dice, key=lambda d: -d[0]))


def _reading(one: CandidateReading, board_map: BoardMap, settings: Thresholds) -> DieReading:
    s = settings.dice
    # Too few pixels: the face is not to be told, however sure the network is.
    blind = min(1.0, max(0.0, (s.readable - one.edge_pixels) / (0.3 * s.readable)))
    a, b, c, d, e, f = (v * (1 - blind) + blind / 6 for v in one.values)
    where = (one.x / board_map.width + 0.5, one.y / board_map.height + 0.5)
    status = status_by_place(one, board_map, settings)
    return DieReading(
        where, (a, b, c, d, e, f), status, one.die, one.colour, one.pixel, one.edge_pixels
    )


def status_by_place(
    one: CandidateReading, board_map: BoardMap, settings: Thresholds = DEFAULT
) -> dict[DieStatus, float]:
    """The look says flat, cocked, on a checker or rolling; the place takes its share for the bar
    and for off the board.
    """
    soft = settings.dice.place_blur
    out = max(abs(one.x) - board_map.width / 2, abs(one.y) - board_map.height / 2)
    off = 1 / (1 + math.exp(-min(30.0, max(-30.0, (out - 0.12) / soft))))
    bar = (1 - off) / (
        1 + math.exp(min(30.0, max(-30.0, (abs(one.x) - board_map.bar / 2 + 0.02) / soft)))
    )
    status = {key: p * (1 - off - bar) for key, p in one.lies.items()}
    # A die on the bar or the table can lean or roll too, but a checker under it is what the network
    # takes the bar for.
    cocked = one.lies[DieStatus.COCKED] * bar
    status[DieStatus.COCKED] += cocked
    status |= {DieStatus.ON_BAR: bar - cocked, DieStatus.OFF_BOARD: off}
    return {key: p for key, p in status.items() if p > 1e-4}


def _shown_logits(
    pixels: Pixels, candidates: Sequence[Candidate], reader: DiceReader
) -> tuple[F32, list[Pixels]]:
    """The reader network's logits of each candidate (N x columns), and the near crop of each.

    What is in doubt is looked at again, a little nearer and a little farther, and the mean is
    taken: the finder's idea of the edge is good to a tenth.
    """
    first = [pair_in_four(pixels, c.pixel, c.axes, c.edge, c.slant) for c in candidates]
    logits = _logits(first, candidates, reader)
    again = np.flatnonzero(_doubtful(logits, reader.columns)).tolist()
    if again:
        chosen = [candidates[k] for k in again for _ in _SCALES]
        scales = list(_SCALES) * len(again)
        more = _logits(
            [
                pair_in_four(pixels, c.pixel, c.axes, c.edge * s, c.slant)
                for c, s in zip(chosen, scales, strict=True)
            ],
            chosen,
            reader,
        )
        logits[again] = (logits[again] + more.reshape(len(again), len(_SCALES), -1).sum(1)) / (
            1 + len(_SCALES)
        )
    return logits, [near for near, _ in first]


def _doubtful(logits: F32, columns: DiceColumns) -> Mask:
    """Which candidates (N x columns) are in doubt: of a die how it lies counts too."""
    kinds = logits[:, columns.kind.columns]
    best = np.sort(kinds, 1)
    ways = np.sort(logits[:, columns.status.columns], 1)
    by_kind, by_lie = _SURE
    dice = kinds.argmax(1) == columns.kind.names.index("die")
    unsure = ways[:, -1] - ways[:, -2] < by_lie
    return np.asarray((best[:, -1] - best[:, -2] < by_kind) | (dice & unsure))


def _logits(
    pairs: Sequence[tuple[Pixels, Pixels]], candidates: Sequence[Candidate], reader: DiceReader
) -> F32:
    near, wide = zip(*pairs, strict=True)
    x = network_input(near, wide, [c.slant for c in candidates])
    return reader.net.run({"x": x}, ["y"])[0]


def kind_logits(pixels: Pixels, candidates: Sequence[Candidate], reader: DiceReader) -> F32:
    """N x 3 logits of nothing, die, cube, as the calibration of the certainty needs them."""
    kind = reader.columns.kind
    if not candidates:
        return np.empty((0, len(kind.names)), np.float32)
    logits = _shown_logits(pixels, candidates, reader)[0][:, kind.columns]
    return logits / np.float32(reader.numbers.temperatures["kind"])


def dice_before_faces(
    pixels: Pixels, candidates: Sequence[Candidate], reader: DiceReader, settings: DiceSettings
) -> tuple[Mask, F64, F32]:
    """Which candidates the network of the upper face is asked about (N), the log odds that each is
    a die by finder and reader (N x 2, as `pips.certainties` takes them), and that network's logits.
    How all of them make a certainty is fitted on them.
    """
    logits = _shown_logits(pixels, candidates, reader)[0]
    likely = _kinds(logits, candidates, reader)
    asked, around = _asked(likely, candidates, settings), likely[:, 0] >= settings.asked
    _, shown = pips.surest_faces(pixels, candidates, reader.shows, around)
    return asked, _odds(logits, candidates, reader), shown


def said_alone(
    pixels: Pixels, candidates: Sequence[Candidate], reader: DiceReader, settings: DiceSettings
) -> tuple[F32, F32]:
    """What the dice reader alone says of each: N x 6 probabilities of what it shows, N x 4 of how
    it lies. The weights of all looks together are fitted on them.
    """
    logits = _shown_logits(pixels, candidates, reader)[0]
    usual = np.array(settings.usual, np.float32)
    values = reader.probabilities(logits, "value")
    return values, reader.probabilities(logits, "status", usual)


def look_for_dice(
    pixels: Pixels,
    board: PreparedMap,
    finder: DiceFinder,
    reader: DiceReader,
    settings: Thresholds = DEFAULT,
) -> tuple[CandidateReading, ...]:
    """All that looks like a die or a cube: one pass, of which `find_dice` and `find_cube` make what
    they report.
    """
    candidates = find_candidates(pixels, board, finder, settings.dice)

    def read(places: Sequence[Candidate]) -> tuple[CandidateReading, ...]:
        return read_candidates(pixels, places, reader, settings.dice)

    return each_die_once(candidates, read(candidates), read, settings.dice)


def read_candidates(
    pixels: Pixels, candidates: Sequence[Candidate], reader: DiceReader, settings: DiceSettings
) -> tuple[CandidateReading, ...]:
    """What each place is and shows, in the order of the candidates."""
    if not candidates:
        return ()
    logits, crops = _shown_logits(pixels, candidates, reader)
    likely, colours = _kinds(logits, candidates, reader), _colours(crops)
    ways = reader.probabilities(logits, "status", np.array(settings.usual, np.float32))
    values = reader.probabilities(logits, "value")
    upper = np.flatnonzero(_asked(likely, candidates, settings)).tolist()
    if upper:
        places, of = [candidates[k] for k in upper], reader.shows.numbers
        around = likely[upper, 0] >= settings.asked
        faces, shown = pips.surest_faces(pixels, places, reader.shows, around)
        values[upper] = pips.together(values[upper], shown, of)
        likely[upper, 0] = pips.certainties(_odds(logits, candidates, reader)[upper], shown, of)
        least = min(settings.found, settings.found_alone)
        dice = [(k, face) for k, face in zip(upper, faces, strict=True) if likely[k, 0] >= least]
        rows = [k for k, _ in dice]
        if rows:
            lying = lies.lie_logits(pixels, [face for _, face in dice], reader.lying)
            ways[rows] = lies.together(ways[rows], lying, reader.lying.numbers)
    statuses = [DieStatus(name) for name in reader.columns.status.names]
    found = []
    for k, c in enumerate(candidates):
        die, cube = likely[k].tolist()
        found.append(
            CandidateReading(
                c.pixel,
                c.x,
                c.y,
                c.edge,
                c.edge_pixels,
                die,
                cube,
                dict(zip(statuses, ways[k].tolist(), strict=True)),
                tuple(values[k].tolist()),
                colours[k],
                c.axes,
                c.slant,
            )
        )
    return tuple(_not_in_a_cube(one, found) for one in found)


def _not_in_a_cube(one: CandidateReading, found: Sequence[CandidateReading]) -> CandidateReading:
    """A die cannot be where a cube is: a face of the cube is taken for one.

    Two that touch are three quarters of the cube's edge apart.
    """
    die = one.die
    for other in found:
        if (
            other is not one
            and math.dist(one.pixel, other.pixel) < 0.6 * other.edge_pixels
            and other.cube > one.cube
        ):
            die *= 1 - other.cube
    return replace(one, die=die) if die < one.die else one


def _kinds(logits: F32, candidates: Sequence[Candidate], reader: DiceReader) -> F64:
    """Probability of a die and of a cube for each candidate (N x 2), finder and reader (`logits`:
    N x columns) together: one logistic regression for each, fitted on held-out scenes.
    """
    kinds = logits[:, reader.columns.kind.columns] / reader.numbers.temperatures["kind"]
    odds = np.array([c.logits for c in candidates], np.float64)
    for k, name in enumerate(("die", "cube")):
        column = reader.columns.kind.names.index(name)
        fitted = reader.numbers.certainty[name]
        others = np.logaddexp.reduce(np.delete(kinds, column, 1), 1)
        said = kinds[:, column].astype(np.float64) - others
        odds[:, k] = fitted["bias"] + fitted["finder"] * odds[:, k] + fitted["reader"] * said
    likely = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    return np.asarray(likely / np.maximum(likely.sum(1, keepdims=True), 1), np.float64)


def _odds(logits: F32, candidates: Sequence[Candidate], reader: DiceReader) -> F64:
    """Log odds of a die for each candidate (N x 2): the finder's, and the reader's against nothing.
    Against a cube the network of the upper face knows better: it has more pixels.
    """
    names = reader.columns.kind.names
    kinds = logits[:, reader.columns.kind.columns].astype(np.float64)
    nothing, die = (kinds[:, names.index(name)] for name in ("nothing", "die"))
    return np.stack([np.array([c.logits[0] for c in candidates]), die - nothing], 1)


def _asked(likely: F64, candidates: Sequence[Candidate], settings: DiceSettings) -> Mask:
    """Which candidates the network of the upper face is asked about (N): a die of one large pip is
    a cube to the reader.
    """
    slants = np.array([c.slant for c in candidates])
    return np.asarray((likely.max(1) >= settings.asked) & (slants < STEEPEST))


def _colours(near: Sequence[Pixels]) -> list[tuple[int, int, int]]:
    """Median of the middle of each crop, RGB: the body of the die, since its pips cover less than
    half.
    """
    a = CROP // 2 - CROP // 7
    middle = np.stack(near)[:, a:-a, a:-a, :3].reshape(len(near), -1, 3)
    half = middle.shape[1] // 2
    return [(r, g, b) for b, g, r in np.partition(middle, half, 1)[:, half].tolist()]
