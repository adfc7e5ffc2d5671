"""What goes along with the checkers when a hand was there is no misread of the source's."""

from __future__ import annotations

import pytest

from rules.board import Placement, Side
from rules.observation import Condition, Observation, SiteReading, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.evidence import MOVED, Evidence, observe

START = Position.start(ruleset("backgammon"), Side.WHITE).placement
MIDPOINT = 13


def counted(evidence: Evidence, stands: Placement, count: int, now: float) -> Evidence:
    """The evidence after a picture in which so many of White's are counted on the midpoint, and
    all else as it stands.
    """
    pairs = [(stands.white[s], stands.black[s]) for s in range(26)]
    pairs[MIDPOINT] = (count, 0)
    readings = tuple(SiteReading(s, ((w, b, 1.0),), 1e-5) for s, (w, b) in enumerate(pairs))
    return observe(
        evidence, Observation(Source.CAMERA, now, int(now), Condition.AT_REST, readings), now
    )


@pytest.mark.parametrize(
    ("first", "then", "off"),
    [(2, 1, True), (2, 2, False), (3, 1, False), (4, 2, False), (5, 4, False)],
    ids=["two fewer each time", "as before", "fewer still", "right at first", "a tall pile"],
)
def test_a_point_that_is_off_by_as_much_once_it_was_played_from_is_no_misread(
    first: int, then: int, off: bool
) -> None:
    """Four stood there by the record when it was counted first, then three."""
    stood = START.moved(Side.WHITE, MIDPOINT, 24)
    evidence = counted(Evidence.fresh(stood, 0.0), stood, first, 1.0)
    evidence = Evidence.fresh(stood, 1.5, evidence)
    left = stood.moved(Side.WHITE, MIDPOINT, 7)
    evidence = Evidence.fresh(left, 2.5, counted(evidence, left, then, 2.0))
    witness = evidence.witness(Source.CAMERA)
    assert witness is not None
    assert bool(witness.read_as[MIDPOINT] == MOVED) is off
