"""Score and games after a correction: points are counted once, Crawford is played once, a corrected
roll judges its play anew, and what means nothing is refused.
"""

from __future__ import annotations

import pytest

from rules.board import Placement, Side
from service.journal.codec import Json
from service.journal.entries import Standing
from service.record.match_record import match_records
from service.record.score_sheet import score_sheets
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.show.compose import table_document
from service.show.legal import legal_plays
from tests.service.hands import DIRECTOR, Hands, begun, check, player, stand

W, B = Side.WHITE, Side.BLACK


def spelled(placement: Placement) -> dict[str, Json]:
    return {"white": list(placement.white), "black": list(placement.black)}


def won(length: int = 5) -> tuple[Hands, int, dict[str, Json]]:
    """White has borne off its last two with a 2-1; what it should have been leaves both there."""
    hands = begun(Hands(), length=length)
    stand(hands, {2: 1, 1: 1}, {6: 15})
    hands.throw(2, 1)
    hands.move((2, 0), (1, 0)).wait(3)
    assert hands.state.phase in (Phase.GAME_OVER, Phase.MATCH_OVER)
    return hands, hands.state.match.plays[-1].seq, spelled(hands.moved((0, 2), side=W))


@pytest.mark.parametrize("length", [2, 5])
def test_a_corrected_end_takes_its_points_back_once(length: int) -> None:
    hands, seq, right = won(length)
    assert tuple(hands.state.match.score) == (2, 0)
    hands.order("correct_play", by=DIRECTOR, seq=seq, rewind=True, placement=right)
    match = hands.state.match
    assert (hands.state.phase, tuple(match.score)) == (Phase.TO_ROLL, (0, 0))
    assert (match.finished, match.result) == ((), "")
    # Black plays, then White bears its checker off after all.
    hands.put(hands.moved((0, 2), side=W))
    hands.throw(2, 1)
    hands.play_any()
    hands.order("declare_play", placement=spelled(hands.placement))
    hands.throw(6, 5)
    hands.move((2, 0)).wait(3)
    assert tuple(hands.state.match.score) == (2, 0)
    assert [g.number for g in hands.state.match.finished] == [1]
    assert (hands.state.phase is Phase.MATCH_OVER) == (length == 2)
    check(hands)
    (record,) = match_records(hands.entries)
    assert [r.points for r in record.final().results] == [2]
    (sheet,) = score_sheets(hands.entries)
    assert sheet["score"] == [2, 0] and len(sheet["games"]) == 1


def test_a_correction_that_changes_nothing_ends_the_game_again() -> None:
    hands, seq, _ = won()
    hands.order("correct_play", seq=seq, rewind=True, placement=spelled(hands.placement))
    assert hands.state.phase is Phase.GAME_OVER and tuple(hands.state.match.score) == (2, 0)
    assert len(hands.state.match.finished) == 1


def test_penalties_since_are_kept_when_a_game_is_reopened() -> None:
    hands, seq, right = won()
    hands.order("amend", what="score", value=[3, 1])
    hands.order("correct_play", seq=seq, rewind=True, placement=right)
    assert tuple(hands.state.match.score) == (1, 1)


def test_no_game_is_reopened_behind_another() -> None:
    hands, seq, right = won()
    hands.order("start_game", starter="white")
    with pytest.raises(OrderError, match="another game begun since"):
        hands.order("correct_play", seq=seq, rewind=True, placement=right)
    hands.order("correct_play", seq=seq, placement=right)
    assert tuple(hands.state.match.score) == (2, 0)


# Crawford.


def test_crawford_that_was_played_by_hand_can_be_declared() -> None:
    hands = Hands()
    hands.order("set_match", length=5, clock="none", score=[4, 2], crawford_played=True)
    hands.order("start_game", starter="black")
    assert not hands.state.game.crawford
    hands.order("offer")
    hands.order("drop")
    assert tuple(hands.state.match.score) == (4, 3)
    check(hands)
    (record,) = match_records(hands.entries)
    assert not record.remarks


def test_crawford_is_put_right_in_the_game_itself() -> None:
    hands = Hands()
    hands.order("set_match", length=5, clock="none", score=[4, 2])
    hands.order("start_game", starter="black")
    assert hands.state.game.crawford
    with pytest.raises(OrderError, match="Crawford"):
        hands.order("offer")
    hands.order("amend", what="crawford", value=True, by=DIRECTOR)
    hands.order("offer")
    assert hands.state.phase is Phase.DOUBLED
    hands.order("amend", what="crawford", value=False, by=DIRECTOR)
    hands.order("drop")
    hands.order("start_game", starter="black")
    assert hands.state.game.crawford, "it is still to come"
    check(hands)


# Prompts.


@pytest.mark.parametrize(
    ("match", "taken", "code"),
    [
        ({"length": 1}, False, "roll"),
        ({"length": 7}, False, "roll_or_double"),
        ({"length": 7, "event": {"match": {"cube_limit": 2}}}, False, "roll_or_double"),
        ({"length": 7, "event": {"match": {"cube_limit": 2}}}, True, "roll"),
        ({"length": 2, "event": {"match": {"dead_cube": "refused"}}}, True, "roll"),
        ({"length": 2}, True, "roll_or_double"),
        ({"length": 3, "ruleset": "nard"}, False, "roll"),
    ],
)
def test_a_double_is_named_only_where_it_may_be_said(
    match: dict[str, Json], taken: bool, code: str
) -> None:
    hands = begun(Hands(), **match)
    if taken:
        hands.order("offer", side="white")
        hands.order("take")
        hands.order("set_position", placement=spelled(hands.placement), on_roll="black")
    shown = table_document(hands.state, hands.now)
    assert shown["waits_for"]["code"] == code
    assert shown["cube"]["in_use"] == (match["length"] != 1 and "ruleset" not in match)


# A corrected roll.


def test_a_corrected_roll_judges_the_play_anew_everywhere() -> None:
    hands = begun(Hands(), length=5)
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).lift()
    (line,) = hands.state.match.plays
    assert (line.text, line.infraction) == ("8/5 6/5", "")
    hands.order("correct_roll", seq=line.seq, roll=[6, 1])
    (shown,) = table_document(hands.state, hands.now)["plays"]
    assert (shown["roll"], shown["infraction"], shown["standing"]) == (
        [6, 1],
        "die_not_rolled",
        "next-roll",
    )
    (record,) = match_records(hands.entries)
    assert record.final().game.placement == hands.placement
    hands.order("correct_roll", seq=line.seq, roll=[3, 1])
    (shown,) = table_document(hands.state, hands.now)["plays"]
    assert (shown["infraction"], shown["standing"]) == (None, None)
    check(hands)


def test_a_play_after_a_set_position_is_judged_from_there() -> None:
    hands = begun(Hands(), length=5)
    stand(hands, {8: 2, 6: 2}, {6: 15})
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).lift()
    (line,) = hands.state.match.plays
    hands.order("correct_roll", seq=line.seq, roll=[3, 1])
    assert hands.state.match.plays[0].infraction == ""


# Penalties.


def test_a_game_is_no_penalty_between_games() -> None:
    hands, _, _ = won()
    for phase in (Phase.GAME_OVER, Phase.FROZEN):
        if phase is Phase.FROZEN:
            hands.order("freeze", by=DIRECTOR)
        with pytest.raises(OrderError, match="give points"):
            hands.order("penalise", by=DIRECTOR, side="white", penalty="game")
    assert "penalised" not in hands.kinds
    hands.order("penalise", by=DIRECTOR, side="white", penalty="points", amount=1)
    assert tuple(hands.state.match.score) == (1, 0)


# The last roll of narde's federations.


@pytest.mark.parametrize(
    ("blacks", "score", "reason"), [(2, (0, 0), "drawn"), (3, (1, 0), "borne_off")]
)
def test_who_was_second_has_a_last_turn(blacks: int, score: tuple[int, int], reason: str) -> None:
    hands = Hands()
    hands.order("set_match", ruleset="narde", options={"last_roll": "draw"}, length=5, clock="none")
    hands.order("start_game", starter="white")
    stand(hands, {1: 1}, {1: blacks})
    for roll in ([2, 1], [2, 1]):
        assert hands.state.phase is Phase.TO_ROLL
        hands.order("declare_roll", roll=roll)
        off = [play for play in legal_plays(hands.state) if play["text"]]
        best = max(
            off, key=lambda play: play["placement"]["white"][0] + play["placement"]["black"][0]
        )
        hands.order("declare_play", placement=best["placement"])
    assert hands.state.phase is Phase.GAME_OVER
    assert (tuple(hands.state.match.score), hands.last("game_ended").reason) == (score, reason)
    check(hands)
    (record,) = match_records(hands.entries)
    assert not record.remarks
    hands.order("next_game")
    assert (hands.state.phase is Phase.OPENING) == (reason == "drawn")


def test_no_clock_runs_between_two_games() -> None:
    hands = begun(Hands(), clock="ours")
    hands.order("resign", by=DIRECTOR, side="black", level=1)
    hands.order("accept_resignation", by=DIRECTOR)
    hands.expect(Phase.GAME_OVER)
    with pytest.raises(OrderError, match="not between two games"):
        hands.order("start_clocks", by=DIRECTOR)


def test_what_was_answered_calls_no_more() -> None:
    """A decided appeal is shown to nobody as open, and may still be acknowledged; one call is one
    alert, however often it is said.
    """
    hands = begun(Hands(), length=5)
    hands.order("rule", by=DIRECTOR, text="It stands.")
    ruling = hands.state.match.rulings[0].seq
    hands.order("appeal", ruling=ruling)
    (open_one,) = table_document(hands.state, hands.now)["alerts"]
    assert open_one["kind"] == "appeal"
    hands.order("close_appeal", by=DIRECTOR, ruling=ruling)
    (decided,) = table_document(hands.state, hands.now)["alerts"]
    assert decided["settled"] and not open_one["settled"]
    hands.order("acknowledge", by=DIRECTOR, alert=open_one["id"])
    for side in (W, W, B):
        hands.order("call_director", by=player(side))
    shown = table_document(hands.state, hands.now)["alerts"]
    assert [(a["kind"], a["side"]) for a in shown] == [
        ("director_called", "white"),
        ("director_called", "black"),
    ]
    assert hands.kinds.count("director_called") == 3
    check(hands)


@pytest.mark.parametrize("word", ["unresolved", "played_on"])
def test_the_tables_own_word_typed_by_a_person_is_that_persons(word: str) -> None:
    hands, seq, right = won()
    hands.order("correct_play", by=DIRECTOR, seq=seq, rewind=True, placement=right, reason=word)
    line = next(p for p in hands.state.match.plays if p.seq == seq)
    assert line.standing is not Standing.UNRESOLVED
    hands.order("set_position", placement=right, on_roll="white", reason=word)
    assert hands.bodies("corrected")[-1].reason == hands.bodies("position_set")[-1].reason
    assert hands.bodies("position_set")[-1].reason == f"{word}."
