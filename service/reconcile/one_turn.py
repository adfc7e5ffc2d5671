"""What one of the turns that were read tells: whether it is over, what it left, by which roll, and
whose it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from rules.board import OFF
from rules.dice import ROLLS
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from service.reconcile import rolls
from service.reconcile.hypotheses import no_play_share
from service.reconcile.memory import may_bear_off_unseen, misses_one
from service.reconcile.reel import Costs, ReadTurn, Throw
from service.reconcile.told import Asked, TurnTold
from service.reconcile.tuning import DEFAULT

LIVE: Final = Costs(one_site=8.0, candidates=8, misfit=16.0, misplays=True)
"""Live, fewer results of a turn are followed up, since the answer is due now; two sources may say
more of a site than one (5-13 nats: with the surer one's 7 a turn out of turn passed for a play of
another roll); and a board that keeps denying one site is not explained (6-25 nats of misfit). As
many stories are kept as for a film: of 16 the one was lost in which a hit checker was laid on the
bar late. A cost that a person chose.
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
DANCED: Final = math.exp(LIVE.unseen_throw - LIVE.out_of_turn)
"""With so great a share of rolls that cannot be played, a turn that nobody saw, and that a press
ended, is likelier than one out of turn."""


def ended_at(asked: Asked, each: ReadTurn, after: ReadTurn | None) -> float | None:
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


def _unlooked(asked: Asked, each: ReadTurn) -> tuple[float, float] | None:
    """From when to when nobody had looked before a turn was first seen to stand there."""
    return next((still.unlooked for still in asked.stills if still.at == each.turn.at), None)


def as_told(asked: Asked, each: ReadTurn, since: float, ended: float) -> TurnTold:
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


def lay_elsewhere(asked: Asked, read: Sequence[ReadTurn], n: int) -> bool:
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


def is_accident(asked: Asked, each: ReadTurn) -> bool:
    """Whether no rule allows what stands there and nobody threw or pressed for it: a checker was
    knocked, or moved by the other side.
    """
    turn = each.turn
    if turn.price is None or turn.throw is not None:
        return False
    return not any(side is turn.side and at >= turn.at - PRESSED_S for side, at in asked.presses)


def was_undone(asked: Asked, later: Sequence[ReadTurn], ended: float) -> bool:
    """Whether a turn that was over at `ended` was changed before that by what is no turn, and no
    turn with dice was played from there yet, which would bear out that a checker was knocked.
    """
    if not later or later[0].turn.at > ended or not is_accident(asked, later[0]):
        return False
    return all(each.turn.throw is None or each.turn.price is not None for each in later)


def was_pressed_over(asked: Asked, each: ReadTurn, after: ReadTurn) -> bool:
    """Whether a side pressed for its turn only when the one after it stood there already, of which
    no dice tell: what it then pressed for is all its own doing, perhaps.
    """
    side, stood = each.turn.side, after.turn.at - PRESSED_S
    own = [at for who, at in asked.presses if who is side and at >= each.turn.at - PRESSED_S]
    unseen = after.turn.throw is None and after.turn.side is not side
    return unseen and bool(own) and own[0] >= stood


def has_lost_one(each: ReadTurn) -> bool:
    """Whether a checker is gone that nobody has taken off: the other side's, or one of a side that
    has not thrown. It fell, or its pile is misread.
    """
    turn, other = each.turn, each.turn.side.other
    then, now = turn.position.placement, turn.placement
    theirs = now.counts(other)[OFF] > then.counts(other)[OFF]
    return (theirs or turn.throw is None) and misses_one(turn.position, now)


def passed_unseen(asked: Asked, each: ReadTurn, turned: Position, since: float) -> TurnTold | None:
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


def turned(position: Position) -> Position | None:
    """The same board with the other side on roll."""
    try:
        return Position.of(position.placement, position.ruleset, position.side.other)
    except PositionError:
        return None


def may_have_passed(position: Position) -> bool:
    """Whether a turn of the side on roll may leave a board that nobody tells from this one: it had
    no play, or bore off from tall piles.
    """
    return may_bear_off_unseen(position) or no_play_share(position) >= 1 - SURE_TURN


def is_borne_out(asked: Asked, after: ReadTurn) -> bool:
    """Whether nothing that was seen when a turn stood denies what it left, or left lying."""
    still = next(still for still in asked.stills if still.at == after.turn.at)
    return still.shows(after.turn.placement)


def is_past_telling(each: ReadTurn, after: ReadTurn | None) -> bool:
    """Whether nothing that is still to be seen tells more of a turn, of which one legal play is the
    likeliest: the next has been played over it, and what that left is sure whichever it was. Of one
    whose dice nobody saw that is a guess.
    """
    likely = LIKELY if each.turn.throw is None else 1 - each.left
    return after is not None and after.placed >= SURE_TURN and each.left >= likely


def may_be_two(
    asked: Asked, before: Sequence[ReadTurn], told: Sequence[TurnTold], ended: float
) -> bool:
    """Whether the turn before was no play of the dice that lay there: it may have been two, one of
    each side.
    """
    if told or not before:
        return bool(told) and told[-1].unresolved
    began = asked.anchors[min(len(before), len(asked.anchors)) - 1].at
    return as_told(asked, before[-1], began, ended).unresolved
