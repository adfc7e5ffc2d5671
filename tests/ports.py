"""Ports for servers that a test starts: nobody has them, and nobody is given them meanwhile.

A port that the system picks (bind to 0) comes out of the range that it also gives to whoever calls
out, so between picking and listening another test's browser may have it: a hall's line server once
stayed away for good, its port being taken by the time it was started. These are taken below it.
"""

from __future__ import annotations

import contextlib
import random
import socket
from typing import Final

BELOW_OUTGOING: Final = range(18_000, 30_000)
"""Linux calls out from 32768 upwards (`net.ipv4.ip_local_port_range`)."""
_given: set[int] = set()


def free_port() -> int:
    """A port on which nobody listens and which was not given before in this process."""
    while True:
        port = random.SystemRandom().choice(BELOW_OUTGOING)
        if port in _given:
            continue
        with contextlib.suppress(OSError), socket.create_server(("0.0.0.0", port)):
            _given.add(port)
            return port
