"""A whole match of three games on the air, as a viewer reads it: right at every entry, live and
frozen; over a card, over a photo.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def test_it_is_right_at_every_entry_of_a_match_live_and_frozen(
    served: Served, browser: Browser
) -> None:
    table, moments = served.table, 0
    with opened(browser, served.url + "/overlay", WALL) as page:
        for moment in air.three_games(table, NAMES, "Nowruz Open", turns=6):
            air.settled(page, table.state.seq)
            assert air.shown(page, clocks=False) == air.expected(table.state, 0.0, clocks=False), (
                moment
            )
            moments += 1
            if moment.startswith("over"):
                page.reload()
                air.settled(page, table.state.seq)
                assert air.shown(page, clocks=False) == air.expected(
                    table.state, 0.0, clocks=False
                ), f"{moment}, loaded again"
    assert moments > 40
    with Reader(table.journal) as reader:
        entries = reader.read()
    instants = sorted({entry.at for entry in entries})
    with opened(browser, served.url + "/overlay?at=0", WALL) as page:
        for at in instants:
            state = replay(e for e in entries if e.at <= at)
            page.goto(f"{served.url}/overlay?at={at}")
            air.settled(page, air.told_by(entries, at))
            assert air.shown(page, clocks=True) == air.expected(state, at, clocks=True), (
                f"entry {state.seq} at {at}"
            )


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
            "['bug','inset','ticker'].map((id) => { const r ="
            " document.getElementById(id).getBoundingClientRect(); return [r.left, r.top, r.right,"
            " r.bottom]; })"
        )
    covered = np.zeros(photo.shape[:2], bool)
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= WALL[0] and 0 <= top < bottom <= WALL[1], "inside the picture"
        covered[int(top) - 1 : int(bottom) + 2, int(left) - 1 : int(right) + 2] = True
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
