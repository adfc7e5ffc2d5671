"""The evidence pictures of a table: small JPEG files beside the journal, named by the entries, kept
for some hours (E).

The table's process crops a picture to the board before it comes here; nothing here is ever public
by itself.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
MAX_BYTES: Final = 4_000_000
"""One picture: a cropped board at 1920 pixels is about 400 kB."""


class PictureStoreError(OSError):
    """A picture that cannot be kept or is not there; the message says what was expected."""


class PictureStore:
    """`keep`, `get` and `expire` JPEG pictures by id in one folder.

    Losing one never stops the game.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, picture: str) -> Path:
        if not _NAME.fullmatch(picture):
            raise PictureStoreError(
                f"expected a picture id of a-z, 0-9 and '-', got {picture[:40]!r}"
            )
        return self.folder / f"{picture}.jpg"

    def keep(self, picture: str, jpeg: bytes, wall: float) -> None:
        """Write a picture, whole or not at all; `wall` (the machine's date, seconds) is when its
        keeping begins. Raises PictureError.
        """
        path = self._path(picture)
        if len(jpeg) > MAX_BYTES or not jpeg.startswith(b"\xff\xd8"):
            raise PictureStoreError(
                f"expected a JPEG of at most {MAX_BYTES} bytes, got {len(jpeg)} bytes"
            )
        part = path.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            part.write_bytes(jpeg)
            os.utime(part, (wall, wall))
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise PictureStoreError(f"{path}: the picture could not be kept: {error}") from error

    def get(self, picture: str) -> bytes | None:
        """The JPEG, None when it was never kept or its hours are over.

        Raises PictureError for an id that is none.
        """
        path = self._path(picture)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None

    def expire(self, wall: float, hours: float) -> int:
        """Delete every picture older than so many hours; returns how many went."""
        gone = 0
        for path in self.folder.glob("*.jpg"):
            if path.stat().st_mtime < wall - hours * 3600:
                path.unlink(missing_ok=True)
                gone += 1
        return gone
