"""The desk: a film with five faults put right in a browser, a journal's match over the API, and who
may.
"""

from __future__ import annotations

import contextlib
import random
import re
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Page, expect, sync_playwright

from rules.board import Side
from rules.game import Played
from rules.notation.jsonform import read_json
from rules.notation.mat import read_mat
from rules.play import plays
from rules.words import languages
from service.film.kept import FilmRead, keep
from service.record.sealed_amendment import read_sealed
from service.web.finished import Reports
from tests.service.amend.reels import Truth, frame_of, played, read_well, with_fault
from tests.service.web.browser import DESK, PHONE, WALL, launch, opened, problems
from tests.service.web.serve import Served
from tests.service.web.test_finished import begin, end

FAULTS = (1, 3, 5, 7, 9)
TURNS = 11
ISOLATES = "\u2066\u2069 "
"""Marks that keep notation left-to-right."""


def on_shelf(served: Served, read: FilmRead, name: str = "evening") -> str:
    """A transcript with its pictures in the folder where the desk finds it; its address."""
    folder = Path(served.app.state.config.folder) / "films" / name
    (folder / "pictures").mkdir(parents=True)
    keep(read, folder / "reading.npz")
    for still in read.stills:
        grey = np.full((60, 100, 3), still.frame % 200, np.uint8)
        cv2.imwrite(str(folder / "pictures" / f"{still.frame}.jpg"), grey)
    return f"{served.url}/api/v1/films/{name}/amend"


def faulty() -> tuple[list[Truth], FilmRead]:
    truth, rng = played(TURNS, 2), random.Random(2)
    read = read_well(truth)
    for number in FAULTS:
        read = with_fault(read, truth, number, rng)
    return truth, read


COUNTING = """() => {
  window.cost = { keys: 0, taps: 0 };
  addEventListener("keydown", (event) => { cost.keys += event.isTrusted; }, true);
  addEventListener("pointerdown", (event) => { cost.taps += event.isTrusted; }, true);
}"""
"""Counts what the page's own window is told of, whatever the test believes it did."""


def put_right(page: Page, truth: list[Truth], number: int, *, by_keys: bool) -> float:
    """One play: its row, its dice, the legal play that was made; the seconds until what follows was
    read again.
    """
    one = truth[number]
    row = page.locator("#rows li[id]").nth(number)
    row.click()
    page.keyboard.press(str(one.roll.high))
    page.keyboard.press(str(one.roll.low))
    pressed = page.locator("#plays [aria-pressed=true]")
    expect(pressed).to_have_count(1)
    if not by_keys and pressed.inner_text().strip(ISOLATES) != str(one.play):
        page.locator("#plays button").filter(has_text=exactly(one)).click()
    for _ in plays(one.before, one.roll):
        if pressed.inner_text().strip(ISOLATES) == str(one.play):
            break
        page.keyboard.press("ArrowRight")
    expect(pressed).to_have_text(exactly(one))
    with page.expect_response(lambda r: r.request.method == "POST") as answer:
        page.keyboard.press("Enter")
    expect(page.locator(f"#row-{number}")).to_contain_text("✓", timeout=60_000)
    answer.value.finished()
    return float(answer.value.request.timing["responseEnd"]) / 1000


def exactly(one: Truth) -> re.Pattern[str]:
    """The play as the desk writes it, with the marks around it."""
    return re.compile(rf"^.?{re.escape(str(one.play))}.?$")


@pytest.mark.browser
@pytest.mark.timeout(240)
def test_a_film_with_five_faults_is_put_right(served: Served) -> None:
    truth, read = faulty()
    address = on_shelf(served, read)
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
        opened(browser, served.url + "/amend", DESK) as page,
    ):
        page.get_by_role("link", name="evening").click()
        page.set_default_timeout(60_000)
        expect(page.locator("#left")).to_contain_text("doubtful", timeout=60_000)
        expect(page.locator("#after")).to_be_visible()
        assert not problems(page)
        page.evaluate(COUNTING)
        again = [put_right(page, truth, n, by_keys=n == FAULTS[0]) for n in FAULTS]
        cost = page.evaluate("cost")
        assert cost["keys"] + cost["taps"] <= 5 * len(FAULTS), "row, dice, play, Enter"
        print(f"{len(FAULTS)} faults: {cost}, read again in {[round(one, 1) for one in again]} s")
        # Names, a cube that no camera saw, and how the game ended.
        page.get_by_role("button", name="Names and length").click()
        dialog = page.locator("dialog[open]")
        dialog.locator("[name=white]").fill("Mahsa")
        dialog.locator("[name=black]").fill("Jan")
        dialog.locator("[name=length]").fill("7")
        dialog.get_by_role("button", name="So it was").click()
        expect(page.locator("#white")).to_have_text("Mahsa", timeout=60_000)
        page.locator("#row-4").click()
        page.keyboard.press("c")
        page.get_by_role("button", name="doubled, it was taken").click()
        expect(page.locator("#rows")).to_contain_text("takes", timeout=60_000)
        page.locator("#rows li[id]").nth(TURNS + 1).click()
        page.keyboard.press("e")
        page.get_by_role("button", name="Mahsa wins a gammon").click()
        expect(page.locator("#final")).to_contain_text("4 : 0", timeout=60_000)
        page.get_by_role("button", name="Seal as amended").click()
        expect(page.locator("#sealed")).to_contain_text("console")
        # The last change is taken back; what was sealed stays.
        page.keyboard.press("u")
        expect(page.locator("#final")).to_contain_text("0 : 0", timeout=60_000)
    folder = Path(served.app.state.config.folder)
    (sealed,) = (folder / "amended").glob("*.amended.json")
    record = read_sealed(sealed.read_bytes()).record
    made = [action for action in record.actions if isinstance(action, Played)]
    assert [(p.side, p.after) for p in made] == [(t.side, t.play.placement) for t in truth]
    assert record.final().score.white == 4
    read_mat(httpx.get(address + "/file.mat").text)


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_the_page_is_clean_on_every_screen(served: Served) -> None:
    begin(served)
    end(served)
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
    ):
        for size, lang, dark in ((PHONE, "fa", True), (WALL, "en", False)):
            with opened(
                browser, f"{served.url}/amend/t1/1?lang={lang}", size, lang=lang, dark=dark
            ) as page:
                expect(page.locator("#rows li[id]").first).to_be_visible()
                assert not problems(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                assert width <= size[0], "nothing is to be scrolled to sideways"


def test_a_match_of_the_journal_is_put_right_and_sealed(served: Served) -> None:
    begin(served)
    end(served)
    address = served.url + "/api/v1/tables/t1/matches/1/amend"
    now = httpx.get(address).json()
    rows = [row for row in now["rows"] if row["kind"] == "play"]
    assert len(rows) >= 6 and now["rows"][-1]["kind"] == "end" and now["edits"] == []
    row = now["rows"].index(rows[-1])
    high, low = rows[-1]["dice"]
    asked = httpx.get(f"{address}/plays", params={"row": row, "high": high, "low": low}).json()
    other = next((p for p in asked["plays"] if p["board"] != rows[-1]["after"]), None)
    assert other is not None
    said = {"what": "play", "mark": rows[-1]["mark"], "board": other["board"]}
    changed = httpx.post(address, json={"seen": 0, "said": said}).json()
    assert changed["rows"][row]["after"] == other["board"] and changed["rows"][row]["said"]
    assert changed["edits"][0]["by"] == "console"
    late = httpx.post(address, json={"seen": 0, "said": said})
    assert late.status_code == 409 and late.json()["error"]["code"] == "outdated"
    # Nothing shows it before it is sealed; then pages and files do.
    before = httpx.get(served.url + "/download/t1/1.json").text
    httpx.post(address + "/seal", json={"seen": 1}).raise_for_status()
    after = httpx.get(served.url + "/download/t1/1.json").text
    assert before != after
    last = [a for a in read_json(after).actions if isinstance(a, Played)][-1]
    assert list(last.after.white) == other["board"]["white"]
    page = httpx.get(served.url + "/match/t1/1/1").text
    assert "Put right after the match by console" in page and 'href="/amend/t1/1"' in page
    reports: Reports = served.app.state.reports
    (match,) = reports.matches(served.app.state.desks["t1"])
    assert match.sealed is not None and match.source.record.final().score.white == 1
    httpx.delete(address, params={"seen": 1}).raise_for_status()
    # Where a record breaks off a play can be added, of the side whose turn it was.
    asked = {"row": row, "high": 3, "low": 1, "missed": True}
    missed = httpx.get(f"{address}/plays", params=asked).json()
    assert missed["side"] != rows[-1]["side"]
    assert httpx.get(address).json()["edits"] == []


@pytest.mark.parametrize("code", languages())
def test_guests_and_players_see_nothing_of_it(tmp_path: Path, code: str) -> None:
    served = Served(tmp_path, console=False)
    try:
        truth, _ = faulty()
        on_shelf(served, read_well(truth[:4]))
        begin(served)
        end(served)
        for path in (
            "/amend",
            "/amend/t1/1",
            "/amend-film/evening",
            "/api/v1/films/evening/amend",
            "/api/v1/films/evening/amend/file.mat",
            f"/api/v1/films/evening/pictures/{frame_of(0)}.jpg",
            "/api/v1/tables/t1/matches/1/amend",
        ):
            answer = httpx.get(f"{served.url}{path}", params={"lang": code})
            assert answer.status_code == 401, path
        assert 'href="/amend' not in httpx.get(served.url + "/match/t1/1/1").text
    finally:
        served.close()


def test_what_cannot_be_is_refused_in_words(served: Served) -> None:
    truth, _ = faulty()
    address = on_shelf(served, read_well(truth[:2]))
    assert httpx.get(address.replace("evening", "other")).status_code == 404
    assert httpx.get(address + "/file.exe").status_code == 404
    assert httpx.get(address + "/plays?row=99&high=3&low=1").status_code == 404
    assert httpx.get(address.replace("/amend", "/pictures/7.jpg")).status_code == 404
    assert httpx.get(address.replace("/amend", f"/pictures/{frame_of(0)}.jpg")).status_code == 200
    for said in ({"what": "play", "mark": 1}, {"what": "cube", "mark": 0, "answer": "maybe"}, {}):
        assert httpx.post(address, json={"seen": 0, "said": said}).status_code == 422
    # What no turn explains is not taken into a film's record, and nothing of it is kept.
    board = {"white": [15] + [0] * 25, "black": [0] * 25 + [15]}
    said = {"what": "play", "mark": frame_of(1), "board": board, "dice": [6, 5]}
    odd = httpx.post(address, json={"seen": 0, "said": said}, timeout=120)
    assert odd.status_code == 409 and odd.json()["error"]["code"] == "does_not_follow"
    assert httpx.get(address).json()["edits"] == []
    assert read_json(httpx.get(address + "/file.json").text).names[Side.WHITE] == "light"
