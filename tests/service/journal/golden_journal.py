"""Makes the kept journal of this format: `python -m tests.service.journal.golden_journal FILE`. Run
once for each release that changes the format.

A journal is never made again for an old format: it is what that version wrote.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rules.board import Side
from rules.observation import DieStatus
from service.journal.entries import TABLE, Restarted, TableOpened
from service.journal.store import Store
from service.referee.state import State
from service.referee.step import replay
from service.show.compose import table_document
from tests.service.hands import ANNOTATOR, DIRECTOR, THREE, Hands, die, player

W, B = Side.WHITE, Side.BLACK


def eventful() -> Hands:
    """A match in which nearly everything happens once."""
    hands = Hands()
    hands.table_says(TableOpened("t1", "0.1.0"))
    event = {
        "name": "Golden cup",
        "clock": {"preset": "us-delay", "bank": 60},
        "play": {"illegal_limit": 1},
    }
    hands.set_up(length=3, white="Ana", black="بهرام", clock="ours", event=event)
    hands.throw_opening(4, 4)
    hands.throw_opening(6, 2)
    hands.press(B, seconds=0.2)
    hands.play_any().press()
    hands.order("offer", by=player(B))
    hands.order("take", by=player(W))
    hands.dice = (die(5, hands.where(B)), die(2, hands.where(B, 2), DieStatus.COCKED))
    hands.wait(2.5)
    hands.throw(5, 2)
    hands.play_any().press()
    start = hands.placement
    hands.throw(2, 1)
    hands.move(*THREE).press(seconds=4)
    hands.press(B)
    hands.put(start)
    hands.play_any().press(W)
    hands.throw(2, 1)
    hands.move(*THREE, side=B).press(seconds=4)
    hands.order("let_stand", by=player(W))
    hands.order(
        "correct_roll",
        by=ANNOTATOR,
        seq=hands.state.match.plays[0].seq,
        roll=[6, 2],
        reason="seen on the video",
    )
    hands.lose("camera", "cable pulled")
    hands.wait(0.5)
    hands.order("call_director", by=player(W))
    hands.order("freeze", by=DIRECTOR, reason="a dispute")
    hands.order("rule", by=DIRECTOR, text="Play on.", about=hands.state.seq)
    hands.order("appeal", by=player(B), ruling=hands.state.seq, reason="no")
    hands.order(
        "close_appeal", by=DIRECTOR, ruling=hands.state.match.rulings[0].seq, decision="upheld"
    )
    hands.order("penalise", by=DIRECTOR, side="white", penalty="time", amount=5)
    hands.order("unfreeze", by=DIRECTOR)
    hands.order("amend", by=DIRECTOR, what="white", value="Anna", reason="misspelt")
    hands.order("acknowledge", by=DIRECTOR, alert=hands.state.alerts[0].alert)
    hands.order("adjourn")
    hands.order("resume")
    hands.now += 80
    hands.wait(0.2)
    hands.order("resign", by=player(W), level=1)
    hands.order("accept_resignation", by=player(B))
    hands.order("end_match", by=DIRECTOR, winner="black", reason="retired")
    return hands


def summary(state: State) -> dict[str, Any]:
    """What must stay true of a kept journal: the whole document but for what later versions may
    add.
    """
    seen = table_document(state, state.at)
    del seen["belief"], seen["dice"]["seen"]
    return json.loads(json.dumps(seen))  # type: ignore[no-any-return]


def main(path: Path) -> None:
    hands = eventful()
    with Store.open(path) as store:
        store.append([(at, round(1.8e9 + at, 3), by, body) for at, by, body in hands.said])
        store.append([(hands.now, 1.8e9 + hands.now + 60, TABLE, Restarted(60.0, 0.7, "0.1.0"))])
        store.beat(hands.now + 1, 1.8e9 + hands.now + 61)
    with Store.open(path) as store:
        state = replay(store.past)
    path.with_suffix(".json").write_text(
        json.dumps(summary(state), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    for name in (path.name + ".lock", path.name + "-wal", path.name + "-shm"):
        path.with_name(name).unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
