"""What stood on the board when the dice came to lie there, where that was not what is recorded."""

from __future__ import annotations

import numpy as np
import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Evidence
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import Still
from service.reconcile.since_throw import stood_at_throw

RECORDED = Placement.of(
    {BAR: 2, 6: 2, 5: 2, 2: 7, 1: 2}, {0: 1, 19: 2, 20: 1, 21: 2, 22: 3, 23: 4, 24: 2}
)
DENIED = -13.0
"""What both sources together say against another count of a low pile, nats."""


def read(stands: Placement, likely: dict[int, tuple[int, float]]) -> Still:
    """A still of both sources that reads a placement, and at some sites nearly as likely so many
    checkers of Black's, with nats.
    """
    codes = codes_of(stands)
    logs = np.full((SITES, CODES), DENIED, np.float32)
    logs[np.arange(SITES), codes] = 0.0
    logs[OFF] = 0.0
    for site, (count, nats) in likely.items():
        logs[site, count] = nats
    reads = ((Source.CAMERA, codes), (Source.SENSORS, codes))
    return Still(-1, 0.0, 2.0, logs, np.ones(SITES, np.bool_), reads)


@pytest.mark.parametrize(("likely", "sure"), [({23: (6, -1.4)}, True), ({22: (1, -1.4)}, False)])
def test_a_pile_of_one_more_that_is_borne_off_is_no_rival(
    likely: dict[int, tuple[int, float]], sure: bool
) -> None:
    """A checker knocked from a pile of five was put back before a dance, and the pile might have
    been six, one borne off come back: the dance was recorded on the board as it was knocked
    (330000 e17 g3). A count of a low pile that is as likely leaves it open.
    """
    position = Position.of(RECORDED, ruleset("backgammon"), Side.WHITE)
    stands = RECORDED.moved(Side.BLACK, 22, 23)
    still = read(stands, likely)
    astray = codes_of(stands) != codes_of(RECORDED)
    found = stood_at_throw(Evidence.fresh(RECORDED, 0.0), position, still, astray)
    assert (found is not None and found.placement == stands) is sure


@pytest.mark.parametrize(("on_bar", "gone"), [(0, True), (3, False)])
def test_whoever_is_on_the_bar_has_taken_none_off(on_bar: int, gone: bool) -> None:
    """Both sources count a pile one short: its side may have taken one off too early, and
    has played on, but not while it stood on the bar; eighteen lines were wrong for that (352500).
    """
    white = {13: 2, 11: 1, 8: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 2}
    black = {BAR: on_bar, 1: 3, 14: 1, 17: 5 - on_bar, 19: 3, 22: 3}
    recorded = Placement.of(white, black)
    position = Position.of(recorded, ruleset("backgammon"), Side.WHITE)
    stands = recorded.moved(Side.BLACK, 19, OFF)
    astray = codes_of(stands) != codes_of(recorded)
    evidence = Evidence.fresh(recorded, 0.0)
    found = stood_at_throw(evidence, position, read(stands, {}), astray)
    assert (found is not None) is gone
