"""Persian digits stand as near to one another as the font has them; Latin ones are of one width."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.service.web.browser import DESK, PHONE, WALL, opened, problems
from tests.service.web.screens import playing
from tests.service.web.serve import Served

pytestmark = [pytest.mark.browser]
APART = """() => {
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("");
    if (/[۰-۹]/.test(own) && getComputedStyle(node).fontVariantNumeric !== "normal")
      found.push(`${node.className}: ${own}`);
  }
  return found;
}"""
WIDTHS = """async ([digits, weight]) => {
  await document.fonts.load(`${weight} 100px Vazirmatn`, digits);
  const box = document.createElement("span");
  box.className = "num";
  box.style.cssText = `position: absolute; font: ${weight} 100px Vazirmatn`;
  document.body.append(box);
  const found = [...digits].map((d) => {
    box.textContent = d.repeat(10);
    return Math.round(box.getBoundingClientRect().width);
  });
  box.remove();
  return found;
}"""
PARTED = """async ([side, texts]) => {
  const time = document.querySelector(`[data-time=${side}]`);
  const found = [];
  for (const text of texts) {
    time.children[1].textContent = text;
    const last = time.children[1].getBoundingClientRect();
    found.push(Math.round(side === "black" ? last.right : last.left));
  }
  return found;
}"""


def test_persian_digits_stand_together_and_a_running_clock_stands_still(
    served: Served, browser: Browser
) -> None:
    playing("fa", 2)(served)
    for path, size, there in (
        ("/", DESK, "#near .score"),
        ("/arbiter", DESK, "td.num"),
        ("/overlay", WALL, ".time"),
        ("/clock", PHONE, ".half-time"),
    ):
        with opened(browser, served.url + path, size, lang="fa") as page:
            expect(page.locator(there).first).to_contain_text("۰")
            assert page.evaluate(APART) == [], path
            if path == "/clock":
                for side in ("white", "black"):
                    stands = page.evaluate(PARTED, [side, [":۰۰", ":۱۱", ":۳۳", ":۲۵"]])
                    assert len(set(stands)) == 1, "whatever digits stand there"
                expect(page.locator(".half-time").first).to_have_text("۱۴:۰۰۱۴:۰۰")
                expect(page.get_by_role("button", name="۱۴:۰۰")).to_have_count(2)
                assert problems(page) == []


def test_latin_digits_are_of_one_width_without_being_asked(
    served: Served, browser: Browser
) -> None:
    with opened(browser, served.url + "/sign-in") as page:
        for weight in (400, 650, 700, 800):
            assert len(set(page.evaluate(WIDTHS, ["0123456789", weight]))) == 1
        one, three = page.evaluate(WIDTHS, ["۱۳", 650])
        assert one < three / 1.5
