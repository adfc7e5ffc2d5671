"""What people do with the cube of a simulated game: doubles, takes and drops, by word and by hand,
and a cube that is turned in thought or pushed about without any of them.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from rules.apply import apply
from rules.board import Side
from rules.game import Dropped, Offered, Taken
from rules.match import Match
from rules.observation import CubeOwner
from service.referee.state import Phase
from service.simulate.evening_desk import EveningDesk
from service.simulate.evening_table import EveningTable
from service.simulate.habit_table import People
from service.simulate.truth import TrueGame

OWNERS: Final = {Side.WHITE: CubeOwner.WHITE, Side.BLACK: CubeOwner.BLACK, None: CubeOwner.CENTRE}
"""Where the cube of each side, or nobody's, lies."""


class CubeAtTable:
    """The cube before a throw. What is newer than the rest of the evening is drawn from a source of
    its own, so that an evening without it stays as it was.
    """

    def __init__(
        self, desk: EveningDesk, table: EveningTable, people: People, game: TrueGame
    ) -> None:
        self.desk, self.table, self.people, self.game = desk, table, people, game
        self.ways = replace(people, rng=random.Random(game.name))

    def before_throw(self, match: Match, side: Side) -> Match:
        """The match after what this side does with the cube before it throws."""
        if not (match.rules.ruleset.has_cube and match.may_offer(side)):
            return match
        home = OWNERS[match.game.cube.owner]
        if self.people.do("cube_fiddled"):
            self._fiddle()
        if self.ways.do("cube_pushed"):
            self._push()
        return self._double(match, side, home) if self.people.do("doubled") else match

    def _fiddle(self) -> None:
        table, kept = self.table, self.table.cube
        table.cube = None
        table.hand(1.0)
        table.cube = kept and (min(kept[0] * 2 if kept[0] < 64 else 2, 64), kept[1])
        table.pass_time(self.people.seconds(0.3, 0.9))
        table.cube = kept
        table.touch()
        table.pass_time(0.5)

    def _push(self) -> None:
        """A sleeve takes the cube along onto the field; somebody lays it back."""
        table, kept = self.table, self.table.cube
        if kept is None:
            return
        table.hand(0.6)
        table.cube = (self.ways.rng.choice((kept[0], 2, 16)), CubeOwner.FIELD)
        table.touch()
        table.pass_time(self.ways.seconds(0.5, 5.0))
        table.hand(0.6)
        table.cube = kept
        table.touch()
        table.pass_time(self.ways.seconds(0.5, 2.0))

    def _double(self, match: Match, side: Side, home: CubeOwner) -> Match:
        """A double, offered and answered."""
        table, people, desk = self.table, self.people, self.desk
        value = match.game.cube.value * 2
        # A cube that shows so much already, left over from the last game, says nothing by itself,
        # nor does one that does not lie where it belongs.
        turned = table.cube is not None and table.cube[0] != value and table.cube[1] is home
        by_hand = people.do("doubled_by_hand") and turned
        match = apply(match, Offered(side))
        self.game.cube.append(("cube_offered", side))
        if by_hand:
            on_field = people.rng.random() < 0.5
            table.hand(0.8)
            # Half of what is not laid before the other is turned where it lies.
            in_place = not on_field and self.ways.do("turned_in_place")
            place = CubeOwner.FIELD if on_field else home if in_place else OWNERS[side.other]
            table.cube = (value, place)
        else:
            desk.order("offer", table.now, side)
            if self.ways.do("laid_after_word"):
                table.hand(0.8)
                table.cube = (value, self.ways.rng.choice((CubeOwner.FIELD, OWNERS[side.other])))
        table.touch()
        table.pass_time(people.seconds(2.0, 10.0))
        if people.do("dropped_double"):
            self._drop(side, by_hand)
            return apply(match, Dropped(side.other))
        self.game.cube.append(("cube_taken", side.other))
        if not by_hand:
            desk.order("take", table.now, side.other)
        table.hand(0.8)
        table.cube = (value, OWNERS[side.other])
        table.touch()
        table.pass_time(people.seconds(0.8, 2.0))
        return apply(match, Taken(side.other))

    def _drop(self, side: Side, by_hand: bool) -> None:
        """The double is dropped, with a word, or by giving the cube back and setting up anew."""
        table, desk = self.table, self.desk
        self.game.cube.append(("cube_dropped", side.other))
        if by_hand and self.ways.do("dropped_by_hand"):
            table.hand(0.8)
            table.cube = (64, CubeOwner.CENTRE)
            table.touch()
        else:
            if desk.state.phase is not Phase.DOUBLED:
                # The table has not noticed: they say both.
                desk.order("offer", table.now, side)
            desk.order("drop", table.now, side.other)
        table.pass_time(0.5)
