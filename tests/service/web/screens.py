"""Writes a screenshot of every page and of the moments that matter: `make screens`."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from rules.dice import Roll
from rules.play import plays
from tests.service.hall import screens as hall_screens
from tests.service.web import phone_screens
from tests.service.web.browser import DESK, PHONE, TABLET, WALL, launch, opened
from tests.service.web.hand import after
from tests.service.web.match_screens import shoot_all
from tests.service.web.serve import Served

NAMES = {
    "en": {"white": "Mahsa Rahimi", "black": "Jan de Vries"},
    "fa": {"white": "مهسا رحیمی", "black": "کوروش پارسا"},
}
EVENT = {"en": "Nowruz Open", "fa": "جام نوروز"}


def playing(lang: str, turns: int = 9) -> Callable[[Served], None]:
    def work(served: Served) -> None:
        table = served.table
        table.order("set_match", **NAMES[lang], length=7, clock="ours", event={"name": EVENT[lang]})
        table.order("start_game")
        table.order("declare_roll", white=[3], black=[1])
        for _ in range(turns):
            table.turn()
        table.order("declare_roll", roll=[6, 4])

    return work


def narde(lang: str) -> Callable[[Served], None]:
    def work(served: Served) -> None:
        table = served.table
        table.order("set_match", **NAMES[lang], length=5, ruleset="narde")
        table.order("start_game", starter="white")
        for _ in range(7):
            table.turn()

    return work


def doubled(lang: str) -> Callable[[Served], None]:
    def work(served: Served) -> None:
        playing(lang, 8)(served)
        served.table.turn()
        served.table.order("offer")

    return work


def illegal(lang: str) -> Callable[[Served], None]:
    def work(served: Served) -> None:
        playing(lang)(served)
        state = served.table.state
        assert state.game.placement is not None
        legal = {
            play.placement for play in plays(state.position(), state.turn.roll or Roll.of(6, 4))
        }
        points = [p for p in range(1, 25) if state.game.placement.counts(state.game.on_roll)[p]]
        moved = (
            after(state.game.placement, state.game.on_roll, (p, q))
            for p in points
            for q in range(1, 25)
            if abs(p - q) == 10
        )
        served.table.press()
        served.table.stands(next(m for m in moved if m not in legal and not m.faults()))

    return work


def finished(lang: str) -> Callable[[Served], None]:
    def work(served: Served) -> None:
        playing(lang, 24)(served)
        served.table.order("resign", side="black", level=2)
        served.table.order("accept_resignation", side="white")

    return work


def over(lang: str) -> Callable[[Served], None]:
    """A match of one point, played for a while and resigned."""

    def work(served: Served) -> None:
        table = served.table
        table.order("set_match", **NAMES[lang], length=1)
        table.order("start_game")
        table.order("declare_roll", white=[3], black=[1])
        for _ in range(12):
            table.turn()
        table.order("resign", side="black", level=1)
        table.order("accept_resignation", side="white")

    return work


def click(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


CORRECT = re.compile("^(Correct|تصحیح)$")
GNUBG_SAID = (
    "() => document.querySelectorAll('#equity dd').length > 0 ||"
    " document.getElementById('trouble').textContent !== ''"
)
REPORTED = lambda page: page.wait_for_selector("h2", timeout=60_000)  # noqa: E731
Work = Callable[[str], Callable[[Served], None]]
SHOTS: list[tuple[str, str, tuple[int, int], Work | None, Callable[[Page], None] | None]] = [
    ("table", "/", DESK, playing, None),
    ("table-phone", "/", PHONE, playing, None),
    ("table-tablet", "/", TABLET, doubled, None),
    ("narde", "/", DESK, narde, None),
    ("illegal", "/", DESK, illegal, None),
    ("illegal-phone", "/", PHONE, illegal, None),
    ("correct", "/", DESK, playing, lambda page: page.get_by_role("button", name=CORRECT).click()),
    ("evidence", "/", DESK, playing, lambda page: page.locator("button.ply").nth(3).click()),
    ("look", "/", DESK, playing, lambda page: page.locator("#look").click()),
    ("wall", "/wall", WALL, playing, None),
    ("setup", "/setup", DESK, None, None),
    ("setup-phone", "/setup", PHONE, None, None),
    ("nothing-yet", "/", DESK, None, None),
    ("arbiter", "/arbiter", (1440, 1000), illegal, None),
    ("arbiter-phone", "/arbiter", PHONE, illegal, None),
    ("first-use", "/first-use", (1000, 1300), None, lambda page: page.locator("#pair").click()),
    ("sheet", "/sheet/t1", (1000, 1200), finished, None),
    ("match-page", "/match/t1/1/9", (1000, 1200), over, None),
    ("match-page-phone", "/match/t1/1/9", PHONE, over, None),
    ("match-list", "/matches/t1", PHONE, over, None),
    ("embed", "/embed/t1/1/9", (440, 480), over, None),
    ("report", "/report/t1/1", (1000, 2200), over, REPORTED),
    ("report-phone", "/report/t1/1", PHONE, over, REPORTED),
    ("sign-in", "/sign-in", PHONE, None, None),
    ("pair", "/pair", PHONE, None, None),
    ("not-there", "/matches/t9", PHONE, None, None),
    ("players", "/players", DESK, over, None),
    ("table-small", "/", (320, 568), playing, None),
    ("docs", "/docs", DESK, None, None),
    ("air", "/arbiter", DESK, playing, lambda page: page.locator("#air").click()),
    ("commentator", "/commentator", DESK, playing, lambda page: page.wait_for_function(GNUBG_SAID)),
    ("overlay", "/overlay?bg=green", WALL, playing, None),
    ("overlay-paper", "/overlay?bg=blue&theme=paper&demo=8", WALL, None, None),
]


def shoot(browser: Browser, folder: Path, only: list[str]) -> int:
    """Write the pictures whose names begin with one of `only` (all without)."""
    written = 0
    for name, path, size, work, then in SHOTS:
        for lang in NAMES:
            if only and not any(name.startswith(o) for o in only):
                continue
            with tempfile.TemporaryDirectory() as data:
                served = Served(Path(data))
                if work is not None:
                    work(lang)(served)
                for dark in (False, True):
                    with opened(browser, served.url + path, size, lang=lang, dark=dark) as page:
                        page.wait_for_timeout(700)
                        if then is not None:
                            then(page)
                            page.wait_for_timeout(600)
                        page.screenshot(
                            path=folder / f"{name}-{lang}-{'dark' if dark else 'light'}.png"
                        )
                        written += 1
                served.close()
    return written


def main(words: list[str]) -> int:
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        only, errors = words[1:], 0
        pages = (shoot, phone_screens.shoot, hall_screens.shoot)
        print(f"{sum(each(browser, folder, only) for each in pages)} pictures in {folder}/")
        if not only or any("match".startswith(o) for o in only):
            written, errors = shoot_all(browser, folder)
            print(f"{written} pictures of a match in {folder}/")
        browser.close()
    return int(errors > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
