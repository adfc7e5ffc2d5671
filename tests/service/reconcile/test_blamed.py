"""Who may be blamed: what a side is said to have moved was seen where the record has it, by every
source where nobody knows how it came to stand there.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.position import Position
from service.journal.entries import PositionSet, Standing
from service.reconcile import (
    Awaiting,
    Evidence,
    Expectation,
    Illegal,
    Recollection,
    decide,
)
from service.reconcile.against_record import stood_as_recorded
from service.reconcile.codes import codes_of
from service.reconcile.told import Anchor
from service.referee.left_otherwise import PLAYED_ON
from service.session.expecting import expectation
from tests.service.hands import Hands, begun
from tests.service.story import Story
from tests.service.storyteller import Teller

ONE_SOURCE = """
camera reads W 16 as 1
camera reads W 13 as 4
wait 2
W 31
"""
BOTH = "board reads W 16 as 1\nboard reads W 13 as 4" + ONE_SOURCE


def _what_is_known(teller: Teller) -> tuple[Evidence, Recollection, Expectation]:
    """What the session of a told story has seen, remembers and asks."""
    session = teller.hands.session
    evidence, memory = session.evidence, session.memory
    assert evidence is not None
    assert memory is not None
    asked = expectation(session, evidence)
    assert asked is not None
    return evidence, memory, asked


@pytest.mark.parametrize(
    ("guessed", "lines", "blamed"),
    [(False, ONE_SOURCE, True), (True, ONE_SOURCE, False), (True, BOTH, True)],
    ids=["played there", "guessed, one source", "guessed, every source"],
)
def test_a_checker_that_a_guess_has_put_somewhere_was_seen_there_by_every_source(
    guessed: bool, lines: str, blamed: bool
) -> None:
    """The record has a checker on White's 16 point; White would be said to have moved it on."""
    teller = Teller(Story("a guess", "A checker reads on the 16 point.", lines), "both")
    teller.tell()
    evidence, memory, asked = _what_is_known(teller)
    stood = asked.position.placement.moved(Side.WHITE, 13, 16)
    position = Position.of(stood, asked.position.ruleset, Side.WHITE)
    anchor = Anchor(memory.anchors[-1].at, position, guessed)
    asked = replace(asked, position=position, memory=replace(memory, anchors=(anchor,)))
    moved_on = codes_of(stood.moved(Side.WHITE, 16, 10))
    assert stood_as_recorded(evidence, asked, moved_on) is blamed


def test_a_line_that_nobody_could_explain_is_a_guess_though_told_with_the_next() -> None:
    lines = """
    stand to B | W bar:1 22:2 8:2 7:4 6:4 4:2 | B 1:2 2:3 4:3 6:2 8:1 14:2 23:2
    camera reads W 6 as 3
    board reads W 6 as 3
    B turn 31 8/5 2/1
    board gone
    camera frozen
    B 22 unseen
    wait 2
    B: 5/7
    B press
    wait 1
    camera thawed
    board back
    camera reads W 16 as 1
    camera reads W 6 as 3
    board reads W 6 as 3
    hand
    wait 4
    W 55
    wait 2
    W: bar/5
    W press
    wait 3
    B 41
    wait 4
    B: 7/2
    B press
    wait 4
    W 63
    wait 2
    """
    teller = Teller(Story("unseen", "Black moves twice, unseen.", lines, clock="ours"), "both")
    teller.tell()
    made = [line.standing for line in teller.hands.state.match.plays]
    memory = teller.hands.session.memory
    assert memory is not None
    assert made == [None, Standing.UNRESOLVED, None]
    assert [anchor.guessed for anchor in memory.anchors] == [False, True, False]
    assert memory.rests_on_a_guess()


@pytest.mark.parametrize("taken", [False, True])
def test_nobody_is_accused_in_a_turn_that_began_from_what_was_only_taken_as_it_stood(
    taken: bool,
) -> None:
    """Somebody knocked Black's checker on by a point, the record took it so, and Black counted from
    where it had been: it was accused of a play that was none of its roll (386500 e2 g1).
    """
    lines = """
    W 31
    wait 2
    W: 13/10 8/7 6/5
    W wrong
    wait 3
    """
    teller = Teller(Story("taken", "White plays three checkers.", lines, clock="ours"), "both")
    teller.tell()
    evidence, memory, asked = _what_is_known(teller)
    anchors = tuple(replace(anchor, taken=taken) for anchor in memory.anchors)
    asked = replace(
        asked,
        stage=Awaiting.PRESSED,
        since=teller.hands.now - 2,
        memory=replace(memory, anchors=anchors),
    )
    found = decide(evidence, asked, teller.hands.now)
    assert isinstance(found, Illegal)
    assert found.blames is not taken


def test_a_position_that_nobody_set_is_taken_as_it_stood() -> None:
    table = begun(Hands(), Side.WHITE)
    table.wait(1.0)
    placement = table.state.game.placement
    assert placement is not None
    for reason in ("", PLAYED_ON):
        said = PositionSet(placement, Side.BLACK, reason=reason)
        table.table_says(said)
        assert table.session.memory is not None
        assert table.session.memory.anchors[-1].taken is bool(reason)
