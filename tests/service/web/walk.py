"""The rules at a table, walked by its pages as players and an arbiter tap them, in each language:
`make walk` (a `takhte run --board simulated` of its own), a picture of each row into screens/walk.

Every row ends in something that the page says, or that the table's public state shows. What needs
hands on a board (dice that lie wrongly, checkers moved) the tests of session and referee hold.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, expect, sync_playwright

from rules.words import languages
from tests.ports import free_port
from tests.service.web.browser import DESK, PHONE, launch, opened
from tests.service.web.walker import NAMES, Walker

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
    assert w.shown("clock", "running") == "white"
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
    assert [w.shown("match", "players", side, "score") for side in NAMES] == [2, 0]
    assert w.shown("clock", "running") is None
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
    assert w.shown("match", "crawford")
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
    # A page that is opened before it is resumed has nothing to resign.
    expect(w.button("Adjourn").first).to_be_visible(timeout=15_000)
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
    assert w.shown("cube", "value") == 4
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
        assert w.shown("match", "event", "play") == {"monitor": "arbiter"}
        assert bool(w.shown("match", "options", "mandatory_hit")) is (match < 2)
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
SIZES: Final = {"en": DESK, "fa": PHONE}


def walk(browser: Browser, url: str, folder: Path | None, lang: str, size: tuple[int, int]) -> int:
    """How many rows were seen in one language; the first that is not as it should be raises."""
    with opened(browser, url + "/", size, lang=lang) as page:
        walker = Walker(page, url, languages()[lang], folder)
        try:
            for scene in SCENES:
                scene(walker)
        except Exception:
            if folder:
                page.screenshot(path=folder / f"{lang}-stopped.png")
            raise
    for row in walker.rows:
        print(f"{lang}  {row}")
    return len(walker.rows)


def main(words: list[str]) -> int:
    """Walk each language, or those named, at a table of its own: what one evening's event said
    holds at its table until another is chosen.
    """
    folder, only = Path(words[0]), words[1:] or list(SIZES)
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        seen = sum(at_a_table(browser, folder, lang) for lang in only)
        browser.close()
    print(f"{seen} rows seen; their pictures are in {folder}/")
    return 0


def at_a_table(browser: Browser, folder: Path, lang: str) -> int:
    """How many rows were seen at a new table with a simulated board."""
    with tempfile.TemporaryDirectory() as data:
        url = f"http://127.0.0.1:{free_port()}"
        port, own = free_port(), url.rpartition(":")[2]
        table = [sys.executable, "-m", "service.cli", "run", "--no-browser", "--board", "simulated"]
        where = ["--journal", f"{data}/walk.journal", "--port", str(port), "--console-port", own]
        running = subprocess.Popen([*table, *where, "--https", "off"], stdout=subprocess.DEVNULL)
        try:
            await_table(url)
            return walk(browser, url, folder, lang, SIZES[lang])
        finally:
            running.terminate()
            running.wait(10)


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
