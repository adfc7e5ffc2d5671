"""`takhte board`: the board alone, with what is kept of it where this machine's tables look (E)."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge import console
from service.settings import load_settings


def main(words: Sequence[str]) -> int:
    """Run one command of `takhte board`; calibrations and kept firmware lie in the settings' data
    folder. Raises SettingsError.
    """
    return console.main(words, data=load_settings(None).data)


__all__ = ["main"]
