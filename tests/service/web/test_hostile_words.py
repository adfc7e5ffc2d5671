"""People's words that are written as a page's own language stay words on every page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.service.web.browser import launch, opened
from tests.service.web.serve import Served

PICTURE, SCRIPT = "<img src=x onerror=alert(1)>", '"></script><script>alert(2)</script>'
WORDS = """</textarea><svg onload=alert(3)> ' onmouseover='alert(4) {{7*7}} ${alert(5)} javascript:\
alert(6) &lt;b&gt; <iframe srcdoc='<script>parent.alert(7)</script>'>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def test_a_page_s_own_language_in_a_name_or_text_is_shown_and_does_nothing(
    served: Served, browser: Browser
) -> None:
    """A script that ran, or that the policy had to stop, fails `opened`."""
    order = served.table.order
    order("set_match", white=PICTURE, black=SCRIPT, length=1)
    order("start_game")
    order("declare_roll", white=[3], black=[1])
    order("call_director", reason=WORDS)
    order("note", code="device_seen", text=WORDS)
    order("freeze", reason=WORDS)
    for path in ("/", "/wall", "/arbiter", "/overlay", "/sheet/t1"):
        with opened(browser, served.url + path) as page:
            page.wait_for_function("name => document.body.innerText.includes(name)", arg=PICTURE)
            strange = "img[src=x], svg[onload], iframe[srcdoc], [onerror], [onmouseover]"
            assert page.locator(strange).count() == 0, path
