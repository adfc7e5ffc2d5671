"""Films a match of three games as the overlay shows it: `python -m tests.service.web.filmed FILE`.

One film a layout, with checkers on their way, over a green card or a photo; what is said of the
best streams can be held beside it.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from tests.service.web import air
from tests.service.web.browser import WALL, launch
from tests.service.web.match_screens import EVENT, NAMES
from tests.service.web.serve import Served

RATE = 15.0


def film(out: Path, layout: str, lang: str, theme: str, turns: int, pace: float) -> int:
    """Write the film; returns its frames."""
    taken: list[tuple[float, bytes]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served, browser = Served(Path(folder)), launch(playwright)
        page = browser.new_page(viewport={"width": WALL[0], "height": WALL[1]}, locale=lang)
        page.goto(f"{served.url}/overlay?bg=blue&layout={layout}&lang={lang}&theme={theme}")
        line = page.context.new_cdp_session(page)

        def take(shot: dict[str, Any]) -> None:
            taken.append((time.monotonic(), base64.b64decode(shot["data"])))
            line.send("Page.screencastFrameAck", {"sessionId": shot["sessionId"]})

        line.on("Page.screencastFrame", take)
        line.send("Page.startScreencast", {"format": "jpeg", "quality": 85})
        for moment in air.three_games(served.table, NAMES[lang], EVENT[lang], turns=turns):
            air.settled(page, served.table.state.seq)
            page.wait_for_timeout(pace * (3 if moment.startswith(("doubled", "over")) else 1))
        # A frame that still comes is answered to nobody: the page is closed by then.
        line.remove_listener("Page.screencastFrame", take)
        line.send("Page.stopScreencast")
        browser.close()
        served.close()
    kind = cv2.VideoWriter.fourcc(*"mp4v")
    writer, n, written = cv2.VideoWriter(str(out), kind, RATE, (1280, 720)), 0, 0
    now = taken[0][0]
    while now <= taken[-1][0]:
        while n + 1 < len(taken) and taken[n + 1][0] <= now:
            n += 1
        image = cv2.imdecode(np.frombuffer(taken[n][1], np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        writer.write(cv2.resize(image, (1280, 720), interpolation=cv2.INTER_AREA))
        now, written = now + 1 / RATE, written + 1
    writer.release()
    return written


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("out", type=Path, help="the film, an .mp4")
    words.add_argument("--layout", default="full", choices=list(air.PLAYS))
    words.add_argument("--lang", default="en", choices=list(NAMES))
    words.add_argument("--theme", default="glass")
    words.add_argument("--turns", type=int, default=8, help="turns of each game")
    words.add_argument("--pace", type=float, default=900, help="milliseconds between two moments")
    given = words.parse_args()
    frames = film(given.out, given.layout, given.lang, given.theme, given.turns, given.pace)
    print(f"{given.out}: {frames} frames, {frames / RATE:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
