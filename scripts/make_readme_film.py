"""Writes what the README opens with, docs/demo.webp and docs/demo.jpg: twenty seconds of the demo's
page and one picture of it, by real processes in a real browser (`make readme-film`).
"""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Error, Page, sync_playwright  # noqa: E402

from tests.service.web.browser import launch  # noqa: E402

FILM, PICTURE = ROOT / "docs/demo.webp", ROOT / "docs/demo.jpg"
SIZE = {"width": 1280, "height": 870}
FILM_WIDTH = 960
FILM_S, RATE, QUALITY = 20.0, 5.0, 55
MOST_BYTES = 2_000_000
FROM_PLAY, PLAYS = 2, 6
"""After which play the film begins, and after which the picture is taken."""
PATIENCE_MS = 120_000
TRIES = 240  # Half seconds to wait for the page.


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def arrive(page: Page, port: int) -> None:
    """Open the page as soon as it is there."""
    for _ in range(TRIES):
        try:
            page.goto(f"http://127.0.0.1:{port}/")
            return
        except Error:
            time.sleep(0.5)
    raise SystemExit("the page did not come: takhte run says why above")


def frames_of(page: Page) -> list[tuple[float, bytes]]:
    """What the page shows for so long: PNGs and when each was painted, seconds."""
    taken: list[tuple[float, bytes]] = []
    line = page.context.new_cdp_session(page)

    def take(shot: dict[str, Any]) -> None:
        taken.append((float(shot["metadata"]["timestamp"]), base64.b64decode(shot["data"])))
        line.send("Page.screencastFrameAck", {"sessionId": shot["sessionId"]})

    line.on("Page.screencastFrame", take)
    line.send("Page.startScreencast", {"format": "png"})
    page.wait_for_timeout(FILM_S * 1000)
    line.send("Page.stopScreencast")
    return taken


def write_film(taken: list[tuple[float, bytes]]) -> None:
    """As an animated WebP, which a README plays by itself; a frame stands until the next one."""
    film = cv2.Animation(0)
    images, durations, n, last = [], [], 0, None
    for beat in range(int(FILM_S * RATE)):
        now = taken[0][0] + beat / RATE
        while n + 1 < len(taken) and taken[n + 1][0] <= now:
            n += 1
        if n == last:
            durations[-1] += round(1000 / RATE)
            continue
        last = n
        image = cv2.imdecode(np.frombuffer(taken[n][1], np.uint8), cv2.IMREAD_COLOR)
        height = round(FILM_WIDTH * SIZE["height"] / SIZE["width"])
        images.append(cv2.resize(image, (FILM_WIDTH, height), interpolation=cv2.INTER_AREA))
        durations.append(round(1000 / RATE))
    film.frames, film.durations = tuple(images), tuple(durations)
    cv2.imwriteanimation(str(FILM), film, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    size = FILM.stat().st_size
    print(f"{FILM}: {len(images)} frames, {sum(durations) / 1000:.0f} s, {size / 1e6:.2f} MB")
    if size > MOST_BYTES:
        raise SystemExit(f"expected at most {MOST_BYTES / 1e6} MB: lower QUALITY or RATE")


def shoot(port: int) -> None:
    """Film the page, then pause where both dice lie there and take the picture."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport=SIZE, device_scale_factor=1)
        page.set_default_timeout(PATIENCE_MS)
        arrive(page, port)
        page.locator("button.ply").nth(FROM_PLAY - 1).wait_for()
        taken = frames_of(page)
        page.locator("button.ply").nth(PLAYS - 1).wait_for()
        page.locator("#board .die").first.wait_for()
        page.get_by_role("button", name="Pause").click()
        page.wait_for_timeout(2500)
        page.screenshot(path=PICTURE, type="jpeg", quality=82)
        browser.close()
    write_film(taken)
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} kB")


def main() -> int:
    port = free_port()
    ports = ["--port", str(free_port()), "--console-port", str(port), "--no-browser"]
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "takhte.toml"
        settings.write_text(f"[table]\ndata = '{folder}/data'\n")
        table = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "service.cli", "run", *ports],
            env=os.environ | {"TAKHTE_SETTINGS": str(settings), "PYTHONPATH": str(ROOT)},
        )
        try:
            shoot(port)
        finally:
            table.send_signal(signal.SIGINT)
            table.wait(30)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
