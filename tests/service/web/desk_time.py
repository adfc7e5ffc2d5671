"""How long the desk takes a person: a real 7-point match as a film would tell it, with faults put
in by hand, is put right in a real browser by the page's own keys.

    python -m tests.service.web.desk_time [faults=5] [seed=1] [match=FILE games=1,2,3,4,5]

Of the match in `tests/data` five games of eight are taken, 94 turns: in the others a side was
closed out for many turns running, and dances that only a pair of dice tells are not yet read in
such a film as this.

What the machine takes is measured, of a core; what eyes and fingers take is computed by the
keystroke-level model (Card, Moran and Newell, 1980: a key 0.28 s, pointing 1.1 s, a click 0.1 s, a
hand from mouse to keys 0.4 s, a look with a decision 1.35 s), two looks a doubtful play: one at its
pictures, one at what the desk made of it. Nobody of flesh sat there. Ends with 1 above five
minutes, or where the match is not the one that was played.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
from playwright.sync_api import Page, expect, sync_playwright

from rules.board import Placement, Side
from rules.game import Dropped, Offered, Played, Taken
from rules.notation.convert import read_file
from rules.notation.jsonform import read_json
from rules.notation.record import GameRecord, MatchRecord, games
from rules.play import plays
from service.film.cubes import FACES, PLACES, CubeLie
from service.film.kept import FilmRead
from service.reconcile.reel import Still, Throw
from tests.service.amend.reels import PACE, Truth, frame_of, read_well, with_fault
from tests.service.web.browser import DESK, launch, opened
from tests.service.web.serve import Served
from tests.service.web.test_amending import ISOLATES, exactly, on_shelf

MATCH: Final = "Llabba_-_Kabrus_7pt_Backgammon_Studio_2023_08_03_08_26_12_14be37.mat"
DATA: Final = Path(__file__).parents[2] / "data/matches"
KEY, POINT, CLICK, HOME, LOOK = 0.28, 1.1, 0.1, 0.4, 1.35
FIVE_MINUTES: Final = 300.0
SURE: Final = -6.0
"""Log-likelihood of a cube that lies otherwise than it was seen."""


def main(argv: list[str]) -> int:
    given = dict(word.split("=", 1) for word in argv)
    path = Path(given.get("match", DATA / MATCH))
    record = read_file(path.read_bytes(), path.name)
    taken = [int(number) for number in given.get("games", "1,2,3,4,5").split(",")]
    parts = [game for game in games(record) if game.number in taken]
    rng = random.Random(int(given.get("seed", "1")))
    read, truth, faults = film_of(parts, record.rules.length, int(given.get("faults", "5")), rng)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        try:
            return _timed(served, read, truth, faults, parts)
        finally:
            served.close()


def _timed(
    served: Served,
    read: FilmRead,
    truth: dict[int, Truth],
    faults: list[int],
    parts: list[GameRecord],
) -> int:
    address = on_shelf(served, read)
    with (
        sync_playwright() as playwright,
        contextlib.closing(launch(playwright)) as browser,
        opened(browser, served.url + "/amend", DESK) as page,
    ):
        page.set_default_timeout(120_000)
        person = Person(page, address, truth)
        with person.waiting():
            person.tap(page.get_by_role("link", name="evening"))
            expect(page.locator("#after")).to_be_visible(timeout=120_000)
        marked = person.marked(faults)
        person.work()
        person.finish(parts[-1])
        person.seal()
    found = read_json(httpx.get(address + "/file.json").text)
    wrong = differences(found, parts)
    total = person.spent + person.core
    print(
        f"{len(truth)} turns, {len(faults)} faults, {marked} of them marked doubtful; {person.told}"
        f" rows looked at, {person.unmarked} of them marked by nothing, {person.keys} keys and"
        f" {person.taps} taps:"
        f" {person.spent:.0f} s of a person by the keystroke-level model, {person.core:.0f} s of a"
        f" core ({person.waited:.0f} s by the clock), {total:.0f} s in all; {len(wrong)} things"
        " otherwise than played"
    )
    for line in wrong[:5]:
        print(f"  {line}")
    return int(bool(wrong) or total > FIVE_MINUTES)


class Person:
    """Somebody who knows what was played and has hands: every act is done in the browser, and costs
    what the model says.
    """

    def __init__(self, page: Page, address: str, truth: dict[int, Truth]) -> None:
        self.page, self.address, self.truth = page, address, truth
        self.spent = self.waited = self.core = 0.0
        self.keys = self.taps = self.told = self.unmarked = 0
        self.on_keys = False

    def rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = httpx.get(self.address, timeout=120).json()["rows"]
        return found

    def marked(self, faults: list[int]) -> int:
        """How many of the faults the desk shows as doubtful by itself."""
        doubtful = {row["mark"] for row in self.rows() if row["doubtful"]}
        return sum(frame in doubtful for frame in faults)

    def key(self, key: str) -> None:
        self.spent += KEY + (0 if self.on_keys else HOME)
        self.on_keys = True
        self.keys += 1
        self.page.keyboard.press(key)

    def tap(self, what: Any) -> None:
        self.spent += POINT + CLICK + (HOME if self.on_keys else 0)
        self.on_keys = False
        self.taps += 1
        what.click()

    def look(self) -> None:
        self.spent += LOOK

    def work(self) -> None:
        """Every doubtful play, and then whatever else is otherwise than it was played."""
        done: set[int] = set()
        while True:
            rows = self.rows()
            wrong = [n for n, row in enumerate(rows) if self.is_wrong(row)]
            doubtful = [n for n, row in enumerate(rows) if row["doubtful"] and _is_play(row)]
            doubtful = [n for n in doubtful if rows[n]["mark"] not in done]
            if not (wrong or doubtful):
                return
            # What nothing doubts shows by the board of the doubtful play that follows it.
            number = min(wrong + doubtful)
            current = self.page.locator("#rows [aria-current]").get_attribute("id")
            if current != f"row-{number}":
                self.tap(self.page.locator(f"#row-{number}"))
            done.add(rows[number]["mark"])
            self.told += 1
            self.look()
            if number not in doubtful:
                self.unmarked += 1
                self.look()
            self.put_right(rows[number])

    def is_wrong(self, row: dict[str, Any]) -> bool:
        one = self.truth.get(row["mark"])
        if not _is_play(row) or one is None:
            return _is_play(row)
        return (row["side"], _placement(row["after"])) != (one.side.value, one.play.placement)

    def put_right(self, row: dict[str, Any]) -> None:
        """A row that is right is confirmed, another said as it was."""
        one = self.truth.get(row["mark"])
        if one is None:
            self.look()
            self.sent(lambda: self.key("x"))
            return
        pressed = self.page.locator("#plays [aria-pressed=true]")
        if sorted(row["dice"]) != sorted((one.roll.high, one.roll.low)):
            self.key(str(one.roll.high))
            self.key(str(one.roll.low))
        expect(pressed).to_have_count(1)
        self.look()
        if pressed.inner_text().strip(ISOLATES) != str(one.play):
            self.look()
            self.tap(self.page.locator("#plays button").filter(has_text=exactly(one)).first)
        expect(pressed).to_have_text(exactly(one))
        self.sent(lambda: self.key("Enter"))

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Counts what the machine takes: by the clock, and of a core of this process, whose thread
        serves the page.
        """
        began, core = time.monotonic(), time.process_time()
        yield
        self.waited += time.monotonic() - began
        self.core += time.process_time() - core

    def sent(self, act: Any) -> None:
        """An act, and what the machine takes until the match stands there anew."""
        with self.waiting():
            with self.page.expect_response(lambda r: r.request.method == "POST") as answer:
                act()
            answer.value.finished()
            expect(self.page.locator("#left")).not_to_contain_text("again")

    def finish(self, game: GameRecord) -> None:
        """The last plays and how the last game ended, where the film stops before they are sure."""
        rows = self.rows()
        if rows[-1]["done"] != "open":
            return
        shown = max(row["mark"] for row in rows if _is_play(row))
        for frame in sorted(frame for frame in self.truth if frame > shown):
            self.add(self.truth[frame])
        rows = self.rows()
        winner, points = game.gain
        assert winner is not None and points == game.after.game.cube.value
        self.look()
        self.tap(self.page.locator(f"#row-{len(rows) - 1}"))
        self.key("e")
        self.look()
        name = "light" if winner is Side.WHITE else "dark"
        button = self.page.get_by_role("button", name=f"{name} wins a single game")
        self.sent(lambda: self.tap(button))

    def add(self, one: Truth) -> None:
        """A play that is missing where the record breaks off."""
        if one.play.placement == one.before.placement:
            return
        self.look()
        self.tap(self.page.locator(f"#row-{len(self.rows()) - 1}"))
        self.key("i")
        self.key(str(one.roll.high))
        self.key(str(one.roll.low))
        pressed = self.page.locator("#plays [aria-pressed=true]")
        expect(pressed).to_have_count(1)
        self.look()
        if pressed.inner_text().strip(ISOLATES) != str(one.play):
            self.tap(self.page.locator("#plays button").filter(has_text=exactly(one)).first)
        expect(pressed).to_have_text(exactly(one))
        self.sent(lambda: self.key("Enter"))

    def seal(self) -> None:
        self.look()
        self.tap(self.page.get_by_role("button", name="Seal as amended"))
        expect(self.page.locator("#sealed")).to_contain_text("console")


def _is_play(row: dict[str, Any]) -> bool:
    return bool(row["kind"] == "play" and not row["added"])


def _placement(said: dict[str, Any]) -> Placement:
    return Placement(tuple(said["white"]), tuple(said["black"]))


def differences(found: MatchRecord, parts: list[GameRecord]) -> list[str]:
    """What was played otherwise in the match that was found, by game: boards that were left, cubes
    taken, and who won how much.
    """
    wrong = []
    for ours, theirs in itertools.zip_longest(games(found), parts):
        did, made = ([] if game is None else _done(game) for game in (ours, theirs))
        wrong += [f"{a} for {b}" for a, b in itertools.zip_longest(did, made) if a != b]
    return wrong


def _done(game: GameRecord) -> list[object]:
    """A dance leaves the board as it was: at a film's end nothing tells of it."""
    told: list[object] = []
    for before, action, _ in game.steps:
        if isinstance(action, Played) and action.after != before.game.placement:
            told.append((action.side, action.after))
        elif isinstance(action, Taken):
            told.append((action.side, "took"))
    return [*told, game.gain]


def film_of(
    record: Sequence[GameRecord], length: int, count: int, rng: random.Random
) -> tuple[FilmRead, dict[int, Truth], list[int]]:
    """These games as a film of them would be read, with so many faults; their plays by the frame
    that first shows them; the frames of the faults.
    """
    parts = [truth_of(game) for game in record]
    every = [(g, n) for g, part in enumerate(parts) for n in range(1, len(part) - 1)]
    chosen = rng.sample(every, count)
    stills: list[Still] = []
    throws: list[Throw] = []
    lies: list[CubeLie] = []
    truth: dict[int, Truth] = {}
    offset = 0
    for number, (game, part) in enumerate(zip(record, parts, strict=True)):
        read = read_well(part)
        for _, n in sorted(one for one in chosen if one[0] == number):
            read = with_fault(read, part, n, rng)
        later = offset / 2
        stills += [
            replace(s, frame=s.frame + offset, at=s.at + later, until=s.until + later)
            for s in read.stills
        ]
        throws += [
            replace(t, frame=t.frame + offset, at=t.at + later, until=t.until + later)
            for t in read.throws
        ]
        truth |= {frame_of(n) + offset: one for n, one in enumerate(part)}
        lies += lies_of(game, offset)
        offset = stills[-1].frame + 4 * PACE
    faults = [frame for frame, one in truth.items() if any(parts[g][n] is one for g, n in chosen)]
    film = replace(
        read_well(parts[0]),
        stills=tuple(stills),
        throws=tuple(throws),
        cubes=tuple(lies),
        length=length,
    )
    return film, truth, faults


def truth_of(game: GameRecord) -> list[Truth]:
    """The plays of a game as they were made."""
    found = []
    for before, action, _ in game.steps:
        if isinstance(action, Played):
            position, roll = before.game.position, before.game.roll
            assert roll is not None
            made = next(p for p in plays(position, roll) if p.placement == action.after)
            found.append(Truth(action.side, roll, position, made))
    return found


def lies_of(game: GameRecord, offset: int) -> list[CubeLie]:
    """How the cube lay in a game that begins at this frame: in the middle, offered, taken."""
    found: list[CubeLie] = []
    made, value, owner, since = 0, 64, None, offset
    for before, action, _ in game.steps:
        made += isinstance(action, Played)
        turned = frame_of(made - 1) + offset + 5
        if isinstance(action, Offered):
            found.append(_lie(since, turned, value, owner))
            value, since = before.game.cube.value * 2, turned + 1
            found.append(_lie(since, since + 1, value, None))
        elif isinstance(action, Taken):
            owner, since = action.side, turned + 3
    if not game.steps or not isinstance(game.steps[-1][1], Dropped):
        found.append(_lie(since, frame_of(made - 1) + offset + 4, value, owner))
    return found


def _lie(frame: int, until: int, value: int, owner: Side | None) -> CubeLie:
    shown, place = np.full(len(FACES), SURE), np.full(len(PLACES), SURE)
    shown[FACES.index(value)] = place[PLACES.index(owner)] = 0.0
    return CubeLie(frame, frame / 2, until / 2, tuple(shown.tolist()), tuple(place.tolist()))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
