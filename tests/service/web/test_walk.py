"""The smallest size of `make walk`: its rows in Persian, on a phone, at a table worked by hand."""

from __future__ import annotations

import pytest
from playwright.sync_api import sync_playwright

from tests.service.web.browser import PHONE, launch
from tests.service.web.serve import Served
from tests.service.web.walk import walk


@pytest.mark.browser
def test_the_rules_are_walked_by_pages_alone(served: Served) -> None:
    with sync_playwright() as playwright:
        assert walk(launch(playwright), served.url, None, "fa", PHONE) == 19
