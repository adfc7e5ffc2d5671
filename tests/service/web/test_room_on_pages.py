"""What lies on a page leaves the rest to be seen: messages no player's score, plays no board."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.service.web.browser import DESK, PHONE, WALL, launch, opened
from tests.service.web.screens import playing
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


SAY = """async (texts) => {
  const own = document.querySelector("script[type=module][src]").src;
  const { toast } = await import(own.replace(/[^/]*$/, "page.js"));
  for (const text of texts) toast(text, true);
}"""
COVERED = """() => [...document.querySelectorAll(".toast")].some((toast) => {
  const a = toast.getBoundingClientRect();
  return ["near", "far", "board"].some((id) => {
    const b = document.getElementById(id).getBoundingClientRect();
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  });
})"""


@pytest.mark.parametrize(("size", "lang"), [(DESK, "en"), (DESK, "fa"), (PHONE, "fa")])
def test_messages_cover_neither_players_nor_board(
    shared: Served, browser: Browser, size: tuple[int, int], lang: str
) -> None:
    with opened(browser, shared.url + "/", size, lang=lang) as page:
        expect(page.locator("#near .name")).to_be_visible()
        page.evaluate(SAY, ["one", "two", "two", "three", "four"])
        expect(page.locator(".toast")).to_have_text(["two", "three", "four"])
        assert not page.evaluate(COVERED)


def test_a_refusal_lies_over_the_dialog_that_it_is_about(shared: Served, browser: Browser) -> None:
    with opened(browser, shared.url + "/", PHONE) as page:
        page.locator("header.top button").last.click()
        page.evaluate(SAY, ["refused"])
        box = page.locator(".toast").bounding_box()
        assert box
        # What lies behind an open dialog is dimmed; it takes no taps there, so its colour is asked.
        spot = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 4, "width": 1, "height": 1}
        shown = cv2.imdecode(np.frombuffer(page.screenshot(clip=spot), np.uint8), cv2.IMREAD_COLOR)
        assert shown is not None and shown[0, 0, ::-1].tolist() == [0x8D, 0x17, 0x11]


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollHeight <= innerHeight"))


@pytest.mark.parametrize("size", [WALL, (1366, 768)])
def test_a_wall_fits_its_screen_however_long_the_game(
    served: Served, browser: Browser, size: tuple[int, int]
) -> None:
    playing("en", 45)(served)
    with opened(browser, served.url + "/wall", size) as page:
        expect(page.locator(".ply").last).to_be_in_viewport()
        assert fits(page)
