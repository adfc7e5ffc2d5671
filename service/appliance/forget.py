"""`takhte forget NAME`: a person's name out of everything that this machine keeps of its table (E).

Journals keep their chain: entries lose the name and keep their hashes, and one more entry, signed
with the table's key, says which they are, so every head that was noted still proves the record but
for their words (docs/security.md). Who entered a play, a roll, a result, a penalty or a time stays.
The book of players, accounts, devices and the pictures of the person's matches are gone. Whatever
else lies in the table's folder and still holds the name is named, and left for you to delete. No
table may be running.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from rules.words import about_command
from service import settings as settings_file
from service.journal.chain import JournalError
from service.journal.erasing import IsName, erase_name, spellings
from service.journal.store import Reader, StoreError
from service.players.book import BOOK, PlayerBook, PlayerBookError
from service.players.played import same_name
from service.settings import SettingsError
from service.web.access import Access

PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".mjpeg", ".mp4", ".wav", ".sock", ".lock"})
"""Endings of files that hold no words."""
LONGEST: Final = 200
"""Letters that a name may have."""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="takhte forget",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="the person's name; case, spaces and joiners do not matter")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    given = parser.parse_args(words)
    if not is_person(given.name):
        parser.error(f"expected a name of 1 to {LONGEST} letters, got {given.name[:20]!r}")
    try:
        folder = settings_file.load_settings(given.settings).data
        left = forget(folder, given.name)
    except (JournalError, StoreError, PlayerBookError, SettingsError, OSError) as error:
        print(f"takhte forget: {error}", file=sys.stderr)
        return 1
    for path in left:
        print(f"takhte forget: {path}: still holds the name; delete it", file=sys.stderr)
    return 1 if left else 0


def is_person(name: str) -> bool:
    """Whether this can be a person's name."""
    return bool(same_name(name)) and len(name) <= LONGEST


def forget(folder: Path, name: str, also: Iterable[str] = ()) -> list[Path]:
    """Files of the folder that still hold the name, once everything that can be was rid of it; what
    was done is printed. `also`: spellings of it that were seen elsewhere. Raises JournalError,
    StoreError, PlayerBookError, OSError.
    """

    def is_name(text: str) -> bool:
        return same_name(text) == same_name(name)

    spelled = {name, *also}
    journals = sorted(folder.rglob("*.journal"))
    for journal in journals:
        spelled |= _spelled(journal, is_name)
    for journal in journals:
        _forget_in(journal, is_name)
    for book in folder.rglob(BOOK):
        _forget_player(PlayerBook(book), is_name)
    for accounts in folder.rglob("access.db"):
        if (said := Access(accounts).forget(is_name, spelled)) is not None:
            print(f"{accounts.name}: {said}")
    return list(holding(folder, spelled))


def _spelled(journal: Path, is_name: IsName) -> frozenset[str]:
    with Reader(journal) as reader:
        return spellings((entry.text for entry in reader.read()), is_name)


def _forget_in(journal: Path, is_name: IsName) -> None:
    erased = erase_name(journal, is_name, time.time())
    if erased.entries:
        numbers = ", ".join(map(str, erased.entries))
        print(f"{journal.name}: the name is out of {len(erased.entries)} entries ({numbers})")
    if erased.left:
        numbers = ", ".join(map(str, erased.left))
        print(
            f"{journal.name}: {len(erased.left)} entries keep it ({numbers}): what was played,"
            " decided or timed, and who entered it, is what the record proves. To be rid of that"
            " too, delete the journal",
            file=sys.stderr,
        )
    kept = journal.with_name(f"{journal.stem}.pictures")
    gone = [path for each in erased.pictures if (path := kept / f"{each}.jpg").exists()]
    for path in gone:
        path.unlink()
    if gone:
        print(f"{kept.name}: {len(gone)} pictures of those matches are gone")


def _forget_player(book: PlayerBook, is_name: IsName) -> None:
    for player in book.players():
        if is_name(player.name) and book.erase(player.ident, time.time()):
            print(f"{book.path.name}: the player is erased")


def holding(folder: Path, spelled: Iterable[str]) -> Iterator[Path]:
    """Files under the folder that hold one of these spellings, as text or escaped in JSON."""
    words = {form for each in spelled for form in (each, json.dumps(each)[1:-1])}
    pattern = re.compile(
        rb"(?<![A-Za-z0-9])(?:" + b"|".join(re.escape(w.encode()) for w in words) + rb")(?![a-z])",
        re.IGNORECASE,
    )
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in PICTURES and pattern.search(path.read_bytes()):
            yield path


if __name__ == "__main__":
    sys.exit(main())
