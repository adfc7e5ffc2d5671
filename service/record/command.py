"""`takhte journal`: verify, show and export a journal or an archive (E).

Reads only; a table that is running is not disturbed.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rules.words import SOURCE
from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.codec import canonical, encode
from service.journal.erasures import erasures_of
from service.journal.key_changes import (
    KeyChange,
    change_key,
    changes_path,
    keys_of_table,
    read_changes,
    revocation,
)
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
from service.record.sealed_amendment import AMENDED, read_sealed
from service.record.stamps import StampError, stamp, stamp_path, stamped_at
from service.record.witnesses import WitnessError, check_hall_word
from service.settings import about_command

ENDINGS: Final = ("takhte", *WRITERS, "ogxm", "sheet")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when all is well, 1 when it is not (said on stderr), 2 for a wrong question."""
    parser = argparse.ArgumentParser(prog="takhte journal", description=about_command(__doc__))
    words = parser.add_subparsers(
        dest="word", required=True, metavar="verify | stamp | key | show | export"
    )
    verify = words.add_parser(
        "verify", help="check every link of a journal, or the seal of an archive"
    )
    verify.add_argument(
        "file",
        type=Path,
        help="a journal, an archive (.takhte) or an amended match (.amended.json)",
    )
    verify.add_argument("--key", help="the base64 public key that an archive must be sealed with")
    verify.add_argument(
        "--head",
        metavar="HEX[@N]",
        help="a head that was noted, its first 8 digits or more: that entry (number N) must be"
        " there",
    )
    verify.add_argument(
        "--witness",
        type=Path,
        metavar="FILE",
        help="what a hall signed of the record: witness.json of its archive",
    )
    verify.add_argument(
        "--keys",
        type=Path,
        metavar="FILE",
        help="the table's own table.keys, which says what was revoked; default: beside FILE",
    )
    verify.add_argument(
        "--stamped-by",
        type=Path,
        metavar="PEM",
        help="the root certificate of the authority that must have stamped the archive",
    )
    verify.set_defaults(act=_verify)
    stamps = words.add_parser(
        "stamp", help="have a time stamping authority (RFC 3161) stamp an archive"
    )
    stamps.add_argument("file", type=Path, help="an archive (.takhte)")
    stamps.add_argument("authority", help="its address: https://...")
    stamps.set_defaults(act=_stamp)
    keys = words.add_parser(
        "key", help="show the key of a journal's table, or give it another from now on"
    )
    keys.add_argument("file", type=Path, help="the table's journal")
    keys.add_argument("--change", action="store_true", help="make a new key; the old one is gone")
    keys.add_argument(
        "--revoke",
        metavar="WHY",
        default="",
        help="make a new key, and say that nobody should believe the old one any more",
    )
    keys.set_defaults(act=_key)
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
    except (
        *(JournalError, ArchiveError, CannotExportError, StoreError, KeyFileError),
        *(StampError, WitnessError),
    ) as error:
        print(f"takhte journal: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"takhte journal: {given.file}: {error}", file=sys.stderr)
        return 1


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(40).startswith(b'{"key":')


def _verify(given: argparse.Namespace) -> int:
    if given.file.name.endswith(AMENDED):
        sealed = read_sealed(given.file.read_bytes(), _trusted(given))
        date = datetime.fromtimestamp(sealed.wall, UTC).strftime("%Y-%m-%d %H:%M")
        print(
            f"{given.file}: sound; put right by {sealed.by or 'somebody'}, sealed on {date} UTC by"
            f" {fingerprint(sealed.key)}; of {sealed.source[:16]}…"
        )
        return 0
    if given.file.exists() and _is_archive(given.file):
        trusted = _trusted(given)
        archive = read_archive(given.file.read_bytes(), trusted)
        whose = "the key you named" if trusted else "no key was named to compare with"
        if trusted is not None and trusted != archive.key:
            whose = "which follows the key you named"
        if (gone := revocation(archive.key, _changes_beside(given))) is not None:
            raise ArchiveError(
                f"{given.file}: sealed by {fingerprint(archive.key)}, which was revoked"
                f" ({gone.revoked}): believe it by a head or a stamp from before that alone"
            )
        table = archive.table or "(unnamed)"
        verdict = _verdict(archive.entries, archive.key, archive.changes)
        print(
            f"{given.file}: {verdict}; {len(archive.entries)} entries of table {table}, sealed by"
            f" {fingerprint(archive.key)}: {whose}"
        )
        if given.stamped_by is not None:
            date = stamped_at(given.file, given.stamped_by).isoformat()
            print(f"{given.file}: was there by {date}, as {given.stamped_by.name} stamped")
        elif stamp_path(given.file).exists():
            print(f"{given.file}: has a stamp, which --stamped-by AUTHORITY.pem checks")
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
    verdict = _verdict(entries, _own_key(given.file), read_changes(changes_path(given.file)))
    print(
        f"{given.file}: {verdict}; {len(entries)} entries, head {head};"
        f" {_end_of(given.file, logged)}"
    )
    return _noted(given, entries)


def _trusted(given: argparse.Namespace) -> bytes | None:
    """The public key that was named."""
    try:
        return None if given.key is None else base64.b64decode(given.key, validate=True)
    except ValueError:
        raise ArchiveError(f"expected a base64 public key, got {given.key[:20]!r}") from None


def _changes_beside(given: argparse.Namespace) -> tuple[KeyChange, ...]:
    """What is known of the table's keys: what lies beside, or the file that was named."""
    return read_changes(given.keys or changes_path(given.file))


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
    if not _is_archive(given.file):
        raise ArchiveError(f"{given.file}: expected an archive: export one from the journal first")
    read_archive(given.file.read_bytes())
    print(stamp(given.file, given.authority))
    return 0


def _verdict(entries: Sequence[Entry], own: bytes | None, changes: Sequence[KeyChange] = ()) -> str:
    """What is said of a record whose links hold: which entries no longer prove their own words,
    since a person's name was erased from them. Raises JournalError where another key than the
    table's `own`, where that is known, says so.
    """
    erasures = erasures_of(entries)
    if not erasures:
        return "sound"
    for each in erasures:
        if own is not None and each.key not in keys_of_table(own, changes):
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
    """Whether what a hall witnessed and the head that was noted are among these; said."""
    if given.witness is not None:
        try:
            said = json.loads(given.witness.read_text(encoding="utf-8"))
        except ValueError:
            said = None
        witness = check_hall_word(said, entries)
        date = datetime.fromtimestamp(witness.wall, UTC).isoformat(timespec="seconds")
        print(
            f"{given.file}: the hall {fingerprint(witness.key)} had it up to entry"
            f" {witness.count} by {date}, as table {witness.table}"
        )
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
        entries, own, changes = archive.entries, archive.key, archive.changes
    else:
        with Reader(path) as reader:
            entries, own = reader.read(), _own_key(path)
            changes = read_changes(changes_path(path))
            if reader.broken is not None:
                print(f"takhte journal: {path}: {reader.broken}", file=sys.stderr)
    if (verdict := _verdict(entries, own, changes)) != "sound":
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
