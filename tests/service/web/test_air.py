"""A whole match of three games on the air, as a viewer reads it: right at every entry, live and
frozen; over a card, over a photo.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from service.journal.store import Reader
from service.referee.fold import replay
from tests.service.web import air
from tests.service.web.browser import WALL, launch, opened
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
NAMES = {"white": "Mahsa Rahimi", "black": "یان"}
PHOTO = Path(__file__).parents[2] / "data/vision/board_117.jpg"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


LOOKS = [
    *(("corner", "en", "glass"), ("line", "fa", "paper"), ("side", "fa", "glass")),
    *(("full", "en", "paper"), ("pip", "fa", "glass")),
]
"""Every layout once, both languages, both themes; `make test-air` takes them all together."""
ALL = [
    (layout, lang, theme)
    for layout in air.PLAYS
    for lang in ("en", "fa")
    for theme in ("glass", "paper")
]


def test_it_is_right_at_every_entry_of_a_match_in_every_layout(
    served: Served, browser: Browser
) -> None:
    """Live, loaded again, and frozen: what is read is what the journal says, in every layout,
    language and theme; nothing is said before its entry is there.
    """
    whole = bool(os.environ.get("WHOLE_MATCHES"))
    looks, table, frames = ALL if whole else LOOKS, served.table, 0
    with ExitStack() as stack:
        pages = {}
        for layout, lang, theme in looks:
            address = f"{served.url}/overlay?layout={layout}&lang={lang}&theme={theme}"
            page = stack.enter_context(opened(browser, address, WALL, lang=lang))
            pages[layout, lang, theme] = page

        def agree(moment: str) -> None:
            for (layout, lang, _), page in pages.items():
                air.settled(page, table.state.seq)
                wanted = air.expected(table.state, 0.0, clocks=False, lang=lang, layout=layout)
                assert air.shown(page, clocks=False) == wanted, (moment, layout, lang)

        for moment in air.three_games(table, NAMES, "Nowruz Open", turns=None if whole else 4):
            agree(moment)
            frames += len(pages)
            if moment.startswith("over"):
                for page in pages.values():
                    page.reload()
                agree(f"{moment}, loaded again")
    assert frames > 100
    print(f"{frames} frames of a match of three games compared, none wrong")
    with Reader(table.journal) as reader:
        entries = reader.read()
    instants = sorted({entry.at for entry in entries})
    with opened(browser, f"{served.url}/overlay?at=0", WALL) as page:
        for n, at in enumerate(instants):
            layout, lang, theme = looks[n % len(looks)]
            state = replay(e for e in entries if e.at <= at)
            page.goto(f"{served.url}/overlay?at={at}&layout={layout}&lang={lang}&theme={theme}")
            air.settled(page, air.told_by(entries, at))
            wanted = air.expected(state, at, clocks=True, lang=lang, layout=layout)
            assert air.shown(page, clocks=True) == wanted, f"entry {state.seq} at {at}"


@pytest.mark.parametrize("theme", ["glass", "paper"])
def test_over_a_card_and_over_a_photo_only_what_it_shows_is_covered(
    served: Served, browser: Browser, theme: str
) -> None:
    for moment in air.three_games(served.table, NAMES, "Nowruz Open", turns=2):
        if moment == "doubled-2":
            break
    photo = cv2.resize(cv2.imread(str(PHOTO)), WALL)
    with opened(browser, f"{served.url}/overlay?theme={theme}", WALL) as page:
        air.settled(page, served.table.state.seq)
        png = page.screenshot(omit_background=True)
        boxes = page.evaluate(
            "['bug','inset','ticker','moment'].map((id) => { const r ="
            " document.getElementById(id).getBoundingClientRect(); return [r.left, r.top, r.right,"
            " r.bottom]; })"
        )
    covered = np.zeros(photo.shape[:2], bool)
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= WALL[0] and 0 <= top < bottom <= WALL[1], "inside the picture"
        covered[int(top) - 1 : int(bottom) + 2, max(0, int(left) - 1) : int(right) + 2] = True
    assert covered.mean() < 0.4
    aired = air.over(png, photo)
    assert (aired[~covered] == photo[~covered]).all(), (
        "the picture is untouched where nothing is shown"
    )
    assert (aired[covered] != photo[covered]).any(axis=1).mean() > 0.9
    with opened(browser, f"{served.url}/overlay?bg=green&theme={theme}", WALL) as page:
        air.settled(page, served.table.state.seq)
        card = air.pixels(page.screenshot())[..., :3]
    assert (card[~covered] == air.GREEN).all()
    inner = card[covered].reshape(-1, 3)
    assert (inner == air.GREEN).all(axis=1).mean() < 0.05, "nothing that is shown is keyed away"
