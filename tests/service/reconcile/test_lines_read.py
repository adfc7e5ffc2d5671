"""Since which line a record that is put right was wrong, by what was read when each was entered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.board import OFF, Placement, Side
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Evidence, LinesRead
from service.reconcile.codes import codes_of
from service.reconcile.evidence import Witness

W, B = Side.WHITE, Side.BLACK
START = Position.start(ruleset("backgammon"), W).placement


def read_as(placement: Placement, unseen: tuple[int, ...] = ()) -> Evidence:
    """What a camera that sees this placement surely has said, but of some sites."""
    new = Witness.new(Source.CAMERA)
    mean = np.full((26, 256), -20.0, np.float32)
    mean[np.arange(26), codes_of(placement)] = 0.0
    frames = np.full(26, 8, np.int32)
    frames[list(unseen)] = 0
    seen = replace(new, mean=mean.reshape(26, 16, 16), frames=frames, rests=8)
    return Evidence(placement, 0.0, (seen,))


def lines(*each: tuple[Placement, Evidence]) -> LinesRead:
    """Lines of the record, numbered from 10 on, each with what was read of it."""
    found = LinesRead()
    for n, (placement, seen) in enumerate(each):
        found = found.settled(10 + n, placement, seen)
    return found


AFTER = START.moved(B, 12, 20)
LATER = AFTER.moved(W, 6, 5)


def right(placement: Placement) -> Placement:
    """The same with a checker on the five point that the record has on the eight."""
    return placement.moved(W, 8, 5)


@pytest.mark.parametrize(
    ("reads", "since"),
    [
        ((START, right(AFTER), right(LATER)), 11),
        ((right(START), right(AFTER), right(LATER)), 10),
        ((right(START), AFTER, right(LATER)), 12),
        ((right(START), right(AFTER), LATER), None),
        ((START, AFTER, right(LATER).moved(W, 5, 4)), None),
    ],
)
def test_the_first_of_the_lines_that_were_read_as_the_record_is_now(
    reads: tuple[Placement, ...], since: int | None
) -> None:
    recorded = (START, AFTER, LATER)
    found = lines(*zip(recorded, map(read_as, reads), strict=True))
    assert found.wrong_since(LATER, right(LATER)) == since


def test_a_line_that_was_not_seen_breaks_no_row_and_begins_none() -> None:
    hidden = read_as(right(AFTER), unseen=(5, 8))
    found = lines((START, read_as(right(START))), (AFTER, hidden), (LATER, read_as(right(LATER))))
    assert found.wrong_since(LATER, right(LATER)) == 10
    found = lines((START, read_as(START)), (AFTER, hidden), (LATER, read_as(right(LATER))))
    assert found.wrong_since(LATER, right(LATER)) == 12


def test_a_tall_pile_denies_nothing_and_what_is_off_is_not_read() -> None:
    gone, pile = START.moved(W, 8, OFF), START.moved(W, 8, 6)
    assert lines((START, read_as(gone))).wrong_since(START, gone) == 10
    assert lines((START, read_as(gone))).wrong_since(START, pile) == 10
    assert lines((START, read_as(START))).wrong_since(START, START.moved(W, 6, OFF)) is None


def test_a_line_that_is_put_right_is_on_record_so_and_one_that_is_taken_back_is_none() -> None:
    found = lines((START, read_as(right(START))), (AFTER, read_as(right(AFTER))))
    assert found.wrong_since(AFTER, right(AFTER)) == 10
    assert found.corrected(10, right(START), rewinds=False).wrong_since(AFTER, right(AFTER)) == 11
    assert found.corrected(10, START, rewinds=True).wrong_since(START, right(START)) == 10
    assert found.without(11).wrong_since(START, right(START)) == 10
    assert len(found.without(11).lines) == 1
