"""`python -m service.simulate`, which `takhte simulate` runs."""

from __future__ import annotations

import sys

from service.simulate.console import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
