"""The rules at a table, walked by its pages as players and an arbiter tap them, in each language:
`make walk` (a `takhte run --board simulated` of its own), a picture of each row into screens/walk.

Every row ends in something that the page says, or that the table's public state shows. What needs
hands on a board (dice that lie wrongly, checkers moved) the tests of session and referee hold.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from rules.words import Language, languages
from tests.service.web.browser import DESK, PHONE, launch, opened

NARD_EVENT: Final = """
name = "Tuesday nard"
[match]
ruleset = "nard"
length = 3
options = {mandatory_hit = true, opening = "two_dice_each", shish_besh = "starts"}
[play]
monitor = "arbiter"
[clock]
preset = "iran"
"""
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
        if self.state()["phase"] not in ("idle", "match-over"):
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

    def state(self) -> dict[str, Any]:
        """What the table shows of itself, to be compared with what the page says."""
        found = self.page.request.get(f"{self.url}/api/v1/tables/t1/state").json()
        assert isinstance(found, dict)
        return found


def begin(w: Walker) -> None:
    """The game begins, by the board's own word or by somebody's."""
    opening, said = (
        w.button("Say the roll", "#answers"),
        w.button("The checkers stand right: begin"),
    )
    expect(opening.or_(said)).to_be_visible()
    if said.is_visible():
        said.click()
    expect(opening).to_be_visible()


def cube_and_clock(w: Walker) -> None:
    """Both confirm; equal dice; a double passes the clock; take, owner, drop; Crawford."""
    w.set_up(length="5", clock="us-delay", **{"match.confirm": "true"})
    w.reads("Both players: are you there?")
    for name in NAMES.values():
        w.page.locator("#answers button").filter(has_text=name).click()
    w.seen("both confirm length and clock")
    begin(w)
    w.tap("Say the roll")
    w.throw(3, 3)
    w.reads("Equal dice {roll}: throw again", roll=w.dice(3, 3))
    w.seen("opening, equal dice")
    w.tap("Say the roll")
    w.throw(3, 1)
    w.more("Start the clocks")
    w.play()
    w.reads("{name} rolls, or doubles first", name=NAMES["black"])
    w.tap("Double")
    w.reads("{name}: take or drop?", name=NAMES["white"])
    clock = w.state()["clock"]
    assert clock["running"] == "white", clock
    w.seen("a double passes the clock to whoever answers")
    w.tap("Take")
    w.roll("black", 6, 5)
    w.play()
    w.reads("{name} rolls, or doubles first", name=NAMES["white"])
    w.roll("white", 6, 5)
    w.play()
    w.reads("{name} rolls", name=NAMES["black"])
    expect(w.button("Double")).to_have_count(0)
    w.seen("no double is named for a side that does not own the cube")
    w.roll("black", 2, 1)
    w.play()
    w.tap("Double")
    w.tap("Drop")
    w.tap("Drop", within="dialog[open]")
    expect(w.page.locator("#far .score, #near .score").filter(has_text=w.say("2"))).to_have_count(1)
    assert [p["score"] for p in w.state()["match"]["players"].values()] == [2, 0]
    assert w.state()["clock"]["running"] is None
    w.seen("a drop costs the cube before the double, and no clock runs between games")


def between_games(w: Walker) -> None:
    """A game as a penalty is refused, a clock goes, Crawford after a score put right. A board in
    this program always stands at the start, so here no game begins before both have confirmed.
    """
    w.set_up(length="5", clock="us-delay", **{"match.confirm": "true"})
    w.go("/arbiter")
    w.tap("Penalise")
    w.reason("Penalise", penalty="game", reason="late")
    w.reads("Not now: the match is at another point.", "body")
    w.seen("a game is no penalty between games")
    w.tap("Back", within="dialog[open]")
    w.tap("Another clock")
    w.reason("Play on with it", clock="none")
    expect(w.button("Correct the time")).to_have_count(0)
    w.seen("a clock goes between games")
    w.tap("Names, length, score")
    w.reason("Correct", sw="4", sb="2", crawford="no", reason="played by hand")
    w.go("/")
    for name in NAMES.values():
        w.page.locator("#answers button").filter(has_text=name).click()
    begin(w)
    w.tap("Say the roll")
    w.throw(6, 1)
    w.play()
    w.reads("{name} rolls", name=NAMES["black"])
    expect(w.button("Double")).to_have_count(0)
    assert w.state()["match"]["crawford"]
    w.seen("Crawford after a score put right")


def conduct(w: Walker) -> None:
    """Director, freeze, ruling, appeal, note, penalty, adjourn."""
    w.go("/")
    w.tap("Call the director")
    w.reason("Call", reason="a die fell")
    w.go("/arbiter")
    w.reads("a die fell", "body")
    w.seen("the director is called, with the reason")
    w.tap("I have seen it")
    w.tap("Freeze the table")
    w.reason("Freeze the table", reason="")
    w.reads("The director is deciding")
    w.seen("frozen")
    w.tap("Rule")
    w.reason("Enter the ruling", usual="1")
    w.tap("Go on with the match")
    w.go("/")
    w.more("Appeal")
    w.reason("Appeal", reason="")
    w.go("/arbiter")
    w.reads("Appeal", "#alerts")
    w.seen("a ruling is appealed")
    w.tap("Close the appeal", within="#rulings")
    w.reason("Close", reason="upheld")
    w.reads("Nothing needs you.", "#alerts")
    w.seen("a decided appeal calls nobody")
    w.tap("Note what was seen")
    w.reason("Note", side="black", reason="a telephone rang")
    w.reads("a telephone rang", "#audit")
    w.tap("Penalise")
    w.reason("Penalise", side="black", penalty="warning", reason="telephone")
    w.seen("what was seen is noted, and penalised")
    w.tap("Adjourn")
    w.reason("Adjourn", reason="")
    w.reads("The match is adjourned")
    w.tap("Resume the match")
    w.seen("adjourned and resumed")


def resigned(w: Walker) -> None:
    """Levels that exist; refused; accepted; a match won; the sheet's words."""
    w.go("/")
    w.more("Resign")
    for level in ("A single game", "A gammon", "A backgammon"):
        expect(w.button(level, "dialog[open]")).to_have_count(2)
    w.seen("three levels where there is a cube")
    w.tap("A single game", nth=1, within="dialog[open]")
    w.reads("{name}: accept the resignation?", name=NAMES["white"])
    w.tap("Refuse")
    w.more("Resign")
    w.tap("A gammon", nth=1, within="dialog[open]")
    w.tap("Accept")
    w.reads("The match is over")
    w.seen("resigned, refused, resigned as a gammon, accepted")


def money(w: Walker) -> None:
    """Beavers, agreed for a money session."""
    agreed = {"match.beavers": "true", "match.jacoby": "true", "match.confirm": "false"}
    w.set_up(length="0", clock="none", **agreed)
    begin(w)
    w.tap("Say the roll")
    w.throw(5, 2)
    w.play()
    w.tap("Double")
    w.tap("Beaver")
    w.reads("{name}: take or drop?", name=NAMES["black"])
    w.tap("Take")
    w.reads("{name} rolls", name=NAMES["black"])
    assert w.state()["cube"]["value"] == 4
    w.seen("a beaver, from the page")
    w.end_match()


def nard_evening(w: Walker) -> None:
    """An event with options, from match to match: nard's words, two dice each, shish-besh, mars."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nard.toml"
        file.write_text(NARD_EVENT, encoding="utf-8")
        w.go("/setup")
        w.page.locator("[name=event_file]").set_input_files(file)
        w.reads("Tuesday nard", "#event-name")
    for match, options in enumerate(({}, {}, {"option:mandatory_hit": "false"})):
        if match:
            w.go("/setup")
        expect(w.page.locator("[name=ruleset]")).to_have_value("nard")
        expect(w.page.locator("[name='option:shish_besh']")).to_have_value('"starts"')
        for name, value in {**NAMES, **options}.items():
            field = w.page.locator(f"[name='{name}']")
            if name in NAMES:
                field.fill(value)
            else:
                w.page.locator("#house-rules summary").click()
                field.select_option(value)
        w.page.locator("#setup button.primary").click()
        w.page.wait_for_url(re.compile(r"/\?table="))
        begin(w)
        w.reads(
            "Each side throws both dice; the first 6-5 starts at once, else the higher sum.",
            "#hint",
        )
        w.tap("Say the roll")
        w.throw(3, 2, 6, 5)
        w.reads("{name} rolls", name=NAMES["black"])
        w.more("Resign")
        expect(w.button("A mars", "dialog[open]")).to_have_count(2)
        w.tap("A super-mars", nth=1, within="dialog[open]")
        w.tap("Accept")
        w.reads("The match is over")
        set_to = w.state()["match"]
        assert set_to["event"]["play"] == {"monitor": "arbiter"}, set_to
        assert set_to["options"].get("mandatory_hit", False) is (match < 2)
    w.seen("an event of nard with options, from match to match")
    w.go("/sheet/t1")
    w.reads("A super-mars", "#sheet")
    w.seen("the sheet in nard's words")


SCENES: Final[tuple[Callable[[Walker], None], ...]] = (
    cube_and_clock,
    between_games,
    conduct,
    resigned,
    money,
    nard_evening,
)


def walk(browser: Browser, url: str, folder: Path | None, lang: str, size: tuple[int, int]) -> int:
    """How many rows were seen in one language; the first that is not as it should be raises."""
    with opened(browser, url + "/", size, lang=lang) as page:
        walker = Walker(page, url, languages()[lang], folder)
        for scene in SCENES:
            scene(walker)
    for row in walker.rows:
        print(f"{lang}  {row}")
    return len(walker.rows)


def main(words: list[str]) -> int:
    """Start a table with a simulated board, and walk it in each language."""
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        url = f"http://127.0.0.1:{free_port()}"
        port, own = free_port(), url.rpartition(":")[2]
        table = [sys.executable, "-m", "service.cli", "run", "--no-browser", "--board", "simulated"]
        where = ["--journal", f"{data}/walk.journal", "--port", str(port), "--console-port", own]
        running = subprocess.Popen([*table, *where, "--https", "off"], stdout=subprocess.DEVNULL)
        try:
            await_table(url)
            browser = launch(playwright)
            seen = walk(browser, url, folder, "en", DESK) + walk(browser, url, folder, "fa", PHONE)
            browser.close()
        finally:
            running.terminate()
            running.wait(10)
    print(f"{seen} rows seen; their pictures are in {folder}/")
    return 0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def await_table(url: str) -> None:
    """Wait until the table answers on this machine's own page."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{url}/api/v1/tables", timeout=5) as answer:
                if b'"connected":true' in answer.read():
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise SystemExit("the table did not start within a minute: run `takhte run --board simulated`")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
