"""A money session, a match of nard and one of narde in which what seldom happens happens once.

What `golden_journal.eventful` leaves out: dice that do not count, a board knocked over, a hit
checker that stayed, turns with the power off, a beaver, a double dropped, no play, a match
resigned. Only `Hands` is used, so that an older checkout can tell the same story.

`python -m tests.service.journal.mishaps FILE` writes its journal, and what it folds to beside it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rules.board import Placement, Side
from rules.observation import DieStatus
from service.journal.store import Reader, Store
from service.referee.step import replay
from tests.service.hands import ANNOTATOR, DIRECTOR, THREE, Hands, begun, die, player, stand
from tests.service.journal.golden_journal import summary

W, B = Side.WHITE, Side.BLACK


def mishaps() -> Hands:
    """The hands after the last of it; `hands.said` is what the table said."""
    hands = Hands()
    dice_that_do_not_count(hands)
    checkers_that_stand_wrongly(hands)
    turns_unseen(hands)
    cubes(hands)
    other_games(hands)
    return hands


def dice_that_do_not_count(hands: Hands) -> None:
    begun(hands, clock="ours", white="Ana", black="بهرام", event={"name": "Mishaps"})
    hands.dice = (die(4, hands.where(W)), die(2, hands.where(W, 2), DieStatus.COCKED))
    hands.wait(3.0)
    hands.throw(6, 5)
    hands.move((24, 13)).press()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5))
    early = (die(6, hands.where(W)), die(6, hands.where(W, 2)))
    hands.dice = (*hands.dice, *early)
    hands.wait(2.5)
    hands.dice = hands.dice[2:]
    hands.press(B)
    hands.order("premature_again", by=player(B))
    hands.throw(6, 5)
    hands.lift()
    hands.wait(1.0)
    hands.throw(5, 2)
    hands.move((13, 8), (13, 11))
    hands.lift()
    hands.wait(1.0)
    hands.press()


def checkers_that_stand_wrongly(hands: Hands) -> None:
    stand(hands, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 1, 20: 1, 13: 5, 8: 3, 6: 5})
    hands.throw(3, 1)
    hands.put(hands.moved((8, 5), (6, 5), hits=False)).press(seconds=4)
    stand(hands, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    good = hands.placement
    knocked = Placement.of({24: 1, 23: 1, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 2, 16: 1, 19: 5})
    hands.put(knocked, 8.0)
    hands.put(good, 3.0)
    hands.throw(2, 1)
    hands.move(*THREE).press(seconds=4)
    hands.press(B)
    hands.placement = good
    hands.put(hands.moved((24, 21), side=W)).press(W)
    stand(hands, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    hands.throw(2, 1)
    hands.move(*THREE).press(seconds=4)
    hands.throw(4, 2, side=B)
    hands.wait(1.0)
    hands.order("call_director", by=player(W), reason="that was three")


def turns_unseen(hands: Hands) -> None:
    stand(hands, {24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press()
    hands.placement = hands.moved((24, 18), (13, 11), side=B)
    hands.placement = hands.moved((13, 7), (8, 7), side=W)
    hands.dice = ()
    hands.wait(8.0)
    hands.wait(1.0)
    hands.order("correct_roll", by=ANNOTATOR, seq=hands.state.match.plays[-1].seq, roll=[6, 1])
    hands.order("adjourn", reason="the lights went out")
    hands.now += 3600
    hands.wait(0.2)
    hands.order("resume")


def cubes(hands: Hands) -> None:
    hands.order("end_match", by=DIRECTOR, winner="white", reason="retired")
    begun(hands, length=None, clock="none")
    hands.order("offer", by=player(W))
    hands.order("beaver", by=player(B))
    hands.order("take", by=player(W))
    stand(hands, {25: 1, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 1})
    hands.press(W)
    hands.order("offer", by=player(B))
    hands.order("drop", by=player(W))
    hands.order("end_match", by=DIRECTOR, winner="black", reason="money over")


def other_games(hands: Hands) -> None:
    begun(hands, ruleset="nard", length=3)
    stand(hands, {25: 1, 13: 5}, {6: 2, 5: 2, 4: 2, 3: 2, 8: 1})
    hands.throw(5, 6)
    hands.press()
    hands.order("resign", by=player(B), level=2)
    hands.order("refuse_resignation", by=player(W))
    hands.order("end_match", by=DIRECTOR, winner="white", reason="retired")
    begun(hands, ruleset="narde", length=None)
    stand(hands, {24: 5, 18: 1, 17: 1, 16: 1, 15: 1, 14: 1, 23: 5}, {24: 10, 23: 5})
    hands.throw(4, 6)
    hands.move((23, 19), (24, 18)).press(seconds=4)
    hands.order("let_stand", by=player(B))
    stand(hands, {1: 1}, {1: 2, 6: 1}, on_roll=W)
    hands.lose("camera", "cable pulled")
    hands.order("declare_roll", roll=[6, 5])
    hands.move((1, 0)).wait(9.0)


def write(path: Path) -> None:
    """Writes the journal of this version, and what it folds to after every twentieth entry."""
    with Store.open(path) as store:
        for at, by, body in mishaps().said:
            store.append([(at, 0.0, by, body)])
    with Reader(path) as reader:
        entries = reader.read()
    marks = [*range(20, len(entries), 20), len(entries)]
    for name in (".lock", "-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    with path.with_suffix(".jsonl").open("w", encoding="utf-8") as out:
        for mark in marks:
            out.write(json.dumps(summary(replay(entries[:mark])), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
