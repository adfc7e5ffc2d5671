"""One file with everything, made from the model: what a tournament leaves behind (E)."""

from __future__ import annotations

import io
import json
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from service.hall.model import Model
from service.hall.registry import Registry
from service.hall.rounds import ResultRow, spreadsheet
from service.hall.wire import Row
from service.journal.chain import Entry
from service.journal.keys import HALL_JOURNAL, table_key
from service.journal.sqlite_file import write_anew
from service.journal.store import Reader
from service.record.archive import WRITERS, CannotExportError, write_match
from service.record.match_record import played_records
from service.record.score_sheet import score_sheets
from service.record.witnesses import hall_word

README: Final = """takhte archive of a hall

results.csv results.json       every pairing as the tables' own records have it
tables/NAME/journal.ndjson     every entry as it was sealed at the table, one a line, with the \
hash that ties it to the one before
tables/NAME/NAME.journal       the same as a journal file: `takhte journal verify` checks it, \
`takhte journal export` writes any format
tables/NAME/witness.json       the hall's own signature beside the table's: it had these entries; \
`takhte journal verify NAME.journal --witness witness.json`
tables/NAME/match-N.*          each match for other programs; a format that cannot carry it says \
why in its place
tables/NAME/score-sheets.json
tables/NAME/epoch-N.ndjson     records that were this table's before another board or journal took \
its place
commands.json                  what the hall ordered, and what became of it
refusals.json                  what the hall did not believe, and why
boards.json                    which key was which table, and between which messages of the stream
hall.journal                   the hall's own record: draw, rounds, results; it verifies as the \
tables' do
"""

ARCHIVE: Final = "archive.zip"
"""What `takhte hall archive` writes into the hall's folder."""


def write_results(
    folder: Path, hall: str, registry: Registry, results: Sequence[ResultRow]
) -> Path:
    """Write the archive into `folder`, over the last one; returns its path. Blocking."""
    path = folder / ARCHIVE
    build_archive(folder, hall, registry, results).replace(path)
    return path


def build_archive(
    folder: Path, hall: str, registry: Registry, results: Sequence[ResultRow]
) -> Path:
    """Write the archive into a new file in `folder`, which the caller removes: two people may
    ask at once. Blocking.
    """
    # A view of its own on the file: the hall goes on reading and writing meanwhile.
    model = Model(folder / "model.db", hall)
    with tempfile.NamedTemporaryFile(
        dir=folder, prefix="archive-", suffix=".part", delete=False
    ) as file:
        try:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in archive_files(model, registry, results):
                    archive.writestr(name, data)
        except BaseException:
            Path(file.name).unlink()
            raise
        finally:
            model.close()
    return Path(file.name)


def table_archive(folder: Path, hall: str, table: str) -> bytes:
    """The zip of one table's records. Blocking."""
    model, out = Model(folder / "model.db", hall), io.BytesIO()
    try:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in _table(model, table) if table in model.ledgers else ():
                archive.writestr(name, data)
    finally:
        model.close()
    return out.getvalue()


def archive_files(
    model: Model, registry: Registry, results: Sequence[ResultRow]
) -> Iterator[tuple[str, bytes | str]]:
    """(name, contents) of everything."""
    yield "README.txt", README
    yield "made.json", _text({"at": time.time(), **model.size()})
    yield "results.json", _text({"results": list(results)})
    yield "results.csv", spreadsheet(results)
    yield "commands.json", _text([asdict(c) for c in registry.commands(most=1_000_000)])
    yield "refusals.json", _text(model.refusals(most=1_000_000))
    yield "boards.json", _text([asdict(b) for b in registry.boards().values()])
    if (own := model.path.with_name(HALL_JOURNAL)).exists():
        with Reader(own) as reader:
            kept = [(entry.seq, entry.text, entry.hash) for entry in reader.read()]
        yield HALL_JOURNAL, _journal(kept)
    for table in sorted(model.ledgers):
        yield from _table(model, table)


def _table(model: Model, table: str) -> Iterator[tuple[str, bytes | str]]:
    home, present = f"tables/{table}", model.ledgers[table].epoch
    for epoch, _ in model.epochs(table):
        name = "journal.ndjson" if epoch == present else f"epoch-{epoch}.ndjson"
        yield (
            f"{home}/{name}",
            b"".join(_line(text, sealed) for _, text, sealed in model.rows(table, epoch=epoch)),
        )
    yield f"{home}/{table}.journal", journal_file(model, table)
    known, key = model.ledgers[table], table_key(model.path.with_name("hall.key"))
    yield f"{home}/witness.json", _text(hall_word(table, known.seq, known.head, time.time(), key))
    entries = model.entries(table)
    yield f"{home}/score-sheets.json", _text(score_sheets(entries))
    yield from _matches(home, entries)


def _line(text: bytes, sealed: str) -> bytes:
    return (
        json.dumps(
            {**json.loads(text), "hash": sealed},
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
        ).encode()
        + b"\n"
    )


def _matches(home: str, entries: Sequence[Entry]) -> Iterator[tuple[str, bytes]]:
    for number, record in enumerate(played_records(entries), start=1):
        for ending in WRITERS:
            try:
                yield f"{home}/match-{number}.{ending}", write_match(record, ending)
            except CannotExportError as error:
                yield f"{home}/match-{number}.{ending}.missing.txt", str(error).encode()


def journal_file(model: Model, table: str) -> bytes:
    """The table's present record as a journal file of its own, byte for byte the entries that the
    table sealed.
    """
    return _journal(model.rows(table))


def _journal(rows: Iterable[Row]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.journal"
        write_anew(path, rows, None)
        return path.read_bytes()


def _text(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)
