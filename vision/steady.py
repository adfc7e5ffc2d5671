"""Still or not: a hand, a bump, a lamp, a camera that hangs?  State in, state out.

Frames are compared shrunk, against two earlier ones: the frame before (is anything moving?) and the
last one at rest (what is there that was not?). A hand is a changed piece that reaches from beyond
the rails into the field: checkers and dice that moved never do, so the first frame after a hand has
left is at rest already, whatever it moved. What else reaches so far (a checker laid in the tray, a
cup, a shadow, the place where a hand lay when the camera began) is told from a hand by asking what
covers the board now, and is taken into the picture at rest place by place, each once nothing has
moved *there*. A bump is seen at the four corners of the rails, each looked for around its place by
correlation, which does not mind the light; a lamp changes most of the picture and moves nothing.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from rules.board import Site
from rules.observation import Condition
from vision.arrays import F32, F64, Mask, Pixels
from vision.corner_shift import (
    CornerShift,
    board_shift,
    corner_pieces,
    corner_shifts,
    moved_with,
)
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.settings import DEFAULT, SteadySettings, Thresholds
from vision.stirred import CoverNow, stirred
from vision.thumb import (
    ELSEWHERE,
    PIECE,
    Places,
    brightest,
    brightness_gain,
    differs,
    places_of,
    shrink_of,
    shrink_picture,
)

_TOLD: Final = 3
"""Shrunk pixels that must differ for a site to have changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """What is remembered from frame to frame. Start with `Steady()`; never shared between cameras.

    `condition`, `note`: of the last frame. `board_map`: where the board lies now; a board that
    drifts slowly is followed. `changed_sites`: where the last frame differs from the last one that
    was worth reading: points by their geometric numbers 1-24, BAR, and OFF for the trays and the
    table around; meaningful at rest only.
    """

    condition: Condition = Condition.AT_REST
    note: str = ""
    changed_sites: frozenset[Site] = frozenset()
    first: bool = True
    was_at_rest: bool = False
    board_map: BoardMap | None = None
    places: Places | None = field(default=None, repr=False)
    before: Pixels | None = field(default=None, repr=False)
    rest: Pixels | None = field(default=None, repr=False)
    covered: Mask | None = field(default=None, repr=False)
    """What was covered in `rest`."""
    read: Pixels | None = field(default=None, repr=False)
    corners: tuple[Pixels, ...] = field(default=(), repr=False)
    moved_at: F64 | None = field(default=None, repr=False)
    """When each place last changed from one frame to the next, s."""
    seen_at: float = 0.0
    looked_at: float = -math.inf
    """When the board's corners were last looked for, s."""
    still_since: float = -math.inf
    begun_covered: float | None = None
    """Since when the first picture's cover has been waited for."""
    fingerprint: tuple[int | None, int | None] = (None, None)
    """Of the last frame shrunk, and of the whole where the shrunk ones were the same."""
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
    steady: Steady,
    frame: Frame,
    board_map: BoardMap,
    settings: Thresholds = DEFAULT,
    look: CoverNow | None = None,
) -> tuple[Steady, Condition, str]:
    """Take one frame: the new state, the condition of this frame, and a human reason when it is not
    AT_REST.

    Call it for every frame in order; `frame.seen_at` must not run backwards. A new `board_map`
    starts afresh. `look`: what covers the board in this frame, nothing where it is not given.
    """
    s = settings.steady
    after = _step(steady, frame, board_map, look, s)
    return after, after.condition, after.note


def _step(
    steady: Steady, frame: Frame, board_map: BoardMap, look: CoverNow | None, s: SteadySettings
) -> Steady:
    shrink = shrink_of(frame.size, s)
    now = shrink_picture(frame.pixels, shrink)
    steady = _fingerprinted(steady, frame, now)
    if steady.same_count >= s.frozen_frames and frame.seen_at - steady.same_since >= s.frozen_after:
        waited = frame.seen_at - steady.same_since
        note = f"the camera has sent the same picture for {waited:.1f} s"
        return _say(steady, frame, Condition.FROZEN, note)
    places, size = steady.places, (now.shape[1], now.shape[0])
    if places is None or (places.board_map, places.size, places.shrink) != (
        board_map,
        size,
        shrink,
    ):
        places = places_of(board_map, size, shrink)
        steady = replace(steady, places=places)
    unlit = _unreadable_light(now, places, s)
    if unlit is not None:
        return _say(steady, frame, *unlit)
    if look is None:
        look = np.zeros(now.shape[:2], np.bool_).copy
    if (
        steady.rest is None
        or steady.before is None
        or steady.board_map != board_map
        or steady.rest.shape != now.shape
    ):
        return _begin(steady, frame, now, board_map, places, look, s)
    return _compare(steady, frame, now, places, look, s)


def _fingerprinted(steady: Steady, frame: Frame, now: Pixels) -> Steady:
    """The state that knows since when the picture has been the same to the bit."""
    # The shrunk picture tells most frames apart; only where it is the same the whole is looked at.
    shrunk = zlib.crc32(np.ascontiguousarray(now).data)
    then, whole = steady.fingerprint
    same = then == shrunk
    if same:
        all_of_it = zlib.crc32(np.ascontiguousarray(frame.pixels[::5]).data)
        same = whole in (None, all_of_it)
        whole = all_of_it
    else:
        whole = None
    return replace(
        steady,
        fingerprint=(shrunk, whole),
        same_since=steady.same_since if same else frame.seen_at,
        same_count=steady.same_count + 1 if same else 0,
        was_at_rest=steady.condition is Condition.AT_REST,
    )


def _unreadable_light(
    now: Pixels, places: Places, s: SteadySettings
) -> tuple[Condition, str] | None:
    brightness = brightest(now)[places.field]
    if brightness.size == 0 or float(brightness.mean()) < s.dark:
        return Condition.DARK, "the board is too dark to be read: switch a lamp on"
    white = cv2.inRange(now, (252, 252, 252), (255, 255, 255))[places.field] > 0
    if float(white.mean()) > s.glaring:
        return (
            Condition.OVER_EXPOSED,
            "most of the field is white: less light or a shorter exposure",
        )
    return None


def _begin(
    steady: Steady,
    frame: Frame,
    now: Pixels,
    board_map: BoardMap,
    places: Places,
    look: CoverNow,
    s: SteadySettings,
) -> Steady:
    """The first picture of a map: at rest unless something covers the board in it."""
    covered = look()
    over = float((covered & places.near).sum()) > s.begun_cover * places.unit**2
    fresh = replace(
        steady,
        board_map=board_map,
        rest=now,
        before=now,
        read=now,
        first=True,
        covered=covered,
        corners=corner_pieces(now, places),
        moved_at=np.full(now.shape[:2], -math.inf),
        still_since=-math.inf,
        begun_covered=frame.seen_at if over else None,
        changed_sites=frozenset(),
    )
    if over:
        return _say(fresh, frame, Condition.MOVING, "a hand or a thing lies over the board")
    return _say(fresh, frame, Condition.AT_REST, "")


def _compare(
    steady: Steady, frame: Frame, now: Pixels, places: Places, look: CoverNow, s: SteadySettings
) -> Steady:
    rest, before, moved_at = steady.rest, steady.before, steady.moved_at
    assert rest is not None and before is not None and moved_at is not None
    gain = brightness_gain(now, rest)
    changed = differs(now, rest, gain, s)
    # After a frame at rest both earlier pictures are that frame.
    moving = changed if before is rest else differs(now, before, brightness_gain(now, before), s)
    # It may have moved at any time since the frame before.
    if moving.any():
        spread = cv2.dilate(moving.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        moved_at = np.where(spread, steady.seen_at, moved_at)
        steady = replace(steady, moved_at=moved_at)
    if float((moving & places.near).sum()) > s.moved * places.unit**2:
        steady = replace(steady, still_since=steady.seen_at)
    steady = replace(steady, before=now, first=False)
    # A push shows as changes at once; what creeps shows in none, so the corners are looked for now
    # and then.
    shifts: list[CornerShift] = []
    if changed.any() or frame.seen_at - steady.looked_at >= s.look_every:
        shifts = corner_shifts(steady.corners, now, places)
        steady = replace(steady, looked_at=frame.seen_at)
    away = _away(shifts, frame.seen_at - moved_at, places, s)
    if away is not None:
        return _say(steady, frame, *away)
    moves = frame.seen_at - steady.still_since < s.still_for
    share = float(changed.mean())
    if share > s.relit or (float(np.abs(np.log(gain)).max()) > s.relit_gain and share < 0.1):
        if not moves:
            steady = _take(steady, now, changed, places, look, s)
        return _say(steady, frame, Condition.RELIT, "the light has changed")
    if changed.any():
        covered_then = steady.covered if steady.covered is not None else np.zeros_like(changed)
        what = stirred(changed, covered_then, frame.seen_at - moved_at, look, places, s)
        if what.settled is not None and what.settled.any():
            steady = replace(steady, rest=_settled(now, rest, gain, what.settled))
        if what.hand:
            return _say(steady, frame, Condition.MOVING, what.hand)
    if moves:
        return _say(steady, frame, Condition.MOVING, "something moves on the board")
    if steady.begun_covered is not None:
        covered = look()
        lying = covered & places.near
        still = float(np.median((frame.seen_at - moved_at)[lying])) if lying.any() else math.inf
        if min(still, frame.seen_at - steady.begun_covered) < s.settle_arm and lying.any():
            note = "a hand or a thing lies over the board"
            return _say(steady, frame, Condition.MOVING, note)
    steady = _take(steady, now, changed, places, look, s)
    return _say(_followed(steady, shifts, now, places, s), frame, Condition.AT_REST, "")


def _away(
    shifts: list[CornerShift], still: F64, places: Places, s: SteadySettings
) -> tuple[Condition, str] | None:
    """The board is not where the map has it: its corners are seen elsewhere, or nowhere."""
    shift = board_shift(shifts)
    if shift > s.bumped * places.unit:
        return Condition.BUMPED, (
            f"the board or the camera has moved by {shift / places.unit:.2f} of a point: the map"
            " must be found again"
        )
    lost = [c.number for c in shifts if c.moved is None]
    if len(lost) < 3 or len(shifts) - len(lost) > 1:
        return None
    waited = [still[y : y + PIECE, x : x + PIECE] for x, y in (places.corners[k] for k in lost)]
    if sorted(float(np.median(w)) for w in waited)[-3] < s.lost_for:
        return Condition.MOVING, "something large moves before the camera"
    return Condition.BUMPED, (
        "the board's corners are not where they were: the board or the camera was moved"
    )


def _say(steady: Steady, frame: Frame, condition: Condition, note: str) -> Steady:
    return replace(steady, condition=condition, note=note, seen_at=frame.seen_at)


def _settled(now: Pixels, rest: Pixels, gain: F32, settled: Mask) -> Pixels:
    """The picture at rest, in the light of now, with what has settled in it."""
    lit = cv2.multiply(rest, np.array([*gain, 1.0]))
    return np.asarray(np.where(settled[..., None], now, lit), np.uint8)


def _take(
    steady: Steady, now: Pixels, changed: Mask, places: Places, look: CoverNow, s: SteadySettings
) -> Steady:
    """This picture is the board as it stands; if it differs from the last one worth reading, it is
    the one worth reading.
    """
    covered = steady.covered
    if int((changed & places.near).sum()) >= _TOLD or steady.begun_covered is not None:
        covered = look()
    if steady.read is not None and steady.read is not steady.rest:
        changed = differs(now, steady.read, brightness_gain(now, steady.read), s)
    counts = np.bincount(places.sites[changed], minlength=256)
    sites = frozenset(int(site) for site in np.flatnonzero(counts[:ELSEWHERE] >= _TOLD))
    read = now if sites or not steady.was_at_rest else steady.read
    return replace(
        steady, rest=now, covered=covered, changed_sites=sites, read=read, begun_covered=None
    )


def _followed(
    steady: Steady, shifts: list[CornerShift], now: Pixels, places: Places, s: SteadySettings
) -> Steady:
    """The same with the map moved where the board drifted so slowly that nobody bumped it: an arm
    that sags, a table that creeps.
    """
    if not shifts or board_shift(shifts) < s.drifted * places.unit:
        return steady
    board_map = moved_with(places.board_map, shifts, places)
    if board_map is None:
        return steady
    there = places_of(board_map, places.size, places.shrink)
    return replace(steady, board_map=board_map, places=there, corners=corner_pieces(now, there))
