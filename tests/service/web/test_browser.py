"""Journeys in a real browser, from first use to the printed sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rules.board import Side
from service.journal.entry import Role
from service.web.policy import Visitor
from tests.service.web.browser import PHONE, WALL, launch, opened, problems
from tests.service.web.hand import after
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def start(served: Served, **match: object) -> None:
    served.table.order("set_match", **{"white": "Mahsa", "black": "Jan", "length": 5, **match})
    served.table.order("start_game")
    served.table.order("declare_roll", white=[3], black=[1])


def said(page: Page, where: str, text: str) -> None:
    """Wait until an element says this, without the marks that keep names and notation apart."""
    page.wait_for_function(
        """([where, text]) => [...document.querySelectorAll(where)]
            .some((n) => n.textContent.replace(/[\\u2066-\\u2069]/g, '').includes(text))""",
        arg=[where, text],
    )


def prompt(page: Page, text: str) -> None:
    said(page, "#prompt", text)


def test_first_use(served: Served, browser: Browser) -> None:
    """Find, test, drag the corners, watch the clock, let a tablet in: and the tablet is in."""
    with opened(browser, served.url + "/first-use") as page:
        expect(page.locator("#boards button")).to_contain_text("simulated")
        for what in ("leds", "sensors", "clock"):
            page.locator(f"[data-probe={what}]").click()
            expect(page.locator(f"[data-result={what}]")).to_contain_text("Answers")
        corner = page.locator("#corner-marks circle").first
        expect(corner).to_be_visible()
        before = float(corner.get_attribute("cx") or 0)
        corner.focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("#corner-marks circle").first).not_to_have_attribute("cx", str(before))
        page.locator("#find-corners").click()
        expect(page.locator("#corner-marks circle").first).to_have_attribute("cx", "90")
        assert not problems(page)
        page.locator("#pair").click()
        code = page.locator("#pairing .code").inner_text().replace(" ", "")
        expect(page.locator("#pairing .qr svg")).to_be_visible()
        with opened(
            browser,
            f"{served.url}/pair?code={code}",
            PHONE,
            extra_http_headers={"via": "1.1 proxy"},
        ) as tablet:
            tablet.get_by_role("button", name="Pair this device").click()
            tablet.wait_for_url(served.url + "/")
            expect(tablet.get_by_role("link", name="Set up a match")).to_be_visible()


def test_a_match_from_set_up_to_the_score_sheet(served: Served, browser: Browser) -> None:
    with opened(browser, served.url + "/") as page:
        page.get_by_role("link", name="Set up a match").click()
        page.get_by_label("White", exact=True).fill("مهسا")
        page.get_by_label("Black", exact=True).fill("Jan")
        page.get_by_text("3", exact=True).click()
        page.get_by_label("Clock").select_option("us-delay")
        expect(page.locator("#clock-text")).to_contain_text("6 minutes and 12 s")
        assert not problems(page)
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url(re.compile(r"/\?table="))
        prompt(page, "Put the checkers at the start")
        served.table.order("start_game")
        prompt(page, "Opening roll")
        page.get_by_role("button", name="Say the roll").click()
        faces = page.get_by_role("group", name="مهسا").get_by_role("button")
        faces.nth(5).click()
        # The die that was tapped is marked, and no other.
        marked = "(node) => getComputedStyle(node).fontWeight"
        assert [face.evaluate(marked) for face in faces.all()] == ["450"] * 5 + ["600"]
        page.get_by_role("group", name="Jan").get_by_role("button", name="2").click()
        prompt(page, "مهسا plays 6-2")
        served.table.turn()
        expect(page.locator(".ply").first).to_contain_text("62:")
        prompt(page, "Jan rolls, or doubles first")
        expect(page.locator("#far .name")).to_have_text("Jan")
        expect(page.locator("#far")).to_have_class(re.compile("turn"))
        assert page.locator("#board .ck").count() == 30
        expect(page.locator("#position-text")).to_contain_text("Last play: White")
        assert not problems(page)
        served.table.order("resign", side="black", level=3)
        prompt(page, "accept the resignation?")
        page.get_by_role("button", name="Accept").click()
        prompt(page, "The match is over")
        page.get_by_role("link", name="Score sheet").click()
        said(page, "#sheet", "wins 3")
        expect(page.locator(".moves td").nth(1)).to_contain_text("62:")
        assert not problems(page)
        page.emulate_media(media="print")
        expect(page.locator(".top")).to_be_hidden()
        expect(page.locator("#sheet")).to_be_visible()


def test_an_illegal_play_from_red_light_to_ruling(served: Served, browser: Browser) -> None:
    start(served, clock="ours")
    table = served.table
    placement = table.state.game.placement
    assert placement is not None
    with (
        opened(browser, served.url + "/") as page,
        opened(browser, served.url + "/arbiter") as desk,
    ):
        prompt(page, "Mahsa plays 3-1")
        expect(desk.locator("#alerts")).to_contain_text("Nothing needs you.")
        table.press()
        table.stands(after(placement, Side.WHITE, (13, 5)))
        prompt(page, "this play is not legal")
        assert page.locator("#board .lampdot.vermilion").count() >= 2
        expect(page.locator("#banners")).not_to_be_empty()
        alert = desk.locator("article.alert")
        expect(alert).to_have_count(1)
        expect(alert).to_contain_text("Illegal play")
        alert.get_by_role("button", name="Evidence").click()
        expect(desk.locator("#evidence")).to_contain_text("Camera")
        expect(desk.locator("#evidence img")).to_be_visible()
        assert not problems(desk)
        alert.get_by_role("button", name="I have seen it").click()
        expect(desk.locator("#alerts")).to_contain_text("Nothing needs you.")
        expect(desk.locator("#audit")).to_contain_text("acknowledged")
        desk.get_by_role("button", name="Rule", exact=True).click()
        desk.get_by_label("Reason").fill("White puts it right; a warning.")
        desk.get_by_role("button", name="Enter the ruling").click()
        expect(desk.locator("#rulings")).to_contain_text("appeal within")
        desk.get_by_role("button", name="Penalise").click()
        desk.get_by_label("Player").select_option("white")
        desk.get_by_label("Reason").fill("illegal play")
        desk.locator("dialog").get_by_role("button", name="Penalise").click()
        expect(desk.locator("#audit")).to_contain_text("Penalty for")
        desk.get_by_role("button", name="Let it stand").click()
        desk.get_by_label("Reason").fill("both players agree")
        desk.locator("dialog").get_by_role("button", name="Let it stand").click()
        expect(page.locator(".ply")).to_contain_text("stands: so ruled")
        expect(page.locator("#near .sub")).to_contain_text("illegal plays: 1")
        page.locator("button.ply").click()
        expect(page.locator("dialog[open]")).to_contain_text("How sure")
        with desk.expect_download() as download:
            desk.get_by_role("link", name="Export everything").click()
        assert download.value.suggested_filename == "takhte-t1.zip"


def test_correcting_on_the_drawn_board(served: Served, browser: Browser) -> None:
    """A legal play is offered first; what no rule allows can be recorded all the same, with its
    reason.
    """
    start(served)
    with opened(browser, served.url + "/") as page:
        page.get_by_role("button", name="Correct", exact=True).click()
        dialog = page.locator("dialog[open]")
        expect(dialog.locator(".option").first).to_be_visible()
        assert dialog.locator(".option").count() == 16
        assert not problems(page)
        dialog.get_by_role("button", name="point 8:").press("Enter")
        dialog.get_by_role("button", name="point 5:").press("Enter")
        expect(dialog).to_contain_text("Not a legal play")
        dialog.get_by_role("button", name="point 6:").click()
        dialog.get_by_role("button", name="point 5:").click()
        said(page, "dialog[open]", "Legal: 8/5 6/5")
        dialog.get_by_role("button", name="Record this play").click()
        expect(page.locator(".ply")).to_contain_text("8/5 6/5")
        assert served.table.state.match.plays[-1].by_hand
        served.table.order("declare_roll", roll=[6, 5])
        page.get_by_role("button", name="Correct", exact=True).click()
        dialog.get_by_role("button", name="point 13:").click()
        dialog.get_by_role("button", name="point 4:").click()
        dialog.get_by_role("button", name="It stands although illegal").click()
        assert served.table.state.game.on_roll is Side.BLACK  # a reason is asked for first
        dialog.get_by_label("Reason").fill("nobody noticed")
        dialog.get_by_role("button", name="It stands although illegal").click()
        expect(page.locator(".ply").nth(1)).to_contain_text("stands")
        assert (
            served.table.state.game.on_roll is Side.WHITE
            and served.table.state.match.plays[-1].infraction
        )


def test_correcting_an_earlier_play_and_setting_the_position(
    served: Served, browser: Browser
) -> None:
    start(served)
    served.table.turn(lambda plays: next(p for p in plays if str(p) == "8/7 6/3"))
    served.table.turn()
    with opened(browser, served.url + "/arbiter") as desk:
        desk.locator("#scrub").wait_for()
        desk.get_by_role("button", name="Set the position").click()
        dialog = desk.locator("dialog[open]")
        assert not problems(desk)
        dialog.get_by_role("button", name="point 6:").click()
        dialog.get_by_role("button", name="point 5:").click()
        dialog.get_by_label("On roll").select_option("black")
        dialog.get_by_label("Reason").fill("knocked over")
        dialog.get_by_role("button", name="Set the position").click()
        expect(desk.locator("#audit")).to_contain_text("set by hand")
    with opened(browser, served.url + "/") as page:
        page.locator("button.ply").first.click()
        page.get_by_role("button", name="Correct this play").click()
        page.locator("dialog[open] .option", has_text="8/5 6/5").click()
        page.get_by_label("Reason").fill("seen on the video")
        page.get_by_role("button", name="Record this play").click()
        said(page, ".ply", "corrected")
        said(page, ".ply", "8/5 6/5")


def test_the_cube(served: Served, browser: Browser) -> None:
    start(served)
    served.table.turn()
    with opened(browser, served.url + "/") as page:
        page.get_by_role("button", name="Double", exact=True).click()
        prompt(page, "Mahsa: take or drop?")
        expect(page.locator("#board .cube.offered text")).to_have_text("2")
        page.get_by_role("button", name="Take").click()
        prompt(page, "Jan rolls")
        assert served.table.state.game.cube == 2
        served.table.turn()
        page.get_by_role("button", name="Double", exact=True).click()
        page.get_by_role("button", name="Drop").click()
        page.locator("dialog[open]").get_by_role("button", name="Drop").click()
        prompt(page, "The game is over")
        expect(page.locator("#near .score")).to_have_text("2")


def test_an_adjournment(served: Served, browser: Browser) -> None:
    start(served, clock="ours")
    with opened(browser, served.url + "/") as page:
        page.get_by_role("button", name="More").click()
        page.get_by_role("button", name="Adjourn", exact=True).click()
        page.get_by_label("Reason (if any)").fill("lunch")
        page.locator("dialog[open]").get_by_role("button", name="Adjourn").click()
        prompt(page, "The match is adjourned")
        page.get_by_role("button", name="Resume the match").click()
        prompt(page, "Mahsa plays 3-1")


def test_persian_on_a_phone_and_on_paper(served: Served, browser: Browser) -> None:
    start(served, white="مهسا رحیمی", black="Jan")
    served.table.turn()
    with opened(browser, served.url + "/", PHONE, lang="fa") as page:
        prompt(page, "Jan")
        name, below = page.evaluate(
            """['name', 'sub'].map((what) => {
              const inside = document.createRange();
              inside.selectNodeContents(document.querySelector(`#far .${what}`));
              return inside.getBoundingClientRect().right;
            })"""
        )
        assert abs(name - below) < 2, "a Latin name stands where a Persian one would"
        assert page.locator("html").get_attribute("dir") == "rtl"
        assert page.locator("#board .num-edge").first.text_content() in {"۱", "۱۲", "۱۳", "۲۴"}
        expect(page.locator(".ply bdi").first).to_have_attribute("dir", "ltr")
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.board-box')).direction")
            == "ltr"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        texts = page.locator("h1, h2, button, summary, p, label, legend, dt").all_text_contents()
        assert not [
            t
            for t in texts
            if re.search(r"[A-Za-z]{2,}", re.sub("[\u2066\u2068][^\u2069]*\u2069", "", t))
        ]
        assert not problems(page)
    with opened(browser, served.url + "/sheet/t1", lang="fa") as page:
        expect(page.locator("#sheet")).to_contain_text("برگهٔ امتیاز")
        expect(page.locator("#sheet")).to_contain_text("مهسا رحیمی")
        page.emulate_media(media="print")
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.moves')).direction") == "ltr"
        )
        assert len(page.pdf()) > 5000


def test_a_spectators_wall(served: Served, browser: Browser) -> None:
    """The wall shows no button, no alert and nothing that only the table may know, on the table's
    own machine as well: what its screen shows, many eyes see."""
    start(served)
    placement = served.table.state.game.placement
    assert placement is not None
    with opened(browser, served.url + "/wall", WALL) as page:
        prompt(page, "Mahsa plays 3-1")
        served.table.order("call_director")
        served.table.press()
        served.table.stands(after(placement, Side.WHITE, (13, 5)))
        prompt(page, "The table is looking")
        assert page.locator(".side button, .lampdot").count() == 0
        said = page.locator("main").inner_text()
        assert "legal" not in said
        assert "director" not in said
        assert not problems(page)


def test_a_page_that_wants_somebody_asks_who_it_is_and_then_opens(
    tmp_path: Path, browser: Browser
) -> None:
    served = Served(tmp_path, console=False)
    try:
        served.app.state.access.set_account("sara", "a long sentence", Role.ARBITER, None)
        start(served)
        with opened(browser, served.url + "/arbiter", PHONE) as page:
            expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
            assert not problems(page)
            page.get_by_label("Name").fill("sara")
            page.get_by_label("Password").fill("a long sentence")
            page.get_by_role("button", name="Sign in").click()
            prompt(page, "Mahsa plays 3-1")
            assert page.url == served.url + "/arbiter"
            page.goto(served.url + "/first-use")
            expect(page.locator("main")).to_contain_text("This device may not open this page")
    finally:
        served.close()


def test_alerts_of_the_match_before_are_not_this_matchs(served: Served, browser: Browser) -> None:
    start(served)
    served.table.order("call_director")
    with opened(browser, served.url + "/") as page:
        banners = page.locator("#banners")
        expect(banners).to_contain_text("The director is called")
        served.table.order("end_match", reason="late")
        served.table.order("set_match", white="Ali", black="Jan", length=3)
        expect(banners).to_be_empty()


def test_the_page_comes_back_after_the_table_was_away(served: Served, browser: Browser) -> None:
    start(served)
    with opened(browser, served.url + "/") as page:
        prompt(page, "Mahsa plays 3-1")
        served.table.hub.close()
        expect(page.locator("#link")).to_contain_text("does not answer")
        prompt(page, "Mahsa plays 3-1")


@pytest.mark.parametrize("path", ["/sign-in", "/pair", "/docs"])
def test_pages_for_everybody_are_accessible(served: Served, browser: Browser, path: str) -> None:
    with opened(browser, served.url + path) as page:
        assert not problems(page)


@pytest.mark.parametrize("look", ["light", "dark", "felt", "contrast"])
def test_every_look_is_accessible(served: Served, browser: Browser, look: str) -> None:
    start(served)
    served.table.turn()
    with opened(browser, served.url + "/", dark=look == "dark") as page:
        prompt(page, "rolls")
        page.get_by_role("button", name="Language and look").click()
        if look in ("felt", "contrast"):
            page.locator(f"input[name=board][value={look}]").check()
            assert page.locator("html").get_attribute("data-board") == look
        assert not problems(page)
        page.get_by_role("button", name="Done").click()
        assert not problems(page)


def test_a_player_sees_only_his_own_buttons(served: Served, browser: Browser) -> None:
    start(served, event={"privacy": {"phones": "allowed"}})
    served.table.turn()
    token = served.app.state.access.open_session(
        Visitor("Mahsa", Role.PLAYER, "white", frozenset({"t1"}))
    )
    with opened(browser, served.url + "/", PHONE, token=token) as page:
        prompt(page, "Jan rolls, or doubles first")
        expect(page.get_by_role("button", name="Call the director")).to_be_visible()
        assert page.get_by_role("button", name="Double", exact=True).count() == 0
        assert page.get_by_role("link", name="Arbiter").count() == 0


def test_a_match_is_set_anew_until_its_first_play_and_then_ended_in_two_taps(
    served: Served, browser: Browser
) -> None:
    start(served, length=None)
    with opened(browser, served.url + "/setup?lang=fa") as page:
        expect(page.locator("#begun")).to_be_hidden()
        page.get_by_text("۳", exact=True).click()
        page.get_by_role("button", name="شروع").click()
        page.wait_for_url(re.compile(r"/\?table="))
        assert served.table.state.match.length == 3
        page.goto(served.url + "/setup")
        expect(page.locator("#setup")).to_be_visible()
        # Meanwhile, at the board, a play is made: the form comes too late, and says so in Persian.
        served.table.order("start_game")
        served.table.order("declare_roll", white=[3], black=[1])
        served.table.turn()
        page.get_by_role("button", name="شروع").click()
        expect(page.locator(".toast")).to_contain_text("این مسابقه شروع شده است")
        page.goto(served.url + "/setup")
        expect(page.locator("#setup")).to_be_hidden()
        assert not problems(page)
        page.get_by_role("button", name="پایان دادن به این مسابقه").click()
        page.get_by_role("button", name="بله، پایان دهید").click()
        expect(page.locator("#setup")).to_be_visible()
        assert served.table.state.phase.value == "match-over"
