"""The arbiter's trail in a real browser: what comes while it is being read is read as well."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from rules.board import Side
from tests.service.web.browser import opened
from tests.service.web.hand import after
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


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
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        """Leave the first without an answer for now."""
        if held:
            route.continue_()
        else:
            held.append(route)

    with opened(browser, "about:blank") as desk:
        desk.route("**/entries?since=*", hold_first)
        with desk.expect_request("**/entries?since=*") as asked:
            desk.goto(served.url + "/arbiter")
        as_of_then = desk.request.get(asked.value.url)
        served.table.press()
        served.table.stands(after(placement, Side.WHITE, (13, 5)))
        expect(desk.locator("article.alert")).to_contain_text("Illegal play")
        held[0].fulfill(response=as_of_then)
        expect(desk.locator("#audit")).to_contain_text("Illegal play")
