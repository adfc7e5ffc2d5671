"""The director's wall: who needs somebody comes first and is the only one with an alarm in words;
readable, clean under axe, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rules.words import languages
from service.hall.view import by_need, natural
from tests.service.hall.served import ServedHall, await_true
from tests.service.hall.staged import IN_NEED, stage
from tests.service.web.browser import PHONE, WALL, launch, opened, problems

pytestmark = pytest.mark.browser
CONTRAST = """() => {
  const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** \
2.4);
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const ground = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const colour = getComputedStyle(n).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const node of document.querySelectorAll(".tile *, #summary")) {
    if (node.closest("svg, .hidden-text") || ![...node.childNodes].some((c) => c.nodeType === 3 && \
c.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.className, \
node.textContent.slice(0, 30)]);
  }
  return found.sort((x, y) => x[0] - y[0])[0];
}"""
MATTERS = (
    "found => found.map((n) => [...n.querySelectorAll('.matters li')].map((m) => m.innerText))"
)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path_factory.mktemp("wall"))
    served.staged(lambda hall: stage(hall, 48))
    yield served
    served.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def ready(page: Page) -> None:
    page.locator(".tile").nth(47).wait_for()
    page.wait_for_timeout(300)


@pytest.mark.parametrize(
    ("lang", "dark", "size"),
    [("en", False, WALL), ("fa", True, WALL), ("en", True, PHONE), ("fa", False, PHONE)],
)
def test_who_needs_help_is_first_alone_with_words_and_readable(
    hall: ServedHall, browser: Browser, lang: str, dark: bool, size: tuple[int, int]
) -> None:
    with opened(browser, hall.url, size, lang=lang, dark=dark) as page:
        ready(page)
        names = page.eval_on_selector_all(
            ".tile h2 bdi", "found => found.map((n) => n.textContent)"
        )
        assert names[: len(IN_NEED)] == IN_NEED
        assert names[len(IN_NEED) :] == sorted(names[len(IN_NEED) :], key=natural)
        words = page.eval_on_selector_all(".tile", MATTERS)
        assert all(words[: len(IN_NEED)]) and not any(words[len(IN_NEED) :])
        worst = page.evaluate(CONTRAST)
        assert worst[0] >= 4.5, worst
        assert problems(page) == []
        if size == WALL:
            assert page.evaluate("document.documentElement.scrollHeight") <= 1080 + 1, (
                "48 tables fit on the wall without scrolling"
            )


FILLED = """async (count) => {
  const { fit } = await import("/static/js/hall_words.js");
  const grid = document.getElementById("tables");
  while (grid.children.length > count) grid.lastElementChild.remove();
  for (let i = 0; grid.children.length < count; i++) grid.append(grid.children[i].cloneNode(true));
  fit(grid, count);
  const boards = [...grid.querySelectorAll(".mini svg")].filter((b) => b.checkVisibility());
  const texts = [...grid.querySelectorAll(".tile .line .name, .tile .time")];
  return {
    page: document.documentElement.scrollHeight,
    end: grid.lastElementChild.getBoundingClientRect().bottom,
    board: Math.min(...boards.map((b) => b.getBoundingClientRect().width)),
    under: boards.filter((b) => b.getBoundingClientRect().bottom >
      b.closest(".tile").querySelector(".line:last-child").getBoundingClientRect().top + 1).length,
    text: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize))),
  };
}"""


@pytest.mark.parametrize(("count", "widest"), [(4, 500), (24, 190), (60, 100)])
def test_the_wall_fills_its_screen(
    hall: ServedHall, browser: Browser, count: int, widest: int
) -> None:
    """No tile below the edge, none of the screen left empty, no board over a player's name."""
    with opened(browser, hall.url, WALL) as page:
        ready(page)
        found = page.evaluate(FILLED, count)
        assert found["page"] <= 1080 and found["end"] > 1050, found
        assert found["board"] >= widest and found["under"] == 0 and found["text"] >= 12, found


TOLD = """() => {
  const tiles = [...document.querySelectorAll(".tile")];
  const box = (node) => node.getBoundingClientRect();
  const shown = (what) => [...document.querySelectorAll(what)].filter((n) => n.checkVisibility());
  return {
    page: document.documentElement.scrollHeight,
    end: Math.max(...tiles.map((t) => box(t).bottom)),
    cut: tiles.filter((tile) => [...tile.querySelectorAll(".line, .time, .matters, h2")].some((n) =>
      n.checkVisibility() && (box(n).bottom > box(tile).bottom || box(n).top < box(tile).top)))
      .map((tile) => tile.innerText),
    playing: shown(".tile .line .name").length,
    times: shown(".tile .time").filter((n) => n.textContent).length,
    text: Math.min(...shown(".tile .line .name, .tile .time, .matters li")
      .map((n) => parseFloat(getComputedStyle(n).fontSize))),
    away: shown("#alarm button").filter((n) => box(n).right > box(n.closest(".where")).right + 1)
      .length,
  };
}"""


@pytest.mark.parametrize(
    ("lang", "size"),
    [("en", (800, 1280)), ("fa", (768, 1024)), ("en", (1024, 768))],
)
def test_the_wall_fits_a_tablet_without_its_boards(
    hall: ServedHall, browser: Browser, lang: str, size: tuple[int, int]
) -> None:
    """Who plays, the points, the time and what is wrong stand on one screen, upright or not."""
    with opened(browser, hall.url, size, lang=lang) as page:
        ready(page)
        found = page.evaluate(TOLD)
        assert found["page"] <= size[1] and found["end"] <= size[1], found
        assert found["cut"] == [] and found["text"] >= 12 and found["away"] == 0, found
        assert found["playing"] == found["times"] > 80, found
        assert problems(page) == []


def test_the_keyboard_goes_from_table_to_table_in_the_order_of_need(
    hall: ServedHall, browser: Browser
) -> None:
    with opened(browser, hall.url, WALL) as page:
        ready(page)
        page.locator("#main").focus()
        for name in IN_NEED[:3]:
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.textContent").endswith(name)
        page.keyboard.press("Enter")
        page.wait_for_url("**/arbiter?table=t31")


def test_a_table_whose_need_is_over_goes_back_to_its_place(
    hall: ServedHall, browser: Browser
) -> None:
    inner = hall.app.state.hall
    with opened(browser, hall.url, WALL) as page:
        ready(page)
        kept = inner.views["t17"]
        seen = tuple(replace(alert, acknowledged_by="Ava") for alert in kept.state.alerts)
        try:
            inner.views["t17"] = replace(kept, state=replace(kept.state, alerts=seen))
            await_true(lambda: page.locator(".tile h2 bdi").first.inner_text() == "t29")
            assert page.locator(".tile.need-0", has_text="t17").count() == 1
        finally:
            inner.views["t17"] = kept


def test_one_table_in_need_is_told_as_one(tmp_path: Path, browser: Browser) -> None:
    served = ServedHall(tmp_path)
    served.staged(lambda hall: stage(hall, 9))
    with opened(browser, served.url, PHONE) as page:
        expect(page.locator("#summary")).to_have_text("9 tables · 1 needs somebody")
    served.close()


HEARD = """() => {
  const counted = { tones: 0, shakes: 0, awake: 0, told: [] };
  window.AudioContext = class {
    currentTime = 0;
    createOscillator() {
      counted.tones += 1;
      return { frequency: {}, connect: (to) => to, start() {}, stop() {} };
    }
    createGain() {
      return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect() {} };
    }
  };
  window.Notification = class {
    static permission = "granted";
    constructor(_, { body }) { counted.told.push(body); }
  };
  navigator.vibrate = () => { counted.shakes += 1; };
  Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
    counted.awake += 1;
  } } });
  window.counted = counted;
}"""


def test_a_tile_that_turns_red_rings_where_the_alarm_is_on(
    hall: ServedHall, browser: Browser
) -> None:
    """On an arbiter's phone: a sound, a shake, a message, and a screen that stays awake."""
    inner = hall.app.state.hall
    with opened(browser, hall.url, PHONE) as page:
        ready(page)
        page.evaluate(HEARD)
        kept = inner.views["t17"]
        seen = tuple(replace(alert, acknowledged_by="Ava") for alert in kept.state.alerts)
        try:
            page.click("#alarm button")
            assert page.evaluate("counted").items() >= {"tones": 3, "awake": 1, "told": []}.items()
            inner.views["t17"] = replace(kept, state=replace(kept.state, alerts=seen))
            page.locator(".tile.need-0", has_text="t17").wait_for()
        finally:
            inner.views["t17"] = kept
        page.locator(".tile.need-3", has_text="t17").wait_for()
        await_true(lambda: page.evaluate("counted.told.length"))
        heard = page.evaluate("counted")
        assert heard["tones"] == 6 and heard["shakes"] == 2 and "t17" in heard["told"][0]
        page.click("#alarm button")


def test_the_desk_and_the_arbiter_s_page_are_clean(hall: ServedHall, browser: Browser) -> None:
    paths = ("/hall", "/hall/boards", "/arbiter?table=t17", "/join?code=ABCDEFGH")
    for path in (*paths, "/table?table=t2"):
        for lang in languages():
            # No table is there that could send the pictures of its evidence.
            with opened(
                browser, hall.url + path, (1280, 900), lang=lang, refused="40[1349]|422|503"
            ) as page:
                page.wait_for_timeout(500)
                assert problems(page) == [], path


def test_a_code_is_shown_with_its_picture(hall: ServedHall, browser: Browser) -> None:
    with opened(browser, f"{hall.url}/hall/boards", (1280, 900)) as page:
        page.fill("#new-code input", "t50")
        page.click("#new-code button")
        page.wait_for_selector("#code .qr")
        assert len(page.inner_text("#code .code")) == 8


def test_the_order_is_by_need_then_as_people_count() -> None:
    cards = [
        {"table": t, "need": n}
        for t, n in (("t10", 0), ("t2", 0), ("t11", 3), ("t9", 1), ("A", 0), ("t3", 3))
    ]
    assert by_need(cards) == ["t3", "t11", "t9", "A", "t2", "t10"]


def test_the_hall_says_what_it_does_not_know(
    hall: ServedHall, browser: Browser, tmp_path: Path
) -> None:
    inner = hall.app.state.hall
    with opened(browser, hall.url, WALL) as page:
        ready(page)
        assert page.locator("#hall-problem").is_hidden()
        inner.server_problem = "nats-server is gone"
        try:
            page.wait_for_selector("#hall-problem:visible")
        finally:
            inner.server_problem = ""
        await_true(lambda: page.locator("#hall-problem").is_hidden())
