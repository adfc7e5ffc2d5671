"""A match that is called and confirmed, a turn handed back at once, a game's end taken back:
entries that came with the version that put the clock and the score right at the table.

`python -m tests.service.journal.conduct_story FOLDER` writes it as a kept journal.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rules.board import Side
from service.journal.store import Reader, Store
from service.referee.inputs import Press
from service.referee.step import replay
from tests.service.hands import DIRECTOR, Hands, player, stand
from tests.service.journal.golden_journal import summary

W, B = Side.WHITE, Side.BLACK


def conduct() -> Hands:
    """The hands after the last of it; `hands.said` is what the table said."""
    hands = Hands()
    event = {"name": "Conduct", "match": {"confirm": True}, "clock": {"preset": "us-delay"}}
    hands.order("set_match", length=5, clock="ours", white="Ana", black="بهرام", event=event)
    hands.order("call_match", by=DIRECTOR)
    hands.now += 330
    hands.set_up(length=5, clock="ours", white="Ana", black="بهرام", event=event)
    hands.order("call_match", by=DIRECTOR, minutes=-6)
    hands.give(Press(W, hands.now))
    hands.order("confirm", by=player(B))
    hands.wait(1.5)
    hands.throw_opening(6, 2)
    hands.press(B, seconds=0.3)
    hands.play_any().press(seconds=3)
    hands.press(B, seconds=2)
    hands.press(W, seconds=3)
    hands.order("offer", by=player(B))
    hands.order("take", by=player(W))
    stand(hands, {2: 1, 1: 1}, {6: 15})
    hands.throw(2, 1)
    hands.move((2, 0), (1, 0)).wait(1)
    line = hands.state.match.plays[-1]
    right = hands.moved((0, 2), side=W)
    counts = {"white": list(right.white), "black": list(right.black)}
    hands.order("correct_play", by=DIRECTOR, seq=line.seq, rewind=True, placement=counts)
    hands.order("note", by=DIRECTOR, code="device_seen", side="black", text="a phone")
    hands.put(right)
    return hands


def write_kept(hands: Hands, folder: Path, name: str) -> None:
    """Write what was said as `name.journal`, and what it folds to as `name.jsonl`."""
    kept = folder / f"{name}.journal"
    with Store.open(kept) as store:
        store.append([(at, round(1.8e9 + at, 3), by, body) for at, by, body in hands.said])
    write_summaries(kept)


def write_summaries(kept: Path) -> None:
    """Write what the journal folds to beside it, after every twentieth entry and the last."""
    with Reader(kept) as reader:
        entries = reader.read()
    with kept.with_suffix(".jsonl").open("w", encoding="utf-8") as out:
        for count in sorted({*range(20, len(entries), 20), len(entries)}):
            out.write(json.dumps(summary(replay(entries[:count])), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write_kept(conduct(), Path(sys.argv[1]), "conduct")
