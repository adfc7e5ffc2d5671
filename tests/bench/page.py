"""From an entry committed to pixels changed, and how much the page weighs: `make bench-page`."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.service.web.browser import PHONE, launch, opened
from tests.service.web.serve import Served

NEEDS: Final = ("chromium",)
WATCH = """() => {
  window.painted = {};
  new PerformanceObserver((list) => list.getEntries().forEach((e) => {
    const seq = Number(e.name.slice("takhte-seq-".length));
    requestAnimationFrame(() => setTimeout(() => { window.painted[seq] ??= Date.now(); }, 0));
  })).observe({entryTypes: ["mark"]});
}"""


@dataclass(frozen=True)
class Size:
    """Turns played while the page is watched."""

    turns: int = 40


SMALLEST: Final = Size(turns=2)


def main(size: Size) -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        served = Served(Path(name))
        served.table.order("set_match", white="A", black="B", length=7, clock="ours")
        served.table.order("start_game")
        served.table.order("declare_roll", white=[3], black=[1])
        browser = launch(playwright)
        sizes: dict[str, int] = {}

        unpacked: dict[str, int] = {}

        def weigh(response: Any) -> None:
            if "camera.jpg" not in response.url:
                response.finished()
                sizes[response.url] = response.request.sizes()["responseBodySize"]
                unpacked[response.url] = len(response.body())

        with opened(browser, "about:blank", PHONE, lang="fa") as page:
            page.on("response", weigh)
            page.goto(served.url + "/")
            page.wait_for_selector("#board .ck")
            page.wait_for_timeout(500)
            page.evaluate(WATCH)
            for _ in range(size.turns):
                served.table.turn()
                if served.table.state.phase.value in ("game-over", "match-over"):
                    break
                time.sleep(0.15)
            page.wait_for_timeout(500)
            painted = {int(k): v / 1000 for k, v in page.evaluate("window.painted").items()}
        walls = {e["seq"]: e["wall"] for e in served.app.state.desks["t1"].record.rows()}
        browser.close()
        served.close()
    delays = sorted(1000 * (painted[seq] - walls[seq]) for seq in painted if seq in walls)
    p50, p95 = delays[len(delays) // 2], delays[int(len(delays) * 0.95)]
    print(
        f"entry committed to pixels changed, {len(delays)} updates: p50 {p50:.0f} ms, p95"
        f" {p95:.0f} ms"
    )
    total = sum(sizes.values())
    print(
        f"page weight in Persian without camera: {total / 1000:.0f} kB in {len(sizes)} files, as"
        f" they travel (at most 300 kB; {sum(unpacked.values()) / 1000:.0f} kB unpacked)"
    )
    for url, size in sorted(sizes.items(), key=lambda item: -item[1])[:6]:
        print(
            f"  {size / 1000:6.1f} kB "
            f" {url.partition('/')[2].partition('/')[2].partition('/')[2] or '/'}"
        )
