"""Up to which entry a spectator's document goes: the newest of those that he may read; and the
heads of the record, which a document shows at each game's end.

A number that moves while everything else stands still says that something happened which he is not
told, such as an illegal play that can still be put right. So a document for players or the public
names the newest entry that they may read, as their history does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from service.journal.chain import HEAD_SHOWN, JournalError
from service.journal.store import StoreError
from service.show.document import GameDocument
from service.web.ports import Cursor, TableRecord
from service.web.records import PUBLIC


class Told:
    """The numbers of a record's entries that anybody may read, and the hashes of those that ended a
    game.
    """

    def __init__(self, record: TableRecord) -> None:
        self._record = record
        self._cursor: Cursor | None = None
        self._numbers: list[int] = []
        self._read = 0
        self._heads: dict[int, str] = {}

    def with_heads(self, games: Sequence[GameDocument]) -> list[GameDocument]:
        """The same games, each with its head where the record has it."""
        return [
            {**game, "head": self._heads[game["seq"]]} if game["seq"] in self._heads else game
            for game in games
        ]

    def up_to(self, seq: int) -> int:
        """The newest entry at or before `seq` that a spectator may read; 0 before there is one, and
        `seq` itself where there is no record to ask.
        """
        if seq > self._read or not self._read:
            self._read_on()
        if not self._read:
            return seq
        found = bisect_right(self._numbers, seq)
        return self._numbers[found - 1] if found else 0

    def _read_on(self) -> None:
        try:
            if self._cursor is None:
                self._cursor = self._record.cursor()
            for entry in self._cursor.read():
                self._read = entry.seq
                if entry.body.kind == "game_ended":
                    self._heads[entry.seq] = entry.hash[:HEAD_SHOWN]
                if entry.body.kind in PUBLIC:
                    self._numbers.append(entry.seq)
        except (JournalError, StoreError):
            # Another record took its place, or it cannot be read now: from its start when it can.
            self._cursor, self._numbers, self._read, self._heads = None, [], 0, {}
