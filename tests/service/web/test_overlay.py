"""What goes on the air, in a real browser: transparent, complete after every load, and as the
journal says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from service.web.delay import Delay
from tests.service.web.browser import WALL, launch, opened
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
GREEN = (64, 177, 0)  # BGR of the card in overlay.css


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def pixels(png: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)


def test_it_is_transparent_where_nothing_is_shown(served: Served, browser: Browser) -> None:
    with opened(browser, served.url + "/overlay", WALL) as page:
        expect(page.locator("#bug")).to_be_hidden()
        empty = pixels(page.screenshot(omit_background=True))
        assert empty.shape == (1080, 1920, 4) and not empty[..., 3].any()
    with opened(browser, served.url + "/overlay?demo=6", WALL) as page:
        expect(page.locator("#bug")).to_be_visible()
        shown = pixels(page.screenshot(omit_background=True))
        assert shown[540, 960, 3] == 0 and shown[5, 5, 3] == 0
        assert shown[..., 3].mean() > 5
    with opened(browser, served.url + "/overlay?demo=6&bg=green", WALL) as page:
        card = pixels(page.screenshot())
        assert tuple(card[540, 960][:3]) == GREEN


def test_the_demo_walks_every_state(served: Served, browser: Browser) -> None:
    with opened(browser, served.url + "/overlay?demo=1", WALL) as page:
        count = int(page.locator("#demo-tag").inner_text().split("/")[1].split()[0])
    assert count >= 20
    with opened(browser, served.url + "/overlay?demo=2", WALL, lang="fa") as page:
        for step in range(2, count + 1, 6):
            page.goto(f"{served.url}/overlay?demo={step}&theme=paper")
            expect(page.locator("body")).to_have_attribute("data-step", str(step))
            expect(page.locator("#bug")).to_be_visible()


def test_it_says_what_the_journal_says_entry_by_entry_and_after_every_load(
    served: Served, browser: Browser
) -> None:
    """Three games; after each turn the picture is the record's: names, score, cube, checkers, last
    play.
    """
    table = served.table
    table.order("set_match", white="Mahsa", black="یان", length=9, clock="ours")
    with opened(browser, served.url + "/overlay", WALL) as page:

        def agrees() -> None:
            state = table.state
            page.wait_for_function(
                "(seq) => Number(document.body.dataset.seq) >= seq", arg=state.seq
            )
            assert page.locator("#line-white .points").inner_text() == str(state.match.score.white)
            assert page.locator("#line-black .name").inner_text() == "یان"
            if state.match.plays and state.match.plays[-1].game == state.game.number:
                assert state.match.plays[-1].text in page.locator("#ticker").inner_text()
            assert page.locator("#inset .ck").count() == 30

        for game in range(3):
            table.order("start_game" if not game else "next_game")
            if table.state.phase.value == "opening":
                table.order("declare_roll", white=[5], black=[2])
            for _ in range(2):
                table.turn()
                agrees()
            page.reload()
            agrees()
            side = table.state.game.on_roll
            table.order("resign", side=side.value, level=1)
            table.order("accept_resignation", side=side.other.value)
            agrees()
            at = table.state.at
        page.goto(f"{served.url}/overlay?at={at}")
        expect(page.locator("#line-white .points")).to_have_text(str(table.state.match.score.white))


def test_it_says_that_it_is_delayed_and_holds_what_it_shows(
    served: Served, browser: Browser
) -> None:
    table, desk = served.table, served.app.state.desks["t1"]
    table.order("set_match", white="Mahsa", black="Jan", length=9)
    with opened(browser, served.url + "/overlay", WALL) as page:
        expect(page.locator("#bug")).to_contain_text("Mahsa")
        served.app.state.delays.set("overlay", Delay(300))
        desk.delayed()
        expect(page.locator("#late")).to_have_text(
            re.compile(r"Delayed by 5:00, held for [45]:\d\d")
        )
        expect(page.locator("#bug")).to_contain_text("Mahsa")
        page.reload()
        expect(page.locator("#late")).to_contain_text("held")
        expect(page.locator("#bug")).to_be_hidden()


def test_the_camera_lies_beneath_where_it_is_wanted(served: Served, browser: Browser) -> None:
    with opened(browser, served.url + "/overlay?show=picture,score", WALL) as page:
        expect(page.locator("#picture")).to_be_visible()
        expect(page.locator("#picture")).to_have_js_property("naturalWidth", 1280)
    with opened(browser, served.url + "/overlay", WALL) as page:
        expect(page.locator("#picture")).to_be_hidden()


GUIDE = (Path(__file__).parents[3] / "docs/broadcast.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z]+(?:=[^`]*)?)`", GUIDE, re.M)


def test_the_guide_step_by_step(served: Served, browser: Browser) -> None:
    """Every address of docs/broadcast.md, and every word that it says an address may have."""
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=9)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    assert len(ROWS) >= 8
    for row in ROWS:
        if row.startswith("at="):
            row = f"at={table.state.at + 0.001:.3f}"
        with opened(browser, f"{served.url}/overlay?{row}", WALL) as page:
            expect(page.locator("#demo-tag" if row == "demo" else "#bug")).to_be_visible()
            expect(page.locator("#inset")).to_have_count(1)
            name, _, value = row.partition("=")
            if name in ("bg", "theme"):
                assert (
                    page.evaluate("(name) => document.documentElement.dataset[name]", name) == value
                )
            if name == "lang":
                assert page.evaluate("() => document.documentElement.lang") == value
            if name == "show":
                expect(page.locator("#picture")).to_be_visible(visible="picture" in value)
    for address in sorted(
        set(re.findall(r"http://ADDRESS:8000(/[^`\s)]+)", GUIDE))
        | set(re.findall(r"`(/[a-z.]+\?table=t1)`", GUIDE))
    ):
        with httpx.stream("GET", served.url + address, timeout=20) as answer:
            assert answer.status_code == 200, address
