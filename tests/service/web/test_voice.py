"""The table's voice, in a real browser: what it says, by the browser's own voice or by the phrases
that ship; off until one tap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.service.web.browser import launch, opened
from tests.service.web.hand import HandTable
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


LISTEN = """(lang) => {
  window.heard = [];
  const voices = lang ? [{ lang, name: 'a voice' }] : [];
  Object.defineProperty(window, 'speechSynthesis', { value: {
    getVoices: () => voices, addEventListener() {}, speak: (u) => heard.push(u.text) } });
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  window.Audio = class { constructor(src) { this.src = src; }
    play() { heard.push(this.src.split('/').slice(-2).join('/')); return Promise.resolve(); } };
}"""


def listening(page: Page, voice: str) -> None:
    """The page anew, with this voice in its browser (none for ""), and the table's voice on."""
    page.add_init_script(f"({LISTEN})({voice!r})")
    page.reload()
    button = page.locator("#voice")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    page.wait_for_function("heard.length === 1")


EVENING: Final[tuple[Callable[[HandTable], object], ...]] = (
    lambda table: table.order("declare_roll", white=[6], black=[1]),
    lambda table: (table.turn(), table.order("offer")),
    lambda table: table.order("take"),
    lambda table: (
        table.order("resign", side="black", level=1),
        table.order("accept_resignation"),
    ),
)
"""A roll, a double, its take, and a resignation that ends the game: each is said."""


def heard(page: Page, count: int) -> list[str]:
    page.wait_for_function("(n) => heard.length >= n", arg=count)
    found = page.evaluate("heard")
    assert isinstance(found, list)
    return [str(text) for text in found]


SAID = [
    (
        "en",
        "en-GB",
        ["The voice is on.", "6 and 1", "Jan doubles to 2", "Taken.", "Mahsa 2, Jan 0."],
    ),
    ("fa", "", ["fa/on.wav", "fa/61.wav", "fa/double.wav", "fa/take.wav", "fa/game.wav"]),
    ("en", "", ["en/on.wav", "en/61.wav", "en/double.wav", "en/take.wav", "en/game.wav"]),
]


@pytest.mark.parametrize(("lang", "voice", "said"), SAID, ids=["own", "fa", "en"])
def test_what_happens_is_said_once_the_voice_is_on(
    served: Served, browser: Browser, lang: str, voice: str, said: list[str]
) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    served.table.order("start_game")
    with opened(browser, served.url + "/", lang=lang) as page:
        listening(page, voice)
        for count, happens in enumerate(EVENING, 2):
            happens(served.table)
            assert heard(page, count) == said[:count]
        # Every phrase that was asked for ships.
        for name in said if not voice else ():
            assert page.request.get(f"{served.url}/static/voice/{name}").ok, name
        page.locator("#voice").click()
        served.table.order("next_game")
        served.table.order("declare_roll", white=[5], black=[2])
        expect(page.locator("#prompt")).to_contain_text("2" if lang == "en" else "۲")
        assert len(heard(page, len(said))) == len(said)
