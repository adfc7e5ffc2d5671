"""What people read of an evening in which nearly everything happens, on every page, in a real
browser: a board's own words, in one language, and no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.service.web.browser import launch, opened
from tests.service.web.long_evening import long_evening
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
CODE = re.compile(r"\b\w+_\w+\b")
LATIN = re.compile(r"[A-Za-z]{2,}")
NAMES = {"takhte", "gnubg", "USB"}
"""What is called so in every language."""
SEAL = re.compile(r"takhte \d+ [0-9a-f]{64}|[0-9a-f]{4}(?: [0-9a-f]{4}){3}")
"""A seal, and a head as it is shown: no words."""
PAGES = {
    # page: what stands on it once it has all that it asked for
    "/": "#plays tr",
    "/wall": "#plays tr",
    "/arbiter": "#audit tr:nth-child(80)",
    "/sheet/t1": "[data-ready=true] .moves",
    "/commentator": "#turns tr",
    "/overlay": "#ticker b",
    "/setup": "#begun .danger",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def read(browser: Browser, served: Served, lang: str, paths: Iterable[str]) -> dict[str, str]:
    """Everything that each page says."""
    said = {}
    with opened(browser, served.url, lang=lang) as page:
        for path in paths:
            page.goto(served.url + path)
            page.locator(PAGES[path]).first.wait_for(state="attached")
            said[path] = SEAL.sub("", page.locator("body").inner_text())
    return said


def test_a_nard_board_speaks_its_own_words_in_one_language(
    served: Served, browser: Browser
) -> None:
    long_evening(served.table, "nard")
    english, persian = (read(browser, served, lang, PAGES) for lang in ("en", "fa"))
    for path, text in (english | {f"{path} fa": text for path, text in persian.items()}).items():
        assert not CODE.findall(text), path
        assert not re.search("gammon", text, re.IGNORECASE), path
    for path, text in persian.items():
        assert not set(LATIN.findall(text)) - NAMES, path
    assert "mars" in english["/sheet/t1"] and "neshast" in english["/sheet/t1"]
    assert "مارس" in persian["/sheet/t1"] and "نشست" in persian["/arbiter"]


def test_a_backgammon_board_says_no_code(served: Served, browser: Browser) -> None:
    long_evening(served.table, "backgammon")
    for path, text in read(browser, served, "fa", ("/", "/arbiter", "/sheet/t1")).items():
        assert not CODE.findall(text), path
        assert not set(LATIN.findall(text)) - NAMES, path


def test_what_an_arbiter_saw_is_noted_on_his_page(served: Served, browser: Browser) -> None:
    served.table.order("set_match", white="Anna", black="Bahram", length=5)
    with opened(browser, served.url + "/arbiter") as page:
        page.get_by_role("button", name="Note what was seen").click()
        page.locator("dialog [name=code]").select_option("device_seen")
        page.locator("dialog [name=side]").select_option("black")
        page.locator("dialog textarea").fill("a phone on the knee")
        page.get_by_role("button", name="Note", exact=True).click()
        row = page.locator("#audit tr").first
        expect(row).to_contain_text("A device was seen at the table.")
        expect(row).to_contain_text("a phone on the knee")
    assert not served.table.state.alerts
