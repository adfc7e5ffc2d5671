"""Everything about a table's matches in one zip, made from the journal alone."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

from service.web.desk import Desk

LARGEST: Final = 400_000_000
"""Bytes of pictures in one export; the newest are kept when there are more."""
README: Final = """takhte export of table {name}

journal.ndjson   every entry as it was sealed, one a line, with the hash that ties it to the one before
state.json       the state document at the time of the export
pictures/        evidence pictures that are still kept, named by the entries
"""


def bundle(desk: Desk, pictures: Path | None) -> bytes:
    """The zip's bytes. Raises NoJournalError. Blocking: call it in a thread."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("journal.ndjson", "w") as file:
            for entry in desk.chronicle.rows():
                file.write(json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        archive.writestr("state.json", json.dumps(desk.live, ensure_ascii=False, indent=1))
        archive.writestr("README.txt", README.format(name=desk.name))
        for name, data in match_files(desk):
            archive.writestr(name, data)
        if pictures is not None:
            left = LARGEST
            for path in sorted(pictures.glob("*.jpg"), key=lambda p: p.stat().st_mtime, reverse=True):
                left -= path.stat().st_size
                if left < 0:
                    break
                archive.write(path, f"pictures/{path.name}", zipfile.ZIP_STORED)
    return out.getvalue()


def match_files(desk: Desk) -> list[tuple[str, Any]]:
    """The match files that the archive can make."""
    return []
