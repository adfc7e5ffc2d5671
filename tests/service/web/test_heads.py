"""What stands for the record is shown to everybody at each game's end, so that somebody keeps it:
on the page, the wall, the overlay and the sheet, and in all that leaves the house.
"""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import expect, sync_playwright

from rules.board import Side
from service.journal.chain import HEAD_SHOWN
from service.journal.store import Reader
from service.record.score_sheet import score_sheets
from service.web.delay import Delay
from tests.service.table.world import until
from tests.service.web.browser import DESK, WALL, launch, opened
from tests.service.web.serve import Served


def play_a_game(served: Served) -> tuple[int, str]:
    """Number and hash of the entry that ended it."""
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=9, clock="none")
    table.order("start_game")
    table.order("declare_roll", white=[5], black=[2])
    table.turn()
    table.order("resign", side="black", level=1)
    table.order("accept_resignation", side=Side.WHITE.value)
    with Reader(table.journal) as reader:
        entries = reader.read()
    ended = next(entry for entry in entries if entry.body.kind == "game_ended")
    (sheet,) = score_sheets(entries)
    (game,) = sheet["games"]
    assert (game["seq"], game["head"]) == (ended.seq, ended.hash)
    return ended.seq, ended.hash


def test_whoever_follows_is_given_the_heads_as_late_as_the_rest(served: Served) -> None:
    seq, sealed = play_a_game(served)
    desk = served.app.state.desks["t1"]
    for view in ("staff", "player", "clock", "public", "overlay", "push"):
        until(lambda view=view: (desk.documents[view] or {}).get("games"), f"the game in {view}")
        (game,) = desk.documents[view]["games"]
        assert (game["seq"], game["head"]) == (seq, sealed[:HEAD_SHOWN]), view
    past = httpx.get(f"{served.url}/api/v1/tables/t1/state?at=1e6").json()
    assert past["games"][0]["head"] == sealed[:HEAD_SHOWN]
    served.app.state.delays.set("public", Delay(300))
    desk.delayed()
    guest = httpx.get(f"{served.url}/api/v1/tables/t1/state", headers={"host": "takhte.local"})
    assert guest.json()["held_s"] and not guest.json()["games"]


@pytest.mark.browser
def test_every_face_shows_the_head_at_a_game_s_end(served: Served) -> None:
    seq, sealed = play_a_game(served)
    groups = " ".join(re.findall("....", sealed[:HEAD_SHOWN]))
    said = re.compile(rf"Record: entry {seq}, head \W?{groups}")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for path, size, where in (
            ("/", DESK, "#plays"),
            ("/wall", WALL, "#plays"),
            ("/overlay", WALL, "#foot"),
            ("/sheet/t1", DESK, "#sheet"),
        ):
            with opened(browser, served.url + path, size) as page:
                expect(page.locator(where)).to_contain_text(said)
        browser.close()
