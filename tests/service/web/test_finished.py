"""Matches that are over: pages, pictures, frames in other sites, downloads, the report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

from rules.notation.mat import read_mat
from rules.words import languages
from service.report.decisions import Question
from service.report.drawn import HEIGHT, TOP, WIDTH
from service.report.engine import EngineError, Judgement, Progress
from service.web import finished
from tests.service.report.test_figures import Told
from tests.service.web.browser import launch, opened, problems
from tests.service.web.serve import Served


def begin(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=1)
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])
    for _ in range(6):
        served.table.turn()


def end(served: Served) -> None:
    served.table.order("resign", side="black", level=1)
    served.table.order("accept_resignation", side="white")


@pytest.fixture
def over(served: Served) -> Served:
    begin(served)
    end(served)
    return served


def test_nothing_is_there_before_the_match_is_over(served: Served) -> None:
    begin(served)
    assert "/match/t1/1" not in httpx.get(served.url + "/matches/t1").text
    picture = "picture/t1/1/1"
    for path in ("match/t1/1/1", f"{picture}.svg", f"{picture}.png", "embed/t1/1/1", "report/t1/1"):
        assert httpx.get(f"{served.url}/{path}").status_code == 404, path
    assert httpx.get(served.url + "/download/t1/1.mat").status_code == 404


def test_a_game_s_sheet_leads_to_each_of_its_steps(over: Served) -> None:
    page = httpx.get(over.url + "/match/t1/1/3").text
    sheet = page.split('id="moves"')[1].split("</ol>")[0]
    steps = re.findall(r'href="/match/t1/1/(\d+)"( aria-current="step")?', sheet)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1)) and len(steps) > 6
    assert [number for number, current in steps if current] == ["3"]
    assert "Mahsa wins the game" in sheet
    listed = httpx.get(over.url + "/matches/t1").text
    assert "1-point match" in listed and "<time" in listed


def test_an_ending_counts_once_the_public_may_know_it(served: Served) -> None:
    begin(served)
    answer = httpx.put(served.url + "/api/v1/delays/public", json={"seconds": 600})
    assert answer.status_code == 200, answer.text
    end(served)
    assert httpx.get(served.url + "/match/t1/1/1").status_code == 404


def test_every_position_has_its_address_and_its_picture(over: Served) -> None:
    listed = httpx.get(over.url + "/matches/t1").text
    assert 'href="/match/t1/1/1"' in listed
    evening = httpx.get(over.url + "/dice/t1")
    assert 'class="back"><a href="/matches/t1">' in evening.text
    assert 'href="/dice/t1"' in listed and "Mahsa" in evening.text
    assert "default-src 'none'" in evening.headers["content-security-policy"]
    steps = 0
    path = "/match/t1/1/1"
    while path:
        page = httpx.get(over.url + path).text
        steps += 1
        drawn = httpx.get(f"{over.url}/picture/t1/1/{steps}.svg")
        assert drawn.headers["content-type"] == "image/svg+xml"
        ElementTree.fromstring(drawn.text)
        path = page.split('rel="next" href="')[1].split('"')[0] if 'rel="next"' in page else ""
    assert steps >= 7
    for beyond in (0, steps + 1):
        assert httpx.get(f"{over.url}/match/t1/1/{beyond}").status_code == 404
    assert httpx.get(over.url + "/match/t1/1", follow_redirects=True).url.path == "/match/t1/1/1"
    assert httpx.get(over.url + "/match/t1/2/1").status_code == 404


def test_a_position_is_a_png_for_programs_that_draw_no_svg(over: Served) -> None:
    assert 'href="/picture/t1/1/3.png" download="t1-1-3.png"' in httpx.get(
        over.url + "/match/t1/1/3"
    ).text.replace("\n", " ")
    pictures = []
    for step in (2, 3):
        answer = httpx.get(f"{over.url}/picture/t1/1/{step}.png?width={WIDTH}")
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        pictures.append(cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR))
    assert [one.shape for one in pictures] == [(HEIGHT + 2 * TOP, WIDTH, 3)] * 2
    assert (pictures[0] != pictures[1]).any(), "each step's own board"
    for beyond in ("99.png", "3.png?width=100000"):
        assert httpx.get(f"{over.url}/picture/t1/1/{beyond}").status_code in (404, 422)


def test_another_site_may_show_the_board_and_nothing_else(over: Served) -> None:
    framed = httpx.get(over.url + "/embed/t1/1/2")
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "script-src" not in framed.headers["content-security-policy"]
    assert "<script" not in framed.text and 'href="/embed/t1/1/3"' in framed.text
    page = httpx.get(over.url + "/match/t1/1/2")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


def test_the_match_is_downloaded_in_each_format(over: Served) -> None:
    mat = httpx.get(over.url + "/download/t1/1.mat")
    assert read_mat(mat.text).final().is_over
    assert "attachment" in mat.headers["content-disposition"]
    assert httpx.get(over.url + "/download/t1/1.exe").status_code == 404


@pytest.mark.parametrize("code", languages())
def test_the_report_is_made_once_and_tells_its_progress(
    over: Served, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished, "engine_of", lambda name: Told())
    reports: finished.Reports = over.app.state.reports
    (match,) = reports.matches(over.app.state.desks["t1"])
    reports.judge("t1", match)
    page = httpx.get(f"{over.url}/report/t1/1?lang={code}")
    assert page.text.count("<svg") >= 1 and f'lang="{code}"' in page.text
    assert 'class="back"><a href="/match/t1/1/1">' in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize("code", languages())
def test_a_person_who_opens_what_is_not_there_reads_a_page(served: Served, code: str) -> None:
    asked = {"accept": "text/html", "accept-language": code}
    for path in ("/matches/nowhere", "/match/t1/9/1", "/no-such-page"):
        page = httpx.get(served.url + path, headers=asked)
        assert page.status_code == 404 and f'lang="{code}"' in page.text
        assert httpx.get(served.url + path).json()["error"]["code"]


class Failing:
    name = "failing"

    def judge(
        self, questions: Sequence[Question], progress: Progress
    ) -> Mapping[Question, Judgement]:
        raise EngineError("it does not work <today>")


def test_a_report_without_an_engine_says_why(over: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished, "engine_of", lambda name: Failing())
    reports: finished.Reports = over.app.state.reports
    (match,) = reports.matches(over.app.state.desks["t1"])
    reports.judge("t1", match)
    assert "it does not work &lt;today&gt;" in httpx.get(over.url + "/report/t1/1").text


@pytest.mark.browser
def test_keys_step_through_a_match(over: Served) -> None:
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
        opened(browser, over.url + "/match/t1/1/1") as page,
    ):
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(f"{over.url}/match/t1/1/2")
        # Its script has run once it has written this; before, a key is lost.
        expect(page.locator("#embed")).to_contain_text("/embed/t1/1/2")
        page.keyboard.press("ArrowLeft")
        expect(page).to_have_url(f"{over.url}/match/t1/1/1")
        expect(page.locator("#embed")).to_contain_text("/embed/t1/1/1")
        assert not problems(page)
        page.set_viewport_size({"width": 440, "height": 480})
        for code in languages():
            page.goto(f"{over.url}/embed/t1/1/2?lang={code}")
            assert not problems(page)
            size = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            assert size == [440, 480], "the frame that is offered holds the board and its words"
            under = page.locator("nav").evaluate("one => one.offsetHeight")
            assert under < 50, "words under the board stand on one line"
