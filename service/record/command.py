"""`takhte journal`: verify, show and export a journal or an archive (E).

Reads only; a table that is running is not disturbed.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rules.words import SOURCE, about_command
from service.journal.chain import Entry, JournalError
from service.journal.codec import canonical, encode
from service.journal.key_changes import (
    change_key,
    changes_path,
    read_changes,
)
from service.journal.keys import KeyFileError, key_path, table_key
from service.journal.saying import entry_words
from service.journal.store import StoreError
from service.record.archive import (
    WRITERS,
    ArchiveError,
    CannotExportError,
    fingerprint,
    read_archive,
    write_archive,
    write_match,
)
from service.record.match_record import played_records
from service.record.score_sheet import score_sheets
from service.record.stamps import StampError, stamp
from service.record.verifying import is_archive, sound_entries, verify_record
from service.record.witnesses import WitnessError

if TYPE_CHECKING:
    Words = argparse._SubParsersAction[argparse.ArgumentParser]

ENDINGS: Final = ("takhte", *WRITERS, "ogxm", "sheet")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when all is well, 1 when it is not (said on stderr), 2 for a wrong question."""
    parser = argparse.ArgumentParser(prog="takhte journal", description=about_command(__doc__))
    words = parser.add_subparsers(
        dest="word", required=True, metavar="verify | stamp | key | show | export"
    )
    for add in (_verify_words, _stamp_words, _key_words, _show_words, _export_words):
        add(words)
    given = parser.parse_args(arguments)
    act: Callable[[argparse.Namespace], int] = given.act
    try:
        return act(given)
    except (
        *(JournalError, ArchiveError, CannotExportError, StoreError, KeyFileError),
        *(StampError, WitnessError),
    ) as error:
        print(f"takhte journal: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"takhte journal: {given.file}: {error}", file=sys.stderr)
        return 1


def _verify_words(words: Words) -> None:
    parser = words.add_parser(
        "verify", help="check every link of a journal, or the seal of an archive"
    )
    parser.add_argument(
        "file",
        type=Path,
        help="a journal, an archive (.takhte) or an amended match (.amended.json)",
    )
    parser.add_argument("--key", help="the base64 public key that an archive must be sealed with")
    parser.add_argument(
        "--head",
        metavar="HEX[@N]",
        help="a head that was noted, its first 8 digits or more: that entry (number N) must be"
        " there",
    )
    parser.add_argument(
        "--witness",
        type=Path,
        metavar="FILE",
        help="what a hall signed of the record: witness.json of its archive",
    )
    parser.add_argument(
        "--keys",
        type=Path,
        metavar="FILE",
        help="the table's own table.keys, which says what was revoked; default: beside FILE",
    )
    parser.add_argument(
        "--stamped-by",
        type=Path,
        metavar="PEM",
        help="the root certificate of the authority that must have stamped the archive",
    )
    parser.set_defaults(act=verify_record)


def _stamp_words(words: Words) -> None:
    parser = words.add_parser(
        "stamp", help="have a time stamping authority (RFC 3161) stamp an archive"
    )
    parser.add_argument("file", type=Path, help="an archive (.takhte)")
    parser.add_argument("authority", help="its address: https://...")
    parser.set_defaults(act=_stamp)


def _key_words(words: Words) -> None:
    parser = words.add_parser(
        "key", help="show the key of a journal's table, or give it another from now on"
    )
    parser.add_argument("file", type=Path, help="the table's journal")
    parser.add_argument("--change", action="store_true", help="make a new key; the old one is gone")
    parser.add_argument(
        "--revoke",
        metavar="WHY",
        default="",
        help="make a new key, and say that nobody should believe the old one any more",
    )
    parser.set_defaults(act=_key)


def _show_words(words: Words) -> None:
    parser = words.add_parser("show", help="print entries, one a line")
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="as JSON lines")
    parser.add_argument(
        "--since", type=int, default=0, metavar="N", help="only entries after number N"
    )
    parser.add_argument(
        "--kind", action="append", default=[], help="only entries of this kind; may be repeated"
    )
    parser.set_defaults(act=_show)


def _export_words(words: Words) -> None:
    parser = words.add_parser("export", help="write the signed archive and match files")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="FOLDER", help="where to write; default: here"
    )
    parser.add_argument(
        "--format",
        action="append",
        choices=ENDINGS,
        help="default: takhte, mat, sgf, json and sheet",
    )
    parser.add_argument(
        "--signing-key",
        type=Path,
        metavar="FILE",
        help="the table's key; default: table.key beside the journal",
    )
    parser.set_defaults(act=_export)


def _key(given: argparse.Namespace) -> int:
    if not given.file.exists():
        raise KeyFileError(f"{given.file}: expected a table's journal, found no file")
    if given.change or given.revoke:
        change_key(given.file, time.time(), given.revoke)
        print("a table that has joined a hall joins it again, with a new code")
    public = table_key(key_path(given.file)).public_key().public_bytes_raw()
    print(f"key {base64.b64encode(public).decode()} (fingerprint {fingerprint(public)})")
    for change in read_changes(changes_path(given.file)):
        date = datetime.fromtimestamp(change.wall, UTC).date().isoformat()
        why = f"revoked: {change.revoked}" if change.revoked else "changed"
        print(f"  before {date}: {fingerprint(change.old)}, {why}")
    return 0


def _stamp(given: argparse.Namespace) -> int:
    if not is_archive(given.file):
        raise ArchiveError(f"{given.file}: expected an archive: export one from the journal first")
    read_archive(given.file.read_bytes())
    print(stamp(given.file, given.authority))
    return 0


def _show(given: argparse.Namespace) -> int:
    for entry in sound_entries(given.file):
        if entry.seq > given.since and (not given.kind or entry.body.kind in given.kind):
            print(_json_line(entry) if given.json else text_line(entry))
    return 0


def _json_line(entry: Entry) -> str:
    return canonical({**json.loads(entry.text), "hash": entry.hash}).decode()


def text_line(entry: Entry) -> str:
    """An entry for people: number, date, who, kind, and what it says, without its evidence."""
    date = datetime.fromtimestamp(entry.wall, UTC).strftime("%Y-%m-%d %H:%M:%S")
    who = entry.by.name or entry.by.role.value
    fields = encode(entry.body)
    assert isinstance(fields, dict)
    quiet = {"evidence", "placement", "pictures", "facts", "event", "rules_text"}
    said = " ".join(
        f"{k}={json.dumps(v, ensure_ascii=False)}"
        for k, v in fields.items()
        if k not in quiet and v not in (None, "", [], {})
    )
    words = entry_words(entry.body.kind, fields).get(SOURCE, "")
    kind = entry.body.kind
    return f"{entry.seq:6d}  {date}  {entry.at:10.2f}  {who:<10} {kind:<18} {said} {words}".rstrip()


def _export(given: argparse.Namespace) -> int:
    entries = sound_entries(given.file)
    key = table_key(given.signing_key or key_path(given.file))
    formats = given.format or ["takhte", "mat", "sgf", "json", "sheet"]
    given.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    stem = given.file.stem
    table = next(
        (str(getattr(e.body, "table", "")) for e in entries if e.body.kind == "table_opened"), ""
    )
    program = next(
        (str(getattr(e.body, "program", "")) for e in entries if e.body.kind == "table_opened"), ""
    )
    if "takhte" in formats:
        _write(
            given.out / f"{stem}.takhte",
            write_archive(entries, key, table, program, read_changes(changes_path(given.file))),
        )
    public = key.public_key().public_bytes_raw()
    if "sheet" in formats:
        sheets = json.dumps(
            score_sheets(entries, fingerprint(public)), ensure_ascii=False, indent=1
        )
        _write(given.out / f"{stem}.sheet.json", sheets.encode())
    for number, record in enumerate(played_records(entries), start=1):
        for ending in formats:
            if ending in ("takhte", "sheet"):
                continue
            path = given.out / f"{stem}-{number}.{ending}"
            try:
                _write(path, write_match(record, ending))
            except CannotExportError as error:
                # Formats asked for by name must come; those of the default set are left out with
                # the reason.
                print(f"takhte journal: {path.name} was not written: {error}", file=sys.stderr)
                failed += bool(given.format)
    print(f"key {base64.b64encode(public).decode()} (fingerprint {fingerprint(public)})")
    return 1 if failed else 0


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    print(path)
