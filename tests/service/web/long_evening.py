"""An evening in which nearly everything happens that a table has words for, worked by hand: what a
crawler of the pages reads.
"""

from __future__ import annotations

import contextlib
from typing import Any

from rules.board import Placement
from rules.conduct import CONDUCT
from rules.dice import Roll
from rules.judge import judge
from rules.play import Play
from service.journal.entries import Role, Who
from service.referee.refusal import OrderError
from service.referee.rulings import PENALTIES
from service.referee.state import Phase
from tests.service.web.hand import HandTable, after

ARBITER = Who("سارا", Role.ARBITER)
NAMES = {"white": "مهسا", "black": "کوروش"}
WORD = "به گفتهٔ داور"
"""What people write themselves: in the page's own language, so that all else is the house's."""
START = {
    "white": [0] * 6 + [5, 0, 3, 0, 0, 0, 0, 5] + [0] * 10 + [2, 0],
    "black": [0, 2] + [0] * 10 + [5, 0, 0, 0, 0, 3, 0, 5] + [0] * 6,
}
SHUT_OUT = {
    # Black holds every point of his home; White waits on the bar.
    "white": [0] * 6 + [5, 0, 3, 0, 0, 0, 0, 6] + [0] * 11 + [1],
    "black": [0] * 19 + [3, 3, 3, 2, 2, 2] + [0],
}
EVENT = {
    "name": "جام نوروز",
    "match": {"confirm": True},
    "play": {"slow_turn_s": 1, "illegal_limit": 1},
    "clock": {"preset": "iran"},
}


class Evening:
    """One table and its match; every method does one thing that people do."""

    def __init__(self, table: HandTable, ruleset: str) -> None:
        self.table = table
        self.cube = ruleset == "backgammon"
        self.order("choose_event", event=EVENT)
        self.order("set_match", **NAMES, length=5, ruleset=ruleset, clock="ours")

    def order(self, name: str, by: Who = ARBITER, **args: Any) -> None:
        director = name in ("choose_event", "use_camera")
        self.table.order(name, Who("نیما", Role.DIRECTOR) if director else by, **args)

    def tried(self, name: str, **args: Any) -> None:
        """What may mean nothing now."""
        with contextlib.suppress(OrderError):
            self.order(name, **args)

    def before(self) -> None:
        self.order("call_match", minutes=-12)
        for side in ("white", "black"):
            self.order("confirm", side=side)
        self.order("start_game")
        self.order("declare_roll", white=[3], black=[1])

    def wrong_play(self) -> None:
        """Something that the judge does not allow is pressed."""
        state = self.table.state
        if state.turn.roll is None:
            self.order("declare_roll", roll=[2, 1])
        self.table.press()
        self.table.stands(self._not_legal())

    def _not_legal(self) -> Placement:
        state = self.table.state
        assert state.game.placement is not None
        side = state.game.on_roll
        for source in range(24, 0, -1):
            for target in range(1, 25):
                if state.game.placement.counts(side)[source] and target != source:
                    made = after(state.game.placement, side, (source, target))
                    found = judge(state.position(), state.turn.roll, made)
                    if not isinstance(found, Play) and not made.faults():
                        return made
        raise AssertionError("every change is legal")

    def disputes(self) -> None:
        self.wrong_play()
        self.order("let_stand")
        self.wrong_play()
        self.table.stands(self.table.state.position().placement)
        self.order("freeze", reason=WORD)
        self.order("rule", text=WORD)
        ruled = self.table.state.match.rulings[-1].seq
        self.order("appeal", ruling=ruled, reason=WORD)
        self.order("close_appeal", ruling=ruled, decision=WORD)
        self.order("rule", text=WORD)
        self.order("unfreeze", reason=WORD)
        self.order("set_position", placement=START, on_roll="white", reason=WORD)
        for code in sorted(CONDUCT, key=lambda code: code.value):
            self.order("note", code=code.value, side="white", text=WORD)
        for penalty in PENALTIES[:3]:
            self.order("penalise", side="black", penalty=penalty, amount=1, reason=WORD)
        self.order("adjourn", reason=WORD)
        self.order("resume", reason=WORD)
        self.order("call_director", reason=WORD)
        self.order("start_clocks", reason=WORD)
        self.order("adjust_clock", side="white", bank=300, reason=WORD)
        self.order("adjust_clock", side="black", bank=0.2, reason=WORD)
        self.order("stop_clocks", reason=WORD)
        self.order("start_clocks")

    def put_right(self) -> None:
        self.table.turn(roll=Roll.of(4, 2))
        seq = self.table.state.match.plays[-1].seq
        self.order("correct_roll", seq=seq, roll=[5, 2], reason=WORD)
        placement = self.table.state.match.plays[-1].placement
        placed = {"white": list(placement.white), "black": list(placement.black)}
        self.tried("correct_play", seq=seq, placement=placed, rewind=True)
        for what, value in (
            ("white", "مهسا"),
            ("length", 7),
            ("score", [1, 0]),
            ("crawford", True),
            ("seating", {"white": "dark", "home": "south-west"}),
        ):
            self.order("amend", what=what, value=value, reason=WORD)
        self.order("declare_roll", roll=[6, 1])
        self.order("roll_again")
        self.table.sensor("camera", False, "no new picture for 4 s")
        self.table.sensor("camera", True)

    def cube_and_buttons(self) -> None:
        for button in ("take", "drop", "offer"):
            self.order("button", button=button)
            if self.table.state.phase is Phase.DOUBLED:
                self.order("take")
        self.order("resign", side="white", level=2)
        self.order("refuse_resignation")
        self.order("set_position", placement=SHUT_OUT, on_roll="white")
        self.order("declare_roll", roll=[6, 5])
        self.table.press()
        self.table.stands(self.table.state.position().placement)

    def games(self) -> None:
        self.order("resign", side="black", level=2)
        self.order("accept_resignation")
        self.order("change_clock", clock="none", reason=WORD)
        self.order("next_game", starter="black")
        if self.cube:
            self.order("offer", side="black")
            self.order("drop")
        else:
            self.order("penalise", side="white", penalty="game", reason=WORD)
        self.order("next_game", starter="white")
        self.table.turn(roll=Roll.of(3, 1))
        self.order("declare_roll", roll=[6, 4])


def long_evening(table: HandTable, ruleset: str) -> None:
    """Play it up to the middle of a third game."""
    evening = Evening(table, ruleset)
    evening.before()
    evening.disputes()
    evening.put_right()
    evening.cube_and_buttons()
    evening.games()
