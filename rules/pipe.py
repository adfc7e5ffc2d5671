"""The pipe: one JSON line in, one JSON line out.

`reply_to` turns a line into its reply and never raises for what a line may hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Final, TypedDict

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


@dataclass(frozen=True, slots=True)
class PipeRequest:
    """What a line asks about, as it came: whoever reads a field checks it; None = not said."""

    ruleset: object = None
    options: object = None
    pts: object = None
    bar: object = None
    off: object = None
    obar: object = None
    ooff: object = None
    first_turn: object = None
    dice: object = None
    after: object = None
    depth: object = None


class PipeReply(TypedDict, total=False):
    """What a line is answered with: the fields of one command, or `error` alone."""

    error: str
    successors: list[View]
    play: str
    rolls: dict[str, str]
    infraction: str
    why: dict[str, str]
    nearest: list[str]
    count: int
    split: Mapping[str, int]


def reply_to(command: str, line: bytes) -> str:
    """The reply to one line: a JSON object, `{"error": ...}` when it cannot be answered.

    Raises KeyError for no command of ours.
    """
    act = COMMANDS[command]
    try:
        if len(line) > LONGEST_LINE:
            raise RequestError(f"a line has at most {LONGEST_LINE} bytes")
        given = json.loads(line.decode("utf-8-sig"))
        if not isinstance(given, dict):
            raise RequestError(f"a request is a JSON object; got {type(given).__name__}")
        reply = act(PipeRequest(**{f.name: given.get(f.name) for f in fields(PipeRequest)}))
    except (ValueError, RecursionError) as error:
        reply = {"error": _short(str(error))}
    return json.dumps(reply)


def _short(text: str) -> str:
    return text if len(text) <= 400 else text[:400] + "..."


def _number(key: str, value: object, default: int) -> int:
    if value is None:
        return default
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


def _ruleset(request: PipeRequest) -> Ruleset:
    name, options = request.ruleset, request.options
    if not isinstance(name, str):
        raise RequestError('ruleset is missing: say which, such as "backgammon"')
    if options is None:
        return ruleset(name)
    if not isinstance(options, dict):
        raise RequestError(f"options is an object of axis to value; got {type(options).__name__}")
    return ruleset(name, {axis: value for axis, value in options.items() if value is not None})


def _position(request: PipeRequest) -> Position:
    rules = _ruleset(request)
    first_turn = False if request.first_turn is None else request.first_turn
    if not isinstance(first_turn, bool):
        raise RequestError(f"first_turn is true or false; got {_short(repr(first_turn))}")
    pts = _numbers(request.pts, 24, "pts")
    bar, off = _number("bar", request.bar, 0), _number("off", request.off, 0)
    obar, ooff = _number("obar", request.obar, 0), _number("ooff", request.ooff, 0)
    return Position(rules, Side.WHITE, (*pts, bar, off, obar, ooff), first_turn)


def _roll(request: PipeRequest) -> Roll:
    dice = _numbers(request.dice, 2, "dice")
    return Roll.of(*dice)


def _successors(request: PipeRequest) -> PipeReply:
    return {"successors": sorted(plays(_position(request), _roll(request)).results)}


def _judge(request: PipeRequest) -> PipeReply:
    """Without dice: the rolls that explain the change."""
    position = _position(request)
    after_view: View = _numbers(request.after, 28, "after")
    after = placement_of(after_view, position.ruleset.facing, position.side)
    roll = _roll(request) if request.dice is not None else None
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


def _perft(request: PipeRequest) -> PipeReply:
    """Counts by roll; without pts from the start."""
    depth = _number("depth", request.depth, 1)
    if not 1 <= depth <= DEEPEST_PERFT:
        raise RequestError(f"depth is 1 to {DEEPEST_PERFT}; got {depth}")
    position = (
        Position.start(_ruleset(request), Side.WHITE) if request.pts is None else _position(request)
    )
    roll = _roll(request) if request.dice is not None else None
    counts = split(position, depth, roll, request.pts is None)
    return {"count": sum(counts.values()), "split": counts}


COMMANDS: Final[Mapping[str, Callable[[PipeRequest], PipeReply]]] = {
    "successors": _successors,
    "judge": _judge,
    "perft": _perft,
}
