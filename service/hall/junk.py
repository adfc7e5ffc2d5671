"""How much a table sent lately, and how much of it was refused: whoever fills the stream takes the
room that every table's entries need. Pure; `now` is the stream's own date of a message, so reading
it again counts as it did at first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MOST: Final = 32_000_000
"""Bytes that a table may have refused within `WITHIN_S`: years of honest mistakes."""
MOST_SAID: Final = 256_000_000
"""Bytes that a table may send within `WITHIN_S`: a journal of years, sent from its start."""
WITHIN_S: Final = 600.0


@dataclass(slots=True)
class Junk:
    """Messages by table, and how many bytes of them are borne."""

    most: int = MOST
    _kept: dict[str, deque[tuple[float, int]]] = field(default_factory=dict)
    _bytes: dict[str, int] = field(default_factory=dict)

    def is_too_much(self, table: str, size: int, now: float) -> bool:
        """Whether it is too much with this message of so many bytes; then the table is counted
        from nothing.
        """
        kept = self._kept.setdefault(table, deque())
        kept.append((now, size))
        total = self._bytes.get(table, 0) + size
        while kept[0][0] < now - WITHIN_S:
            total -= kept.popleft()[1]
        if total > self.most:
            del self._kept[table]
            self._bytes.pop(table, None)
            return True
        self._bytes[table] = total
        return False
