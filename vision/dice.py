"""Dice in a picture: where each lies, what it shows, how it lies.

Geometry (on the bar, off the board) comes from the map; the rest from the pixels.
"""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import numpy.typing as npt

from rules.observation import DieReading, DieStatus
from vision.frame import Pixels
from vision.geometry import BoardMap, rectify
from vision.settings import DEFAULT, Settings

Floats = npt.NDArray[np.float32]


def find_dice(pixels: Pixels, board_map: BoardMap, settings: Settings = DEFAULT) -> tuple[DieReading, ...]:
    """Every die in a picture of the map's size, the surest first; () when there is none."""
    s = settings.dice
    ppu = 42.0
    flat = rectify(pixels, board_map, ppu, s.edge, margin=s.margin)
    edge = s.edge * ppu
    found = []
    for light in (False, True):
        pips = _pips(flat.pixels, edge, light)
        for group in _groups(pips, 0.62 * edge):
            reading = _face(flat.pixels, pips[group], edge)
            if reading is None:
                continue
            (column, row), value, certainty, colour = reading
            ((x, y),) = flat.to_board([(column, row)])
            found.append((certainty, float(x), float(y), value, colour))
    found.sort(key=lambda f: -f[0])
    kept: list[DieReading] = []
    for certainty, x, y, value, colour in found:
        if all(
            np.hypot(x - q[0], y - q[1]) > 0.8 * s.edge
            for q in (
                (r.where[0] * board_map.width - board_map.width / 2, r.where[1] * board_map.height - board_map.height / 2) for r in kept
            )
        ):
            (pixel,) = board_map.project([(x, y, s.edge / 2)])
            a, b, c, d, e, f = (0.9 if v == value else 0.02 for v in range(1, 7))
            where = (x / board_map.width + 0.5, y / board_map.height + 0.5)
            kept.append(
                DieReading(
                    where,
                    (a, b, c, d, e, f),
                    status_by_place(x, y, board_map),
                    certainty,
                    colour,
                    (float(pixel[0]), float(pixel[1])),
                    s.edge * ppu,
                )
            )
    return tuple(kept)


def status_by_place(x: float, y: float, board_map: BoardMap, *, cocked: float = 0.02, on_checker: float = 0.02) -> dict[DieStatus, float]:
    """Status likelihoods of a die at board x, y: the place says bar or off the board, the look says cocked or on a checker."""
    flat = max(1e-3, 1 - cocked - on_checker)
    place = DieStatus.FLAT
    if abs(x) > board_map.width / 2 + 0.1 or abs(y) > board_map.height / 2 + 0.1:
        place = DieStatus.OFF_BOARD
    elif abs(x) < board_map.bar / 2:
        place = DieStatus.ON_BAR
    return {place: flat, DieStatus.COCKED: cocked, DieStatus.ON_CHECKER: on_checker}


def _pips(flat: Pixels, edge: float, light: bool) -> Floats:
    """Round spots of a pip's size, lighter or darker than what is around: column, row, radius."""
    grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY)
    size = int(edge * 0.34) | 1
    kind = cv2.MORPH_TOPHAT if light else cv2.MORPH_BLACKHAT
    spots = cv2.morphologyEx(cv2.GaussianBlur(grey, (0, 0), 0.8), kind, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    _, _, stats, centres = cv2.connectedComponentsWithStats((spots > 26).astype(np.uint8))
    area, width, height = stats[:, cv2.CC_STAT_AREA], stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    good = (
        (area > 0.008 * edge**2)
        & (area < 0.08 * edge**2)
        & (np.maximum(width, height) < 2 * np.minimum(width, height))
        & (area > 0.5 * width * height)
    )
    good[0] = False
    return np.concatenate([centres[good], np.sqrt(area[good] / np.pi)[:, None]], 1).astype(np.float32)


def _groups(pips: Floats, reach: float) -> list[list[int]]:
    """Indices of pips linked by steps shorter than `reach`; groups over nine are texture."""
    if not 0 < len(pips) < 4000:
        return []
    left, groups = set(range(len(pips))), []
    while left:
        group, queue = [], [left.pop()]
        while queue:
            at = queue.pop()
            group.append(at)
            near = [k for k in left if np.hypot(*(pips[k, :2] - pips[at, :2])) < reach]
            left.difference_update(near)
            queue += near
        if len(group) <= 9:
            groups.append(group)
    return groups


_PATTERNS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def _face(flat: Pixels, pips: Floats, edge: float) -> tuple[tuple[float, float], int, float, tuple[int, int, int]] | None:
    """The face that these pips make: centre, value, certainty, colour; None when they make none."""
    best: tuple[float, int, npt.NDArray[np.float64]] | None = None
    for count in range(min(6, len(pips)), 0, -1):
        for chosen in itertools.islice(itertools.combinations(range(len(pips)), count), 90):
            p = pips[list(chosen), :2]
            centre = p.mean(0)
            error = _misfit(p - centre, count, edge)
            score = error - 0.06 * count
            if error < 0.12 and (best is None or score < best[0]):
                best = (score, count, centre)
    if best is None:
        return None
    _, value, centre = best
    x, y = round(float(centre[0])), round(float(centre[1]))
    half = round(edge * 0.36)
    patch = flat[max(0, y - half) : y + half + 1, max(0, x - half) : x + half + 1].reshape(-1, 3).astype(np.float32)
    wide = round(edge * 0.95)
    ring = flat[max(0, y - wide) : y + wide + 1, max(0, x - wide) : x + wide + 1].reshape(-1, 3).astype(np.float32)
    body = np.median(patch, 0)
    alike = float((np.abs(patch - body).max(1) < 40).mean())
    around = float((np.abs(ring - body).max(1) < 40).mean())
    if alike < 0.5 or around > 0.62 or (value == 1 and (alike < 0.75 or around > 0.45)):
        return None
    certainty = float(np.clip(0.5 + alike - around, 0.5, 0.95))
    return (float(centre[0]), float(centre[1])), value, certainty, (int(body[2]), int(body[1]), int(body[0]))


def _misfit(p: npt.NDArray[np.floating], count: int, edge: float) -> float:
    """How far spots about their centre are from the pattern of a face, shares of the edge, at the best turn."""
    if count == 1:
        return 0.0
    want = np.array(_PATTERNS[count], np.float64)
    spread = float(np.sqrt((p**2).sum(1).mean()))
    scale = spread / float(np.sqrt((want**2).sum(1).mean()))
    if not 0.17 * edge < scale < 0.36 * edge:
        return 1.0
    z = p[:, 0] + 1j * p[:, 1]
    errors = []
    for turn in np.arange(0, 180, 7.5):
        w = (want[:, 0] + 1j * want[:, 1]) * np.exp(1j * np.radians(turn)) * scale
        errors.append(float(np.abs(z[:, None] - w[None]).min(1).max() + np.abs(z[:, None] - w[None]).min(0).max()) / 2 / edge)
    return min(errors)
