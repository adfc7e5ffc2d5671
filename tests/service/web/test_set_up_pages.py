"""An evening set up through pages alone, in a real browser: what an event says reaches every match
of it, and the journal shows by which rules each was played.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from service.hall.registry import Pairing
from service.hall.rounds import order_of
from service.journal.entries import EventChosen, MatchSet
from service.journal.store import Reader
from service.referee.inputs import UNREAD, OpeningWatched
from service.referee.state import Phase
from tests.service.hands import DIRECTOR
from tests.service.web.browser import PHONE, launch, opened, problems
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]

EVENT = """
name = "Tuesday club"
[match]
ruleset = "nard"
length = 5
options = {mandatory_hit = true, aziz = 4}
[dice]
dice_area = "board"
reroll = "that_die"
[play]
monitor = "arbiter"
slow_turn_s = 300
[clock]
preset = "iran"
at_flag = "automatic"
"""


CLUB = """
[tuesday]
title = {en = "Tuesday nard"}
inherits = "nard"
mandatory_hit = true
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def begin(page: Page) -> None:
    page.locator("#setup button.primary").click()
    page.wait_for_url(re.compile(r"/\?table="))


def tap(page: Page, name: str, nth: int = 0) -> None:
    page.get_by_role("button", name=name, exact=True).nth(nth).click()


def throw(page: Page, *faces: int) -> None:
    """The dice of a dialog are tapped, one in each of its rows."""
    for row, face in enumerate(faces):
        dice = page.locator("dialog [role=group]").nth(row)
        dice.get_by_role("button", name=str(face), exact=True).click()


def played_out(page: Page, lost: str = "A mars", games: int = 9) -> None:
    """The match that is set is played on its page, by taps alone: each game begun, its opening
    thrown, and given up by Black as so much, until the match is over.
    """
    prompt = page.locator("#prompt")
    tap(page, "The checkers stand right: begin")
    for _ in range(games):
        tap(page, "Say the roll")
        throw(page, 6, 1)
        tap(page, "More")
        tap(page, "Resign")
        # White's levels stand first.
        tap(page, lost, 1)
        tap(page, "Accept")
        expect(prompt).to_have_text(re.compile("over"))
        if "match" in prompt.inner_text():
            return
        tap(page, "Next game")


def settings_in(journal: Path) -> list[MatchSet]:
    with Reader(journal) as reader:
        return [e.body for e in reader.read() if isinstance(e.body, MatchSet)]


def test_an_event_file_is_the_base_of_every_match_until_another_is_chosen(
    served: Served, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "club.toml"
    file.write_text(EVENT)
    with opened(browser, served.url + "/setup") as page:
        page.locator("[name=event_file]").set_input_files(file)
        expect(page.locator("#event-name")).to_have_text(re.compile("Tuesday club"))
        expect(page.locator("[name=ruleset]")).to_have_value("nard")
        expect(page.locator("[name='option:aziz']")).to_have_value("4")
        expect(page.locator("[name=clock]")).to_have_value("iran")
        expect(page.locator("[name=length]:checked")).to_have_value("5")
        begin(page)
        expect(page.locator("body")).to_contain_text("Nard (Iranian traditional)")
        played_out(page)
        # The second match: two names and nothing else.
        page.goto(served.url + "/setup")
        expect(page.locator("[name=ruleset]")).to_have_value("nard")
        page.locator("[name=white]").fill("Anna")
        page.locator("[name=black]").fill("Bahram")
        begin(page)
        played_out(page)
        # The third: shorter, another option, the dice anywhere still.
        page.goto(served.url + "/setup")
        page.get_by_text("3", exact=True).click()
        page.locator("#house-rules summary").click()
        page.get_by_label("Hitting").select_option("false")
        assert not problems(page)
        begin(page)
        played_out(page)
        # The fourth is as the event says again.
        page.goto(served.url + "/setup")
        expect(page.locator("[name=length]:checked")).to_have_value("5")
        expect(page.locator("[name='option:mandatory_hit']")).to_have_value("true")
    matches = settings_in(served.table.journal)
    assert [m.ruleset for m in matches] == ["nard"] * 3
    assert [m.length for m in matches] == [5, 5, 3]
    assert [dict(m.options) for m in matches] == [
        {"mandatory_hit": True, "aziz": 4},
        {"mandatory_hit": True, "aziz": 4},
        {"aziz": 4},
    ]
    for match in matches:
        assert match.clock == "ours"
        assert match.event["play"] == {"monitor": "arbiter", "slow_turn_s": 300}
        assert match.event["dice"] == {"dice_area": "board", "reroll": "that_die"}
        assert match.event["clock"] == {"preset": "iran", "at_flag": "automatic"}
    assert matches[1].white == "Anna"


def test_without_an_event_the_next_match_is_played_as_the_page_proposes_it(
    served: Served, browser: Browser
) -> None:
    """What was chosen for the last match is proposed for the next, and holds if left as it is."""
    with opened(browser, served.url + "/setup") as page:
        page.locator("[name=ruleset]").select_option("nard")
        page.locator("[name=clock]").select_option("iran")
        page.locator("#house-rules summary").click()
        page.locator("[name='option:mandatory_hit']").select_option("true")
        page.locator("#more summary").click()
        page.locator("[name='dice.dice_area']").select_option('"board"')
        page.locator("[name=name]").fill("Tuesday")
        begin(page)
        played_out(page, games=20)
        page.goto(served.url + "/setup")
        expect(page.locator("[name=clock]")).to_have_value("iran")
        begin(page)
        played_out(page, games=20)
        page.goto(served.url + "/setup")
        page.locator("#more summary").click()
        page.locator("[name='dice.dice_area']").select_option('"right_half"')
        begin(page)
    first, second, third = settings_in(served.table.journal)
    assert first.event["clock"] == {"preset": "iran"}
    assert (second.event, second.options, second.ruleset) == (
        first.event,
        first.options,
        first.ruleset,
    )
    assert third.options == {"mandatory_hit": True}
    assert third.event == {"clock": {"preset": "iran"}, "name": "Tuesday"}


def test_another_event_takes_the_place_of_the_first(
    served: Served, browser: Browser, tmp_path: Path
) -> None:
    served.table.order("choose_event", event={"name": "Old", "play": {"monitor": "silent"}})
    file = tmp_path / "other.toml"
    file.write_text('[match]\nruleset = "narde"\noptions = {head = {first_turn = "none"}}\n')
    with opened(browser, served.url + "/setup") as page:
        expect(page.locator("#event-name")).to_contain_text("Old")
        page.locator("[name=event_file]").set_input_files(file)
        expect(page.locator("#event-name")).to_be_hidden()
        expect(page.locator("[name='option:head.first_turn']")).to_have_value('"none"')
        begin(page)
    (match,) = settings_in(served.table.journal)
    assert (match.ruleset, match.length) == ("narde", 7)
    assert "play" not in match.event
    assert served.table.state.match.ruleset is not None
    assert served.table.state.match.ruleset.head_first_turn.value == "none"


def test_a_file_that_is_none_is_said_before_anything_begins(
    served: Served, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text("[play]\nmonitor = 'loud'\n")
    with opened(browser, served.url + "/setup", PHONE) as page:
        page.locator("[name=event_file]").set_input_files(file)
        expect(page.locator("#setup-error")).to_contain_text("play.monitor")
        begin(page)
    (match,) = settings_in(served.table.journal)
    assert (dict(match.event), match.clock) == ({}, "ours")


def test_every_option_and_the_dice_reach_the_journal_from_a_phone(
    served: Served, browser: Browser
) -> None:
    with opened(browser, served.url + "/setup", PHONE, lang="fa") as page:
        page.locator("[name=ruleset]").select_option("backgammon")
        page.locator("#house-rules summary").click()
        page.locator("[name='match.jacoby']").select_option("true")
        page.locator("[name='match.cube_limit']").select_option("32")
        expect(page.locator("[name='option:shish_besh']")).to_be_hidden()
        page.locator("[name='option:opening']").select_option('"two_dice_each"')
        page.locator("[name='option:shish_besh']").select_option('"starts"')
        expect(page.locator("#house-count")).to_have_text("۴ مورد متفاوت")
        page.locator("#more summary").click()
        page.locator("[name='dice.dice_area']").select_option('"board"')
        page.locator("[name=starter]").select_option("black")
        assert not problems(page)
        begin(page)
    state = served.table.state
    assert state.game.on_roll.value == "black"
    assert state.phase.value == "to-roll"
    event = state.match.event
    assert (event.jacoby, event.cube_limit, event.dice_area.value) == (True, 32, "board")
    assert state.match.ruleset is not None
    assert state.match.ruleset.shish_besh.value == "starts"


def test_nothing_can_be_chosen_before_the_proposal_that_would_overwrite_it(
    served: Served, browser: Browser
) -> None:
    with opened(browser, served.url) as page:
        asked: list[Route] = []
        page.route("**/proposal", lambda route: asked.append(route))
        page.goto(served.url + "/setup", wait_until="domcontentloaded")
        confirm = page.locator("[name='match.confirm']")
        expect(confirm).to_be_disabled()
        while not asked:
            page.wait_for_timeout(20)
        expect(confirm).to_be_disabled()
        asked[0].continue_()
        expect(confirm).to_be_enabled()
        page.locator("#more summary").click()
        confirm.select_option("true")
        expect(page.locator("[name=starter]")).to_be_hidden()


def test_both_confirm_before_the_first_game_where_the_page_asks_it(
    served: Served, browser: Browser
) -> None:
    with opened(browser, served.url + "/setup") as page:
        page.locator("[name=white]").fill("Anna")
        page.locator("[name=black]").fill("Bahram")
        page.locator("#more summary").click()
        page.locator("[name='match.confirm']").select_option("true")
        expect(page.locator("[name=starter]")).to_be_hidden()
        page.locator("[name=score_white]").fill("6")
        page.locator("[name=crawford_played]").select_option("yes")
        begin(page)
        for name in ("Anna", "Bahram"):
            page.get_by_role("button", name=re.compile(f"{name}.* is here and agrees")).click()
        tap(page, "The checkers stand right: begin")
        expect(page.locator("#prompt")).to_have_text("Opening roll")
    state = served.table.state
    assert state.match.confirmed.white and state.match.confirmed.black
    assert state.match.crawford_played and not state.game.crawford


def test_a_clubs_own_ruleset_is_chosen_like_any_other(served: Served, browser: Browser) -> None:
    served.table.order(
        "choose_event",
        event={"match": {"ruleset": "tuesday", "length": 3}},
        rules_text=CLUB,
    )
    with opened(browser, served.url + "/setup") as page:
        expect(page.locator("[name=ruleset] option:checked")).to_have_text("Tuesday nard")
        begin(page)
        expect(page.locator("body")).to_contain_text("Tuesday nard")
    state = served.table.state
    assert state.match.ruleset is not None
    assert state.match.ruleset.mandatory_hit
    with Reader(served.table.journal) as reader:
        chosen = [e.body for e in reader.read() if isinstance(e.body, EventChosen)]
    assert len(chosen) == 1


def test_a_round_of_the_hall_and_what_follows_at_its_table(
    served: Served, browser: Browser
) -> None:
    """The hall's message sets the match; the next at that table is set up on its own page."""
    event = tomllib.loads(EVENT)
    with opened(browser, served.url + "/") as page:
        expect(page.get_by_role("link", name="Set up a match")).to_be_visible()
        served.table.order("set_match", DIRECTOR, **order_of(Pairing(1, "t1", "A", "B"), event))
        expect(page.locator("#event")).to_contain_text("Tuesday club · 1")
        expect(page.locator("#event")).to_contain_text("Nard")
        played_out(page)
        page.get_by_role("link", name="Set up a match").click()
        expect(page.locator("[name=clock]")).to_have_value("iran")
        begin(page)
        played_out(page)
    first, second = settings_in(served.table.journal)
    assert first.event["play"] == second.event["play"] == event["play"]
    assert (first.ruleset, first.length, first.clock) == ("nard", 5, "ours")
    assert (second.ruleset, second.length, second.clock) == ("nard", 5, "ours")
    assert first.options == second.options


@pytest.mark.parametrize(
    ("lang", "asked", "answer", "more", "start"),
    [
        ("en", "Which opening roll was it?", "3.*1", "More", "Start the clocks"),
        ("fa", "تاس آغاز بازی چه بود؟", "۳.*۱", "بیشتر", "راه انداختن ساعت‌ها"),
    ],
)
def test_an_opening_that_nobody_read_is_said_with_a_tap_and_then_the_clock_started(
    served: Served, browser: Browser, lang: str, asked: str, answer: str, more: str, start: str
) -> None:
    table, prompt = served.table, "#prompt"
    table.order("set_match", white="Mahsa", black="Jan", length=5, clock="ours")
    table.order("start_game")
    lying = OpeningWatched((), (), 0.0, UNREAD, likely=(((3,), (1,)), ((3,), (2,))))
    with opened(browser, f"{served.url}/?table=t1", PHONE, lang=lang) as page:
        begun = table.now()
        while not table.state.alerts and table.now() < begun + 20:
            table.give(lying)
            page.wait_for_timeout(100)
        expect(page.locator(prompt)).to_have_text(asked)
        expect(page.get_by_role("button", name=start)).to_have_count(0)
        assert not problems(page)
        page.get_by_role("button", name=re.compile(answer)).click()
        expect(page.locator(prompt)).not_to_have_text(asked)  # The menu is of when it is opened.
        page.get_by_role("button", name=more, exact=True).click()
        page.get_by_role("button", name=start).click()
        expect(page.locator(".clock.running")).to_have_count(1)
    state = table.state
    assert state.phase is Phase.MOVING and str(state.turn.roll) == "31"
    assert state.match.clock is not None and state.match.clock.running is state.game.on_roll
