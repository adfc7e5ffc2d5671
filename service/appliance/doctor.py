"""`takhte doctor`: what is present and what is missing on this machine, each with cause and next
step (E).

Nothing is changed and nothing is held: a camera or port in use by a running table is reported as
such. What the settings ask for and is not there is a problem (exit status 1); what they do not ask
for is only told.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import json
import os
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from service import settings as settings_file
from service.journal.paths import socket_path
from service.settings import PHONE, Settings, SettingsError
from service.web.addresses import free_port

LOW_DISK: Final = 1_000_000_000
"""Bytes below which an evening with evidence pictures may not fit."""
NO_DISK: Final = 50_000_000
MARKS: Final = {"ok": "ok     ", "absent": "absent ", "problem": "PROBLEM"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `state`: ok, absent (not there, and not asked for) or problem; `next` is
    empty when nothing needs doing.
    """

    what: str
    state: str
    found: str
    next: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything; a check that itself breaks is a problem found, never the end of the
    examination.
    """
    for check in CHECKS:
        try:
            yield from check(settings)
        except Exception as e:  # Whatever breaks here, the other checks still say what they find.
            yield Finding(
                check.__name__.strip("_").replace("_", " "),
                "problem",
                f"could not be examined: {e}",
                "report this line",
            )


def _python(_: Settings) -> Iterator[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", "ok", f"{found} at {sys.executable}")


def _settings(settings: Settings) -> Iterator[Finding]:
    yield Finding("settings", "ok", settings.source or "no file; every default holds")


def _pictures(_: Settings) -> Iterator[Finding]:
    try:
        found = importlib.import_module("cv2").__version__
    except ImportError as e:
        yield Finding(
            "OpenCV",
            "problem",
            f"cannot be loaded: {e}",
            "apt-get install libgl1 libglib2.0-0, or run `make run` once more",
        )
    else:
        yield Finding("OpenCV", "ok", found)


def _camera(settings: Settings) -> Iterator[Finding]:
    wanted = settings.camera.source
    devices = sorted(Path("/dev").glob("video*"))
    there = ", ".join(map(str, devices)) or "no /dev/video*"
    if wanted == "none":
        yield Finding(
            "camera",
            "absent",
            f"none asked for; this machine has {there}",
            "to use one: takhte run --camera 0",
        )
    elif wanted == PHONE:
        yield Finding("camera", "ok", "a phone that is let in on the page")
    elif wanted.isdigit() or wanted.startswith("/dev/"):
        path = Path(f"/dev/video{wanted}") if wanted.isdigit() else Path(wanted)
        if not path.exists():
            yield Finding(
                "camera",
                "problem",
                f"{path} is not there; this machine has {there}",
                "plug the camera in, or give its number; a phone does as well: --camera phone",
            )
        elif not os.access(path, os.R_OK | os.W_OK):
            yield Finding(
                "camera", "problem", f"{path} may not be opened by this user", _join("video")
            )
        else:
            yield Finding("camera", "ok", str(path))
    elif "://" in wanted:
        yield from _address("camera", wanted)
    elif Path(wanted).exists():
        yield Finding("camera", "ok", f"a file or folder: {wanted}")
    else:
        yield Finding(
            "camera",
            "problem",
            f"no file, folder, device or address: {wanted!r}",
            "give 0, a file, a folder, http://... or rtsp://...",
        )


def _port(settings: Settings) -> Iterator[Finding]:
    ports = importlib.import_module("serial.tools.list_ports").comports()
    there = ", ".join(f"{p.device} ({p.description})" for p in ports) or "no serial port"
    from service.table.boards import BOARDS, WIRED, scheme_of

    wanted = settings.board.address
    if wanted in {"none", "simulated"}:
        yield Finding(
            "board",
            "absent",
            f"{wanted}; this machine has {there}",
            "to use one: takhte run --board auto",
        )
    elif wanted == "auto":
        known = any(p.vid is not None for p in ports)
        yield Finding(
            "board",
            "ok" if known else "problem",
            there,
            "" if known else "plug the board's USB cable in, and switch its power on",
        )
    elif (name := scheme_of(wanted)) != WIRED:
        missing = BOARDS[name].missing(wanted)
        yield Finding(
            "board",
            "problem" if missing else "ok",
            f"{wanted}: {missing or BOARDS[name].what}",
            "docs/boards.md says what it needs" if missing else "",
        )
    elif "://" in wanted:
        yield from _address("board", wanted)
    elif not Path(wanted).exists():
        yield Finding(
            "board",
            "problem",
            f"{wanted} is not there; this machine has {there}",
            "plug the cable in, or use --board auto",
        )
    elif not os.access(wanted, os.R_OK | os.W_OK):
        yield Finding(
            "board", "problem", f"{wanted} may not be opened by this user", _join("dialout")
        )
    else:
        yield Finding("board", "ok", wanted)


def _address(what: str, wanted: str) -> Iterator[Finding]:
    parts = importlib.import_module("urllib.parse").urlsplit(wanted)
    host, port = (
        parts.hostname,
        parts.port or {"http": 80, "https": 443, "rtsp": 554}.get(parts.scheme),
    )
    if not host or not port:
        yield Finding(
            what, "problem", f"no host and port in {wanted!r}", "give it as scheme://host:port/path"
        )
        return
    try:
        socket.create_connection((host, port), timeout=3).close()
    except OSError as e:
        yield Finding(
            what,
            "problem",
            f"{host}:{port} does not answer ({e.strerror or e})",
            "is it switched on, and on the same network?",
        )
    else:
        yield Finding(what, "ok", f"{host}:{port} answers")


def _pins(settings: Settings) -> Iterator[Finding]:
    from service.table.boards import BOARDS, scheme_of

    asked = settings.panel.gpio == "pi" or BOARDS[scheme_of(settings.board.address)].panel
    chips = sorted(Path("/dev").glob("gpiochip*"))
    if not chips:
        text = "no /dev/gpiochip*: not a Raspberry Pi, or its pins are switched off"
        yield Finding(
            "GPIO",
            "problem" if asked else "absent",
            text,
            'set panel.gpio = "none", or run this on a Pi' if asked else "",
        )
    elif not any(os.access(c, os.R_OK | os.W_OK) for c in chips):
        yield Finding(
            "GPIO",
            "problem" if asked else "absent",
            f"{chips[0]} may not be opened by this user",
            _join("gpio"),
        )
    else:
        yield Finding("GPIO", "ok", ", ".join(map(str, chips)))


def _disk(settings: Settings) -> Iterator[Finding]:
    folder = settings.journal.absolute().parent
    there = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(there, os.W_OK):
        yield Finding(
            "disk",
            "problem",
            f"{there} may not be written by this user",
            "give a --journal in a folder of your own, or set table.data",
        )
        return
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB free for {folder}"
    if free < NO_DISK:
        yield Finding("disk", "problem", text, "free some room: a full disk stops the record")
    elif free < LOW_DISK:
        yield Finding("disk", "problem", text, "free some room, or shorten evidence.keep_hours")
    else:
        yield Finding("disk", "ok", text)


def _page(settings: Settings) -> Iterator[Finding]:
    host, port = settings.page.host, settings.page.port
    try:
        door = free_port(host, port)
    except OSError as e:
        if e.errno == errno.EADDRINUSE:
            yield Finding(
                "page",
                "problem",
                f"port {port} is taken: a running takhte, or another program",
                "takhte run --port 8001, or stop it",
            )
        else:
            text = f"{host}:{port} cannot be served ({e.strerror})"
            yield Finding(
                "page", "problem", text, "give a port above 1023 and an address of this machine"
            )
    else:
        door.close()
        yield Finding("page", "ok", f"port {port} on {host} is free")


def _table(settings: Settings) -> Iterator[Finding]:
    path = socket_path(settings.journal)
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        yield Finding("table", "absent", "no table is running with this journal")
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(str(path))
        except OSError:
            yield Finding(
                "table",
                "absent",
                "the table of this journal was killed; it continues at the next start",
            )
        else:
            yield Finding("table", "ok", f"running; journal {settings.journal}")


def _clock(_: Settings) -> Iterator[Finding]:
    """Game clocks never use the date; the record carries it."""
    if Path("/run/systemd/timesync/synchronized").exists():
        yield Finding("date", "ok", "set from the network")
    else:
        yield Finding(
            "date",
            "absent",
            "not known to be set from the network; entries carry this machine's own date",
        )


def _join(group: str) -> str:
    """The line that lets this user open such devices."""
    name = "$USER"
    with contextlib.suppress(KeyError, ImportError):
        name = importlib.import_module("pwd").getpwuid(os.getuid()).pw_name
    return f"sudo usermod -aG {group} {name}, then log in again"


CHECKS: Final[tuple[Callable[[Settings], Iterator[Finding]], ...]] = (
    _python, _settings, _pictures, _camera, _port, _pins, _disk, _page, _table, _clock,
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte doctor",
        description="Say what is present and what is missing, each with its next step.",
    )
    parser.add_argument("--settings", type=Path, metavar="FILE")
    parser.add_argument(
        "--camera", metavar="SOURCE", help="examine this camera instead of the settings' one"
    )
    parser.add_argument(
        "--board", metavar="ADDRESS", help="examine this board instead of the settings' one"
    )
    parser.add_argument("--journal", metavar="FILE")
    parser.add_argument("--port", type=int)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    given = parser.parse_args(arguments)
    try:
        settings = settings_file.load_settings(given.settings).with_values(
            camera_source=given.camera,
            board_address=given.board,
            table_journal=given.journal,
            page_port=given.port,
        )
        findings = list(examine(settings))
    except SettingsError as e:
        findings = [
            Finding("settings", "problem", str(e), "correct that line"),
            *examine(Settings()),
        ]
    if given.json:
        print(json.dumps([asdict(f) for f in findings], indent=1))
    else:
        for f in findings:
            print(
                f"{MARKS[f.state]}  {f.what}: {f.found}"
                + (f"\n         -> {f.next}" if f.next else "")
            )
    return 1 if any(f.state == "problem" for f in findings) else 0
