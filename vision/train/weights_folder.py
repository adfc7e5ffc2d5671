"""Where a training's weights lie."""

from __future__ import annotations

import shutil
from pathlib import Path

from vision.network import SHIPPED


def made_in(out: Path) -> Path:
    """The folder of weights of a training: at first the shipped ones, which each step replaces by
    its own. The shipped ones themselves change by `python -m vision.train install` alone.
    """
    folder = out / "weights"
    if not folder.exists():
        half = out / "weights.part"
        shutil.copytree(SHIPPED, half, dirs_exist_ok=True)
        half.rename(folder)
    return folder
