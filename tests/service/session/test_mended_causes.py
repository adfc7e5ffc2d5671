"""Turns that once asked a person, or were taken wrongly, by cause: `data/mended.toml`, whose head
says how to read a case.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, DieReading, DieStatus, SiteReading, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Agreed, Awaiting, Evidence, Illegal, Verdict
from tests.service.tables import Table

UNNAMED_NATS = 12.0
"""How much less likely than the best a face is that the case does not name."""
FLOOR = 1e-5
"""Probability of a count that the case does not name."""


@dataclass(frozen=True)
class MendedCase:
    """A turn of `mended.toml`, its fields as they stand there."""

    cause: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    on_roll: str
    dice: list[str]
    verdict: str
    announced: str = ""
    board_before: list[str] = field(default_factory=list)
    camera_before: list[str] = field(default_factory=list)
    board_after: list[str] = field(default_factory=list)
    camera_after: list[str] = field(default_factory=list)


DATA = Path(__file__).parent / "data/mended.toml"
CASES = [MendedCase(**case) for case in tomllib.loads(DATA.read_text("utf-8"))["case"]]


@dataclass
class MisreadTable(Table):
    """A table whose sources read some places as a case says, every other place rightly."""

    misreadings: dict[tuple[Source, int], SiteReading] = field(default_factory=dict)

    def _sites(self, source: Source) -> Iterator[SiteReading]:
        for reading in super()._sites(source):
            yield self.misreadings.get((source, reading.site), reading)


def placement_of(sides: Mapping[str, str]) -> Placement:
    """Both sides' checkers from lines like "6x5 8x3", what is missing borne off."""
    whole = []
    for side in ("white", "black"):
        stands = {int(point): int(n) for point, n in re.findall(r"(\d+)x(\d+)", sides[side])}
        whole.append({**stands, OFF: 15 - sum(stands.values())})
    return Placement.of(whole[0], whole[1])


def values_in(line: str) -> dict[int, float]:
    """Each value of a line like "8 (0) 7 (0.7)" with its nats below the best."""
    return {int(value): float(nats) for value, nats in re.findall(r"(\d+) \(([\d.]+)\)", line)}


def readings_of(source: Source, lines: Iterable[str]) -> dict[tuple[Source, int], SiteReading]:
    """What a source says of the places of lines like "point 24: black 8 (0) 7 (0.7)"."""
    found = {}
    for line in lines:
        place, _, said = line.partition(": ")
        site = BAR if place == "bar" else int(place.removeprefix("point "))
        white = said.startswith("white")
        outcomes = tuple(
            (n if white else 0, 0 if white else n, math.exp(-nats))
            for n, nats in values_in(said).items()
        )
        found[source, site] = SiteReading(site, outcomes, FLOOR)
    return found


def die_of(line: str, east: float) -> DieReading:
    """A die at rest from a line like "flat 0.96: 6 (0) 4 (4)"."""
    status, _, said = line.partition(": ")
    flat, nats = float(status.removeprefix("flat ")), values_in(said)
    one, two, three, four, five, six = (
        math.exp(-nats.get(face, UNNAMED_NATS)) for face in range(1, 7)
    )
    return DieReading(
        (east, 0.5),
        (one, two, three, four, five, six),
        {DieStatus.FLAT: flat, DieStatus.COCKED: 1 - flat},
    )


def roll_of(text: str) -> Roll | None:
    return Roll(int(text[0]), int(text[1])) if text else None


def verdict_named(found: Verdict) -> str:
    """A verdict as a case names it."""
    if isinstance(found, Agreed):
        return f"agreed {found.roll.high}{found.roll.low}: {found.play}"
    return "illegal" if isinstance(found, Illegal) else "neither"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cause.replace(" ", "-"))
def test_a_mended_cause_stays_mended(case: MendedCase) -> None:
    position = Position.of(
        placement_of(case.before), ruleset("backgammon"), Side(case.on_roll), False
    )
    table = MisreadTable(
        position,
        roll_of(case.announced),
        misreadings=readings_of(Source.SENSORS, case.board_before)
        | readings_of(Source.CAMERA, case.camera_before),
    )
    table.rest()
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence, table.now)
    table.dice = tuple(die_of(line, 0.7 + 0.1 * n) for n, line in enumerate(case.dice))
    table.rest(0.9)
    table.hand()
    table.say(Source.SENSORS, Condition.MOVING)
    table.stands = placement_of(case.after)
    table.misreadings = readings_of(Source.SENSORS, case.board_after) | readings_of(
        Source.CAMERA, case.camera_after
    )
    table.rest(2.4)
    found = table.verdict(Awaiting.PRESSED, table.now - 2.0)
    if case.verdict == "not agreed":
        assert not isinstance(found, Agreed), found
    else:
        assert verdict_named(found) == case.verdict, found
