"""What the board itself may show: lights and clock faces, made from the state and the event's
monitor policy. The bridge only shows it.

Every meaning has a pattern of its own, never a colour alone:

| shown | where | light |
|---|---|---|
| whose turn | that side's half of the bar | white, steady |
| answer a double or a resignation | that side's half of the bar | blue, blinking |
| neshast: no play, press | that side's half of the bar | white, double flash |
| dice cocked, missing, off the board, thrown too early | the whole bar | orange, double flash |
| an illegal play (where the board may speak) | sites that no legal play leaves | vermilion, fast |
| board and record differ; a hit checker not on the bar; wrong set-up | the sites | sky, blinking |
| the table asks (say the roll, choose the play) | the whole bar | yellow, blinking |
| frozen | the whole bar | purple, steady |
| a sensor is lost | both trays | yellow, double flash |
| legal targets (teaching only) | the points | green, steady |
"""

from __future__ import annotations

import functools
from typing import Final

from firmware_bridge.clock_panel import ClockFace, Lamp, SideFace, time_text
from firmware_bridge.lights import Light, LightColour, LightScene, Pattern
from rules.board import BAR, OFF, POINTS, Placement, Side, Site
from rules.conduct import Listener, News, may_be_told
from rules.dice import Roll
from rules.play import plays
from rules.position import Position, PositionError
from service.referee.clock import ticking
from service.referee.event import seating_of
from service.referee.state import Phase, State
from service.show.prompt import difference_is_told, question_of
from service.show.scene_document import FaceDocument, LightDocument, SceneDocument

Lights = list[tuple[Site, Light]]

LOST: Final = Light(LightColour.YELLOW, Pattern.DOUBLE)
ASKS: Final = Light(LightColour.YELLOW, Pattern.BLINK)
DICE: Final = Light(LightColour.ORANGE, Pattern.DOUBLE)
HELD: Final = Light(LightColour.PURPLE)
WRONG: Final = Light(LightColour.VERMILION, Pattern.FAST)
APART: Final = Light(LightColour.SKY, Pattern.BLINK)
TARGET: Final = Light(LightColour.GREEN)


_IN_A_TURN: Final = (Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED, Phase.DOUBLED, Phase.ILLEGAL)


def lights(state: State) -> LightScene:
    """The lights of a state. Nothing here tells a player what only an arbiter may know."""
    shown: Lights = []
    phase, watch = state.phase, state.watch
    if state.lost:
        shown.append((OFF, LOST))
    if phase is Phase.FROZEN:
        shown.append((BAR, HELD))
    elif phase in _IN_A_TURN or (phase is Phase.DIFFERS and not difference_is_told(state)):
        shown += _turn(state)
    if phase in (Phase.OPENING, Phase.TO_ROLL, Phase.MOVING) and (
        watch.called or state.turn.premature
    ):
        shown.append((BAR, DICE))
    asked = question_of(state)
    if asked is not None and asked.told == "board":
        shown.append((BAR, ASKS))
    if (
        phase is Phase.ILLEGAL
        and state.turn.notice
        and state.turn.notice.told == "board"
        and state.game.placement
    ):
        shown += [
            (site, WRONG) for site in changed(state.game.placement, state.turn.notice.placement)
        ]
    if phase is Phase.DIFFERS and state.turn.difference and difference_is_told(state):
        shown += [(site, APART) for site in state.turn.difference.sites]
    if watch.sites and phase in (Phase.SETTING_UP, Phase.GAME_OVER, Phase.TO_ROLL):
        shown += [(site, APART) for site in watch.sites]
    if (
        phase is Phase.MOVING
        and state.turn.roll
        and may_be_told(state.match.event.monitor, News.HINT, Listener.PLAYERS)
    ):
        shown += [(site, TARGET) for site in _targets(state)]
    return LightScene(tuple(shown))


def _turn(state: State) -> Lights:
    """Whose turn it is, as a light before that player."""
    asked = (
        state.turn.resigning[0].other
        if state.turn.resigning
        else state.turn.offer[0].other
        if state.turn.offer and state.phase is Phase.DOUBLED
        else None
    )
    if asked is not None:
        return [(BAR, Light(LightColour.BLUE, Pattern.BLINK, side=asked))]
    pattern = Pattern.DOUBLE if state.turn.stuck else Pattern.STEADY
    return [(BAR, Light(LightColour.WHITE, pattern, side=state.game.on_roll))]


def changed(before: Placement, after: Placement) -> tuple[Site, ...]:
    """Sites where two placements differ."""
    return tuple(
        s
        for s in (*POINTS, BAR, OFF)
        if (before.white[s], before.black[s]) != (after.white[s], after.black[s])
    )


def _targets(state: State) -> tuple[Site, ...]:
    try:
        return _reachable(state.position(), state.turn.roll) if state.turn.roll else ()
    except (PositionError, ValueError):
        return ()


@functools.lru_cache(maxsize=64)
def _reachable(position: Position, roll: Roll) -> tuple[Site, ...]:
    """Where a legal play of this roll puts a checker."""
    before = position.placement.counts(position.side)
    found = {
        s
        for play in plays(position, roll)
        for s in (*POINTS, OFF)
        if play.placement.counts(position.side)[s] > before[s]
    }
    return tuple(sorted(found))


def face(state: State, now: float) -> ClockFace:
    """Both displays and lamps at table time `now`; dark where the clock is not ours."""
    clock, seating = state.match.clock, seating_of(state)
    if clock is None:
        return ClockFace()
    faces: dict[bool, SideFace] = {}
    for side in Side:
        text = time_text(clock.left(side, now))
        lamp = Lamp.OFF
        if clock.running is side:
            # A clock that was stopped in a side's turn blinks, so that both see whose time it will
            # be.
            lamp = Lamp.ON if ticking(clock) else Lamp.BLINK
        faces[side is seating.south] = SideFace(text.text, text.colon, lamp)
    return ClockFace(faces[True], faces[False])


def scene_document(state: State, now: float) -> SceneDocument:
    """Lights and clock face for the state document, at table time `now`."""
    shown: dict[str, list[LightDocument]] = {}
    for site, light in lights(state).lights:
        found: LightDocument = {
            "colour": light.colour.name.lower(),
            "pattern": light.pattern.name.lower(),
            "side": light.side.value if light.side else None,
        }
        shown.setdefault(str(site), []).append(found)
    seen = face(state, now)
    return {
        "lights": shown,
        "clock_face": {"south": _half(seen.south), "north": _half(seen.north)},
    }


def _half(half: SideFace) -> FaceDocument:
    return {"text": half.text, "colon": half.colon, "lamp": half.lamp.value}
