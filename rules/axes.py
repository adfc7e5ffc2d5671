"""The axes of a ruleset: what each may say, and how a written value becomes one."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

HOME: Final = 6
"""Points 1 to 6 are a side's home."""
MOST_CHECKERS: Final = 30
"""A side may not start with more: two sets of fifteen is all a table ever has."""


class RulesetError(ValueError):
    """A ruleset, option or club file that cannot be; the message names section, line where known,
    what came and what was expected.
    """


class Facing(enum.Enum):
    """How the two sides' numberings meet: my point p is your 25-p (mirror) or your p+12 (rotate:
    both travel the same way round).
    """

    MIRROR = "mirror"
    ROTATE = "rotate"


class Landing(enum.Enum):
    """HIT: two checkers hold a point and a lone one is hit.

    CLAIM: one holds it and nothing is ever hit.
    """

    HIT = "hit"
    CLAIM = "claim"


class EntryRule(enum.Enum):
    """What stops a checker entering from the bar, beyond the landing rule.

    EMPTY: any checker at all. NO_STACK: a stack of two of either side.
    """

    OPEN = "open"
    EMPTY = "empty"
    NO_STACK = "no_stack"


class Contact(enum.Enum):
    """Whether a blot is hit by each die that touches it or only where a checker ends the turn."""

    EACH_DIE = "each_die"
    TURN_END = "turn_end"


class Bearoff(enum.Enum):
    """STANDARD: a die too high takes the highest checker. EXACT: only the very point."""

    STANDARD = "standard"
    EXACT = "exact"


class HeadFirstTurn(enum.Enum):
    """When two checkers may leave the head on a side's own first turn: with any roll, with 3-3, 4-4
    and 6-6, or never.
    """

    ANY = "any"
    BIG_DOUBLES = "33_44_66"
    NONE = "none"


class PrimeChecked(enum.Enum):
    EACH_STEP = "each_step"
    END_OF_TURN = "end_of_turn"


class FirstMoveTriple(enum.Enum):
    """AVOID (Takht-e Nard): on a side's first turn no new stack of three or more while another play
    exists.
    """

    ALLOWED = "allowed"
    AVOID = "avoid"


class Opening(enum.Enum):
    """One die each and the higher plays those dice, or rolls again; or both dice each, the higher
    sum rolls again.
    """

    PLAY_THE_DICE = "play_the_dice"
    ROLL_AGAIN = "roll_again"
    TWO_DICE_EACH = "two_dice_each"


class ShishBesh(enum.Enum):
    """STARTS: the first 6-5 starts at once; it brings `opening = "two_dice_each"` with it, since
    nobody throws one with one die each.
    """

    OFF = "off"
    STARTS = "starts"


class NextStart(enum.Enum):
    ROLL = "roll"
    WINNER = "winner"


class LastRoll(enum.Enum):
    """DRAW: where the side that began bears off all its checkers first, the other has one turn
    more; a game in which both are off then is drawn.
    """

    OFF = "off"
    DRAW = "draw"


class Stakes(enum.Enum):
    """TALLY: a game is worth its points. FLAT: every game is worth one."""

    TALLY = "tally"
    FLAT = "flat"


class Win(enum.Enum):
    """How a game was won; a result is worth the highest value whose condition holds."""

    SINGLE = "single"
    GAMMON = "gammon"
    """The loser has borne off none: mars."""
    BACKGAMMON = "backgammon"
    """None off, and one on the bar or in the winner's home: super-mars."""
    LEFT_IN_HOME = "left_in_home"
    """The loser still has a checker in the winner's home."""
    LEFT_IN_HOME_OR_BAR = "left_in_home_or_bar"
    AZIZ = "aziz"
    """All the loser's checkers are on the bar."""


Points = tuple[tuple[int, int], ...]


E_ = TypeVar("E_", bound=enum.Enum)


def _choice(kind: type[E_]) -> Callable[[object], E_]:
    def parse(value: object) -> E_:
        if isinstance(value, kind):
            return value
        try:
            return kind(value)
        except ValueError:
            raise RulesetError(
                f"is one of {', '.join(str(v.value) for v in kind)}; got {value!r}"
            ) from None

    return parse


def _flag(value: object) -> bool:
    # The words are what `alt` in the cases and a command line can say.
    table = {True: True, False: False, "true": True, "false": False, "on": True, "off": False}
    if not isinstance(value, (bool, str)) or value not in table:
        raise RulesetError(f"is true or false; got {value!r}")
    return table[value]


def _number(low: int, high: int, off: bool = False) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if off and (value == "off" or value is False):
            return 0
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9:
            value = int(value)
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or not (low <= value <= high or (off and value == 0))
        ):
            raise RulesetError(
                f"is a whole number from {low} to {high}{' or off' if off else ''}; got {value!r}"
            )
        return value

    return parse


def _one_of(*allowed: int, off: bool = False) -> Callable[[object], int]:
    def parse(value: object) -> int:
        number = _number(0, 1 << 20, off)(value)
        if number not in allowed and not (off and number == 0):
            raise RulesetError(
                f"is one of {', '.join(map(str, allowed))}{', off' if off else ''}; got {value!r}"
            )
        return number

    return parse


def _points(value: object) -> Points:
    if not isinstance(value, Mapping):
        raise RulesetError(
            "is a table of own point to checkers, such as {24 = 2}, or the name of one under"
            f" starts; got {value!r}"
        )
    found: dict[int, int] = {}
    for key, count in value.items():
        if str(key) not in {str(p) for p in range(1, 25)}:
            raise RulesetError(f"names point {key}; points are 1 to 24")
        point = int(key)
        if point in found:
            raise RulesetError(f"names point {point} twice")
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_CHECKERS:
            raise RulesetError(
                f"has 1 to {MOST_CHECKERS} checkers on a point; got {count!r} on {key}"
            )
        found[point] = count
    if not found or sum(found.values()) > MOST_CHECKERS:
        raise RulesetError(f"needs 1 to {MOST_CHECKERS} checkers a side; got {sum(found.values())}")
    return tuple(sorted(found.items(), reverse=True))


def _wins(value: object) -> tuple[tuple[Win, int], ...]:
    if not isinstance(value, Mapping):
        raise RulesetError(
            f"is a table of result to points, such as {{single = 1, gammon = 2}}; got {value!r}"
        )
    table = {_choice(Win)(key): _number(1, 100)(points) for key, points in value.items()}
    if Win.SINGLE not in table or Win.AZIZ in table:
        raise RulesetError("needs `single`; `aziz` is an axis of its own")
    return tuple(sorted(table.items(), key=lambda item: item[1]))


def _words(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping) or not all(
        isinstance(v, str) and 0 < len(v) <= 80 for v in value.values()
    ):
        raise RulesetError(f"is a table of language to title of 1 to 80 letters; got {value!r}")
    return tuple((str(k), str(v)) for k, v in value.items())


def _starts(value: object) -> tuple[tuple[str, Points], ...]:
    if not isinstance(value, Mapping):
        raise RulesetError(f"is a table of name to start; got {value!r}")
    return tuple((str(name), _points(start)) for name, start in value.items())


def _power(value: object) -> int:
    number = _number(2, 1 << 20, off=True)(value)
    if number & (number - 1):
        raise RulesetError(f"is a power of two or off; got {value!r}")
    return number


@dataclass(frozen=True)
class Axis:
    """One thing a ruleset says: the field it fills and how a written value becomes one.

    `parse` raises RulesetError.
    """

    field: str
    parse: Callable[[object], object]


AXES: Final[Mapping[str, Axis]] = {
    "title": Axis("title", _words),
    "start": Axis("start", _points),
    "starts": Axis("starts", _starts),
    "facing": Axis("facing", _choice(Facing)),
    "landing": Axis("landing", _choice(Landing)),
    "entry": Axis("entry", _choice(EntryRule)),
    "contact": Axis("contact", _choice(Contact)),
    "doubles": Axis("doubles", _one_of(2, 4)),
    "higher_die": Axis("higher_die", _flag),
    "bearoff": Axis("bearoff", _choice(Bearoff)),
    "mandatory_hit": Axis("mandatory_hit", _flag),
    "head": Axis("head_limit", _number(1, MOST_CHECKERS, off=True)),
    "head.limit": Axis("head_limit", _number(1, MOST_CHECKERS, off=True)),
    "head.first_turn": Axis("head_first_turn", _choice(HeadFirstTurn)),
    "prime": Axis("prime_length", _number(2, 24, off=True)),
    "prime.length": Axis("prime_length", _number(2, 24, off=True)),
    "prime.needs_opponent_ahead": Axis("prime_needs_opponent_ahead", _number(1, MOST_CHECKERS)),
    "prime.checked": Axis("prime_checked", _choice(PrimeChecked)),
    "first_move_triple": Axis("first_move_triple", _choice(FirstMoveTriple)),
    "opening": Axis("opening", _choice(Opening)),
    "shish_besh": Axis("shish_besh", _choice(ShishBesh)),
    "next_start": Axis("next_start", _choice(NextStart)),
    "last_roll": Axis("last_roll", _choice(LastRoll)),
    "wins": Axis("wins", _wins),
    "aziz": Axis("aziz", _one_of(4, 5, off=True)),
    "stakes": Axis("stakes", _choice(Stakes)),
    "cube": Axis("cube_limit", _power),
    "cube.limit": Axis("cube_limit", _power),
}
TABLES = {"title", "start", "starts", "wins"}
"""Axes whose value is a table; any other table is a group of axes (`head = {limit = 1}` is
`head.limit = 1`).
"""

SHORT: Final = frozenset(key for key in AXES if f"{key}.limit" in AXES or f"{key}.length" in AXES)
"""`head` for `head.limit` and its like."""


def written(key: str, value: object) -> str:
    """A field's value as a ruleset file says it."""
    if key == "starts" and isinstance(value, tuple):
        return "{" + ", ".join(f"{name} = {written('start', start)}" for name, start in value) + "}"
    if key in TABLES and isinstance(value, tuple):
        pairs = (
            (k.value if isinstance(k, enum.Enum) else k, f'"{v}"' if isinstance(v, str) else v)
            for k, v in value
        )
        return "{" + ", ".join(f"{k} = {v}" for k, v in pairs) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, enum.Enum):
        return f'"{value.value}"'
    return '"off"' if value == 0 else str(value)
