"""A player's hands in one turn of a simulated evening: the throw, the play, and what goes wrong on
the way. Every habit that moves dice or checkers before the turn ends is here.
"""

from __future__ import annotations

from typing import Final

from rules.board import BAR, OFF, Placement, Side
from rules.dice import ROLLS, Roll
from rules.observation import DieStatus, Source
from rules.play import Play
from rules.position import Position
from service.simulate.evening_table import EveningTable
from service.simulate.habit_table import People
from service.simulate.habits import PLAYERS
from service.simulate.noise import Die
from service.simulate.painted_sense import lying_sideways, room_beside
from service.simulate.player import Misplay, choose, misplay_of, placements_between
from service.simulate.truth import ThrownDice, TrueGame, TrueTurn, WrongSpell

MISPLAYS: Final = {
    "pip_off": ("wrong_die",),
    "one_die": ("one_die",),
    "bar_forgotten": ("bar_ignored",),
    "backwards": ("backwards",),
    "others_checker": ("opponents",),
    "other_misplay": ("blocked", "off_early", "higher_die", "head", "prime", "doubles"),
}
"""The kinds of misplay of each habit."""


class HandsAtWork:
    """Both players' hands. `lost`: checkers in a hand or on the floor, with the site where the
    record has them.
    """

    def __init__(self, table: EveningTable, people: People, clock: bool) -> None:
        self.table, self.people, self.clock = table, people, clock
        self.pace = PLAYERS[people.players]
        self.lost: list[tuple[Side, int]] = []
        self.slipped: list[tuple[Side, int, int]] = []
        """Shifted unnoticed: side, from, to."""

    # Dice.

    def throw(self, game: TrueGame, turn: TrueTurn, beside: bool = False) -> None:
        """Throw until both dice lie flat and count; `beside`: the last ones stay lying."""
        table, people = self.table, self.people
        old = list(table.dice) if beside else []
        while True:
            faces = (people.rng.randint(1, 6), people.rng.randint(1, 6))
            if not beside:
                table.lay_dice([])
            table.hand(people.seconds(0.4, 0.8))
            mine = [
                Die(where, face) for where, face in zip(self._places(turn.side), faces, strict=True)
            ]
            cocked = people.do("cocked")
            if cocked:
                mine[people.rng.randrange(2)].status = DieStatus.COCKED
            seen = self._in_view(mine)
            table.lay_dice(old + seen)
            game.dice.append(_thrown(table.now, turn.side, mine, seen))
            if not cocked:
                game.throws.append((table.now, turn.side, Roll.of(*faces)))
            table.pass_time(people.seconds(0.8, 1.6))
            if cocked:
                table.pass_time(people.seconds(0.5, 1.5))
                continue
            if people.do("agreed_rethrow"):
                table.pass_time(people.seconds(0.3, 1.0))
                table.lay_dice(old)
                table.pass_time(people.seconds(0.5, 1.0))
                continue
            break
        turn.roll, turn.thrown_at = Roll.of(*faces), table.now
        turn.also_read = self._also_read(seen, turn.roll)
        turn.dice_read = turn.also_read <= {turn.roll}

    def _places(self, side: Side) -> list[tuple[float, float]]:
        rng = self.people.rng
        halves = [side, side]
        if self.people.do("wrong_half"):
            halves = [side.other, side.other if rng.random() < 0.5 else side]
        return [
            (
                (0.55 if half is Side.WHITE else 0.05) + 0.2 * n + rng.uniform(0, 0.15),
                rng.uniform(0.3, 0.7),
            )
            for n, half in enumerate(halves)
        ]

    def _in_view(self, dice: list[Die]) -> list[Die]:
        """What of a throw the camera gets to see, and what lies beside it."""
        if self.people.do("dice_hidden"):
            return []
        if self.people.do("dice_stacked"):
            return dice[:1]
        if self.people.do("third_die"):
            return [*dice, Die((0.5, 0.05), self.people.rng.randint(1, 6))]
        return dice

    def _also_read(self, dice: list[Die], roll: Roll) -> frozenset[Roll]:
        """Rolls that what is seen of these dice speaks for as much as for the true one."""
        sense = self.table.senses.get(Source.CAMERA)
        likely = sense.likelihoods_of(dice[:2]) if sense is not None else []
        if len(likely) < 2:
            return frozenset(ROLLS)

        def says(thrown: Roll) -> float:
            high, low = thrown.high - 1, thrown.low - 1
            a, b = likely[0], likely[1]
            return max(a[high] * b[low], a[low] * b[high])

        return frozenset(other for other in ROLLS if says(other) >= 0.5 * says(roll))

    # The play.

    def play(
        self, game: TrueGame, turn: TrueTurn, position: Position, legal: list[Play]
    ) -> tuple[Placement, Misplay | None]:
        """Make a play, legal or not; what then stands there, hit checkers on the bar, and the
        misplay if it was one.
        """
        people, table = self.people, self.table
        play = choose(position, legal, people.rng)
        wrong = self._misplay(position, turn, legal) if play.moves else None
        table.pass_time(people.seconds(*self.pace.think_s) if play.moves else 0.8)
        after = wrong.placement if wrong else play.placement
        if after == position.placement:
            return after, wrong
        self._try_others(position, legal)
        if people.do("dice_pushed"):
            self._push_dice()
        both = people.do("both_hands")
        table.hands += both
        steps = [] if wrong or people.do("two_at_once") else placements_between(position, play)
        early = self._step(steps, turn.side)
        if people.do("restart_in_play"):
            table.desk.restart(table.now)
        if people.do("dice_turned") and table.dice:
            die = people.rng.choice(table.dice)
            die.face = people.rng.choice([f for f in range(1, 7) if f != die.face])
            table.touch()
        table.hands -= both
        self._last_step(position, after)
        if early is not None:
            game.wrong.append(WrongSpell(turn.side, early, table.now))
        if wrong:
            turn.wrong_at = table.now
            game.wrong.append(WrongSpell(turn.side, table.now, float("inf")))
        return after, wrong

    def _misplay(self, position: Position, turn: TrueTurn, legal: list[Play]) -> Misplay | None:
        """The illegal play that is made in place of a legal one, None where it goes by the book."""
        assert turn.roll is not None
        for habit, kinds in MISPLAYS.items():
            if habit == "bar_forgotten" and not position.view[24]:
                continue
            wrong = misplay_of(kinds, position, turn.roll, legal, self.people.rng)
            if wrong is not None and self.people.do(habit):
                return wrong
        return None

    def _try_others(self, position: Position, legal: list[Play]) -> None:
        """Other plays are set up, looked at and taken back."""
        people, table = self.people, self.table
        if len(legal) < 2 or not people.do("tried"):
            return
        again = True
        while again:
            self.lay(people.rng.choice(legal).placement)
            table.pass_time(people.seconds(0.8, 3.0))
            again = people.do("tried_again")
        self.lay(position.placement)

    def _step(self, steps: list[Placement], side: Side) -> float | None:
        """The moves but for the last, with what may happen between them; when the clock was pressed
        on half a play, None where it was not.
        """
        people, table = self.people, self.table
        half = bool(steps) and not self.clock and people.do("dice_up_half")
        early = bool(steps) and self.clock and people.do("pressed_early")
        for step in steps:
            self.lay(step, people.seconds(*self.pace.move_s))
            if people.do("slow_slide"):
                table.pass_time(people.seconds(0.6, 1.5))
        if early:
            table.desk.press(side, table.now)
            table.pass_time(people.seconds(0.2, 1.0))
            return table.now
        if half:
            table.lay_dice([])
            table.pass_time(people.seconds(0.6, 1.6))
        return None

    def _last_step(self, position: Position, after: Placement) -> None:
        """The last move; a hit checker may stay in a hand, a sleeve over a few points."""
        people, table = self.people, self.table
        side = position.side.other
        hits = after.counts(side)[BAR] - position.placement.counts(side)[BAR]
        if hits > 0 and (people.do("hit_late") or people.do("hit_kept")):
            self.lost += [(side, BAR)] * hits
        self.lay(after, people.seconds(*self.pace.move_s))
        places = room_beside(position.placement, table.placement, position.side)
        if places and people.do("laid_sideways"):
            point, beside = people.rng.choice(places)
            table.sideways = lying_sideways(
                table.placement, position.side, point, beside, people.rng
            )
            table.touch()
        elif people.do("hand_stays"):
            first = people.rng.randint(1, 21)
            sleeve = {p for p in range(first, first + 3) if p not in table.covered}
            table.covered |= sleeve
            table.pass_time(people.seconds(0.5, 2.0))
            table.covered -= sleeve
            table.touch()
        table.pass_time(people.seconds(0.3, 0.9))

    def _push_dice(self) -> None:
        """The dice that lie there are pushed aside, one time in three into the other half."""
        rng = self.people.rng
        across = 0.5 if rng.random() < 0.33 else 0.0
        for die in self.table.dice:
            east, north = die.where
            die.where = (
                (east + across + rng.uniform(-0.04, 0.04)) % 1.0,
                north + rng.uniform(-0.1, 0.1),
            )
        self.table.touch()

    # Checkers.

    def lay(self, placement: Placement, seconds: float = 0.4) -> None:
        """Lay the checkers so, but for those in a hand and those that were shifted unnoticed."""
        self.straighten()
        self.table.stand(self.on_board(placement), seconds)

    def straighten(self) -> None:
        """No checker lies between two points any more: hands were at them."""
        self.table.sideways = {}

    def on_board(self, placement: Placement) -> Placement:
        """What stands on the board when it should stand so: without what is in a hand or on the
        floor, and with what was shifted.
        """
        for side, site in self.lost:
            if placement.counts(side)[site] > 0:
                placement = placement.moved(side, site, OFF)
        return self.shifted(placement)

    def shifted(self, placement: Placement) -> Placement:
        """What should stand so, with what was shifted."""
        for side, source, target in self.slipped:
            free = target == OFF or not placement.counts(side.other)[target]
            if placement.counts(side)[source] > 0 and free:
                placement = placement.moved(side, source, target)
        return placement

    def give_back(self, placement: Placement) -> Placement:
        """What was in a hand comes to stand where it belongs, and so does what was shifted, unless
        it stays where it is; what stands there then.
        """
        if not self.lost and not self.slipped:
            return placement
        self.lost.clear()
        if any(target == OFF or not self.people.do("shift_stays") for _, _, target in self.slipped):
            self.slipped.clear()
        placement = self.on_board(placement)
        self.slipped.clear()
        self.table.stand(placement)
        self.table.pass_time(self.people.seconds(0.5, 1.2))
        return placement


def _thrown(at: float, side: Side, dice: list[Die], seen: list[Die]) -> ThrownDice:
    """A side's two dice as they came to lie, and what of them and beside them is to be seen."""
    halves = {Side.WHITE if die.where[0] > 0.5 else Side.BLACK for die in dice}
    wrong = {
        "cocked": any(die.status is DieStatus.COCKED for die in dice),
        "wrong_half": len(halves) > 1,
        "too_many": len(seen) > 2,
    }
    half = halves.pop() if len(halves) == 1 else None
    return ThrownDice(at, side, frozenset(name for name, is_so in wrong.items() if is_so), half)


def thrown_by(side: Side, faces: tuple[int, int]) -> list[Die]:
    """Two dice in the right half of a side, at the usual place."""
    east = 0.55 if side is Side.WHITE else 0.05
    return [Die((east + 0.12 * n, 0.35 + 0.2 * n), face) for n, face in enumerate(faces)]


def own_sites(placement: Placement, side: Side) -> list[int]:
    """Points where a side has checkers."""
    return [p for p in range(1, 25) if placement.counts(side)[p] > 0]
