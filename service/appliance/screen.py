"""The page opens by itself where somebody sits before a screen (E)."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Mapping
from typing import Final

PATIENCE_S: Final = 60.0


def has_screen(environ: Mapping[str, str], platform: str, *, interactive: bool) -> bool:
    """Whether a browser would open before somebody's eyes: started by hand, on a desktop, and not
    asked to keep quiet (`TAKHTE_NO_BROWSER`).
    """
    if not interactive or environ.get("TAKHTE_NO_BROWSER") or environ.get("SSH_CONNECTION"):
        return False
    return platform in ("darwin", "win32") or any(
        environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def open_when_there(port: int, page: str = "/") -> None:
    """Open this machine's own page in its browser as soon as it answers; returns at once."""
    threading.Thread(target=_open, args=(port, page), name="browser", daemon=True).start()


def _open(port: int, page: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            import webbrowser

            webbrowser.open(f"http://127.0.0.1:{port}{page}")
            return
        time.sleep(0.2)
