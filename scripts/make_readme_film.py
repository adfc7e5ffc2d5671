"""Writes docs/demo.jpg, the picture that the README opens with: the demo's page after five plays,
by real processes in a real browser (`python scripts/make_readme_picture.py`, with the test extras).
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Error, sync_playwright  # noqa: E402

from tests.service.web.browser import launch  # noqa: E402

PICTURE = ROOT / "docs/demo.jpg"
SIZE = {"width": 1280, "height": 870}
PLAYS = 5
PATIENCE_MS = 120_000
TRIES = 240  # Half seconds to wait for the page.


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def shoot(port: int) -> None:
    """Open the page, wait for the plays, pause the film where both dice lie there, and write it."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport=SIZE, device_scale_factor=1)
        page.set_default_timeout(PATIENCE_MS)
        for _ in range(TRIES):
            try:
                page.goto(f"http://127.0.0.1:{port}/")
                break
            except Error:  # The page is not there yet.
                time.sleep(0.5)
        else:
            raise SystemExit("the page did not come: takhte run says why above")
        page.locator("button.ply").nth(PLAYS - 1).wait_for()
        page.locator("#board .die").first.wait_for()
        page.get_by_role("button", name="Pause").click()
        page.wait_for_timeout(2500)
        page.screenshot(path=PICTURE, type="jpeg", quality=82)
        browser.close()


def main() -> int:
    port = free_port()
    ports = ["--port", str(free_port()), "--console-port", str(port)]
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
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
