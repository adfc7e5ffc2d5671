"""What commentators sent to the overlay of one table, kept in a small file so that a restart of the
page loses none of it. (E)
"""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Final

from service.show.note import NoteDocument
from service.web.delay import LONGEST, Cut, Lately

log = logging.getLogger(__name__)
MOST: Final = 500
"""Notes of one hour, the longest delay: more than anybody sends."""


def notes_path(folder: Path, table: str) -> Path:
    """Where the pages that keep their own in `folder` keep a table's notes."""
    return folder / f"{table}.notes.json"


class OverlayNotes:
    """A table's notes, each with when it was sent; remembered by this process alone where no file
    is named.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._sent = Lately[NoteDocument](MOST)
        self._number = 0
        if path is not None:
            self._read(path, time.time())

    def _read(self, path: Path, wall: float) -> None:
        try:
            for row in json.loads(path.read_text(encoding="utf-8"))["notes"]:
                note: NoteDocument = {
                    "number": int(row["number"]),
                    "text": str(row["text"]),
                    "until": float(row["until"]),
                    "replay": bool(row["replay"]),
                }
                # The number goes on where it was: pages tell a new note by it.
                self._number = max(self._number, note["number"])
                if row["wall"] >= wall - LONGEST - 60:
                    self._sent.add(float(row["at"]), float(row["wall"]), note)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.warning("notes that were sent before are not shown: %s (%s)", path, error)

    def send(self, text: str, seconds: float, *, replay: bool, at: float) -> NoteDocument:
        """A new note, from table time `at` on for so many seconds."""
        self._number += 1
        sent: NoteDocument = {
            "number": self._number,
            "text": text,
            "until": round(at + seconds, 3),
            "replay": replay,
        }
        self._sent.add(at, time.time(), sent)
        self._keep()
        return sent

    def newest(self, cut: Cut) -> NoteDocument | None:
        """The newest note that may be known by then."""
        return self._sent.newest(cut)

    def _keep(self) -> None:
        if self.path is None:
            return
        rows = [{**note, "at": at, "wall": wall} for at, wall, note in self._sent.rows()]
        part = self.path.with_suffix(".part")
        try:
            part.touch(mode=0o600)
            part.write_text(
                json.dumps({"notes": rows}, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            part.replace(self.path)
        except OSError as error:
            # It is on the air all the same; a restart would lose it.
            log.warning("a note could not be kept: %s (%s)", self.path, error)
