"""What whoever asked is answered: done, found, or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self, TypeAlias


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be done: a code for programs; for people what was expected, what came
    instead, and what to do next.
    """

    code: str
    expected: str = ""
    came: str = ""
    next: str = ""

    def to_json(self) -> dict[str, str]:
        """`{"code", "expected", "came", "next"}`."""
        return asdict(self)

    def answer_json(self) -> dict[str, bool | dict[str, str]]:
        """`{"ok": false, "error": {...}}`, as a request is answered with it."""
        return {"ok": False, "error": self.to_json()}

    @classmethod
    def from_json(cls, given: object) -> Self:
        """The refusal that `to_json` wrote; anything else, as it may come off a wire, is `refused`
        with what came as its expectation.
        """
        if not isinstance(given, Mapping):
            return cls("refused", str(given))
        return cls(**{"code": "refused", **_texts(given)})


def _texts(given: Mapping[str, object]) -> dict[str, str]:
    return {f.name: str(given[f.name]) for f in fields(Refusal) if f.name in given}


class OrderError(ValueError):
    """An order that cannot be carried out now; nothing has changed."""

    def __init__(self, code: str, expected: str, came: str, next: str = "") -> None:
        super().__init__(f"{code}: expected {expected}; got {came}" + (f". {next}" if next else ""))
        self.refusal = Refusal(code, expected, came, next)


@dataclass(frozen=True, slots=True)
class Done:
    """An order that was carried out: the number of the last entry on the disk."""

    seq: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found, as JSON can hold it."""

    result: object


Answer: TypeAlias = Done | Found | Refusal


def answer_from(line: object) -> Answer:
    """The answer that a line of JSON spells; whatever else came off the wire is a refusal."""
    if not isinstance(line, Mapping) or not line.get("ok"):
        error = line.get("error") if isinstance(line, Mapping) else None
        return Refusal.from_json(error or line)
    seq = line.get("seq")
    return Done(seq) if isinstance(seq, int) else Found(line.get("result"))


Reply: TypeAlias = Callable[[Answer], None]
"""Takes the one answer to a request; may be called from any thread."""
