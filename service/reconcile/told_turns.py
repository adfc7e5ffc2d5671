"""What the turns that were read from the last of a table's stills tell: those that are over and
sure, and what of the record they put right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from rules.board import OFF, Side
from rules.dice import ROLLS
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from service.reconcile import rolls
from service.reconcile.codes import SITES, codes_of
from service.reconcile.histories import fits
from service.reconcile.hypotheses import no_play_share
from service.reconcile.memory import may_bear_off_unseen, misses_one
from service.reconcile.reel import Costs, ReadTurn, Throw
from service.reconcile.told import Anchor, Asked, Recalled, TurnTold
from service.reconcile.tuning import DEFAULT

LIVE: Final = Costs(one_site=8.0, beam=16, candidates=8, misfit=16.0, misplays=True)
"""Live, few stories are kept, since the memory is short and the answer is due now; two sources may
say more of a site than one (5-13 nats: with the surer one's 7 a turn out of turn passed for a play
of another roll); and a board that keeps denying one site is not explained (6-25 nats of misfit). A
cost that a person chose.
"""
SURE_TURN: Final = 0.98
"""So sure is each turn that is told once the turn after it was seen as well: one site that nothing
explains is a misread, a checker that stands elsewhere shows at two; and its roll, or it is entered
without one (0.9-0.999). A cost that a person chose …"""
SURE_LAST: Final = DEFAULT.agree
"""… and as sure as a play that is agreed at once the last, after which nothing was seen yet, unless
the turn before it and the board bear it out, and one that was out of turn."""
LIKELY: Final = 0.9
"""… but so in place of a line that is a guess itself (0.9-0.98; at 0.8 a game went astray). A cost
that a person chose."""
PRESSED_S: Final = 2 * DEFAULT.latency_s
"""A turn's own press may come so long before the board is seen to rest."""
AT_ONCE_S: Final = DEFAULT.latency_s
"""Dice that end a turn are seen so long after its end at the most: they are not its own."""
STANDS_SO: Final = LIVE.misfit + LIVE.one_site
"""Unexplained nats at which a story is as likely wrong as right where the board bears it out."""
BORNE_OUT: Final = 2
"""So many turns that are sure tell what stood there after one that is not (1-3). A cost that a
person chose."""
DANCED: Final = math.exp(LIVE.unseen_throw - LIVE.out_of_turn)
"""With so great a share of rolls that cannot be played, a turn that nobody saw, and that a press
ended, is likelier than one out of turn."""


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


def _told_from(
    asked: Asked, read: tuple[ReadTurn, ...], first: int, due: Side, revised: int = 0
) -> tuple[tuple[TurnTold, ...], float, Position | None]:
    """The turns that are over and sure, from this one on, whose side is `due`, up to the first that
    is not; how sure they are; and what they were played from, where nobody knows whether the side
    whose turn it was had thrown before. `revised`: so many of them stand in place of the last lines
    of the record.
    """
    stands = _stands_now(asked, read)
    doubtful = STANDS_SO if stands else LIVE.misfit
    p = p_told = 1.0
    start: Position | None = None
    told: list[TurnTold] = []
    for n, each in enumerate(read[first:], first):
        after = read[n + 1] if n + 1 < len(read) else None
        ended = _ended(asked, each, after)
        replaced = n < first + revised
        if ended is None and replaced and each.turn.side is asked.anchors[n].position.side:
            # As the record has it, it was over then.
            ended = asked.anchors[n + 1].at
        if ended is None:
            break
        if _is_accident(asked, each) or _was_undone(asked, read[n + 1 :], ended):
            # Nobody has played it; and what was changed before it was over stood for a while only.
            break
        if after is not None and _was_pressed_over(asked, each, after):
            break
        since = told[-1].ended if told else asked.anchors[min(first, len(asked.anchors) - 1)].at
        made = _told(asked, each, since, ended)
        if made.roll and _lay_elsewhere(asked, read, n):
            made = replace(made, roll=None, unresolved=True)
        if made.play is None and _has_lost_one(each):
            break
        turned = _turned(each.turn.position) if made.side is not due else None
        two = _may_be_two(asked, read[:n], told, ended)
        two = two or asked.was_unwatched(read[n - 1].turn.at if n else -math.inf, each.turn.at)
        two = two or asked.has_thrown(due, since, each.turn.at)
        # Whoever presses says that the turn was its own: it has moved the other side's checkers.
        own = made.side is not due and asked.has_pressed(due, since, ended)
        unsure = turned is not None and (_may_have_passed(turned) or two or own)
        wrong_side = made.side is not due and not unsure
        sure = p
        danced = made.play is not None and not made.play.moves and not made.unresolved
        if not danced or after is None or not _is_borne_out(asked, after):
            # A turn in which nothing moved leaves what stood there, and the next bears it out.
            sure = min(p, each.left * fits(each.unexplained, doubtful))
        last = after is None and not (told and stands)
        likely = not wrong_side and asked.is_guessed(first + 1, revised)
        if sure < (LIKELY if likely else SURE_LAST if last or wrong_side else SURE_TURN):
            if revised or wrong_side or made.unresolved or not _is_past_telling(each, after):
                break
            p_told = min(p_told, sure)
        else:
            p = sure
        if made.unresolved and (n + 2 - stands >= len(read) or (n == first and revised)):
            # Two turns must have been played from there, or one and the board stands as that left
            # it: a checker that lies between two points reads wrongly for one. What is recorded
            # already stands.
            break
        if wrong_side and (revised or not made.read):
            # Two unlikely things at once, or one that no dice bear out: people say what happened.
            break
        passed = _passed_unseen(asked, each, turned, since) if unsure and turned else None
        if passed is not None:
            told.append(passed)
        elif unsure and (told or revised or own):
            break
        elif unsure:
            # It may have been out of turn: nobody is told so, and nobody says that it was right.
            start, made = each.turn.position, replace(made, unresolved=True)
        told.append(replace(made, out_of_turn=wrong_side))
        due, p_told = made.side.other, min(p_told, p)
    return tuple(told), p_told, start


def _is_borne_out(asked: Asked, after: ReadTurn) -> bool:
    """Whether nothing that was seen when a turn stood denies what it left, or left lying."""
    still = next(still for still in asked.stills if still.at == after.turn.at)
    return still.shows(after.turn.placement)


def _is_past_telling(each: ReadTurn, after: ReadTurn | None) -> bool:
    """Whether nothing that is still to be seen tells more of a turn, of which one legal play is the
    likeliest: the next has been played over it, and what that left is sure whichever it was.
    """
    return after is not None and after.placed >= SURE_TURN and each.left >= 1 - each.left


def _may_be_two(
    asked: Asked, before: Sequence[ReadTurn], told: Sequence[TurnTold], ended: float
) -> bool:
    """Whether the turn before was no play of the dice that lay there: it may have been two, one of
    each side.
    """
    if told or not before:
        return bool(told) and told[-1].unresolved
    began = asked.anchors[min(len(before), len(asked.anchors)) - 1].at
    return _told(asked, before[-1], began, ended).unresolved


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


def _passed_unseen(asked: Asked, each: ReadTurn, turned: Position, since: float) -> TurnTold | None:
    """The turn of the side whose turn it was `since` then, before one of the other side's, where it
    surely threw unseen and had no play, or pressed and more likely did so than that the other has
    played out of turn.
    """
    stood = turned.placement
    made = next((p for _, p in rolls_explaining(turned, stood) if not p.moves), None)
    thrown = None if each.turn.throw is None else asked.throws[each.turn.throw]
    ended = each.turn.at if thrown is None else thrown.began - AT_ONCE_S
    pressed = asked.has_pressed(turned.side, since, ended)
    # A press says that there was a turn; else one that must have danced is told, and nobody says
    # of another whether it was thrown behind a cup or not at all: both are as rare.
    danced = made is not None and no_play_share(turned) >= (DANCED if pressed else SURE_TURN)
    if made is None or not danced:
        return None
    return TurnTold(made.side, made.placement, made, None, False, ended)


def _turned(position: Position) -> Position | None:
    """The same board with the other side on roll."""
    try:
        return Position.of(position.placement, position.ruleset, position.side.other)
    except PositionError:
        return None


def _may_have_passed(position: Position) -> bool:
    """Whether a turn of the side on roll may leave a board that nobody tells from this one: it had
    no play, or bore off from tall piles.
    """
    return may_bear_off_unseen(position) or no_play_share(position) >= 1 - SURE_TURN


def _thrown_in(asked: Asked, each: ReadTurn, since: float) -> Throw | None:
    """The throw of a turn that began `since` then: the one it used, else the last that lay there in
    it and not in the other side's half, whatever was played.
    """
    turn = each.turn
    if turn.throw is not None:
        return asked.throws[turn.throw]
    # What lay there when somebody looked again was thrown after it, perhaps.
    unlooked = _unlooked(asked, each)
    until = turn.at if unlooked is None else unlooked[0]
    own = [
        throw
        for throw in asked.throws
        if since <= throw.began <= until
        and throw.side is not turn.side.other
        and throw.valid >= DEFAULT.roll_read
    ]
    return own[-1] if own else None


def _unlooked(asked: Asked, each: ReadTurn) -> tuple[float, float] | None:
    """From when to when nobody had looked before a turn was first seen to stand there."""
    return next((still.unlooked for still in asked.stills if still.at == each.turn.at), None)


def _lay_elsewhere(asked: Asked, read: Sequence[ReadTurn], n: int) -> bool:
    """Whether dice that no turn used lay in the other side's half until this one was played, it
    seems with dice that were not seen: they may well be its own.
    """
    turn, used = read[n].turn, {each.turn.throw for each in read}
    since = read[n - 1].turn.at if n else -math.inf
    other = [t for i, t in enumerate(asked.throws) if i not in used and t.side is turn.side.other]
    return turn.throw is None and any(
        since <= throw.began <= turn.at <= throw.until and throw.valid >= DEFAULT.roll_read
        for throw in other
    )


def _told(asked: Asked, each: ReadTurn, since: float, ended: float) -> TurnTold:
    """One turn that is over: another followed, other dice were thrown, or its side pressed."""
    turn, thrown = each.turn, _thrown_in(asked, each, since)
    read = False
    if thrown is not None:
        shares = np.exp(thrown.rolls + rolls.LOG_PRIOR)
        share = float(shares[ROLLS.index(turn.roll)] / shares.sum())
        read = share >= DEFAULT.roll_read
        sure = float(shares.max() / shares.sum()) >= DEFAULT.roll_read
        if not read and (sure or share <= 1 - SURE_TURN):
            # A play of another roll than the one that lay there: nobody says which it was.
            lay = ROLLS[int(shares.argmax())] if sure else None
            made = turn.play if turn.price is None else None
            return TurnTold(turn.side, turn.placement, made, lay, sure, ended, unresolved=True)
    if turn.price is not None:
        lay_read = turn.roll if read else None
        return TurnTold(turn.side, turn.placement, None, lay_read, read, ended, unresolved=True)
    roll = turn.roll if turn.other_rolls <= 1 - SURE_TURN else None
    return TurnTold(turn.side, turn.placement, turn.play, roll, read, ended)


def _has_lost_one(each: ReadTurn) -> bool:
    """Whether a checker is gone that nobody has taken off: the other side's, or one of a side that
    has not thrown. It fell, or its pile is misread.
    """
    turn, other = each.turn, each.turn.side.other
    then, now = turn.position.placement, turn.placement
    theirs = now.counts(other)[OFF] > then.counts(other)[OFF]
    return (theirs or turn.throw is None) and misses_one(turn.position, now)


def _was_undone(asked: Asked, later: Sequence[ReadTurn], ended: float) -> bool:
    """Whether a turn that was over at `ended` was changed before that by what is no turn, and no
    turn with dice was played from there yet, which would bear out that a checker was knocked.
    """
    if not later or later[0].turn.at > ended or not _is_accident(asked, later[0]):
        return False
    return all(each.turn.throw is None or each.turn.price is not None for each in later)


def _was_pressed_over(asked: Asked, each: ReadTurn, after: ReadTurn) -> bool:
    """Whether a side pressed for its turn only when the one after it stood there already, of which
    no dice tell: what it then pressed for is all its own doing, perhaps.
    """
    side, stood = each.turn.side, after.turn.at - PRESSED_S
    own = [at for who, at in asked.presses if who is side and at >= each.turn.at - PRESSED_S]
    unseen = after.turn.throw is None and after.turn.side is not side
    return unseen and bool(own) and own[0] >= stood


def _is_accident(asked: Asked, each: ReadTurn) -> bool:
    """Whether no rule allows what stands there and nobody threw or pressed for it: a checker was
    knocked, or moved by the other side.
    """
    turn = each.turn
    if turn.price is None or turn.throw is not None:
        return False
    return not any(side is turn.side and at >= turn.at - PRESSED_S for side, at in asked.presses)


def _ended(asked: Asked, each: ReadTurn, after: ReadTurn | None) -> float | None:
    """When a turn was over, s; None while it may still go on."""
    turn = each.turn
    used = turn.throw if turn.throw is not None else -1
    # What a side throws in its own half, nothing having been moved, is thrown for this very turn.
    unmoved = turn.throw is None and turn.placement == turn.position.placement
    own = turn.side if unmoved else None
    unlooked = _unlooked(asked, each)
    looked = turn.at if unlooked is None else unlooked[1]
    pressed = [at for side, at in asked.presses if side is turn.side and at >= turn.at - PRESSED_S]
    thrown = [
        t.began - AT_ONCE_S
        for t in asked.throws[used + 1 :]
        # Pictures that came again show the play and the other side's dice at once.
        if (t.at > turn.at and (own is None or t.side is not own))
        or (used >= 0 and t.side is turn.side.other and t.until >= turn.at)
        # It was seen to come over what stood there when somebody looked again.
        or (t.began > looked and t.side is turn.side.other)
    ]
    if after is not None:
        thrown.append(after.turn.at)
    found = pressed[:1] + thrown[:1]
    return min(found) if found else None
