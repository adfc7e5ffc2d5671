"""Scenes to LEDs: the right ones, within the cap, never colour alone, and only what changed is
sent.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.errors import MisuseError
from firmware_bridge.lights import (
    DARK,
    Led,
    Light,
    LightColour,
    LightScene,
    Part,
    Pattern,
    current_ma,
    difference,
    led_colours,
)
from rules.board import BAR, OFF, Colour, Corner, Seating, Side

PLAN = reference_board().leds
lights = st.builds(
    Light,
    st.sampled_from(list(LightColour)),
    st.sampled_from(list(Pattern)),
    st.sampled_from(list(Part)),
    st.sampled_from([None, *Side]),
)
scenes = st.builds(
    LightScene, st.lists(st.tuples(st.integers(0, 25), lights), max_size=30).map(tuple)
)
seatings = st.builds(Seating, st.sampled_from(list(Colour)), st.sampled_from(list(Corner)))

WHERE = {
    "a point": (LightScene(((1, Light(LightColour.SKY)),)), Corner.SOUTH_EAST, {0, 1}),
    "its rim": (LightScene(((1, Light(LightColour.SKY, part=Part.RIM)),)), Corner.SOUTH_EAST, {0}),
    "its inner LED": (
        LightScene(((24, Light(LightColour.SKY, part=Part.INNER)),)),
        Corner.SOUTH_EAST,
        {47},
    ),
    "turned round": (LightScene(((1, Light(LightColour.SKY)),)), Corner.NORTH_WEST, {24, 25}),
    "the bar": (LightScene(((BAR, Light(LightColour.SKY)),)), Corner.SOUTH_EAST, {48, 49, 50, 51}),
    "White's half of it": (
        LightScene(((BAR, Light(LightColour.SKY, side=Side.WHITE)),)),
        Corner.SOUTH_WEST,
        {48, 49},
    ),
    "Black's tray": (
        LightScene(((OFF, Light(LightColour.SKY, side=Side.BLACK)),)),
        Corner.SOUTH_EAST,
        {54, 55},
    ),
    "White's tray, seated north": (
        LightScene(((OFF, Light(LightColour.SKY, side=Side.WHITE)),)),
        Corner.NORTH_EAST,
        {54, 55},
    ),
}


@pytest.mark.parametrize("name", WHERE)
def test_the_right_lights_shine(name: str) -> None:
    scene, home, expected = WHERE[name]
    assert {
        n for n, led in enumerate(led_colours(scene, PLAN, Seating(home=home))) if led != DARK
    } == expected


@given(scenes, seatings, st.integers(60, 3000))
@settings(max_examples=60, deadline=None)
def test_no_scene_draws_more_than_the_cap(scene: LightScene, seating: Seating, cap: int) -> None:
    plan = replace(PLAN, cap_ma=float(cap))
    assert current_ma(led_colours(scene, plan, seating), plan) <= cap


@given(scenes, scenes)
@settings(max_examples=60, deadline=None)
def test_the_difference_is_enough_and_fits_its_frames(
    before: LightScene, after: LightScene
) -> None:
    there, wanted = list(led_colours(before, PLAN, Seating())), led_colours(after, PLAN, Seating())
    for first, run in difference(wanted, tuple(there)):
        assert 0 < len(run) <= wire.LEDS_PER_COMMAND
        there[first : first + len(run)] = run
    assert tuple(there) == wanted
    assert difference(wanted, wanted) == ()


def test_later_lights_lie_over_earlier_ones() -> None:
    over: tuple[Led, ...] = led_colours(
        LightScene(((3, Light(LightColour.SKY)), (3, Light(LightColour.ORANGE, Pattern.FAST)))),
        PLAN,
        Seating(),
    )
    assert over[4] == (*LightColour.ORANGE.value, Pattern.FAST)


def test_no_such_site() -> None:
    with pytest.raises(MisuseError):
        LightScene(((26, Light(LightColour.SKY)),))
