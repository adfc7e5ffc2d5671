"""Nothing begins before somebody says so, and until its first play a match is set anew as often as
people like; then it stays, and is ended.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rules.board import Side
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entries import Role, Who
from service.record.match_record import match_records, played_records
from service.referee.refusal import OrderError
from service.referee.state import Phase
from tests.service.hands import DIRECTOR, Hands, begun, check, player

START = Position.start(ruleset("nard"), Side.WHITE).placement
W, B = Side.WHITE, Side.BLACK
TABLET = Who("tablet", Role.PLAYER)

UNPLAYED: dict[Phase, Callable[[], Hands]] = {
    Phase.IDLE: Hands,
    Phase.SETTING_UP: lambda: _set(Hands()),
    Phase.OPENING: lambda: Hands().set_up(),
    Phase.TO_ROLL: lambda: begun(Hands()),
    Phase.DOUBLED: lambda: _ordered(begun(Hands()), "offer"),
    Phase.MOVING: lambda: begun(Hands()).throw(3, 1),
    Phase.ADJOURNED: lambda: _ordered(begun(Hands()), "adjourn"),
    Phase.MATCH_OVER: lambda: _ordered(begun(Hands()), "end_match"),
}


def _set(hands: Hands) -> Hands:
    hands.order("set_match", length=7)
    return hands


def _ordered(hands: Hands, name: str) -> Hands:
    hands.order(name)
    return hands


@pytest.mark.parametrize("phase", UNPLAYED, ids=lambda p: p.value)
def test_before_its_first_play_a_match_is_set_anew(phase: Phase) -> None:
    hands = UNPLAYED[phase]().expect(phase)
    hands.order(
        "set_match", TABLET, ruleset="nard", length=3, white="Anna", seating={"white": "dark"}
    )
    hands.expect(Phase.SETTING_UP)
    match = hands.state.match
    assert (match.setting and match.setting.ruleset, match.length) == ("nard", 3)
    assert match.names.white == "Anna"
    hands.placement = START
    hands.wait(1.5).expect(Phase.OPENING)
    check(hands)


def test_after_its_first_play_it_stays_as_it_is() -> None:
    hands = begun(Hands()).throw(3, 1)
    hands.move((8, 5), (6, 5)).lift()
    assert len(hands.state.match.plays) == 1
    for by in (TABLET, DIRECTOR):
        with pytest.raises(OrderError) as said:
            hands.order("set_match", by, length=3)
        assert said.value.refusal.code == "match_begun"
        assert "end that match first" in said.value.refusal.next
    assert hands.state.match.length == 7


def test_a_game_that_ended_without_a_play_is_not_thrown_away() -> None:
    hands = begun(Hands(), length=3)
    hands.order("offer")
    hands.order("drop", by=player(B))
    hands.expect(Phase.GAME_OVER)
    with pytest.raises(OrderError, match="match_begun"):
        hands.order("set_match", length=5)


def test_a_dispute_is_not_set_anew() -> None:
    hands = begun(Hands())
    hands.order("freeze", DIRECTOR)
    with pytest.raises(OrderError, match="not_now"):
        hands.order("set_match", length=3)


def test_players_end_a_money_session_and_nothing_else() -> None:
    hands = begun(Hands(), length=5)
    with pytest.raises(OrderError, match="not_yours"):
        hands.order("end_match", TABLET)
    hands.expect(Phase.TO_ROLL)
    hands = begun(Hands(), length=None)
    with pytest.raises(OrderError, match="not_yours"):
        hands.order("end_match", TABLET, winner="white")
    hands.order("end_match", TABLET)
    hands.expect(Phase.MATCH_OVER)


def test_a_match_that_was_not_played_leaves_no_file() -> None:
    hands = begun(_set(Hands()), length=3)
    assert len(match_records(hands.entries)) == 2
    assert played_records(hands.entries) == ()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).lift()
    (record,) = played_records(hands.entries)
    assert record.rules.length == 3


def test_a_walkover_has_its_file() -> None:
    hands = _set(Hands())
    hands.order("end_match", DIRECTOR, winner="white", reason="not shown up")
    (record,) = played_records(hands.entries)
    assert record.final().winner is W
