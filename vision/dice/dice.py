"""Dice in a picture: where each lies, what it shows, how it lies.  Find where, then read what.

`vision.dice.find` gives the places that look like a die or a cube; a second small network is shown
each, straightened and turned (`vision.dice.crops`), and says what it is, what it shows and whether
it lies flat, leans, lies on a checker or rolls. Whether it lies on the bar or off the board is
geometry. Nothing is decided: every answer is a likelihood, calibrated on palettes kept out of
training.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.observation import DieReading, DieStatus
from vision import network
from vision.arrays import F32, Mask, Pixels
from vision.dice.crops import CROP, crop_pair, network_input
from vision.dice.find import Candidate, find
from vision.dice.settings import DiceSettings
from vision.geometry import BoardMap
from vision.settings import DEFAULT, Settings

_SCALES: Final = (0.88, 1.13)
_SURE: Final = (1.5, 1.0, 1.5)
"""Margins of logits, of what it is, how it lies and what it shows, above which one look is enough:
three say the same.
"""
_LOOKS: Final = (DieStatus.FLAT, DieStatus.COCKED, DieStatus.ON_CHECKER, DieStatus.ROLLING)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One candidate with what the reader network said of it: probabilities after calibration.

    `x`, `y`: board, at half an edge above the field. `edge`: point widths. `kinds`: nothing, die,
    cube. `looks`: flat, cocked, on a checker, rolling. `values`: 1-6. `shown`: 2-64. `colour`: RGB.
    """

    pixel: tuple[float, float]
    x: float
    y: float
    edge: float
    edge_pixels: float
    kinds: tuple[float, float, float]
    looks: tuple[float, ...]
    values: tuple[float, ...]
    shown: tuple[float, ...]
    colour: tuple[int, int, int]


def find_dice(
    pixels: Pixels, board_map: BoardMap, settings: Settings = DEFAULT
) -> tuple[DieReading, ...]:
    """Every die in a picture of the map's size, the surest first; () when there is none.

    `certainty` is the probability that there is a die; readings under `settings.dice.found` are
    left out.
    """
    s = settings.dice
    dice = [
        (seen.kinds[1], seen)
        for seen in look(pixels, board_map, settings)
        if seen.kinds[1] >= s.found
    ]
    return tuple(
        _reading(seen, board_map, settings) for _, seen in sorted(dice, key=lambda d: -d[0])
    )


def _reading(seen: Seen, board_map: BoardMap, settings: Settings) -> DieReading:
    s = settings.dice
    # Too few pixels: the face is not to be told, however sure the network is.
    blind = min(1.0, max(0.0, (s.readable - seen.edge_pixels) / (0.3 * s.readable)))
    a, b, c, d, e, f = (v * (1 - blind) + blind / 6 for v in seen.values)
    where = (seen.x / board_map.width + 0.5, seen.y / board_map.height + 0.5)
    status = status_by_place(seen, board_map, settings)
    return DieReading(
        where, (a, b, c, d, e, f), status, seen.kinds[1], seen.colour, seen.pixel, seen.edge_pixels
    )


def status_by_place(
    seen: Seen, board_map: BoardMap, settings: Settings = DEFAULT
) -> dict[DieStatus, float]:
    """The look says flat, cocked, on a checker or rolling; the place takes its share for the bar
    and for off the board.
    """
    soft = settings.dice.place_blur
    out = max(abs(seen.x) - board_map.width / 2, abs(seen.y) - board_map.height / 2)
    off = 1 / (1 + math.exp(-min(30.0, max(-30.0, (out - 0.12) / soft))))
    bar = (1 - off) / (
        1 + math.exp(min(30.0, max(-30.0, (abs(seen.x) - board_map.bar / 2 + 0.02) / soft)))
    )
    status = {look: p * (1 - off - bar) for look, p in zip(_LOOKS, seen.looks, strict=True)}
    # A die on the bar or the table can lean or roll too, but a checker under it is what the network
    # takes the bar for.
    leaning = seen.looks[1] * bar
    status[DieStatus.COCKED] += leaning
    status |= {DieStatus.ON_BAR: bar - leaning, DieStatus.OFF_BOARD: off}
    return {key: p for key, p in status.items() if p > 1e-4}


_last: tuple[weakref.ref[Pixels], BoardMap, tuple[Seen, ...]] | None = None


def look(pixels: Pixels, board_map: BoardMap, settings: Settings = DEFAULT) -> tuple[Seen, ...]:
    """All that looks like a die or a cube.

    The last answer is kept, so that dice and cube of one picture cost one pass.
    """
    global _last
    if _last is not None and _last[0]() is pixels and _last[1] == board_map:
        return _last[2]
    found = _read(pixels, find(pixels, board_map, settings.dice), settings.dice)
    _last = (weakref.ref(pixels), board_map, found)
    return found


def _shown(pixels: Pixels, candidates: Sequence[Candidate]) -> tuple[F32, list[Pixels]]:
    """What the reader network says of each candidate (N x 19 logits), and the near crop of each.

    What is in doubt is looked at again, a little nearer and a little farther, and the mean is
    taken: the finder's idea of the edge is good to a tenth.
    """
    first = [crop_pair(pixels, np.array(c.pixel), c.axes, c.edge) for c in candidates]
    said = _asked(first, candidates)
    again = np.flatnonzero(_doubtful(said)).tolist()
    if again:
        chosen = [candidates[k] for k in again for _ in _SCALES]
        scales = list(_SCALES) * len(again)
        more = _asked(
            [
                crop_pair(pixels, np.array(c.pixel), c.axes, c.edge * s)
                for c, s in zip(chosen, scales, strict=True)
            ],
            chosen,
        )
        said[again] = (said[again] + more.reshape(len(again), len(_SCALES), -1).sum(1)) / (
            1 + len(_SCALES)
        )
    return said, [near for near, _ in first]


def _doubtful(said: F32) -> Mask:
    """Which candidates (N x 19 logits) are in doubt: of a die how it lies and what it shows counts
    too; nothing helps a cube's number.
    """
    best = np.sort(said[:, :3], 1)
    looks, values = np.sort(said[:, 3:7], 1), np.sort(said[:, 7:13], 1)
    kind, lies, shows = _SURE
    unsure = (looks[:, -1] - looks[:, -2] < lies) | (values[:, -1] - values[:, -2] < shows)
    return np.asarray((best[:, 2] - best[:, 1] < kind) | ((said[:, :3].argmax(1) == 1) & unsure))


def _asked(pairs: Sequence[tuple[Pixels, Pixels]], candidates: Sequence[Candidate]) -> F32:
    near, wide = zip(*pairs, strict=True)
    return network.run(
        "dice_read", {"x": network_input(near, wide, [c.slant for c in candidates])}, ["y"]
    )[0]


def kind_logits(pixels: Pixels, candidates: Sequence[Candidate]) -> F32:
    """N x 3 logits of nothing, die, cube, as the calibration of the certainty needs them."""
    if not candidates:
        return np.empty((0, 3), np.float32)
    return _shown(pixels, candidates)[0][:, :3] / np.float32(
        network.fitted("dice_read")["temperatures"]["kind"]
    )


def _read(
    pixels: Pixels, candidates: Sequence[Candidate], settings: DiceSettings
) -> tuple[Seen, ...]:
    if not candidates:
        return ()
    said, crops = _shown(pixels, candidates)
    fitted = network.fitted("dice_read")
    t = fitted["temperatures"]
    looks = network.softmax(
        said[:, 3:7] / t["status"] + np.log(np.array(settings.usual, np.float32))
    ).tolist()
    values, shown = (
        network.softmax(said[:, a:b] / t[part]).tolist()
        for part, a, b in (("value", 7, 13), ("shown", 13, 19))
    )
    found = []
    for k, c in enumerate(candidates):
        kinds = _kinds(said[k, :3] / t["kind"], c, fitted["certainty"])
        read = (tuple(looks[k]), tuple(values[k]), tuple(shown[k]), _colour(crops[k]))
        found.append(Seen(c.pixel, c.x, c.y, c.edge, c.edge_pixels, kinds, *read))
    return tuple(_not_in_a_cube(seen, found) for seen in found)


def _not_in_a_cube(seen: Seen, found: Sequence[Seen]) -> Seen:
    """A die cannot be where a cube is: a face of the cube is taken for one.

    Two that touch are three quarters of the cube's edge apart.
    """
    _, die, cube = seen.kinds
    for other in found:
        if (
            other is not seen
            and math.dist(seen.pixel, other.pixel) < 0.6 * other.edge_pixels
            and other.kinds[2] > cube
        ):
            die *= 1 - other.kinds[2]
    return replace(seen, kinds=(1 - die - cube, die, cube)) if die < seen.kinds[1] else seen


def _kinds(
    logits: F32, candidate: Candidate, fitted: Sequence[Sequence[float]]
) -> tuple[float, float, float]:
    """Finder and reader together: one logistic regression for dice and one for cubes, fitted on
    held-out scenes.
    """
    odds = []
    for kind in (1, 2):
        others = float(np.logaddexp.reduce(np.delete(logits, kind)))
        bias, of_finder, of_reader = fitted[kind - 1]
        odds.append(
            bias
            + of_finder * candidate.logits[kind - 1]
            + of_reader * (float(logits[kind]) - others)
        )
    die, cube = (1 / (1 + math.exp(-min(30.0, max(-30.0, o)))) for o in odds)
    both = die + cube
    if both > 1:
        die, cube = die / both, cube / both
    return max(0.0, 1 - die - cube), die, cube


def _colour(near: Pixels) -> tuple[int, int, int]:
    """Median of the middle of a crop, RGB: the body of the die, since its pips cover less than
    half.
    """
    a = CROP // 2 - CROP // 7
    middle = near[a:-a, a:-a].reshape(-1, 3)
    b, g, r = np.partition(middle, len(middle) // 2, 0)[len(middle) // 2].tolist()
    return r, g, b


def settled(
    before: Sequence[DieReading],
    now: Sequence[DieReading],
    seconds: float,
    settings: Settings = DEFAULT,
) -> tuple[DieReading, ...]:
    """The dice of this frame in the light of the frame before, `seconds` earlier: what was not
    there or elsewhere may be rolling still.

    Doubt falls with time: a die seen for the first time after a long gap is as likely to have come
    to rest long since.
    """
    s = settings.dice
    doubt = 0.5 * math.exp(-max(0.0, seconds) / s.roll_time)
    out = []
    for die in now:
        near = any(_apart(die, other, s.edge) < s.still for other in before)
        rolling = die.status.get(DieStatus.ROLLING, 0.0) * (0.2 if near else 1.0)
        rolling = rolling if near else max(rolling, doubt)
        rest = sum(p for key, p in die.status.items() if key is not DieStatus.ROLLING) or 1.0
        status = {
            key: p / rest * (1 - rolling)
            for key, p in die.status.items()
            if key is not DieStatus.ROLLING
        }
        out.append(replace(die, status=status | {DieStatus.ROLLING: max(rolling, 1e-4)}))
    return tuple(out)


def _apart(a: DieReading, b: DieReading, edge: float) -> float:
    """Distance of two readings in edges, from their pixels where both have them."""
    if a.pixel is not None and b.pixel is not None and a.size:
        return math.dist(a.pixel, b.pixel) / a.size
    return math.hypot((a.where[0] - b.where[0]) * 13, (a.where[1] - b.where[1]) * 11) / edge
