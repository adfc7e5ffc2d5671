"""The JSON form: everything a record holds, every ruleset and option; it reads back equal."""

from __future__ import annotations

import enum
import functools
import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Final, TypeVar

from rules.axes import AXES, SHORT, TABLES, RulesetError
from rules.board import Placement, Side
from rules.cube import Cube
from rules.dice import Roll
from rules.filled import filled
from rules.game import Action, ActionError, Played
from rules.match import DeadCube, MatchRules
from rules.notation.errors import LONGEST, MOST_ACTIONS, NotationError
from rules.notation.record import TOO_BROAD, Breadth, MatchRecord
from rules.ruleset import Ruleset, make

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
FORMAT: Final = "takhte-match"
VERSION: Final = 1


def _words(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


ACTIONS: Final[Mapping[str, type[Action]]] = {
    _words(kind.__name__): kind for kind in typing.get_args(Action)
}


def write_json(record: MatchRecord) -> str:
    """One JSON object, an action a line."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "ruleset": write_ruleset(record.rules.ruleset),
        "match": {
            f.name: _plain(getattr(record.rules, f.name))
            for f in fields(MatchRules)
            if f.name != "ruleset"
        },
        "names": {side.value: record.names[side] for side in Side},
        "tags": [list(tag) for tag in record.tags],
    }
    lines = [json.dumps(write_action(action), ensure_ascii=False) for action in record.actions]
    body = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
    return body + ',\n "actions": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def write_action(action: Action) -> Mapping[str, object]:
    """`{"do": "rolled", "side": "white", "roll": [3, 1]}`; what has its default is left out."""
    said = {"do": _words(type(action).__name__)}
    return said | {
        f.name: _plain(getattr(action, f.name))
        for f in fields(action)
        if getattr(action, f.name) != f.default
    }


def write_ruleset(ruleset: Ruleset) -> Mapping[str, object]:
    """Name and every axis in full, so that a club's ruleset can be read where its file is not."""
    written = {
        key: _written(key, getattr(ruleset, axis.field))
        for key, axis in AXES.items()
        if key not in SHORT and key != "starts"
    }
    return {"name": ruleset.name, **written}


def _written(key: str, value: object) -> object:
    """The value of an axis, as `make` reads it."""
    if key in TABLES and isinstance(value, tuple):
        return {str(k.value if isinstance(k, enum.Enum) else k): v for k, v in value}
    return "off" if value == 0 and not isinstance(value, bool) else _plain(value)


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Roll):
        return [value.high, value.low]
    if isinstance(value, Placement):
        return {"white": list(value.white), "black": list(value.black)}
    if isinstance(value, Cube):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(Cube)}
    return list(value) if isinstance(value, tuple) else value


def read_json(text: str, *, until_trouble: bool = False) -> MatchRecord:
    """The record of a JSON text.

    Raises NotationError for what is no record of ours or cannot have happened, with the place where
    the JSON itself is wrong; with `until_trouble` what can have happened is kept, and the last
    remark says what could not.
    """
    if len(text) > LONGEST:
        raise NotationError(f"{len(text)} characters are no match; {LONGEST} at most")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotationError(f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except (RecursionError, ValueError) as error:
        raise NotationError(f"not JSON: {str(error)[:200]}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NotationError(f'not a match of ours: "format" is not "{FORMAT}"')
    if data.get("version") != VERSION:
        raise NotationError(
            f"version {data.get('version')!r} of the format; this reads version {VERSION}"
        )
    try:
        rules = _match_rules(data)
        names = {
            side: _text(_table(data.get("names")).get(side.value, side.value)) for side in Side
        }
        tags = tuple((_text(k), _text(v)) for k, v in data.get("tags", []))
        listed = data.get("actions")
        if not isinstance(listed, list) or len(listed) > MOST_ACTIONS:
            raise ValueError(f"actions is a list of at most {MOST_ACTIONS}")
        actions = tuple(_numbered(number, item) for number, item in enumerate(listed, start=1))
    except NotationError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise NotationError(f"not a record: {str(error)[:200]}") from None
    return _that_replays(MatchRecord(rules, names, actions, tags), until_trouble)


def _that_replays(record: MatchRecord, until_trouble: bool) -> MatchRecord:
    done, breadth = 0, Breadth()
    try:
        for before, action, _ in record.replay():
            if isinstance(action, Played) and not breadth.add(before.game):
                raise NotationError(f"action {done + 1}: {TOO_BROAD}")
            done += 1
    except NotationError as error:
        if not until_trouble:
            raise
        remark = f"read up to here only: {error}"
        return replace(record, actions=record.actions[:done], remarks=(*record.remarks, remark))
    return record


def _numbered(number: int, item: object) -> Action:
    try:
        return read_action(item)
    except (ValueError, TypeError, KeyError) as error:
        raise NotationError(f"action {number}: {str(error)[:200]}") from None


def _match_rules(data: Mapping[str, object]) -> MatchRules:
    said = data.get("ruleset")
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise ValueError("ruleset is missing, or has no name")
    name = said["name"]
    said = {axis: value for axis, value in said.items() if axis != "name"}
    try:
        ruleset = make(name, said)
    except RulesetError as error:
        raise ValueError(f"ruleset: {error}") from None
    match = dict(_table(data.get("match")))
    return _made(MatchRules, {"ruleset": ruleset, **match})


def read_action(item: object) -> Action:
    """The action of a JSON object. Raises ValueError or TypeError."""
    said = dict(_table(item))
    kind = ACTIONS.get(str(said.pop("do", None)))
    if kind is None:
        raise ValueError(f"there is no such action; there are {', '.join(ACTIONS)}")
    return _made(kind, said)


def _made(kind: type[T], said: Mapping[str, object]) -> T:
    hints, known = _hints(kind), {f.name: f for f in fields(kind)}
    for key in said:
        if key not in known:
            raise ValueError(f"{kind.__name__} has no {key!r}; it has {', '.join(known)}")
    missing = [
        n
        for n, f in known.items()
        if n not in said and f.default is MISSING and f.default_factory is MISSING
    ]
    if missing:
        raise ValueError(f"{kind.__name__} needs {', '.join(missing)}")
    try:
        return filled(kind, {key: _typed(hints[key], value) for key, value in said.items()})
    except ActionError as error:
        raise ValueError(str(error)) from None


@functools.cache
def _hints(kind: type) -> Mapping[str, object]:
    """The type of each field, worked out once."""
    return typing.get_type_hints(kind)


def _typed(hint: object, value: object) -> object:
    """A plain value as the type that a field wants. Raises ValueError."""
    if isinstance(hint, types.UnionType):
        inner = [arg for arg in typing.get_args(hint) if arg is not types.NoneType]
        return None if value is None else _typed(inner[0], value)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list) or len(value) > 4:
            raise ValueError(f"a short list was expected, got {str(value)[:80]}")
        return tuple(_whole(item) for item in value)
    if hint is Ruleset:
        return value
    if hint is Roll:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"two dice were expected, got {str(value)[:80]}")
        return Roll(_whole(value[0]), _whole(value[1]))
    if hint is Placement:
        table = _table(value)
        return Placement(*(_counts(table[side]) for side in ("white", "black")))
    if hint is Cube:
        return _made(Cube, _table(value))
    if hint is Side:
        return Side(value)
    if hint is DeadCube:
        return DeadCube(value)
    if hint is int:
        return _whole(value)
    if type(value) is not hint:
        raise ValueError(f"{getattr(hint, '__name__', hint)} was expected, got {str(value)[:80]!r}")
    return _text(value) if hint is str else value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"int was expected, got {str(value)[:80]!r}")
    return value


def _counts(value: object) -> tuple[int, ...]:
    if (
        not isinstance(value, list)
        or len(value) != 26
        or not all(type(n) is int and -99 <= n <= 99 for n in value)
    ):
        raise ValueError(
            "a side's counts are 26 whole numbers: off, points 1-24 in White's numbering, bar"
        )
    return tuple(value)


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"an object was expected, got {str(value)[:80]}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 1000:
        raise ValueError("a text of at most 1000 letters was expected")
    return value
