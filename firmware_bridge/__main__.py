"""`python -m firmware_bridge` is `takhte board`."""

from __future__ import annotations

import sys

from firmware_bridge.console import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
