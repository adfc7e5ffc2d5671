"""`takhte run`: a table and its page, until you stop it (Ctrl-C); started again it goes on where it
was (E).

Without --camera and --board it plays the recording that comes with the program. The table
(`service.table.process`) and the page (`service.web`) are children of this small parent, which
watches them: one that dies is started again; when the parent dies, both end by themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from rules.words import about_command
from service.appliance import systemd as appliance
from service.appliance.joined import joined_path
from service.appliance.screen import has_screen, open_when_there
from service.appliance.systemd import Logbook
from service.journal.paths import socket_path
from service.settings import PHONE, Settings, comma_separated, from_arguments
from service.table.options import AGAIN, DEMO, REFUSED, add_options, add_played
from service.web.addresses import free_port, is_public

log = logging.getLogger(__name__)

BACK_OFF: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
HEALTHY_S: Final = 30.0
"""A child that lived so long starts its pauses anew."""
FAREWELL_S: Final = 6.0
PORT_S: Final = 6.0


@dataclass(slots=True)
class Child:
    """One process of the family. `needed`: the family ends when it refuses to start."""

    name: str
    command: list[str]
    needed: bool
    once: Path | None = None
    """Not started before this file is there."""
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    due: float = 0.0

    def start(self, now: float, logbook: Logbook) -> None:
        """Start the process at monotonic time `now`; its errors go to the logbook too."""
        home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
        # A session of its own: Ctrl-C reaches the parent alone, which ends its children in order.
        said = subprocess.PIPE if logbook.kept else None
        self.process = subprocess.Popen(  # noqa: S603
            self.command,
            stdin=subprocess.PIPE,
            stderr=said,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,
        )
        if logbook.kept:
            logbook.follow(self.process)
        self.started = now

    def stop(self) -> None:
        """Ask the process to end."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """End the process at once."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()

    def reap(self, seconds: float) -> None:
        """Wait so many seconds for the end, then make it end."""
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()


@dataclass(slots=True)
class Family:
    """Watches its children until `end`. `status` is the exit status."""

    children: list[Child]
    logbook: Logbook
    stopping: bool = False
    status: int = 0

    def run(self) -> int:
        """The exit status, once a signal or a refusal has ended the family."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)
        try:
            while not self.stopping:
                now = time.monotonic()
                for child in self.children:
                    self._look_after(child, now)
                time.sleep(0.1)
        finally:
            for child in reversed(self.children):
                child.stop()
            for child in self.children:
                child.reap(FAREWELL_S)
        return self.status

    def _look_after(self, child: Child, now: float) -> None:
        if child.process is None:
            if (
                now >= child.due
                and not self.stopping
                and (child.once is None or child.once.exists())
            ):
                child.start(now, self.logbook)
            return
        code = child.process.poll()
        if code is None:
            if child.failures and now - child.started > HEALTHY_S:
                child.failures = 0
            return
        if child.process.stdin:
            child.process.stdin.close()
        child.process = None
        if code == AGAIN and child.needed:
            self.stopping, self.status = True, AGAIN
            return
        if code in (REFUSED, 2) and child.needed:
            self.stopping, self.status = True, 1
            return
        pause = BACK_OFF[min(child.failures, len(BACK_OFF) - 1)]
        child.failures, child.due = child.failures + 1, now + pause
        why = signal.Signals(-code).name if code < 0 else f"status {code}"
        log.warning(
            "%s ended (%s); it is started again in %.1f s, nothing is lost", child.name, why, pause
        )

    def _signalled(self, _: int, __: FrameType | None) -> None:
        self.stopping = True


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte run",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    add_played(parser)
    parser.add_argument(
        "--again",
        action="store_true",
        help="play the recording from its start, whatever was played before",
    )
    parser.add_argument("--host", help="address of the page; 0.0.0.0 lets the local network in")
    parser.add_argument("--port", type=int, help="port of the page")
    parser.add_argument(
        "--console-port",
        type=int,
        help="port of this machine's own screen, on the loopback; 0: none",
    )
    parser.add_argument(
        "--https",
        metavar="off|own|FILES",
        help="how phones reach the page behind TLS: own makes a certificate; or CERTIFICATE,KEY",
    )
    parser.add_argument("--https-port", type=int, help="port of the page behind TLS")
    parser.add_argument(
        "--no-browser",
        action="store_true",
        help="do not open the page in this machine's browser (TAKHTE_NO_BROWSER=1: never)",
    )
    parser.add_argument("--no-page", action="store_true", help="referee and record only")
    given = parser.parse_args(words)
    # Journal, log and pictures are for this user: a club's machine has others.
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="takhte: %(message)s", stream=sys.stderr)
    while (status := _run(given)) == AGAIN:
        given.again = given.no_browser = True
    return status


def _run(given: argparse.Namespace) -> int:
    """The exit status of the whole family; AGAIN where a visitor wants the film from its start."""
    settings = from_arguments(given)
    if settings.camera.source == PHONE and not is_public(settings.page.host):
        log.info("a phone must reach the page: it is served to the local network (--host 0.0.0.0)")
        settings = settings.with_values(page_host="0.0.0.0")  # noqa: S104 - what was asked for
    logbook = Logbook(settings.log)
    connected = settings.camera.source != "none" or settings.board.address != "none"
    played: Path | None = given.recording or (None if connected else DEMO)
    if played is not None:
        # Reads a journal: a table with a camera or board starts without it.
        from service.table.demo import settings_for

        settings = settings_for(settings, given, played, again=given.again)
    words_of_table = _table_command(settings, given, played)
    children = [Child("the table", words_of_table, needed=True)]
    if not given.no_page:
        if problem := _page_problem(settings):
            log.error("%s", problem)
            if played is not None:
                return 1
        else:
            children.append(Child("the page", _page_command(settings), needed=False))
            if settings.page.console_port:
                log.info(
                    "this machine's own screen: http://127.0.0.1:%d", settings.page.console_port
                )
                seen = has_screen(os.environ, sys.platform, interactive=sys.stderr.isatty())
                if seen and not given.no_browser:
                    first = "/first-use" if settings.camera.source == PHONE else "/"
                    open_when_there(settings.page.console_port, first)
            log.info(
                "for everybody: http://%s:%d", _in_address(settings.page.host), settings.page.port
            )
    publishing = [
        sys.executable,
        "-m",
        "service.appliance.child",
        "service.hall.publish",
        "--journal",
        str(settings.journal),
    ]
    children.append(
        Child("the publisher", publishing, needed=False, once=joined_path(settings.journal))
    )
    log.info("%s; journal %s", f"playing {played}" if played else "live", settings.journal)
    pulse = appliance.Pulse(socket_path(settings.journal), lambda: _hung(children[0]))
    announced = (
        appliance.announced(settings)
        if any(child.name == "the page" for child in children)
        else None
    )
    try:
        return Family(children, logbook).run()
    finally:
        pulse.close()
        if announced is not None:
            announced.close()


def _hung(table: Child) -> None:
    log.error(
        "the table has not answered for %.0f s and is started again; its journal says where it was",
        appliance.HANGS_AFTER_S,
    )
    table.kill()


def _table_command(settings: Settings, given: argparse.Namespace, played: Path | None) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "service.appliance.child",
        "service.table.process",
        "--journal",
        str(settings.journal),
        "--name",
        settings.table.name,
    ]
    options = {
        "--settings": given.settings,
        "--camera": given.camera,
        "--tuned": given.tuned,
        "--board": given.board,
        "--record": given.record,
    }
    if played is not None:
        options |= {"--recording": played, "--speed": given.speed}
        if not given.journal:
            command.append("--may-begin-again")
    return command + [
        word for name, value in options.items() if value is not None for word in (name, str(value))
    ]


def _page_command(settings: Settings) -> list[str]:
    page = settings.page
    command = [
        sys.executable,
        "-m",
        "service.appliance.child",
        "service.web",
        "--journal",
        str(settings.journal),
        "--socket",
        str(socket_path(settings.journal)),
    ]
    command += [
        "--name",
        settings.table.name,
        "--host",
        page.host,
        "--port",
        str(page.port),
        "--language",
        page.language,
        "--console-port",
        str(page.console_port),
        "--https",
        page.https,
        "--https-port",
        str(page.https_port),
    ]
    command += [word for name in comma_separated(page.hosts) for word in ("--allow-host", name)]
    command += ["--connections", str(page.connections)]
    command += [word for name in comma_separated(page.proxies) for word in ("--proxy", name)]
    air = settings.broadcast
    return command + (
        ["--picture-megabytes", str(air.picture_megabytes), "--picture-rate", str(air.picture_rate)]
        if air.picture
        else []
    )


def _page_problem(settings: Settings) -> str:
    """Why the page cannot be served there, "" when it can.

    A page whose parent was killed may need a moment to leave its port.
    """
    host, port = settings.page.host, settings.page.port
    end = time.monotonic() + PORT_S
    try:
        while True:
            try:
                free_port(host, port).close()
                return ""
            except OSError as e:
                if e.errno != errno.EADDRINUSE or time.monotonic() > end:
                    raise
            time.sleep(0.2)
    except OSError as e:
        if e.errno == errno.EADDRINUSE:
            return (
                f"port {port} is taken, by another takhte or another program: stop it, or give"
                f" another with --port {port + 1}"
            )
        return (
            f"the page cannot be served on {host}:{port} ({e.strerror}): give an address of this"
            " machine and a port above 1023"
        )


def _in_address(host: str) -> str:
    with contextlib.suppress(ValueError):
        if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
            return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
