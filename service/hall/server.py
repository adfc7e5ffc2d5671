"""The NATS server of a hall: its configuration, made from who is paired (pure), and its process
(E).

Every table signs in by a key of its own and may do five things: publish its own entries and
statuses, ask for its own last message, take its own answers, and answer its own commands. The hall
alone may do everything. There are no passwords to leak.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NotRequired, TypeAlias, TypedDict

from service.hall.certificate import LineCertificate
from service.hall.leaf import (
    PORT,
    Branch,
    LeafTls,
    Leaves,
    MainHall,
    leaf_dialled,
    leaf_permissions,
    leaves_taken,
)
from service.hall.wire import STREAM, commands_of, entries_of, inbox_of, status_of

PROGRAM: Final = "nats-server"
START_S: Final = 15.0
RELOAD_S: Final = 3.0
GIGABYTE: Final = 1 << 30


class ServerError(OSError):
    """The server cannot be had: one line with cause and next step."""


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """Where it listens and what it may use.

    `folder` holds the stream; `gigabytes` is the most that it may hold.
    """

    host: str
    port: int
    folder: Path
    gigabytes: float = 8.0
    certificate: LineCertificate | None = None
    """What encrypts the line; None for a line in plain."""
    branches: tuple[tuple[Branch, str], ...] = ()
    """Halls whose servers may dial this one, each with what it signs in with."""
    leaf_port: int = PORT
    leaf_address: str = ""
    main: MainHall | None = None
    """The hall whose server this one dials."""


class Permissions(TypedDict):
    """What a user may do, in the server's own words."""

    publish: dict[str, list[str]]
    subscribe: dict[str, list[str]]
    allow_responses: dict[str, int | str]


class ServerUser(TypedDict):
    """A user of the server by its key; without permissions it may do everything."""

    nkey: str
    permissions: NotRequired[Permissions]


class LeafUser(TypedDict):
    """Another hall's server, as a user of this one."""

    user: str
    password: str
    permissions: dict[str, dict[str, list[str]]]
    allowed_connection_types: list[str]


Settable: TypeAlias = (
    str
    | int
    | LeafTls
    | Leaves
    | Mapping[str, int | str]
    | Mapping[str, int | Sequence[ServerUser | LeafUser]]
)
"""What a line of the server's configuration may hold."""


def configuration(plan: ServerPlan, hall: str, tables: Mapping[str, str], domain: str = "") -> str:
    """The server's configuration file.

    `hall`: the hall's own sign-in key; `tables`: sign-in key by table name; `domain`: what its
    stream is called by other halls' servers.
    """
    users: list[ServerUser | LeafUser] = [{"nkey": hall}]
    for table, key in sorted(tables.items()):
        publish = [
            entries_of(table),
            status_of(table),
            f"$JS.API.DIRECT.GET.{STREAM}.{entries_of(table)}",
        ]
        subscribe = [commands_of(table), f"{inbox_of(table)}.>"]
        permissions: Permissions = {
            "publish": {"allow": publish},
            "subscribe": {"allow": subscribe},
            "allow_responses": {"max": 1, "expires": "1m"},
        }
        users.append({"nkey": key, "permissions": permissions})
    for branch, secret in plan.branches:
        users.append(
            {
                "user": branch.name,
                "password": secret,
                "permissions": leaf_permissions(branch),
                "allowed_connection_types": ["LEAFNODE"],
            }
        )
    stream: dict[str, int | str] = {
        "store_dir": str(plan.folder / "stream"),
        "max_file_store": int(plan.gigabytes * GIGABYTE),
        "max_memory_store": 64 << 20,
    }
    if plan.branches or plan.main:
        stream["domain"] = domain
    authorization: dict[str, int | Sequence[ServerUser | LeafUser]] = {"timeout": 5, "users": users}
    lines: dict[str, Settable] = {
        "listen": f"{plan.host}:{plan.port}",
        "server_name": "takhte-hall",
        "max_payload": 1 << 20,
        "max_control_line": 4096,
        "write_deadline": "5s",
        "ping_interval": "5s",
        "ping_max": 2,
        "jetstream": stream,
        "authorization": authorization,
    }
    files: LeafTls | None = None
    if (own := plan.certificate) is not None:
        files = {"cert_file": str(own.chain), "key_file": str(own.key), "timeout": 5}
        lines["tls"] = files
    if plan.branches:
        lines["leafnodes"] = leaves_taken(plan.host, plan.leaf_port, plan.leaf_address, files)
    elif plan.main is not None:
        lines["leafnodes"] = leaf_dialled(plan.main, files)
    # The server reads JSON as its own format.
    return json.dumps(lines, indent=1) + "\n"


class Server:
    """The server beside the hall. A hall that was killed leaves it running, taking entries, and
    finds it again by its `nats.pid`; a hall that ends in order ends it too."""

    def __init__(self, plan: ServerPlan) -> None:
        self.plan = plan
        self.path = plan.folder / "nats.conf"
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, hall: str, tables: Mapping[str, str], domain: str = "") -> None:
        """Write the configuration, readable by this user alone. Raises OSError."""
        self.plan.folder.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.touch(mode=0o600, exist_ok=True)
        part.write_text(configuration(self.plan, hall, tables, domain), encoding="utf-8")
        part.replace(self.path)

    def start(self) -> None:
        """Start it where it does not run, and wait until it listens.

        Blocking. Raises ServerError.
        """
        if self.pid and self._listens():
            self.reload()
            return
        program = shutil.which(PROGRAM) or shutil.which(PROGRAM, path="/usr/sbin:/usr/local/bin")
        if program is None:
            raise ServerError(
                f"expected the program {PROGRAM}, found none: apt-get install nats-server"
            )
        command = [program, "-c", str(self.path), "-P", str(self._pid_file)]
        with (self.plan.folder / "nats.log").open("ab") as said:
            # A session of its own: Ctrl-C reaches the hall alone, which ends it in order.
            process = subprocess.Popen(  # noqa: S603
                command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._process = process
        end = time.monotonic() + START_S
        while time.monotonic() < end and process.poll() is None:
            if self.pid == process.pid and self._listens():
                return
            time.sleep(0.05)
        self.stop()
        raise ServerError(
            f"nats-server does not listen on {self.plan.host}:{self.plan.port};"
            f" {self.plan.folder / 'nats.log'} says why"
        )

    @property
    def _pid_file(self) -> Path:
        return self.plan.folder / "nats.pid"

    @property
    def pid(self) -> int:
        """The server's process, 0 where none runs."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        try:
            number = int(self._pid_file.read_text())
            words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return 0
        # A number may have been given to another program since.
        return (
            number
            if any(w.endswith(PROGRAM.encode()) for w in words[:1])
            and str(self.path).encode() in words
            else 0
        )

    def _listens(self) -> bool:
        with (
            contextlib.suppress(OSError),
            socket.create_connection((self.reachable, self.plan.port), 0.5) as line,
        ):
            line.settimeout(0.5)
            return line.recv(4) == b"INFO"
        return False

    @property
    def reachable(self) -> str:
        """The address by which this machine itself reaches it."""
        everywhere = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
        return "127.0.0.1" if self.plan.host in everywhere else self.plan.host

    @property
    def address(self) -> str:
        """Where the hall itself reaches its server."""
        return f"nats://{self.reachable}:{self.plan.port}"

    def reload(self) -> None:
        """Take the written configuration: who is paired no more is cut off at once.

        Returns once the server says so; blocking.
        """
        if not (pid := self.pid):
            return
        said = self.plan.folder / "nats.log"
        before = said.stat().st_size
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGHUP)
        end = time.monotonic() + RELOAD_S
        while time.monotonic() < end and self.pid:
            with said.open("rb") as file:
                file.seek(before)
                if re.search(rb"Reloaded server configuration|Failed to reload", file.read()):
                    return
            time.sleep(0.01)

    def stop(self) -> None:
        """End the server's process. Blocking."""
        pid, process = self.pid, self._process
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        elif process is not None:
            process.terminate()
        end = time.monotonic() + 10
        while (
            self.pid or (process is not None and process.poll() is None)
        ) and time.monotonic() < end:
            time.sleep(0.02)
        if process is not None:
            if process.poll() is None:
                process.kill()
            process.wait()
            self._process = None
