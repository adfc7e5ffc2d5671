"""Makes the kept journal of a match whose clock is a phone: `python -m
tests.service.journal.phone_story FOLDER`. Run once, with the version that brought `phone_pressed`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rules.board import Side
from service.journal.entry import Role, Who
from service.referee.inputs import Order
from tests.service.hands import Hands, player
from tests.service.journal.conduct_story import write_kept

CLOCK = Who("clock", Role.CLOCK)


def with_a_phone() -> Hands:
    """Some turns ended on a phone, one press come late and one told twice."""
    hands = Hands(now=100.0)
    hands.set_up(length=3, white="Ana", black="بهرام", clock="ours")
    hands.throw_opening(6, 2)
    pressed = [("white", 0.05, 0.01), ("black", 1.2, 0.02), ("white", 0.4, 0.3)]
    for number, (side, ago, doubt) in enumerate(pressed, 1):
        if number > 1:
            hands.throw(3, 1)
        hands.play_any()
        _press(hands, number, side, ago, doubt)
        _press(hands, number, side, ago, doubt)
        hands.wait(2.0)
    _press(hands, 4, "white", 30.0, 0.05)
    hands.order("call_director", by=player(Side.WHITE))
    return hands


def _press(hands: Hands, number: int, side: str, ago: float, doubt: float) -> None:
    args = {"device": "phone-1", "number": number, "pressed": side, "doubt": doubt}
    hands.give(Order("phone_press", {**args, "at": hands.now - ago}, CLOCK))


if __name__ == "__main__":
    write_kept(with_a_phone(), Path(sys.argv[1]), "phone")
