"""Phones at the door, and a tablet as the clock, in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from service.journal.entries import PhonePressed, TurnPressed
from service.journal.entry import Role
from service.journal.store import Reader
from service.web.access import Access
from service.web.app import create_app
from service.web.config import WebConfig
from service.web.knocks import KNOCK_S, CrowdedError, Knocks
from service.web.policy import Visitor
from tests.service.web.browser import PHONE, TABLET, launch, opened, problems
from tests.service.web.serve import Served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def test_a_phone_is_let_in_once_by_whoever_sees_its_number() -> None:
    knocks = Knocks()
    secret, knock = knocks.knock("camera", "t1", "Android", "10.0.0.9", 0.0)
    other, _ = knocks.knock("clock", "t1", "iPad", "10.0.0.8", 1.0)
    assert re.fullmatch(r"\d{4}", knock.number) and knocks.at_the_door(1.0)[0] == knock
    waiting = knocks.answer(secret, 2.0)
    assert waiting is not None and not waiting.token
    knocks.let_in(knock, "token", 3.0)
    found = knocks.answer(secret, 4.0)
    assert found is not None and found.token == "token"
    assert knocks.answer(secret, 4.0) is None
    still = knocks.answer(other, 4.0)
    assert still is not None and not still.token


def test_a_knock_and_a_session_that_nobody_fetches_are_forgotten() -> None:
    knocks = Knocks()
    secret, knock = knocks.knock("camera", "t1", "", "10.0.0.9", 0.0)
    assert knocks.answer(secret, KNOCK_S + 0.1) is None
    secret, knock = knocks.knock("camera", "t1", "", "10.0.0.9", 100.0)
    knocks.let_in(knock, "token", 150.0)
    assert knocks.answer(secret, 150.0 + KNOCK_S + 0.1) is None


def test_a_crowd_at_the_door_is_told_to_wait() -> None:
    knocks = Knocks()
    for _ in range(3):
        knocks.knock("camera", "t1", "", "10.0.0.9", 0.0)
    with pytest.raises(CrowdedError):
        knocks.knock("camera", "t1", "", "10.0.0.9", 1.0)
    for n in range(13):
        knocks.knock("camera", "t1", "", f"10.0.1.{n}", 1.0)
    with pytest.raises(CrowdedError):
        knocks.knock("camera", "t1", "", "10.0.2.1", 1.0)
    knocks.knock("camera", "t1", "", "10.0.2.1", KNOCK_S + 2.0)


WHO = [
    # asked for, role and side once it is in
    ("player", "player", None),
    ("white", "player", "white"),
    ("black", "player", "black"),
    ("annotator", "annotator", None),
    ("arbiter", "arbiter", None),
    ("clock", "clock", None),
]


@pytest.mark.parametrize(("asked", "role", "side"), WHO)
def test_a_device_is_let_in_as_what_it_asked_to_be_and_no_address_tells_a_secret(
    tmp_path: Path, asked: str, role: str, side: str | None
) -> None:
    app = create_app(WebConfig(tmp_path / "a.journal", tmp_path / "a.sock", https_port=8443))
    access: Access = app.state.access
    own, other = (
        access.open_session(Visitor("Ava", Role.DIRECTOR, None, tables))
        for tables in (None, frozenset({"t9"}))
    )
    table = next(iter(app.state.desks))

    async def walk() -> None:
        transport = httpx.ASGITransport(app, client=("192.0.2.7", 5))
        async with httpx.AsyncClient(transport=transport, base_url="https://192.168.1.2") as device:
            door = await device.get(
                f"/api/v1/phones/door?as={asked}", headers={"cookie": f"takhte={own}"}
            )
            assert "code" not in door.json()["address"]
            page = await device.get(f"/phone?as={asked}&table={table}")
            assert page.status_code == 200
            given = {"role": asked, "table": table}
            knock = (await device.post("/api/v1/knocks", json=given)).json()
            headers = {"origin": "https://192.168.1.2"}
            waiting = await device.get("/api/v1/knocks", headers={"cookie": f"takhte={own}"})
            (found,) = waiting.json()["knocks"]
            for token, code in ((other, 403), (own, 200)):
                answer = await device.post(
                    f"/api/v1/knocks/{found['ident']}",
                    headers={**headers, "cookie": f"takhte={token}"},
                )
                assert answer.status_code == code, answer.text
            await device.post("/api/v1/knocks/answer", json={"secret": knock["secret"]})
            me = (await device.get("/api/v1/me")).json()
            assert (me["role"], me["side"], me["tables"]) == (role, side, [table])

    asyncio.run(walk())


def test_nobody_knocks_over_a_plain_connection(tmp_path: Path) -> None:
    app = create_app(WebConfig(tmp_path / "a.journal", tmp_path / "a.sock"))

    async def ask() -> tuple[int, int, int]:
        transport = httpx.ASGITransport(app, client=("192.0.2.7", 5))
        given = {"role": "camera", "table": "t1"}
        async with httpx.AsyncClient(transport=transport) as client:
            plain = await client.post("http://192.168.1.2/api/v1/knocks", json=given)
            sealed = await client.post("https://192.168.1.2/api/v1/knocks", json=given)
            arbiter = await client.post(
                "https://192.168.1.2/api/v1/knocks", json={**given, "role": "director"}
            )
        return plain.status_code, sealed.status_code, arbiter.status_code

    assert asyncio.run(ask()) == (403, 200, 422)


@pytest.mark.browser
@pytest.mark.parametrize("lang", ["en", "fa"])
def test_the_plain_page_says_what_the_browser_will_say_and_holds_no_secret(
    lang: str, tmp_path: Path, browser: Browser
) -> None:
    served = Served(tmp_path, host="127.0.0.1")
    try:
        # A name that is no loopback: so it looks to a phone.
        address = f"http://phone.localhost:{served.port}/phone?as=camera"
        with opened(browser, address, PHONE, lang=lang) as page:
            expect(page.locator("h1")).to_be_visible()
            assert not problems(page)
            assert not page.context.cookies()
    finally:
        served.close()


@pytest.mark.browser
def test_a_tablet_is_the_clock_and_its_presses_are_kept_while_the_network_is_away(
    served: Served, browser: Browser
) -> None:
    table = served.table
    table.order("set_match", white="Anna", black="Bahram", length=5, clock="ours")
    table.order("start_game", starter="white")
    table.order("declare_roll", roll=[3, 1])
    token = served.app.state.access.open_session(
        Visitor("clock", Role.CLOCK, None, frozenset({"t1"}))
    )
    with opened(browser, served.url + "/clock", TABLET, token=token) as page:
        expect(page.locator("[data-name=white]")).to_have_text("Anna")
        assert not problems(page)
        assert "checker" not in page.content() and page.locator("#board").count() == 0
        half = page.locator(".half[data-press=white]")
        page.evaluate(
            "() => { window.wait = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }"
        )
        half.dispatch_event("pointerdown")
        expect(page.locator("#kept")).to_be_visible()
        page.reload()
        expect(page.locator("#kept")).to_be_hidden()
        for level in ("A single game", "A gammon"):
            page.locator("[data-press=resign]").dispatch_event("pointerdown")
            expect(page.locator("#tap-says")).to_contain_text(level)
        page.locator("[data-press=drop]").dispatch_event("pointerdown")
        expect(page.locator("#tap-says")).not_to_contain_text("A gammon")
    with Reader(table.journal) as reader:
        bodies = [e.body for e in reader.read()]
    pressed = [b for b in bodies if isinstance(b, PhonePressed)]
    assert (pressed[0].pressed, pressed[0].number) == ("white", 1)
    ended = [b for b in bodies if isinstance(b, TurnPressed)]
    assert [b.source for b in ended] == ["phone"]
    assert ended[0].pressed_at == pytest.approx(pressed[0].pressed_at, abs=0.5)


# `wait_for_function` takes a promise for true, so the page itself waits until it and all its
# parts are kept.
KEPT = """async () => {
    await navigator.serviceWorker.ready;
    const parts = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = parts.filter(({ pathname }) => /^\\/(static|words)\\//.test(pathname));
    for (const wanted of ["/clock", ...own.map(String)]) {
        for (let tries = 0; !(await caches.match(wanted)); tries++) {
            if (tries === 1500) throw new Error(`${wanted} is not kept`);
            await new Promise((go) => setTimeout(go, 20));
        }
    }
}"""


@pytest.mark.browser
def test_the_clock_opens_without_the_network_and_its_presses_arrive_when_it_is_back(
    tmp_path: Path, browser: Browser
) -> None:
    served = Served(tmp_path)
    table, port = served.table, served.port
    table.order("set_match", white="Anna", black="Bahram", length=5, clock="ours")
    table.order("start_game", starter="white")
    table.order("declare_roll", roll=[3, 1])
    who = Visitor("clock", Role.CLOCK, None, frozenset({"t1"}))
    token = served.app.state.access.open_session(who)
    context = browser.new_context()
    context.add_cookies([{"name": "takhte", "value": token, "url": served.url}])
    page = context.new_page()
    page.goto(served.url + "/clock")
    expect(page.locator("[data-name=white]")).to_have_text("Anna")
    page.evaluate(KEPT)
    served.leave()
    # Whatever page is asked for: this device is the clock.
    page.goto(served.url + "/")
    assert page.url.endswith("/clock")
    page.locator(".half[data-press=white]").dispatch_event("pointerdown")
    expect(page.locator("#kept")).to_contain_text("1")
    again = Served(tmp_path, table=table, port=port)
    try:
        expect(page.locator("#kept")).to_be_hidden()
        with Reader(table.journal) as reader:
            ended = [e.body for e in reader.read() if isinstance(e.body, TurnPressed)]
        assert [body.source for body in ended] == ["phone"]
    finally:
        context.close()
        again.close()


@pytest.mark.browser
def test_a_clock_or_camera_sees_no_position(served: Served, browser: Browser) -> None:
    for role, page_of, forbidden in (
        (Role.CAMERA, "/camera", ("/clock", "/setup", "/arbiter")),
        (Role.CLOCK, "/clock", ("/camera", "/setup", "/arbiter")),
    ):
        token = served.app.state.access.open_session(
            Visitor(role.value, role, None, frozenset({"t1"}))
        )
        client = httpx.Client(base_url=served.url, headers={"authorization": f"Bearer {token}"})
        assert client.get(page_of).status_code == 200
        assert [client.get(page).status_code for page in forbidden] == [403] * 3
        assert client.get("/api/v1/tables/t1/entries").status_code == 403
        client.close()


@pytest.mark.browser
def test_a_phone_whose_camera_is_not_allowed_says_so_whatever_the_table_sees(
    served: Served, browser: Browser
) -> None:
    """What helps another camera's picture is no advice for a phone that does not film."""
    context = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, locale="en")
    page = context.new_page()
    try:
        with page.expect_websocket() as found:
            page.goto(served.url + "/camera")
        for _ in range(2):
            found.value.wait_for_event("framereceived", lambda told: '"aim"' in str(told))
        expect(page.locator("#film-again")).to_be_visible()
        expect(page.locator("#advice")).to_contain_text("not allowed")
    finally:
        context.close()


def test_a_phone_that_is_the_clock_has_the_buttons_that_the_table_lacks(served: Served) -> None:
    """Where nothing could press a clock none is proposed; with a phone as the clock it is."""
    served.table.buttons = False
    address = f"{served.url}/api/v1/tables/t1/proposal"
    assert httpx.get(address).json()["clock"] == "none"
    served.app.state.phones.pressing["t1"] = 1
    assert httpx.get(address).json()["clock"] == "us-delay"
