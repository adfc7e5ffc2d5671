"""The event: what an organiser chooses, with a default for everything. What a file may say of it is
`rules.event_keys`'s; `docs/event-file.md` lists every key.
"""

from __future__ import annotations

import enum
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Final

from rules.axes import RulesetError
from rules.clock import BankPer, DelayMode, TimeControl
from rules.conduct import AtFlag, Ladder, Monitor, Penalty, PointsLost, PrematureRoll, Step
from rules.match import DeadCube, MatchRules, Score
from rules.ruleset import Ruleset, catalogue, varied


class EventError(ValueError):
    """An event file that cannot be; the message names file, section, line where known, what came
    and what was expected.
    """


class Reroll(enum.Enum):
    """Which dice a cocked die makes invalid."""

    BOTH = "both"
    THAT_DIE = "that_die"


class OnChecker(enum.Enum):
    INVALID = "invalid"
    VALID = "valid"


class DiceArea(enum.Enum):
    """Where dice are valid: right of the bar as the roller sits, the whole board, or wherever a
    baffle box drops them.
    """

    RIGHT_HALF = "right_half"
    BOARD = "board"
    BAFFLE_BOX = "baffle_box"


class Phones(enum.Enum):
    FACE_DOWN = "face_down"
    ALLOWED = "allowed"


class Clocking(enum.Enum):
    """NONE: no clock. EXTERNAL: the club's own. OURS: this board's, by the control."""

    NONE = "none"
    EXTERNAL = "external"
    OURS = "ours"


@dataclass(frozen=True)
class ClockPlan:
    """How a clock is set before length and score are known: see `control`."""

    mode: DelayMode = DelayMode.SIMPLE
    per: BankPer = BankPer.MATCH
    bank: float = 0.0
    bank_per_point: float = 0.0
    less_per_point_scored: float = 0.0
    delay: float = 0.0
    ladder: Ladder = (Step(Penalty.DIRECTOR),)

    def control(self, length: int, score: Score | None = None) -> TimeControl:
        """The control for a match.

        Raises EventError for a bank by points in a money session: that must name its bank.
        """
        bank = self.bank
        if not bank:
            if not length:
                raise EventError(
                    "clock.bank: a money session must name its bank: this clock makes it from the"
                    " match length"
                )
            scored = max(0, score.white) + max(0, score.black) if score is not None else 0
            bank = max(60.0, self.bank_per_point * length - self.less_per_point_scored * scored)
        return TimeControl(bank, self.delay, self.mode, self.per)


OF_THE_CUBE: Final = (
    "crawford",
    "jacoby",
    "beavers",
    "automatic_doubles",
    "cube_limit",
    "dead_cube",
)
"""Keys of [match] that mean something only where there is a cube."""


@dataclass(frozen=True)
class EventFile:
    """Everything an event chooses.

    Fields are documented, with their defaults, in docs/event-file.md; None means usual practice.
    """

    name: str = ""
    # [match]
    ruleset: str = "backgammon"
    options: tuple[tuple[str, object], ...] = ()
    length: int = 7
    crawford: bool | None = None
    jacoby: bool | None = None
    beavers: bool | None = None
    automatic_doubles: int | None = None
    cube_limit: int | None = None
    dead_cube: DeadCube = DeadCube.ALLOWED
    confirm: bool = False
    # [dice]
    reroll: Reroll = Reroll.BOTH
    on_checker: OnChecker = OnChecker.INVALID
    dice_area: DiceArea = DiceArea.RIGHT_HALF
    premature_roll: PrematureRoll = PrematureRoll.OPPONENT_CHOOSES
    # [play]
    monitor: Monitor = Monitor.BOARD
    illegal_limit: int = 0
    touch_move: bool = False
    release_is_final: bool = False
    slow_turn_s: float = 120.0
    missed_press_s: float = 20.0
    # [clock]
    clock: str = "us-delay"
    clock_mode: DelayMode | None = None
    clock_per: BankPer | None = None
    bank: float | None = None
    delay: float | None = None
    ladder: Ladder | None = None
    at_flag: AtFlag = AtFlag.DIRECTOR
    points_lost: PointsLost = PointsLost.DEDUCTED
    overtime_s: float = 0.0
    late_start: bool = True
    # [director]
    appeal_minutes: float = 5.0
    # [privacy]
    phones: Phones = Phones.FACE_DOWN
    evidence_hours: float | None = None
    crop_to_board: bool = True
    consent: tuple[str, ...] = ()
    # [audience]
    analysis: bool = False
    analysis_delay_s: float = 900.0
    rulesets: Mapping[str, Ruleset] | None = None
    """A club's own rulesets, when they were given with the file."""

    def rules(self) -> Ruleset:
        """The ruleset with its options."""
        known = catalogue() if self.rulesets is None else {**catalogue(), **self.rulesets}
        if self.ruleset not in known:
            raise EventError(
                f"match.ruleset: there is no ruleset {self.ruleset!r}; there are {', '.join(known)}"
            )
        try:
            return varied(known[self.ruleset], dict(self.options))
        except RulesetError as error:
            raise EventError(f"match.options: {error}") from None

    def match_rules(self) -> MatchRules:
        return MatchRules.of(
            self.rules(),
            self.length,
            crawford=self.crawford,
            jacoby=self.jacoby,
            beavers=self.beavers,
            automatic_doubles=self.automatic_doubles,
            cube_limit=self.cube_limit,
            dead_cube=self.dead_cube,
        )

    def without_effect(self) -> tuple[tuple[str, str], ...]:
        """Keys that are chosen and change nothing in the match, each with the reason."""
        ruleset = self.rules()
        found = []
        if not ruleset.has_cube:
            why = f"{ruleset.name} is played without a cube"
            found = [(key, why) for key in OF_THE_CUBE if self._chosen(key)]
        elif self._chosen("crawford") and self.length == 0:
            found = [("crawford", "a money session has no Crawford game")]
        elif self.length == 1:
            why = "one point is all that is played for: no double can be offered"
            found = [(key, why) for key in OF_THE_CUBE if self._chosen(key)]
        return tuple((f"match.{key}", why) for key, why in found)

    def _chosen(self, key: str) -> bool:
        return getattr(self, key) not in (None, DeadCube.ALLOWED)

    @property
    def clocking(self) -> Clocking:
        """A money session plays without a clock unless its file names one with a bank."""
        if self.clock in ("none", "external"):
            return Clocking(self.clock)
        if not self.length and self.bank is None and not clock_plans()[self.clock].bank:
            return Clocking.NONE
        return Clocking.OURS

    def clock_plan(self) -> ClockPlan | None:
        """The preset with what the file changes; None without a clock of ours."""
        if self.clocking is not Clocking.OURS:
            return None
        preset = clock_plans()[self.clock]
        return replace(
            preset,
            mode=self.clock_mode or preset.mode,
            per=self.clock_per or preset.per,
            bank=preset.bank if self.bank is None else self.bank,
            delay=preset.delay if self.delay is None else self.delay,
            ladder=preset.ladder if self.ladder is None else self.ladder,
        )

    def time_control(self, score: Score | None = None) -> TimeControl | None:
        """The clock's control for this match, None without a clock of ours."""
        plan = self.clock_plan()
        return None if plan is None else plan.control(self.length, score)


def parse_ladder(value: object) -> Ladder:
    """`[1, 2, "match"]`: points as numbers, else warning, game, match or director; the last rung
    holds for all further ones.
    """
    if not isinstance(value, list) or not 1 <= len(value) <= 20:
        raise EventError(f'is a list of 1 to 20 rungs, such as [1, 2, "match"]; got {value!r}')
    words = {p.value: p for p in (Penalty.WARNING, Penalty.GAME, Penalty.MATCH, Penalty.DIRECTOR)}
    steps = []
    for item in value:
        if isinstance(item, int) and not isinstance(item, bool) and 1 <= item <= 25:
            steps.append(Step(Penalty.POINTS, item))
        elif isinstance(item, str) and item in words:
            steps.append(Step(words[item]))
        else:
            raise EventError(f"has rungs of 1 to 25 points or {', '.join(words)}; got {item!r}")
    return tuple(steps)


@functools.cache
def clock_plans() -> Mapping[str, ClockPlan]:
    """The clock presets by name."""
    text = resources.files("rules").joinpath("clocks.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    found = {}
    for name, table in tables.items():
        whole = {**tables.get(table.get("inherits"), {}), **table}
        found[name] = ClockPlan(
            DelayMode(whole["mode"]),
            BankPer(whole["per"]),
            float(whole.get("bank", 0)),
            float(whole.get("bank_per_point", 0)),
            float(whole.get("less_per_point_scored", 0)),
            float(whole["delay"]),
            parse_ladder(whole["ladder"]),
        )
    return found
