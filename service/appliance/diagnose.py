"""`takhte diagnose`: what somebody who helps needs to see, in one file, without secrets or names
(E).

In it: what the doctor finds, the settings with passwords in addresses struck out, versions, counts
of each journal's entries and whether its chain is whole, the running table's link counters, the
tail of the log. Not in it: journals, names, pictures, keys, sign-ins.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import os
import platform
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final, TypedDict

from rules.words import about_command
from service import settings as settings_file
from service.appliance import doctor
from service.journal.chain import JournalError
from service.journal.paths import socket_path
from service.journal.store import Reader, StoreError
from service.settings import Settings, SettingsError, version
from service.web.asking import ask

LOG_TAIL: Final = 200_000
SECRET: Final = re.compile(
    r"(?i)((?:pass(?:word)?|token|secret|key|auth)[\w-]*[\"']?\s*[=: ]\s*[\"']?)[^\s\"'&]{3,}"
)
CREDENTIALS: Final = re.compile(r"(\w+://)[^/\s@\"']+@")


def redacted(text: str) -> str:
    """The text with credentials in addresses, and whatever is called a password, token, secret or
    key, struck out.
    """
    return SECRET.sub(r"\1[struck out]", CREDENTIALS.sub(r"\1[struck out]@", text))


def parts(settings: Settings) -> Iterator[tuple[str, str]]:
    """(file name, text) of the bundle; a part that cannot be had says why."""
    yield "doctor.json", _json([dataclasses.asdict(f) for f in doctor.examine(settings)])
    yield "settings.json", _json(dataclasses.asdict(settings))
    yield "machine.json", _json(_machine(settings))
    yield "journals.json", _json([_journal(p) for p in sorted(settings.data.rglob("*.journal"))])
    yield "table.json", _json(_table(settings))
    yield "takhte.log", _log(settings)


class Disk(TypedDict):
    """Bytes."""

    free: int
    total: int


class MachineReport(TypedDict):
    """The machine and what is installed on it."""

    takhte: str
    python: str
    platform: str
    machine: str
    cores: int | None
    load: tuple[float, float, float]
    disk: Disk
    packages: tuple[str, ...]


class JournalReport(TypedDict, total=False):
    """A journal in counts; `error` alone with its name where it cannot be read."""

    file: str
    bytes: int
    entries: int
    kinds: dict[str, int]
    broken: str
    error: str


def _machine(settings: Settings) -> MachineReport:
    there = next(
        p for p in (settings.data.absolute(), *settings.data.absolute().parents) if p.exists()
    )
    packages = sorted(f"{d.metadata['Name']} {d.version}" for d in metadata.distributions())
    disk = shutil.disk_usage(there)
    return {
        "takhte": version(),
        "python": sys.version,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "disk": {"free": disk.free, "total": disk.total},
        "packages": (*packages,),
    }


def _journal(path: Path) -> JournalReport:
    """Counts only: no names, no plays."""
    try:
        with Reader(path) as reader:
            entries = reader.read()
            kinds = collections.Counter(e.body.kind for e in entries)
            return {
                "file": path.name,
                "bytes": path.stat().st_size,
                "entries": len(entries),
                "kinds": dict(kinds),
                "broken": str(reader.broken or ""),
            }
    except (JournalError, StoreError, OSError) as e:
        return {"file": path.name, "error": str(e)}


def _table(settings: Settings) -> object:
    try:
        return ask(socket_path(settings.journal), {"id": "diagnose", "query": "sources"}).get(
            "result"
        )
    except (OSError, ValueError) as e:
        return f"no table answers: {e}"


def _log(settings: Settings) -> str:
    if not settings.log.folder:
        return "no log.folder is set; see the system's journal: journalctl -u takhte\n"
    try:
        return (Path(settings.log.folder).expanduser() / "takhte.log").read_text(errors="replace")[
            -LOG_TAIL:
        ]
    except OSError as e:
        return f"the log cannot be read: {e}\n"


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte diagnose",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "bundle",
        type=Path,
        nargs="?",
        default=Path("takhte-diagnostics.zip"),
        help="the file to write",
    )
    parser.add_argument("--settings", type=Path, metavar="FILE")
    given = parser.parse_args(words)
    try:
        settings = settings_file.load_settings(given.settings)
    except SettingsError as e:
        print(f"takhte diagnose: {e}; the bundle is made with the defaults", file=sys.stderr)
        settings = Settings()
    try:
        with zipfile.ZipFile(given.bundle, "x", zipfile.ZIP_DEFLATED) as bundle:
            for name, text in parts(settings):
                bundle.writestr(name, redacted(text))
    except OSError as e:
        print(
            f"takhte diagnose: {given.bundle}: cannot be written ({e.strerror}); give another name",
            file=sys.stderr,
        )
        return 1
    print(
        f"{given.bundle}: look into it before you send it; it holds no names, pictures or passwords"
    )
    return 0
