"""The arbiter's trail in a real browser: what comes while it is being read is read as well."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect, sync_playwright

from rules.board import Side
from tests.service.web.browser import launch, opened
from tests.service.web.hand import after
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def test_an_entry_that_comes_while_the_trail_is_read_is_in_it(
    served: Served, browser: Browser
) -> None:
    """On a slow machine the trail ended where it had been asked for, and an arbiter who looked at
    the evidence of an illegal play saw none until the next entry.
    """
    served.table.order("set_match", white="Mahsa", black="Jan", length=5, clock="ours")
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])
    placement = served.table.state.game.placement
    assert placement is not None
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        """Answer as of now, but later, where it is the first."""
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    with opened(browser, "about:blank") as desk:
        desk.route("**/entries?since=*", hold_first)
        desk.goto(served.url + "/arbiter")
        expect(desk.locator("#alerts")).to_contain_text("Nothing needs you.")
        served.table.press()
        served.table.stands(after(placement, Side.WHITE, (13, 5)))
        expect(desk.locator("article.alert")).to_contain_text("Illegal play")
        assert held, "the trail was asked for before the illegal play"
        route, answer = held[0]
        route.fulfill(response=answer)
        expect(desk.locator("#audit")).to_contain_text("Illegal play")
