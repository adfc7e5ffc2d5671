"""A table told by hand: placements and dice become observations of both sources.

For tests that tell a story.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Condition, DieReading, DieStatus, Observation, SiteReading, Source
from rules.play import plays
from rules.position import Position
from rules.ruleset import Ruleset
from rules.ruleset import ruleset as named
from service.reconcile import Awaiting, Evidence, Expectation, Verdict, decide, observe

CLIP0 = Path(__file__).parents[1] / "data" / "clip0"
"""A recording of eight turns, 67 s: a rendered clip and a simulated board. `truth.json`: what truly
happened."""

BOTH = (Source.CAMERA, Source.SENSORS)


def die(
    value: int | None,
    east: float,
    status: DieStatus = DieStatus.FLAT,
    sure: float = 0.999,
    north: float = 0.5,
) -> DieReading:
    values = tuple(
        1 / 6 if value is None else sure if i + 1 == value else (1 - sure) / 5 for i in range(6)
    )
    rest = {s: 0.02 / 5 for s in DieStatus if s is not status}
    return DieReading((east, north), values, {status: 0.98, **rest})  # type: ignore[arg-type]


def two(roll: Roll | None, east: float = 0.7) -> tuple[DieReading, ...]:
    return (die(roll and roll.high, east), die(roll and roll.low, east + 0.1))


def play_of(position: Position, roll: Roll, text: str) -> Placement:
    """The placement after a legal play, by its notation."""
    found = {str(p): p for p in plays(position, roll)}
    return found[text].placement


@dataclass
class Table:
    """The board as it stands and what the sources say of it, observation by observation."""

    position: Position
    roll: Roll | None
    stands: Placement = field(init=False)
    now: float = 0.0
    sources: tuple[Source, ...] = BOTH
    hidden: frozenset[int] = frozenset()
    misread: Mapping[tuple[Source, int], tuple[int, int]] = field(default_factory=dict)
    """(source, site) -> counts it insists on."""
    floor: float = 1e-5
    dice: tuple[DieReading, ...] = ()
    read: Roll | None = None
    """What the referee announced; default the roll."""
    declared: bool = False

    def __post_init__(self) -> None:
        self.stands = self.position.placement
        self.evidence = Evidence.fresh(self.stands, self.now)
        self.numbers = dict.fromkeys(Source, 0)

    def say(self, source: Source, condition: Condition = Condition.AT_REST) -> None:
        self.numbers[source] += 1
        sites = tuple(self._sites(source)) if condition is Condition.AT_REST else ()
        dice = self.dice if source is Source.CAMERA else None
        self.evidence = observe(
            self.evidence,
            Observation(source, self.now, self.numbers[source], condition, sites, dice),
            self.now,
        )

    def _sites(self, source: Source) -> Iterable[SiteReading]:
        for site in range(1, 26):
            if site not in self.hidden or source is Source.SENSORS:
                white, black = self.misread.get(
                    (source, site), (self.stands.white[site], self.stands.black[site])
                )
                yield SiteReading(site, ((white, black, 1.0),), self.floor)

    def rest(self, seconds: float = 1.2, step: float = 0.3) -> Table:
        end = self.now + seconds
        while self.now < end:
            self.now = round(self.now + step, 3)
            for source in self.sources:
                self.say(source)
        return self

    def hand(self) -> Table:
        self.now = round(self.now + 0.3, 3)
        if Source.CAMERA in self.sources:
            self.say(Source.CAMERA, Condition.MOVING)
        return self

    def play(self, stands: Placement, dice: tuple[DieReading, ...] | None = None) -> Table:
        """Dice seen, a hand over the board, then it stands so."""
        self.dice = two(self.roll) if dice is None else dice
        self.rest(0.9)
        self.hand()
        self.stands = stands
        return self.rest()

    def verdict(self, stage: Awaiting = Awaiting.PRESSED, since: float | None = None) -> Verdict:
        read = self.read if self.read is not None else self.roll
        at = self.now - 1.0 if since is None else since
        return decide(
            self.evidence, Expectation(self.position, read, stage, self.declared, at), self.now
        )


def start(ruleset: Ruleset | str, side: Side = Side.WHITE) -> Position:
    return Position.start(ruleset if isinstance(ruleset, Ruleset) else named(ruleset), side)
