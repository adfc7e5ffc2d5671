"""One game at a physical table: hands, dice, presses and what the sensors make of them, event by
event.

Time passes in events, not in frames: a source speaks when something changed, a few times while it
rests, and at the press, which is all that a verdict ever reads. What is true is known here, so
every answer of the desk is scored at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, DieStatus, Source
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import Ruleset
from service.journal.entry import DiceOrigin
from service.simulate.desk import DeskAnswer, PlayedTable
from service.simulate.habits import Habits
from service.simulate.noise import Die, Sense
from service.simulate.player import Misplay, choose, misplay, moved_first
from service.simulate.tally import Tally

RESTING = (0.1, 0.3, 0.5, 0.8, 1.1, 1.5, 2.0, 2.6, 3.3, 4.2, 5.2, 6.4, 8.0)
"""Seconds after the press at which the sources speak again, until somebody rolls or the desk has
answered.
"""
LONGEST_TURNS = 400
STILL_S = 0.25
"""The board says that it moves until it has lain still for so long, as `firmware_bridge.sensing`
does.
"""


@dataclass
class PhysicalTable:
    """The physical table: what stands there, the dice, the sources and the clock of the story."""

    placement: Placement
    senses: dict[Source, Sense]
    desk: PlayedTable
    now: float = 10.0
    dice: list[Die] = field(default_factory=list)
    said: list[DeskAnswer] = field(default_factory=list)
    heard: int = 0
    felt: tuple[Placement, float, float] | None = None
    """What the board last reported, when it first did, and when it last did."""
    felt_moving: float = -STILL_S

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def speak(
        self,
        source: Source,
        condition: Condition = Condition.AT_REST,
        hidden: frozenset[int] = frozenset(),
    ) -> None:
        sense = self.senses.get(source)
        if sense is None or sense.lost:
            return
        observation = sense.observe(self.placement, self.now, condition, self.dice, hidden)
        self.said += self.desk.observe(observation, self.now)

    def rest(
        self, times: Iterable[float] = (0.3, 0.5), hidden: frozenset[int] = frozenset()
    ) -> None:
        """Both sources at rest, after each of these pauses."""
        for pause in times:
            self.wait(pause)
            self.speak(Source.CAMERA, hidden=hidden)
            self._feel()

    def _feel(self) -> None:
        """The board reports for a while after a change, and else a keyframe each second."""
        if self.now - self.felt_moving < STILL_S:
            self.speak(Source.SENSORS, Condition.MOVING)
            return
        if self.felt is None or self.felt[0] != self.placement:
            self.felt = (self.placement, self.now, self.now)
        elif self.now - self.felt[1] > 1.3 and self.now - self.felt[2] < 1.0:
            return
        self.felt = (self.placement, self.felt[1], self.now)
        self.speak(Source.SENSORS)

    def hand(self) -> None:
        """A hand comes over the board: the camera sees it, the magnets do not."""
        self.wait(0.2)
        self.speak(Source.CAMERA, Condition.MOVING)

    def stand(self, placement: Placement) -> None:
        """Checkers come to stand so; both sources see them move, and the board reports them when
        they have lain still.
        """
        self.placement, self.felt_moving = placement, self.now
        self.speak(Source.SENSORS, Condition.MOVING)
        self.speak(Source.CAMERA, Condition.MOVING)

    def take(self) -> list[DeskAnswer]:
        """What was said since the last call."""
        new, self.heard = self.said[self.heard :], len(self.said)
        return new


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
        side = self.rng.choice(list(Side))
        position = self.begin or Position.start(self.ruleset, side)
        self.table = table = PhysicalTable(
            position.placement, self.senses, self.make_desk(position, 10.0)
        )
        table.rest((0.3, 0.5, 0.3))
        self.first = dict.fromkeys(Side, self.begin is None)
        self.pressed_at = table.now
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
        table, rng, habits = self.table, self.rng, self.habits
        self.tally.add("turns")
        roll = self._roll(position.side)
        legal = list(plays(position, roll))
        play = choose(position, legal, rng)
        wrong = misplay(position, roll, legal, rng) if rng.random() < habits.illegal else None
        table.wait(rng.uniform(*habits.think_s) if play.moves else 0.5)
        after = wrong.placement if wrong is not None else play.placement
        if after != position.placement:
            self._move(position, play, after, legal)
        if rng.random() < habits.dice_lifted_early:
            table.hand()
            table.dice.clear()
            table.rest((0.3,))
        stands = self._end(position, roll, play, wrong)
        self.first[position.side] = False
        other = position.side.other
        return Position.of(stands, self.ruleset, other, self.first[other])

    def _roll(self, side: Side) -> Roll:
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
            table.take()
            table.rest((0.3, 0.3, 0.3, 0.3, 0.3))
            said = table.take()
            for _ in range(3):
                if not cocked or said:
                    break
                # Somebody looks twice at a leaning die.
                table.rest((0.4,))
                said = table.take()
            read = next((s.roll for s in said if s.kind == "rolled"), None)
            called = any(s.kind == "called" for s in said)
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

    def _move(self, position: Position, play: Play, after: Placement, legal: list[Play]) -> None:
        table, rng, habits = self.table, self.rng, self.habits
        if rng.random() < habits.correction and len(legal) > 1:
            other = rng.choice(legal).placement
            table.hand()
            table.wait(rng.uniform(*habits.move_s))
            table.stand(other)
            table.rest((0.4, 0.6))
        table.hand()
        if rng.random() >= habits.two_at_once and after == play.placement:
            for step in moved_first(position, play):
                table.wait(rng.uniform(*habits.move_s))
                table.stand(step)
                if rng.random() < habits.slow_slide:
                    table.rest((0.4, 0.5))
                    table.hand()
        table.wait(rng.uniform(*habits.move_s))
        late = self._hit_late(position, after)
        table.stand(late or after)
        arm = (
            frozenset(range(p := rng.randint(1, 21), p + 3))
            if rng.random() < habits.hand_stays
            else frozenset()
        )
        table.rest((0.25, 0.2), hidden=arm)
        self.late = (late, after) if late else None

    def _hit_late(self, position: Position, after: Placement) -> Placement | None:
        """The hit checker still in somebody's hand."""
        other = position.side.other
        if (
            after.counts(other)[BAR] <= position.placement.counts(other)[BAR]
            or self.rng.random() >= self.habits.hit_checker_late
        ):
            return None
        return after.moved(other, BAR, OFF)

    # The press and what comes of it.

    def _end(self, position: Position, roll: Roll, play: Play, wrong: Misplay | None) -> Placement:
        """What stands there when the next turn begins: the play, put right where it was not one."""
        table, rng, habits = self.table, self.rng, self.habits
        late, self.late = getattr(self, "late", None), None
        if rng.random() < habits.forgotten_press:
            # The opponent takes up the dice all the same; the referee takes that for the press.
            table.wait(rng.uniform(1.0, 3.0))
            table.rest((0.1,))
        pressed = table.now
        table.said += table.desk.press(position.side, pressed)
        next_roll = pressed + rng.uniform(*habits.next_roll_s)
        put_right = pressed + rng.uniform(0.3, 1.2)
        heard = self._wait(next_roll, pressed, put_right, late)
        if wrong is None:
            self._score_legal(position, roll, play, heard, pressed)
        else:
            self._score_illegal(position, roll, play, wrong, heard, pressed)
        taken = (
            wrong is not None
            and wrong.explained
            and heard is not None
            and heard.kind == "agreed"
            and heard.placement == wrong.placement
        )
        # An illegal play that passed for a legal one of another roll stands: nobody noticed.
        stands = wrong.placement if taken and wrong is not None else play.placement
        table.placement = stands
        if table.desk.waits_for(position.side):
            table.desk.answer(roll, stands, table.now)
        if table.desk.resync(stands, position.side.other, table.now):
            self.tally.add("put_right_by_hand")
        table.now = max(table.now, next_roll - 1.0)
        table.rest((0.1,))
        table.take()
        return stands

    def _wait(
        self,
        until: float,
        pressed: float,
        put_right: float,
        late: tuple[Placement, Placement] | None,
    ) -> DeskAnswer | None:
        """The first answer to the press, None when none came before the next roll."""
        table = self.table
        for pause in RESTING:
            heard = next(
                (s for s in table.take() if s.kind in ("agreed", "asked", "illegal", "differs")),
                None,
            )
            if heard is not None:
                return heard
            if pressed + pause > until:
                break
            table.now = pressed + pause
            if late is not None and table.now >= put_right:
                table.stand(late[1])
                late = None
            table.rest((0.0,))
        return next(
            (s for s in table.take() if s.kind in ("agreed", "asked", "illegal", "differs")), None
        )

    def _score_legal(
        self, position: Position, roll: Roll, play: Play, heard: DeskAnswer | None, pressed: float
    ) -> None:
        tally = self.tally
        if heard is None:
            tally.add("late")
            tally.add("resolved_by_human")
            self._failed("no verdict", roll, play, heard)
            return
        tally.seconds.append(heard.at - pressed)
        match heard.kind:
            case "agreed" if heard.placement == play.placement:
                tally.add("agreed_right")
                self._score_dice(roll, play, heard)
            case "agreed":
                tally.add("agreed_wrong")
                self._failed("AGREED WRONG", roll, play, heard)
            case "illegal":
                tally.add("false_accusations")
                tally.add("resolved_by_human")
                self._failed("FALSE ACCUSATION", roll, play, heard)
            case _:
                tally.add(heard.kind)
                tally.add("resolved_by_human")
                self._failed(heard.kind, roll, play, heard)

    def _score_dice(self, roll: Roll, play: Play, heard: DeskAnswer) -> None:
        if heard.origin is DiceOrigin.UNKNOWN:
            self.tally.add("dice_open")
        elif heard.origin is DiceOrigin.INFERRED:
            self.tally.add("inferred_right" if heard.roll == roll else "inferred_wrong")
        if heard.roll != roll and heard.origin is not DiceOrigin.UNKNOWN:
            self._failed("wrong roll", roll, play, heard)

    def _score_illegal(
        self,
        position: Position,
        roll: Roll,
        play: Play,
        wrong: Misplay,
        heard: DeskAnswer | None,
        pressed: float,
    ) -> None:
        tally = self.tally
        tally.add("illegal_made")
        tally.add("illegal_explained", wrong.explained)
        kind = wrong.kind + (" (explained)" if wrong.explained else "")
        what = heard.kind if heard is not None else "missed"
        tally.misplay(kind, what)
        if what == "illegal":
            tally.add("explained_flagged" if wrong.explained else "illegal_flagged")
            tally.seconds.append(heard.at - pressed if heard is not None else 0.0)
            self._correct(position, play)
            return
        tally.add("resolved_by_human")
        group = "explained" if wrong.explained else "illegal"
        if what in ("asked", "differs"):
            tally.add(f"{group}_asked")
        elif (
            what == "agreed"
            and wrong.explained
            and heard is not None
            and heard.placement == wrong.placement
        ):
            tally.add("explained_taken")
        else:
            tally.add(f"{group}_missed")
            if what == "agreed":
                tally.add("agreed_wrong")
            self._failed(f"ILLEGAL {kind} {what}", roll, play, heard)

    def _correct(self, position: Position, play: Play) -> None:
        """The play is put right before the opponent rolls, and the desk must see that."""
        table = self.table
        table.wait(self.rng.uniform(*self.habits.correct_s))
        table.hand()
        table.wait(0.6)
        table.stand(play.placement)
        for _ in range(6):
            table.rest((0.4,))
            agreed = next((s for s in table.take() if s.kind == "agreed"), None)
            if agreed is not None:
                self.tally.add("corrections_seen")
                if agreed.placement != play.placement:
                    self.tally.add("agreed_wrong")
                    self._failed("AGREED WRONG after a correction", Roll(6, 6), play, agreed)
                return
        self.tally.add("corrections_unseen")

    def _failed(self, what: str, roll: Roll, play: Play, heard: DeskAnswer | None) -> None:
        detail = (
            f" said {heard.roll} {heard.text} {heard.origin.value if heard.origin else ''}"
            if heard is not None
            else ""
        )
        self.tally.failures.append(f"{self.turn_name}: {what}: {roll} {play}{detail}")

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
        table.speak(Source.CAMERA, Condition.BUMPED)
        table.speak(Source.SENSORS, Condition.BUMPED)
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
