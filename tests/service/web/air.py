"""A match of three games on the air: played by hand, and what the overlay shows compared with what
the journal says, entry by entry.

What it should show is worked out here from the referee's state, by sums of its own; what it shows
is read from the page as a viewer reads it: texts, and checkers by where they are drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Page

from rules.board import Side
from rules.play import Play
from rules.race import pip_count
from rules.words import languages
from service.journal.chain import Entry
from service.referee.clock_document import clock_document
from service.referee.state import Phase, State
from service.web.records import PUBLIC
from tests.service.web.hand import HandTable

SIDES = (Side.WHITE, Side.BLACK)
TURN = frozenset(
    {Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED, Phase.DOUBLED, Phase.ILLEGAL, Phase.DIFFERS}
)
LATIN = str.maketrans("۰۱۲۳۴۵۶۷۸۹", "0123456789")
GREEN = (64, 177, 0)
"""BGR of the card in overlay.css."""


def three_games(
    table: HandTable, names: dict[str, str], event: str, turns: int | None = None
) -> Iterator[str]:
    """Play a match of three games: one to its end (or resigned after `turns`), one dropped, one
    resigned on a doubled cube, with the match.

    Yields the name of the moment after each input.
    """
    table.order("set_match", **names, length=7, clock="ours", event={"name": event})
    yield "set"
    for game in (1, 2, 3):
        table.order("start_game" if game == 1 else "next_game")
        yield f"begins-{game}"
        if table.state.phase is Phase.OPENING:
            table.order("declare_roll", white=[3 + game], black=[2])
        yield f"opening-{game}"
        yield from _game(table, game, turns)
    assert table.state.phase is Phase.MATCH_OVER and len(table.state.match.finished) == 3


def _game(table: HandTable, game: int, turns: int | None) -> Iterator[str]:
    played = 0
    while table.state.phase not in (Phase.GAME_OVER, Phase.MATCH_OVER):
        if (
            played == (turns or (10_000 if game == 1 else 12))
            and table.state.phase is Phase.TO_ROLL
        ):
            yield from _ended(table, game)
            return
        if table.state.turn.roll is None:
            table.order(
                "declare_roll", roll=[table.random.randint(1, 6), table.random.randint(1, 6)]
            )
            yield f"rolled-{game}-{played}"
        table.turn(lambda found: quickest(found, table.state))
        played += 1
        over = table.state.phase in (Phase.GAME_OVER, Phase.MATCH_OVER)
        yield f"over-{game}" if over else f"played-{game}-{played}"


def _ended(table: HandTable, game: int) -> Iterator[str]:
    if game == 1:
        table.order("resign", side=table.state.game.on_roll.value, level=1)
        table.order("accept_resignation", side=table.state.game.on_roll.other.value)
        yield "over-1"
        return
    table.order("offer")
    yield f"doubled-{game}"
    if game == 2:
        table.order("drop")
        yield "over-2"
        return
    table.order("take")
    yield "taken-3"
    loser = min(SIDES, key=lambda side: table.state.match.score[side])
    table.order("resign", side=loser.value, level=3)
    yield "resigning-3"
    table.order("accept_resignation", side=loser.other.value)
    yield "over-3"


def quickest(found: list[Play], state: State) -> Play:
    """Whoever only runs is soon home: so a whole game is short enough to look at."""
    assert state.match.ruleset is not None
    facing = state.match.ruleset.facing
    return min(
        found, key=lambda play: (pip_count(play.placement, facing, state.game.on_roll), str(play))
    )


# What it should show
# ------------------------------------------------------------------------------------------


PLAYS = {"corner": 4, "line": 0, "side": 6, "full": 15, "pip": 4}
"""How many of the newest plays a layout shows."""


def say(lang: str, text: str, **values: object) -> str:
    """What is said in a language, digits as ours."""
    said = languages()[lang].say(text)
    for name, value in values.items():
        said = said.replace(f"{{{name}}}", str(value))
    return said.translate(LATIN)


def expected(
    state: State, at: float, *, clocks: bool, lang: str = "en", layout: str = "corner"
) -> dict[str, Any]:
    """What a viewer must read from the state alone, in his language but with our digits.

    `at`: table time; without `clocks` the times are left out.
    """
    if state.match.ruleset is None:
        return {"score": None, "board": None, "plays": [], "moment": "", "card": ""}
    lines = {}
    cubed = state.match.ruleset.has_cube and not state.game.crawford
    told = clock_document(state.match.clock, "ours", at, state.match.flags)
    length = state.match.length or 0
    needs = {side: length - state.match.score[side] for side in SIDES}
    for side in SIDES:
        owns = str(state.game.cube) if cubed and state.game.cube_owner is side else ""
        turn = state.game.number > 0 and state.game.on_roll is side and state.phase in TURN
        line = {
            "name": state.match.names[side],
            "points": str(state.match.score[side]),
            "cube": owns,
            "turn": turn,
            "needs": say(lang, "{n}-away", n=needs[side]) if needs[side] > 0 else "",
            "pips": _pips(state, side) if state.game.number else "",
        }
        if clocks:
            line["time"] = _time(told, side, at)
        lines[side.value] = line
    own = [p for p in state.match.plays if p.game == state.game.number]
    mark = {Side.WHITE: "○", Side.BLACK: "●"}
    texts = [say(lang, p.text) if p.text == "no play" else p.text or "…" for p in own]
    plays = [f"{mark[p.side]} {p.roll or '–'} {text}" for p, text in zip(own, texts, strict=True)]
    ended = [say(lang, "to {n} points", n=length) if length > 1 else say(lang, "to 1 point")]
    ended += [say(lang, "Crawford game")] if state.game.crawford else []
    ended += [say(lang, "Double match point")] if set(needs.values()) == {1} else []
    return {
        "score": {
            "event": (state.match.setting.event if state.match.setting else {}).get("name") or "",
            "length": " · ".join(ended),
            "foot": _foot(state, lang),
            "dice": f"{state.turn.roll.high}-{state.turn.roll.low}" if state.turn.roll else "",
            **lines,
        },
        "board": _checkers(state) if state.game.number and layout != "line" else None,
        "plays": plays[-PLAYS[layout] :] if PLAYS[layout] else [],
        "moment": say(lang, "{name} doubles", name=state.match.names[state.turn.offer[0]])
        if state.phase is Phase.DOUBLED and state.turn.offer
        else "",
        "card": _foot(state, lang) if state.phase in (Phase.GAME_OVER, Phase.MATCH_OVER) else "",
    }


def _pips(state: State, side: Side) -> str:
    assert state.game.placement is not None and state.match.ruleset is not None
    return str(pip_count(state.game.placement, state.match.ruleset.facing, side))


def _foot(state: State, lang: str) -> str:
    name = lambda side: state.match.names[side]  # noqa: E731
    match state.phase:
        case Phase.DOUBLED:
            assert state.turn.offer is not None
            doubler, value = state.turn.offer
            return say(lang, "{name} doubles to {n}", name=name(doubler), n=value)
        case Phase.GAME_OVER:
            last = state.match.finished[-1]
            return say(lang, "{name} wins {n}", name=name(last.winner), n=last.points)
        case Phase.MATCH_OVER:
            last = state.match.finished[-1]
            return say(lang, "{name} wins the match", name=name(last.winner))
        case Phase.OPENING:
            return say(lang, "Opening roll")
        case Phase.SETTING_UP:
            return say(lang, "The game is about to begin")
    return ""


def _time(told: dict[str, Any], side: Side, at: float) -> str:
    own = told[side.value]
    if own is None:
        return ""
    seconds = own["bank"]
    whole = math.ceil(seconds - 1e-6)
    assert whole >= 10, "a match here never runs out of time"
    return f"{whole // 60}:{whole % 60:02}"


def _checkers(state: State) -> dict[str, int]:
    """Checkers of each colour by the column of the board (0 = leftmost) and half where they are
    drawn, White's home at the lower right.
    """
    assert state.game.placement is not None
    out: Counter[str] = Counter()
    for side, colour in ((Side.WHITE, "light"), (Side.BLACK, "dark")):
        for site, count in enumerate(state.game.placement.counts(side)):
            if count:
                place = (
                    "off"
                    if site == 0
                    else (
                        "bar"
                        if site == 25
                        else f"{12 - site if site < 13 else site - 13} {site > 12}"
                    )
                )
                out[f"{colour} {place}"] += count
    return dict(out)


# What it shows
# ------------------------------------------------------------------------------------------

_READ = """() => {
  const $ = (id) => document.getElementById(id), seen = (id) => !$(id).hidden;
  const latin = (text) => text.replace(/[۰-۹]/g, (d) => "۰۱۲۳۴۵۶۷۸۹".indexOf(d));
  const plain = (text) => latin(text).replace(/[\\u2066-\\u2069]/g, "").trim();
  const text = (node) => node && !node.hidden ? plain(node.textContent) : "";
  const line = (side) => { const n = $(`line-${side}`); return {
    name: text(n.querySelector(".name")), points: text(n.querySelector(".points")),
    cube: text(n.querySelector(".cubed")), needs: text(n.querySelector(".needs")), \
pips: text(n.querySelector(".pips")), turn: n.classList.contains("turn"), time: \
text(n.querySelector(".time")) }; };
  const checkers = {};
  for (const node of document.querySelectorAll("#board .ck")) {
    const [, x, y] = node.style.transform.match(/translate\\(([-\\d.]+)px, \
*([-\\d.]+)px\\)/).map(Number);
    const column = (x - 100 - 32 - (x > 514 ? 60 : 0)) / 64;
    const place = node.style.transform.includes("scale") ? "off" : x === 514 ? "bar" : `${column} \
${y < 357 ? "True" : "False"}`;
    const key = `${node.classList.contains("light") ? "light" : "dark"} ${place}`;
    checkers[key] = (checkers[key] || 0) + 1;
  }
  return {
    score: seen("bug") ? { event: text($("event")), length: text($("length")), foot: \
text($("foot").querySelector("span:not(.faces):not([hidden])")?.firstChild),
      dice: $("foot").querySelector(".faces:not([hidden])")?.getAttribute("aria-label") || "", \
white: \
line("white"), black: line("black") } : null,
    board: seen("inset") ? checkers : null,
    moment: seen("moment") && $("moment").dataset.what === "offer" ? \
text($("moment").querySelector(".by")) : "",
    card: seen("card") ? text($("card").querySelector("h2")) : "",
    plays: seen("ticker") ? [...$("ticker").querySelectorAll(":scope > span")].map(text) : [],
  };
}"""


def shown(page: Page, *, clocks: bool) -> dict[str, Any]:
    """What a viewer reads from the overlay."""
    found: dict[str, Any] = page.evaluate(_READ)
    if found["score"] and not clocks:
        for side in ("white", "black"):
            del found["score"][side]["time"]
    return found


def settled(page: Page, seq: int) -> None:
    """The page has drawn a document that knows this entry."""
    page.wait_for_function(
        "(seq) => Number(document.body.dataset.seq) >= seq", arg=seq, timeout=60_000
    )


def told_by(entries: Iterable[Entry], at: float) -> int:
    """The number of the newest entry by then that a viewer may read, 0 where there is none."""
    return max((e.seq for e in entries if e.at <= at and e.body.kind in PUBLIC), default=0)


# Pictures
# ------------------------------------------------------------------------------------------


def pixels(png: bytes) -> Any:
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)


def over(png: bytes, photo: Any) -> Any:
    """The transparent page laid over a photo of 1920x1080, as a mixer does."""
    page = pixels(png).astype(np.float64)
    alpha = page[..., 3:] / 255
    return (page[..., :3] * alpha + photo.astype(np.float64) * (1 - alpha)).round().astype(np.uint8)
