"""How one kind of entry changes the state: a function of the state, the entry's body and where the
entry stands, kept in a table by the body's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from service.journal.entries import Body
from service.referee.state import At, State

B = TypeVar("B", bound=Body)

Fold: TypeAlias = Callable[[State, Body, At], State]
"""What one entry makes of the state."""
FoldRow: TypeAlias = tuple[type[Body], Fold]


def fold_of(kind: type[B], change: Callable[[State, B, At], State]) -> FoldRow:
    """A row of a table of folds: the body's type, and `change` for bodies of that type."""

    def fold_body(state: State, body: Body, at: At) -> State:
        assert isinstance(body, kind)
        return change(state, body, at)

    return kind, fold_body
