"""Turns that once asked a person, or were taken wrongly, by cause: `data/mended.jsonl`, one a line.

A line tells the placement before and after by side and point (what is missing is off), the roll
announced, dice as [logs of faces, flatness], and what a source says of a site where it is not
simply right: counts to nats below its best. `before`: what it said of the placement before.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, DieReading, DieStatus, SiteReading, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Agreed, Awaiting, Evidence, Illegal
from tests.service.tables import Table

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "mended.jsonl").read_text().splitlines()
]
SOURCES = {"camera": Source.CAMERA, "sensors": Source.SENSORS}


@dataclass
class Told(Table):
    says: dict[tuple[Source, int], SiteReading] = field(default_factory=dict)

    def _sites(self, source: Source) -> list[SiteReading]:
        return [
            self.says.get((source, reading.site), reading) for reading in super()._sites(source)
        ]


def placement(white: dict[str, int], black: dict[str, int]) -> Placement:
    sides = ({int(p): n for p, n in side.items()} for side in (white, black))
    whole = [{**side, OFF: 15 - sum(side.values())} for side in sides]
    return Placement.of(whole[0], whole[1])


def readings(told: dict[str, Any]) -> dict[tuple[Source, int], SiteReading]:
    found = {}
    for source, sites in told.items():
        for site, nats in sites.items():
            outcomes = tuple(
                (*(int(n) for n in counts.split(",")), math.exp(-x)) for counts, x in nats.items()
            )
            found[SOURCES[source], int(site)] = SiteReading(int(site), outcomes, 1e-5)  # type: ignore[arg-type]
    return found


def die(said: list[Any], east: float) -> DieReading:
    values = [math.exp(x) for x in said[0]]
    return DieReading(
        (east, 0.5), tuple(values), {DieStatus.FLAT: said[1], DieStatus.COCKED: 1 - said[1]}
    )  # type: ignore[arg-type]


def roll(text: str | None) -> Roll | None:
    return Roll(int(text[0]), int(text[1])) if text else None


@pytest.mark.parametrize("case", CASES, ids=[c["cause"].replace(" ", "-") for c in CASES])
def test_a_mended_cause_stays_mended(case: dict[str, Any]) -> None:
    position = Position.of(
        placement(case["white"], case["black"]), ruleset("backgammon"), Side(case["side"]), False
    )
    table = Told(position, roll(case["roll"]), says=readings(case.get("before", {})))
    table.rest()
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence, table.now)
    table.dice = tuple(die(said, 0.7 + 0.1 * n) for n, said in enumerate(case["dice"]))
    table.rest(0.9)
    table.hand()
    table.say(Source.SENSORS, Condition.MOVING)
    table.stands = placement(case["after_white"], case["after_black"])
    table.says = readings(case.get("says", {}))
    table.rest(2.4)
    found = table.verdict(Awaiting.PRESSED, table.now - 2.0)
    if case["expect"] == "agreed":
        assert isinstance(found, Agreed), found
        assert (str(found.play), found.roll) == (case["play"], roll(case["read"])), found
    elif case["expect"] == "illegal":
        assert isinstance(found, Illegal), found
    else:
        assert not isinstance(found, Agreed), found
