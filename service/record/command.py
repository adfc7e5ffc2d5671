"""`takhte journal`: verify, show and export a journal or an archive (E).

Reads only; a table that is running is not disturbed.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rules.words import SOURCE
from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.codec import canonical, encode
from service.journal.erasures import erasures_of
from service.journal.keys import KeyFileError, key_path, table_key
from service.journal.saying import entry_words
from service.journal.store import Reader, StoreError, missing_end
from service.journal.tail import read_tail, tail_path
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

ENDINGS: Final = ("takhte", *WRITERS, "ogxm", "sheet")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when all is well, 1 when it is not (said on stderr), 2 for a wrong question."""
    parser = argparse.ArgumentParser(prog="takhte journal", description=__doc__)
    words = parser.add_subparsers(dest="word", required=True, metavar="verify | show | export")
    verify = words.add_parser(
        "verify", help="check every link of a journal, or the seal of an archive"
    )
    verify.add_argument("file", type=Path, help="a journal, or an archive (.takhte)")
    verify.add_argument("--key", help="the base64 public key that an archive must be sealed with")
    verify.add_argument(
        "--head",
        metavar="HEX[@N]",
        help="a head that was noted, its first 8 digits or more: that entry (number N) must be"
        " there",
    )
    verify.set_defaults(act=_verify)
    show = words.add_parser("show", help="print entries, one a line")
    show.add_argument("file", type=Path)
    show.add_argument("--json", action="store_true", help="as JSON lines")
    show.add_argument(
        "--since", type=int, default=0, metavar="N", help="only entries after number N"
    )
    show.add_argument(
        "--kind", action="append", default=[], help="only entries of this kind; may be repeated"
    )
    show.set_defaults(act=_show)
    export = words.add_parser("export", help="write the signed archive and match files")
    export.add_argument("file", type=Path)
    export.add_argument(
        "--out", type=Path, default=Path(), metavar="FOLDER", help="where to write; default: here"
    )
    export.add_argument(
        "--format",
        action="append",
        choices=ENDINGS,
        help="default: takhte, mat, sgf, json and sheet",
    )
    export.add_argument(
        "--signing-key",
        type=Path,
        metavar="FILE",
        help="the table's key; default: table.key beside the journal",
    )
    export.set_defaults(act=_export)
    given = parser.parse_args(arguments)
    act: Callable[[argparse.Namespace], int] = given.act
    try:
        return act(given)
    except (JournalError, ArchiveError, CannotExportError, StoreError, KeyFileError) as error:
        print(f"takhte journal: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"takhte journal: {given.file}: {error}", file=sys.stderr)
        return 1


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(40).startswith(b'{"key":')


def _verify(given: argparse.Namespace) -> int:
    if given.file.exists() and _is_archive(given.file):
        try:
            trusted = None if given.key is None else base64.b64decode(given.key, validate=True)
        except ValueError:
            raise ArchiveError(f"expected a base64 public key, got {given.key[:20]!r}") from None
        archive = read_archive(given.file.read_bytes(), trusted)
        whose = "the key you named" if trusted else "no key was named to compare with"
        table = archive.table or "(unnamed)"
        verdict = _verdict(archive.entries, archive.key)
        print(
            f"{given.file}: {verdict}; {len(archive.entries)} entries of table {table}, sealed by"
            f" {fingerprint(archive.key)}: {whose}"
        )
        return _noted(given, archive.entries)
    # Asked before it is read: SQLite makes an empty log where there is none.
    logged = given.file.with_name(given.file.name + "-wal").exists()
    with Reader(given.file) as reader:
        entries = reader.read()
        if reader.broken is not None:
            tail = len(reader.tail())
            print(
                f"{given.file}: {reader.broken}. {len(entries)} entries are sound, {tail} after"
                " them are not",
                file=sys.stderr,
            )
            return 1
    if (missing := missing_end(given.file)) is not None:
        raise missing
    head = entries[-1].hash if entries else GENESIS
    verdict = _verdict(entries, _own_key(given.file))
    print(
        f"{given.file}: {verdict}; {len(entries)} entries, head {head};"
        f" {_end_of(given.file, logged)}"
    )
    return _noted(given, entries)


def _verdict(entries: Sequence[Entry], own: bytes | None) -> str:
    """What is said of a record whose links hold: which entries no longer prove their own words,
    since a person's name was erased from them. Raises JournalError where another key than the
    table's `own`, where that is known, says so.
    """
    erasures = erasures_of(entries)
    if not erasures:
        return "sound"
    for each in erasures:
        if own is not None and each.key != own:
            raise JournalError(
                f"entry {each.seq}: names were erased with the key {fingerprint(each.key)}, the"
                f" table's is {fingerprint(own)}: what they said is not proven"
            )
    numbers = sorted({number for each in erasures for number in each.entries})
    dates = {datetime.fromtimestamp(each.wall, UTC).date().isoformat() for each in erasures}
    return (
        f"SOUND BUT FOR {len(numbers)} ENTRIES ({', '.join(map(str, numbers))}), whose words are no"
        f" longer proven: a person's name was erased from them on {', '.join(sorted(dates))}, by"
        f" the key {', '.join(sorted({fingerprint(each.key) for each in erasures}))}"
    )


def _own_key(journal: Path) -> bytes | None:
    """The public key of the journal's table, None where it does not lie beside it."""
    path = key_path(journal)
    return table_key(path).public_key().public_bytes_raw() if path.exists() else None


def _end_of(path: Path, logged: bool) -> str:
    """What is known of whether the record ends there."""
    if read_tail(tail_path(path)):
        return f"its end is the one that {tail_path(path).name} keeps"
    said = f"{tail_path(path).name} is not beside it, so nothing here says whether more followed"
    if not logged:
        said += f"; neither is {path.name}-wal: a copy made while it ran lacks the newest entries"
    return said + ". Compare a head that was noted elsewhere (--head)"


def _noted(given: argparse.Namespace, entries: Sequence[Entry]) -> int:
    """Whether the head that was noted is among these; said."""
    if given.head is None:
        return 0
    match = re.fullmatch(r"([0-9a-f]{8,64})(?:@([0-9]{1,9}))?", given.head.replace(" ", "").lower())
    if match is None:
        raise JournalError(
            "--head: expected 8 to 64 hexadecimal digits, and @ with the entry's number where it"
            f" is known; got {given.head[:80]!r}"
        )
    digits, number = match[1], int(match[2]) if match[2] else None
    for entry in reversed(entries):
        if entry.hash.startswith(digits) and number in (None, entry.seq):
            after = len(entries) - entry.seq
            print(f"{given.file}: the head that you noted is entry {entry.seq}; {after} came after")
            return 0
    came = (
        f"entry {number} is {entries[number - 1].hash[:16]}"
        if number is not None and 0 < number <= len(entries)
        else f"none of {len(entries)} entries is"
    )
    raise JournalError(
        f"{given.file}: expected {given.head}, which was noted, {came}: this is not the record"
        " that was seen then, or its end is missing"
    )


def _sound(path: Path) -> tuple[Entry, ...]:
    """The entries of a journal or archive up to the first that cannot be trusted, which is said on
    stderr.
    """
    own: bytes | None
    if path.exists() and _is_archive(path):
        archive = read_archive(path.read_bytes())
        entries, own = archive.entries, archive.key
    else:
        with Reader(path) as reader:
            entries, own = reader.read(), _own_key(path)
            if reader.broken is not None:
                print(f"takhte journal: {path}: {reader.broken}", file=sys.stderr)
    if (verdict := _verdict(entries, own)) != "sound":
        print(f"takhte journal: {path}: {verdict}", file=sys.stderr)
    return entries


def _show(given: argparse.Namespace) -> int:
    for entry in _sound(given.file):
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
    entries = _sound(given.file)
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
        _write(given.out / f"{stem}.takhte", write_archive(entries, key, table, program))
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
