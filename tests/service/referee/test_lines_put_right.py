"""Lines that were wrong already when the record is put right: what becomes of each of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import OFF, Placement, Side
from service.journal.entries import READ_SO, DiceOrigin, PlayCorrected, Standing
from service.referee.inputs import LinesWrong
from service.referee.state import State
from service.referee.step import step
from tests.service.hands import begun
from tests.service.telling_hands import TellingHands

W, B = Side.WHITE, Side.BLACK
TURNS = (
    (W, (3, 1), ((8, 5), (6, 5))),
    (B, (4, 2), ((8, 4), (6, 4))),
    (W, (6, 5), ((24, 18), (18, 13))),
    (B, (5, 3), ((8, 3), (6, 3))),
)


def played() -> State:
    """The state after four sure turns."""
    hands = TellingHands()
    begun(hands, W, clock="none", length=5)
    for side, roll, moves in TURNS:
        hands.throw(*roll, side=side)
        hands.move(*moves, side=side).wait(2)
        hands.lift().wait(2)
    assert len(hands.state.match.plays) == 4
    return hands.state


def with_line(state: State, n: int, **changes: object) -> State:
    """The same with one line changed."""
    plays = list(state.match.plays)
    plays[n] = replace(plays[n], **changes)  # type: ignore[arg-type]
    return replace(state, match=replace(state.match, plays=tuple(plays)))


def put_right(
    state: State, first: int, source: int, target: int, whose: Side = W
) -> tuple[list[PlayCorrected], State]:
    """What is said, and the state after it, where one checker stood elsewhere since a line."""
    plays = state.match.plays
    recorded = plays[-1].placement
    given = LinesWrong(
        plays[first].seq, plays[-1].seq, recorded, recorded.moved(whose, source, target)
    )
    outcome = step(state, given, state.at + 1)
    assert outcome.state.game == state.game
    assert outcome.state.phase is state.phase
    found = [body for body in outcome.entries if isinstance(body, PlayCorrected)]
    assert len(found) == len(outcome.entries)
    return found, outcome.state


def moved(placement: Placement, source: int, target: int) -> Placement:
    return placement.moved(W, source, target)


def test_a_line_that_was_only_likely_and_all_that_follow_are_put_right_together() -> None:
    """388000 e3 g3: 5/2 was taken for 5/off, and seven lines had a checker that stood nowhere."""
    state = with_line(played(), 0, probability=0.7)
    said, after = put_right(state, 0, 5, 4)
    assert [body.reason for body in said] == ["unresolved", READ_SO, READ_SO, READ_SO]
    assert [body.roll for body in said] == [line.roll for line in state.match.plays]
    assert [body.notation for body in said][1:] == [line.text for line in state.match.plays][1:]
    for line, then in zip(after.match.plays, state.match.plays, strict=True):
        assert line.placement == moved(then.placement, 5, 4)
    assert after.match.plays[0].standing is Standing.UNRESOLVED
    assert not after.match.plays[0].infraction
    befores = [line.before for line in after.match.plays[1:]]
    assert befores == [line.placement for line in after.match.plays[:-1]]


def test_another_play_of_the_roll_that_was_read_is_that_play() -> None:
    """Sure as it was, it was changed after it had stood: 24/18 13/8 instead of 24/13."""
    state = played()
    plays = state.match.plays
    right = plays[-1].placement.moved(W, 13, 18).moved(W, 13, 8)
    given = LinesWrong(plays[2].seq, plays[-1].seq, plays[-1].placement, right)
    bodies = step(state, given, state.at + 1).entries
    assert [getattr(b, "notation", "") for b in bodies] == ["24/18 13/8", "8/3 6/3"]
    assert {getattr(b, "reason", "") for b in bodies} == {READ_SO}


def test_after_a_sure_line_a_checker_was_knocked_and_that_line_stays() -> None:
    state = played()
    said, after = put_right(state, 0, 5, 4)
    assert [body.about for body in said] == [line.seq for line in state.match.plays[1:]]
    assert {body.reason for body in said} == {READ_SO}
    assert after.match.plays[0] == state.match.plays[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"by_hand": True},
        {"infraction": "die_not_rolled", "standing": Standing.NEXT_ROLL},
        {"before": None},
    ],
)
def test_what_a_person_said_what_is_blamed_and_what_would_be_no_play_leave_all_as_they_are(
    changes: dict[str, object],
) -> None:
    state = with_line(played(), 0, probability=0.7)
    assert put_right(state, 0, 5, 4)[0]
    assert put_right(with_line(state, 1, **changes), 0, 5, 4)[0] == []
    # Black has made its four point since, where that checker would stand.
    assert put_right(state, 0, 5, 21)[0] == []


def test_a_roll_that_was_told_by_the_play_alone_is_told_by_what_it_should_have_been() -> None:
    state = with_line(played(), 2, probability=0.8, origin=DiceOrigin.INFERRED)
    said, _ = put_right(state, 2, 13, 14)
    assert [str(body.roll) for body in said] == ["64", "53"]
    assert said[0].origin is DiceOrigin.INFERRED
    assert said[0].notation == "24/14"


def test_a_checker_that_is_off_is_off_in_every_line() -> None:
    state = with_line(played(), 0, probability=0.7)
    said, after = put_right(state, 0, 5, OFF)
    assert len(said) == 4
    assert all(line.placement.white[OFF] == 1 for line in after.match.plays)
