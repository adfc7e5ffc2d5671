"""Still or not: a hand, a bump, a lamp, a camera that hangs?  State in, state out.

Frames are compared shrunk, against two earlier ones: the frame before (is anything moving?) and the
last one at rest (what is there that was not?). A hand is a changed piece that reaches from beyond
the rails into the field: checkers and dice that moved never do, so the first frame after a hand has
left is at rest already, whatever it moved. A bump is seen at the four corners of the rails, each
looked for around its place by correlation, which does not mind the light; a lamp changes most of
the picture and moves nothing.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from rules.board import BAR, OFF, Site
from rules.observation import Condition
from vision.arrays import F32, F64, Mask, Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.settings import DEFAULT, SteadySettings, Thresholds

_ELSEWHERE: Final = 255
_PIECE: Final = 40
"""Edge of the pieces around the board's corners, in shrunk pixels."""
_SEARCH: Final = 7
_ALIKE: Final = 0.75
"""Correlation below which a corner is covered or too changed to tell."""


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where things are in the shrunk picture (`size`) of one map."""

    board_map: BoardMap
    size: tuple[int, int]
    shrink: int

    unit: float
    """Pixels of one point width, in the middle of the field."""
    field: Mask
    near: Mask
    """The field and its rails."""
    beyond: Mask
    """Past the inner edge of the rails: no checker on a point reaches here."""
    sites: Pixels
    corners: tuple[tuple[int, int], ...]
    rails: tuple[Pixels, ...]
    """For each corner, 255 where rail and table are, 0 on the field."""


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """What is remembered from frame to frame. Start with `Steady()`; never shared between cameras.

    `condition`, `note`: of the last frame. `changed_sites`: where the last frame differs from the
    last one that was worth reading: points by their geometric numbers 1-24, BAR, and OFF for the
    trays and the table around; meaningful at rest only.
    """

    condition: Condition = Condition.AT_REST
    note: str = ""
    changed_sites: frozenset[Site] = frozenset()
    first: bool = True
    was_at_rest: bool = False
    board_map: BoardMap | None = None
    places: _Places | None = field(default=None, repr=False)
    before: Pixels | None = field(default=None, repr=False)
    rest: Pixels | None = field(default=None, repr=False)
    read: Pixels | None = field(default=None, repr=False)
    corners: tuple[Pixels, ...] = field(default=(), repr=False)
    seen_at: float = 0.0
    still_since: float = float("-inf")
    hand_since: float | None = None
    fingerprint: int | None = None
    same_since: float = 0.0
    same_count: int = 0

    @property
    def nothing_changed(self) -> bool:
        """At rest, as before, and nothing differs from the last frame worth reading: the last
        reading still holds.
        """
        return (
            self.condition is Condition.AT_REST
            and self.was_at_rest
            and not self.first
            and not self.changed_sites
        )


def next_steady(
    steady: Steady, frame: Frame, board_map: BoardMap, settings: Thresholds = DEFAULT
) -> tuple[Steady, Condition, str]:
    """Take one frame: the new state, the condition of this frame, and a human reason when it is not
    AT_REST.

    Call it for every frame in order; `frame.seen_at` must not run backwards. A new `board_map`
    starts afresh.
    """
    s = settings.steady
    after = _step(steady, frame, board_map, s)
    return after, after.condition, after.note


def _step(steady: Steady, frame: Frame, board_map: BoardMap, s: SteadySettings) -> Steady:
    fingerprint = zlib.crc32(np.ascontiguousarray(frame.pixels[::5]).data)
    same = steady.fingerprint == fingerprint
    steady = replace(
        steady,
        fingerprint=fingerprint,
        same_since=steady.same_since if same else frame.seen_at,
        same_count=steady.same_count + 1 if same else 0,
        was_at_rest=steady.condition is Condition.AT_REST,
    )
    if steady.same_count >= s.frozen_frames and frame.seen_at - steady.same_since >= s.frozen_after:
        waited = frame.seen_at - steady.same_since
        return _say(
            steady,
            frame,
            Condition.FROZEN,
            f"the camera has sent the same picture for {waited:.1f} s",
        )
    shrink = max(1, round(frame.size[0] / s.thumb_width))
    now = shrink_picture(frame.pixels, shrink)
    places, size = steady.places, (now.shape[1], now.shape[0])
    if places is None or (places.board_map, places.size, places.shrink) != (
        board_map,
        size,
        shrink,
    ):
        places = _places(board_map, size, shrink)
        steady = replace(steady, places=places)
    brightness = _brightest(now)[places.field]
    if brightness.size == 0 or float(brightness.mean()) < s.dark:
        return _say(
            steady, frame, Condition.DARK, "the board is too dark to be read: switch a lamp on"
        )
    if (
        float((cv2.inRange(now, (252, 252, 252), (255, 255, 255))[places.field] > 0).mean())
        > s.glaring
    ):
        return _say(
            steady,
            frame,
            Condition.OVER_EXPOSED,
            "most of the field is white: less light or a shorter exposure",
        )
    if (
        steady.rest is None
        or steady.before is None
        or steady.board_map != board_map
        or steady.rest.shape != now.shape
    ):
        fresh = replace(
            steady,
            board_map=board_map,
            rest=now,
            before=now,
            read=now,
            first=True,
            corners=_corner_pieces(now, places),
        )
        fresh = replace(
            fresh, still_since=float("-inf"), hand_since=None, changed_sites=frozenset()
        )
        return _say(fresh, frame, Condition.AT_REST, "")
    return _compare(steady, frame, now, places, s)


def _compare(
    steady: Steady, frame: Frame, now: Pixels, places: _Places, s: SteadySettings
) -> Steady:
    rest, before = steady.rest, steady.before
    assert rest is not None and before is not None
    gain = _gain(now, rest)
    changed = _differs(now, rest, gain, s)
    # After a frame at rest both earlier pictures are that frame.
    moving = changed if before is rest else _differs(now, before, _gain(now, before), s)
    if float((moving & places.near).sum()) > s.moved * places.unit**2:
        # It may have moved at any time since the frame before.
        steady = replace(steady, still_since=steady.seen_at)
    steady = replace(steady, before=now, first=False)
    # Edges that moved would show as changes: without any there is no need to look for the corners.
    shift = _shift(steady.corners, now, places) if changed.any() else None
    if shift is not None and shift > s.bumped * places.unit:
        note = (
            f"the board or the camera has moved by {shift / places.unit:.2f} of a point: the map"
            " must be found again"
        )
        return _say(steady, frame, Condition.BUMPED, note)
    share = float(changed.mean())
    if share > s.relit or (float(np.abs(np.log(gain)).max()) > s.relit_gain and share < 0.1):
        if frame.seen_at - steady.still_since < s.still_for:
            return _say(steady, frame, Condition.RELIT, "the light has changed")
        return _say(
            _take(steady, now, changed, places, s),
            frame,
            Condition.RELIT,
            "the light has changed",
        )
    hand = _hand(changed, places, s) if changed.any() else ""
    if hand:
        since = steady.hand_since if steady.hand_since is not None else frame.seen_at
        still_for = frame.seen_at - max(since, steady.still_since)
        if still_for < s.ghost_after:
            return _say(replace(steady, hand_since=since), frame, Condition.MOVING, hand)
    if frame.seen_at - steady.still_since < s.still_for:
        return _say(
            replace(steady, hand_since=None),
            frame,
            Condition.MOVING,
            "something moves on the board",
        )
    return _say(_take(steady, now, changed, places, s), frame, Condition.AT_REST, "")


def _say(steady: Steady, frame: Frame, condition: Condition, note: str) -> Steady:
    return replace(steady, condition=condition, note=note, seen_at=frame.seen_at)


def shrink_picture(pixels: Pixels, shrink: int) -> Pixels:
    """The picture by a whole factor smaller, each pixel a mean (what does not divide is cut off at
    the right and the bottom).

    Every other row is enough to average noise away, and takes half the time.
    """
    height, width = pixels.shape[0] // shrink, pixels.shape[1] // shrink
    whole = pixels[: height * shrink : 2 if shrink % 2 == 0 else 1, : width * shrink]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _gain(now: Pixels, then: Pixels) -> F32:
    """How much brighter each channel is, as the median over the picture: a hand or a sleeve does
    not move it.
    """
    a, b = (
        now[::8, ::8].reshape(-1, 3).astype(np.float32),
        then[::8, ::8].reshape(-1, 3).astype(np.float32),
    )
    good = (np.maximum(np.maximum(a[:, 0], a[:, 1]), a[:, 2]) < 250) & (
        np.minimum(np.minimum(b[:, 0], b[:, 1]), b[:, 2]) > 12
    )
    if int(good.sum()) < 50:
        return np.ones(3, np.float32)
    return np.asarray(np.clip(np.median(a[good] / b[good], 0), 0.25, 4.0), np.float32)


def _differs(now: Pixels, then: Pixels, gain: F32, s: SteadySettings) -> Mask:
    """Where two shrunk pictures differ by more than noise, the overall brightness set aside."""
    expected = (
        cv2.multiply(then, np.array([*gain, 1.0])) if np.abs(gain - 1).max() > 0.004 else then
    )
    difference = _brightest(np.asarray(cv2.absdiff(now, np.asarray(expected, np.uint8)), np.uint8))
    tolerated = cv2.convertScaleAbs(_brightest(now), alpha=s.slope, beta=s.level)
    return np.asarray(difference > tolerated, np.bool_)


def _brightest(picture: Pixels) -> Pixels:
    """The largest channel of each pixel; numpy's max over three is ten times slower."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _hand(changed: Mask, places: _Places, s: SteadySettings) -> str:
    """Why this is a hand, or nothing."""
    solid = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    solid = cv2.dilate(solid, np.ones((2, 2), np.uint8))
    count, labels = cv2.connectedComponents(solid)
    unit = places.unit**2
    within = np.bincount(labels[places.near], minlength=count)[1:] / unit
    beyond = np.bincount(labels[places.beyond], minlength=count)[1:] / unit
    if bool(((within > s.hand_field) & (beyond > s.hand_outside)).any()):
        return "a hand is over the board"
    if bool((np.bincount(labels[places.field], minlength=count)[1:] / unit > s.hand_alone).any()):
        return "something large covers the field"
    return ""


def _take(steady: Steady, now: Pixels, changed: Mask, places: _Places, s: SteadySettings) -> Steady:
    """This picture is the board as it stands; if it differs from the last one worth reading, it is
    the one worth reading.
    """
    if steady.read is not None and steady.read is not steady.rest:
        changed = _differs(now, steady.read, _gain(now, steady.read), s)
    counts = np.bincount(places.sites[changed], minlength=256)
    sites = frozenset(int(site) for site in np.flatnonzero(counts[:_ELSEWHERE] >= 3))
    read = now if sites or not steady.was_at_rest else steady.read
    return replace(steady, rest=now, hand_since=None, changed_sites=sites, read=read)


def _corner_pieces(now: Pixels, places: _Places) -> tuple[Pixels, ...]:
    grey = np.asarray(cv2.cvtColor(now, cv2.COLOR_BGR2GRAY), np.uint8)
    return tuple(grey[y : y + _PIECE, x : x + _PIECE].copy() for x, y in places.corners)


def _shift(then: tuple[Pixels, ...], now: Pixels, places: _Places) -> float | None:
    """How far the board's corners have moved, shrunk pixels: the second largest of those that can
    tell, None when fewer than two can.

    Each rail corner as it was, the field cut out of it since checkers come and go there, is looked
    for where it should be and around.
    """
    height, width = now.shape[:2]
    shifts = []
    for piece, mask, (x, y) in zip(then, places.rails, places.corners, strict=True):
        left, top = max(0, x - _SEARCH), max(0, y - _SEARCH)
        around = now[
            top : min(height, y + _PIECE + _SEARCH), left : min(width, x + _PIECE + _SEARCH)
        ]
        if piece.shape != (_PIECE, _PIECE) or float(piece[mask > 0].std()) < 4:
            continue
        found = cv2.matchTemplate(
            cv2.cvtColor(around, cv2.COLOR_BGR2GRAY), piece, cv2.TM_CCOEFF_NORMED, mask=mask
        )
        likeness: F32 = np.where(np.isfinite(found), found, -1).astype(np.float32)
        row, column = np.unravel_index(int(likeness.argmax()), likeness.shape)
        if likeness[row, column] > _ALIKE:
            dx, dy = (
                column - (x - left) + _vertex(likeness[row], int(column)),
                row - (y - top) + _vertex(likeness[:, column], int(row)),
            )
            shifts.append(float(np.hypot(dx, dy)))
    return sorted(shifts)[-2] if len(shifts) >= 2 else None


def _vertex(line: F32, at: int) -> float:
    """Where between samples the parabola through a peak and its neighbours has its top, -0.5 to
    0.5.
    """
    if not 0 < at < len(line) - 1:
        return 0.0
    a, b, c = float(line[at - 1]), float(line[at]), float(line[at + 1])
    return 0.0 if a - 2 * b + c >= 0 else 0.5 * (a - c) / (a - 2 * b + c)


def _places(board_map: BoardMap, size: tuple[int, int], shrink: int) -> _Places:
    width, height = size
    column, row = np.meshgrid(np.arange(width), np.arange(height))
    pixels = np.stack([column.ravel(), row.ravel()], 1) * float(shrink) + (shrink - 1) / 2
    # Half a checker up: what stands on the field is seen a little farther out than the field
    # itself.
    board = board_map.unproject(pixels, board_map.thickness / 2)
    x, y = board[:, 0].reshape(height, width), board[:, 1].reshape(height, width)
    out = np.maximum(np.abs(x) - board_map.width / 2, np.abs(y) - board_map.height / 2)
    middle = board_map.project([(-0.5, 0, 0), (0.5, 0, 0), (0, -0.5, 0), (0, 0.5, 0)]) / shrink
    unit = float(
        (np.linalg.norm(middle[1] - middle[0]) + np.linalg.norm(middle[3] - middle[2])) / 2
    )
    half = _PIECE // 2
    corners, rails = [], []
    for cx, cy in board_map.corners() / shrink:
        left, top = (
            int(np.clip(cx - half, 0, max(0, width - _PIECE))),
            int(np.clip(cy - half, 0, max(0, height - _PIECE))),
        )
        corners.append((left, top))
        rails.append(
            np.where(out[top : top + _PIECE, left : left + _PIECE] > 0.12, 255, 0).astype(np.uint8)
        )
    return _Places(
        board_map,
        size,
        shrink,
        unit,
        out < 0.1,
        out < 0.6,
        out > 0.45,
        _site_image(board_map, x, y, out),
        tuple(corners),
        tuple(rails),
    )


def _site_image(
    board_map: BoardMap,
    x: F64,
    y: F64,
    out: F64,
) -> Pixels:
    """The site that each shrunk pixel belongs to."""
    column = np.where(
        x > 0, 5 - np.floor(x - board_map.bar / 2), 5 - np.floor(x + board_map.bar / 2)
    )
    column = np.clip(column, np.where(x > 0, 0, 6), np.where(x > 0, 5, 11)).astype(np.int64)
    sites = np.where(y < 0, column + 1, 24 - column)
    sites = np.where(np.abs(x) < board_map.bar / 2, BAR, sites)
    sites = np.where(out > 0.3, OFF, sites)
    return np.where(out > 6, _ELSEWHERE, sites).astype(np.uint8)
