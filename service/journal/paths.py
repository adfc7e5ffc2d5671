"""Where the files beside a journal are: the one place that says their names."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def socket_path(journal: Path) -> Path:
    """Where the table of this journal listens: beside it, or, where that name is too long for a
    socket, in the machine's temporary folder."""
    beside = journal.with_suffix(".sock")
    if len(os.fsencode(beside.absolute())) < 100:
        return beside
    mark = hashlib.sha256(os.fsencode(journal.absolute())).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"takhte-{os.getuid()}-{mark}.sock"


def picture_path(journal: Path) -> Path:
    """The newest camera picture with what was believed drawn on it: a JPEG beside the journal,
    replaced whole.
    """
    return journal.with_suffix(".camera.jpg")


def plain_path(journal: Path) -> Path:
    """The same without the drawing."""
    return journal.with_suffix(".camera-plain.jpg")
