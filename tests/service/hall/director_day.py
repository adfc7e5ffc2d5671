"""A director's day in a real browser, from an empty hall to the prizes, with tables worked by hand:
`make director-day` writes a picture of each step; a test plays the smallest such day.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from service.hall.tournament import NAMES
from tests.service.hall.served import ServedHall, await_true
from tests.service.web.browser import DESK, PHONE, WALL, launch, opened, problems

Shot = Callable[[Page, str], None]


def no_shot(page: Page, name: str) -> None:
    """Nobody wants a picture."""


def fits(page: Page) -> None:
    """Nothing is wider than the screen, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    assert problems(page) == []


def open_the_tournament(page: Page, rounds: int, best: int, shot: Shot) -> None:
    """From an empty desk to a plan of two stages."""
    page.locator("#open [name=name]").wait_for()
    shot(page, "empty")
    page.fill("#open [name=name]", "Nowruz Open")
    page.fill("[name=rounds1]", str(rounds))
    page.fill("[name=length1]", "3")
    page.click("#more-stages")
    page.fill("[name=take2]", str(best))
    page.fill("[name=length2]", "5")
    page.fill("#open [name=pool]", "1000000")
    page.fill("#open [name=prizes]", "60, 40")
    shot(page, "plan")
    fits(page)
    page.click("#open button.primary")
    page.locator("#now").wait_for()
    assert page.inner_text("#name") == "Nowruz Open"


def enter_the_players(page: Page, names: list[str], shot: Shot) -> None:
    """The first by hand, the others pasted."""
    first, *others = names
    page.fill("#enter [name=name]", first)
    page.fill("#enter [name=club]", "Shiraz")
    page.fill("#enter [name=rating]", "1712")
    page.click("#enter button.primary")
    page.locator("#entrants li").nth(0).wait_for()
    page.click("#enter summary")
    lines = "".join(f"{name},{'Shiraz' if i % 3 else 'Tabriz'}\n" for i, name in enumerate(others))
    page.fill("#enter [name=text]", lines)
    page.click("#enter button.primary")
    page.locator("#entrants li").nth(len(names) - 1).wait_for()
    page.click("#enter summary")
    shot(page, "players")


def play_round(page: Page, hall: ServedHall, rnd: random.Random, shot: Shot, name: str) -> None:
    """Pair in one tap; tables play, and their results come in by themselves."""
    before = page.text_content("#now-title")
    page.click("#next")
    await_true(lambda: page.text_content("#now-title") != before)
    shot(page, f"{name}-called")

    def open_rows() -> int:
        return page.locator("#matches button", has_text="Result").count()

    for _ in range(200):
        if not open_rows():
            break
        for row in page.locator("#matches tr").all():
            # Rows change while they are read: what is gone is looked at again next time.
            words = row.inner_text(timeout=5000)
            table = words.split("\t")[0].strip()
            if table not in hall.tables or "finished" in words or "waits" in words:
                continue
            hands = hall.table(table).hands
            first = row.locator("td:nth-child(2) bdi").first.inner_text().removesuffix(" ✓")
            if hands.state.match.names.white == first and hands.state.phase.value == "setting-up":
                with hands.lock:
                    hands.order("end_match", winner=rnd.choice(("white", "black")), reason="won")
        page.wait_for_timeout(300)
    await_true(lambda: open_rows() == 0)
    shot(page, f"{name}-over")


def a_mistake(page: Page, shot: Shot) -> None:
    """A result taken back and entered by hand."""
    page.locator("#matches button", has_text="Undo").first.click()
    page.fill("dialog [name=reason]", "the other one won")
    page.locator("dialog:not(#looks) button.primary").click()
    page.locator("#matches button", has_text="Result").first.click()
    page.fill("dialog [name=first]", "1")
    page.fill("dialog [name=second]", "3")
    shot(page, "result-by-hand")
    page.locator("dialog:not(#looks) button.primary").nth(1).click()
    page.locator("#matches button", has_text="Result").first.wait_for(state="detached")


def rule_the_next_round(page: Page, shot: Shot) -> None:
    """The next round is played otherwise than its stage."""
    page.click("#otherwise summary")
    page.fill("#rules [name=length]", "1")
    page.fill("#rules [name=event]", '[play]\nmonitor = "arbiter"')
    shot(page, "rules-of-the-next-round")
    page.click("#rules button.primary")
    page.locator("#ruled").wait_for()


def play_day(
    browser: Browser, hall: ServedHall, players: int, rounds: int, best: int, shot: Shot = no_shot
) -> None:
    """The whole day; asserts what must be on the way."""
    rnd = random.Random(7)
    names = [f"{NAMES[i % len(NAMES)]} {chr(65 + i // len(NAMES))}." for i in range(players)]
    with opened(browser, hall.url + "/hall", DESK) as page:
        open_the_tournament(page, rounds, best, shot)
        enter_the_players(page, names, shot)
        for number in range(1, rounds + 1):
            play_round(page, hall, rnd, shot, f"round-{number}")
            if number == 1:
                a_mistake(page, shot)
        fits(page)
        rule_the_next_round(page, shot)
        while page.locator("#next:not([disabled])").count():
            play_round(page, hall, rnd, shot, f"stage-2-{page.locator('.bout .won').count()}")
        assert "over" in page.inner_text("#progress")
        assert not page.locator("#otherwise").is_visible()
        shot(page, "over")
        fits(page)
    everybody(browser, hall, names, shot)


def everybody(browser: Browser, hall: ServedHall, names: list[str], shot: Shot) -> None:
    """What everybody sees, on a phone and on the wall, in both languages."""
    for lang, dark, size in (("en", False, PHONE), ("fa", True, PHONE), ("fa", False, DESK)):
        address = f"{hall.url}/event?player={names[0].replace(' ', '%20')}"
        with opened(browser, address, size, lang=lang, dark=dark) as page:
            page.locator("#winners li").first.wait_for()
            assert page.locator("#mine .where-now").inner_text()
            shot(page, f"event-{lang}-{'phone' if size == PHONE else 'desk'}")
            fits(page)
    with opened(browser, hall.url, WALL) as page:
        page.locator(".tile").first.wait_for()
        page.wait_for_timeout(600)
        shot(page, "wall")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--players", type=int, default=16)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--best", type=int, default=4)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    count = 0

    def shot(page: Page, name: str) -> None:
        nonlocal count
        count += 1
        page.screenshot(path=given.folder / f"{count:02d}-{name}.png", full_page="wall" not in name)

    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        hall = ServedHall(Path(data))
        for i in range(given.tables):
            hall.seat(f"t{i + 1}")
        browser = launch(playwright)
        try:
            play_day(browser, hall, given.players, given.rounds, given.best, shot)
        finally:
            browser.close()
            hall.close()
    print(f"{count} pictures in {given.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
