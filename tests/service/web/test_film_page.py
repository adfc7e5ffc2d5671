"""The demo as a newcomer sees it, by real processes in a real browser: to its end, and again."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from service.journal.store import Store
from service.recording.format import Recording
from service.table.options import DEMO
from service.table.replay import replayed
from tests.ports import free_port
from tests.service.table.world import running, until
from tests.service.web.browser import launch, problems

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
PATIENCE_MS = 90_000
PLAYED_S = 110.0
"""So far the demo was played before anybody looks, by its board alone, which takes little time."""


def served(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port)):
        return True


def played_before(folder: Path) -> None:
    """Leave the demo as one that was stopped shortly before its end."""
    journal = folder / "data" / "demo" / "demo-0001.journal"
    journal.parent.mkdir(parents=True)
    replayed(Recording(DEMO), journal, camera=False, until=PLAYED_S)
    with Store.open(journal) as store:
        store.beat(PLAYED_S, time.time(), {"position": PLAYED_S})


def test_the_demo_pauses_ends_without_alarm_and_begins_again(tmp_path: Path) -> None:
    own = free_port()
    address = f"http://127.0.0.1:{own}/"
    ports = ("--port", str(free_port()), "--console-port", str(own))
    played_before(tmp_path)
    with (
        running(tmp_path, "run", *ports, "--speed", "4") as table,
        sync_playwright() as playwright,
    ):
        until(lambda: served(own), "the page", table)
        browser = launch(playwright)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        expect(page.locator("button.ply").first).to_be_visible(timeout=PATIENCE_MS)
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Go on")).to_be_visible()
        expect(page.locator("#camera")).to_be_visible()
        page.set_viewport_size({"width": 1920, "height": 1080})
        expect(page.locator(".plays-card")).to_be_in_viewport(ratio=1)
        expect(page.locator("button.ply").last).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 1366, "height": 768})
        expect(page.locator("#near")).to_be_in_viewport(ratio=1)
        assert problems(page) == []
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("#prompt")).to_have_text("That was the recording", timeout=PATIENCE_MS)
        expect(page.locator("button.ply")).to_have_count(13)
        assert page.locator("#banners").inner_text() == ""
        expect(page.locator("#decided")).to_contain_text(re.compile("chris64.* wins 1"))
        clocks = page.locator(".clock .time")
        before = clocks.all_inner_texts()
        page.get_by_role("button", name="Why?").click()
        expect(page.locator("dialog .sure")).to_contain_text(re.compile("Seen by"))
        page.get_by_role("button", name="Done").click()
        assert clocks.all_inner_texts() == before, "nobody's clock runs behind a film that is over"
        page.get_by_role("button", name="Watch again").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=PATIENCE_MS)
        browser.close()
