"""The lights of the printed quadrants: which follows which, where each lies, and that they share
nothing with the sensors.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_bridge.board_spec import reference_board
from tests.hardware.test_cut import drawing, holes
from tests.hardware.test_pcb import DEPTH, QUADRANT, WIDTH, Nets, copper

VDD, DOUT, VSS, DIN = "1234"
"""Pins of a WS2812B, by its data sheet."""
PLAN = reference_board()


def chained(nets: Nets) -> list[str]:
    """The lights in the order in which the data pass them, from plug to plug."""
    found, net = [], nets["J4", "2"]
    while net != nets["J5", "2"]:
        (light,) = [
            ref for (ref, pin), n in nets.items() if ref[0] == "D" and (pin, n) == (DIN, net)
        ]
        found.append(light)
        net = nets[light, DOUT]
        assert len(found) <= 12, "a ring"
    return found


def right(nets: Nets) -> bool:
    """Whether the chain is that of the numbers, and supply and ground are the lights' own."""
    try:
        if chained(nets) != [f"D{n}" for n in range(1, 13)]:
            return False
    except (AssertionError, KeyError, ValueError):
        return False
    supply, ground = nets["J4", "1"], nets["J4", "3"]
    if (supply, ground) != (nets["J5", "1"], nets["J5", "3"]) or supply == ground:
        return False
    lights = all(
        (nets[f"D{n}", VDD], nets[f"D{n}", VSS]) == (supply, ground)
        and (nets[f"C{34 + n}", "1"], nets[f"C{34 + n}", "2"]) == (supply, ground)
        for n in range(1, 13)
    )
    own = {ref for (ref, _), net in nets.items() if net in (supply, ground)}
    parts = {f"D{n}" for n in range(1, 13)} | {f"C{34 + n}" for n in range(1, 13)}
    return lights and own == parts | {"J4", "J5"}


def test_the_lights_follow_each_other_by_their_numbers() -> None:
    assert right(QUADRANT)


def _swap(one: tuple[str, str], other: tuple[str, str]) -> Callable[[Nets], None]:
    def swap(nets: Nets) -> None:
        nets[one], nets[other] = nets[other], nets[one]

    return swap


WRONG = {
    "in and out of a light": _swap(("D4", DIN), ("D4", DOUT)),
    "two lights": _swap(("D4", DIN), ("D5", DIN)),
    "supply and ground": _swap(("D7", VDD), ("D7", VSS)),
    "a sensor on the lights' ground": _swap(("U3", "3"), ("D7", VSS)),
    "a sensor on the lights' supply": _swap(("U3", "1"), ("D7", VDD)),
    "a plug's data and ground": _swap(("J5", "2"), ("J5", "3")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_wiring_is_noticed(name: str) -> None:
    nets = dict(QUADRANT)
    WRONG[name](nets)
    assert not right(nets)


def test_each_light_lies_under_its_window() -> None:
    """Number by number on all four boards: its own point's, and at the rim or inside."""
    windows = {(x, y) for x, y, size in holes(drawing("skin"), "CUT") if size == 5}
    places, seen = copper()[1], set()
    columns = {place.site: place.x for place in PLAN.sensors.places if place.role == "point"}
    for q in range(4):
        for number in range(12 * q, 12 * q + 12):
            point, slot = number // PLAN.leds.per_point + 1, number % PLAN.leds.per_point
            x, y = places[f"D{number - 12 * q + 1}"]
            east, north = x, DEPTH - y
            if q >= 2:  # turned
                east, north = WIDTH - east, PLAN.depth - north
            if q in (0, 3):  # east of the bar
                east += PLAN.width - WIDTH
            assert east == pytest.approx(columns[point], abs=0.01), number
            from_rim = north if point <= 12 else PLAN.depth - north
            assert (from_rim < PLAN.depth / 8) == (slot == 0), number
            seen.add((round(east, 2), round(north, 2)))
    assert seen <= windows
    assert len(seen) == 48
