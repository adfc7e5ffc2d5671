"""The smallest director's day in a real browser: empty, players, two rounds, a final, prizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.service.hall.director_day import play_day
from tests.service.hall.served import ServedHall
from tests.service.web.browser import launch

pytestmark = pytest.mark.browser


def test_a_day_from_an_empty_hall_to_the_prizes(tmp_path: Path) -> None:
    hall = ServedHall(tmp_path)
    for name in ("t1", "t2"):
        hall.seat(name)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            play_day(browser, hall, players=5, rounds=1, best=2)
        finally:
            browser.close()
            hall.close()
    settings = [seated.hands.state.match for seated in hall.tables.values()]
    assert any(m.length == 1 and m.event.monitor.value == "arbiter" for m in settings)
    assert len(hall.app.state.hall.floor.book.day.rounds) == 2
