"""Screenshots of what phones and tablets show that are a table's camera or clock, each clean under
axe: part of `make screens`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from rules.words import languages
from service.journal.entry import Role
from service.web.policy import Visitor
from tests.service.web.browser import PHONE, TABLET, opened, problems
from tests.service.web.serve import Served

WIDE_PHONE = (844, 390)
FILM = """() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 800 });
  const brush = canvas.getContext('2d');
  const picture = new Image();
  picture.src = '/film.jpg';
  picture.onload = () => setInterval(() => brush.drawImage(picture, 0, 0, 1280, 800), 50);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(20);
}"""
"""A camera that sees one picture."""
BOARD = Path(__file__).parents[2] / "data/vision/board_117.jpg"


def _film(page: Page) -> None:
    page.route("**/film.jpg", lambda route: route.fulfill(path=BOARD))
    page.add_init_script(f"({FILM})()")
    page.reload()
    page.locator("#outline polygon").wait_for(state="attached")


def _door(served: Served) -> str:
    """The page that the code opens, by a name that is no loopback: so a phone sees it."""
    return f"http://phone.localhost:{served.port}/phone?as=camera"


def shoot(browser: Browser, folder: Path, only: list[str]) -> int:
    """Write the pictures whose names begin with one of `only` (all without)."""
    written = 0
    for lang in languages():
        for name, path, size, role in (
            ("phone-door", "", PHONE, None),
            ("phone-camera", "/camera", PHONE, Role.CAMERA),
            ("phone-camera-wide", "/camera", WIDE_PHONE, Role.CAMERA),
            ("phone-clock", "/clock", PHONE, Role.CLOCK),
            ("phone-clock-tablet", "/clock", TABLET, Role.CLOCK),
        ):
            if only and not any(name.startswith(o) for o in only):
                continue
            with tempfile.TemporaryDirectory() as data:
                served = Served(Path(data), https_port=8443)
                served.table.order("set_match", white="Mahsa", black="Jan", length=5, clock="ours")
                served.table.order("start_game", starter="white")
                token = role and served.app.state.access.open_session(
                    Visitor(role.value, role, None, frozenset({"t1"}))
                )
                for dark in (False, True):
                    address = served.url + path if role else _door(served)
                    with opened(
                        browser, address, size, lang=lang, dark=dark, token=token or ""
                    ) as page:
                        if role is Role.CAMERA:
                            _film(page)
                        page.wait_for_timeout(700)
                        assert not problems(page), name
                        shade = "dark" if dark else "light"
                        page.screenshot(path=folder / f"{name}-{lang}-{shade}.png")
                        written += 1
                served.close()
    return written
