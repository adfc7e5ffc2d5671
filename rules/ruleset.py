"""Rulesets as data: the catalogue, and a club's own file. What each axis may say is in
`rules.axes`.

Data chooses among rules, code is the rules: each axis is one enum or number here and one small
function where it is played by. No code anywhere asks for a ruleset's name.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import resources

from rules import axes
from rules.axes import AXES, TABLES, Points, RulesetError
from rules.filled import filled
from rules.lines import line_of
from rules.words import SOURCE, languages


@dataclass(frozen=True)
class Ruleset:
    """One ruleset: a field an axis. Made by `ruleset()` or `load()`, which check it; equality is
    structural.

    `start` lists (own point, checkers), highest first. `head_limit`, `prime_length` and
    `cube_limit` of 0 mean no such rule.
    """

    name: str
    start: Points
    facing: axes.Facing = axes.Facing.MIRROR
    landing: axes.Landing = axes.Landing.HIT
    entry: axes.EntryRule = axes.EntryRule.OPEN
    contact: axes.Contact = axes.Contact.EACH_DIE
    doubles: int = 4
    higher_die: bool = True
    bearoff: axes.Bearoff = axes.Bearoff.STANDARD
    mandatory_hit: bool = False
    head_limit: int = 0
    head_first_turn: axes.HeadFirstTurn = axes.HeadFirstTurn.ANY
    prime_length: int = 0
    prime_needs_opponent_ahead: int = 1
    prime_checked: axes.PrimeChecked = axes.PrimeChecked.EACH_STEP
    first_move_triple: axes.FirstMoveTriple = axes.FirstMoveTriple.ALLOWED
    opening: axes.Opening = axes.Opening.PLAY_THE_DICE
    shish_besh: axes.ShishBesh = axes.ShishBesh.OFF
    next_start: axes.NextStart = axes.NextStart.ROLL
    last_roll: axes.LastRoll = axes.LastRoll.OFF
    wins: tuple[tuple[axes.Win, int], ...] = ((axes.Win.SINGLE, 1),)
    aziz: int = 0
    stakes: axes.Stakes = axes.Stakes.TALLY
    cube_limit: int = 0
    title: tuple[tuple[str, str], ...] = ()
    starts: tuple[tuple[str, Points], ...] = field(default=(), repr=False, compare=False)

    def __hash__(self) -> int:
        """Of the name alone: positions are looked up by the thousand, and rulesets are few."""
        return hash(self.name)

    @functools.cached_property
    def checkers(self) -> int:
        """Checkers of one side."""
        return sum(count for _, count in self.start)

    @functools.cached_property
    def head(self) -> int:
        """The point that `head_limit` guards: the start's highest."""
        return self.start[0][0]

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether a single move asks for nothing beyond landing, bar first and bearing off."""
        return (
            self.entry is axes.EntryRule.OPEN
            and self.contact is axes.Contact.EACH_DIE
            and not self.head_limit
            and not self.prime_length
        )

    @property
    def has_cube(self) -> bool:
        return self.cube_limit > 0

    def titled(self, lang: str) -> str:
        """The title in a language: the ruleset's own, else its English one translated, else its
        name.
        """
        own, language = dict(self.title), languages().get(lang)
        english = own.get(SOURCE, "")
        return own.get(lang) or (language.say(english) if language else english) or self.name

    def titles(self) -> dict[str, str]:
        """The title in every language that there is, and in those that only the ruleset has."""
        return {**{lang: self.titled(lang) for lang in languages()}, **dict(self.title)}


def _flat(table: Mapping[str, object]) -> dict[str, object]:
    """Groups as dotted names."""
    found: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and key not in TABLES:
            found |= {f"{key}.{inner}": v for inner, v in value.items()} or {key: value}
        else:
            found[key] = value
    return found


def _with(base: Ruleset, options: Mapping[str, object]) -> Ruleset:
    """`base` with axes set; raises RulesetError naming the axis."""
    chosen: dict[str, object] = {}
    set_by: dict[str, str] = {}
    named_starts, start_name = dict(base.starts), ""
    for key, value in _flat(options).items():
        if key in named_starts and value in (True, "true", "on"):
            # A named start may be chosen by its name alone.
            start_name, set_by["start"] = key, key
            continue
        if key not in AXES:
            raise RulesetError(f"{key} is no axis; the axes are {', '.join(AXES)}")
        axis = AXES[key]
        if axis.field in set_by:
            raise RulesetError(f"{key} and {set_by[axis.field]} say the same thing; keep one")
        set_by[axis.field] = key
        if key == "start" and isinstance(value, str):
            start_name = value
            continue
        try:
            chosen[axis.field] = axis.parse(value)
        except RulesetError as error:
            raise RulesetError(f"{key} {error}") from None
    kept = {f.name: getattr(base, f.name) for f in fields(base)}
    if chosen.get("shish_besh") is axes.ShishBesh.STARTS:
        # Nobody throws a 6-5 with one die.
        chosen.setdefault("opening", axes.Opening.TWO_DICE_EACH)
    made = filled(Ruleset, kept | chosen)
    if "start" in set_by and "start" not in chosen:
        named = dict(made.starts)
        if start_name not in named:
            raise RulesetError(
                f"start {start_name!r} is none of the starts named here"
                f" ({', '.join(named) or 'none'})"
            )
        made = replace(made, start=named[start_name])
    _check(made)
    return made


def opposite(facing: axes.Facing, point: int) -> int:
    """The opponent's number of my point 1-24; its own inverse."""
    return 25 - point if facing is axes.Facing.MIRROR else (point + 11) % 24 + 1


def _check(made: Ruleset) -> None:
    """What no axis can see alone. Raises RulesetError."""
    if not made.start:
        raise RulesetError(
            "start is missing: say where the checkers stand, such as {24 = 15}, or inherit"
        )
    if made.shish_besh is axes.ShishBesh.STARTS and made.opening is not axes.Opening.TWO_DICE_EACH:
        raise RulesetError(
            f'shish_besh needs opening = "two_dice_each", since nobody throws a 6-5 with one die;'
            f" got {made.opening.value}"
        )
    mine = {point for point, _ in made.start}
    shared = sorted(p for p in mine if opposite(made.facing, p) in mine)
    if shared:
        raise RulesetError(f"start is impossible: both sides would stand on point {shared[0]}")


_BLANK = Ruleset("", ())


def load_rulesets(
    text: str, source: str, known: Mapping[str, Ruleset] | None = None
) -> Mapping[str, Ruleset]:
    """The rulesets of one TOML text, a section each; `known` are the ones it may inherit from (the
    catalogue unless given).

    Raises RulesetError naming `source`, section and line: syntax, unknown key or parent, a cycle, a
    value out of range, an impossible start.
    """
    if len(text) > 200_000:
        raise RulesetError(f"{source}: {len(text)} characters are no ruleset file; 200000 at most")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RulesetError(f"{source}: not TOML: {error}") from None
    parents = dict(catalogue() if known is None else known)
    made: dict[str, Ruleset] = {}

    def make(name: str, trail: tuple[str, ...]) -> Ruleset:
        if name in made:
            return made[name]
        if name not in tables:
            if name in parents:
                return parents[name]
            raise _fault(
                trail[-1],
                "inherits",
                f"there is no ruleset {name!r}; there are {', '.join(sorted({*parents, *tables}))}",
            )
        if name in trail:
            raise _fault(
                trail[-1],
                "inherits",
                f"inheritance goes in a circle: {' -> '.join((*trail[trail.index(name) :], name))}",
            )
        table = tables[name]
        if not isinstance(table, dict):
            raise RulesetError(
                f"{source}: line {line_of(text, name)}: {name} is outside any section; start with"
                " [name-of-ruleset]"
            )
        own = {k: v for k, v in table.items() if k != "inherits"}
        parent = table.get("inherits")
        if parent is not None and not isinstance(parent, str):
            raise _fault(name, "inherits", f"inherits is the name of a ruleset; got {parent!r}")
        # A section of a built-in's name may inherit from that built-in: a club's own backgammon.
        if parent == name and name in parents:
            base = parents[name]
        elif parent is None:
            base = _BLANK
        else:
            base = make(parent, (*trail, name))
        if len(name) > 60:
            raise RulesetError(f"{source}: section names have at most 60 letters")
        try:
            made[name] = _with(replace(base, name=name), own)
        except RulesetError as error:
            raise _fault(name, str(error).split(" ", 1)[0], str(error)) from None
        return made[name]

    def _fault(section: str, key: str, what: str) -> RulesetError:
        return RulesetError(
            f"{source}: [{section}], line {line_of(text, section, *key.split('.'))}: {what}"
        )

    if len(tables) > 200:
        raise RulesetError(f"{source}: {len(tables)} sections; 200 at most")
    for name in tables:
        make(name, ())
    return made


@functools.cache
def catalogue() -> Mapping[str, Ruleset]:
    """The rulesets that come with takhte, by name."""
    text = resources.files("rules").joinpath("rulesets.toml").read_text(encoding="utf-8")
    return load_rulesets(text, "rulesets.toml", {})


def ruleset(name: str, options: Mapping[str, object] | None = None) -> Ruleset:
    """A ruleset of the catalogue with options by dotted axis name: `ruleset("narde",
    {"head.first_turn": "33_44_66"})`.

    Raises RulesetError for an unknown name, axis or value.
    """
    if name not in catalogue():
        raise RulesetError(f"there is no ruleset {name!r}; there are {', '.join(catalogue())}")
    return varied(catalogue()[name], options or {})


def make(name: str, axes: Mapping[str, object]) -> Ruleset:
    """A ruleset from nothing but its axes, checked like one of a file. Raises RulesetError."""
    return _with(replace(_BLANK, name=name), axes)


def varied(base: Ruleset, options: Mapping[str, object]) -> Ruleset:
    """A ruleset, of whatever origin, with options by dotted axis name. Raises RulesetError."""
    return _with(base, options) if options else base
