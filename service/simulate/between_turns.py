"""What happens at a table between two turns: arms, knocks, fiddling, the wrong side's throw."""

from __future__ import annotations

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from service.simulate.evening_table import EveningTable
from service.simulate.habit_table import People
from service.simulate.hands_at_work import HandsAtWork, own_sites, thrown_by
from service.simulate.troubles import Troubles
from service.simulate.truth import TrueGame, too_early


class BetweenTurns:
    """Draws and does it, at one table in one game."""

    def __init__(
        self,
        table: EveningTable,
        people: People,
        hands: HandsAtWork,
        troubles: Troubles,
        game: TrueGame,
    ) -> None:
        self.table, self.people, self.hands = table, people, hands
        self.troubles, self.game = troubles, game

    def happen(self, side: Side) -> None:
        """What happens before a side throws."""
        people, table = self.people, self.table
        self.troubles.of_the_turn()
        for habit, least, most in (
            ("hands_rest", 3.0, 10.0),
            ("spectator", 0.5, 4.0),
            ("straightened", 1.0, 5.0),
        ):
            if people.do(habit):
                table.hand(people.seconds(least, most))
                table.pass_time(people.seconds(0.2, 1.0))
        if people.do("fiddled"):
            self._lift_and_lay(side)
        if people.do("knocked"):
            self._knock()
        if people.do("knocked_wrongly"):
            self._slip()
        if people.do("dropped"):
            self._drop()
        if people.do("out_of_turn"):
            self._out_of_turn(side.other)
        table.pass_time(people.seconds(0.0, 0.5))

    def _lift_and_lay(self, side: Side) -> None:
        """A checker is taken up in thought and laid back."""
        table, people = self.table, self.people
        here = own_sites(table.placement, side)
        if not here:
            return
        stood = table.placement
        table.stand(stood.moved(side, people.rng.choice(here), OFF))
        table.pass_time(people.seconds(0.5, 3.0))
        table.stand(stood)
        table.pass_time(0.4)

    def shaken(self, most: int) -> Placement:
        """What stands there after up to so many checkers slid to a point beside theirs."""
        rng = self.people.rng
        placement = self.table.placement
        for _ in range(rng.randint(1, most)):
            side = rng.choice(list(Side))
            here = own_sites(placement, side)
            if not here:
                continue
            source = rng.choice(here)
            target = min(max(source + rng.choice((-1, 1)), 1), 24)
            if not placement.counts(side.other)[target]:
                placement = placement.moved(side, source, target)
        return placement

    def _knock(self) -> None:
        """Checkers are swept aside and put back as they stood."""
        table, people = self.table, self.people
        stood = table.placement
        table.stand(self.shaken(5))
        table.pass_time(people.seconds(1.0, 6.0))
        table.stand(stood, people.seconds(1.0, 3.0))
        table.pass_time(0.6)

    def _slip(self) -> None:
        """One checker is shifted by a point, and nobody notices until its owner plays again."""
        side = self.people.rng.choice(list(Side))
        before = self.table.placement
        after = self.shaken(1)
        for side in Side:
            moved = [s for s in range(26) if after.counts(side)[s] != before.counts(side)[s]]
            if len(moved) == 2:
                source = next(s for s in moved if after.counts(side)[s] < before.counts(side)[s])
                target = next(s for s in moved if s != source)
                self.hands.slipped.append((side, source, target))
                self.table.hand(0.3)
                self.table.shift(after)

    def _drop(self) -> None:
        """A checker falls to the floor and is missing for the coming turn."""
        side = self.people.rng.choice(list(Side))
        here = own_sites(self.table.placement, side)
        if here:
            site = self.people.rng.choice(here)
            self.hands.slipped.append((side, site, OFF))
            self.table.stand(self.table.placement.moved(side, site, OFF))

    def _out_of_turn(self, wrong: Side) -> None:
        """The side that has just played throws once more, moves a checker, and puts it back."""
        table, people = self.table, self.people
        faces = (people.rng.randint(1, 6), people.rng.randint(1, 6))
        table.lay_dice([])
        table.hand(0.5)
        table.lay_dice(thrown_by(wrong, faces))
        self.game.throws.append((table.now, wrong, Roll.of(*faces)))
        self.game.dice.append(too_early(table.now, wrong))
        table.pass_time(people.seconds(0.8, 2.0))
        here = own_sites(table.placement, wrong)
        if here and people.rng.random() < 0.5:
            self._lift_and_lay(wrong)
        table.lay_dice([])
        table.pass_time(0.5)
