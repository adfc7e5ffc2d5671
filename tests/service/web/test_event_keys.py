"""Every key of an event file, and the entry, page or feed that changes with it: a key without a row
here, or whose row shows no difference, is a promise that nobody keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from rules.board import Side
from rules.event_keys import GONE, KEYS, load_event
from rules.observation import DieStatus
from service.journal.entries import Role
from service.referee.event import event_of
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.show.compose import table_document
from service.table.outputs import Keeping
from service.web.desk import Desk
from service.web.event_says import as_the_event_lets
from service.web.policy import Visitor
from tests.service.hands import DIRECTOR, THREE, Hands, die, player, stand
from tests.service.web.serve import Served
from tests.service.web.test_picture import until

W, B = Side.WHITE, Side.BLACK
Event = dict[str, Any]
Seen = Callable[[Event], object]


def sections(key: str, value: object, also: Event) -> Event:
    """The event that says this of a key, beside what else the row needs."""
    found: Event = {section: dict(keys) for section, keys in also.items()}
    section, _, name = key.rpartition(".")
    if section:
        found.setdefault(section, {})[name] = value
    else:
        found[name] = value
    return found


def table(event: Event, **args: Any) -> Hands:
    """A game begun with this as the event of the table; `length` and `clock` are its own."""
    hands = Hands()
    hands.order("choose_event", event=event)
    hands.order("set_match", **args)
    hands.placement = hands.start()
    hands.wait(1.5)
    if hands.state.phase is Phase.OPENING:
        white, black = hands.placement.white, hands.placement.black
        placed = {"white": list(white), "black": list(black)}
        hands.order("set_position", placement=placed, on_roll="white")
    return hands.wait(0.5)


def setting(event: Event) -> object:
    body = table(event).last("match_set")
    return body.ruleset, dict(body.options), body.length


def refused(hands: Hands, name: str, **args: Any) -> str:
    """The code of the refusal, empty where it was done."""
    try:
        hands.order(name, **args)
    except OrderError as error:
        return error.refusal.code
    return ""


def crawford(event: Event) -> object:
    return table(event, score=[4, 2], length=5).bodies("game_started")[0].crawford


def uncubed_gammon(event: Event) -> object:
    hands = table(event, length=None, clock="none")
    stand(hands, {2: 1, 1: 1}, {6: 15})
    hands.throw(2, 1)
    hands.move((2, 0), (1, 0)).lift()
    return hands.last("game_ended").points


def beaver(event: Event) -> object:
    hands = table(event, length=7, clock="none")
    hands.order("offer")
    return refused(hands, "beaver", by=player(B))


def equal_dice(event: Event) -> object:
    hands = Hands()
    hands.order("choose_event", event=event)
    hands.order("set_match", length=None, clock="none")
    hands.placement = hands.start()
    hands.wait(1.5).throw_opening(4, 4)
    return hands.last("opening_thrown").cube_value


def second_double(event: Event) -> object:
    hands = table(event, clock="none")
    hands.order("offer")
    hands.order("take", by=player(B))
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).lift()
    return refused(hands, "offer", by=player(B))


def dead_double(event: Event) -> object:
    return refused(table(event, length=3, score=[2, 2], clock="none"), "offer")


def cocked(event: Event) -> object:
    hands = table(event, clock="none")
    hands.dice = (
        die(3, hands.where(W)),
        die(5, hands.where(W, 2), DieStatus.COCKED),
    )
    return hands.wait(3).last("dice_called").reroll


def on_checkers(event: Event) -> object:
    hands = table(event, clock="none")
    hands.dice = (
        die(3, hands.where(W)),
        die(5, hands.where(W, 2), DieStatus.ON_CHECKER),
    )
    hands.wait(4)
    return [k for k in hands.kinds if k in ("dice_called", "rolled")][:1]


def in_the_left_half(event: Event) -> object:
    hands = table(event, clock="none")
    hands.throw(3, 1, side=B).wait(3)
    return [k for k in hands.kinds if k in ("dice_called", "rolled")]


def rolled_early(event: Event) -> object:
    hands = table(event, clock="ours")
    hands.order("start_clocks", side="white")
    hands.throw(6, 5)
    hands.move((24, 13)).press()
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5))
    hands.dice = (*hands.dice, die(6, hands.where(W)), die(6, hands.where(W, 2)))
    hands.wait(2.5)
    hands.dice = hands.dice[2:]
    hands.press(B).wait(2)
    return hands.state.turn.roll, refused(hands, "stop_clocks", by=player(B))


def illegal(event: Event) -> Hands:
    hands = table(event, clock="none")
    hands.throw(2, 1)
    hands.move(*THREE).press().wait(2)
    return hands


def told(event: Event) -> object:
    return illegal(event).last("illegal_noticed").told


def over_the_limit(event: Event) -> object:
    hands = illegal(event)
    hands.order("let_stand", by=player(B))
    hands.throw(2, 1)
    hands.move(*THREE, side=B).press().wait(2)
    hands.order("let_stand", by=player(W))
    hands.throw(2, 1)
    hands.move((24, 22), (13, 11), (8, 7)).press().wait(2)
    return sorted({a.matter for a in hands.state.alerts})


def taken_back(event: Event) -> object:
    hands = table(event, clock="none")
    hands.throw(3, 1)
    before = hands.placement
    hands.move((13, 10)).wait(2)
    hands.put(before).wait(2)
    hands.move((8, 5), (6, 5)).lift()
    return [a.matter for a in hands.state.alerts]


def waited(event: Event) -> object:
    hands = table(event)
    hands.order("start_clocks", side="white")
    hands.throw(3, 1)
    hands.wait(31)
    return [b.matter for b in hands.bodies("noted")]


def rested(event: Event) -> object:
    hands = table(event)
    hands.order("start_clocks", side="white")
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).wait(8)
    return [b.matter for b in hands.bodies("noted")]


def clock(event: Event) -> object:
    state = table(event).state
    return state.match.clock and state.match.clock.control


def flagged(event: Event) -> object:
    """What is entered of a flag: its consequence, and what followed of itself."""
    hands = table(event)
    hands.order("start_clocks", side="white")
    hands.order("adjust_clock", side="white", bank=1.0)
    hands.wait(25)
    flag = hands.last("flagged")
    score = [b.score for b in hands.bodies("penalised")]
    return flag.consequence, flag.amount, flag.automatic, score


def late(event: Event) -> object:
    hands = Hands(camera=False, board=False)
    hands.order("choose_event", event=event)
    hands.order("set_match", length=9, clock="none")
    hands.order("call_match", by=DIRECTOR)
    hands.now += 12 * 60
    hands.order("start_game", starter="white")
    return [a.matter for a in hands.state.alerts]


def unconfirmed(event: Event) -> object:
    hands = Hands()
    hands.order("choose_event", event=event)
    hands.order("set_match", length=5)
    hands.placement = hands.start()
    return hands.wait(2).state.phase


def appeal(event: Event) -> object:
    hands = table(event)
    hands.order("rule", by=DIRECTOR, text="it stands")
    ruled = hands.last("ruled")
    return round(ruled.appeal_until - hands.now)


def keeping(event: Event) -> object:
    return Keeping.of(table(event, white="Anna", black="Bahram").state.match, 72.0)


def named(event: Event) -> object:
    return table_document(table(event).state, 1.0)["match"]["event"].get("name")


ROWS: dict[str, tuple[object, object, Seen, Event]] = {
    # key: two values, what is looked at, what else the event says
    "name": ("Tuesday club", "", named, {}),
    "match.ruleset": ("nard", "narde", setting, {}),
    "match.options": ({"mandatory_hit": True}, {}, setting, {}),
    "match.length": (3, 9, setting, {}),
    "match.confirm": (True, False, unconfirmed, {}),
    "match.crawford": (True, False, crawford, {}),
    "match.jacoby": (True, False, uncubed_gammon, {}),
    "match.beavers": (True, False, beaver, {}),
    "match.automatic_doubles": (0, 1, equal_dice, {}),
    "match.cube_limit": (2, 64, second_double, {}),
    "match.dead_cube": ("refused", "allowed", dead_double, {}),
    "dice.reroll": ("both", "that_die", cocked, {}),
    "dice.on_checker": ("valid", "invalid", on_checkers, {}),
    "dice.dice_area": ("board", "right_half", in_the_left_half, {}),
    "dice.premature_roll": ("stands", "opponent_chooses", rolled_early, {}),
    "play.monitor": ("board", "arbiter", told, {}),
    "play.illegal_limit": (1, 0, over_the_limit, {}),
    "play.touch_move": (True, False, taken_back, {}),
    "play.release_is_final": (True, False, taken_back, {}),
    "play.slow_turn_s": (20, 0, waited, {}),
    "play.missed_press_s": (5, 0, rested, {}),
    "clock.preset": ("iran", "seed-fischer", clock, {}),
    "clock.mode": ("bronstein", "simple", clock, {}),
    "clock.per": ("game", "match", clock, {}),
    "clock.bank": (60, 90, clock, {}),
    "clock.delay": (3, 8, clock, {}),
    "clock.ladder": ([1], ["match"], flagged, {}),
    "clock.at_flag": ("automatic", "director", flagged, {"clock": {"ladder": [1]}}),
    "clock.points_lost": (
        "awarded",
        "deducted_below_zero",
        flagged,
        {"clock": {"ladder": [1], "at_flag": "automatic"}},
    ),
    "clock.overtime_s": (30, 0, flagged, {"clock": {"ladder": [1]}}),
    "clock.late_start": (True, False, late, {}),
    "director.appeal_minutes": (5, 20, appeal, {}),
    "privacy.evidence_hours": (1, 100, keeping, {}),
    "privacy.crop_to_board": (
        False,
        True,
        keeping,
        {"privacy": {"consent": ["Anna", "Bahram"]}},
    ),
    "privacy.consent": (
        ["Anna", "Bahram"],
        ["Anna"],
        keeping,
        {"privacy": {"crop_to_board": False}},
    ),
}
AT_THE_PAGE = {"privacy.phones", "audience.analysis", "audience.analysis_delay_s"}


@pytest.mark.parametrize("key", [key for key in KEYS if key not in AT_THE_PAGE])
def test_something_changes_with_every_key(key: str) -> None:
    assert key in ROWS, f"{key}: no row shows what follows from it"
    one, other, seen, also = ROWS[key]
    assert seen(sections(key, one, also)) != seen(sections(key, other, also))


def known(served: Served, event: Event) -> Mapping[str, Desk]:
    """The desks once they know of a match that is set with this event."""
    desks: Mapping[str, Desk] = served.app.state.desks
    seq = served.table.order("set_match", event=event)
    until(lambda: (live := desks["t1"].live) and live["seq"] >= seq, "the match")
    return desks


def test_phones_face_down_are_nobodys(served: Served) -> None:
    phone = Visitor("Anna", Role.PLAYER, "white", frozenset({"t1"}))
    tablet = Visitor("tablet", Role.PLAYER, None, frozenset({"t1"}))
    for word, role in (("face_down", Role.GUEST), ("allowed", Role.PLAYER)):
        desk = known(served, {"privacy": {"phones": word}})
        documents = {name: each.live for name, each in desk.items()}
        assert as_the_event_lets(phone, documents, "t1").role is role
        assert as_the_event_lets(tablet, documents, "t1") == tablet


def test_the_audience_sees_analysis_where_and_when_the_event_says(served: Served) -> None:
    def asked(**audience: object) -> httpx.Response:
        known(served, {"audience": audience})
        return httpx.get(served.url + "/api/v1/tables/t1/analysis", headers={"via": "1.1 proxy"})

    assert asked().json()["error"]["code"] == "no_analysis"
    allowed = asked(analysis=True, analysis_delay_s=60)
    assert (allowed.status_code, allowed.json()["turns"]) == (200, [])
    desk = served.app.state.desks["t1"]
    soon, later = desk.horizon_after("public", 60.0), desk.horizon_after("public", 900.0)
    assert soon.at - later.at == pytest.approx(840, abs=1)


@pytest.mark.parametrize("key", sorted(GONE))
def test_an_old_file_with_a_key_that_went_is_still_read(key: str) -> None:
    section, name = key.split(".")
    assert load_event(f"name = 'x'\n[{section}]\n{name} = 'any'\n", "e").name == "x"
    hands = Hands()
    hands.order("set_match", length=5, event={section: {name: "any"}})
    assert event_of(hands.last("match_set")) == hands.state.match.event


def test_no_row_is_of_a_key_that_is_none(tmp_path: Path) -> None:
    assert set(ROWS) | AT_THE_PAGE <= set(KEYS)
