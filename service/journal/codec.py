"""Frozen dataclasses to plain JSON and back, by their annotations; canonical bytes.

Knows the values an entry is made of: numbers, strings, tuples, mappings of plain JSON, enums by
value, dataclasses by field, and three of `rules` in a short form: a Roll is `[6, 5]`, a Placement
`{"white": [26 ints], "black": [26 ints]}`, a Seating `{"white": "light", "home": "south-east"}`. A
field that the data does not carry takes the dataclass's default, so a later version may add fields;
an unknown field is refused. Floats are written as Python's shortest repr: the same value gives the
same bytes on every machine.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias, TypeVar

from rules.board import Placement
from rules.dice import Roll

Json: TypeAlias = (
    "bool | int | float | str | list[Json] | tuple[Json, ...] | Mapping[str, Json] | None"
)
"""Plain JSON. Tuples stand for lists inside frozen values."""

T = TypeVar("T")
_MAX_DEPTH = 24


class CodecError(ValueError):
    """Data that is no such value: says where, what was expected and what came."""


def canonical(data: Json) -> bytes:
    """One and only one spelling of a JSON value: sorted keys, no spaces, UTF-8, no NaN.

    Raises CodecError for what JSON cannot hold.
    """
    try:
        return json.dumps(
            data,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
            default=_default,
        ).encode()
    except (TypeError, ValueError) as error:
        raise CodecError(f"expected plain JSON, got something else: {error}") from None


def _default(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def encode(value: object) -> Json:
    """A value of the kinds above as plain JSON. Raises CodecError for any other kind."""
    if value is None or isinstance(value, bool | int | str):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CodecError(f"expected a finite number, got {value}")
        return value
    if isinstance(value, enum.Enum):
        return encode(value.value)
    if isinstance(value, Roll):
        return [value.high, value.low]
    if isinstance(value, tuple | list):
        return [encode(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
    raise CodecError(f"expected a journal value, got {type(value).__name__}")


def decode(kind: type[T], data: object, where: str = "") -> T:
    """The dataclass, enum or plain value that `data` spells.

    Raises CodecError naming the field, what was expected and what came.
    """
    found = _decoder(typing.cast(Hashable, kind))
    return typing.cast(T, found(data, where or getattr(kind, "__name__", "value")))


Decoder = Callable[[object, str], object]


def _wrong(where: str, expected: str, came: object) -> CodecError:
    return CodecError(
        f"{where}: expected {expected}, got {str(came)[:80]!r} ({type(came).__name__})"
    )


def frozen_json(data: object, where: str = "", depth: int = 0) -> Json:
    """Plain JSON with lists turned into tuples, so that a frozen value compares and cannot be
    changed by accident.
    """
    if depth > _MAX_DEPTH:
        raise CodecError(f"{where}: nested deeper than {_MAX_DEPTH}")
    if isinstance(data, list | tuple):
        return tuple(frozen_json(v, where, depth + 1) for v in data)
    if isinstance(data, Mapping):
        return {str(k): frozen_json(v, where, depth + 1) for k, v in data.items()}
    if data is None or isinstance(data, bool | int | float | str):
        return data
    raise _wrong(where, "plain JSON", data)


@functools.cache
def _decoder(kind: object) -> Decoder:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is object or origin is Mapping or kind is Mapping:
        return _mapping if origin is Mapping or kind is Mapping else frozen_json
    if origin in (typing.Union, types.UnionType):
        return _optional(args)
    if origin is tuple:
        return _tuple(args)
    if kind is float:
        return _float
    if kind in (int, str, bool):
        return _plain(kind)
    if kind is Roll:
        return _roll
    if kind is Placement:
        return _placement
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _enum(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind)
    raise CodecError(f"no codec for {kind}")


def _mapping(data: object, where: str) -> Json:
    if not isinstance(data, Mapping):
        raise _wrong(where, "a mapping", data)
    return frozen_json(data, where)


def _optional(args: tuple[object, ...]) -> Decoder:
    inner = [a for a in args if a is not type(None)]
    if {bool, int, float, str} <= set(inner):
        return frozen_json
    if len(inner) != 1:
        # The only union of several kinds in an entry is plain JSON itself.
        return frozen_json
    inside = _decoder(inner[0])
    return lambda data, where: None if data is None else inside(data, where)


def _tuple(args: tuple[object, ...]) -> Decoder:
    if len(args) == 2 and args[1] is Ellipsis:
        each = _decoder(args[0])

        def any_length(data: object, where: str) -> tuple[object, ...]:
            if not isinstance(data, list | tuple):
                raise _wrong(where, "a list", data)
            return tuple(each(v, f"{where}[{i}]") for i, v in enumerate(data))

        return any_length
    inside = [_decoder(a) for a in args]

    def fixed(data: object, where: str) -> tuple[object, ...]:
        if not isinstance(data, list | tuple) or len(data) != len(inside):
            raise _wrong(where, f"a list of {len(inside)}", data)
        return tuple(
            d(v, f"{where}[{i}]") for i, (d, v) in enumerate(zip(inside, data, strict=True))
        )

    return fixed


def _float(data: object, where: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
        raise _wrong(where, "a finite number", data)
    return float(data)


def _plain(kind: type) -> Decoder:
    def plain(data: object, where: str) -> object:
        if type(data) is not kind:
            raise _wrong(where, kind.__name__, data)
        return data

    return plain


def _roll(data: object, where: str) -> Roll:
    if (
        not isinstance(data, list | tuple)
        or len(data) != 2
        or not all(type(d) is int for d in data)
    ):
        raise _wrong(where, "a roll as [high, low]", data)
    try:
        return Roll(data[0], data[1])
    except ValueError as error:
        raise CodecError(f"{where}: {error}") from None


def _placement(data: object, where: str) -> Placement:
    if not isinstance(data, Mapping) or set(data) != {"white", "black"}:
        raise _wrong(where, 'a placement {"white": [26 ints], "black": [26 ints]}', data)
    try:
        return Placement(
            _counts(data["white"], f"{where}.white"), _counts(data["black"], f"{where}.black")
        )
    except ValueError as error:
        raise CodecError(f"{where}: {error}") from None


def _counts(data: object, where: str) -> tuple[int, ...]:
    if not isinstance(data, list | tuple):
        raise _wrong(where, "a list", data)
    for i, value in enumerate(data):
        if type(value) is not int:
            raise _wrong(f"{where}[{i}]", "int", value)
    return tuple(data)


def _enum(kind: type[enum.Enum]) -> Decoder:
    def member(data: object, where: str) -> enum.Enum:
        try:
            return kind(data)
        except ValueError:
            raise _wrong(where, "one of " + ", ".join(str(m.value) for m in kind), data) from None

    return member


def _dataclass(kind: type) -> Decoder:
    hints = typing.get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
    required = {
        n
        for n, f in fields.items()
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    }

    def build(data: object, where: str) -> object:
        if not isinstance(data, Mapping):
            raise _wrong(where, f"a mapping of {kind.__name__}", data)
        unknown, missing = set(data) - set(fields), required - set(data)
        if unknown or missing:
            raise CodecError(
                f"{where}: unknown fields {sorted(map(str, unknown))}, missing fields"
                f" {sorted(missing)}"
            )
        try:
            return kind(
                **{
                    name: _decoder(hints[name])(value, f"{where}.{name}")
                    for name, value in data.items()
                }
            )
        except CodecError:
            raise
        except (ValueError, TypeError) as error:
            raise CodecError(f"{where}: {error}") from None

    return build
