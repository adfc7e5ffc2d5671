"""A hand on the pages of one table: taps, forms and what the page says, in any language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect

from rules.words import Language

NAMES: Final = {"white": "Mahsa", "black": "Jan"}


class Walker:
    """Somebody who taps on the pages of one table and reads what they say."""

    def __init__(self, page: Page, url: str, language: Language, folder: Path | None) -> None:
        self.page, self.url, self.language, self.folder = page, url, language, folder
        self.rows: list[str] = []

    def say(self, text: str, **values: object) -> str:
        """The text as this visitor reads it."""
        return self.language.with_digits(self.language.say(text, **values))

    def seen(self, row: str) -> None:
        """The row was seen; it is written down, with a picture where one is wanted."""
        self.rows.append(row)
        if self.folder:
            name = f"{self.language.code}-{len(self.rows):02}-{re.sub('[^a-z]+', '-', row.lower())}"
            self.page.screenshot(path=self.folder / f"{name}.png")

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def dice(self, high: int, low: int) -> str:
        return self.say(f"{high}-{low}")

    def button(self, text: str, within: str = "", **values: object) -> Locator:
        found = self.page.locator(f"{within} button, {within} a.button")
        words = re.escape(self.say(text, **values))
        return found.filter(has_text=re.compile(f"^[\u2066-\u2069]*{words}[\u2066-\u2069]*$"))

    def tap(self, text: str, nth: int = 0, within: str = "", **values: object) -> None:
        self.button(text, within, **values).nth(nth).click()

    def more(self, text: str) -> None:
        self.tap("More")
        self.tap(text, within="dialog[open]")

    def reads(self, text: str, where: str = "#prompt", **values: object) -> None:
        """Wait until the page says this there, marks that keep names apart left out."""
        self.page.wait_for_function(
            """([where, text]) => [...document.querySelectorAll(where)]
                .some((n) => n.textContent.replace(/[\\u2066-\\u2069]/g, '').includes(text))""",
            arg=[where, self.say(text, **values)],
        )

    def throw(self, *faces: int) -> None:
        """The dice of the open dialog, one in each of its rows."""
        for row, face in enumerate(faces):
            dice = self.page.locator("dialog[open] [role=group]").nth(row)
            dice.get_by_role("button", name=self.say(str(face)), exact=True).click()
        expect(self.page.locator("dialog[open]")).to_have_count(0, timeout=15_000)

    def roll(self, side: str, high: int, low: int) -> None:
        self.more("Say the roll")
        self.throw(high, low)
        self.reads("{name} plays {roll}", name=NAMES[side], roll=self.dice(high, low))

    def play(self) -> None:
        """The first legal play of the roll, said on the drawn board's page."""
        before = self.page.locator(".ply").count()
        self.tap("Correct")
        self.page.locator("dialog[open] .options button").first.click()
        self.tap("Record this play")
        expect(self.page.locator(".ply")).to_have_count(before + 1)

    def reason(self, button: str, **fields: str) -> None:
        """Fill the open form, and send it."""
        for name, value in fields.items():
            field = self.page.locator(f"dialog[open] [name='{name}']")
            if field.evaluate("(node) => node.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        self.tap(button, within="dialog[open] form")

    def set_up(self, **fields: str) -> None:
        """Fill the set-up page, and *Begin*; a match that is on is ended first."""
        if self.shown("phase") not in ("idle", "match-over"):
            self.end_match()
        self.go("/setup")
        expect(self.page.locator("#setup button.primary")).to_be_enabled()
        for details in ("#house-rules summary", "#more summary"):
            self.page.locator(details).click()
        for name, value in {**NAMES, **fields}.items():
            field = self.page.locator(f"[name='{name}']").first
            if name == "length":
                self.page.locator(f"[name=length][value='{value}']").check()
            elif field.evaluate("(node) => node.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        self.page.locator("#setup button.primary").click()
        self.page.wait_for_url(re.compile(r"/\?table="))

    def end_match(self) -> None:
        self.go("/arbiter")
        self.tap("End the match")
        self.reason("End the match", reason="walked")
        self.reads("The match is over")

    def shown(self, *path: str) -> object:
        """What the table shows of itself there, to be compared with what the page says."""
        found = self.page.request.get(f"{self.url}/api/v1/tables/t1/state").json()
        for key in path:
            found = found.get(key)
        return found
