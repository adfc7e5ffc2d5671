"""`python -m service.appliance.child MODULE ARGS`: run a module that ends when its parent does,
however that one ended (E).

The parent holds the other end of the standard input; when that closes, the module is asked to end,
and made to soon after.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import signal
import sys
import threading
from typing import Final

GRACE_S: Final = 4.0


def follow_parent() -> None:
    """Blocks until the parent is gone, then ends this process: first politely."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    threading.Timer(GRACE_S, lambda: os._exit(0)).start()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    threading.Thread(target=follow_parent, name="parent", daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
