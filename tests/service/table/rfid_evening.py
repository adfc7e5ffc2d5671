"""One turn on an RFID board, run in a tree to which `tests/data/patches/rfid_board.patch` was
applied: `python rfid_evening.py FOLDER` prints the plays and sources of its journal as JSON, and
which boards lack their line in the docs, which words a language.

A simulated reader writes inventories on a pty; the board is opened by its address, as the table
does. Imports nothing of tests, since a patched tree has none.
"""

from __future__ import annotations

import json
import os
import sys
import tty
from dataclasses import replace
from pathlib import Path

from rules.board import BAR, OFF, POINTS, Colour, Placement, Seating, Side
from rules.position import Position
from rules.ruleset import ruleset
from rules.words import languages
from service.journal.entries import PlayEntered
from service.journal.store import Reader, Store
from service.session.belief import Session
from service.session.core import Core
from service.settings import Settings
from service.settings_table import MatchSettings
from service.table import opening
from service.table import world as worlds
from service.table.boards import BOARDS
from service.web.catalogue import messages

CONSOLE = {"role": "console", "name": ""}
STEP_S = 0.05
START = Position.start(ruleset("backgammon"), Side.WHITE).placement


def inventory(placement: Placement, seating: Seating) -> bytes:
    """The reader's line for what stands on the board, every tag heard."""
    tags = {
        Side.WHITE: iter(range(1, 16)),
        Side.BLACK: iter(range(1, 16)),
    }
    words = []
    for site in (*POINTS, BAR, OFF):
        there = [
            f"{'L' if seating.colour_of(side) is Colour.LIGHT else 'D'}{next(tags[side]):02d}"
            for side in Side
            for _ in range(placement.counts(side)[site])
        ]
        antenna = seating.geometric(site) if site in POINTS else site
        words.append(f"{antenna}={','.join(there)}")
    return " ".join(words).encode() + b"\n"


def main(folder: Path) -> None:
    reader, slave = os.openpty()
    tty.setraw(slave)
    settings = Settings().with_values(
        table_data=str(folder), board_address=f"rfid:{os.ttyname(slave)}"
    )
    settings = replace(settings, match=MatchSettings(begins=True))
    world = worlds.World()
    worlds.connect_board(world, settings)
    assert world.ports is not None
    port = world.ports.opener(world.ports.address)
    with Store.open(settings.journal) as store:
        core = Core(Session(), store, world.board)
        opening.declare(core, settings, world, 0.0)
        core.port(True, "", 0.0)
        steps = 0

        def lie(placement: Placement, seconds: float) -> None:
            nonlocal steps
            for n in range(round(seconds / STEP_S)):
                steps += 1
                if n % 4 == 0:
                    os.write(reader, inventory(placement, core.seating))
                    port.wait(1.0)
                    while data := port.read():
                        core.received(data, steps * STEP_S)
                core.tick(steps * STEP_S)

        def order(name: str, **args: object) -> None:
            core.order(name, args, CONSOLE, steps * STEP_S, lambda _: None)

        order("start_game", starter="white")
        lie(START, 3.0)
        order("declare_roll", roll=[3, 1])
        lie(START.moved(Side.WHITE, 8, 5).moved(Side.WHITE, 6, 5), 3.0)
        order("press", side="white")
        lie(START.moved(Side.WHITE, 8, 5).moved(Side.WHITE, 6, 5), 3.0)
    port.close()
    with Reader(settings.journal) as journal:
        plays = [e.body for e in journal.read() if isinstance(e.body, PlayEntered)]
    page = Path("docs/boards.md").read_text(encoding="utf-8")
    said = set(messages())
    found = {
        "plays": [[p.notation, p.by_hand, sorted(p.evidence["sources"])] for p in plays],
        "boards without a line": [k for k, b in BOARDS.items() if f"| {b.what} |" not in page],
        "words without a language": [
            [language.code, *sorted(said - set(language.messages))]
            for language in languages().values()
            if language.code != "en" and said - set(language.messages)
        ],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
