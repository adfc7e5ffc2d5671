"""A tall pile that each source reads as it did before the turn, rightly or not, was not played
from, whatever a die that is not quite sure may have shown.
"""

from __future__ import annotations

from rules.board import Side
from rules.observation import DieReading, DieStatus
from service.journal.entries import Standing
from service.referee.state import Phase
from tests.service.hands import die
from tests.service.story import Story
from tests.service.storyteller import Teller

W, B = Side.WHITE, Side.BLACK
BEFORE = """
stand to W | W 1:9 2:3 | B 9:1 4:2 3:2 2:7 1:2
camera reads B 2 as 6
wait 2
W turn 41 2/0 1/0
"""


def test_one_die_of_two_is_no_other_roll_that_takes_one_off_a_pile() -> None:
    """The board reads seven, the camera six as ever; it became 6-2: 9/3 2/off."""
    teller = Teller(Story("piles", "", BEFORE, clock="ours"), "both")
    teller.tell()
    table = teller.hands
    one = DieReading(table.where(B, 2), (0.97, 0.03, 1e-4, 1e-4, 1e-4, 1e-4), {DieStatus.FLAT: 1.0})
    table.dice = (die(6, table.where(B)), one)
    table.wait(2.0).expect(Phase.MOVING)
    table.put(table.moved((9, 3), side=B)).press(B, seconds=3.0)
    assert [alert.matter for alert in table.state.alerts] == ["choose_play"]
    table.throw(6, 2, side=W).wait(3.0)
    played = next(body for body in table.bodies("played") if body.side is B)
    assert (played.notation, played.standing) == ("9/3", Standing.UNRESOLVED)
