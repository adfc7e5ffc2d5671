"""Where what is said at the desk is kept: a file of edits for each match, and each seal beside it.
(E)
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rules.notation.record import MatchRecord
from service.amend.edits import MOST_EDITS, Edit, Edits, EditsError, edits_text, read_edits
from service.film.errors import FilmError
from service.film.kept import KEPT, FilmRead, load_kept
from service.journal.sqlite_file import sync_folder
from service.record.archive import ArchiveError
from service.record.sealed_amendment import AMENDED, SealedAmendment, read_sealed, write_sealed

FILMS: Final = "films"
"""Folder of transcripts, beside the journal: one folder of `takhte transcribe --out` each."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")


class OutdatedError(Exception):
    """Somebody else said something of this match since."""


@dataclass(frozen=True, slots=True)
class Amendments:
    """The edits and seals in one folder. `ident` names a match: hexadecimal digits."""

    folder: Path

    def edits(self, ident: str) -> Edits:
        """What was said of a match so far. Raises EditsError or OSError."""
        try:
            return read_edits(self._edits(ident).read_bytes(), self._edits(ident).name)
        except FileNotFoundError:
            return Edits()

    def say(self, ident: str, edit: Edit, seen: int) -> Edits:
        """Keep one more; `seen`: how many the person knew of.

        Raises OutdatedError where there are others, EditsError where there are too many.
        """
        now = self._known(ident, seen)
        if len(now.edits) >= MOST_EDITS:
            raise EditsError(f"expected at most {MOST_EDITS} edits of a match: seal it")
        return self._keep(ident, Edits((*now.edits, edit)))

    def take_back(self, ident: str, seen: int) -> Edits:
        """Forget the newest. Raises OutdatedError."""
        return self._keep(ident, Edits(self._known(ident, seen).edits[:-1]))

    def _known(self, ident: str, seen: int) -> Edits:
        now = self.edits(ident)
        if len(now.edits) != seen:
            raise OutdatedError(f"{len(now.edits)} edits, {seen} were seen")
        return now

    def _keep(self, ident: str, edits: Edits) -> Edits:
        self._write(self._edits(ident), edits_text(edits))
        return edits

    def seal(
        self, ident: str, record: MatchRecord, by: str, wall: float, key: Ed25519PrivateKey
    ) -> SealedAmendment:
        """The match as it is now, sealed; earlier seals stay. Raises OSError."""
        said = edits_text(self.edits(ident)).decode()
        sealed = SealedAmendment(ident, by, wall, record, said)
        number = len(list(self.folder.glob(f"{ident}-*{AMENDED}"))) + 1
        self._write(self.folder / f"{ident}-{number}{AMENDED}", write_sealed(sealed, key))
        return sealed

    def sealed(self, ident: str) -> SealedAmendment | None:
        """The newest seal of a match that holds; None where there is none."""
        paths = sorted(self.folder.glob(f"{ident}-*{AMENDED}"), key=_number, reverse=True)
        for path in paths:
            with suppress(ArchiveError, OSError):
                return read_sealed(path.read_bytes())
        return None

    def seals(self) -> int:
        """How many seals there are: more, and something was sealed since."""
        return len(list(self.folder.glob(f"*{AMENDED}")))

    def _edits(self, ident: str) -> Path:
        return self.folder / f"{ident}.edits.json"

    def _write(self, path: Path, data: bytes) -> None:
        """Whole or not at all, and there after a power cut."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(self.folder)


def _number(path: Path) -> int:
    found = re.search(r"-(\d+)\.amended", path.name)
    return int(found[1]) if found else 0


@dataclass(frozen=True, slots=True)
class Films:
    """The transcripts of a folder, by name."""

    folder: Path

    def names(self) -> list[str]:
        """Every transcript that can be put right."""
        with suppress(OSError):
            return sorted(
                path.name
                for path in self.folder.iterdir()
                if _NAME.fullmatch(path.name) and (path / KEPT).is_file()
            )
        return []

    def read(self, name: str) -> FilmRead:
        """What was seen in it. Raises FilmError."""
        return load_kept(self._path(name) / KEPT)

    def ident(self, name: str) -> str:
        """What its edits and seals are named by. Raises FilmError."""
        try:
            return hashlib.sha256((self._path(name) / KEPT).read_bytes()).hexdigest()
        except OSError as error:
            raise FilmError(f"{name}: it cannot be read: {error}") from None

    def picture(self, name: str, frame: int) -> Path:
        """Where the picture of a still is, if it was kept. Raises FilmError."""
        return self._path(name) / "pictures" / f"{frame}.jpg"

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise FilmError(f"expected the name of a transcript, got {name[:40]!r}")
        return self.folder / name
