"""The first evening with a phone: from the code on the table's screen to refereed plays, in a real
browser whose camera is a film. Every tap is counted; the certificate's warning is tapped through.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect, sync_playwright

from service.table.options import DEMO
from tests.service.web.browser import PHONE, launch
from tests.service.web.phone_evening import (
    Pause,
    PhoneNetwork,
    PhoneTable,
    Taps,
    make_film,
    phone_browser,
    phone_table,
    through_the_warning,
)

NEEDS: Final = ("chromium",)
TRUTH: Final = Path(__file__).parents[1] / "data" / "demo.json"
MOST: Final = {"certificate": 2, "permission": 1, "to begin": 5}
GOAL_S: Final = 60.0
BEFORE_CUT: Final = 4
"""Plays on record before the network goes."""
STILL_S: Final = 24.0
"""The film shows the start for so long: meanwhile the phone is let in and a match is begun."""
CLEAR_S: Final = 0.3
"""So long after a play nobody is over the board, and nobody was a moment before."""
LATE_S: Final = 60.0
"""So long after the film's last play it must be on record."""


@dataclass(frozen=True)
class Size:
    """How many plays are waited for, and for how long the phone's network is away on the way."""

    plays: int = 13
    away_s: float = 20.0
    lang: str = "fa"


SMALLEST: Final = Size(plays=0, away_s=0.0)


def main(size: Size) -> None:
    turns = json.loads(TRUTH.read_text())["turns"]
    # While the network is away nobody plays: what the camera does not send, nobody sees.
    clear_at = turns[BEFORE_CUT - 1]["clear_at"] + CLEAR_S
    thinking = Pause(clear_at, size.away_s + 15.0 if size.away_s else 0.0)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        film = folder / "film.mjpeg"
        make_film(DEMO, film, STILL_S if size.plays else 12.0, (thinking,), whole=size.plays > 0)
        with phone_table(folder) as table:
            house = launch(playwright)
            screen = house.new_page(viewport={"width": 1280, "height": 900})
            taps, network = Taps(), PhoneNetwork()
            screen.goto(f"http://127.0.0.1:{table.console}/first-use")
            with phone_browser(playwright, film, PHONE, size.lang, network) as context:
                phone = context.new_page()
                begin(screen, phone, taps)
                begun = time.monotonic() - taps.began
                print(taps.table())
                for kind, most in MOST.items():
                    print(f"taps, {kind}: {taps.of(kind)} (at most {most})")
                    assert taps.of(kind) <= most
                print(f"from the table's screen to Begin: {begun:.0f} s")
                if size.plays:
                    play(table, phone, network, taps, thinking, size, turns)
            network.close()
            house.close()


def begin(screen: Page, phone: Page, taps: Taps) -> None:
    """From the code on the table's screen to *Begin*."""
    screen.wait_for_selector("#door svg")
    phone.goto(screen.inner_text("#door p bdi"))
    phone.click("#go-on")
    taps.tap("to begin", "phone: Go on")
    through_the_warning(phone, taps)
    phone.wait_for_selector("#number:not(:empty)")
    screen.wait_for_selector("#at-the-door button")
    phone.context.grant_permissions(["camera"], origin=phone.url.split("/phone")[0])
    taps.tap("permission", "phone: Allow")
    screen.click("#at-the-door button")
    taps.tap("to begin", "table: Let it in")
    phone.wait_for_url("**/camera*")
    expect(screen.locator("#keep-corners")).to_have_text("Yes, that is it", timeout=40_000)
    screen.click("#keep-corners")
    taps.tap("to begin", "table: Yes, that is it")
    screen.click("[data-step=play] a")
    taps.tap("to begin", "table: Set up a match")
    screen.click("#setup button.primary")
    taps.tap("to begin", "table: Begin")
    screen.wait_for_url(re.compile(r"/\?table="))


def play(
    table: PhoneTable,
    phone: Page,
    network: PhoneNetwork,
    taps: Taps,
    thinking: Pause,
    size: Size,
    turns: list[dict],
) -> None:
    """The film is refereed, its network away for a while; every play is as it truly was."""
    first, cut = None, False
    end = time.monotonic() + STILL_S + turns[-1]["clear_at"] + thinking.seconds + LATE_S
    while len(found := table.plays()) < size.plays and time.monotonic() < end:
        if found and first is None:
            first = time.monotonic() - taps.began
            print(
                f"from the table's screen to the first play on record: {first:.0f} s"
                f" (goal {GOAL_S:.0f})"
            )
        if size.away_s and not cut and len(found) >= BEFORE_CUT:
            cut = True
            network.cut()
            phone.wait_for_timeout(size.away_s * 1000)
            said = phone.inner_text("#sending")
            network.back()
            print(f"network away for {size.away_s:.0f} s; the phone said: {said}")
        phone.wait_for_timeout(300)
    right = sum(
        list(entry.placement.white) == turn["placement"]["white"]
        and list(entry.placement.black) == turn["placement"]["black"]
        and str(entry.roll) == "".join(map(str, turn["roll"]))
        for entry, turn in zip(found, turns, strict=False)
    )
    print(f"plays on record: {len(found)} of {size.plays}, right: {right}")
    assert right == len(found) == size.plays
