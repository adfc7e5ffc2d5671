"""Hands at a table: whoever tells a story moves checkers, throws dice and presses; two honest
sensors report; the session answers.

The sensors here are sure of what they see. What they do when they are not is `service.simulate`'s
and reconcile's tests' affair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.observation import (
    Condition,
    CubeOwner,
    CubeReading,
    DieReading,
    DieStatus,
    Observation,
    SiteReading,
    Source,
)
from rules.play import plays
from rules.position import Position
from service.journal.chain import Entry, chain, checked_entries, line
from service.journal.entries import TABLE, Body, Role, Who
from service.reconcile import right_half
from service.referee.event import seating_of
from service.referee.inputs import Command, Order, Press, SourceChanged, Tick
from service.referee.state import Phase, State
from service.referee.step import replay
from service.session import step as game
from service.session.belief import Session
from service.session.step import SessionInput

FRAME_S = 0.1
DIRECTOR = Who("Ava", Role.DIRECTOR)
ANNOTATOR = Who("Omid", Role.ANNOTATOR)
CONSOLE = Who("console", Role.CONSOLE)
THREE = ((24, 22), (13, 11), (6, 5))
"""Three moves of a two and a one, from backgammon's start: no roll explains it."""


def sites(placement: Placement) -> tuple[SiteReading, ...]:
    return tuple(
        SiteReading(s, ((placement.white[s], placement.black[s], 1.0),), 1e-5) for s in range(26)
    )


def die(face: int, where: tuple[float, float], status: DieStatus = DieStatus.FLAT) -> DieReading:
    values = [1e-4] * 6
    values[face - 1] = 1.0
    return DieReading(
        where, (values[0], values[1], values[2], values[3], values[4], values[5]), {status: 1.0}
    )


def player(side: Side) -> Who:
    return Who("", Role.PLAYER, side)


@dataclass
class Hands:
    """A physical table and its session. `camera` and `board` say which sensors there are."""

    camera: bool = True
    board: bool = True
    session: Session = field(default_factory=Session)
    now: float = 0.0
    placement: Placement = field(default_factory=lambda: Placement((0,) * 26, (0,) * 26))
    dice: tuple[DieReading, ...] = ()
    cube: CubeReading | None = None
    said: list[tuple[float, Who, Body]] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    given: list[tuple[float, SessionInput]] = field(default_factory=list)
    hand_over: bool = False
    number: int = 0
    throws: int = 0

    # What the table says.

    @property
    def state(self) -> State:
        return self.session.state

    @property
    def kinds(self) -> list[str]:
        return [b.kind for _, _, b in self.said]

    def bodies(self, kind: str) -> list[Any]:
        return [b for _, _, b in self.said if b.kind == kind]

    def last(self, kind: str) -> Any:
        found = self.bodies(kind)
        assert found, f"no {kind} among {self.kinds}"
        return found[-1]

    @property
    def entries(self) -> list[Entry]:
        return [entry for entry, _ in chain((at, 0.0, by, body) for at, by, body in self.said)]

    # What hands do.

    def table_says(self, body: Body) -> None:
        """An entry of the table itself: that it was opened, or came back."""
        self.session = game.fold_own_entry(self.session, body, self.now)
        self.said.append((self.now, TABLE, body))

    def give(self, given: SessionInput) -> None:
        outcome = game.session_step(self.session, given, self.now)
        self.given.append((self.now, given))
        self.session = outcome.session
        self.said += [(max(self.now, 0.0), outcome.by, body) for body in outcome.entries]
        self.commands += outcome.commands

    def order(self, name: str, by: Who = CONSOLE, **args: Any) -> None:
        self.give(Order(name, args, by))

    def wait(self, seconds: float = 2.0) -> Hands:
        """Time passes with the sensors looking."""
        for _ in range(math.ceil(seconds / FRAME_S)):
            self.now = round(self.now + FRAME_S, 6)
            self.number += 1
            condition = Condition.MOVING if self.hand_over else Condition.AT_REST
            if self.camera:
                seen = () if self.hand_over else sites(self.placement)
                self.give(
                    Observation(
                        Source.CAMERA, self.now, self.number, condition, seen, self.dice, self.cube
                    )
                )
            if self.board:
                self.give(
                    Observation(
                        Source.SENSORS,
                        self.now,
                        self.number,
                        Condition.AT_REST,
                        sites(self.placement),
                    )
                )
            self.give(Tick())
        return self

    def set_up(
        self, ruleset: str = "backgammon", length: int | None = 7, clock: str = "none", **args: Any
    ) -> Hands:
        """A match is set and the checkers are put at the start."""
        self.order("set_match", ruleset=ruleset, length=length, clock=clock, **args)
        self.placement = self.start()
        return self.wait(1.5)

    def start(self) -> Placement:
        """Where the checkers of the match stand at a game's beginning."""
        assert self.state.match.ruleset is not None
        return Position.start(self.state.match.ruleset, Side.WHITE).placement

    def where(self, side: Side, n: int = 0) -> tuple[float, float]:
        area = right_half(seating_of(self.state), side)
        # Dice never come to lie where others lay a throw ago.
        self.throws += 1
        return (
            area[0] + 0.1 + 0.07 * (self.throws % 5),
            0.35 + 0.04 * (self.throws % 7) + 0.05 * n,
        )

    def throw_opening(self, white: int, black: int) -> Hands:
        self.dice = ()
        self.wait(0.8)
        self.dice = (die(white, self.where(Side.WHITE)), die(black, self.where(Side.BLACK)))
        return self.wait(1.5)

    def lift(self) -> Hands:
        self.dice = ()
        return self.wait(1.2)

    def throw(self, a: int, b: int, side: Side | None = None) -> Hands:
        """The side on roll picks the dice up and throws them into its right half."""
        who = side or self.state.game.on_roll
        self.dice = ()
        self.wait(0.6)
        self.dice = (die(a, self.where(who)), die(b, self.where(who, 2)))
        return self.wait(1.2)

    def roll(self, *faces: int) -> Roll:
        return Roll.of(*faces)

    def put(self, placement: Placement, seconds: float = 1.2) -> Hands:
        """Checkers are moved, with a hand over the board meanwhile."""
        self.hand_over = True
        self.wait(0.5)
        self.placement = placement
        self.hand_over = False
        return self.wait(seconds)

    def move(self, *moves: tuple[int, int], side: Side | None = None) -> Hands:
        """Moves in the mover's own numbering; a lone opposing checker goes to the bar."""
        return self.put(self.moved(*moves, side=side))

    def moved(
        self, *moves: tuple[int, int], side: Side | None = None, hits: bool = True
    ) -> Placement:
        who = side or self.state.game.on_roll
        assert self.state.match.ruleset is not None
        after = self.placement
        for source, target in moves:
            after = after.moved(who, self.site(who, source), self.site(who, target))
            point = self.site(who, target)
            if hits and 1 <= point <= 24 and after.counts(who.other)[point] == 1:
                after = after.moved(who.other, point, BAR)
        return after

    def site(self, side: Side, own: int) -> int:
        """White's number of a side's own point."""
        assert self.state.match.ruleset is not None
        if own in (OFF, BAR) or side is Side.WHITE:
            return own
        return (
            25 - own if self.state.match.ruleset.facing.value == "mirror" else (own + 11) % 24 + 1
        )

    def press(self, side: Side | None = None, seconds: float = 2.0) -> Hands:
        self.give(Press(side or self.state.game.on_roll, self.now))
        return self.wait(seconds)

    def play_any(self, which: int = 0) -> Hands:
        """Some legal play of the roll, put on the board."""
        state = self.state
        assert state.turn.roll is not None
        found = sorted(plays(state.position(), state.turn.roll), key=str)
        return self.put(found[which % len(found)].placement)

    def show_cube(self, value: int | None, owner: CubeOwner, seconds: float = 2.0) -> Hands:
        """The cube lies so for a while; None: its number is not to be read."""
        self.cube = cube_reading(value, owner)
        return self.wait(seconds)

    def lose(self, source: str, reason: str = "unplugged") -> Hands:
        self.give(SourceChanged(source, False, reason))
        if source == "camera":
            self.camera = False
        else:
            self.board = False
        return self

    def expect(self, phase: Phase) -> Hands:
        assert self.state.phase is phase, (
            f"{self.state.phase} after {self.kinds[-8:]}; {self.state.watch.verdict}"
        )
        return self


UNREAD: Final = {2: 0.4, 4: 0.3, 64: 0.3}
"""A number of a cube as the eyes read most: not."""


def cube_reading(value: int | None, owner: CubeOwner) -> CubeReading:
    """A cube whose place is sure, and its number where one is given."""
    shown = UNREAD if value is None else {value: 0.999, 2 if value != 2 else 4: 0.001}
    return CubeReading(shown, {owner: 0.999})


def seated(**seating: Any) -> Mapping[str, Any]:
    return {"white": "light", "home": "south-east", **seating}


def begun(hands: Hands, first: Side = Side.WHITE, **args: Any) -> Hands:
    """A game set up and started by order, `first` to roll."""
    hands.set_up(**args)
    if hands.state.phase is Phase.OPENING:
        hands.order(
            "set_position",
            placement={"white": list(hands.placement.white), "black": list(hands.placement.black)},
            on_roll=first.value,
        )
    return hands.wait(0.5)


def check(hands: Hands) -> None:
    entries = hands.entries
    assert replay(entries) == hands.state
    rows = [(e.seq, line(e.seq, e.at, e.wall, e.by, e.body), e.hash) for e in entries]
    read: list[Entry] = list(checked_entries(rows))
    assert read == entries


def stand(
    hands: Hands, white: dict[int, int], black: dict[int, int], on_roll: Side = Side.WHITE
) -> None:
    """Go on from a position, Black's points in Black's own numbering; the rest is off."""
    assert hands.state.match.ruleset is not None
    total = hands.state.match.ruleset.checkers
    whites = {**white, 0: total - sum(white.values())}
    blacks = {hands.site(Side.BLACK, p): n for p, n in black.items()} | {
        0: total - sum(black.values())
    }
    hands.placement = Placement.of(whites, blacks)
    as_json = {"white": list(hands.placement.white), "black": list(hands.placement.black)}
    hands.order("set_position", placement=as_json, on_roll=on_roll.value)
    hands.wait(1.0)
