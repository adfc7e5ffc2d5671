"""From an entry committed to pixels changed, what the page weighs, and how soon a slow phone paints
it: `make bench-page`.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright

from tests.service.web.browser import PHONE, launch, opened
from tests.service.web.serve import Served

NEEDS: Final = ("chromium-headless-shell",)
WATCH = """() => {
  window.painted = {};
  new PerformanceObserver((list) => list.getEntries().forEach((e) => {
    const seq = Number(e.name.slice("takhte-seq-".length));
    requestAnimationFrame(() => setTimeout(() => { window.painted[seq] ??= Date.now(); }, 0));
  })).observe({entryTypes: ["mark"]});
}"""
SLOW_CPU: Final = 4
"""A slow phone's processor, beside this machine's."""
SLOW_NET: Final = {
    "offline": False,
    "latency": 150.0,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
"""Lighthouse's slow 4G: 1.6 Mbit/s down, 150 ms there and back."""
GOAL_MS: Final = 1500.0
GOAL_SHIFT: Final = 0.05
PAINTS = """() => {
  window.told = { largest: 0, shift: 0 };
  const watch = (type, each) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each))
      .observe({ type, buffered: true });
  watch("largest-contentful-paint", (e) => { window.told.largest = e.startTime; });
  watch("layout-shift", (e) => { if (!e.hadRecentInput) window.told.shift += e.value; });
}"""
"""What the browser itself says of its paints."""


@dataclass(frozen=True)
class Size:
    """Turns played while the page is watched; how often each page is loaded by a slow phone."""

    turns: int = 40
    loads: int = 5


SMALLEST: Final = Size(turns=2, loads=1)
PAGES: Final = ("/", "/clock", "/phone?as=camera", "/setup")


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
        slow = [
            (
                path,
                lang,
                [painted_slowly(browser, served.url + path, lang) for _ in range(size.loads)],
            )
            for path in PAGES
            for lang in ("en", "fa")
            if size.loads
        ]
        browser.close()
        served.close()
    for path, lang, loads in slow:
        first, whole, shift = (
            sorted(column)[len(loads) // 2] for column in zip(*loads, strict=True)
        )
        print(
            f"slow phone, {path} in {lang}: first paint {first:.0f} ms (goal {GOAL_MS:.0f}),"
            f" largest {whole:.0f} ms, layout shift {shift:.3f} (goal {GOAL_SHIFT})"
        )
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


def painted_slowly(browser: Browser, url: str, lang: str) -> tuple[float, float, float]:
    """First and largest paint (ms) and layout shift of a page on a slow phone that has nothing of
    it yet.
    """
    context = browser.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]},
        locale=lang,
        is_mobile=True,
        has_touch=True,
    )
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", SLOW_NET)
    line.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_CPU})
    page.add_init_script(f"({PAINTS})()")
    page.goto(url, wait_until="load")
    page.wait_for_timeout(1500)
    told: dict[str, float] = page.evaluate("window.told")
    first: float = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    context.close()
    return first, told["largest"], told["shift"]
