"""`takhte backup`: a table's files into one archive, while it runs; `--restore` brings them back
into an empty folder (E).

Journals are copied by SQLite itself, so each is whole as of one moment. The archive holds the
table's keys and the people's sign-ins: keep it as you would keep those. Nothing is ever
overwritten: restoring beside files of the same names is refused.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import sqlite3
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from service import settings as settings_file
from service.settings import Settings, SettingsError, version

log = logging.getLogger(__name__)

DATABASES: Final = (".journal", ".db")
SKIPPED: Final = (".sock", ".lock", "-wal", "-shm", ".part", ".camera.jpg", ".camera-plain.jpg")
LARGEST: Final = 1 << 36
MARK: Final = "takhte-backup"


class BackupError(Exception):
    """A backup that cannot be made or brought back: one line with cause and next step."""


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
    count = 0
    try:
        with (
            os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw,
            tarfile.open(fileobj=raw, mode="w:gz") as tar,
        ):
            _add(tar, MARK, version().encode(), time.time())
            for path in files_to_save(folder, pictures):
                with contextlib.suppress(FileNotFoundError):
                    name = path.relative_to(folder).as_posix()
                    _add(
                        tar,
                        name,
                        _copied(path) if path.name.endswith(DATABASES) else path.read_bytes(),
                        path.stat().st_mtime,
                    )
                    count += 1
        part.replace(out)
    except (OSError, sqlite3.Error) as e:
        part.unlink(missing_ok=True)
        raise BackupError(
            f"{out}: the backup could not be written ({e}); give a place with room"
        ) from None
    return count


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


def restore(settings: Settings, archive: Path) -> int:
    """Bring the files back; returns how many. Raises BackupError, having written nothing."""
    folder = settings.data
    try:
        with tarfile.open(archive, "r:*") as tar:
            members = tar.getmembers()
            if not members or members[0].name != MARK:
                raise BackupError(
                    f"{archive}: no backup of takhte; give a file that `takhte backup` wrote"
                )
            wanted = members[1:]
            for member in wanted:
                place = PurePosixPath(member.name)
                if not member.isfile() or place.is_absolute() or ".." in place.parts:
                    raise BackupError(
                        f"{archive}: holds {member.name[:80]!r}, which no backup of ours does: it"
                        " was tampered with"
                    )
                if (folder / place).exists():
                    raise BackupError(
                        f"{folder / place}: is there already; nothing is overwritten: move it away,"
                        " or set table.data elsewhere"
                    )
            if sum(m.size for m in wanted) > LARGEST:
                raise BackupError(
                    f"{archive}: would unpack to more than {LARGEST >> 30} GiB: no backup of ours"
                    " does"
                )
            for member in wanted:
                _bring(tar, member, folder / member.name)
    except (OSError, tarfile.TarError, EOFError) as e:
        raise BackupError(
            f"{archive}: cannot be read to its end ({e}); take another backup"
        ) from None
    return len(wanted)


def _bring(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(path.name + ".part")
    source = tar.extractfile(member)
    assert source is not None
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        while block := source.read(1 << 20):
            target.write(block)
    os.utime(part, (member.mtime, member.mtime))
    part.replace(path)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte backup",
        description=__doc__,
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
