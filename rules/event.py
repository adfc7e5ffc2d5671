"""The event file: what an organiser chooses, with a default for everything. `docs/event-file.md`
lists every key.

`EventFile` is the value, `KEYS` the one table of what may be written; `load_event` reads a TOML
text and refuses what is not in the table.
"""

from __future__ import annotations

import enum
import functools
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from importlib import resources
from typing import Any, Final, TypeVar

from rules.axes import RulesetError
from rules.clock import BankPer, DelayMode, TimeControl
from rules.conduct import AtFlag, Ladder, Monitor, Penalty, PointsLost, PrematureRoll, Step
from rules.lines import line_of
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


class DicePairs(enum.Enum):
    ANY = "any"
    SHARED = "shared"
    EACH = "each"


class Phones(enum.Enum):
    FACE_DOWN = "face_down"
    ALLOWED = "allowed"


class Committee(enum.Enum):
    CHIEF = "chief"
    THREE = "three"
    FIVE = "five"


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
    # [dice]
    reroll: Reroll = Reroll.BOTH
    on_checker: OnChecker = OnChecker.INVALID
    dice_area: DiceArea = DiceArea.RIGHT_HALF
    pairs: DicePairs = DicePairs.ANY
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
    committee: Committee = Committee.CHIEF
    # [privacy]
    phones: Phones = Phones.FACE_DOWN
    evidence_hours: float = 72.0
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
        changes: dict[str, Any] = {
            "mode": self.clock_mode,
            "per": self.clock_per,
            "delay": self.delay,
            "ladder": self.ladder,
        }
        plan = replace(
            clock_plans()[self.clock], **{k: v for k, v in changes.items() if v is not None}
        )
        return plan if self.bank is None else replace(plan, bank=self.bank)

    def time_control(self, score: Score | None = None) -> TimeControl | None:
        """The clock's control for this match, None without a clock of ours."""
        plan = self.clock_plan()
        return None if plan is None else plan.control(self.length, score)


# What may be written.

E_ = TypeVar("E_", bound=enum.Enum)


def _choice(kind: type[E_]) -> Callable[[object], E_]:
    def parse(value: object) -> E_:
        try:
            return kind(value)
        except ValueError:
            raise EventError(
                f"is one of {', '.join(str(v.value) for v in kind)}; got {value!r}"
            ) from None

    return parse


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise EventError(f"is true or false; got {value!r}")
    return value


def _whole(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise EventError(f"is a whole number from {low} to {high}; got {value!r}")
        return value

    return parse


def _seconds(low: float, high: float) -> Callable[[object], float]:
    def parse(value: object) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high
        ):
            raise EventError(f"is a number from {low:g} to {high:g}; got {value!r}")
        return float(value)

    return parse


def _power(value: object) -> int:
    number = _whole(2, 1 << 20)(value)
    if number & (number - 1):
        raise EventError(f"is a power of two; got {value!r}")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise EventError(f"is a text of at most 200 letters; got {value!r}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 1000:
        raise EventError(f"is a list of texts; got {value!r}")
    return tuple(_text(item) for item in value)


def _options(value: object) -> tuple[tuple[str, object], ...]:
    if not isinstance(value, dict):
        raise EventError(
            f'is a table of ruleset axes, such as {{bearoff = "exact"}}; got {value!r}'
        )
    return tuple(value.items())


def _clock(value: object) -> str:
    names = ("none", "external", *clock_plans())
    if value not in names:
        raise EventError(f"is one of {', '.join(names)}; got {value!r}")
    return str(value)


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


@dataclass(frozen=True)
class Key:
    """One thing an event file may say: the field it fills and how. `parse` raises EventError."""

    field: str
    parse: Callable[[object], Any]


KEYS: Final[Mapping[str, Key]] = {
    "name": Key("name", _text),
    "match.ruleset": Key("ruleset", _text),
    "match.options": Key("options", _options),
    "match.length": Key("length", _whole(0, 999)),
    "match.crawford": Key("crawford", _flag),
    "match.jacoby": Key("jacoby", _flag),
    "match.beavers": Key("beavers", _flag),
    "match.automatic_doubles": Key("automatic_doubles", _whole(0, 10)),
    "match.cube_limit": Key("cube_limit", _power),
    "match.dead_cube": Key("dead_cube", _choice(DeadCube)),
    "dice.reroll": Key("reroll", _choice(Reroll)),
    "dice.on_checker": Key("on_checker", _choice(OnChecker)),
    "dice.dice_area": Key("dice_area", _choice(DiceArea)),
    "dice.pairs": Key("pairs", _choice(DicePairs)),
    "dice.premature_roll": Key("premature_roll", _choice(PrematureRoll)),
    "play.monitor": Key("monitor", _choice(Monitor)),
    "play.illegal_limit": Key("illegal_limit", _whole(0, 100)),
    "play.touch_move": Key("touch_move", _flag),
    "play.release_is_final": Key("release_is_final", _flag),
    "play.slow_turn_s": Key("slow_turn_s", _seconds(0, 3600)),
    "play.missed_press_s": Key("missed_press_s", _seconds(0, 3600)),
    "clock.preset": Key("clock", _clock),
    "clock.mode": Key("clock_mode", _choice(DelayMode)),
    "clock.per": Key("clock_per", _choice(BankPer)),
    "clock.bank": Key("bank", _seconds(1, 86_400)),
    "clock.delay": Key("delay", _seconds(0, 3600)),
    "clock.ladder": Key("ladder", parse_ladder),
    "clock.at_flag": Key("at_flag", _choice(AtFlag)),
    "clock.points_lost": Key("points_lost", _choice(PointsLost)),
    "clock.overtime_s": Key("overtime_s", _seconds(0, 600)),
    "clock.late_start": Key("late_start", _flag),
    "director.appeal_minutes": Key("appeal_minutes", _seconds(0, 60)),
    "director.committee": Key("committee", _choice(Committee)),
    "privacy.phones": Key("phones", _choice(Phones)),
    "privacy.evidence_hours": Key("evidence_hours", _seconds(0, 24 * 366)),
    "privacy.crop_to_board": Key("crop_to_board", _flag),
    "privacy.consent": Key("consent", _texts),
    "audience.analysis": Key("analysis", _flag),
    "audience.analysis_delay_s": Key("analysis_delay_s", _seconds(60, 86_400)),
}
SECTIONS: Final = tuple(dict.fromkeys(key.split(".")[0] for key in KEYS if "." in key))
_DEFAULTS: Final = {f.name: f.default for f in fields(EventFile) if f.default is not MISSING}


def default(key: str) -> object:
    """The default of a key, as it would be written; None is usual practice."""
    value = _DEFAULTS[KEYS[key].field]
    return (
        value.value
        if isinstance(value, enum.Enum)
        else list(value)
        if isinstance(value, tuple)
        else value
    )


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


def load_event(text: str, source: str, rulesets: Mapping[str, Ruleset] | None = None) -> EventFile:
    """The event of a TOML text. `rulesets` are a club's own, beside the catalogue's.

    Raises EventError naming `source`, section and line: syntax, an unknown key, a value out of
    range, options that the ruleset refuses, a money session whose clock has no bank.
    """
    if len(text) > 200_000:
        raise EventError(f"{source}: {len(text)} characters are no event file; 200000 at most")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EventError(f"{source}: not TOML: {error}") from None
    chosen: dict[str, Any] = {"rulesets": rulesets}
    for section, table in tables.items():
        written = (
            {section: table}
            if section == "name" or not isinstance(table, dict)
            else {f"{section}.{k}": v for k, v in table.items()}
        )
        if isinstance(table, dict) and section not in SECTIONS:
            raise EventError(
                f"{source}: [{section}], line {line_of(text, section)}: the sections are"
                f" {', '.join(SECTIONS)}"
            )
        for key, value in written.items():
            where = f"{source}: line {line_of(text, *key.split('.'))}: "
            if key not in KEYS:
                near = [k for k in KEYS if k.startswith(f"{section}.")] or [
                    "name",
                    *(f"[{s}]" for s in SECTIONS),
                ]
                raise EventError(f"{where}{key} is no key; here are {', '.join(near)}")
            try:
                chosen[KEYS[key].field] = KEYS[key].parse(value)
            except EventError as error:
                raise EventError(f"{where}{key} {error}") from None
    event = EventFile(**chosen)
    for key, probe in (("match.ruleset", event.match_rules), ("clock.preset", event.time_control)):
        try:
            probe()
        except ValueError as error:
            raise EventError(f"{source}: line {line_of(text, *key.split('.'))}: {error}") from None
    if (
        "bank" not in chosen
        and "clock" in chosen
        and event.clock not in ("none", "external")
        and event.clocking is Clocking.NONE
    ):
        raise EventError(
            f"{source}: line {line_of(text, 'clock', 'preset')}: a money session must name its"
            " bank: set clock.bank in seconds"
        )
    return event
