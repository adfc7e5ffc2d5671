"""Where the files beside a journal are: the one place that says their names."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from rules.board import Side


def socket_path(journal: Path) -> Path:
    """Where the table of this journal listens: beside it, or, where that name is too long for a
    socket, in a folder of this user's own. Raises OSError where somebody else has that folder."""
    beside = journal.with_suffix(".sock")
    if len(os.fsencode(beside.absolute())) < 100:
        return beside
    mark = hashlib.sha256(os.fsencode(journal.absolute())).hexdigest()[:16]
    return _own_folder() / f"{mark}.sock"


def phone_path(journal: Path) -> Path:
    """Where the camera's process takes a phone's pictures from the page: beside the socket."""
    return socket_path(journal).with_suffix(".phone")


def _own_folder() -> Path:
    """A folder that only this user can have made and can look into: whoever guesses its name and
    makes it first gets no table to talk to.
    """
    folder = Path(tempfile.gettempdir()) / f"takhte-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(
            f"{folder}: expected a folder of this user alone for the table's socket, got somebody"
            " else's: remove it, or give a journal with a shorter path"
        )
    return folder


def picture_path(journal: Path, seat: Side = Side.WHITE) -> Path:
    """The newest camera picture with what was believed drawn on it, as it lies for whoever sits
    there: a JPEG beside the journal, replaced whole.
    """
    return journal.with_suffix(".camera.jpg" if seat is Side.WHITE else ".camera-black.jpg")


def plain_path(journal: Path) -> Path:
    """The same without the drawing."""
    return journal.with_suffix(".camera-plain.jpg")


def name_path(journal: Path) -> Path:
    """The name under which the page is announced on the local network, while it is."""
    return journal.with_suffix(".local-name")
