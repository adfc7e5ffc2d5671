"""A table's own wall on an upright tablet: board, players and newest plays on one screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.service.web.browser import opened, problems
from tests.service.web.screens import playing
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


def test_a_tables_wall_fits_an_upright_tablet(served: Served, browser: Browser) -> None:
    playing("en")(served)
    for lang, size in (("en", (800, 1280)), ("fa", (768, 1024))):
        with opened(browser, served.url + "/wall", size, lang=lang) as page:
            expect(page.locator(".ply").last).to_be_in_viewport(ratio=1)
            expect(page.locator("#near")).to_be_in_viewport(ratio=1)
            assert page.evaluate("document.documentElement.scrollHeight") == size[1]
            assert problems(page) == []
