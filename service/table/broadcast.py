"""The camera's picture for the stream: what of it may be handed on, and where it is found.

The camera's own process hands on what lies in a box and nothing else. The box is the board's, and
there is none while the board is not where it was found: a camera that was knocked looks somewhere
else, perhaps at people.
"""

from __future__ import annotations

from typing import Final

from rules.observation import Condition
from service.table.outputs import box_of
from service.table.sources import CameraLike, Seen
from vision.camera.camera import Camera

STALE_S: Final = 5.0
"""An older picture is no picture of what happens: a camera that hangs or was played to its end
shows nothing.
"""


def aim_stream(camera: CameraLike | None, seen: Seen) -> None:
    """Have the camera hand on the board as it was found in this picture, or nothing.

    From any thread.
    """
    if not isinstance(camera, Camera):
        return
    board_map = seen.sight.board_map
    away = board_map is None or seen.observation.condition in (Condition.NO_BOARD, Condition.BUMPED)
    box = None if board_map is None or away else box_of(board_map, *seen.frame.size)
    camera.crop(box if box and box[2] and box[3] else None)


def stream_address(camera: CameraLike | None, consent: bool, now: float) -> dict[str, str]:
    """Where the pictures are handed on (`address`, on this machine alone), and why there are none
    (`why`: off, no-camera, no-board, "").

    `now` is monotonic time. From any thread: the camera is asked for nothing that could start it
    again.
    """
    if not consent:
        return {"address": "", "why": "off"}
    if not isinstance(camera, Camera):
        return {"address": "", "why": "no-camera"}
    try:
        address, fresh = camera.broadcast, camera.age(now) < STALE_S and not camera.ended
    except ValueError:
        # It was closed this very moment.
        address, fresh = None, False
    if not address or not fresh:
        return {"address": "", "why": "no-camera"}
    return {"address": address, "why": "" if camera.shows else "no-board"}
