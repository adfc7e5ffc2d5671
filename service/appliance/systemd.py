"""What makes the program an appliance: systemd's watchdog, a name on the local network, logs that
never fill the disk (E).
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import logging
import logging.handlers
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.journal.paths import name_path
from service.settings import Settings
from service.settings_table import LogSettings
from service.web.addresses import addresses, is_public, local_names
from service.web.asking import ask

if TYPE_CHECKING:
    from zeroconf import Zeroconf

log = logging.getLogger(__name__)

ASK_EVERY_S: Final = 3.0
STARTS_WITHIN_S: Final = 120.0
"""A slow card with a long journal takes its time."""
HANGS_AFTER_S: Final = 20.0
"""A table that has not answered for so long is killed and started again: its journal says where it
was.
"""

UNIT: Final = """\
# systemd unit of a takhte table. Install it with:
#   takhte unit | sudo tee /etc/systemd/system/takhte.service && sudo systemctl enable --now takhte
[Unit]
Description=takhte: a board that referees itself
After=network.target time-sync.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
User={user}
SupplementaryGroups={groups}
ExecStart={python} -m service.cli run{options}
Environment=PYTHONUNBUFFERED=1
WatchdogSec=60
Restart=always
RestartSec=2
TimeoutStopSec=15
LimitNOFILE=16384
NoNewPrivileges=true
PrivateTmp=true
ProtectSystem=full
LogRateLimitIntervalSec=30
LogRateLimitBurst=500

[Install]
WantedBy=multi-user.target
"""


def notify(message: str) -> bool:
    """Tell systemd, where it started us:

    READY=1, WATCHDOG=1, STATUS=...; False where nobody listens.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line,
    ):
        line.connect("\0" + address[1:] if address[0] == "@" else address)
        line.sendall(message.encode())
        return True
    return False


def watchdog_period() -> float | None:
    """Seconds between two signs of life that systemd wants, half of what it waits; None where it
    wants none.
    """
    with contextlib.suppress(ValueError):
        microseconds = int(os.environ.get("WATCHDOG_USEC", ""))
        if (
            os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
            and microseconds > 0
        ):
            return microseconds / 2e6
    return None


class Pulse:
    """Asks the table for a sign of life and passes it on to systemd; calls `hung` when the table
    has been silent for too long.
    """

    def __init__(self, path: Path, hung: Callable[[], None]) -> None:
        self._path, self._hung = path, hung
        self._stop = threading.Event()
        self._ready = False
        threading.Thread(target=self._run, name="pulse", daemon=True).start()

    def close(self) -> None:
        """Stop asking, and tell systemd that this is the end."""
        self._stop.set()
        notify("STOPPING=1")

    def _run(self) -> None:
        period = min(watchdog_period() or ASK_EVERY_S, ASK_EVERY_S)
        heard = time.monotonic()
        while not self._stop.wait(period):
            try:
                ask(self._path, {"id": "pulse", "query": "sources"}, HANGS_AFTER_S / 3)
                heard = time.monotonic()
                if not self._ready:
                    log.info("the table referees")
                notify("WATCHDOG=1" if self._ready else "READY=1\nWATCHDOG=1\nSTATUS=refereeing")
                self._ready = True
            except (OSError, ValueError):
                # `takhte run` starts the table again by itself; systemd need not know.
                if time.monotonic() - heard > (HANGS_AFTER_S if self._ready else STARTS_WITHIN_S):
                    heard = time.monotonic()
                    self._hung()
                notify("WATCHDOG=1")


class Announcement:
    """The page's name on the local network:

    `NAME.local`, found by browsers and phones without an address. Silent where it cannot be.
    """

    def __init__(
        self,
        name: str,
        port: int,
        interfaces: Sequence[str] | None = None,
        kept: Path | None = None,
    ) -> None:
        """`kept`: a file that holds the name while it is announced, for the page to say."""
        self._zeroconf: Zeroconf | None = None
        self.address, self._kept = "", kept
        threading.Thread(
            target=self._register, args=(name, port, interfaces), name="mdns", daemon=True
        ).start()

    def _register(self, name: str, port: int, interfaces: Sequence[str] | None) -> None:
        from zeroconf import InterfaceChoice, NonUniqueNameException, ServiceInfo, Zeroconf

        try:
            zeroconf = Zeroconf(
                interfaces=list(interfaces) if interfaces else InterfaceChoice.Default
            )
            for server in local_names(name):
                label = server.replace(".local", "._http._tcp.local.")
                info = ServiceInfo(
                    "_http._tcp.local.",
                    label,
                    port=port,
                    server=f"{server}.",
                    properties={"path": "/"},
                    parsed_addresses=addresses(),
                )
                try:
                    zeroconf.register_service(info)
                except NonUniqueNameException:
                    continue
                self._zeroconf, self.address = zeroconf, f"http://{server}:{port}"
                log.info("also at %s on the local network", self.address)
                if self._kept is not None:
                    self._kept.write_text(server, encoding="utf-8")
                return
            zeroconf.close()
        except Exception as e:  # No network, no multicast: the page has its address all the same.
            log.info("no name on the local network (%s); the page is reached by its address", e)

    def close(self) -> None:
        """Take the name off the network."""
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)
        if self._zeroconf is not None:
            self._zeroconf.close()


class _Quiet(logging.handlers.RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A line that cannot be written is lost; to say so would need another line."""


class Logbook:
    """One log of the whole family, turned over at its size:

    `takhte.log`, `takhte.log.1` and so on. A full disk loses lines only.
    """

    def __init__(self, settings: LogSettings) -> None:
        self._handler: _Quiet | None = None
        if not settings.folder:
            return
        folder = Path(settings.folder).expanduser()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            size = int(settings.megabytes * 1e6)
            self._handler = _Quiet(folder / "takhte.log", maxBytes=size, backupCount=settings.files)
        except OSError as e:
            log.error(
                "%s: no log can be written there (%s); correct log.folder", folder, e.strerror
            )
            return
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        logging.getLogger().addHandler(self._handler)

    @property
    def kept(self) -> bool:
        """Whether a log is written."""
        return self._handler is not None

    def follow(self, process: subprocess.Popen[bytes]) -> None:
        """Write down what a child says, and say it on."""
        threading.Thread(target=self._copy, args=(process,), name="logbook", daemon=True).start()

    def _copy(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        # The pipe may be closed under us when the family ends.
        with contextlib.suppress(OSError, ValueError):
            for line in process.stderr:
                text = line.decode(errors="replace").rstrip("\n")
                with contextlib.suppress(OSError, ValueError):
                    sys.stderr.write(text + "\n")
                if self._handler is not None:
                    self._handler.handle(
                        logging.LogRecord("child", logging.INFO, "", 0, "%s", (text[:2000],), None)
                    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte unit",
        description="Print a systemd unit that runs this table, with watchdog, as this user.",
    )
    parser.add_argument("--settings", type=Path, help="settings file that the unit shall use")
    given = parser.parse_args(words)
    options = f" --settings {given.settings.resolve()}" if given.settings else ""
    present = (
        {line.split(":")[0] for line in Path("/etc/group").read_text().splitlines()}
        if Path("/etc/group").exists()
        else set()
    )
    groups = " ".join(g for g in ("dialout", "video", "gpio") if g in present)
    print(
        UNIT.format(user=getpass.getuser(), groups=groups, python=sys.executable, options=options),
        end="",
    )
    return 0


def announced(settings: Settings) -> Announcement | None:
    """The announcement that the settings ask for, None where the page serves this machine alone."""
    page = settings.page
    return (
        Announcement(settings.table.name, page.port, kept=name_path(settings.journal))
        if page.mdns and is_public(page.host)
        else None
    )
