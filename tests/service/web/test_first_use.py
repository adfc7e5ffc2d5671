"""First use before the camera has sent anything: what is awaited is said, and nothing that needs a
picture is offered.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from rules.observation import AWAITED
from service.referee.inputs import SourceChanged
from tests.service.web.browser import opened, problems
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]


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


def test_a_phone_that_never_came_is_awaited_and_one_that_went_is_lost(
    served: Served, browser: Browser
) -> None:
    gone = "no phone sends pictures: open the camera's page on it and keep it in front"
    served.table.give(SourceChanged("camera", ok=False, reason=f"{AWAITED}{gone}"))
    with opened(browser, served.url + "/") as page:
        banners, sources = page.locator("#banners"), page.locator("#sources")
        expect(banners).to_contain_text("A sensor is awaited")
        expect(banners).to_contain_text("Scan the code on the page “Set up the board”")
        expect(sources).to_contain_text("Camera: awaited")
        expect(page.locator("main")).not_to_contain_text("lost")
        assert not problems(page)
        page.goto(served.url + "/arbiter")
        expect(page.locator(".alert")).to_contain_text("A sensor is awaited")
        expect(page.locator("main")).to_contain_text("Alert: A sensor is awaited")
        expect(page.locator("main")).not_to_contain_text("lost")
        page.goto(served.url + "/")
        served.table.give(SourceChanged("camera", ok=True))
        expect(banners).to_be_empty()
        served.table.give(SourceChanged("camera", ok=False, reason=gone))
        expect(banners).to_contain_text("A sensor is lost")
        expect(banners).to_contain_text("The phone sends no pictures")
        expect(sources).to_contain_text("Camera: does not see")
