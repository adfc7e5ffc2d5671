"""Makes the kept journal from which a player's name was erased: `python -m
tests.service.journal.forgotten_story FOLDER`. Run once, with the version that brought
`names_erased`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rules.board import Side
from service.journal.erasing import erase_name
from tests.service.hands import Hands, player
from tests.service.journal.conduct_story import write_kept, write_summaries

DATE = 1_795_000_000.0


def of_a_guest() -> Hands:
    """Two turns of a match, and a ruling that names a player."""
    hands = Hands(now=100.0)
    hands.set_up(length=3, white="Ana", black="بهرام", clock="ours")
    hands.throw_opening(6, 2)
    hands.play_any().press()
    hands.throw(3, 1)
    hands.play_any().press()
    hands.order("call_director", by=player(Side.WHITE))
    hands.order("rule", text="بهرام may take the roll again")
    return hands


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_kept(of_a_guest(), folder, "forgotten")
    erase_name(folder / "forgotten.journal", lambda text: text == "بهرام", DATE)
    write_summaries(folder / "forgotten.journal")
