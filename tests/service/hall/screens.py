"""Screenshots of the hall with 48 tables, part of `make screens`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from rules.words import languages
from tests.service.hall.served import ServedHall
from tests.service.hall.staged import stage
from tests.service.web.browser import PHONE, WALL, opened

SHOTS = [
    ("hall-wall", "/", WALL),
    ("hall-wall-phone", "/", PHONE),
    ("hall-desk", "/hall", (1280, 1000)),
    ("hall-arbiter", "/arbiter?table=t17", (1440, 1000)),
]


def shoot(browser: Browser, folder: Path, only: list[str]) -> int:
    """Write the pictures whose names begin with one of `only` (all without)."""
    wanted = [shot for shot in SHOTS if not only or any(shot[0].startswith(o) for o in only)]
    written = 0
    for lang in languages() if wanted else ():
        with tempfile.TemporaryDirectory() as data:
            served = ServedHall(Path(data))
            served.staged(lambda hall, lang=lang: stage(hall, 48, lang))  # type: ignore[misc]
            for name, path, size in wanted:
                for dark in (False, True):
                    with opened(browser, served.url + path, size, lang=lang, dark=dark) as page:
                        page.wait_for_timeout(1500)
                        page.screenshot(
                            path=folder / f"{name}-{lang}-{'dark' if dark else 'light'}.png"
                        )
                        written += 1
            served.close()
    return written
