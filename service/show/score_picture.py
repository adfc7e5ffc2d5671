"""The score as an SVG picture, for mixers that know no browser. Pure.

It shows what the overlay's score shows, in the same words: names, pips, cube, clocks, points still
needed, what is special about the game, the roll. Its size never changes, so that nothing beside it
does; whatever is written from right to left is mirrored wholly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal
from xml.sax.saxutils import escape

from rules.axes import Facing
from rules.board import Placement, Side
from rules.race import pip_count
from rules.words import Language
from service.referee.state import Phase
from service.show.document import PlayerDocument, StateDocument

WIDTH: Final = 960
HEAD: Final = 48
ROW: Final = 70
FOOT: Final = 56
HEIGHT: Final = HEAD + 2 * ROW + FOOT
NAME: Final = 76
"""Where names begin, and figures end at the least."""
FIGURES: Final = 380
HURRY_S: Final = 10.0
Theme = Literal["glass", "paper"]
_TURN: Final = frozenset(
    {Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED, Phase.DOUBLED, Phase.ILLEGAL, Phase.DIFFERS}
)
_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@dataclass(frozen=True)
class Colours:
    """What a theme is made of, and how opaque its card is."""

    card: str
    opacity: float
    ink: str
    soft: str
    edge: str
    hot: str
    alarm: str


THEMES: Final[dict[Theme, Colours]] = {
    "glass": Colours("#0d1514", 0.9, "#fff", "#c9d6d4", "#3b4443", "#37d0c8", "#ff7a66"),
    "paper": Colours("#fffdf8", 0.96, "#1d1a16", "#5a5147", "#d8d3c8", "#0d6466", "#a8201a"),
}


def score_svg(shown: StateDocument | None, language: Language, theme: Theme = "glass") -> str:
    """The picture; an empty one of the same size where no match is known."""
    inside = (
        "" if shown is None or shown["match"]["ruleset"] is None else _card(shown, language, theme)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' font-family="Vazirmatn, sans-serif" font-weight="600">{inside}</svg>'
    )


def time_words(seconds: float) -> str:
    """Seconds as a clock writes them: 7:05, 0:09.3 in the last ten, 1:02:03 above an hour."""
    last = 0 < seconds < HURRY_S
    whole = int(seconds) if last else math.ceil(seconds - 1e-6)
    hours, minutes = divmod(whole // 60, 60)
    text = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{text}:{whole % 60:02}" + (f".{int((seconds - whole) * 10)}" if last else "")


def pips_of(shown: StateDocument, side: Side) -> int:
    """How far a side is from having borne off, counted from the board that is shown."""
    board = shown["board"]
    placement = Placement(tuple(board["white"]), tuple(board["black"]))
    return pip_count(placement, Facing(board["facing"]), side)


def needs(shown: StateDocument, side: Side) -> int:
    """Points that a side still needs; 0 in a session and where it has them."""
    length = shown["match"]["length"] or 0
    return max(0, length - _player(shown, side)["score"])


def game_words(shown: StateDocument, language: Language) -> str:
    """The length of the match, and what is special about this game."""
    match = shown["match"]
    left = [needs(shown, side) for side in Side]
    if match["length"] == 1:
        said = [language.say("to 1 point")]
    elif match["length"]:
        said = [language.say("to {n} points", n=language.with_digits(str(match["length"])))]
    else:
        said = [language.say("money session")]
    if match["crawford"]:
        said.append(language.say("Crawford game"))
    if left == [1, 1]:
        said.append(language.say("Double match point"))
    elif 1 in left and not match["crawford"] and shown["cube"]["in_use"]:
        said.append(language.say("After Crawford"))
    return " · ".join(said)


def phase_words(shown: StateDocument, language: Language) -> str:
    """What is said of the phase beside the dice; "" where the dice say it all."""
    phase, games, cube = Phase(shown["phase"]), shown["games"], shown["cube"]
    if phase is Phase.DOUBLED and cube["offered_by"] is not None:
        value = language.with_digits(str(cube["offered_value"] or ""))
        name = _isolated(_player(shown, Side(cube["offered_by"]))["name"])
        return language.say("{name} doubles to {n}", name=name, n=value)
    if phase in (Phase.GAME_OVER, Phase.MATCH_OVER) and games:
        name = _isolated(_player(shown, Side(games[-1]["winner"]))["name"])
        if phase is Phase.MATCH_OVER:
            return language.say("{name} wins the match", name=name)
        points = language.with_digits(str(games[-1]["points"]))
        return language.say("{name} wins {n}", name=name, n=points)
    return language.say(_SAID[phase]) if phase in _SAID else ""


_SAID: Final = {
    Phase.GAME_OVER: "The game is over",
    Phase.MATCH_OVER: "The match is over",
    Phase.FROZEN: "The director is deciding",
    Phase.ADJOURNED: "The match is adjourned",
    Phase.OPENING: "Opening roll",
    Phase.SETTING_UP: "The game is about to begin",
}


def _player(shown: StateDocument, side: Side) -> PlayerDocument:
    return shown["match"]["players"]["white" if side is Side.WHITE else "black"]


def _isolated(name: str) -> str:
    """A name whose direction moves nothing beside it."""
    return f"\u2068{name}\u2069"


@dataclass(frozen=True)
class _Pen:
    """Draws from the side where reading begins: 0 is at the left, or at the right where the
    language is written from there.
    """

    language: Language
    colours: Colours

    @property
    def mirrored(self) -> bool:
        return self.language.direction == "rtl"

    def x(self, x: float, width: float = 0) -> float:
        return WIDTH - x - width if self.mirrored else x

    def text(
        self, x: float, y: float, said: str, size: int, fill: str = "", *, anchor: str = "start"
    ) -> str:
        if self.mirrored:
            # What is said begins where it is read from, whatever letters a name begins with.
            said = f"\u200f{said}"
            anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        return (
            f'<text x="{self.x(x):g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"'
            f' fill="{fill or self.colours.ink}">{escape(drawable(said))}</text>'
        )

    def figure(self, x: float, y: float, value: str, size: int, fill: str = "") -> str:
        """A number that ends at x."""
        return self.text(x, y, self.language.with_digits(value), size, fill, anchor="end")

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, rest: str = ""
    ) -> str:
        at = f'x="{self.x(x, width):g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        return f'<rect {at} fill="{fill}"{rest}/>'

    def clipped(self, name: str, x: float, y: float, width: float, height: float, said: str) -> str:
        """What is drawn within a box and nowhere else."""
        return (
            f'<clipPath id="{name}">{self.box(x, y, width, height, "#000")}</clipPath>'
            f'<g clip-path="url(#{name})">{said}</g>'
        )


def drawable(said: str) -> str:
    """The text without what no picture can hold: control characters."""
    return "".join(c for c in said if c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe")


def _card(shown: StateDocument, language: Language, theme: Theme) -> str:
    pen = _Pen(language, THEMES[theme])
    return "".join(
        (
            pen.box(
                0, 0, WIDTH, HEIGHT, pen.colours.card,
                f' rx="14" fill-opacity="{pen.colours.opacity:g}"',
            ),
            *_head(pen, shown),
            *_row(pen, shown, Side.BLACK, HEAD),
            *_row(pen, shown, Side.WHITE, HEAD + ROW),
            *_foot(pen, shown),
        )
    )  # fmt: skip


def _head(pen: _Pen, shown: StateDocument) -> Iterator[str]:
    match = shown["match"]
    own = match["event"].get("name")
    titles = match["title"]
    title = own if isinstance(own, str) and own else titles.get(pen.language.code, titles.get("en"))
    event = pen.text(20, 32, str(title or ""), 21)
    yield pen.clipped("head", 20, 0, WIDTH - 420, HEAD, event)
    yield pen.text(
        WIDTH - 20, 32, game_words(shown, pen.language), 19, pen.colours.soft, anchor="end"
    )


def _row(pen: _Pen, shown: StateDocument, side: Side, top: int) -> Iterator[str]:
    colours, player, cube = pen.colours, _player(shown, side), shown["cube"]
    own: Literal["white", "black"] = "white" if side is Side.WHITE else "black"
    yield pen.box(0, top, WIDTH, 1, colours.edge)
    if shown["on_roll"] == own and Phase(shown["phase"]) in _TURN:
        yield pen.box(0, top + 1, 12, ROW - 1, colours.hot)
    dark = player["colour"] == "dark"
    fill, mark = ("#2b2420", "#f2e6d0") if dark else ("#faf6ea", "#3b2c20")
    at = f'cx="{pen.x(44):g}" cy="{top + ROW / 2:g}"'
    yield f'<circle {at} r="19" fill="{fill}" stroke="{mark}" stroke-width="1.5"/>'
    if dark:
        yield f'<circle {at} r="10" fill="none" stroke="{mark}" stroke-width="1.5"/>'
    base = top + ROW / 2 + 10
    name = pen.text(NAME, base, _isolated(player["name"]), 30)
    yield pen.clipped(f"name-{own}", NAME, top, WIDTH - FIGURES - NAME, ROW, name)
    if shown["match"]["game"]:
        yield pen.figure(WIDTH - 310, base, str(pips_of(shown, side)), 23, colours.soft)
    if cube["in_use"] and cube["owner"] == own:
        rest = f' rx="8" stroke="{colours.ink}" stroke-width="2" fill-opacity="0"'
        yield pen.box(WIDTH - 296, top + 17, 48, 36, "#000", rest)
        value = pen.language.with_digits(str(cube["value"]))
        yield pen.text(WIDTH - 272, base - 1, value, 23, anchor="middle")
    clock = shown["clock"][own]
    if clock is not None:
        low = clock["bank"] < HURRY_S or clock["flags"] > 0
        running = shown["clock"]["running"] == own
        hue = colours.alarm if low else colours.hot if running else colours.soft
        yield pen.figure(WIDTH - 152, base, time_words(clock["bank"]), 26, hue)
    if away := needs(shown, side):
        left = pen.language.say("{n}-away", n=pen.language.with_digits(str(away)))
        yield pen.text(WIDTH - 70, base, left, 18, colours.soft, anchor="end")
    score = pen.language.with_digits(str(player["score"]))
    yield pen.text(WIDTH - 38, base + 4, score, 40, anchor="middle")


def _foot(pen: _Pen, shown: StateDocument) -> Iterator[str]:
    top = HEIGHT - FOOT
    yield pen.box(0, top, WIDTH, 1, pen.colours.edge)
    yield pen.clipped(
        "foot",
        20,
        top,
        WIDTH - 160,
        FOOT,
        pen.text(20, top + 36, phase_words(shown, pen.language), 22),
    )
    roll = shown["dice"]["roll"]
    for number, value in enumerate(roll or []):
        # Dice stand as they are thrown, the first at the left, in every language.
        at = (len(roll or []) - number) if not pen.mirrored else number + 1
        middle = pen.x(WIDTH + 6 - 50 * at)
        yield from _die(middle, top + FOOT / 2, value)


def _die(x: float, y: float, value: int) -> Iterator[str]:
    yield (
        f'<rect x="{x - 20:g}" y="{y - 20:g}" width="40" height="40" rx="8" fill="#fffdf6"'
        ' stroke="#5b4a38" stroke-width="1.5"/>'
    )
    for dx, dy in _PIPS[value]:
        yield f'<circle cx="{x + 10.5 * dx:g}" cy="{y + 10.5 * dy:g}" r="3.9" fill="#241a10"/>'
