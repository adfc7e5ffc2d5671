"""Arguments of orders: each is declared once, with its JSON schema and the function that reads it.

What cannot be read is refused with OrderError; nothing has changed then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypedDict, TypeGuard, TypeVar

from rules.board import Placement, Side
from rules.dice import Roll
from service.journal.codec import CodecError, decode, frozen_json
from service.journal.plain import plain_json, plain_lines, plain_text
from service.referee.inputs import Args, Order
from service.referee.refusal import OrderError

T_co = TypeVar("T_co", covariant=True)


class ArgSchema(TypedDict, total=False):
    """The part of JSON Schema that arguments need."""

    description: str
    type: str | list[str]
    enum: list[str]
    minimum: float
    maximum: float
    maxLength: int
    minItems: int
    maxItems: int
    items: ArgSchema
    properties: dict[str, ArgSchema]
    required: list[str]


@dataclass(frozen=True, slots=True)
class Arg(ABC, Generic[T_co]):
    """One argument: its name, what it means, and whether the order makes no sense without it."""

    name: str
    about: str = ""
    needed: bool = False

    def schema(self) -> ArgSchema:
        """The JSON schema of the argument, with what it means."""
        shape = self.shape()
        if self.about:
            shape["description"] = self.about
        return shape

    @abstractmethod
    def shape(self) -> ArgSchema:
        """The JSON schema of the values that `read` takes."""

    @abstractmethod
    def read(self, value: object) -> T_co:
        """The value that JSON spells. Raises OrderError."""

    def of(self, order: Order) -> T_co:
        """The argument as an order gives it. Raises OrderError."""
        return self.read(order.args.get(self.name))

    def maybe(self, order: Order) -> T_co | None:
        """The argument as an order gives it, None where it is absent or null."""
        value = order.args.get(self.name)
        return None if value is None else self.read(value)


SIDES = ("white", "black")


@dataclass(frozen=True, slots=True)
class SideArg(Arg[Side]):
    """white or black."""

    def shape(self) -> ArgSchema:
        return {"type": "string", "enum": list(SIDES)}

    def read(self, value: object) -> Side:
        if value in SIDES:
            return Side(value)
        raise OrderError("bad_side", "a side, white or black", str(value)[:40])

    def named(self, order: Order, default: Side | None = None) -> Side:
        """The side that an order names, else the default."""
        if default is not None and order.args.get(self.name) is None:
            return default
        return self.of(order)

    def own(self, order: Order, default: Side | None = None) -> Side:
        """The side that an order names, else whoever gives it, else the default."""
        return self.named(order, order.by.side or default)

    def lenient(self, order: Order) -> Side | None:
        """The side that an order names, None where it names none."""
        value = order.args.get(self.name)
        return Side(value) if value in SIDES else None


@dataclass(frozen=True, slots=True)
class TextArg(Arg[str]):
    """A text of at most so many letters, made plain; absent = empty."""

    most: int = 400
    choices: tuple[str, ...] = ()
    several_lines: bool = False

    def shape(self) -> ArgSchema:
        found: ArgSchema = {"type": "string", "maxLength": self.most}
        return {**found, "enum": list(self.choices)} if self.choices else found

    def read(self, value: object) -> str:
        if not isinstance(value, str) or len(value) > self.most:
            expected = f"{self.name} as a text of at most {self.most} letters"
            raise OrderError("bad_text", expected, str(value)[:40])
        if self.choices and value not in self.choices:
            *most, last = self.choices
            expected = f"{self.name} as {', '.join(most)} or {last}"
            raise OrderError("bad_argument", expected, value[:40])
        return plain_lines(value) if self.several_lines else plain_text(value)

    def of(self, order: Order) -> str:
        return self.read(order.args.get(self.name, ""))


@dataclass(frozen=True, slots=True)
class NumberArg(Arg[float]):
    """A number within bounds."""

    low: float = 0.0
    high: float = 1e9

    def shape(self) -> ArgSchema:
        return {"type": "number", "minimum": self.low, "maximum": self.high}

    def read(self, value: object) -> float:
        return number_within(self.name, value, self.low, self.high)


@dataclass(frozen=True, slots=True)
class WholeArg(Arg[int]):
    """A whole number within bounds."""

    low: int = 1
    high: int = 10**9

    def shape(self) -> ArgSchema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, value: object) -> int:
        return int(number_within(self.name, value, self.low, self.high))


def number_within(name: str, value: object, low: float, high: float) -> float:
    """The number that JSON spells. Raises OrderError outside the bounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise OrderError("bad_number", f"{name} from {low:g} to {high:g}", str(value)[:40])
    return float(value)


@dataclass(frozen=True, slots=True)
class FlagArg(Arg[bool]):
    """True or absent."""

    def shape(self) -> ArgSchema:
        return {"type": "boolean"}

    def read(self, value: object) -> bool:
        return value is True


@dataclass(frozen=True, slots=True)
class RollArg(Arg[Roll]):
    """Two dice of 1 to 6 as [a, b]."""

    def shape(self) -> ArgSchema:
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": DIE}

    def read(self, value: object) -> Roll:
        if isinstance(value, list | tuple) and len(value) == 2:
            a, b = value
            if is_die(a) and is_die(b):
                return Roll.of(int(a), int(b))
        raise OrderError("bad_roll", "two dice of 1 to 6 as [a, b]", str(value)[:60])


DIE: ArgSchema = {"type": "integer", "minimum": 1, "maximum": 6}


def is_die(value: object) -> TypeGuard[int]:
    """Whether JSON spells the face of a die."""
    return type(value) is int and 1 <= value <= 6


@dataclass(frozen=True, slots=True)
class FacesArg(Arg[tuple[int, ...]]):
    """The face of one die, or of two as a list; absent = none."""

    def shape(self) -> ArgSchema:
        return {"type": "array", "maxItems": 2, "items": DIE}

    def read(self, value: object) -> tuple[int, ...]:
        given = value if isinstance(value, list | tuple) else (value,)
        faces = tuple(d for d in given if is_die(d))
        if len(given) > 2 or len(faces) != len(given):
            expected = f"{self.name} as one face of 1 to 6, or two"
            raise OrderError("bad_roll", expected, str(value)[:40])
        return faces

    def of(self, order: Order) -> tuple[int, ...]:
        return self.read(order.args.get(self.name, ()))


@dataclass(frozen=True, slots=True)
class PlacementArg(Arg[Placement]):
    """Where every checker stands: each side's counts by site, 0 off and 25 the bar."""

    def shape(self) -> ArgSchema:
        counts: ArgSchema = {
            "type": "array",
            "minItems": 26,
            "maxItems": 26,
            "items": {"type": "integer", "minimum": 0},
        }
        sides = dict.fromkeys(SIDES, counts)
        return {"type": "object", "properties": sides, "required": list(SIDES)}

    def read(self, value: object) -> Placement:
        try:
            return decode(Placement, value, self.name)
        except CodecError as error:
            raise OrderError(
                "bad_placement",
                'a placement {"white": [26 ints], "black": [26 ints]}',
                str(error)[:120],
            ) from None


@dataclass(frozen=True, slots=True)
class ScoreArg(Arg[tuple[int, int]]):
    """White's and Black's points."""

    def shape(self) -> ArgSchema:
        points: ArgSchema = {"type": "integer", "minimum": -99, "maximum": 999}
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": points}

    def read(self, value: object) -> tuple[int, int]:
        if isinstance(value, list | tuple) and len(value) == 2:
            white, black = value
            if is_score(white) and is_score(black):
                return white, black
        raise OrderError("bad_score", f"{self.name} as [white's, black's]", str(value)[:40])


def is_score(value: object) -> TypeGuard[int]:
    """Whether JSON spells a side's points."""
    return type(value) is int and -99 <= value <= 999


@dataclass(frozen=True, slots=True)
class PairArg(Arg[tuple[bool, bool]]):
    """White's and Black's yes or no; absent = no."""

    def shape(self) -> ArgSchema:
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "boolean"}}

    def read(self, value: object) -> tuple[bool, bool]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            expected = f"{self.name} as [white's, black's]"
            raise OrderError("bad_argument", expected, str(value)[:40])
        return bool(value[0]), bool(value[1])

    def of(self, order: Order) -> tuple[bool, bool]:
        return self.read(order.args.get(self.name, (False, False)))


@dataclass(frozen=True, slots=True)
class MappingArg(Arg[Args]):
    """An object of plain JSON, its texts made plain; absent = empty."""

    def shape(self) -> ArgSchema:
        return {"type": "object"}

    def read(self, value: object) -> Args:
        if not isinstance(value or {}, Mapping):
            raise OrderError("bad_argument", f"{self.name} as a mapping", str(value)[:40])
        try:
            frozen = plain_json(frozen_json(value or {}, self.name))
        except CodecError as error:
            expected = f"{self.name} as plain JSON"
            raise OrderError("bad_argument", expected, str(error)[:80]) from None
        assert isinstance(frozen, Mapping)
        return frozen


@dataclass(frozen=True, slots=True)
class JsonArg(Arg[object]):
    """JSON that the order's own act reads further."""

    spelled: ArgSchema = field(default_factory=ArgSchema)

    def shape(self) -> ArgSchema:
        return {**self.spelled}

    def read(self, value: object) -> object:
        return value
