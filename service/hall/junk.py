"""How much of what a table sends is refused, lately: whoever fills the stream with what nobody
believes takes the room that every table's entries need. Pure; `now` is monotonic seconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MOST: Final = 32_000_000
"""Bytes that a table may have refused within `WITHIN_S`: years of honest mistakes."""
WITHIN_S: Final = 600.0


@dataclass(slots=True)
class Junk:
    """Refused messages by table."""

    _kept: dict[str, deque[tuple[float, int]]] = field(default_factory=dict)
    _bytes: dict[str, int] = field(default_factory=dict)

    def is_too_much(self, table: str, size: int, now: float) -> bool:
        """Whether, with this refused message of so many bytes, the table had too much refused; it
        is counted from nothing then.
        """
        kept = self._kept.setdefault(table, deque())
        kept.append((now, size))
        total = self._bytes.get(table, 0) + size
        while kept[0][0] < now - WITHIN_S:
            total -= kept.popleft()[1]
        if total > MOST:
            del self._kept[table]
            self._bytes.pop(table, None)
            return True
        self._bytes[table] = total
        return False
