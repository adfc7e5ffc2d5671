"""A value made of fields whose names are known only when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")


def filled(kind: Callable[..., T], fields: Mapping[str, object]) -> T:
    """What `kind` makes of these fields by name; whoever parsed them answers for their types."""
    return kind(**fields)
