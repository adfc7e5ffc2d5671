"""A match put right: nothing said changes nothing, and what follows is read again."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from rules import game as do
from rules.board import Placement, Side
from rules.dice import Roll
from rules.judge import judge
from rules.match import MatchRules
from rules.notation.convert import read_file
from rules.notation.mat import read_mat
from rules.notation.matwrite import write_mat
from rules.notation.record import MatchRecord
from rules.play import Play, plays
from service.amend.amended import amended
from service.amend.edits import (
    CubeSaid,
    GameEnds,
    MatchSaid,
    PlayGone,
    PlayMissed,
    PlaySaid,
    Said,
    ScoreSaid,
)
from service.amend.of_film import match_of_film
from service.amend.recorded import RecordedMatch, recorded_turns
from service.amend.rows import AmendedMatch, DeskRow
from tests.service.amend.reels import (
    RULES,
    Truth,
    frame_of,
    played,
    read_well,
    with_fault,
)

MATCHES = sorted((Path(__file__).parents[2] / "data" / "matches").glob("*.mat"))
FAULTS = (2, 7, 11, 16, 20)


def recorded(record: MatchRecord) -> RecordedMatch:
    opening, turns = recorded_turns(record, range(1, len(record.actions) + 1))
    return RecordedMatch(record.rules, record.names, turns, opening, record.tags)


def plays_of(match: AmendedMatch) -> list[DeskRow]:
    return [row for row in match.rows if row.kind == "play"]


def told(match: AmendedMatch) -> list[tuple[Side | None, Roll | None, Placement]]:
    return [(row.side, row.roll, row.after) for row in plays_of(match)]


def true(truth: list[Truth]) -> list[tuple[Side | None, Roll | None, Placement]]:
    return [(one.side, one.roll, one.play.placement) for one in truth]


@pytest.mark.parametrize("path", MATCHES[:12], ids=lambda path: path.stem)
def test_a_match_of_which_nothing_is_said_stays_as_it_is(path: Path) -> None:
    record = read_file(path.read_bytes(), path.name)
    again = amended(recorded(record), ())
    assert again.record.actions == record.actions
    assert not again.record.remarks


@pytest.mark.parametrize("seed", [1, 3])
def test_a_film_with_five_faults_is_put_right_by_five_sayings(seed: int) -> None:
    truth, rng = played(24, seed), random.Random(seed)
    read = read_well(truth)
    assert told(amended(match_of_film(read, ()), ())) == true(truth)
    for number in FAULTS:
        read = with_fault(read, truth, number, rng)
    assert told(amended(match_of_film(read, ()), ())) != true(truth)
    said = tuple(PlaySaid(frame_of(n), truth[n].play.placement, truth[n].roll) for n in FAULTS)
    now = amended(match_of_film(read, said), said)
    assert told(now) == true(truth)
    assert not any(row.doubtful for row in plays_of(now) if row.said)


def of_truth(truth: list[Truth], length: int = 0) -> RecordedMatch:
    """A journal-like record of these plays, marked 10, 20, ..."""
    actions: list[do.Action] = [do.Starts(truth[0].side)]
    marks = [1]
    for number, one in enumerate(truth):
        actions += [do.Rolled(one.side, one.roll), do.Played(one.side, one.play.placement)]
        marks += [frame_of(number) - 1, frame_of(number)]
    names = {Side.WHITE: "Mahsa", Side.BLACK: "Jan"}
    record = MatchRecord(MatchRules.of(RULES, length), names, tuple(actions))
    opening, turns = recorded_turns(record, marks)
    return RecordedMatch(record.rules, names, turns, opening)


def test_a_checker_that_was_recorded_wrongly_is_taken_along() -> None:
    """The record carries a fault of an early play on through later ones; one saying is enough."""
    truth = played(14, 5)
    other = next(
        play
        for play in plays(truth[2].before, truth[2].roll)
        if play.placement != truth[2].play.placement
        and all(
            isinstance(judge(one.before, one.roll, one.play.placement), Play) for one in truth[3:]
        )
    )
    base = of_truth(truth)
    said = (PlaySaid(frame_of(2), other.placement, None),)
    now = amended(base, said)
    assert now.record.final() is not None
    assert plays_of(now)[2].after == other.placement
    for row, one in zip(plays_of(now), truth, strict=True):
        assert row.side is one.side and row.roll == one.roll
    assert all(row.why in ((), ("follows",)) for row in plays_of(now))


def test_a_play_that_was_never_made_and_one_that_was_missed() -> None:
    truth = played(8, 4)
    whole = amended(of_truth(truth), ())
    without = of_truth(truth)
    lacking = replace(without, turns=without.turns[:4] + without.turns[5:])
    missing = truth[4]
    said: tuple[Said, ...] = (
        PlayMissed(
            frame_of(3), missing.play.placement, missing.roll, missing.side, upto=frame_of(5)
        ),
    )
    again = amended(lacking, said)
    assert told(again) == told(whole)
    assert plays_of(again)[4].added and plays_of(again)[4].said
    # The other way round: what was put in is taken out again.
    doubled = replace(without, turns=(*without.turns[:5], without.turns[4], *without.turns[5:]))
    odd = replace(doubled.turns[5], mark=frame_of(4) + 1)
    doubled = replace(doubled, turns=(*doubled.turns[:5], odd, *doubled.turns[6:]))
    gone = PlayGone(frame_of(4) + 1, truth[4].play.placement)
    assert told(amended(doubled, (gone,))) == told(whole)


def test_cubes_ends_scores_and_names() -> None:
    truth = played(8, 4)
    base = of_truth(truth)
    said = (
        MatchSaid("Sara", "Omid", 7),
        CubeSaid(frame_of(3), "take"),
        GameEnds(frame_of(7), Side.WHITE, 2),
    )
    now = amended(base, said)
    final = now.record.final()
    assert final.score.white == 4 and now.record.names[Side.BLACK] == "Omid"
    assert read_mat(write_mat(now.record)).final().score == final.score
    assert [row.done for row in now.rows if row.kind != "play"] == ["double", "take", "resigned"]
    # The newest saying of one thing holds, and nothing is doubtful where somebody spoke.
    none = amended(base, (*said, CubeSaid(frame_of(3), "none")))
    assert none.record.final().score.white == 2
    dropped = amended(base, (*said, CubeSaid(frame_of(3), "drop")))
    assert [len(plays_of(match)) for match in (now, dropped)] == [8, 4]
    assert "left out" in " ".join(dropped.record.remarks)
    scored = amended(base, (*said, ScoreSaid(frame_of(7), 5, 1)))
    assert (scored.record.final().score.white, scored.record.final().score.black) == (5, 1)


def test_a_game_whose_end_nobody_said_is_doubtful() -> None:
    truth = played(8, 4)
    (last,) = [row for row in amended(of_truth(truth), ()).rows if row.kind == "end"]
    assert last.doubtful and last.why == ("open",)
