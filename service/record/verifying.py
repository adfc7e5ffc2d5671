"""`takhte journal verify`: whether every link of a record holds, whose key sealed it, and whether
what was noted of it elsewhere is there. (E)
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.erasures import erasures_of
from service.journal.key_changes import (
    KeyChange,
    changes_path,
    keys_of_table,
    read_changes,
    revocation,
)
from service.journal.keys import key_path, table_key
from service.journal.store import Reader, missing_end
from service.journal.tail import read_tail, tail_path
from service.record.archive import ArchiveError, fingerprint, read_archive
from service.record.sealed_amendment import AMENDED, read_sealed
from service.record.stamps import stamp_path, stamped_at
from service.record.witnesses import check_hall_word


def is_archive(path: Path) -> bool:
    """Whether that file is an archive."""
    with path.open("rb") as file:
        return file.read(40).startswith(b'{"key":')


def verify_record(given: argparse.Namespace) -> int:
    """0 where a journal, an archive or an amended match is sound. Raises what `main` says."""
    if given.file.name.endswith(AMENDED):
        sealed = read_sealed(given.file.read_bytes(), _trusted(given))
        date = datetime.fromtimestamp(sealed.wall, UTC).strftime("%Y-%m-%d %H:%M")
        print(
            f"{given.file}: sound; put right by {sealed.by or 'somebody'}, sealed on {date} UTC by"
            f" {fingerprint(sealed.key)}; of {sealed.source[:16]}…"
        )
        return 0
    if given.file.exists() and is_archive(given.file):
        return _verify_archive(given)
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


def _verify_archive(given: argparse.Namespace) -> int:
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


def _trusted(given: argparse.Namespace) -> bytes | None:
    """The public key that was named."""
    try:
        return None if given.key is None else base64.b64decode(given.key, validate=True)
    except ValueError:
        raise ArchiveError(f"expected a base64 public key, got {given.key[:20]!r}") from None


def _changes_beside(given: argparse.Namespace) -> tuple[KeyChange, ...]:
    """What is known of the table's keys: what lies beside, or the file that was named."""
    return read_changes(given.keys or changes_path(given.file))


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


def sound_entries(path: Path) -> tuple[Entry, ...]:
    """The entries of a journal or archive up to the first that cannot be trusted, which is said on
    stderr.
    """
    own: bytes | None
    if path.exists() and is_archive(path):
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
