"""What a table's pages let be heard: each sound where its device wants it, of what the page shows
and of nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rules.board import Side
from service.web.delay import Delay
from tests.service.web.browser import launch, opened
from tests.service.web.hand import after
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
HEARD = """async ([was, now]) => {
  const { heard } = await import("/static/js/sounds.js");
  return heard(was, now);
}"""
COUNTED = """() => {
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.tones += 1; start.call(this, at); };
}"""
SOUNDED = """async () => {
  const { sound } = await import("/static/js/sounds.js");
  for (const name of ["clock", "illegal", "flag", "director"]) sound(name);
}"""
TILE = """() => import("/static/js/alarm.js").then(({ alarmButton, ring }) => {
  const button = alarmButton();
  const counts = [];
  const count = () => counts.push(window.tones);
  ring("a red tile");
  count();
  button.click();
  count();
  ring("a red tile");
  count();
  button.click();
  ring("a red tile");
  count();
  return counts;
})"""
ALL_ON = """for (const name of ["clock", "illegal", "flag", "director"])
  localStorage.setItem(`takhte-sound-${name}`, "on");"""
QUIET: dict[str, Any] = {"seq": 5, "illegal": None, "alerts": [], "clock": {"white": {"flags": 0}}}
CALL = {"id": "9", "kind": "director_called"}
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"illegal": {"seq": 6}}, ["illegal"]),
    ({"clock": {"white": {"flags": 1}}}, ["flag"]),
    ({"alerts": [CALL]}, ["director"]),
    ({"alerts": [{"id": "9", "kind": "source_lost"}]}, []),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(shared: Served, browser: Browser) -> Iterator[Page]:
    with opened(browser, shared.url + "/arbiter") as found:
        yield found


@pytest.mark.parametrize(("change", "wanted"), CASES)
def test_what_is_heard_of_a_change(page: Page, change: dict[str, Any], wanted: list[str]) -> None:
    assert page.evaluate(HEARD, [QUIET, {**QUIET, **change}]) == wanted
    assert page.evaluate(HEARD, [{**QUIET, **change}] * 2) == [], "said once"


def test_each_sound_is_switched_on_by_itself(shared: Served, page: Page) -> None:
    page.evaluate(COUNTED)
    shared.table.order("set_match", white="Mahsa", black="Jan", length=5)
    page.evaluate(SOUNDED)
    assert page.evaluate("window.tones") == 0, "off until it is switched on"
    page.locator("#look").click()
    switches = page.locator("#looks input[type=checkbox]")
    expect(switches).to_have_count(4)
    switches.nth(3).check()
    assert page.evaluate("window.tones") == 3, "heard once when it is switched on"
    page.locator("#looks button.primary").click()
    page.evaluate(SOUNDED)
    assert page.evaluate("window.tones") == 6, "this one and no other"
    shared.table.order("call_director", side="white")
    page.wait_for_function("() => window.tones === 9")


def test_the_halls_red_tile_has_a_switch_of_its_own(shared: Served, browser: Browser) -> None:
    with opened(browser, shared.url + "/arbiter") as page:
        page.evaluate(COUNTED)
        assert page.evaluate(TILE) == [0, 3, 6, 6]
        on = "Object.entries(localStorage).filter(([_, value]) => value === 'on').length"
        assert page.evaluate(on) == 0, "and it switches nothing else on"


def test_a_guest_hears_nothing_of_what_he_is_not_shown(served: Served, browser: Browser) -> None:
    """Beside an arbiter's page, which hears it: a flag that guests are not told of yet, and a call
    for the director.
    """
    table = served.table
    served.app.state.delays.set("public", Delay(3600))
    no_delay = {"clock": {"preset": "seed-fischer"}}
    table.order("set_match", white="Mahsa", black="Jan", length=5, clock="ours", event=no_delay)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.order("start_clocks", side="white")
    with (
        opened(browser, served.url + "/arbiter") as staff,
        opened(browser, served.url + "/wall") as guest,
    ):
        for page in (staff, guest):
            page.evaluate(ALL_ON)
            page.evaluate(COUNTED)
        table.order("adjust_clock", side="white", bank=0.2, reason="a test")
        staff.wait_for_function("() => window.tones === 3")
        assert table.state.match.flags.white == 1
        table.order("call_director", side="white")
        staff.wait_for_function("() => window.tones === 6")
        assert guest.evaluate("window.tones") == 0


def test_ten_seconds_and_an_illegal_play_are_silent_to_whom_the_delay_hides_them_from(
    served: Served, browser: Browser
) -> None:
    """Beside a table's own page, which hears both. The last ten seconds are a guest's once they are
    no longer delayed; an illegal play that can still be put right is never a guest's.
    """
    table = served.table

    def hurry(side: str, *pages: Page) -> None:
        """A side's clock is at half a minute on each page, and then below ten seconds."""
        table.order("adjust_clock", side=side, bank=30, reason="a test")
        for page in pages:
            time = page.locator(f"[data-side={side}] .time")
            expect(time).to_have_text(re.compile("^0:[23]"))
        table.order("adjust_clock", side=side, bank=9.5, reason="a test")

    served.app.state.delays.set("public", Delay(3600))
    fischer = {"clock": {"preset": "seed-fischer"}}
    table.order("set_match", white="Mahsa", black="Jan", length=5, clock="ours", event=fischer)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.order("start_clocks", side="white")
    with (
        opened(browser, served.url + "/") as staff,
        opened(browser, served.url + "/wall") as guest,
    ):
        for page in (staff, guest):
            page.evaluate(ALL_ON)
            page.evaluate(COUNTED)
        hurry("white", staff)
        staff.wait_for_function("() => window.tones === 1")
        table.press()
        placement = table.state.position().placement
        table.stands(after(placement, Side.WHITE, (24, 20), (24, 21)))
        staff.wait_for_function("() => window.tones === 3")
        assert table.state.phase.value == "illegal"
        assert guest.evaluate("window.tones") == 0
        table.stands(after(placement, Side.WHITE, (24, 21), (24, 23)))
        served.app.state.delays.set("public", Delay())
        served.app.state.desks["t1"].delayed()
        hurry("black", staff, guest)
        guest.wait_for_function("() => window.tones === 1")
        staff.wait_for_function("() => window.tones === 4")
        table.order("declare_roll", roll=[6, 5])
        table.press()
        table.stands(after(table.state.position().placement, Side.BLACK, (1, 5)))
        staff.wait_for_function("() => window.tones === 6")
        table.order("adjust_clock", side="black", bank=123, reason="a test")
        expect(guest.locator("[data-side=black] .time")).to_have_text(re.compile("^2:0"))
        assert guest.evaluate("window.tones") == 1, "the clock alone"
