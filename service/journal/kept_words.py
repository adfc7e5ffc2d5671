"""The English words in which version 1 of three entries kept an infraction, as they were then:
what `lifting` gets their facts back by. They never change again; today's words are the rules'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WORDS_OF_VERSION_1: Final[Mapping[str, str]] = {
    "nothing_moved": "Nothing was moved, but the roll can be played.",
    "checker_missing": "The board lacks {count} of the {whose} checkers.",
    "checker_added": "The board has {count} too many of the {whose} checkers.",
    "opponent_moved": "A checker of the opponent's was moved.",
    "both_on_a_point": "Both sides stand on the {point}-point; a hit checker goes to the bar.",
    "hit_not_allowed": "Nothing may be hit in this game: one checker holds the {point}-point.",
    "wrong_direction": "A checker was moved in the wrong direction.",
    "blocked_point": "The {point}-point is held by the opponent; a checker cannot land there.",
    "blocked_entry": "The {point}-point is not free for a checker entering from the bar.",
    "bar_first": "A checker on the bar must enter before another may move.",
    "die_not_rolled": "That is not what was rolled ({roll}).",
    "no_roll": "No roll explains this change of the board.",
    "too_many_moves": "More moves were made than the roll {roll} gives.",
    "both_dice": "More of the roll {roll} could be played, and so it must be.",
    "higher_die": "Only one die can be played, and it must be the higher: the {die}.",
    "head": "Too many checkers left the head this turn: {limit} may.",
    "prime": "{length} points in a row are refused while no opposing checker is ahead of them.",
    "bore_off_early": "A checker was borne off before all were home.",
    "bore_off_too_low": (
        "A die too high must be played from a higher point before it bears a checker off"
        " the {point}-point."
    ),
    "bore_off_not_exact": (
        "A checker is borne off only by the very number of its point; the {point}-point"
        " needs a {point}."
    ),
    "contact": "What was hit is not what the checkers touched.",
    "must_hit": "There is a checker to hit, and a play that hits must be chosen.",
    "triple": "On the first turn no new stack of three may be made while another play exists.",
    "cocked_die": "A die is cocked.",
    "die_off_board": "A die left the board.",
    "die_wrong_half": "A die lies in the wrong half of the board.",
    "die_on_checker": "A die lies on a checker.",
    "die_missing": "A die is missing.",
    "premature_roll": "The dice were rolled before the opponent's turn was over.",
    "dice_lifted_early": "The dice were lifted before they were read.",
    "pressed_early": "The clock was pressed before the play was complete.",
    "pressed_dice_unread": "The clock was pressed before the dice were read.",
    "missed_press": "The play is done, but the clock was not pressed.",
    "slow_play": "The turn takes too long.",
    "flag_fell": "The time is up.",
    "late_start": "The player is late.",
    "device_seen": "A device was seen at the table.",
    "touch_move": "A checker that was touched must be moved before another.",
    "release_is_final": "A checker that was set down stays where it is.",
    "wrong_setup": "The checkers are not set up as the game starts.",
    "cube_out_of_turn": "The cube may not be offered now.",
}
"""Each sentence by the code of its infraction."""
