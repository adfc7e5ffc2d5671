"""The addresses under which this machine's page is reached on the local network (E)."""

from __future__ import annotations

import contextlib
import re
import socket


def addresses() -> list[str]:
    """This machine's own addresses on the network, the one of the default route first; the loopback
    where there is no other.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        # No packet is sent: connecting a datagram socket only chooses the route.
        line.connect(("192.0.2.1", 9))
        return [line.getsockname()[0]]
    return ["127.0.0.1"]


def local_names(table: str) -> list[str]:
    """Names under which this machine may announce itself on the local network, best first."""
    return [f"{host}.local" for host in ("takhte", f"takhte-{table}", _host_name())]


def _host_name() -> str:
    """`takhte-` and this machine's own name, as far as a name on the network can hold it."""
    own = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower()).strip("-")
    return f"takhte-{own or 'table'}"[:63]


def is_public(host: str) -> bool:
    """Whether a page on this address can be reached from another machine."""
    return host not in ("localhost", "::1") and not host.startswith("127.")


def free_port(host: str, port: int) -> socket.socket:
    """A socket bound to the address, as the page will bind it.

    Raises OSError where it cannot be: taken, not allowed, no such address.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    door = socket.socket(family, kind, protocol)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
    except OSError:
        door.close()
        raise
    return door
