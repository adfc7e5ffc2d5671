"""What people read at a nard board, in a real browser: its own words, and no code."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import sync_playwright

from tests.service.web.browser import launch, opened
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
CODE = re.compile(r"\b[a-z]+_[a-z]+\b")
SHUT_OUT = {
    # Black holds every point of his home; White waits on the bar.
    "white": [0] * 6 + [5, 0, 3, 0, 0, 0, 0, 6] + [0] * 11 + [1],
    "black": [0] * 19 + [3, 3, 3, 2, 2, 2] + [0],
}


def test_neshast_and_notes_are_said_in_persian(served: Served) -> None:
    table = served.table
    table.order("set_match", white="مهسا", black="کوروش", length=5, ruleset="nard")
    table.order("start_game", starter="white")
    table.order("set_position", placement=SHUT_OUT, on_roll="white", reason="آزمایش")
    table.order("button", button="take")
    table.order("declare_roll", roll=[6, 5])
    with sync_playwright() as playwright:
        browser = launch(playwright)
        with opened(browser, served.url, lang="fa") as page:
            page.wait_for_function("() => document.body.innerText.includes('نشست')")
            assert not CODE.search(page.locator("main").inner_text())
        with opened(browser, served.url + "/arbiter", lang="fa") as page:
            page.wait_for_function("() => document.body.textContent.includes('به حساب نیامد')")
            trail = page.locator("main").inner_text()
            assert "نشست" in trail and not CODE.search(trail)
        browser.close()
