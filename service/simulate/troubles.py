"""What happens to the eyes of a table: lamps, cables, pushes, objects that lie in view for some
turns, and the process that dies. Each begins with a habit's chance and ends by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from rules.observation import Condition, SiteReading, Source
from service.simulate.evening_table import PUSHED, UPSIDE_DOWN, EveningTable
from service.simulate.habit_table import People
from service.simulate.painted_sense import under_thing

STRANGE: Final = 0.1
"""Share of things that read like checkers on one of their points. Assumed: of 259 points under the
cups and boxes that can be painted none does, but nobody has measured what else people put there."""


@dataclass
class Troubles:
    """The troubles of one evening. `_until`: turns that each lasting one still lasts, and how it
    ends.
    """

    table: EveningTable
    people: People
    _until: list[tuple[int, Callable[[], None]]] = field(default_factory=list)

    def of_the_game(self) -> None:
        """What is so for a whole game: a late stream, drift, a camera that hangs upside down."""
        table, people = self.table, self.people
        if people.do("late_camera"):
            table.late_s = people.seconds(0.3, 2.0)
            self._lasts(10_000, lambda: setattr(table, "late_s", 0.0))
        if people.do("drift"):
            for source, sense in table.senses.items():
                sense.drift()
                table.relight(source)
        if people.do("turned_around"):
            table.view = UPSIDE_DOWN
            table.touch()
            self._lasts(people.rng.randint(1, 3), self._found_again)

    def of_the_turn(self) -> None:
        """What begins or ends between two turns."""
        self._pass_turn()
        for name, act in self._chances().items():
            if self.people.do(name):
                act()

    def end(self) -> None:
        """The game is over: everything that lasts ends."""
        for _, undo in self._until:
            undo()
        self._until.clear()

    def _pass_turn(self) -> None:
        left = [(turns - 1, undo) for turns, undo in self._until]
        self._until = [each for each in left if each[0] > 0]
        for turns, undo in left:
            if turns <= 0:
                undo()

    def _lasts(self, turns: int, undo: Callable[[], None]) -> None:
        self._until.append((turns, undo))

    def _chances(self) -> dict[str, Callable[[], None]]:
        return {
            "relit": self._relit,
            "dark": lambda: self._weather(Condition.DARK, 2.0, 8.0),
            "over_exposed": lambda: self._weather(Condition.OVER_EXPOSED, 2.0, 8.0),
            "frozen": self._frozen,
            "camera_away": lambda: self._away(Source.CAMERA),
            "board_away": lambda: self._away(Source.SENSORS),
            "pushed": self._pushed,
            "map_off": self._map_off,
            "object": self._object,
            "shared_misread": self._shared_misread,
            "restart": self._restart,
        }

    def _relit(self) -> None:
        self._weather(Condition.RELIT, 0.3, 1.0)
        self.table.relight(Source.CAMERA)

    def _weather(self, condition: Condition, least: float, most: float) -> None:
        table = self.table
        table.weather = condition
        table.touch()
        table.pass_time(self.people.seconds(least, most))
        table.weather = None
        table.touch()

    def _frozen(self) -> None:
        """The picture hangs into the next turn; the camera says so in the end."""
        table = self.table
        table.hangs = True

        def thaw() -> None:
            table.hangs = False
            table.touch()

        self._lasts(1, thaw)

    def _away(self, source: Source) -> None:
        sense = self.table.senses.get(source)
        if sense is None:
            return
        sense.lost = True
        self.table.desk.source(source, False, self.table.now)

        def back() -> None:
            sense.lost = False
            self.table.desk.source(source, True, self.table.now)
            self.table.touch()

        self._lasts(self.people.rng.randint(1, 2), back)

    def _pushed(self) -> None:
        self._weather(Condition.BUMPED, 0.5, 1.5)
        for source in self.table.senses:
            self.table.relight(source)

    def _map_off(self) -> None:
        self.table.view = PUSHED
        self.table.touch()
        self._lasts(1, self._found_again)

    def _found_again(self) -> None:
        self.table.view = None
        self.table.relight(Source.CAMERA)

    def _object(self) -> None:
        """A cup hides points, or reads like what real eyes took such a cup for; now and then like
        checkers on one point.
        """
        table, rng = self.table, self.people.rng
        first = rng.randint(1, 22)
        free = [
            p
            for p in range(first, first + rng.randint(2, 3))
            if not table.placement.white[p] and not table.placement.black[p]
        ]
        strange = rng.choice(free) if free and rng.random() < STRANGE else None
        for point in free:
            read = under_thing(point, rng)
            if point == strange:
                read = SiteReading(point, ((*rng.choice(((1, 0), (0, 2))), 1.0),), 1e-5)
            if read is None:
                table.covered.add(point)
            else:
                table.under[point] = read
        table.touch()

        def taken_away() -> None:
            for point in free:
                table.covered.discard(point)
                table.under.pop(point, None)
            table.touch()

        self._lasts(rng.randint(1, 4), taken_away)

    def _shared_misread(self) -> None:
        """Both sources count a pile one off, until it is touched."""
        table, rng = self.table, self.people.rng
        piles = [
            p for p in range(1, 25) if max(table.placement.white[p], table.placement.black[p]) >= 4
        ]
        if not piles:
            return
        site = rng.choice(piles)
        pair = (table.placement.white[site], table.placement.black[site])
        off = rng.choice((-1, 1))
        table.alike[site] = (pair, (pair[0] + off * (pair[0] > 0), pair[1] + off * (pair[1] > 0)))
        table.touch()

    def _restart(self) -> None:
        """The process dies; the sources go on while it comes back."""
        self.table.desk.restart(self.table.now)
        self.table.pass_time(self.people.seconds(0.5, 3.0))
