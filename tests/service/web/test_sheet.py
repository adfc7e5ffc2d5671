"""The score sheet tells what was done with the cube: without it nobody sees why a game paid two."""

from __future__ import annotations

import contextlib

import pytest
from playwright.sync_api import expect, sync_playwright

from rules.board import Side
from rules.observation import CubeOwner
from service.referee.inputs import CubeWatched
from tests.service.web.browser import DESK, launch, opened
from tests.service.web.serve import Served

LINES = """() => [...document.querySelectorAll('.moves tr')].map(
  (tr) => [...tr.cells].map((cell) => cell.textContent))"""


def lines_of(served: Served) -> list[list[str]]:
    """The rows of the sheet's first game, a cell each."""
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
        opened(browser, served.url + "/sheet/t1", DESK) as page,
    ):
        expect(page.locator("[data-ready=true] .moves")).to_be_visible()
        found: list[list[str]] = page.evaluate(LINES)
    return found


@pytest.mark.browser
def test_the_date_is_that_of_the_match_whenever_the_sheet_is_printed(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=5)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
        opened(browser, served.url + "/sheet/t1", DESK) as page,
    ):
        told = page.locator("[data-ready=true] .heads > div", has_text="Date:")
        day = told.text_content() or ""
        page.clock.set_fixed_time("2031-05-05T12:00:00Z")
        page.reload()
        expect(told).to_have_text(day)
        assert day and "2031" not in day


@pytest.mark.browser
def test_the_cube_stands_among_the_plays(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=5)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    table.turn()
    table.order("offer")
    table.order("take")
    table.turn()
    table.turn()
    table.turn()
    table.order("offer")
    table.order("drop")
    lines = lines_of(served)
    told = [cell for line in lines[1:] for cell in line[1:] if cell]
    assert [cell for cell in told if not cell[0].isdigit()] == [
        "double 2",
        "take 2",
        "double 4",
        "drop",
    ]
    assert lines[2][1:] == ["double 2", "take 2"] and lines[-1][1] == "drop"


@pytest.mark.browser
def test_a_double_that_is_told_later_stands_before_the_turn_it_was_made_in(served: Served) -> None:
    table = served.table
    table.order("set_match", white="Mahsa", black="Jan", length=5)
    table.order("start_game")
    table.order("declare_roll", white=[3], black=[1])
    table.turn()
    table.turn()
    # Between the turn's beginning and the position that is set now: entries round their times.
    laid, stood = (table.state.turn.began + table.now()) / 2, table.state.game.placement
    assert stood is not None and table.state.game.on_roll is Side.WHITE
    sides = {"white": list(stood.white), "black": list(stood.black)}
    table.order("set_position", placement=sides, on_roll="white")
    table.turn()
    table.order("declare_roll", roll=[4, 2])
    table.give(CubeWatched(None, CubeOwner.BLACK, laid, (None, CubeOwner.CENTRE)))
    assert table.state.game.cube_owner is Side.BLACK
    lines = lines_of(served)
    assert [line[1:] for line in lines[1:]][1] == ["double 2", "take 2"]
