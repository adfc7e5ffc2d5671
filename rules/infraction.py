"""Every kind of rule that can be broken at a table, and its words: the only list of them.

The words stand in English here and in other languages in `rules.words`; `{point}` and its like are
filled with the facts of the case. Numbers are always the mover's own points.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rules.words import Language, languages

if TYPE_CHECKING:
    from rules.play import Play

WHOSE: Final[Mapping[str, str]] = {"mover's": "side on roll", "opponent's": "opponent"}
"""Whose checkers a fact may name, each with the words for it; other facts are numbers."""


class Broken(enum.Enum):
    """A rule broken; the value is the code that the pipe, the journal and the pages say."""

    # What the judge of a change of the board finds.
    NOTHING_MOVED = "nothing_moved"
    CHECKER_MISSING = "checker_missing"
    CHECKER_ADDED = "checker_added"
    OPPONENT_MOVED = "opponent_moved"
    BOTH_ON_A_POINT = "both_on_a_point"
    HIT_NOT_ALLOWED = "hit_not_allowed"
    WRONG_DIRECTION = "wrong_direction"
    BLOCKED_POINT = "blocked_point"
    BLOCKED_ENTRY = "blocked_entry"
    BAR_FIRST = "bar_first"
    DIE_NOT_ROLLED = "die_not_rolled"
    NO_ROLL = "no_roll"
    TOO_MANY_MOVES = "too_many_moves"
    BOTH_DICE = "both_dice"
    HIGHER_DIE = "higher_die"
    HEAD = "head"
    PRIME = "prime"
    BORE_OFF_EARLY = "bore_off_early"
    BORE_OFF_TOO_LOW = "bore_off_too_low"
    BORE_OFF_NOT_EXACT = "bore_off_not_exact"
    CONTACT = "contact"
    HIT_NOT_LIFTED = "hit_not_lifted"
    MUST_HIT = "must_hit"
    TRIPLE = "triple"
    # What the conduct of a turn can be.
    COCKED_DIE = "cocked_die"
    DIE_OFF_BOARD = "die_off_board"
    DIE_WRONG_HALF = "die_wrong_half"
    DIE_ON_CHECKER = "die_on_checker"
    DIE_MISSING = "die_missing"
    PREMATURE_ROLL = "premature_roll"
    DICE_LIFTED_EARLY = "dice_lifted_early"
    PRESSED_EARLY = "pressed_early"
    PRESSED_DICE_UNREAD = "pressed_dice_unread"
    MISSED_PRESS = "missed_press"
    SLOW_PLAY = "slow_play"
    FLAG_FELL = "flag_fell"
    LATE_START = "late_start"
    DEVICE_SEEN = "device_seen"
    TOUCH_MOVE = "touch_move"
    RELEASE_IS_FINAL = "release_is_final"
    WRONG_SETUP = "wrong_setup"
    CUBE_OUT_OF_TURN = "cube_out_of_turn"
    OUT_OF_TURN = "out_of_turn"


WORDS: Final[Mapping[Broken, str]] = {
    Broken.NOTHING_MOVED: "Nothing was moved, but the roll can be played.",
    Broken.CHECKER_MISSING: "Missing checkers of the {whose}: {count}.",
    Broken.CHECKER_ADDED: "Extra checkers of the {whose}: {count}.",
    Broken.OPPONENT_MOVED: "A checker of the opponent's was moved.",
    Broken.BOTH_ON_A_POINT: "Both sides stand on the {point}-point; a hit checker goes to the bar.",
    Broken.HIT_NOT_ALLOWED: "Nothing may be hit in this game: one checker holds the {point}-point.",
    Broken.WRONG_DIRECTION: "A checker was moved in the wrong direction.",
    Broken.BLOCKED_POINT: "The {point}-point is held by the opponent; a checker cannot land there.",
    Broken.BLOCKED_ENTRY: "The {point}-point is not free for a checker entering from the bar.",
    Broken.BAR_FIRST: "A checker on the bar must enter before another may move.",
    Broken.DIE_NOT_ROLLED: "This is not a {roll}.",
    Broken.NO_ROLL: "No roll explains this change of the board.",
    Broken.TOO_MANY_MOVES: "More moves were made than the roll {roll} gives.",
    Broken.BOTH_DICE: "You could play more of {roll}, so you must.",
    Broken.HIGHER_DIE: "Only one die can be played, and it must be the higher: the {die}.",
    Broken.HEAD: "Only {limit} may leave the head this turn.",
    Broken.PRIME: (
        "You may not hold {length} points in a row unless an opposing checker is ahead of them."
    ),
    Broken.BORE_OFF_EARLY: "A checker was borne off before all were home.",
    Broken.BORE_OFF_TOO_LOW: (
        "You still have a checker further back: play it before bearing off from the {point}-point."
    ),
    Broken.BORE_OFF_NOT_EXACT: "Bear off by exact number only: the {point}-point needs a {point}.",
    Broken.CONTACT: "The wrong checker was hit.",
    Broken.HIT_NOT_LIFTED: "The checker on the {point}-point was hit: it goes to the bar.",
    Broken.MUST_HIT: "There is a checker to hit, and a play that hits must be chosen.",
    Broken.TRIPLE: "On the first turn no new stack of three may be made while another play exists.",
    Broken.COCKED_DIE: "A die is cocked.",
    Broken.DIE_OFF_BOARD: "A die left the board.",
    Broken.DIE_WRONG_HALF: "A die lies in the wrong half of the board.",
    Broken.DIE_ON_CHECKER: "A die lies on a checker.",
    Broken.DIE_MISSING: "A die is missing.",
    Broken.PREMATURE_ROLL: "The dice were rolled before the opponent's turn was over.",
    Broken.DICE_LIFTED_EARLY: "The dice were lifted before they were read.",
    Broken.PRESSED_EARLY: "The clock was pressed before the play was complete.",
    Broken.PRESSED_DICE_UNREAD: "The clock was pressed before a roll was read.",
    Broken.MISSED_PRESS: "The play is done, but the clock was not pressed.",
    Broken.SLOW_PLAY: "The turn takes too long.",
    Broken.FLAG_FELL: "The time is up.",
    Broken.LATE_START: "The player is late.",
    Broken.DEVICE_SEEN: "A device was seen at the table.",
    Broken.TOUCH_MOVE: "A checker that was touched must be moved before another.",
    Broken.RELEASE_IS_FINAL: "A checker that was set down stays where it is.",
    Broken.WRONG_SETUP: "The checkers are not set up as the game starts.",
    Broken.CUBE_OUT_OF_TURN: "The cube may not be offered now.",
    Broken.OUT_OF_TURN: "It was the other side's turn.",
}


def say_infraction(code: Broken, facts: Mapping[str, int | str], language: Language) -> str:
    """The words for a rule broken, in one language: facts that are words are translated too,
    numbers take its digits.
    """
    filled = {
        k: language.say(WHOSE.get(v, v)) if isinstance(v, str) else str(v) for k, v in facts.items()
    }
    return language.with_digits(language.say(WORDS[code]).format_map(filled))


@dataclass(frozen=True)
class Infraction:
    """A rule broken: its code, the facts that its words name, and the legal plays nearest to what
    stands on the board (nearest first).
    """

    code: Broken
    facts: tuple[tuple[str, int | str], ...] = ()
    nearest: tuple[Play, ...] = ()

    def why(self, lang: str = "en") -> str:
        """In plain words. Raises ValueError for a language without a catalogue."""
        if lang not in languages():
            raise ValueError(f"no words in {lang!r}; there are {', '.join(languages())}")
        return say_infraction(self.code, dict(self.facts), languages()[lang])
