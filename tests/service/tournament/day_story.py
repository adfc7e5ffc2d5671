"""A hall's journal with every kind of entry of its own: `python -m
tests.service.tournament.day_story FOLDER` writes it, with the version that brought the kinds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from service.journal import entries_hall as e
from service.journal.entry import Body, Role, Who
from service.journal.store import Store
from service.tournament.day import Day
from service.tournament.stages import after, finishing_order, next_round, placings, prizes_won

DIRECTOR, HALL = Who("Mina", Role.DIRECTOR), Who("hall", Role.REFEREE)
NAMES = ("Ada", "Bob", "مهسا رحیمی", "Jan de Vries", "Eve", "Cem", "Farid")


def summary(day: Day) -> dict[str, object]:
    """What follows from a tournament, as plain values."""
    return {
        "name": day.name,
        "left": list(day.left),
        "rounds": [[[m.id, m.first, m.second, m.bout] for m in r.matches] for r in day.rounds],
        "open": [m.id for m in day.open_matches()],
        "places": {ident: place.table for ident, place in sorted(day.places.items())},
        "deaf": sorted(day.deaf),
        "standings": [[line.place, line.name, line.points] for line in placings(day, 0)[0]],
        "order": [list(names) for names in finishing_order(day, day.current)],
        "prizes": prizes_won(day),
    }


def story() -> list[tuple[Who, Body]]:
    """What the director and the tables said, in order."""
    day, said = Day(), list[tuple[Who, Body]]()

    def say(*acts: Body, by: Who = DIRECTOR) -> None:
        nonlocal day
        for act in acts:
            day = after(day, act)
            said.append((by, act))

    def play(reported: bool = True) -> None:
        for i, m in enumerate(day.open_matches()):
            if m.id not in day.places:
                say(e.MatchSeated(m.id, f"t{i + 1}", 1, 10 * len(day.rounds)), by=HALL)
            ending = "drawn" if i == 1 and not m.bout else "first"
            table, score = (f"t{i + 1}", (5, i)) if reported else ("", None)
            by = HALL if reported else DIRECTOR
            say(e.ResultEntered(m.id, ending, score, False, table, 12 if table else 0), by=by)

    plans = (e.StagePlan("swiss", rounds=3, apart=1, length=5), e.StagePlan("single", take=2))
    say(e.TournamentOpened("Club night", plans, 900, (60, 40), "0.1.0"))
    say(*(e.PlayerEntered(n, f"club {i % 2}", 1500.0 + i) for i, n in enumerate(NAMES)))
    say(e.PlayerEntered("a mistake"), e.PlayerStruck("a mistake"), e.PrizesPlanned(1000, (70, 30)))
    say(e.StagePlanned(1, e.StagePlan("double", take=4, event="[play]\nmonitor = 'arbiter'\n")))
    say(e.RoundTimed(1, 1.8e9), e.RoundPlanned(2, length=7))
    say(*next_round(day, 3), e.RoundTakenBack(1))
    say(*next_round(day, 3))
    play()
    mistaken = day.rounds[0].matches[0].id
    say(e.ResultTakenBack(mistaken, "sat wrongly"), e.ResultEntered(mistaken, "second"))
    say(e.PlayerLeft("Eve", 2), e.PlayerAmended("Bob", "Bob Novak", "club 1", 1600.0))
    say(*next_round(day, 3))
    play(reported=False)
    say(e.PlayerReturned("Eve"))
    while len(day.rounds) < 6:
        say(*next_round(day, 3))
        play()
    say(*next_round(day, 3))
    return said


def write(folder: Path) -> None:
    path = folder / "hall-day.journal"
    path.unlink(missing_ok=True)
    told, day = story(), Day()
    with Store.open(path) as store:
        for i, (by, body) in enumerate(told):
            store.append([(float(i), 1.8e9 + i, by, body)])
            day = after(day, body)
    text = json.dumps(summary(day), ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
