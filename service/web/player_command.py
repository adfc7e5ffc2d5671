"""`takhte players`: who plays here, and everything that is kept of one of them (E).

The book of players is read on from this machine's journals first. `takhte forget NAME` takes a
person's name out of everything.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rules.words import about_command
from service import settings as settings_file
from service.journal.store import Reader
from service.players.book import BOOK, PlayerBook, PlayerBookError
from service.players.formulas import USUAL, FormulaError
from service.players.played import same_name
from service.players.rated import BookRead, best_rating, read_book
from service.settings import SettingsError
from service.web.players import everything_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(
        prog="takhte players",
        description=about_command(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", help="print all that is kept of this player, as JSON")
    parser.add_argument("--formula", default=USUAL, help="how to rate; default: %(default)s")
    parser.add_argument("--settings", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    try:
        found = _read(settings_file.load_settings(given.settings).data, given.formula)
    except (SettingsError, PlayerBookError, FormulaError, OSError, UnicodeDecodeError) as error:
        print(f"takhte players: {error}", file=sys.stderr)
        return 1
    if given.name is None:
        print("\n".join(player_lines(found)) or "no match between two named players is over yet")
        return 0
    wanted = same_name(given.name)
    player = next((p for p in found.players.values() if same_name(p.name) == wanted), None)
    if player is None:
        print(
            f"takhte players: expected the name of a player, got {given.name[:40]!r}: `takhte"
            " players` lists them",
            file=sys.stderr,
        )
        return 1
    print(everything_of(player, found).model_dump_json(indent=1))
    return 0


def _read(folder: Path, formula: str) -> BookRead:
    journals = {path.stem: partial(Reader, path) for path in sorted(folder.glob("*.journal"))}
    return read_book(PlayerBook(folder / BOOK), journals, formula, folder)


def player_lines(found: BookRead) -> list[str]:
    """A line for each player, the highest rating first."""
    rated = [
        (player, best_rating(found.ratings.of(player.ident))) for player in found.players.values()
    ]
    rated.sort(key=lambda pair: -pair[1].rating if pair[1] else 0.0)
    rows = []
    for player, best in rated:
        rating = f"{best.rating:7.1f}" if best else "      –"
        count = found.played(player.ident)
        club = f", {player.club}" if player.club else ""
        rows.append(f"{rating}  {player.name}{club}: {count} match{'es' * (count != 1)}")
    return rows
