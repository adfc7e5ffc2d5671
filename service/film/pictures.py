"""A small picture of each still of a film, for whoever puts its transcript right.  (E)"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2

from vision.frame import Frame

WIDEST: Final = 800
QUALITY: Final = 70


class StillPictures:
    """Keeps pictures in the folder `pictures` of a transcript, named by their frames' numbers."""

    def __init__(self, out: Path) -> None:
        self.folder = out / "pictures"

    def keep(self, frame: Frame) -> None:
        """Write the frame's picture. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        height, width = frame.pixels.shape[:2]
        scale = min(1.0, WIDEST / width)
        small = cv2.resize(
            frame.pixels,
            (round(width * scale), round(height * scale)),
            interpolation=cv2.INTER_AREA,
        )
        written, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if written:
            (self.folder / f"{frame.number}.jpg").write_bytes(jpeg.tobytes())
