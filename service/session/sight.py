"""The camera's side of a table: frames in, Observations out; the board is found, followed, and
found again when it was pushed.

A frozen state and one function, without a clock of its own: the same frames at the same times with
the same hints give the same Observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

from rules.board import Placement, Seating
from rules.observation import Condition, Observation, Source
from vision.calibrate import BoardNotFound, find_board
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError
from vision.networks import Networks
from vision.reader import Eye, read_next
from vision.sets import Palette

SEARCH_S: Final = 1.0
"""Looking for the board costs more than reading it: at most this often."""
UNREAD_S: Final = 10.0
"""A board of which nothing could be read for so long is said to be unread …"""
UNREAD_HAND_S: Final = 60.0
"""… and so long where hands are over it, since people think with a hand on the board."""


@dataclass(frozen=True, slots=True)
class Corners:
    """The field's corners as a person dragged them:

    TL TR BR BL in pixels of a picture of `size` (width, height).
    """

    points: tuple[tuple[float, float], ...]
    size: tuple[int, int]

    def on(self, size: tuple[int, int]) -> list[tuple[float, float]]:
        """The same on a picture of another size of the same shape."""
        return [(x * size[0] / self.size[0], y * size[1] / self.size[1]) for x, y in self.points]


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What is remembered between frames.

    `orientation` 0 or 180 where a person said how the camera hangs, else None.
    """

    orientation: int | None = None
    corners: Corners | None = None
    eye: Eye | None = None
    searched_at: float = -math.inf
    read_at: float = math.nan
    """When the board was last read, or looking for it began."""
    trouble: str = "no picture yet"
    """Why the board is not read, "" when it is."""
    unread: str = ""
    """The same once it has lasted: what the record says of the stretch that was not read."""
    networks: Networks = field(default_factory=Networks, repr=False)
    """Loaded when they are first needed; whoever looks afresh hands them on."""
    palette: Palette | None = None
    """The colours of the table's sets as an earlier evening taught them."""

    def afresh(self, corners: Corners | None = None) -> Sight:
        """One that has seen nothing yet and knows what no picture says: how the camera hangs, the
        colours; and where a person says that the board lies.
        """
        return Sight(self.orientation, corners, networks=self.networks, palette=self.palette)

    @property
    def board_map(self) -> BoardMap | None:
        return self.eye.board_map if self.eye else None


@dataclass(frozen=True, slots=True)
class Hint:
    """What the game knows of the board while a frame is read. `recorded`: what stands there by the
    record, to tell which way up the board lies; `sure`: what stands there for sure (the start, not
    yet touched), to learn the colours from; None for neither."""

    seating: Seating
    recorded: Placement | None = None
    sure: Placement | None = None


def read_frame(sight: Sight, frame: Frame, hint: Hint) -> tuple[Sight, Observation]:
    """The next frame of the stream.

    Where no board is found the Observation says NO_BOARD and why.
    """
    sight, seen = _read(sight, frame, hint)
    return _with_unread(sight, seen), seen


def _with_unread(sight: Sight, seen: Observation) -> Sight:
    """The sight that knows for how long nothing has been read, and why."""
    if seen.condition is Condition.AT_REST or math.isnan(sight.read_at):
        return replace(sight, read_at=seen.seen_at, unread="")
    waited = seen.seen_at - sight.read_at
    least = UNREAD_HAND_S if seen.condition is Condition.MOVING else UNREAD_S
    return replace(sight, unread=seen.note) if waited >= least else sight


def _read(sight: Sight, frame: Frame, hint: Hint) -> tuple[Sight, Observation]:
    if sight.eye is None:
        sight = _search(sight, frame, hint)
        if sight.eye is None:
            return sight, Observation(
                Source.CAMERA, frame.seen_at, frame.number, Condition.NO_BOARD, note=sight.trouble
            )
    eye = sight.eye
    assert eye is not None
    # Today's light teaches the colours anew, once the start is seen.
    sure = hint.sure if eye.palette == sight.palette else None
    try:
        eye, seen = read_next(eye, frame, seating=hint.seating, known=sure)
    except GeometryError as e:
        # Another resolution or shape than before: another camera, or the driver changed its mind.
        return replace(sight, eye=None, trouble=str(e)), Observation(
            Source.CAMERA, frame.seen_at, frame.number, Condition.NO_BOARD, note=str(e)
        )
    # Corners that a person dragged are where the board lay then.
    corners = None if seen.condition is Condition.BUMPED else sight.corners
    trouble = "" if seen.condition in (Condition.AT_REST, Condition.MOVING) else seen.note
    return replace(sight, eye=eye, corners=corners, trouble=trouble), seen


def _search(sight: Sight, frame: Frame, hint: Hint) -> Sight:
    """Find the board in this frame."""
    if 0 <= frame.seen_at - sight.searched_at < SEARCH_S:
        return sight
    sight = replace(sight, searched_at=frame.seen_at)
    try:
        dragged = sight.corners.on(frame.size) if sight.corners else None
        found = find_board(
            frame,
            sight.networks,
            corners=dragged,
            orientation=sight.orientation,
            known=hint.recorded,
            seating=hint.seating,
        )
    except (BoardNotFound, GeometryError) as e:
        return replace(sight, trouble=str(e))
    return replace(sight, eye=Eye.of(found, sight.networks, sight.palette), trouble="")
