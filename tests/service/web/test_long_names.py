"""People with long names: every page keeps its width, its lines and what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.service.web.browser import PHONE, WALL, launch, opened
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
NAMES = {
    "white": "Maximiliana-Konstantina Papadopoulou-Smith",
    "black": "سیده‌فاطمه‌زهرا موسوی‌خراسانی اصفهانی‌نژاد",
}
TOUCH = """([one, other]) => {
  const [a, b] = [one, other].map((id) => document.getElementById(id).getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A match of one point that is over, both of whose players have long names."""
    folder: Path = tmp_path_factory.mktemp("a_folder_whose_own_name_is_a_long_one_without_a_space")
    served = Served(folder)
    play(served, length=1)
    served.table.order("resign", side="black", level=1)
    served.table.order("accept_resignation", side="white")
    yield served
    served.close()


def play(served: Served, length: int) -> None:
    table = served.table
    table.order("set_match", **NAMES, length=length, clock="ours")
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    for _ in range(8):
        table.turn()


def within(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("lang", ["en", "fa"])
@pytest.mark.parametrize(
    ("path", "filled"),
    [
        ("/", ".ply"),
        ("/wall", ".ply"),
        ("/arbiter", "#standing dd"),
        ("/commentator", "#turns tr"),
        ("/amend", "code"),
        ("/players", "tbody tr"),
        ("/matches/t1", ".versus"),
        ("/match/t1/1/3", ".versus"),
        ("/report/t1/1", "h2"),
    ],
)
def test_no_page_is_wider_than_a_phone(
    played: Served, browser: Browser, path: str, filled: str, lang: str
) -> None:
    with opened(browser, played.url + path, PHONE, lang=lang) as page:
        expect(page.locator(filled).first).to_be_visible(timeout=60_000)
        assert page.locator("h2 + .scroll > table:not(.audit)").evaluate_all(
            "(all) => all.every((e) => e.clientWidth <= e.parentElement.clientWidth)"
        )
        # In one look: the page may draw its figures anew between two.
        widths = page.locator(".kv dd").evaluate_all(
            "(all) => all.filter((e) => e.checkVisibility()).map((e) => e.clientWidth)"
        )
        assert all(width > 80 for width in widths), "a letter to a line"
        assert within(page)


def test_the_seal_of_the_table_keeps_within_a_phone(played: Served, browser: Browser) -> None:
    door = {
        "address": "http://192.168.1.20:8007/phone?as=camera&table=t1",
        "name": "http://takhte.local:8007/phone?as=camera&table=t1",
        "svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
        "fingerprint": ":".join(["C4"] * 32),
        "https": True,
        "reachable": True,
    }
    with opened(browser, played.url + "/first-use", PHONE) as page:
        page.route("**/api/v1/phones/door**", lambda route: route.fulfill(json=door))
        page.get_by_role("button", name="A phone as the camera").click()
        page.get_by_text("The fingerprint of the table's seal").click()
        expect(page.locator(".fingerprint")).to_be_visible()
        assert within(page)


@pytest.mark.parametrize("path", ["/matches/t1", "/players"])
def test_a_day_is_told_by_the_calendar_of_the_language(
    played: Served, browser: Browser, path: str
) -> None:
    for lang, year in (("en", "20"), ("fa", "۱۴")):
        with opened(browser, played.url + path, PHONE, lang=lang) as page:
            if path == "/players":
                page.locator("tbody a").first.click()
            day = page.locator("time").first
            expect(day).to_contain_text(year)
            assert "-" not in day.inner_text()


def test_a_narrow_wall_shows_the_plays(played: Served, browser: Browser) -> None:
    with opened(browser, played.url + "/wall", (768, 1024)) as page:
        page.locator("#plays").scroll_into_view_if_needed()
        expect(page.locator(".ply").last).to_be_in_viewport()
        height = page.locator("#plays").evaluate("(e) => e.clientHeight")
        assert height > 150
        sides = page.locator(".player .sub")
        assert sides.evaluate_all("(all) => all.every((e) => e.scrollWidth <= e.clientWidth)")


def test_a_sentence_that_begins_with_a_latin_name_runs_as_its_language_does(
    played: Served, browser: Browser
) -> None:
    for path, place in (("/", ".note td"), ("/overlay", "#card h2"), ("/overlay", "#foot span")):
        with opened(browser, played.url + path, WALL, lang="fa") as page:
            said = page.locator(place).first
            expect(said).to_contain_text(NAMES["white"])
            assert said.evaluate("(e) => getComputedStyle(e).direction") == "rtl"


def test_a_match_of_one_point_is_no_match_of_one_points(played: Served, browser: Browser) -> None:
    for path, place in (
        ("/", "#near .sub"),
        ("/", "#event"),
        ("/sheet/t1", ".heads"),
        ("/overlay", "#length"),
        ("/overlay", "#card .after"),
    ):
        with opened(browser, played.url + path, WALL) as page:
            said = page.locator(place).first
            expect(said).to_be_visible()
            expect(said).not_to_contain_text(re.compile(r"\b1 (points|games)"))


def test_a_double_across_the_screen_says_what_happens(served: Served, browser: Browser) -> None:
    play(served, length=7)
    served.table.order("offer")
    with opened(browser, served.url + "/overlay?bg=green", WALL) as page:
        words = page.locator("#moment .by")
        expect(words).to_be_visible()
        assert words.evaluate("(e) => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("more", ["", "&layout=side", "&layout=line&show=score,board"])
def test_the_card_of_a_match_leaves_the_board_to_be_seen(
    played: Served, browser: Browser, more: str
) -> None:
    with opened(browser, f"{played.url}/overlay?bg=green{more}", WALL) as page:
        expect(page.locator("#card")).to_be_visible()
        expect(page.locator("#inset")).to_be_visible()
        for other in ("inset", "bug"):
            assert not page.evaluate(TOUCH, ["card", other])
