"""What people at a table do beside playing by the book, and what happens around them: one table of
habits with their rates.

A rate is a chance in each opportunity, for players of a club and of a tavern. Careful people do a
thing a quarter as often as a club's, careless ones lie half-way to the tavern. No habit is rarer
than one in 200 opportunities (club) or one in 50 (tavern): what happens once in an evening is what
a referee is bought for.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

LEVEL_NAMES: Final = ("careful", "club", "careless", "tavern")


@dataclass(frozen=True, slots=True)
class Habit:
    """Something that people or their surroundings do. `per`: what is an opportunity for it."""

    name: str
    per: str
    club: float
    tavern: float
    what: str

    def rate(self, players: str) -> float:
        """The chance of it in each opportunity, at this level of players."""
        match players:
            case "careful":
                return self.club / 4
            case "club":
                return self.club
            case "careless":
                return math.sqrt(self.club * self.tavern)
            case _:
                return self.tavern


_ROWS: Final = (
    # Dice.
    Habit("cocked", "throw", 0.03, 0.08, "a die leans; both are thrown again"),
    Habit("wrong_half", "throw", 0.01, 0.05, "dice come to lie in the other half, or in both"),
    Habit("dice_hidden", "throw", 0.01, 0.03, "both dice lie behind a cup or an arm all the time"),
    Habit("dice_stacked", "throw", 0.005, 0.02, "a die lies on the other: one is seen"),
    Habit("third_die", "throw", 0.005, 0.02, "another die lies on the board during the turn"),
    Habit("agreed_rethrow", "throw", 0.005, 0.02, "both agree to throw again what was read"),
    Habit("dice_pushed", "play", 0.02, 0.06, "dice are pushed aside, across the bar at times"),
    Habit("dice_turned", "play", 0.005, 0.02, "a sleeve turns a die after the play was begun"),
    Habit("dice_left_lying", "turn", 0.02, 0.05, "the opponent throws dice of its own beside them"),
    Habit("premature_roll", "play", 0.01, 0.05, "the opponent throws before the turn is over"),
    Habit("closed_out_throws", "turn closed out", 0.30, 0.50, "a side throws that need not"),
    # Plays.
    Habit("two_at_once", "play", 0.10, 0.25, "two checkers are moved in one go"),
    Habit("slow_slide", "move", 0.04, 0.10, "a checker slid along rests on the way"),
    Habit("tried", "play", 0.05, 0.12, "another play is set up, looked at and taken back"),
    Habit("tried_again", "try", 0.10, 0.30, "and one more after that"),
    Habit("dice_up_early", "play", 0.02, 0.08, "dice lifted while the play stands, before a press"),
    Habit("dice_up_half", "play", 0.01, 0.04, "dice lifted with half the play made, then finished"),
    Habit("changed_after", "play", 0.01, 0.03, "another play after the turn's end, agreed"),
    Habit("fiddled", "turn", 0.01, 0.03, "a checker is taken up before the roll and laid back"),
    Habit("hit_late", "hit", 0.05, 0.20, "a hit checker comes to the bar after the turn's end"),
    Habit("hit_kept", "hit", 0.01, 0.05, "a hit checker stays in a hand until it must enter"),
    Habit("both_hands", "play", 0.02, 0.06, "the other side's hand is over the board as well"),
    Habit("straightened", "turn", 0.02, 0.05, "piles are straightened with both hands"),
    Habit("hands_rest", "turn", 0.02, 0.06, "an arm rests over the board between turns"),
    Habit("spectator", "turn", 0.01, 0.04, "somebody points over the board"),
    Habit("hand_stays", "play", 0.08, 0.20, "a sleeve over a few points after the last move"),
    # Against the rules.
    Habit("pip_off", "play", 0.005, 0.02, "one checker a point or two off"),
    Habit("one_die", "play", 0.005, 0.02, "one die played, the other forgotten"),
    Habit("bar_forgotten", "turn on the bar", 0.01, 0.04, "another checker moved first"),
    Habit("backwards", "play", 0.005, 0.02, "a checker moved the wrong way"),
    Habit("others_checker", "play", 0.005, 0.02, "one of the opponent's checkers moved"),
    Habit("other_misplay", "play", 0.005, 0.02, "any other rule broken"),
    Habit("opponent_notices", "illegal play", 0.30, 0.20, "and has it put right by itself"),
    Habit("puts_right", "illegal play told", 0.80, 0.60, "what the table tells is put right"),
    Habit("out_of_turn", "turn", 0.005, 0.02, "the wrong side throws, moves, and puts it back"),
    Habit(
        "played_out_of_turn", "turn", 0.005, 0.02, "the wrong side throws and plays a whole turn"
    ),
    # Accidents.
    Habit("knocked", "turn", 0.01, 0.04, "checkers are knocked over and put back"),
    Habit("knocked_wrongly", "turn", 0.005, 0.02, "a checker is shifted and nobody notices"),
    Habit(
        "shift_stays", "shifted checker", 0.30, 0.50, "it is never put back: it stands there now"
    ),
    Habit("laid_sideways", "move", 0.005, 0.02, "a checker lies between two points for the camera"),
    Habit("dropped", "turn", 0.005, 0.02, "a checker falls to the floor for a turn"),
    # The clock.
    Habit("forgotten_press", "press", 0.05, 0.20, "nobody presses; the opponent throws"),
    Habit("pressed_early", "press", 0.01, 0.03, "pressed with half the play made"),
    Habit("pressed_before_roll", "press", 0.005, 0.02, "pressed before rolling"),
    Habit("pressed_back", "press", 0.005, 0.02, "the opponent presses back at once"),
    # What is asked.
    Habit("question_ignored", "question", 0.50, 0.80, "people play on"),
    Habit("answered_wrongly", "answer", 0.02, 0.05, "the wrong play or position is typed in"),
    # Cube and games.
    Habit("doubled", "turn with a cube", 0.01, 0.02, "a double is offered"),
    Habit("doubled_by_hand", "double", 0.50, 0.70, "by laying the cube, without a word"),
    Habit("dropped_double", "double", 0.25, 0.25, "the double is dropped"),
    Habit("cube_fiddled", "turn with a cube", 0.005, 0.02, "the cube is turned in thought"),
    Habit("turned_in_place", "double by hand", 0.30, 0.50, "the cube is turned where it lies"),
    Habit("laid_after_word", "double by word", 0.50, 0.50, "the doubler moves the cube as well"),
    Habit("dropped_by_hand", "drop by hand", 0.30, 0.60, "the cube goes back, checkers are set up"),
    Habit("cube_pushed", "turn with a cube", 0.005, 0.02, "a sleeve takes the cube onto the field"),
    Habit("cube_left", "game with a cube", 0.20, 0.40, "it lies as it lay in the last game"),
    Habit("resigned", "turn", 0.005, 0.02, "a side far behind resigns"),
    Habit("resigned_by_nod", "resignation", 0.30, 0.60, "with a nod; checkers are set up anew"),
    Habit("set_up_wrongly", "set-up", 0.05, 0.10, "a checker stands wrong and is put right late"),
    Habit("seats_swapped", "set-up", 0.02, 0.05, "players change seats and say so late"),
    # Eyes.
    Habit("relit", "turn", 0.02, 0.05, "a lamp is switched"),
    Habit("dark", "turn", 0.005, 0.02, "the lamp is off for a while"),
    Habit("over_exposed", "turn", 0.005, 0.02, "sun falls on the board for a while"),
    Habit("frozen", "turn", 0.005, 0.02, "the picture hangs"),
    Habit("camera_away", "turn", 0.005, 0.02, "the camera's cable"),
    Habit("board_away", "turn", 0.005, 0.02, "the board's cable"),
    Habit("pushed", "turn", 0.005, 0.02, "the board is pushed; the camera finds it again"),
    Habit("map_off", "turn", 0.005, 0.02, "it was pushed by a point, and the camera does not know"),
    Habit("turned_around", "game", 0.02, 0.04, "the camera sees the board upside down for a while"),
    Habit("object", "turn", 0.005, 0.03, "a phone, a cup or a glass lies on points for some turns"),
    Habit("shared_misread", "turn", 0.005, 0.02, "camera and board misread a pile alike"),
    Habit("late_camera", "game", 0.10, 0.30, "a stream that comes late, up to two seconds"),
    Habit("drift", "game", 0.20, 0.40, "light and magnets change in the course of the game"),
    Habit("restart", "turn", 0.005, 0.02, "the table's process dies between turns, comes back"),
    Habit("restart_in_play", "play", 0.005, 0.02, "and in the middle of a play"),
)

HABIT_ROWS: Final = {habit.name: habit for habit in _ROWS}
"""Every habit by its name."""


@dataclass
class People:
    """Draws what people do, and counts opportunities and occurrences of every habit.

    `only`: habits that are left on, None for all.
    """

    players: str
    rng: random.Random
    chances: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    lately: list[str] = field(default_factory=list)
    """What was done since somebody last cleared it: the suspects when something goes wrong."""
    only: frozenset[str] | None = None

    def do(self, name: str) -> bool:
        """Whether it is done in this opportunity."""
        self.chances[name] += 1
        chance = self.rng.random()
        if chance >= HABIT_ROWS[name].rate(self.players):
            return False
        if self.only is not None and name not in self.only:
            return False
        self.done[name] += 1
        self.lately.append(name)
        return True

    def seconds(self, least: float, most: float) -> float:
        """A pause between two numbers of seconds."""
        return self.rng.uniform(least, most)
