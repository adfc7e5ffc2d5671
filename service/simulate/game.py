"""One game at a physical table, event by event: hands, dice, presses, and what is answered.

Time passes in events, not in frames: a source speaks when something changed, a few times while it
rests, and at the press, which is all that a verdict ever reads. What is true is known here, so
every answer of the desk is scored at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from rules.board import BAR, OFF, BySide, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, DieStatus, Source
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import Ruleset
from service.simulate.desk import DeskAnswer, PlayedTable
from service.simulate.habits import Habits
from service.simulate.noise import Die, Sense
from service.simulate.physical import PhysicalTable
from service.simulate.player import choose, misplay, placements_between
from service.simulate.score import TurnPlayed, TurnScore
from service.simulate.tally import Tally

RESTING = (0.1, 0.3, 0.5, 0.8, 1.1, 1.5, 2.0, 2.6, 3.3, 4.2, 5.2, 6.4, 8.0)
"""Seconds after the press at which the sources report again, until the next roll or an answer."""
VERDICTS = ("agreed", "asked", "illegal", "differs")
"""Kinds of answer that decide a turn."""
LONGEST_TURNS = 400


@dataclass
class GamePlayed:
    """Plays one game to its end against a desk.

    `make_desk` opens the desk at the start position.
    """

    ruleset: Ruleset
    habits: Habits
    rng: random.Random
    senses: dict[Source, Sense]
    make_desk: Callable[[Position, float], PlayedTable]
    tally: Tally
    name: str = ""
    longest: int = LONGEST_TURNS
    begin: Position | None = None
    """Where the game stands already; None for its start."""

    def play(self) -> None:
        """Play the game and count it in the tally."""
        side = self.rng.choice(list(Side))
        position = self.begin or Position.start(self.ruleset, side)
        self.table = table = PhysicalTable(
            position.placement, self.senses, self.make_desk(position, 10.0)
        )
        table.rest((0.3, 0.5, 0.3))
        self.first = BySide.both(self.begin is None)
        troubles = self._troubles()
        for turn in range(self.longest):
            self.turn_name = f"{self.name} turn {turn}"
            for trouble in troubles.pop(turn, ()):
                trouble()
            position = self._turn(position)
            if position.is_over:
                break
        self.tally.add("games")

    def _troubles(self) -> dict[int, list[Callable[[], None]]]:
        """Bumps and cables of this game, by turn."""
        found: dict[int, list[Callable[[], None]]] = {}
        for rate, trouble in ((self.habits.bump, self._bump), (self.habits.cable, self._cable)):
            if self.rng.random() < rate:
                found.setdefault(self.rng.randrange(2, 40), []).append(trouble)
        return found

    # One turn.

    def _turn(self, position: Position) -> Position:
        """Play one turn; returns the position after it."""
        table, rng, habits = self.table, self.rng, self.habits
        self.tally.add("turns")
        roll = self._roll(position.side)
        legal = list(plays(position, roll))
        play = choose(position, legal, rng)
        wrong = misplay(position, roll, legal, rng) if rng.random() < habits.illegal else None
        table.wait(rng.uniform(*habits.think_s) if play.moves else 0.5)
        turn = TurnPlayed(position, roll, play, wrong)
        if turn.after != position.placement:
            turn = self._move(turn, legal)
        if rng.random() < habits.dice_lifted_early:
            table.hand()
            table.dice.clear()
            table.rest((0.3,))
        stands = self._end(turn)
        self.first = self.first.put(position.side, False)
        other = position.side.other
        return Position.of(stands, self.ruleset, other, self.first[other])

    def _roll(self, side: Side) -> Roll:
        """Throw until both dice lie flat; returns the roll."""
        table, rng = self.table, self.rng
        while True:
            faces = (rng.randint(1, 6), rng.randint(1, 6))
            cocked = rng.random() < self.habits.cocked
            east = 0.55 if side is Side.WHITE else 0.05
            places = [
                (east + rng.uniform(0, 0.15), rng.uniform(0.3, 0.7)),
                (east + 0.2 + rng.uniform(0, 0.15), rng.uniform(0.3, 0.7)),
            ]
            table.dice = []
            table.hand()
            table.wait(0.5)
            table.dice = [Die(place, face) for place, face in zip(places, faces, strict=True)]
            if cocked:
                table.dice[rng.randrange(2)].status = DieStatus.COCKED
            table.new_answers()
            table.rest((0.3, 0.3, 0.3, 0.3, 0.3))
            answers = table.new_answers()
            for _ in range(3):
                if not cocked or answers:
                    break
                # Somebody looks twice at a leaning die.
                table.rest((0.4,))
                answers = table.new_answers()
            read = next((answer.roll for answer in answers if answer.kind == "rolled"), None)
            called = any(answer.kind == "called" for answer in answers)
            if not cocked:
                self.tally.add("flat_called", called)
                if Source.CAMERA in table.senses:
                    self.tally.add(
                        "dice_unread"
                        if read is None
                        else "dice_right"
                        if read == Roll.of(*faces)
                        else "dice_wrong"
                    )
                return Roll.of(*faces)
            self.tally.add("cocked")
            self.tally.add("cocked_called" if called and read is None else "cocked_missed")

    def _move(self, turn: TurnPlayed, legal: list[Play]) -> TurnPlayed:
        """Move the checkers, another play tried first perhaps; returns the turn as it now is."""
        table, rng, habits = self.table, self.rng, self.habits
        if rng.random() < habits.correction and len(legal) > 1:
            other = rng.choice(legal).placement
            table.hand()
            table.wait(rng.uniform(*habits.move_s))
            table.stand(other)
            table.rest((0.4, 0.6))
        table.hand()
        if rng.random() >= habits.two_at_once and turn.after == turn.play.placement:
            for step in placements_between(turn.position, turn.play):
                table.wait(rng.uniform(*habits.move_s))
                table.stand(step)
                if rng.random() < habits.slow_slide:
                    table.rest((0.4, 0.5))
                    table.hand()
        table.wait(rng.uniform(*habits.move_s))
        in_hand = self._hit_in_hand(turn.position, turn.after)
        table.stand(in_hand or turn.after)
        arm = (
            frozenset(range(p := rng.randint(1, 21), p + 3))
            if rng.random() < habits.hand_stays
            else frozenset()
        )
        table.rest((0.25, 0.2), hidden=arm)
        return replace(turn, hit_in_hand=in_hand is not None)

    def _hit_in_hand(self, position: Position, after: Placement) -> Placement | None:
        """What stands there while the hit checker is still in a hand; None when it is not."""
        other = position.side.other
        if (
            after.counts(other)[BAR] <= position.placement.counts(other)[BAR]
            or self.rng.random() >= self.habits.hit_checker_late
        ):
            return None
        return after.moved(other, BAR, OFF)

    # The press and what comes of it.

    def _end(self, turn: TurnPlayed) -> Placement:
        """Press and score the answer; returns what stands there when the next turn begins.

        That is the play, put right where it was an illegal one that was noticed.
        """
        table, rng, habits = self.table, self.rng, self.habits
        side = turn.position.side
        if rng.random() < habits.forgotten_press:
            # The opponent takes up the dice all the same; the referee takes that for the press.
            table.wait(rng.uniform(1.0, 3.0))
            table.rest((0.1,))
        pressed = table.now
        table.press(side)
        next_roll = pressed + rng.uniform(*habits.next_roll_s)
        put_right = pressed + rng.uniform(0.3, 1.2)
        answer = self._await_answer(turn, pressed, next_roll, put_right)
        score = TurnScore(self.tally, self.turn_name, turn)
        score.count(answer, pressed)
        if turn.misplay is not None and answer is not None and answer.kind == "illegal":
            score.count_correction(self._correct(turn.play.placement))
        # An illegal play that passed for a legal one of another roll stands: nobody noticed.
        stands = turn.after if turn.is_taken_for_another(answer) else turn.play.placement
        table.placement = stands
        if table.desk.waits_for(side):
            table.desk.answer(turn.roll, stands, table.now)
        if table.desk.resync(stands, side.other, table.now):
            self.tally.add("put_right_by_hand")
        table.now = max(table.now, next_roll - 1.0)
        table.rest((0.1,))
        table.new_answers()
        return stands

    def _await_answer(
        self, turn: TurnPlayed, pressed: float, next_roll: float, put_right: float
    ) -> DeskAnswer | None:
        """The first answer to the press, None when none came before the next roll.

        At `put_right` a hit checker still in a hand is put on the bar.
        """
        table = self.table
        in_hand = turn.hit_in_hand
        for pause in RESTING:
            answer = _first_of(table.new_answers(), VERDICTS)
            if answer is not None:
                return answer
            if pressed + pause > next_roll:
                break
            table.now = pressed + pause
            if in_hand and table.now >= put_right:
                table.stand(turn.after)
                in_hand = False
            table.rest((0.0,))
        return _first_of(table.new_answers(), VERDICTS)

    def _correct(self, placement: Placement) -> DeskAnswer | None:
        """Put the play right before the opponent rolls; returns what the desk then agrees to.

        None when it does not see it.
        """
        table = self.table
        table.wait(self.rng.uniform(*self.habits.correct_s))
        table.hand()
        table.wait(0.6)
        table.stand(placement)
        for _ in range(6):
            table.rest((0.4,))
            agreed = _first_of(table.new_answers(), ("agreed",))
            if agreed is not None:
                return agreed
        return None

    # Troubles between turns.

    def _bump(self) -> None:
        """Somebody jogs the board: some checkers slide to a neighbouring point and are put back."""
        table, rng = self.table, self.rng
        self.tally.add("bumps")
        before = shaken = table.placement
        for _ in range(rng.randint(2, 6)):
            side = rng.choice(list(Side))
            source = rng.choice([p for p in range(1, 25) if shaken.counts(side)[p] > 0] or [1])
            target = min(max(source + rng.choice((-1, 1)), 1), 24)
            if shaken.counts(side)[source] > 0 and shaken.counts(side.other)[target] == 0:
                shaken = shaken.moved(side, source, target)
        table.wait(1.0)
        table.placement = shaken
        table.report(Source.CAMERA, Condition.BUMPED)
        table.report(Source.SENSORS, Condition.BUMPED)
        table.rest((0.5, 0.5, 0.5, 1.0))
        table.hand()
        table.wait(4.0)
        table.stand(before)
        for sense in table.senses.values():
            sense.relit()
        table.rest((0.5, 0.5, 0.5))

    def _cable(self) -> None:
        """A source falls silent for a few turns. It comes back by itself."""
        source = self.rng.choice(list(self.table.senses))
        sense = self.table.senses[source]
        self.tally.add("cables")
        sense.lost = True
        self.table.desk.source(source, False, self.table.now)
        self.table.wait(5.0)
        self.table.rest((0.3, 0.3))
        self.table.wait(self.rng.uniform(5.0, 20.0))
        sense.lost = False
        self.table.desk.source(source, True, self.table.now)
        self.table.rest((0.3, 0.3, 0.3))


def _first_of(answers: Sequence[DeskAnswer], kinds: Collection[str]) -> DeskAnswer | None:
    """The first answer of one of these kinds."""
    return next((answer for answer in answers if answer.kind in kinds), None)
