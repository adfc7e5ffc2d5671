"""What a camera says of a checker that lies between two points, and of an empty point under a cup
or a box, drawn from what the real reader said of such. It keeps its draw for as long as that lies
there.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Final

from rules.board import POINTS, Placement, Side
from rules.observation import Observation, SiteReading
from service.simulate.measured import HiddenJson, SidewaysJson
from service.simulate.noise import ConfusionsError

HIGHEST: Final = 4
"""Piles higher than this are miscounted wherever their last checker lies."""
APART: Final = frozenset({(6, 7), (12, 13), (18, 19)})
"""Points that follow each other and do not lie side by side."""
UNDER: Final = ((0, 0), (1, 0), (0, 1))
"""The pairs of counts that a reading of a hidden point tells of, in its order."""


@functools.cache
def painted_pool(path: Path | None = None) -> tuple[Sequence[SidewaysJson], Sequence[HiddenJson]]:
    """The readings of such checkers, and of such points, of a confusions file; default the one that
    ships. Raises ConfusionsError.
    """
    file = (
        resources.files("service.simulate") / "data" / "confusions.json" if path is None else path
    )
    data = json.loads(file.read_text())
    if not isinstance(data, dict) or not data.get("sideways") or not data.get("hidden"):
        raise ConfusionsError(
            "expected readings of painted boards: make them with `python -m"
            " service.simulate.confusions --painted 400`"
        )
    return data["sideways"], data["hidden"]


def room_beside(before: Placement, after: Placement, side: Side) -> list[tuple[int, int]]:
    """Points to which a side has come, each with one beside it on which the last of its checkers
    may lie in part: what stands there does not reach so far.
    """
    was, now = before.counts(side), after.counts(side)
    return [
        (point, beside)
        for point in POINTS
        for beside in (point - 1, point + 1)
        if beside in POINTS
        and (min(point, beside), max(point, beside)) not in APART
        and was[point] < now[point] <= HIGHEST
        and max(after.white[beside], after.black[beside]) < now[point]
    ]


def lying_sideways(
    placement: Placement, side: Side, point: int, beside: int, rng: random.Random
) -> dict[int, SiteReading]:
    """What is read of the two points between which a side's last checker of the first one lies."""
    own, near = rng.choice(painted_pool()[0])
    white, black = (1, 0) if side is Side.WHITE else (0, 1)

    def reading(site: int, shares: tuple[float, float, float], more: int) -> SiteReading:
        there = placement.white[site], placement.black[site]
        otherwise = there[0] + more * white, there[1] + more * black
        outcomes = ((*there, shares[0]), (*otherwise, shares[1]))
        return SiteReading(site, outcomes, shares[2])

    return {point: reading(point, own, -1), beside: reading(beside, near, 1)}


def under_thing(point: int, rng: random.Random) -> SiteReading | None:
    """What is read of an empty point under a cup or a box, None where it is not seen."""
    drawn = rng.choice(painted_pool()[1])
    if drawn is None:
        return None
    outcomes = tuple((*pair, p) for pair, p in zip(UNDER, drawn[:3], strict=True))
    return SiteReading(point, outcomes, drawn[3])


def seen_with(
    seen: Observation, lying: Mapping[int, SiteReading], view: Mapping[int, int]
) -> Observation:
    """The observation, with what is read of these points where they are in view; `view`: where each
    point is seen.
    """
    there = {view.get(site, site): reading for site, reading in lying.items()}
    sites = (
        replace(there[each.site], site=each.site) if each.site in there else each
        for each in seen.sites
    )
    return replace(seen, sites=tuple(sites))
