"""XGID, eXtreme Gammon's one-line form of a position in a match; gnubg accepts it (`set xgid`).

`XGID=` 26 letters `:` cube, a power of two `:` owner 1, 0, -1 `:` turn 1, -1 `:` dice `:` both
scores `:` Crawford, or in a money session Jacoby 1 + beavers 2 `:` length `:` highest cube, a power
of two. White is player 1, with capital letters; the letters are Black's bar, White's points 1 to
24, White's bar. Dice are `00` before the roll, `D` while a double is offered, `B` a beaver, `R` a
resignation.
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

_SIGN: Final = {Side.WHITE: 1, Side.BLACK: -1, None: 0}
_FORM: Final = re.compile(
    r"XGID=([-A-Oa-o]{26}):(\d{1,2}):(-?[01]):(-?1):([1-6]{2}|00|D|B|R)"
    r":(\d{1,5}):(\d{1,5}):([0-3]):(\d{1,3}):(\d{1,2})",
    re.ASCII,
)


def write_xgid(match: Match) -> str:
    """Raises CannotCarryError for boards whose sides do not face each other, and what one letter
    cannot count.
    """
    game, rules = match.game, match.rules
    if rules.ruleset.facing is not Facing.MIRROR or rules.ruleset.checkers > 15:
        raise CannotCarryError(
            f"an XGID speaks of 15 checkers that go opposite ways; {rules.ruleset.name} does not"
        )
    white, black = game.placement.white, game.placement.black
    if any(white[p] and black[p] for p in POINTS):
        raise CannotCarryError("an XGID cannot say both sides on one point")
    letters = [
        _letter(0, black[BAR]),
        *(_letter(white[p], black[p]) for p in POINTS),
        _letter(white[BAR], 0),
    ]
    side = game.side or Side.WHITE
    turn = side
    dice = "00"
    if game.resigning is not None:
        dice = "R"
    elif game.phase is GamePhase.OFFERED:
        dice, turn = "D", side.other
    elif game.phase is GamePhase.BEAVERED:
        dice = "B"
    elif game.roll is not None:
        dice = str(game.roll)
    special = int(rules.jacoby) + 2 * int(rules.beavers) if rules.is_money else int(game.crawford)
    limit = max(1, game.cube.limit).bit_length() - 1
    fields = (
        game.cube.value.bit_length() - 1,
        _SIGN[game.cube.owner],
        _SIGN[turn],
        dice,
        max(0, match.score.white),
        max(0, match.score.black),
        special,
        rules.length,
        limit,
    )
    return "XGID=" + "".join(letters) + ":" + ":".join(map(str, fields))


def _letter(white: int, black: int) -> str:
    return chr(ord("A") + white - 1) if white else chr(ord("a") + black - 1) if black else "-"


def found_xgid(text: str) -> str:
    """The first XGID in a text: on a line of its own among others, as eXtreme Gammon copies a
    position, or broken over several lines by a letter that carried it.

    What follows `XGID=` where there is none, for `read_xgid` to refuse.
    """
    rest = re.split(r"XGID=", text, maxsplit=1, flags=re.IGNORECASE)[-1]
    for said in (rest, "".join(rest.split())):
        if found := _FORM.match("XGID=" + said):
            return found[0]
    return "XGID=" + rest.split("\n")[0]


def read_xgid(text: str, rules: MatchRules | None = None) -> Match:
    """The match at that point.

    `rules` says what an XGID cannot; length, Jacoby and beavers are the XGID's. Raises
    NotationError.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise NotationError(
            "an XGID such as XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10 was expected, got"
            f" {text.strip()[:100]!r}"
        )
    letters, cube_log, owner, turn, dice = (
        form[1],
        int(form[2]),
        int(form[3]),
        int(form[4]),
        form[5],
    )
    scores, special, length, limit_log = (
        (int(form[6]), int(form[7])),
        int(form[8]),
        int(form[9]),
        int(form[10]),
    )
    if cube_log > 20 or limit_log > 20 or (length and special > 1):
        raise NotationError(f"{text.strip()!r}: the cube or the Crawford field cannot be")
    base = (
        MatchRules.of(catalogue()["backgammon"], length)
        if rules is None
        else replace(rules, length=length)
    )
    if not length:
        base = replace(base, jacoby=bool(special & 1), beavers=bool(special & 2))
    placement = placement_of_letters(letters, base.ruleset.checkers)
    sides = {1: Side.WHITE, -1: Side.BLACK, 0: None}
    side = sides[turn] or Side.WHITE
    if dice == "D":
        side = side.other
    limit = max(1 << limit_log, 1 << cube_log) if base.highest_cube else 0
    cube = Cube(1 << cube_log, sides[owner], limit if limit > 1 else 0, turned=owner != 0)
    phase = {
        "D": GamePhase.OFFERED,
        "B": GamePhase.BEAVERED,
        "R": GamePhase.TO_ROLL,
        "00": GamePhase.TO_ROLL,
    }.get(dice, GamePhase.ROLLED)
    game = replace(
        start_game(base.ruleset, cube, 1, bool(length and special), side),
        placement=placement,
        phase=phase,
        roll=Roll.of(int(dice[0]), int(dice[1])) if phase is GamePhase.ROLLED else None,
        taken_turns=frozenset(Side),
        resigning=(side.other, 1) if dice == "R" else None,
    )
    match = Match(base, game, Score(*scores))
    needs_one = [s for s in Side if match.away(s) == 1]
    return replace(match, crawford_played=bool(needs_one) and not game.crawford)


def placement_of_letters(letters: str, total: int) -> Placement:
    """The board of an XGID's 26 letters, of sides with `total` checkers. Raises NotationError."""
    white, black = [0] * 26, [0] * 26
    for index, letter in enumerate(letters):
        if letter == "-":
            continue
        if letter.isupper() == (index == 0) and index in (0, BAR):
            raise NotationError(
                f"{letters!r}: the first letter is the lower side's bar, the last the capital"
                " side's"
            )
        site = BAR if index == 0 else index
        (white if letter.isupper() else black)[site] = ord(letter.upper()) - ord("A") + 1
    for counts in (white, black):
        counts[0] = total - sum(counts)
        if counts[0] < 0:
            raise NotationError(f"{letters!r}: a side has more than {total} checkers")
    return Placement(tuple(white), tuple(black))
