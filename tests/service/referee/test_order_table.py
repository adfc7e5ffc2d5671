"""The one table of orders: who may give which, when, with what; and that its rows are true."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from rules.board import Side
from rules.dice import Roll
from service.journal.codec import Json
from service.journal.entry import AT_BUTTONS, AT_TABLE, MANAGERS, RULERS, SILENT, STAFF, Role, Who
from service.referee.buttons import BUTTONS
from service.referee.inputs import Order
from service.referee.order_spec import OrderSpec, Whose, WhoseTurn
from service.referee.order_table import ORDERS, SPECS
from service.referee.phases import DO_FIRST
from service.referee.refusal import OrderError
from service.referee.state import Phase, State
from service.referee.step import step
from service.session.boards import BUTTON_NAMES
from tests.service.hands import CONSOLE, Hands, player

W, B = Side.WHITE, Side.BLACK
BY_SOCKET = [role for role in Role if role not in SILENT]


def test_names_are_told_apart() -> None:
    assert len(ORDERS) == len(SPECS)
    for spec in SPECS:
        assert len({arg.name for arg in spec.args}) == len(spec.args)


def test_only_whom_players_speak_for_is_said_where_players_may_speak() -> None:
    for spec in SPECS:
        assert (Role.PLAYER in spec.roles) is (spec.whose is not Whose.ANYONE), spec.name


def test_who_may_more_may_all_that_who_may_less() -> None:
    """Clock, tablet, annotator, arbiter, director and console: each may what the one before may."""
    may = [
        {spec.name for spec in SPECS if spec.may(role)}
        for role in (
            Role.CLOCK,
            Role.PLAYER,
            Role.ANNOTATOR,
            Role.ARBITER,
            Role.DIRECTOR,
            Role.CONSOLE,
        )
    ]
    assert all(less <= more for less, more in itertools.pairwise(may))
    assert {spec.name for spec in SPECS if spec.may(Role.PLAYER, one_side=True)} < may[1]
    assert not [spec.name for spec in SPECS if any(map(spec.may, {*SILENT, Role.REFEREE}))]


DECIDED = [
    # order, roles, whose: where two lists disagreed, and conduct decided
    ("freeze", RULERS, Whose.ANYONE),
    ("end_match", AT_TABLE, Whose.TABLET),
    ("amend", RULERS, Whose.ANYONE),
    ("acknowledge", RULERS, Whose.ANYONE),
    ("start_clocks", AT_BUTTONS, Whose.TABLET),
    ("stop_clocks", AT_BUTTONS, Whose.OWN),
    ("correct_play", STAFF, Whose.ANYONE),
    ("use_camera", MANAGERS, Whose.ANYONE),
    ("use_board", MANAGERS, Whose.ANYONE),
    ("update_board", MANAGERS, Whose.ANYONE),
    ("set_corners", MANAGERS, Whose.ANYONE),
]


@pytest.mark.parametrize(("name", "roles", "whose"), DECIDED)
def test_what_conduct_decided(name: str, roles: frozenset[Role], whose: Whose) -> None:
    spec = ORDERS[name]
    assert (spec.roles, spec.whose) == (roles, whose)
    assert spec.conduct or name == "correct_play"


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
@pytest.mark.parametrize("role", BY_SOCKET, ids=lambda role: role.value)
def test_the_referee_asks_the_table(spec: OrderSpec, role: Role) -> None:
    """Refused for its role, and for no other reason, exactly where the row says so."""
    with pytest.raises(OrderError) as refused:
        step(Hands().state, Order(spec.name, {}, Who("", role, None)), 1.0)
        raise OrderError("carried_out", "", "")
    found = refused.value.refusal.code
    if spec.act is None:
        assert found == "no_order"
    else:
        assert (found == "not_yours") is (role not in spec.roles)


@pytest.mark.parametrize("role", sorted(SILENT, key=lambda role: role.value))
def test_a_guest_or_a_camera_signs_nothing(role: Role) -> None:
    with pytest.raises(ValueError, match=role.value):
        Who("", role)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_arguments_have_a_schema(spec: OrderSpec) -> None:
    schema = spec.schema()
    assert schema["type"] == "object"
    assert set(schema["properties"]) == {arg.name for arg in spec.args}
    assert set(schema.get("required", [])) == {arg.name for arg in spec.args if arg.needed}


def at_turn(**event: object) -> Hands:
    """White is on roll, its clock running."""
    hands = Hands()
    hands.order("set_match", length=5, clock="ours", event=event)
    hands.order("start_game", starter="white")
    hands.order("start_clocks")
    return hands


def at_a_double() -> Hands:
    hands = at_turn()
    hands.order("offer")
    return hands


def at_a_resignation() -> Hands:
    hands = at_turn()
    hands.order("resign", level=1, side="white")
    return hands


ASKED = [
    (at_a_double, "take", "not_now"),
    (at_a_double, "drop", "not_now"),
    (at_a_double, "beaver", "not_now"),
    (at_a_resignation, "accept_resignation", "no_question"),
    (at_a_resignation, "refuse_resignation", "no_question"),
]


@pytest.mark.parametrize(("table", "name", "early"), ASKED)
def test_only_the_side_that_was_asked_answers(
    table: Callable[[], Hands], name: str, early: str
) -> None:
    assert ORDERS[name].turn is WhoseTurn.ASKED
    assert refused(at_turn().state, name, player(B)) == early
    assert refused(table().state, name, player(W)) == "not_yours"
    assert refused(table().state, name, player(B)) in ("", "not_now" if name == "beaver" else "")
    # Whoever speaks for both says no other side's answer either.
    assert refused(table().state, name, CONSOLE, side="white") == "not_yours"


@pytest.mark.parametrize("name", ["take", "drop", "offer", "resume", "unfreeze"])
def test_an_order_at_the_wrong_moment_says_what_to_do_first(name: str) -> None:
    with pytest.raises(OrderError) as error:
        step(Hands().state, Order(name, {}, CONSOLE), 1.0)
    assert (error.value.refusal.code, error.value.refusal.next) == ("not_now", DO_FIRST[Phase.IDLE])


def test_every_phase_says_what_comes_first() -> None:
    assert set(DO_FIRST) == set(Phase)
    with pytest.raises(OrderError) as error:
        step(at_a_double().state, Order("resume", {}, CONSOLE), 1.0)
    assert "take or drop" in error.value.refusal.next


def refused(state: State, name: str, by: Who, **args: Json) -> str:
    """The code of the refusal, "" where the order was carried out."""
    try:
        step(state, Order(name, args, by), state.at + 1)
    except OrderError as error:
        return error.refusal.code
    return ""


PAUSES = [
    # premature_roll, a roll came too early, who asks, refused
    ("clock_pause", True, player(W), ""),
    ("clock_pause", True, player(B), "not_yours"),
    ("clock_pause", True, Who("tablet", Role.PLAYER), ""),
    ("clock_pause", False, player(W), "not_yours"),
    ("opponent_chooses", True, player(W), "not_yours"),
    ("opponent_chooses", False, Who("n", Role.ANNOTATOR), ""),
    ("opponent_chooses", False, Who("a", Role.ARBITER), ""),
]


@pytest.mark.parametrize(("policy", "early", "by", "code"), PAUSES)
def test_who_may_stop_the_clocks(policy: str, early: bool, by: Who, code: str) -> None:
    hands = at_turn(dice={"premature_roll": policy})
    hands.order("declare_roll", roll=[6, 5])
    state = hands.state
    if early:
        state = replace(state, turn=replace(state.turn, premature=Roll.of(6, 6)))
    assert refused(state, "stop_clocks", by) == code


def test_a_clock_is_asked_for_by_need() -> None:
    table = at_turn()
    assert refused(table.state, "start_clocks", player(W)) == "not_now"
    table.order("stop_clocks")
    assert refused(table.state, "stop_clocks", Who("a", Role.ARBITER)) == "not_now"
    assert refused(table.state, "start_clocks", player(W)) == ""
    bare = Hands()
    bare.order("set_match", length=5, clock="none")
    adjust: dict[str, Json] = {"side": "white", "bank": 60}
    assert refused(bare.state, "adjust_clock", Who("a", Role.ARBITER), **adjust) == "no_clock"


def test_every_button_of_the_board_is_a_players_order() -> None:
    assert set(BUTTON_NAMES.values()) == set(BUTTONS) and ORDERS["button"].may(Role.PLAYER)
    assert {name for name, spec in ORDERS.items() if not spec.afar} == {
        "press",
        "button",
        "phone_press",
        "use_camera",
        "use_board",
        "update_board",
        "set_corners",
        "film",
    }
