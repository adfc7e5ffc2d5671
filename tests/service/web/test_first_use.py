"""First use before the camera has sent anything: nothing that needs a picture is offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.service.web.browser import launch, opened, problems
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def test_corners_can_be_kept_only_of_a_picture_that_has_come(
    served: Served, browser: Browser
) -> None:
    with opened(browser, served.url + "/sign-in") as page:
        page.route("**/camera.jpg*", lambda route: route.fulfill(status=404))
        page.goto(served.url + "/first-use")
        expect(page.locator("#cameras button")).to_contain_text("USB camera")
        expect(page.locator("#no-picture")).to_contain_text("As soon as one comes")
        keep, find = page.locator("#keep-corners"), page.locator("#find-corners")
        expect(keep).to_be_hidden()
        expect(find).to_be_hidden()
        assert not problems(page)
        page.unroute("**/camera.jpg*")
        expect(keep).to_be_enabled()
        expect(find).to_be_visible()
        expect(page.locator("#corners-asked")).to_contain_text("inside the line")
        page.route("**/camera.jpg*", lambda route: route.fulfill(status=404))
        page.route("**/orders", lambda route: route.fulfill(json={"result": {}}))
        page.locator("#cameras button").click()
        expect(page.locator("#toasts")).to_contain_text("In use from now on")
        expect(keep).to_be_hidden()
        assert keep.is_disabled(), "the corners were the other camera's"
