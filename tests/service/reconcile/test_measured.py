"""Numbers of reconcile that are called measured, held against the readings they were measured by:
the pools of `simulate/data/confusions.json`, of pictures no network was taught with.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from rules.observation import Source
from service.reconcile.codes import TALL
from service.reconcile.tuning import DEFAULT, REACHES, UNMEASURED

POOLS: dict[str, Any] = json.loads(
    (resources.files("service.simulate") / "data/confusions.json").read_text("utf-8")
)


def first_looks(source: str, levels: tuple[str, ...]) -> Iterator[tuple[int, float]]:
    """Of each site that was read: how many checkers stand there, and the nats against that."""
    for level in levels:
        for group in POOLS[source][level]["groups"]:
            for truth, runs in group["point"].items():
                white, black = map(int, truth.split(","))
                for outcomes, floor in (run[0] for run in runs):
                    said: dict[tuple[int, int], float] = {(w, b): p for w, b, p in outcomes}
                    best = max(said.values())
                    yield (
                        max(white, black),
                        math.log(best / max(said.get((white, black), floor), 1e-12)),
                    )


@pytest.mark.parametrize(
    ("source", "levels"), [("camera", ("club",)), ("board", ("good", "club", "bad"))]
)
def test_a_site_weighs_no_more_than_was_read_without_an_error(
    source: str, levels: tuple[str, ...]
) -> None:
    """So many low piles were read, one at most wrong: no reading is surer than one in so many."""
    low = [nats for stands, nats in first_looks(source, levels) if stands < TALL]
    named = REACHES[Source.CAMERA if source == "camera" else Source.SENSORS].one_site_nats
    assert sum(nats > 0 for nats in low) <= 1
    assert named == pytest.approx(math.log(len(low)), abs=0.1)


def test_a_source_that_nobody_measured_reaches_no_further_than_any_that_was() -> None:
    assert UNMEASURED.one_site_nats == min(r.one_site_nats for r in REACHES.values())


def test_tall_is_where_counting_begins_to_fail() -> None:
    levels = ("good", "club")
    seen = [
        look
        for source in POOLS
        if source in ("camera", "board")
        for look in first_looks(source, levels)
    ]
    wrong = {stands for stands, nats in seen if nats > 0}
    assert min(wrong) == TALL


def test_a_still_die_is_read_as_another_face_no_more_often() -> None:
    """Between what was counted and what may have been by chance (three more, of 95 in 100)."""
    read = [
        (int(face) - 1, faces)
        for level in ("bad", "club", "good")
        for face, dice in POOLS["camera"][level]["dice"].items()
        for faces, _ in dice
    ]
    wrong = sum(faces.index(max(faces)) != face for face, faces in read)
    assert wrong <= 5 * DEFAULT.die_floor * len(read) <= wrong + 3


def test_no_flat_die_seems_so_odd_that_it_is_called() -> None:
    pools = [POOLS["camera"][level] for level in ("bad", "club", "good")]
    flat = [p for pool in pools for dice in pool["dice"].values() for _, p in dice]
    leaning = {(*values, p) for pool in pools for values, p in pool["cocked"]}
    called = [1 - p >= DEFAULT.roll_read for *_, p in leaning]
    assert not any(1 - p >= DEFAULT.roll_read for p in flat)
    assert (len(flat), len(called), sum(called)) == (82, 13, 11)
