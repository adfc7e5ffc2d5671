"""A Swiss through real simulated tables, fewer of them than matches, that plays itself: every
pairing legal, no rematch, every result the table's own, standings as worked out another way.
`make test-hall-day` plays 16 players at four tables; the suite the smallest such day.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from service.hall.tournament import EVENT, Director, Tournament
from service.journal import entries_hall as e
from service.journal.keys import HALL_JOURNAL
from service.journal.store import Reader
from service.referee.fold import replay
from service.tournament.stages import field_of, placings, tournament_of
from service.tournament.standings import TieBreak, standings
from tests.ports import free_port
from tests.service.tournament.playing import other_way

PLAYERS = int(os.environ.get("HALL_PLAYERS", "4"))
TABLES = int(os.environ.get("HALL_TABLES", "2"))
ROUNDS = int(os.environ.get("HALL_ROUNDS", "1"))
POINTS = int(os.environ.get("HALL_POINTS", "1"))
FACTOR = float(os.environ.get("HALL_FACTOR", "25"))
PATIENCE_S = float(os.environ.get("HALL_S", "240" if PLAYERS < 8 else "3000"))
BREAKS = (TieBreak.OPPONENTS, TieBreak.BEATEN, TieBreak.RUNNING)


def test_a_tournament_through_real_tables_plays_itself(tmp_path: Path) -> None:
    names = [f"t{i}" for i in range(1, TABLES + 1)]
    ports = (free_port(), free_port(), free_port())
    family = Tournament(tmp_path, names, *ports, FACTOR, 3, "careful", group=2)
    try:
        api = family.start_hall("127.0.0.1")
        family.join(api)
        director = Director(api, ROUNDS, random.Random(3))
        director.open(PLAYERS, POINTS)
        family.start_tables()
        end = time.monotonic() + PATIENCE_S
        while director.look(time.monotonic()):
            assert time.monotonic() < end, api.get(EVENT)["rounds"][-1]
            family.keep()
            time.sleep(0.5)
    finally:
        family.end()
    with Reader(tmp_path / "hall" / HALL_JOURNAL) as reader:
        bodies = [entry.body for entry in reader.read()]
        assert reader.broken is None
    day = tournament_of(bodies)
    field = field_of(day, 0)
    assert len(day.rounds) == ROUNDS and all(len(r.matches) == PLAYERS // 2 for r in day.rounds)
    assert max(field.met().values()) == 1, "nobody meets twice"
    lines = standings(field, breaks=BREAKS)
    assert {p.name: (p.points, *p.breaks) for p in lines} == other_way(field)
    assert len(placings(day, 0)[0]) == PLAYERS

    # Every result is what the table's own record says of the match that was called there.
    told = 0
    for result in (b for b in bodies if isinstance(b, e.ResultEntered)):
        assert result.table in names
        match = day.match(result.match)
        with Reader(family.journal(result.table)) as reader:
            entries = reader.read()
        nth = [x.seq for x in entries if x.body.kind == "match_set" and x.seq > result.entry]
        state = replay(entries[: nth[0] - 1 if nth else len(entries)])
        score = dict(zip(state.match.names, state.match.score, strict=True))
        assert result.score == (score[match.first], score[match.second or ""])
        assert (result.ending == "first") == (result.score[0] > result.score[1])
        told += 1
    assert told == ROUNDS * PLAYERS // 2
