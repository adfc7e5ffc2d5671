"""What whoever asked is told when it cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Reply = Callable[[Mapping[str, Any]], None]


def refusal(code: str, expected: str, came: str, next_step: str) -> dict[str, Any]:
    """The answer to a request that cannot be carried out."""
    return {
        "ok": False,
        "error": {"code": code, "expected": expected, "came": came, "next": next_step},
    }
