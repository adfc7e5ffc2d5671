"""The table that plays the recording which comes with the program: its own folder of journals, one
for each time it was played to its end.

A visitor who starts it again after the end sees it from the start; one who stopped it half-way, or
killed it, goes on where it was. The last three are kept. A journal that a person names is used as
it is.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from service.journal.chain import JournalError
from service.journal.store import Heartbeat, Reader, StoreError
from service.recording.log import RecordedLog
from service.settings import Settings

KEPT: Final = 3


def settings_for(
    settings: Settings, given: argparse.Namespace, played: Path, again: bool
) -> Settings:
    """Settings with the journal to play into.

    Raises RecordingError when there is nothing to play.
    """
    recording = RecordedLog(played)
    if given.journal:
        return settings
    folder = settings.data / "demo"
    name = re.sub(r"[^A-Za-z0-9_-]", "-", played.name) or "recording"
    journals = sorted(folder.glob(f"{name}-[0-9][0-9][0-9][0-9].journal"))
    last = journals[-1] if journals else None
    number = int(last.stem[-4:]) if last else 0
    if last is None or again or over(last, recording):
        number += 1
        _forget(journals[: max(0, len(journals) - KEPT + 1)])
    return settings.with_values(table_journal=str(folder / f"{name}-{number % 10000:04d}.journal"))


def position_of(beat: Heartbeat | None, last_at: float) -> float:
    """Where in the recording a journal stopped: said by its heartbeat, and by what was entered
    after it.
    """
    if beat is None or not isinstance(beat.data, Mapping):
        return 0.0
    position = beat.data.get("position")
    if not isinstance(position, int | float):
        return 0.0
    return float(position) + max(0.0, last_at - beat.at)


def over(journal: Path, recording: RecordedLog) -> bool:
    """Whether the recording was played to its end into this journal; one that cannot be read is
    left alone, and counts as over.
    """
    try:
        with Reader(journal) as reader:
            return position_of(reader.heartbeat(), 0.0) >= recording.length
    except (JournalError, StoreError, OSError):
        return True


def _forget(journals: list[Path]) -> None:
    for journal in journals:
        for path in journal.parent.glob(f"{journal.stem}.*"):
            with contextlib.suppress(OSError):
                if path.is_dir():
                    for picture in path.glob("*.jpg"):
                        picture.unlink()
                    path.rmdir()
                else:
                    path.unlink()
