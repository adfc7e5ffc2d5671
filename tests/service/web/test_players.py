"""Players: list, page, export, club, erasing, and two taps to choose them in set-up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from rules.words import languages
from service.journal.entry import Role
from service.web import finished
from service.web.policy import Visitor
from service.web.rights import ROUTES
from tests.service.report.test_figures import Told
from tests.service.web.browser import launch, opened, problems
from tests.service.web.serve import Served


@pytest.fixture
def over(served: Served) -> Served:
    """A table at which Mahsa won a match against Jan."""
    served.table.order("set_match", white="Mahsa", black="Jan", length=1)
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])
    for _ in range(2):
        served.table.turn()
    served.table.order("resign", side="black", level=1)
    served.table.order("accept_resignation", side="white")
    return served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, contextlib.closing(launch(playwright)) as found:
        yield found


def players(served: Served) -> dict[str, str]:
    """Ids by name."""
    answer = httpx.get(served.url + "/api/v1/players")
    assert answer.status_code == 200, answer.text
    return {one["name"]: one["id"] for one in answer.json()["players"]}


def test_rulers_see_players_and_nobody_else() -> None:
    routes = [route for route in ROUTES if "/players" in route[1]]
    assert len(routes) == 6
    for role in Role:
        seen = {Visitor("x", role).may(ROUTES[route]) for route in routes}
        assert seen == {role in (Role.ARBITER, Role.DIRECTOR, Role.CONSOLE)}, role


def test_what_the_book_knows_is_told_whole(over: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished, "engine_of", lambda name: Told())
    reports: finished.Reports = over.app.state.reports
    (match,) = reports.matches(over.app.state.desks["t1"])
    reports.judge("t1", match)
    address = f"{over.url}/api/v1/players/{players(over)['Mahsa']}"
    told = httpx.get(address).json()
    (played,) = told["matches"]
    assert (played["opponent"], played["won"], played["score"]) == ("Jan", True, [1, 0])
    assert (played["rating_before"], played["rating_after"]) == (1500, 1509.98)
    assert played["pr"] is not None and played["number"] == 1
    assert told["ratings"] == [{"ruleset": "backgammon", "rating": 1509.98, "experience": 1}]
    assert told["head_to_head"] == [{"opponent": "Jan", "matches": 1, "won": 1, "lost": 0}]
    assert httpx.get(address, params={"formula": "elo"}).json()["ratings"][0]["rating"] == 1516
    assert httpx.get(address, params={"formula": "none"}).status_code == 404


@pytest.mark.parametrize("code", languages())
def test_pages(over: Served, code: str) -> None:
    ident = players(over)["Jan"]
    listed = httpx.get(f"{over.url}/players?lang={code}").text
    assert f'lang="{code}"' in listed and f"/players/{ident}" in listed
    page = httpx.get(f"{over.url}/players/{ident}?lang={code}").text
    assert "Mahsa" in page and 'href="/match/t1/1/1"' in page


def test_an_empty_book_says_so(served: Served) -> None:
    assert "<table" not in httpx.get(served.url + "/players").text
    assert httpx.get(f"{served.url}/players/{'0' * 16}").status_code == 404


def test_a_club_brings_its_own_formula_and_is_told_where_it_is_wrong(over: Served) -> None:
    file = over.app.state.config.folder / "ratings.toml"
    file.write_text(
        '[ours]\ntitle = "Ours"\nstart = 1000\nfactor = 10\nlength_power = 0\nscale = 400\nramp = 1'
    )
    assert ">Ours<" in httpx.get(over.url + "/players?formula=ours").text
    file.write_text("[ours]\nstart = 1")
    answer = httpx.get(over.url + "/api/v1/players")
    assert answer.status_code == 503 and "ratings.toml" in answer.json()["error"]["expected"]


@pytest.mark.browser
def test_club_and_erasing(over: Served, browser: Browser) -> None:
    ident = players(over)["Mahsa"]
    with opened(browser, f"{over.url}/players/{ident}") as page:
        page.locator("[name=club]").fill("Tehran")
        page.locator("#club button").click()
        expect(page.locator("#toasts")).to_contain_text("Saved")
        page.reload()
        expect(page.locator("[name=club]")).to_have_value("Tehran")
        assert not problems(page)
        page.locator("#erase").click()
        page.locator("#erase-sure").click()
        expect(page).to_have_url(f"{over.url}/players")
        expect(page.locator("tbody tr")).to_have_count(1)
        assert not problems(page)
        page.locator("tbody a").click()
        expect(page.locator("#main")).to_contain_text("somebody who was erased")
    assert list(players(over)) == ["Jan"]


@pytest.mark.browser
def test_two_taps_choose_who_played_lately(over: Served, browser: Browser) -> None:
    with opened(browser, over.url + "/setup") as page:
        recent = page.locator("#recent button")
        expect(recent).to_have_count(2)
        page.locator("#recent").get_by_text("Jan", exact=True).click()
        page.locator("#recent").get_by_text("Mahsa", exact=True).click()
        expect(page.locator("[name=white]")).to_have_value("Jan")
        expect(page.locator("[name=black]")).to_have_value("Mahsa")
        page.locator("#recent").get_by_text("Jan", exact=True).click()
        expect(page.locator("[name=white]")).to_have_value("")
        assert not problems(page)
