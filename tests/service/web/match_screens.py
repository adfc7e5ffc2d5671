"""A whole match of three games on the air: every entry compared with the journal, and its moments
shot over a green card and over a photo.

Part of `make screens`; by itself `python -m tests.service.web.match_screens FOLDER`. Ends with 1
where the overlay once said anything else than the journal.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

import cv2
from playwright.sync_api import Browser, sync_playwright

from service.journal.store import Reader
from service.referee.fold import replay
from tests.service.web import air
from tests.service.web.browser import WALL, launch, opened
from tests.service.web.serve import Served

NAMES: Final = {
    "en": {"white": "Mahsa Rahimi", "black": "Jan de Vries"},
    "fa": {"white": "مهسا رحیمی", "black": "کوروش پارسا"},
}
EVENT: Final = {"en": "Nowruz Open", "fa": "جام نوروز"}
MOMENTS: Final = (
    "set",
    "opening-1",
    "rolled-1-5",
    "played-1-20",
    "over-1",
    "begins-2",
    "doubled-2",
    "over-2",
    "taken-3",
    "over-3",
)
PHOTO: Final = Path(__file__).parents[2] / "data/vision/board_117.jpg"


def shoot_match(browser: Browser, folder: Path, lang: str) -> tuple[int, int, list[str]]:
    """(pictures written, comparisons made, what was wrong)."""
    photo, written, compared, wrong = cv2.resize(cv2.imread(str(PHOTO)), WALL), 0, 0, []
    with tempfile.TemporaryDirectory() as data:
        served = Served(Path(data))
        table = served.table
        address = f"{served.url}/overlay?lang={lang}"
        for moment in air.three_games(table, NAMES[lang], EVENT[lang]):
            if moment not in MOMENTS:
                continue
            for name, more in (("green", "&bg=green"), ("photo", ""), ("paper", "&theme=paper")):
                with opened(browser, address + more, WALL, lang=lang) as page:
                    air.settled(page, table.state.seq)
                    png = page.screenshot(omit_background=True)
                cv2.imwrite(
                    str(folder / f"match-{lang}-{moment}-{name}.png"),
                    air.pixels(png) if more == "&bg=green" else air.over(png, photo),
                )
                written += 1
        if lang == "en":
            compared, wrong = compare(browser, served)
        served.close()
    return written, compared, wrong


def compare(browser: Browser, served: Served) -> tuple[int, list[str]]:
    """Every instant of the journal, frozen by `?at=`, against a replay of the journal up to it."""
    with Reader(served.table.journal) as reader:
        entries = reader.read()
    instants, wrong = sorted({entry.at for entry in entries}), []
    with opened(browser, f"{served.url}/overlay?at=0", WALL) as page:
        for at in instants:
            state = replay(e for e in entries if e.at <= at)
            page.goto(f"{served.url}/overlay?at={at}")
            air.settled(page, air.told_by(entries, at))
            said, wanted = air.shown(page, clocks=True), air.expected(state, at, clocks=True)
            if said != wanted:
                wrong.append(f"entry {state.seq} at {at}: shows {said}, the journal says {wanted}")
    return len(instants), wrong


def shoot_all(browser: Browser, folder: Path) -> tuple[int, int]:
    """In each language; (pictures written, instants at which the overlay was wrong), said on
    standard output.
    """
    total, errors = 0, 0
    for lang in NAMES:
        written, compared, wrong = shoot_match(browser, folder, lang)
        total, errors = total + written, errors + len(wrong)
        if compared:
            print(
                f"a match of three games: {compared} instants compared with the journal,"
                f" {len(wrong)} wrong"
            )
        for line in wrong[:10]:
            print(line)
    return total, errors


def main(words: list[str]) -> int:
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        written, errors = shoot_all(browser, folder)
        browser.close()
    print(f"{written} pictures in {folder}/")
    return int(errors > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
