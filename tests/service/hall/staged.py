"""A hall of many tables at one instant: real games of the simulator, signed, judged and folded as
if they had come over the stream.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rules.board import Side
from rules.observation import Source
from rules.ruleset import ruleset
from service.hall.hall import Hall
from service.hall.identity import key_id, link_seed, nkey
from service.hall.ledger import PURPOSE
from service.hall.model import Message
from service.hall.tournament import NAMES
from service.hall.wire import Bundle, TableStatus, entries_of, sign_message
from service.journal.chain import chain
from service.journal.entries import TABLE, AlertRaised, Body, MatchSet, SourceLost, TableOpened, Who
from service.simulate.desk import SessionDesk
from service.simulate.game import GamePlayed
from service.simulate.habits import PLAYERS
from service.simulate.noise import Sense, pools
from service.simulate.tally import Tally

Said = list[tuple[float, Who, Body]]
FAMILY = {"en": ("Rahimi", "de Vries", "Novak", "Silva"), "fa": ("رحیمی", "پارسا", "کریمی", "نوری")}
FIRST = {"en": NAMES[:26], "fa": NAMES[26:]}


def game(seed: int, turns: int) -> Said:
    """What a table said in the first turns of a game."""
    rng, made = random.Random(seed), []

    def desk(position: Any, now: float) -> SessionDesk:
        made.append(SessionDesk(position, now))
        return made[0]

    senses = {
        Source.SENSORS: Sense(pools()["board", "good"], random.Random(seed)),
        Source.CAMERA: Sense(pools()["camera", "good"], random.Random(seed)),
    }
    GamePlayed(
        ruleset("backgammon"), PLAYERS["careful"], rng, senses, desk, Tally(), longest=turns
    ).play()
    return list(made[0].entries)


def stage(hall: Hall, count: int = 48, lang: str = "en") -> None:
    """Put so many tables into a hall: most of them at peace, a few in need."""
    # Nothing of this is in the stream: the hall must not go and look.
    hall._tasks[0].cancel()
    now, rng = time.monotonic(), random.Random(5)
    games = [game(seed, 4 + 5 * seed) for seed in range(6)]
    messages = []
    for i in range(1, count + 1):
        table = f"t{i}"
        key = Ed25519PrivateKey.generate()
        hall.registry.pair(
            hall.registry.code(table),
            key_id(key.public_key().public_bytes_raw()),
            nkey(link_seed(key)),
            0,
        )
        said = [(0.0, TABLE, TableOpened(table, "0.1.0")), *games[i % len(games)]]
        if i % 12 == 0:
            said = said[:1]
        else:
            first, family = FIRST[lang], FAMILY[lang]
            white, black = (f"{rng.choice(first)} {rng.choice(family)}" for _ in range(2))
            said = [
                (
                    at,
                    by,
                    replace(b, white=white, black=black, length=7)
                    if isinstance(b, MatchSet)
                    else b,
                )
                for at, by, b in said
            ]
        said += [(said[-1][0] + 1.0, TABLE, body) for body in TROUBLES.get(i, ())]
        rows = [
            (e.seq, text, e.hash)
            for e, text in chain([(at, 1_800_000_000.0 + at, by, body) for at, by, body in said])
        ]
        for start in range(0, len(rows), 200):
            bundle = Bundle(table, 1, tuple(rows[start : start + 200]))
            sealed = sign_message(key, PURPOSE, hall.line.hall, entries_of(table), bundle.body())
            messages.append(
                Message(
                    len(messages) + 1,
                    entries_of(table),
                    sealed.data,
                    {**sealed.headers, "Nats-Msg-Id": bundle.message_id},
                    0.0,
                )
            )
        last = said[-1][0]
        hall._make_known(table)
        hall.take_status(
            TableStatus(
                table,
                1,
                len(rows),
                last + 200.0 if i == SLOW else last + 5.0,
                time.time(),
                99.0 if i == STOPPED else 0.4,
            )
        )
        # The instant stays: everybody else goes on being heard.
        hall.views[table] = replace(
            hall.views[table], heard=now - 400 if i == SILENT else now + 86_400
        )
    hall.line.boards = hall.registry.boards()
    hall.take_entries(hall.model.take(messages, hall.line.boards))


SILENT, SLOW, STOPPED = 31, 9, 44
TROUBLES: dict[int, tuple[Body, ...]] = {
    17: (AlertRaised("a1", "flag", Side.WHITE),),
    29: (AlertRaised("a1", "director_called"),),
    23: (SourceLost("camera", "unplugged"), AlertRaised("a1", "source_lost")),
    40: (SourceLost("camera", "unplugged"), SourceLost("board", "unplugged")),
}
IN_NEED = ["t17", "t29", "t31", "t40", "t44", "t23", "t9"]
"""The wall's reading order begins with these."""
