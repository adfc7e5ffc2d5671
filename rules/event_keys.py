"""The event file: the one table of what may be written, `KEYS`; `load_event` reads a TOML text and
refuses what is not in the table.
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Final, TypeVar

from rules.clock import BankPer, DelayMode
from rules.conduct import AtFlag, Monitor, PointsLost, PrematureRoll
from rules.event import (
    Clocking,
    DiceArea,
    EventError,
    EventFile,
    OnChecker,
    Phones,
    Reroll,
    clock_plans,
    parse_ladder,
)
from rules.filled import filled
from rules.lines import line_of
from rules.match import DeadCube
from rules.ruleset import Ruleset
from rules.text_limits import too_much
from rules.words import printable

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
    if not isinstance(value, str) or len(value) > 200 or not printable(value):
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


@dataclass(frozen=True)
class Key:
    """One thing an event file may say: the field it fills and how. `parse` raises EventError."""

    field: str
    parse: Callable[[object], object]


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
    "match.confirm": Key("confirm", _flag),
    "dice.reroll": Key("reroll", _choice(Reroll)),
    "dice.on_checker": Key("on_checker", _choice(OnChecker)),
    "dice.dice_area": Key("dice_area", _choice(DiceArea)),
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
    "privacy.phones": Key("phones", _choice(Phones)),
    "privacy.evidence_hours": Key("evidence_hours", _seconds(0, 24 * 366)),
    "privacy.crop_to_board": Key("crop_to_board", _flag),
    "privacy.consent": Key("consent", _texts),
    "audience.analysis": Key("analysis", _flag),
    "audience.analysis_delay_s": Key("analysis_delay_s", _seconds(60, 86_400)),
}
GONE: Final = frozenset({"dice.pairs", "director.committee"})
"""Keys of older event files that never changed anything: still read, and passed over."""
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


def _no_section(table: Mapping[str, object]) -> str:
    """What to do about a section that is none: where its keys belong, as far as they are known."""
    places = {key.rpartition(".")[2]: key.rpartition(".")[0] for key in KEYS}
    homes = [
        f"{name} stands {f'under [{places[name]}]' if places[name] else 'before any section'}"
        for name in table
        if name in places
    ]
    return "; ".join([f"the sections are {', '.join(SECTIONS)}", *homes])


def load_event(text: str, source: str, rulesets: Mapping[str, Ruleset] | None = None) -> EventFile:
    """The event of a TOML text. `rulesets` are a club's own, beside the catalogue's.

    Raises EventError naming `source`, section and line: syntax, an unknown key, a value out of
    range, options that the ruleset refuses, a money session whose clock has no bank.
    """
    if why := too_much(text):
        raise EventError(f"{source}: this is no event file: {why}")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EventError(f"{source}: not TOML: {error}") from None
    chosen: dict[str, object] = {"rulesets": rulesets}
    for section, table in tables.items():
        written = (
            {section: table}
            if section == "name" or not isinstance(table, dict)
            else {f"{section}.{k}": v for k, v in table.items()}
        )
        if isinstance(table, dict) and section not in SECTIONS:
            raise EventError(
                f"{source}: [{section}], line {line_of(text, section)}: {_no_section(table)}"
            )
        for key, value in written.items():
            where = f"{source}: line {line_of(text, *key.split('.'))}: "
            if key in GONE:
                continue
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
    event = filled(EventFile, chosen)
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
