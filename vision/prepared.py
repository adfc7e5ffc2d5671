"""A board's map with what was worked out of it, each thing once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

from vision.geometry import BoardMap

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class PreparedMap:
    """A map and the tables worked out of it: kept as long as this value is.

    Serves one thread at a time, and a pool's beside it that asks for other tables (`pool`).
    """

    def __init__(self, board_map: BoardMap) -> None:
        self.board_map = board_map
        self._known: dict[object, Any] = {}

    def once(self, work: Callable[[BoardMap, *Ts], T], *given: *Ts) -> T:
        """What `work` makes of the map (and of hashable `given`): made at the first asking."""
        key = (work, given)
        if key not in self._known:
            self._known[key] = work(self.board_map, *given)
        found: T = self._known[key]
        return found

    def half(self) -> PreparedMap:
        """The same of the picture at half its size."""
        return self.once(_half)


def _half(board_map: BoardMap) -> PreparedMap:
    return PreparedMap(board_map.scaled(0.5))
