"""36 turns of narde by careless players, as the simulator plays them.

`python -m tests.service.journal.narde FILE` writes their journal.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entries import Body, Who
from service.journal.store import Store
from service.simulate.desk import SessionDesk
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import Sense, pools
from service.simulate.tally import Tally


def played() -> list[tuple[float, Who, Body]]:
    """What the table wrote of the game, with the time of each entry and who signed it."""
    desks: list[SessionDesk] = []

    def opened(position: Position, now: float) -> SessionDesk:
        desks.append(SessionDesk(position, now))
        return desks[-1]

    senses = {
        Source.SENSORS: Sense(pools()["board", "club"], random.Random(7)),
        Source.CAMERA: Sense(pools()["camera", "club"], random.Random(8)),
    }
    players, chance = PLAYERS["careless"], random.Random(7)
    GamePlayed(ruleset("narde"), players, chance, senses, opened, Tally(), longest=36).play()
    return desks[0].entries


if __name__ == "__main__":
    store = Store.open(Path(sys.argv[1]))
    store.append([(at, 0.0, who, body) for at, who, body in played()])
    store.close()
