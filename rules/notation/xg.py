"""Reading .xg, eXtreme Gammon's own files: the match that was played, without its analysis.

The layout is the maker's, published with leave to use it ("XG format", extremegammon.com): a head
that says how long it and a small picture are, then zlib, then records of 2,560 bytes whose kind
stands at byte 8. Numbers are little-endian; player 1 becomes White. A board is 26 signed bytes,
from the opponent's bar over the points 1 to 24 to the own bar; before a move it is seen from
player 1, after it from the mover. Writing is not needed: XG reads .mat.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import GamePhase
from rules.match import MatchRules
from rules.notation.errors import NotationError
from rules.notation.record import MatchRecord
from rules.notation.replay import Replay
from rules.position import View, placement_of
from rules.ruleset import catalogue
from rules.words import printable

MAGIC: Final = b"RGMH"
RECORD: Final = 2560
MOST_RECORDS: Final = 20_000
"""Records of one file; a long match has some 2,000."""
_CHUNK: Final = 256 * RECORD
MATCH, GAME, CUBE, MOVE, GAME_END, MATCH_END = range(6)
"""Kinds of records; others (comments, marks) are passed over."""
_VARIATIONS: Final = {0: "backgammon", 1: "nackgammon"}
_SIDES: Final = {1: Side.WHITE, -1: Side.BLACK}
_FIRST_DAY: Final = date(1899, 12, 30)
"""Day 0 of Delphi's dates."""


@dataclass(frozen=True)
class XgRecord:
    """One record: its number from 1, its kind and its bytes."""

    number: int
    kind: int
    data: bytes

    def signed(self, offset: int) -> int:
        """The 32-bit number there."""
        return int(struct.unpack_from("<i", self.data, offset)[0])

    def side(self, offset: int) -> Side:
        """The player whose sign stands there. Raises NotationError."""
        sign = self.signed(offset)
        if sign not in _SIDES:
            raise self.fail(f"player 1 or -1 was expected, got {sign}")
        return _SIDES[sign]

    def text(self, wide: int, short: int = 0) -> str:
        """The UTF-16 text at `wide` (129 letters at most), else the old one at `short`."""
        found = self.data[wide : wide + 258].decode("utf-16-le", "replace").partition("\0")[0]
        if not found and short:
            found = self.data[short + 1 : short + 1 + self.data[short]].decode("latin-1")
        return "".join(c for c in found if printable(c)).strip()

    def fail(self, what: str) -> NotationError:
        return NotationError(what, self.number, unit="record")


def read_xg(data: bytes, *, until_trouble: bool = False) -> MatchRecord:
    """The match of an .xg file's bytes.

    Raises NotationError with the record's number; with `until_trouble` only where no match begins:
    else what stands before the trouble is kept, and the last remark says what it was.
    """
    found = _records(data)
    head = next(found, None)
    if head is None or head.kind != MATCH:
        raise NotationError("the records do not begin with a match")
    replay = _begun(head)
    try:
        for each in found:
            replay.at(each.number, 0)
            _take(replay, each)
    except NotationError as error:
        if not until_trouble:
            raise
        return replay.salvaged(error)
    return replay.record()


def _records(data: bytes) -> Iterator[XgRecord]:
    """The records one by one: what is packed is never unpacked whole."""
    if len(data) < 24 or not data.startswith(MAGIC):
        raise NotationError(f"an .xg file begins with {MAGIC.decode()}; this one does not")
    size, picture = (struct.unpack_from("<I", data, offset)[0] for offset in (8, 20))
    packed, rest = data[size + picture :], b""
    unpacker = zlib.decompressobj()
    number = 0
    try:
        while not unpacker.eof and (packed or rest):
            got = unpacker.decompress(packed, _CHUNK)
            packed, rest = unpacker.unconsumed_tail, rest + got
            if not got and not packed:
                break
            for at in range(0, len(rest) - RECORD + 1, RECORD):
                number += 1
                if number > MOST_RECORDS:
                    raise NotationError(f"more than {MOST_RECORDS} records are no match")
                yield XgRecord(number, rest[at + 8], rest[at : at + RECORD])
            rest = rest[len(rest) - len(rest) % RECORD :]
    except zlib.error as error:
        raise NotationError(f"after record {number} the file cannot be unpacked: {error}") from None
    if rest or not unpacker.eof:
        raise NotationError(f"the file ends after record {number}, within another")


def _begun(head: XgRecord) -> Replay:
    length, variation = head.signed(92), _VARIATIONS.get(head.signed(96))
    if variation is None:
        raise head.fail(f"variation {head.signed(96)} of XG is not played here")
    # XG says a money session as a match to 99,999 points.
    length = 0 if length >= 99_999 else length
    crawford, jacoby, beavers = (bool(head.data[at]) for at in (100, 101, 102))
    limit = head.signed(612)
    try:
        rules = MatchRules.of(
            catalogue()[variation],
            length,
            crawford=crawford if length else None,
            jacoby=jacoby if not length else None,
            beavers=beavers if not length else None,
            cube_limit=1 << limit if 1 <= limit <= 12 else None,
        )
    except ValueError as error:
        raise head.fail(str(error)) from None
    names = {
        Side.WHITE: head.text(880, 9) or "Player 1",
        Side.BLACK: head.text(1138, 50) or "Player 2",
    }
    days = struct.unpack_from("<d", head.data, 128)[0]
    when = _FIRST_DAY + timedelta(days=days) if 0 < days < 200_000 else None
    tags = (
        ("Event", head.text(622, 136)),
        ("Site", head.text(1396)),
        ("EventDate", when.strftime("%Y.%m.%d") if when else ""),
    )
    return Replay(rules, names, tuple(tag for tag in tags if tag[1]), "record")


def _take(replay: Replay, record: XgRecord) -> None:
    match record.kind:
        case 1:
            _game(replay, record)
        case 2:
            _cube(replay, record)
        case 3:
            _move(replay, record)
        case 4:
            _game_end(replay, record)


def _game(replay: Replay, record: XgRecord) -> None:
    score = record.signed(12), record.signed(16)
    if replay.actions:
        if replay.match.game.phase is not GamePhase.OVER:
            replay.won(Side.WHITE, 0)
        replay.next_game()
    replay.score(*score)


def _cube(replay: Replay, record: XgRecord) -> None:
    """A decision about the cube; most are that nobody doubled."""
    if record.signed(16) != 1:
        return
    side, answer = record.side(12), record.signed(20)
    replay.offer(side)
    if answer == 0:
        replay.drop(side.other)
    elif answer == 2:
        replay.offer(side.other)
    elif answer == 1:
        replay.take(side.other)


def _move(replay: Replay, record: XgRecord) -> None:
    side = record.side(64)
    try:
        roll = Roll.of(record.signed(100), record.signed(104))
    except ValueError:
        # A turn that ended the game before the dice: resigned, or the record stops here.
        replay.remark("a turn without dice was left out")
        return
    replay.roll(side, roll)
    if not any(record.data[35:61]):
        # No board after the roll: the side resigned instead of playing it.
        replay.idle = True
        return
    game = replay.match.game
    after = _board(record, 35, side)
    before = _board(record, 9, Side.WHITE)
    if before != game.placement:
        raise record.fail("the board is not the one that the moves before it left")
    if after == game.placement:
        replay.play(side, [])
        return
    replay.stood(side, after)


def _board(record: XgRecord, offset: int, side: Side) -> Placement:
    """The board at `offset` as `side` sees it; what is missing of fifteen is off."""
    counts = struct.unpack_from("<26b", record.data, offset)
    own = sum(n for n in counts if n > 0)
    theirs = -sum(n for n in counts if n < 0)
    if own > 15 or theirs > 15 or counts[0] > 0 or counts[25] < 0:
        raise record.fail("a board has at most fifteen checkers a side, the bars at its ends")
    view: View = (*counts[1:25], counts[25], 15 - own, -counts[0], 15 - theirs)
    return placement_of(view, catalogue()["backgammon"].facing, side)


def _game_end(replay: Replay, record: XgRecord) -> None:
    points = record.signed(28)
    if points > 0 and record.signed(24) in _SIDES:
        replay.won(record.side(24), points)
