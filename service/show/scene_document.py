"""What the board itself shows, as plain JSON: a part of the state document
(`service.show.document`).
"""

from typing import TypedDict

from service.referee.clock_document import SideWord


class LightDocument(TypedDict):
    colour: str
    pattern: str
    side: SideWord | None


class FaceDocument(TypedDict):
    text: str
    colon: bool
    lamp: str


class FacesDocument(TypedDict, total=False):
    south: FaceDocument
    north: FaceDocument


class SceneDocument(TypedDict):
    """What the board itself shows."""

    lights: dict[str, list[LightDocument]]
    """By site, a number as text."""
    clock_face: FacesDocument
