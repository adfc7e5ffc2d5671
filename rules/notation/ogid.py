"""OGID, OpenGammon's one-line form of a position in a match, as `docs/OGID.md` of HedgeHog has it.

White's checkers `:` Black's `:` cube `:` dice `:` who acted last `:` state `:` scores `:` length
`:` number of the move. A checker is a letter, its place counted from White's bar (`0`) over White's
24-point (`1`) to Black's bar (`p`). A cube is its owner `N`, `W` or `B`, a power of two, and `O`
while it is offered, else `N`. The side on roll is the one that did not act last. Everything after
the cube may be left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from rules.axes import Facing
from rules.board import BAR, POINTS, Placement, Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import GamePhase, start_game
from rules.match import Match, MatchRules, Score
from rules.notation.errors import CannotCarryError, NotationError
from rules.ruleset import catalogue

_PLACES: Final = "0123456789abcdefghijklmnop"
_SIDES: Final = {"W": Side.WHITE, "B": Side.BLACK}
_LETTERS: Final = {Side.WHITE: "W", Side.BLACK: "B", None: "N"}
_FORM: Final = re.compile(
    r"(?:OGID[=:]\s*)?([0-9a-p]{0,20}):([0-9a-p]{0,20}):([NWBD?])(\d{1,2})([NOTP])"
    r"(?::([1-6]{2})?(?::([WB])?(?::([A-Z]{0,3})(?::(\d{1,5})?(?::(\d{1,5})?"
    r"(?::(\d{1,3})([LCG]?)\d{0,4}(?::\d{0,6}(?::(\d{1,2}))?)?)?)?)?)?)?)?",
    re.ASCII,
)


def write_ogid(match: Match) -> str:
    """Raises CannotCarryError for boards whose sides do not face each other."""
    game, rules = match.game, match.rules
    if rules.ruleset.facing is not Facing.MIRROR:
        raise CannotCarryError(
            f"an OGID speaks of checkers that go opposite ways; {rules.ruleset.name} does not"
        )
    white, black = game.placement.white, game.placement.black
    ours = _PLACES[0] * white[BAR] + "".join(_PLACES[25 - p] * white[p] for p in reversed(POINTS))
    theirs = "".join(_PLACES[25 - p] * black[p] for p in reversed(POINTS)) + "p" * black[BAR]
    offered = game.phase is GamePhase.OFFERED
    side = game.side or Side.WHITE
    acted = side if offered else side.other
    length = f"{rules.length}{'C' if game.crawford else 'L' if match.is_post_crawford else ''}"
    fields = [
        ours,
        theirs,
        f"{_LETTERS[game.cube.owner]}{game.cube.value.bit_length() - 1}{'O' if offered else 'N'}",
        "" if game.roll is None else "".join(sorted(str(game.roll))),
        _LETTERS[acted],
        "D" if offered else "",
        str(max(0, match.score.white)),
        str(max(0, match.score.black)),
        length,
        "0",
    ]
    if rules.ruleset.checkers != 15:
        fields.append(str(rules.ruleset.checkers))
    return ":".join(fields)


def looks_like_ogid(text: str) -> bool:
    """Whether this is meant as an OGID."""
    return bool(re.match(r"\s*(OGID[=:]|[0-9a-p]*:[0-9a-p]*:[NWBD?]\d)", text, re.ASCII))


def read_ogid(text: str, rules: MatchRules | None = None) -> Match:
    """The match at that point; `rules` says what an OGID cannot, its length is the OGID's.

    Raises NotationError.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None or int(form[4]) > 20:
        raise NotationError(
            "an OGID such as 11ccccchhhjjjjj:66666888dddddoo:N0N::B::0:0:7:0 was expected, got"
            f" {text.strip()[:100]!r}"
        )
    length = int(form[11] or 0)
    base = (
        MatchRules.of(catalogue()["backgammon"], length)
        if rules is None
        else replace(rules, length=length)
    )
    total = base.ruleset.checkers
    if int(form[13] or 15) != total:
        raise NotationError(f"{form[13]} checkers a side; {base.ruleset.name} has {total}")
    value = 1 << int(form[4])
    owner = _SIDES.get(form[3])
    cube = Cube(
        value,
        owner,
        max(base.highest_cube, value) if base.highest_cube else 0,
        turned=owner is not None,
    )
    offered = form[5] == "O"
    acted = _SIDES.get(form[7] or "B", Side.BLACK)
    side = acted if offered else acted.other
    phase = GamePhase.OFFERED if offered else GamePhase.ROLLED if form[6] else GamePhase.TO_ROLL
    game = replace(
        start_game(base.ruleset, cube, 1, form[12] == "C", side),
        placement=_placement(form[1], form[2], total),
        phase=phase,
        roll=Roll.of(int(form[6][0]), int(form[6][1])) if phase is GamePhase.ROLLED else None,
        taken_turns=frozenset(Side),
    )
    score = Score(int(form[9] or 0), int(form[10] or 0))
    return Match(base, game, score, crawford_played=form[12] == "L")


def _placement(ours: str, theirs: str, total: int) -> Placement:
    white, black = [0] * 26, [0] * 26
    for letter in ours:
        white[25 - _PLACES.index(letter)] += 1
    for letter in theirs:
        place = _PLACES.index(letter)
        black[BAR if place == BAR else 25 - place] += 1
    # White has nothing at Black's bar, nor Black at White's: there both would be borne off.
    if white[0] or "0" in theirs:
        raise NotationError("a side's checker stands on the other's bar")
    for counts in (white, black):
        counts[0] = total - sum(counts)
        if counts[0] < 0:
            raise NotationError(f"a side has more than {total} checkers")
    if any(white[p] and black[p] for p in POINTS):
        raise NotationError("both sides stand on one point")
    return Placement(tuple(white), tuple(black))
