"""What a table sends next: a machine without I/O between its journal and the hall's stream.

Two rules. *The journal is the truth, the stream says how far it has got*: where to go on from is
asked of the stream each time that it is not known for sure (at the start, after a cut, after a
refusal), never remembered. *One bundle is under way at a time, and it names the message that it
must follow*: so the server itself refuses whatever would be twice, late or out of order, however
old it is; its memory of message ids, which forgets after two minutes, only spares a question.

What is awkward: a bundle whose acknowledgement was lost may be stored or not, so after each doubt
the tail is asked anew; and a table may come back with another journal (a new board, a damaged file
set aside, an old backup). Then what the stream holds is no beginning of the journal, and the whole
of it is sent as another epoch, numbered by the message that it follows: so a later epoch has a
higher number whatever lies in the stream. A second machine with this very board's key (a copied
card) would make epochs without end: whoever sees an epoch of its own key above its own stops, and
says so.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from service.hall.wire import MOST_ENTRIES, Bundle, Row, Tail
from service.journal.chain import GENESIS

BUNDLE_BYTES: Final = 256 * 1024
"""A bundle is closed once its texts are longer than this."""


class Want(enum.Enum):
    """What the machine waits for."""

    TAIL = "tail"
    """Ask the stream for its last message of this table, and tell `resumed`."""
    ROWS = "rows"
    """Hand it what the journal has after `seq`, by `send`."""
    ACK = "ack"
    """A bundle is under way: tell `acked`, or `doubt`."""
    NOBODY = "nobody"
    """Another machine publishes with this board's key: a person must say which is right."""


@dataclass(frozen=True, slots=True)
class Unacknowledged:
    """`seq`, `head`, `epoch`: the last entry that the stream holds for sure and its hash;
    `follows`: the number of its message.
    """

    table: str
    want: Want = Want.TAIL
    epoch: int = 0
    seq: int = 0
    head: str = GENESIS
    follows: int = 0
    sent: Bundle | None = None
    mine: bool = False
    """Whether this machine has had an epoch of its own: then a higher one is its double's."""

    def resumed(self, tail: Tail, hash_at: Callable[[int], str | None]) -> Unacknowledged:
        """The stream's last message of this table is `tail`; `hash_at` tells the hash of the
        journal's own entry of a number.
        """
        if self.mine and tail.own and tail.epoch > self.epoch:
            return replace(self, want=Want.NOBODY, sent=None)
        ready = replace(self, want=Want.ROWS, follows=tail.at, sent=None, mine=True)
        older = self.mine and tail.epoch < self.epoch
        if tail.own and not older and hash_at(tail.seq) == tail.hash:
            return replace(ready, epoch=tail.epoch, seq=tail.seq, head=tail.hash)
        return replace(ready, epoch=tail.at + 1, seq=0, head=GENESIS)

    def send(self, rows: Sequence[Row], erasures: Sequence[bytes] = ()) -> Unacknowledged:
        """The journal's entries after `seq`: as many as one bundle takes are under way from now on,
        with what the journal says of those that lost a name. None is no change.
        """
        if self.want is not Want.ROWS or not rows:
            return self
        if rows[0][0] != self.seq + 1:
            raise ValueError(
                f"expected the journal from entry {self.seq + 1} on, got entry {rows[0][0]}"
            )
        taken: list[Row] = []
        size = sum(map(len, erasures))
        for row in rows[:MOST_ENTRIES]:
            size += len(row[1])
            if taken and size > BUNDLE_BYTES:
                break
            taken.append(row)
        sent = Bundle(self.table, self.epoch, tuple(taken), tuple(erasures))
        return replace(self, want=Want.ACK, sent=sent)

    def acked(self, at: int) -> Unacknowledged:
        """The bundle under way is message number `at` of the stream."""
        if self.sent is None:
            return self
        return replace(
            self, want=Want.ROWS, seq=self.sent.last, head=self.sent.head, follows=at, sent=None
        )

    def doubt(self) -> Unacknowledged:
        """The server refused, or did not answer, or the line was cut: ask the stream."""
        return self if self.want is Want.NOBODY else replace(self, want=Want.TAIL, sent=None)
