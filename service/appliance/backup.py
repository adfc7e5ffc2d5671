"""`takhte backup`: a table's files into one archive, while it runs; `--restore` brings them back
into an empty folder (E).

Journals are copied by SQLite itself, so each is whole as of one moment. The archive holds the
table's keys and the people's sign-ins: keep it as you would keep those. Nothing is ever
overwritten: restoring beside files of the same names is refused.

An archive is a .tar.gz that any program unpacks. Its last file, `SHA256SUMS`, lists the others as
`sha256sum -c` reads it; after it stands the digest of everything before, so one changed bit
anywhere is refused. What is brought back is unpacked and checked whole beside its place first:
sums, journals link by link, the table's key, databases.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import logging
import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Final

from rules.words import about_command
from service import settings as settings_file
from service.journal.chain import JournalError
from service.journal.keys import KeyFileError, key_path, table_key
from service.journal.store import Reader, StoreError
from service.settings import Settings, SettingsError, version

log = logging.getLogger(__name__)

DATABASES: Final = (".journal", ".db")
SKIPPED: Final = (
    *(".sock", ".lock", "-wal", "-shm", ".part"),
    *(".camera.jpg", ".camera-black.jpg", ".camera-plain.jpg"),
    # What the newest entries are kept in a second time belongs to the file that is written.
    ".journal.tail",
)
LARGEST: Final = 1 << 36
MARK: Final = "takhte-backup"
SUMS: Final = "SHA256SUMS"
BLOCK: Final = 1 << 20


class BackupError(Exception):
    """A backup that cannot be made or brought back: one line with cause and next step."""


# Saving
# -------------------------------------------------------------------------------------------------


def files_to_save(folder: Path, pictures: bool) -> Iterator[Path]:
    """What belongs into a backup, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.endswith(SKIPPED):
            continue
        if pictures or path.suffix != ".jpg":
            yield path


def save_backup(settings: Settings, out: Path, pictures: bool = True) -> int:
    """Write the archive, whole or not at all; returns how many files it holds.

    Raises BackupError.
    """
    folder, part = settings.data, out.with_name(out.name + ".part")
    if not folder.is_dir():
        raise BackupError(f"{folder}: nothing to save: no table ever ran with these settings")
    if out.exists():
        raise BackupError(f"{out}: is there already; nothing is overwritten: give another name")
    try:
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as raw:
            # No name and no time in the head: every byte of it is known when it is read.
            with (
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w") as tar,
            ):
                count = _save_files(tar, folder, pictures)
            raw.write(_last_bytes(_digest(raw)))
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(out)
    except (OSError, sqlite3.Error) as e:
        part.unlink(missing_ok=True)
        raise BackupError(
            f"{out}: the backup could not be written ({e}); give a place with room"
        ) from None
    return count


def _save_files(tar: tarfile.TarFile, folder: Path, pictures: bool) -> int:
    sums: list[str] = []
    _add(tar, MARK, version().encode(), time.time())
    for path in files_to_save(folder, pictures):
        with contextlib.suppress(FileNotFoundError):
            name, changed = path.relative_to(folder).as_posix(), path.stat().st_mtime
            data = _copied(path) if path.name.endswith(DATABASES) else path.read_bytes()
            _add(tar, name, data, changed)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
    _add(tar, SUMS, "".join(sums).encode("utf-8", "surrogateescape"), time.time())
    return len(sums)


def _copied(path: Path) -> bytes:
    """A database as of this moment, although its owner is writing."""
    with tempfile.TemporaryDirectory(prefix="takhte-") as room:
        there = Path(room) / "copy"
        address = f"{path.resolve().as_uri()}?mode=ro"
        with (
            contextlib.closing(sqlite3.connect(address, uri=True)) as source,
            contextlib.closing(sqlite3.connect(there)) as target,
        ):
            source.backup(target)
        return there.read_bytes()


def _add(tar: tarfile.TarFile, name: str, data: bytes, at: float) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = len(data), int(at), 0o600
    tar.addfile(info, io.BytesIO(data))


def _digest(file: IO[bytes], length: int = -1) -> bytes:
    """SHA-256 of the file's first `length` bytes (all of them for -1); leaves it at its end."""
    digest = hashlib.sha256()
    file.seek(0)
    while length and (block := file.read(BLOCK if length < 0 else min(BLOCK, length))):
        digest.update(block)
        length -= len(block) if length > 0 else 0
    file.seek(0, os.SEEK_END)
    return digest.digest()


def _last_bytes(digest: bytes) -> bytes:
    """What follows the archive proper: a gzip member of its own, not compressed, so that programs
    which unpack the archive pass over it and every bit of it is known from the digest.
    """
    text = f"sha256 {digest.hex()}\n".encode()
    length = len(text).to_bytes(2, "little") + (len(text) ^ 0xFFFF).to_bytes(2, "little")
    sums = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01" + length + text + sums


# Bringing back
# -------------------------------------------------------------------------------------------------


def restore(settings: Settings, archive: Path) -> int:
    """Bring the files back; returns how many. Raises BackupError, having written nothing."""
    folder = settings.data
    room: Path | None = None
    try:
        with archive.open("rb") as raw:
            whole = _is_whole(raw)
            raw.seek(0)
            room = _room_for(folder)
            found = _unpack(raw, room, folder, archive)
        sums = found.pop(SUMS, None)
        if sums is not None and not whole:
            raise BackupError(
                f"{archive}: was changed after it was written: its digest does not fit; take"
                " another backup"
            )
        if sums is not None:
            _check_sums(archive, room / SUMS, found)
        for name in found:
            _check_file(archive, room / name)
        _bring(room, folder, found)
    except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError) as e:
        raise BackupError(
            f"{archive}: cannot be read to its end ({e}); take another backup"
        ) from None
    finally:
        if room is not None:
            shutil.rmtree(room, ignore_errors=True)
    return len(found)


def _is_whole(raw: IO[bytes]) -> bool:
    """Whether the file's last bytes are the digest of all before them. Older archives have none."""
    size = raw.seek(0, os.SEEK_END) - len(_last_bytes(bytes(32)))
    if size < 0:
        return False
    expected = _last_bytes(_digest(raw, size))
    raw.seek(size)
    return raw.read() == expected


def _room_for(folder: Path) -> Path:
    """A folder on the same disk as the one that is to be filled."""
    home = next(p for p in (folder, *folder.parents) if p.is_dir())
    return Path(tempfile.mkdtemp(prefix=".takhte-restore-", dir=home))


def _unpack(raw: IO[bytes], room: Path, folder: Path, archive: Path) -> dict[str, str]:
    """SHA-256 of each file by its name, as unpacked into `room`; the stream was read to its end."""
    found: dict[str, str] = {}
    left = LARGEST
    with gzip.GzipFile(fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="r|") as tar:
            for member in tar:
                if not found and member.name != MARK:
                    break
                left -= member.size
                if left < 0:
                    raise BackupError(
                        f"{archive}: would unpack to more than {LARGEST >> 30} GiB: no backup of"
                        " ours does"
                    )
                found[member.name] = _unpacked(tar, member, room, folder, archive)
        while packed.read(BLOCK):
            # gzip knows only at the end of its stream whether all of it was right.
            pass
    if found.pop(MARK, None) is None:
        raise BackupError(f"{archive}: no backup of takhte; give a file that `takhte backup` wrote")
    return found


def _unpacked(
    tar: tarfile.TarFile, member: tarfile.TarInfo, room: Path, folder: Path, archive: Path
) -> str:
    place = PurePosixPath(member.name)
    if not member.isfile() or place.is_absolute() or ".." in place.parts:
        raise BackupError(
            f"{archive}: holds {member.name[:80]!r}, which no backup of ours does: it was tampered"
            " with"
        )
    if (folder / place).exists() and member.name not in (MARK, SUMS):
        raise BackupError(
            f"{folder / place}: is there already; nothing is overwritten: move it away, or set"
            " table.data elsewhere"
        )
    path = room / place
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    source, digest = tar.extractfile(member), hashlib.sha256()
    assert source is not None
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        while block := source.read(BLOCK):
            digest.update(block)
            target.write(block)
        target.flush()
        os.fsync(target.fileno())
    os.utime(path, (member.mtime, member.mtime))
    return digest.hexdigest()


def _check_sums(archive: Path, sums: Path, found: dict[str, str]) -> None:
    listed = "".join(f"{digest}  {name}\n" for name, digest in found.items())
    if sums.read_bytes() != listed.encode("utf-8", "surrogateescape"):
        raise BackupError(
            f"{archive}: its files are not those that {SUMS} lists; take another backup"
        )


def _check_file(archive: Path, path: Path) -> None:
    """See that a file is what its name says. Raises BackupError."""
    try:
        if path.name.endswith(".journal"):
            with Reader(path) as reader:
                reader.read()
                if reader.broken is not None:
                    raise reader.broken
        elif path.name == key_path(path).name:
            table_key(path)
        elif path.name.endswith(DATABASES):
            with contextlib.closing(sqlite3.connect(path)) as db:
                if (said := db.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
                    raise JournalError(str(said))
    except (JournalError, StoreError, KeyFileError, sqlite3.Error) as e:
        raise BackupError(
            f"{archive}: holds a damaged {path.name} ({e}); take another backup"
        ) from None


def _bring(room: Path, folder: Path, names: dict[str, str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (room / name).rename(folder / name)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte backup",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archive", type=Path, help="the archive: NAME.tar.gz")
    parser.add_argument(
        "--restore",
        action="store_true",
        help="bring the archive's files back instead of writing it",
    )
    parser.add_argument("--no-pictures", action="store_true", help="leave evidence pictures out")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    given = parser.parse_args(words)
    try:
        settings = settings_file.load_settings(given.settings)
        count = (
            restore(settings, given.archive)
            if given.restore
            else save_backup(settings, given.archive, not given.no_pictures)
        )
    except (BackupError, SettingsError) as e:
        print(f"takhte backup: {e}", file=sys.stderr)
        return 1
    print(f"{count} files {'brought back into' if given.restore else 'saved from'} {settings.data}")
    return 0
