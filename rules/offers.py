"""The options that people are asked for when a match is set up: axes of a ruleset in a player's
words, each with the choices that make sense at a table.

Words are English msgids; every catalogue has them. What is not asked makes another game of it
(`NOT_ASKED`), or is a club's own file.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from rules.axes import AXES, SHORT, Landing
from rules.ruleset import Ruleset

Chosen: TypeAlias = bool | int | str | Mapping[str, int]
"""A value as an option says it."""
NOT_ASKED: Final[Mapping[str, str]] = {
    "title": "a name, no rule",
    "starts": "names for starts",
    "facing": "another game",
    "landing": "another game",
}
"""Axes that no page asks for, and why."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an axis and its words."""

    value: Chosen
    words: str


@dataclass(frozen=True, slots=True)
class Offer:
    """An axis as it is asked for, for the rulesets in which it can change anything."""

    axis: str
    words: str
    choices: tuple[Choice, ...]
    applies: Callable[[Ruleset], bool] = lambda _: True


def _hits(ruleset: Ruleset) -> bool:
    return ruleset.landing is Landing.HIT


def _claims(ruleset: Ruleset) -> bool:
    return ruleset.landing is Landing.CLAIM


def _choices(*pairs: tuple[Chosen, str]) -> tuple[Choice, ...]:
    return tuple(Choice(value, words) for value, words in pairs)


LITERAL: Final = "literal_origin"
OFFERS: Final = (
    Offer(
        "mandatory_hit",
        "Hitting",
        _choices((False, "A hit may be left"), (True, "Who can hit must hit")),
        _hits,
    ),
    Offer(
        "opening",
        "Opening roll",
        _choices(
            ("play_the_dice", "One die each: the higher starts with these dice"),
            ("roll_again", "One die each: the higher starts and rolls again"),
            ("two_dice_each", "Two dice each: the higher sum starts and rolls again"),
        ),
    ),
    Offer(
        "shish_besh",
        "Shish-besh, with two dice each",
        _choices(("off", "6-5 is a roll like others"), ("starts", "The first 6-5 starts at once")),
        _hits,
    ),
    Offer(
        "aziz",
        "Aziz: all checkers on the bar",
        _choices(("off", "Does not count by itself"), (4, "4 points"), (5, "5 points")),
        _hits,
    ),
    Offer(
        "first_move_triple",
        "Three on a point in the first turn",
        _choices(
            ("allowed", "Allowed"),
            ("avoid", "Not while there is another play (Takht-e Nard)"),
        ),
    ),
    Offer(
        "stakes",
        "A game counts",
        _choices(("tally", "What was won: 1, 2 or 3"), ("flat", "Always 1")),
    ),
    Offer(
        "wins",
        "Points of a win",
        _choices(
            ({"single": 1}, "1"),
            ({"single": 1, "gammon": 2}, "1; none borne off 2"),
            (
                {"single": 1, "gammon": 2, "backgammon": 3},
                "1; none borne off 2, and one on the bar or in the winner's home 3",
            ),
            ({"single": 1, "left_in_home": 2}, "1; a checker left in the winner's home 2"),
            (
                {"single": 1, "left_in_home_or_bar": 2},
                "1; a checker left in the winner's home or on the bar 2",
            ),
        ),
    ),
    Offer("doubles", "Doubles", _choices((4, "Four moves"), (2, "Two moves"))),
    Offer(
        "higher_die",
        "Where only one die can be played",
        _choices((True, "It must be the higher, if it can"), (False, "Either may be played")),
    ),
    Offer(
        "bearoff",
        "Bearing off",
        _choices(
            ("standard", "A die too high takes the highest checker"),
            ("exact", "By the exact number only"),
        ),
    ),
    Offer(
        "entry",
        "Entering from the bar",
        _choices(
            ("open", "Unless the opponent holds the point"),
            ("no_stack", "Not onto two or more checkers, one's own included"),
            ("empty", "Onto an empty point only"),
        ),
        _hits,
    ),
    Offer(
        "contact",
        "A lone checker is hit",
        _choices(
            ("each_die", "By each die that touches it"),
            ("turn_end", "Only where a checker ends the turn"),
        ),
        _hits,
    ),
    Offer(
        "start",
        "Starting position",
        _choices(("", "As usual"), (LITERAL, "As the old text says word for word")),
        lambda ruleset: bool(ruleset.starts),
    ),
    Offer(
        "next_start",
        "The next game is started by",
        _choices(("roll", "Who wins the opening roll"), ("winner", "The winner of the last game")),
    ),
    Offer(
        "head.limit",
        "Checkers that may leave the head in a turn",
        _choices(("off", "Any number"), (1, "One"), (2, "Two")),
        _claims,
    ),
    Offer(
        "head.first_turn",
        "Two from the head in the first turn",
        _choices(
            ("any", "With any roll"),
            ("33_44_66", "Only with 3-3, 4-4 and 6-6"),
            ("none", "Never"),
        ),
        lambda ruleset: ruleset.head_limit > 0,
    ),
    Offer(
        "prime.length",
        "A block of points in a row is refused",
        _choices(
            ("off", "Never"),
            (5, "From five points on"),
            (6, "From six points on"),
            (7, "From seven points on"),
        ),
        _claims,
    ),
    Offer(
        "prime.needs_opponent_ahead",
        "The block is allowed with opposing checkers ahead of it",
        _choices((1, "One is enough"), (2, "Two are needed"), (3, "Three are needed")),
        lambda ruleset: ruleset.prime_length > 0,
    ),
    Offer(
        "prime.checked",
        "The block counts",
        _choices(("each_step", "After each die"), ("end_of_turn", "At the end of the turn")),
        lambda ruleset: ruleset.prime_length > 0,
    ),
    Offer(
        "last_roll",
        "When the side that began is off first",
        _choices(
            ("off", "The game is over"),
            ("draw", "The other has one turn more; if it is off then too, the game is drawn"),
        ),
        _claims,
    ),
    Offer(
        "cube.limit",
        "Doubling cube",
        _choices(("off", "None"), (64, "Up to 64")),
        _hits,
    ),
)


def offers(ruleset: Ruleset) -> tuple[Offer, ...]:
    """What is asked for a ruleset, in the order in which it is asked."""
    return tuple(offer for offer in OFFERS if offer.applies(ruleset))


def value_of(ruleset: Ruleset, axis: str) -> Chosen:
    """What a ruleset says of an axis, as an option would say it."""
    value = getattr(ruleset, AXES[axis].field)
    if axis == "start":
        return next((name for name, start in ruleset.starts if start == ruleset.start), "")
    if axis == "wins":
        return {win.value: points for win, points in ruleset.wins}
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, bool):
        return value
    return int(value) or "off"


def messages_of_offers() -> tuple[str, ...]:
    """Every msgid of what is asked."""
    return tuple(
        dict.fromkeys(
            text for offer in OFFERS for text in (offer.words, *(c.words for c in offer.choices))
        )
    )


ASKED: Final = frozenset(offer.axis for offer in OFFERS) | SHORT
"""Axes that are asked for, the short names of some of them included."""
