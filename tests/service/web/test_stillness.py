"""Pages hold still: nothing is rebuilt that did not change, no focus is lost, nothing jumps."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.service.web.browser import DESK, PHONE, launch, opened, problems
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]

TURNS = int(os.environ.get("STILL_TURNS", "10"))
"""Turns of play that are watched; ten minutes of a match have about sixty (`make test-still`)."""
MOST_CHANGED = 160
"""Changes of the page for a turn at most: three documents, a roll, a play, two checkers."""
MOST_SHIFTED = 0.05
WATCH = """() => {
  window.seen = { changed: 0, lost: 0, rebuilt: 0, shift: 0 };
  const count = (records) => {
    for (const r of records) {
      if (r.target.closest?.('.clock') || r.target.parentElement?.closest('.clock')) continue;
      window.seen.changed += 1;
      window.seen.rebuilt += r.addedNodes.length + r.removedNodes.length;
    }
  };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(count).observe(document.body, all);
  document.addEventListener('focusout', (e) => {
    if (!e.relatedTarget) window.seen.lost += 1;
  });
}"""
MOST_GROWN = 200_000
"""Bytes of the page's heap that the second half of the turns may leave behind: what is remembered
of the match itself grows by some 2.5 kB a turn."""
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value;
  }).observe({ type: 'layout-shift', buffered: true });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def match(served: Served) -> Served:
    served.table.order(
        "set_match", white="Mahsa", black="Jan", length=5, clock="ours", event={"name": "Open"}
    )
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])
    return served


def drawn(page: Page, seq: int) -> None:
    """Wait until the document of this entry is on the page."""
    page.wait_for_function("(n) => performance.getEntriesByName(`takhte-seq-${n}`).length", arg=seq)


def heap(page: Page) -> float:
    """Bytes that the page's scripts hold once the rubbish is gone."""
    line = page.context.new_cdp_session(page)
    line.send("HeapProfiler.collectGarbage")
    found: float = line.send("Runtime.getHeapUsage")["usedSize"]
    line.detach()
    return found


@pytest.mark.parametrize("path", ["/", "/arbiter"])
def test_a_document_without_news_changes_nothing(
    match: Served, browser: Browser, path: str
) -> None:
    match.table.turn()
    with opened(browser, match.url + path) as page:
        expect(page.locator("#prompt")).to_contain_text("Jan")
        if path == "/arbiter":
            expect(page.locator("#audit tr").first).to_be_visible()
            expect(page.locator("#evidence .drawn")).to_have_count(2)
        page.evaluate(WATCH)
        for _ in range(3):
            page.evaluate("document.dispatchEvent(new Event('look'))")
        page.evaluate("new Promise(requestAnimationFrame)")
        assert page.evaluate("seen")["changed"] == 0


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_through_play_no_focus_is_lost_and_nothing_jumps(
    match: Served, browser: Browser, size: tuple[int, int]
) -> None:
    with opened(browser, match.url + "/", size) as page:
        drawn(page, match.table.state.seq)
        page.get_by_role("button", name="Call the director").focus()
        page.evaluate(WATCH)
        halfway = 0.0
        for turn in range(TURNS):
            if turn == TURNS // 2:
                halfway = heap(page)
            match.table.turn()
            drawn(page, match.table.state.seq)
        assert heap(page) - halfway < MOST_GROWN
        seen = page.evaluate("seen")
        assert seen["lost"] == 0
        assert page.evaluate("document.activeElement.textContent") == "Call the director"
        assert seen["changed"] < MOST_CHANGED * TURNS, seen
        page.evaluate(SHIFTS)
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
        assert page.evaluate("shifted") < MOST_SHIFTED


def test_a_play_is_said_aloud(match: Served, browser: Browser) -> None:
    with opened(browser, match.url + "/") as page:
        drawn(page, match.table.state.seq)
        match.table.turn()
        drawn(page, match.table.state.seq)
        played = re.sub("[\u2066-\u2069]", "", page.locator("#said").inner_text())
        text = match.table.state.match.plays[-1].text.replace("*", "")
        assert "Mahsa played" in played
        assert text in played
        assert not problems(page)


def test_a_picture_that_never_comes_is_asked_for_ever_more_seldom(
    match: Served, browser: Browser
) -> None:
    asked: list[str] = []

    def none(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=404)

    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    page.route("**/camera.jpg*", none)
    page.goto(match.url + "/")
    for _ in range(40):
        page.clock.run_for(1000)
        page.evaluate("document.images.length")
    context.close()
    assert 2 <= len(asked) <= 8
