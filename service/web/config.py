"""What the web process is told at its start: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from service.web.certificate import PageCertificate
from service.web.door import BY_ADDRESS


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Where one table is found and how it may be shown.

    `journal` and `socket` are the table's; `data` holds access.db and the web's own settings
    (default: the journal's folder). `hosts` are names by which this machine is called besides its
    addresses and *.local.
    """

    journal: Path
    socket: Path
    name: str = "t1"
    host: str = "127.0.0.1"
    port: int = 8000
    data: Path | None = None
    language: str = ""
    hosts: tuple[str, ...] = ()
    console_port: int = 0
    """Port on the loopback where whoever asks is the console, without signing in; 0 = none."""
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose forwarding headers are believed."""
    others: tuple[tuple[str, Path, Path], ...] = field(default=())
    """More tables of this machine: (name, journal, socket)."""
    picture_megabytes: int = 0
    """Memory for the camera's pictures that wait for their delay; 0 = no consent, and no picture
    leaves.
    """
    picture_rate: float = 10.0
    https_port: int = 0
    """Port of the page behind TLS; 0 = none."""
    certificate: PageCertificate | None = None
    """What it shows there."""
    connections: int = BY_ADDRESS
    """How many connections one address may have."""

    @property
    def folder(self) -> Path:
        """Where access.db and the web's own settings are kept."""
        return self.data or self.journal.parent

    @property
    def tables(self) -> tuple[tuple[str, Path, Path], ...]:
        """(name, journal, socket) of every table of this machine."""
        return ((self.name, self.journal, self.socket), *self.others)
