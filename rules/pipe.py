"""The pipe: one JSON line in, one JSON line out.

`reply_to` turns a line into its reply and never raises for what a line may hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from rules.board import Side
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge, rolls_explaining
from rules.perft import split
from rules.play import plays
from rules.position import Position, View, placement_of
from rules.ruleset import Ruleset, ruleset
from rules.words import language_codes

LONGEST_LINE: Final = 100_000
"""Bytes of one request; a position needs about 300."""
DEEPEST_PERFT: Final = 2


class RequestError(ValueError):
    """A request that cannot be answered: what was expected and what came."""


def reply_to(command: str, line: bytes) -> str:
    """The reply to one line: a JSON object, `{"error": ...}` when it cannot be answered.

    Raises KeyError for no command of ours.
    """
    act = COMMANDS[command]
    try:
        if len(line) > LONGEST_LINE:
            raise RequestError(f"a line has at most {LONGEST_LINE} bytes")
        request = json.loads(line.decode("utf-8-sig"))
        if not isinstance(request, dict):
            raise RequestError(f"a request is a JSON object; got {type(request).__name__}")
        reply = act({key: value for key, value in request.items() if value is not None})
    except (ValueError, RecursionError) as error:
        reply = {"error": _short(str(error))}
    return json.dumps(reply)


def _short(text: str) -> str:
    return text if len(text) <= 400 else text[:400] + "..."


def _number(request: Mapping[str, object], key: str, default: int) -> int:
    value = request.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
        raise RequestError(f"{key} is a whole number from 0 to 100; got {_short(repr(value))}")
    return value


def _numbers(value: object, count: int, what: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != count:
        raise RequestError(f"{what} is a list of {count} whole numbers; got {_short(repr(value))}")
    for n in value:
        if isinstance(n, bool) or not isinstance(n, int) or not -100 <= n <= 100:
            raise RequestError(
                f"{what} is a list of {count} whole numbers; one of them is {_short(repr(n))}"
            )
    return tuple(value)


def _ruleset(request: Mapping[str, object]) -> Ruleset:
    name, options = request.get("ruleset"), request.get("options", {})
    if not isinstance(name, str):
        raise RequestError('ruleset is missing: say which, such as "backgammon"')
    if not isinstance(options, dict):
        raise RequestError(f"options is an object of axis to value; got {type(options).__name__}")
    return ruleset(name, {axis: value for axis, value in options.items() if value is not None})


def _position(request: Mapping[str, object]) -> Position:
    rules = _ruleset(request)
    first_turn = request.get("first_turn", False)
    if not isinstance(first_turn, bool):
        raise RequestError(f"first_turn is true or false; got {_short(repr(first_turn))}")
    pts = _numbers(request.get("pts"), 24, "pts")
    rest = tuple(_number(request, key, 0) for key in ("bar", "off", "obar", "ooff"))
    return Position(rules, Side.WHITE, (*pts, *rest), first_turn)


def _roll(request: Mapping[str, object]) -> Roll:
    dice = _numbers(request.get("dice"), 2, "dice")
    return Roll.of(*dice)


def _successors(request: Mapping[str, object]) -> Mapping[str, object]:
    return {"successors": sorted(plays(_position(request), _roll(request)).results)}


def _judge(request: Mapping[str, object]) -> Mapping[str, object]:
    """Without dice: the rolls that explain the change."""
    position = _position(request)
    after_view: View = _numbers(request.get("after"), 28, "after")
    after = placement_of(after_view, position.ruleset.facing, position.side)
    roll = _roll(request) if "dice" in request else None
    verdict = judge(position, roll, after)
    if isinstance(verdict, Infraction):
        why = {lang: verdict.why(lang) for lang in language_codes()}
        return {
            "infraction": verdict.code.value,
            "why": why,
            "nearest": [str(play) for play in verdict.nearest],
        }
    if roll is not None:
        return {"play": str(verdict)}
    rolls = {str(thrown): str(play) for thrown, play in rolls_explaining(position, after)}
    return {"play": str(verdict), "rolls": rolls}


def _perft(request: Mapping[str, object]) -> Mapping[str, object]:
    """Counts by roll; without pts from the start."""
    depth = _number(request, "depth", 1)
    if not 1 <= depth <= DEEPEST_PERFT:
        raise RequestError(f"depth is 1 to {DEEPEST_PERFT}; got {depth}")
    position = (
        _position(request) if "pts" in request else Position.start(_ruleset(request), Side.WHITE)
    )
    counts = split(
        position, depth, _roll(request) if "dice" in request else None, "pts" not in request
    )
    return {"count": sum(counts.values()), "split": counts}


COMMANDS: Final[Mapping[str, Callable[[Mapping[str, object]], Mapping[str, object]]]] = {
    "successors": _successors,
    "judge": _judge,
    "perft": _perft,
}
