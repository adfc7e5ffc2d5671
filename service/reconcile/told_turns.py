"""What the turns that were read from the last of a table's stills tell: those that are over and
sure, and what of the record they put right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import Side
from rules.judge import rolls_explaining
from rules.position import Position
from service.reconcile.codes import SITES, codes_of
from service.reconcile.histories import fits
from service.reconcile.memory import misses_one
from service.reconcile.one_turn import (
    LIKELY,
    LIVE,
    PRESSED_S,
    SURE_LAST,
    SURE_TURN,
    as_told,
    ended_at,
    has_lost_one,
    is_accident,
    is_borne_out,
    is_past_telling,
    lay_elsewhere,
    may_be_two,
    may_have_passed,
    passed_unseen,
    turned,
    was_pressed_over,
    was_undone,
)
from service.reconcile.reel import ReadTurn
from service.reconcile.told import Anchor, Asked, Recalled, TurnTold

STANDS_SO: Final = LIVE.misfit + LIVE.one_site
"""Unexplained nats at which a story is as likely wrong as right where the board bears it out."""
BORNE_OUT: Final = 2
"""So many turns that are sure tell what stood there after one that is not (1-3). A cost that a
person chose."""


def news(asked: Asked, read: tuple[ReadTurn, ...]) -> Recalled | None:
    """What the turns that were read add to the record, or put right in it."""
    known = _recorded(asked, read)
    revised = len(asked.anchors) - 1 - known
    if revised and not _revises(asked, read, known):
        # A turn that nobody saw came before the line of the record.
        return _later_news(asked, read, known)
    told, p, start = _told_from(asked, read, known, asked.anchors[known].position.side, revised)
    # What is recorded already is put right together with the turn that bears it out, or alone as
    # long as nobody has thrown over it: the other half of the play came after the dice were lifted.
    alone = (
        revised == 1
        and len(read) == known + 1
        and p >= SURE_LAST
        and _was_completed(asked, read[known:])
    )
    if told and (len(told) > revised or (alone and len(told) == 1)):
        overtaken = read[-1].turn.placement != told[-1].placement
        return Recalled(told, revised, p, start, overtaken)
    return None if told else _later_news(asked, read, known)


class _Telling:
    """The turns that are over and sure, from one on, up to the first that is not."""

    def __init__(
        self, asked: Asked, read: tuple[ReadTurn, ...], first: int, due: Side, revised: int
    ) -> None:
        self.asked, self.read, self.first, self.revised = asked, read, first, revised
        self.due = due
        self.stands = _stands_now(asked, read)
        self.told: list[TurnTold] = []
        self.p = self.p_told = 1.0
        self.start: Position | None = None

    def goes_on(self, n: int) -> bool:
        """Whether this turn is told, and the next may be."""
        ended = self._over(n)
        if ended is None:
            return False
        asked, each = self.asked, self.read[n]
        began = asked.anchors[min(self.first, len(asked.anchors) - 1)].at
        since = self.told[-1].ended if self.told else began
        made = as_told(asked, each, since, ended)
        if made.roll and lay_elsewhere(asked, self.read, n):
            made = replace(made, roll=None, unresolved=True)
        if made.play is None and has_lost_one(each):
            return False
        whose = self._whose(n, made, since, ended)
        return self._is_sure(n, made, whose) and self._take(n, made, whose, since)

    def _over(self, n: int) -> float | None:
        """When the turn was over, None while it may go on, or where nobody has played it."""
        asked, read, each = self.asked, self.read, self.read[n]
        after = read[n + 1] if n + 1 < len(read) else None
        ended = ended_at(asked, each, after)
        replaced = n < self.first + self.revised
        if ended is None and replaced and each.turn.side is asked.anchors[n].position.side:
            # As the record has it, it was over then.
            ended = asked.anchors[n + 1].at
        if ended is None or is_accident(asked, each) or was_undone(asked, read[n + 1 :], ended):
            # What was changed before it was over stood for a while only.
            return None
        return None if after is not None and was_pressed_over(asked, each, after) else ended

    def _whose(self, n: int, made: TurnTold, since: float, ended: float) -> _Whose:
        """Whose turn it was, as far as that is known."""
        asked, read, each = self.asked, self.read, self.read[n]
        if made.side is self.due:
            return _Whose()
        other = turned(each.turn.position)
        two = may_be_two(asked, read[:n], self.told, ended)
        two = two or asked.was_unwatched(read[n - 1].turn.at if n else -math.inf, each.turn.at)
        two = two or asked.has_thrown(self.due, since, each.turn.at)
        # Whoever presses says that the turn was its own: it has moved the other side's checkers.
        own = asked.has_pressed(self.due, since, ended)
        unsure = other is not None and (may_have_passed(other) or two or own)
        return _Whose(other, own, unsure, not unsure)

    def _is_sure(self, n: int, made: TurnTold, whose: _Whose) -> bool:
        """Whether the turn is sure enough to be told, or past telling; notes how sure it is."""
        read, each = self.read, self.read[n]
        after = read[n + 1] if n + 1 < len(read) else None
        sure = self.p
        danced = made.play is not None and not made.play.moves and not made.unresolved
        if not danced or after is None or not is_borne_out(self.asked, after):
            # A turn in which nothing moved leaves what stood there, and the next bears it out.
            doubtful = STANDS_SO if self.stands else LIVE.misfit
            sure = min(self.p, each.left * fits(each.unexplained, doubtful))
        last = after is None and not (self.told and self.stands)
        wrong_side = whose.wrong_side
        likely = not wrong_side and self.asked.is_guessed(self.first + 1, self.revised)
        if sure >= (LIKELY if likely else SURE_LAST if last or wrong_side else SURE_TURN):
            self.p = sure
            return True
        if self.revised or wrong_side or made.unresolved or not is_past_telling(each, after):
            return False
        self.p_told = min(self.p_told, sure)
        return True

    def _take(self, n: int, made: TurnTold, whose: _Whose, since: float) -> bool:
        """Whether the turn was added to those told, with one before it that nobody saw."""
        first = n == self.first and self.revised
        if made.unresolved and (n + 2 - self.stands >= len(self.read) or first):
            # Two turns must have been played from there, or one and the board stands as that left
            # it: a checker that lies between two points reads wrongly for one. What is recorded
            # already stands.
            return False
        if whose.wrong_side and (self.revised or not made.read):
            # Two unlikely things at once, or one that no dice bear out: people say what happened.
            return False
        each, passed = self.read[n], None
        if whose.unsure and whose.turned:
            passed = passed_unseen(self.asked, each, whose.turned, since)
        if passed is not None:
            self.told.append(passed)
        elif whose.unsure and (self.told or self.revised or whose.own):
            return False
        elif whose.unsure:
            # It may have been out of turn: nobody is told so, and nobody says that it was right.
            self.start, made = each.turn.position, replace(made, unresolved=True)
        self.told.append(replace(made, out_of_turn=whose.wrong_side))
        self.due, self.p_told = made.side.other, min(self.p_told, self.p)
        return True


@dataclass(frozen=True, slots=True)
class _Whose:
    """Whose turn one was that the side that was due has not played: the board with that side on
    roll, whether that side pressed for it, whether nobody knows that it was out of turn, whether it
    surely was.
    """

    turned: Position | None = None
    own: bool = False
    unsure: bool = False
    wrong_side: bool = False


def _told_from(
    asked: Asked, read: tuple[ReadTurn, ...], first: int, due: Side, revised: int = 0
) -> tuple[tuple[TurnTold, ...], float, Position | None]:
    """The turns that are over and sure, from this one on, whose side is `due`, up to the first that
    is not; how sure they are; and what they were played from, where nobody knows whether the side
    whose turn it was had thrown before. `revised`: so many of them stand in place of the last lines
    of the record.
    """
    telling = _Telling(asked, read, first, due, revised)
    for n in range(first, len(read)):
        if not telling.goes_on(n):
            break
    return tuple(telling.told), telling.p_told, telling.start


def _was_completed(asked: Asked, read: tuple[ReadTurn, ...]) -> bool:
    """Whether the last turn of the record was read with dice that lay there, none were thrown
    since, and the board stands as it is read.
    """
    throw = read[0].turn.throw
    last = throw is not None and throw == len(asked.throws) - 1
    return last and read[0].turn.other_rolls <= 1 - SURE_TURN and _stands_now(asked, read)


def _stands_now(asked: Asked, read: tuple[ReadTurn, ...]) -> bool:
    """Whether the board stands now, as far as it is seen and wherever a checker was moved, as the
    last of these turns left it: what was read otherwise on the way was a hand, a checker that lay
    askew, a lamp.
    """
    if not read:
        return False
    still, before = asked.stills[-1], codes_of(asked.anchors[0].position.placement)
    moved = np.zeros(SITES, np.bool_)
    for each in read:
        moved |= codes_of(each.turn.placement) != before
    return bool(still.seen[1:][moved[1:]].all()) and still.shows(read[-1].turn.placement)


def _later_news(asked: Asked, read: tuple[ReadTurn, ...], known: int) -> Recalled | None:
    """The turns that are sure after one that is not, where what stood there between is sure: nobody
    knows how it came to, and play went on from there.
    """
    for doubtful in range(known, len(read) - 1):
        sure, after = read[doubtful].placed, read[doubtful + 1].turn
        if sure < SURE_LAST or after.at <= asked.anchors[-1].at:
            continue
        if misses_one(asked.anchors[0].position, after.position.placement):
            # It fell, or its pile is misread: nobody plays on without it.
            continue
        told, p, _ = _told_from(asked, read, doubtful + 1, after.side)
        borne_out = len(told) >= BORNE_OUT or (
            len(told) == 1 and min(sure, p) >= SURE_LAST and _stands_now(asked, read)
        )
        if borne_out and not any(turn.out_of_turn for turn in told):
            overtaken = read[-1].turn.placement != told[-1].placement
            return Recalled(told, 0, p, after.position, overtaken)
    return None


def _recorded(asked: Asked, read: tuple[ReadTurn, ...]) -> int:
    """How many of the turns that were read the record has already, from the first one on."""
    known = 0
    for each, recorded in zip(read, asked.anchors[1:], strict=False):
        turn, after = each.turn, recorded.position
        if turn.placement != after.placement or turn.side is not after.side.other:
            break
        known += 1
    return known


def _revises(asked: Asked, read: tuple[ReadTurn, ...], known: int) -> bool:
    """Whether the turns that were read, from the first on that the record has otherwise, may stand
    in place of its last lines: not one with dice that were thrown after that turn was over, or with
    none, where others had lain there in it.
    """
    if len(read) <= known or read[known].turn.side is not asked.anchors[known].position.side:
        return False
    used, ended = read[known].turn.throw, asked.anchors[known + 1].at
    if _was_pressed_before(asked, read[known], asked.anchors[known + 1]):
        return False
    if used is not None and asked.throws[used].began <= ended:
        return True
    before = [each.turn.throw for each in read[:known] if each.turn.throw is not None]
    own = asked.throws[max(before, default=-1) + 1 : used]
    return not any(t.began <= ended and t.valid >= SURE_TURN / 2 for t in own)


def _was_pressed_before(asked: Asked, each: ReadTurn, recorded: Anchor) -> bool:
    """Whether the side of a turn, after which the record has another began, had pressed for the
    last time before it stood as this turn leaves it, and no roll leaves both: a play was agreed on
    then, and a checker was shifted since. One of the same roll was changed.
    """
    turn = each.turn
    own = [at for side, at in asked.presses if side is turn.side and at <= recorded.at]
    if not own or turn.at <= own[-1] + PRESSED_S:
        return False
    left = (turn.placement, recorded.position.placement)
    was, now = ({roll for roll, _ in rolls_explaining(turn.position, each)} for each in left)
    return not was & now
