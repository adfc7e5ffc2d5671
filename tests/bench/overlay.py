"""What a frame of the overlay costs: a match is played over it in every layout with checkers on
their way, chromium traces, and script, style and layout are summed for each frame of the page.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.service.web import air
from tests.service.web.browser import WALL, launch
from tests.service.web.serve import Served

COUNTED: Final = frozenset({"FunctionCall", "UpdateLayoutTree", "Layout", "PrePaint"})
FRAME: Final = "BeginCommitCompositorFrame"
"""What chromium says when a page's frame is done."""
TRACED: Final = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
NAMES: Final = {"white": "Mahsa Rahimi", "black": "Jan de Vries"}


@dataclass(frozen=True)
class Size:
    """Turns of each game, and layouts."""

    turns: int = 12
    layouts: str = "corner,line,side,full,pip"
    most_ms: float = 6.0


SMALLEST: Final = Size(turns=2, layouts="full")


def frames(events: Iterable[dict[str, Any]]) -> list[float]:
    """Milliseconds of script, style and layout for each frame of the page, of a trace's events."""
    out, spent, inside = [], 0.0, 0.0
    for event in sorted(events, key=lambda e: float(e.get("ts", 0))):
        if event["name"] == FRAME:
            out.append(spent / 1000)
            spent = 0.0
        # What lies within another that was counted is counted already.
        elif event["name"] in COUNTED and event.get("ph") == "X" and event["ts"] >= inside:
            inside = event["ts"] + event.get("dur", 0)
            # The thread's own time: what it waited for a busy machine is not the page's.
            spent += event.get("tdur", event.get("dur", 0))
    return out


def main(size: Size) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for layout in size.layouts.split(","):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                served = Served(folder)
                page = browser.new_page(viewport={"width": WALL[0], "height": WALL[1]})
                page.goto(f"{served.url}/overlay?layout={layout}")
                trace = folder / "trace.json"
                browser.start_tracing(page=page, path=trace, categories=TRACED)
                for _ in air.three_games(served.table, NAMES, "Nowruz Open", turns=size.turns):
                    air.settled(page, served.table.state.seq)
                    page.wait_for_timeout(150)
                browser.stop_tracing()
                spent = sorted(frames(json.loads(trace.read_text())["traceEvents"]))
                served.close()
                page.close()
            p50, p99 = spent[len(spent) // 2], spent[int(len(spent) * 0.99)]
            print(
                f"{layout:7} {len(spent):5} frames, script and layout a frame: p50 {p50:.2f} ms,"
                f" p99 {p99:.2f} ms, most {spent[-1]:.2f} ms (at most {size.most_ms:g})"
            )
        browser.close()
