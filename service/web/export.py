"""Everything about a table's matches in one zip, made from the journal alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.journal.entries import TableOpened
from service.journal.keys import KeyFileError, key_path, table_key
from service.record.archive import (
    WRITERS,
    CannotExportError,
    fingerprint,
    write_archive,
    write_match,
)
from service.record.match_record import played_records
from service.record.score_sheet import score_sheets
from service.web.desk import Desk

LARGEST: Final = 400_000_000
"""Bytes of pictures in one export; the newest are kept when there are more."""
README: Final = """takhte export of table {name}

journal.ndjson   every entry as it was sealed, one a line, with the hash that ties it to the one \
before
state.json       the state document at the time of the export
*.takhte         the same entries as a signed archive: `takhte journal verify` checks it
match-N.*        each match for other programs; a format that cannot carry it says why in its place
score-sheets.json
pictures/        evidence pictures that are still kept, named by the entries
"""


def bundle(desk: Desk, pictures: Path | None) -> bytes:
    """The zip's bytes. Raises NoJournalError. Blocking: call it in a thread."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("journal.ndjson", "w") as file:
            for entry in desk.record.rows():
                file.write(
                    json.dumps(
                        entry, ensure_ascii=False, sort_keys=True, separators=(",", ":")
                    ).encode()
                    + b"\n"
                )
        archive.writestr("state.json", json.dumps(desk.live, ensure_ascii=False, indent=1))
        archive.writestr("README.txt", README.format(name=desk.name))
        for name, data in match_files(desk):
            archive.writestr(name, data)
        if pictures is not None:
            left = LARGEST
            for path in sorted(
                pictures.glob("*.jpg"), key=lambda p: p.stat().st_mtime, reverse=True
            ):
                left -= path.stat().st_size
                if left < 0:
                    break
                archive.write(path, f"pictures/{path.name}", zipfile.ZIP_STORED)
    return out.getvalue()


def match_files(desk: Desk) -> Iterator[tuple[str, bytes]]:
    """The signed archive, the score sheets, and each match in every format that can carry it, or
    why it cannot be made.
    """
    with desk.record.cursor() as reader:
        entries = reader.read()
    opened = next((e.body for e in entries if isinstance(e.body, TableOpened)), None)
    stem = desk.journal.stem if desk.journal else desk.name
    try:
        key = _key_of(desk)
        fingerprinted = fingerprint(key.public_key().public_bytes_raw())
        yield (
            f"{stem}.takhte",
            write_archive(entries, key, desk.name, opened.program if opened else ""),
        )
    except KeyFileError as error:
        fingerprinted = ""
        yield f"{stem}.takhte.missing.txt", str(error).encode()
    yield (
        "score-sheets.json",
        json.dumps(score_sheets(entries, fingerprinted), ensure_ascii=False, indent=1).encode(),
    )
    for number, record in enumerate(played_records(entries), start=1):
        for ending in WRITERS:
            try:
                yield f"match-{number}.{ending}", write_match(record, ending)
            except CannotExportError as error:
                yield f"match-{number}.{ending}.missing.txt", str(error).encode()


def _key_of(desk: Desk) -> Ed25519PrivateKey:
    """The table's own key. Raises KeyFileError where the table is on another machine."""
    if desk.journal is None:
        raise KeyFileError("the table's key is on its own machine: export the archive there")
    return table_key(key_path(desk.journal))
