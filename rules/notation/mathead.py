"""How a .mat file begins: its tags and its length, what they say of the rules, and the row of names
above each game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.axes import Facing, Landing
from rules.match import MatchRules
from rules.notation.errors import NotationError
from rules.ruleset import Ruleset, catalogue
from rules.words import JOINERS, printable

# The key begins and ends with no blank: a row of `; [` and blanks would take their square in time.
TAG: Final = re.compile(
    r'\s*;\s*\[\s*([^"\]\s](?:[^"\]]{0,58}[^"\]\s])?)\s+"([^"]{0,500})"\s*\]\s*'
)
LENGTH_ROW: Final = re.compile(
    r"\s*(?:(\d{1,4})(?:\s+|-)(?:points?|pts?\.?)\s+match\b|unlimited\s+(?:match|game)\b"
    r"|money\s+(?:game|session)\b)",
    re.IGNORECASE,
)
"""How a match begins, but for its tags."""
NO_LENGTH: Final = "a line such as ` 7 point match` was expected"
_SCORE: Final = re.compile(r":\s*(-?\d{1,6})(?=\s|$)")
_RATED: Final = re.compile(r"\s*,\s*\d{3,4}(?:\.\d+)?$")
"""A site's rating behind a name, as in `Mirza,1859 : 0`; gnubg takes it off as well."""
VARIATIONS: Final = {"backgammon": "Backgammon", "nackgammon": "NackGammon"}
"""What gnubg calls the games that it reads from .mat and SGF."""
CUT: Final = "Cut"
"""The tag that says where a game was cut and why."""
NAME_BYTES: Final = 31
"""gnubg keeps 31 bytes of a name; cut here at a letter, the tag has it whole."""
LONGEST_HEAD: Final = 2_000
"""Rows before the length of the match that are not empty: tags and remarks."""


def rules_of_tags(length: int, tags: tuple[tuple[str, str], ...]) -> MatchRules:
    """What a match of this length is played by. Raises NotationError."""
    said = {key.lower(): value for key, value in tags}
    called = said.get("variation", "backgammon")
    ruleset = catalogue().get(called.lower(), None)
    if ruleset is None or variation(ruleset) is None:
        raise NotationError(
            f"variation {called!r} cannot be read from .mat: its points and moves are backgammon's",
            1,
            1,
        )

    def chosen(key: str) -> bool | None:
        return said[key].lower() == "on" if key in said and ruleset.has_cube else None

    limit = said.get("cubelimit", "")
    cube_limit = (
        int(limit)
        if limit.isascii()
        and limit.isdigit()
        and len(limit) < 8
        and int(limit) >= 2
        and ruleset.has_cube
        else None
    )
    try:
        return MatchRules.of(
            ruleset,
            length,
            crawford=chosen("crawford") if length else None,
            # Sites say it of a match as well, where no program plays it.
            jacoby=None if length else chosen("jacoby"),
            beavers=chosen("beavers") if "beavers" in said else chosen("beaver"),
            automatic_doubles=0,
            cube_limit=cube_limit,
        )
    except ValueError as error:
        raise NotationError(str(error), 1, 1) from None


def bridged_plays(tags: tuple[tuple[str, str], ...]) -> dict[tuple[int, int, str], int]:
    """(game, row, player) of each illegal play that further rows spell out, and how many."""
    found = {}
    for key, value in tags:
        match = (
            re.fullmatch(r"Game (\d{1,4}), Move (\d{1,4}) of (.*) bridged (\d{1,2})", value)
            if key == "IllegalPlay"
            else None
        )
        if match:
            found[int(match[1]), int(match[2]), match[3]] = int(match[4])
    return found


def variation(ruleset: Ruleset) -> str | None:
    """What gnubg calls the game whose numbering, hits and start this ruleset has; None where it
    knows none.
    """
    if ruleset.facing is Facing.MIRROR and ruleset.landing is Landing.HIT:
        for name, said in VARIATIONS.items():
            if ruleset.start == catalogue()[name].start:
                return said
    return None


@dataclass(frozen=True)
class Names:
    """The row above a game: who plays and the score; `column` (from 0) is where the right player's
    name begins.
    """

    left: str
    one: int
    right: str
    two: int
    column: int


def read_names(line: str) -> Names | None:
    """Who plays, in the row above a game; None where it is no such row. Names may hold colons and
    digits; the first score and the last are the ones.
    """
    scores = list(_SCORE.finditer(line))
    if len(scores) < 2 or line[scores[-1].end() :].strip():
        return None
    first, last = scores[0], scores[-1]
    between = line[first.end() : last.start()]
    column = first.end() + len(between) - len(between.lstrip())
    left, right = (_RATED.sub("", said.strip()) for said in (line[: first.start()], between))
    return Names(left, int(first[1]), right, int(last[1]), column)


def read_names_alone(line: str) -> Names | None:
    """Who plays, of a row without a score, as JellyFish's single games have it; None where it does
    not name two.
    """
    left, *others = line.split("  ", 1) if (line := line.strip()) else [""]
    right = others[0].strip() if others else ""
    if not right or "  " in right:
        return None
    return Names(left, 0, right, 0, len(line) - len(right))


def row_name(name: str, otherwise: str) -> str:
    """A name as a row can hold it: never empty, no colon, at most so many bytes of UTF-8."""
    clean = " ".join("".join(c if printable(c) and c not in ":" else " " for c in name).split())
    while len(clean.encode()) > NAME_BYTES:
        clean = clean[:-1]
    return clean.strip(JOINERS + " ") or otherwise


def whole_names(names: Names, first: str, second: str) -> tuple[str, str]:
    """The left player's name and the right's, as the tags have them that a row cut short or put
    without colons; a row's own where no tag is of that player. eXtreme Gammon's first tag is the
    right player's.
    """
    left, right = names.left.strip(), names.right.strip()
    straight = _is_short_for(left, first) and _is_short_for(right, second)
    crossed = _is_short_for(left, second) and _is_short_for(right, first)
    if (left, right) == (second, first) or (crossed and not straight):
        first, second = second, first
    return (
        first if _is_short_for(left, first) else left,
        second if _is_short_for(right, second) else right,
    )


def _is_short_for(name: str, tag: str) -> bool:
    return tag.startswith(name) or row_name(tag, "") == name
