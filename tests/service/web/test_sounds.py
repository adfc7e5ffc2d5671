"""What a table's pages let be heard: each sound where its device wants it, of what the page shows
and of nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.service.web.browser import launch, opened
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
def page(shared: Served) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser: Browser = launch(playwright)
        with opened(browser, shared.url + "/arbiter") as found:
            yield found
        browser.close()


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
