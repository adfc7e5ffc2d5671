"""Debian's chromium for the tests: one browser, a fresh context for each page, and axe over what it
shows. The build without a window: the same pages for two thirds of the processor time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Browser, Page, Playwright, expect

CHROMIUM = "/usr/bin/chromium-headless-shell"
WITH_ITS_WARNINGS = "/usr/bin/chromium"
"""The build that asks before it opens a page whose certificate it does not know."""
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE, TABLET, DESK, WALL = (390, 844), (1024, 768), (1280, 860), (1920, 1080)
AXE = next(Path(axe_playwright_python.__file__).parent.glob("**/axe.min.js")).read_text(
    encoding="utf-8"
)
_RUN = (
    "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',"
    " 'best-practice']})"
)


# A machine that is shared is slow for seconds now and then: a page may take as long to show what a
# test waits for as it may take to be clicked.
expect.set_options(timeout=15_000)


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)


@contextmanager
def opened(
    browser: Browser,
    url: str,
    size: tuple[int, int] = DESK,
    *,
    lang: str = "en",
    dark: bool = False,
    token: str = "",
    refused: str = "40[1349]|422",
    **more: Any,
) -> Iterator[Page]:
    """A page in a context of its own; errors of its scripts and of the security policy fail the
    test. `refused`: statuses with which requests of it may be refused.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=lang,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        **more,
    )
    context.set_default_timeout(15_000)
    if token:
        context.add_cookies([{"name": "takhte", "value": token, "url": url}])
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda message: (
            wrong.append(message.text)
            if message.type == "error" and not re.search(f"status of ({refused})", message.text)
            else None
        ),
    )
    page.goto(url)
    try:
        yield page
        assert not wrong, wrong
    finally:
        context.close()


def problems(page: Page) -> list[str]:
    """What axe-core finds, one line each."""
    page.evaluate(AXE)
    found = page.evaluate(_RUN)
    return [
        f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:140]}" for v in found["violations"]
    ]
