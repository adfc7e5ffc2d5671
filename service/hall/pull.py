"""Which requests for more of the stream are under way: pure.

A reader asks for so many messages for so many seconds; the server answers with messages, and with a word of its own when a request's time
is over, or it will not serve it. A request that is asked anew before the server's word on the last one came stands beside it: they pile up
to the server's limit, and from then on question and refusal chase each other. So each request has a number, and there are two at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

BATCH: Final = 500
"""Messages of one request."""
LASTS_S: Final = 2.0
"""So long a request stands."""
OVERDUE_S: Final = 1.0
"""A request of which nothing was heard for so long after its time is taken for lost."""


@dataclass(slots=True)
class Pull:
    """`open`: number of each request under way -> (messages still to come, when it was asked). `last`: the newest request's number."""

    open: dict[int, tuple[int, float]] = field(default_factory=dict)
    last: int = 0

    def wanted(self, now: float) -> int | None:
        """The number of a request to be sent now, or None."""
        for number, (_, asked) in list(self.open.items()):
            if now - asked > LASTS_S + OVERDUE_S:
                del self.open[number]
        if len(self.open) > 1 or sum(left for left, _ in self.open.values()) > BATCH // 4:
            return None
        self.last += 1
        self.open[self.last] = (BATCH, now)
        return self.last

    def took(self) -> None:
        """A message came: the oldest request has one less to come."""
        for number, (left, asked) in self.open.items():
            if left > 1:
                self.open[number] = (left - 1, asked)
            else:
                del self.open[number]
            return

    def ended(self, number: int) -> None:
        """The server's word on a request: no more will come of it."""
        self.open.pop(number, None)
