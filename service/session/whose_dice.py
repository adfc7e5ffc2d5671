"""Whose dice lie there: this turn's, the last roller's, or the opponent's who could not wait.

One shared pair or a pair each, picked up early or left lying, pushed aside to make room for a
checker: what tells them apart is when a die was first seen, and in whose half it lies. Dice that
lay there already when the camera began to look are left out: it is not known who threw them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.dice import Roll
from rules.play import plays
from rules.position import PositionError
from service.journal import entries as e
from service.journal.entries import DiceOrigin
from service.reconcile import ONE_THROW_S, Area, Evidence, Pending, Track, no_play_share
from service.referee.dice import RETHROWN
from service.referee.match import awaits_opening_dice
from service.referee.state import Phase, State
from service.referee.waiting import TOUCHED_S
from service.session.halves import area_of, is_half_ignored, side_of
from service.session.halves import lies_inside as _inside

GLANCE_S: Final = 1.0
"""Dice seen within so long after the camera began to look (again) may have lain there before."""
Dice: TypeAlias = tuple[Track, ...]
"""Dice as they are followed over frames, one `Track` a die, in the order in which they came."""


@dataclass(frozen=True, slots=True)
class SplitDice:
    """Dice by the turn they belong to: `mine` of this turn, `late` of the opponent's next throw."""

    mine: Dice
    late: Dice


def split_dice(state: State, dice: Dice, looking_since: float) -> SplitDice:
    """This turn's dice and those of the opponent's next throw.

    The last roller's dice, and dice that may have lain there when the camera began to look
    (`looking_since`, table time), are in neither.
    """
    fresh = tuple(t for t in dice if not t.stale)
    equal = equal_dice(state, fresh)
    own = tuple(t for t in fresh if t not in equal)
    there = _Thrown(state, own, _known_since(dice, looking_since))
    before = state.phase in (Phase.TO_ROLL, Phase.DOUBLED)
    split = _split_before_roll(state, there) if before else _split_after_roll(state, there)
    return replace(split, late=split.late + thrown_over_first(state, equal)) if equal else split


@dataclass(frozen=True, slots=True)
class _Thrown:
    """The dice that are not the last roller's, and since when it is `known` who threw them."""

    state: State
    fresh: Dice
    known: float

    def thrown_into(self, die: Track, area: Area) -> bool:
        """Whether a die was thrown into an area, wherever it was pushed since."""
        return _inside(_before_push(self.fresh, die, _soon(self.state)), area)

    def known_thrown(self, own: Area) -> Dice:
        """The dice of which it is known that they were thrown in this turn. After a restart the
        last roller's may still lie in its half; in the side's `own` half none of those do, but for
        what shows the very roll that nobody had seen thrown.
        """
        later = tuple(t for t in self.fresh if t.first_at > self.known)
        if is_half_ignored(self.state):
            return later
        lying = tuple(t for t in self.fresh if t not in later and self.thrown_into(t, own))
        if _is_last_roll(self.state, lying):
            return later
        return tuple(t for t in self.fresh if t in later + lying)


def _split_before_roll(state: State, there: _Thrown) -> SplitDice:
    """The dice of a turn whose roll is not known yet."""
    whole, own = is_half_ignored(state), area_of(state, state.game.on_roll)
    # After a restart the last roller's dice may still lie in its half.
    news = there.known_thrown(own)
    over = _over_since(state, news)
    late = tuple(t for t in news if t.gone_at is None and t.first_at > over)
    if not whole and state.turn.stuck:
        # Closed out: it need not roll, but what it throws all the same is its own.
        late = tuple(t for t in late if not there.thrown_into(t, own))
    if not whole and _is_untouched(state) and all(there.thrown_into(t, own) for t in late):
        # Both sides agreed, or a die had leaned: whoever threw has thrown again.
        late = ()
    if not whole and late and all(there.thrown_into(t, own) for t in late):
        before = [t for t in news if t not in late]
        if before and not any(there.thrown_into(t, own) for t in before):
            # The other side threw out of turn and took its dice up again, rather than that both
            # sides threw into the half that is not theirs.
            return SplitDice(late, ())
    touched = state.watch.touched_since
    if not whole and state.press_ends_turn:
        over_there = tuple(t for t in news if not there.thrown_into(t, own))
        late = tuple(t for t in over_there if t.gone_at is None)
        if state.turn.reopened:
            # Its own dice are known already, or were never seen.
            return SplitDice(tuple(t for t in news if t not in late), late)
        # Checkers were moved before these came to lie over there: they are no dice of that.
        later = tuple(t for t in over_there if touched is not None and t.first_at > touched)
        return SplitDice(tuple(t for t in news if t not in later), late)
    if not whole and touched is not None:
        # Checkers were moved, by dice that nobody saw, before these came to lie over there.
        late = tuple(
            t
            for t in news
            if t in late
            or (t.gone_at is None and t.first_at > touched and not there.thrown_into(t, own))
        )
    return SplitDice(tuple(t for t in news if t not in late), late)


def _split_after_roll(state: State, there: _Thrown) -> SplitDice:
    """The dice of a turn whose roll is known, or that was ended."""
    known, side = there.known, state.game.on_roll
    whole, other = is_half_ignored(state), area_of(state, side.other)
    # Of a turn whose roll is not known, no dice are its own that were not before it was ended.
    fresh = there.fresh if state.turn.roll else there.known_thrown(area_of(state, side))
    ended = state.phase in (Phase.PRESSED, Phase.ILLEGAL)
    began = state.match.pressed_at if ended else state.match.rolled_at
    after = tuple(t for t in fresh if t.first_at > max(began, known) and t.gone_at is None)
    late = tuple(t for t in after if there.thrown_into(t, other))
    if not whole and ended and state.press_ends_turn and state.turn.roll is not None:
        # Whoever pressed has played a roll that is known: it throws no other, wherever these lie.
        late = after
    stood = began if ended else state.watch.rest_since or _lifted_over_play(state, fresh)
    if not whole and not state.press_ends_turn and stood is not None:
        # Where no press is waited for, halves are not kept either.
        late = tuple(t for t in after if t in late or t.first_at > stood)
    late = () if only_pushed(state, fresh, late) else late
    old = [t for t in fresh if t.first_at <= began and t.gone_at is None]
    # Two that lie there with both of the old are none of them, pushed aside.
    both = len(late) > 1 and sum(t.last_at >= late[-1].first_at for t in old) > 1
    if old and not both and (whole or not all(there.thrown_into(t, other) for t in late)):
        # Wherever dice may lie, a pushed die is told from a thrown one only while none of the old
        # lies there, or both do.
        late = ()
    if whole and state.phase is Phase.MOVING and _unplayed(state):
        # Nobody throws over a roll that was not played: it is thrown again.
        late = ()
    # Whoever has lifted what it threw over this turn has thrown nothing for it.
    lifted = [t for t in fresh if t.gone_at is not None and t.first_at > max(began, known)]
    theirs = tuple(t for t in lifted if not whole and there.thrown_into(t, other))
    return SplitDice(
        tuple(t for t in fresh if t not in late + theirs + _thrown_after(state, fresh, late)), late
    )


def _lifted_over_play(state: State, fresh: Dice) -> float | None:
    """When the dice of a roll that was read were taken up over what was one of its plays, whichever
    it was; None where they lie there, or no whole play did.
    """
    own = [t for t in fresh if t.first_at <= state.match.rolled_at]
    if not own or any(t.gone_at is None for t in own) or not state.watch.may_stand:
        return None
    return max(t.last_at for t in own)


def _thrown_after(state: State, fresh: Dice, late: Dice) -> Dice:
    """The dice that came to lie there once the other side had thrown over a roll that is known:
    that side's opponent has thrown too early for its next turn, and none of this one.
    """
    if state.turn.roll is None or len(late) < 2:
        return ()
    over = min(t.first_at for t in late) + ONE_THROW_S
    return tuple(t for t in fresh if t.first_at > over and t not in late)


def _is_last_roll(state: State, dice: Dice) -> bool:
    """Whether dice that may have lain there when the camera began to look show the very roll of the
    turn before, whose dice nobody had seen, or where somebody has thrown into the other half.
    """
    line = state.match.plays[-1] if state.match.plays else None
    if line is None or len(dice) != 2:
        return False
    if line.origin is not DiceOrigin.INFERRED and not state.match.dice_elsewhere:
        return False
    return line.roll is not None and sorted(map(_face, dice)) == [line.roll.low, line.roll.high]


def _known_since(dice: Dice, looking_since: float) -> float:
    """From when on it is known that dice which come to lie there were thrown then: a while after
    the camera began to look, half of it where it saw others lie there without them, or once it has
    seen those taken up.
    """
    seen = [t for t in dice if t.seen_again]
    lifted = [t.last_at for t in seen if t.gone_at is not None]
    beside = [t.first_at + GLANCE_S / 2 for t in seen]
    return min([looking_since + GLANCE_S, *(at for at in lifted + beside if at >= looking_since)])


def _before_push(fresh: Dice, die: Track, soon: float) -> Track:
    """The die as it lay before it was pushed with its fellow to where both lie now: they show what
    two showed that had lain elsewhere until so `soon` (s) before. Itself where nobody pushed it.
    """
    fellow = _fellow(fresh, die)
    before = [
        t
        for t in fresh
        if t.first_at < die.first_at and 0 <= die.first_at - t.last_at < soon and t.seen_again
    ]
    then = next((t for t in before if _face(t) == _face(die)), None)
    if fellow is None or then is None:
        return die
    same = any(_face(t) == _face(fellow) and t is not then for t in before)
    return _before_push(fresh, then, soon) if same else die


def _fellow(fresh: Dice, die: Track) -> Track | None:
    """The other die that came to lie there with one."""
    near = (t for t in fresh if t is not die and abs(t.first_at - die.first_at) < PUSHED_S)
    return min(near, key=lambda t: abs(t.first_at - die.first_at), default=None)


def _face(die: Track) -> int:
    """What a die shows, as far as it was read."""
    return die.logs.index(max(die.logs)) + 1


def _is_read(die: Track) -> bool:
    """Whether what a die shows is as good as sure."""
    return max(die.probabilities(floor=0.0)) >= READ


def only_pushed(state: State, fresh: Dice, late: Dice) -> bool:
    """Whether dice that came to lie elsewhere are the roll that was read, pushed there: they show
    the same, and there was no time to pick them up.
    """
    read = state.turn.roll
    gone = [t.last_at for t in fresh if t.gone_at is not None]
    if read is None or len(late) != 2 or not gone:
        return False
    faces = sorted(_face(t) for t in late)
    gap = min(t.first_at for t in late) - max(gone)
    return faces == [read.low, read.high] and gap < _soon(state)


PUSHED_S: Final = 0.6
"""Nobody picks dice up and throws them again so soon, s."""


def _soon(state: State) -> float:
    """So soon after dice are gone, s, others that show the same are those, pushed: once the turn is
    over, or a play stands there, the opponent's throw that shows the same is the likelier.
    """
    ended = state.phase in (Phase.PRESSED, Phase.ILLEGAL)
    verdict = state.watch.verdict
    likely = verdict.likeliest if isinstance(verdict, Pending) else None
    played = state.watch.rest_since is not None or likely not in (None, state.game.placement)
    over = ended or state.turn.stuck or played
    return PUSHED_S / 2 if over else PUSHED_S


def _unplayed(state: State) -> bool:
    """Whether nothing was moved by a roll that can be played."""
    verdict = state.watch.verdict
    return (
        not state.turn.stuck and isinstance(verdict, Pending) and verdict.reason == "nothing_moved"
    )


def _over_since(state: State, news: Dice) -> float:
    """From when on dice that come to lie there are the opponent's, before this turn's roll is
    known: a whole play stands, or its own dice were lifted and checkers moved, or nothing could be.
    """
    if state.press_ends_turn:
        stood = state.watch.rest_since
        return math.inf if stood is None else stood
    since = [math.inf if state.watch.rest_since is None else state.watch.rest_since]
    if state.turn.stuck:
        # Closed out: it need not roll at all.
        since.append(state.turn.began)
    lifted = [t for t in news if t.gone_at is not None]
    touched = state.watch.touched_since
    nothing_played = may_have_no_play(state) and not (_leaned(lifted) or _has_play(state, lifted))
    if lifted and (touched is not None or nothing_played):
        # What lay there before a checker was touched is what it was touched for.
        since.append(max(*(t.last_at for t in lifted), (touched or -math.inf) - TOUCHED_S))
    return min(since)


def _is_untouched(state: State) -> bool:
    """Whether no checker was moved by a side that may have thrown before its roll is known."""
    watch = state.watch
    return not state.turn.stuck and watch.rest_since is None and watch.touched_since is None


def _leaned(lifted: list[Track]) -> bool:
    """Whether one of the dice that were lifted last lay cocked: both are thrown again."""
    return any(t.flat < LEANS for t in _lifted_last(lifted))


def _lifted_last(lifted: list[Track]) -> list[Track]:
    """Of dice that were lifted, those that were taken up together last."""
    last = max((t.last_at for t in lifted), default=math.inf)
    return [t for t in lifted if last - t.last_at < ONE_LIFT_S]


def _has_play(state: State, lifted: list[Track]) -> bool:
    """Whether the dice that were lifted last were read, and their roll has a play: who threw them
    over the end of the turn before throws again.
    """
    together = _lifted_last(lifted)
    if len(together) != 2 or not all(_is_read(die) for die in together):
        return False
    try:
        return bool(plays(state.position(), Roll.of(*map(_face, together))))
    except (PositionError, ValueError):
        return False


def equal_dice(state: State, dice: Dice) -> Dice:
    """The dice that lie there and show a double, and the last that did, before the first roll of a
    game that begins with an opening throw: they were equal and are thrown again, or whoever threw
    them was the second to play. Where people said who begins, that side may throw what it likes.
    """
    said = state.game.starter is not None and state.match.rolled_at < state.turn.began
    if said or not awaits_opening_dice(state):
        return ()
    result: Dice = ()
    for there in (True, False):
        two = tuple(t for t in dice if (t.gone_at is None) is there and t.certainty >= LEANS)
        if len(two) == 2 and len({_face(t) for t in two}) == 1 and all(map(_is_read, two)):
            result += two
    return result


def thrown_again_at(last: e.Body, previous: Evidence | None, now: float) -> float:
    """From when on dice belong to the turn that begins with this entry: from now on, but for those
    that lie there already because they were thrown again.
    """
    if not isinstance(last, e.RollWithdrawn) or last.reason != RETHROWN or previous is None:
        return now
    lying = [t.first_at for t in previous.dice if t.gone_at is None and not t.stale]
    return min(lying, default=now)


def thrown_over_first(state: State, dice: Dice) -> Dice:
    """Those of some equal dice that the second to play has thrown: they lie there in one half."""
    lying = tuple(t for t in dice if t.gone_at is None)
    return lying if is_half_ignored(state) or side_of(state, lying) is not None else ()


READ: Final = 0.9
"""A die shows what it shows with so much at least."""
ONE_LIFT_S: Final = 1.0
"""Dice of one throw are taken up within so long of each other, s."""
LEANS: Final = 0.5
"""A die that is less likely than this to lie flat is thrown again."""
NO_PLAY: Final = 0.1
"""With so great a share of rolls that cannot be played, dice that were lifted over an unmoved board
were played out rather than thrown again."""


def may_have_no_play(state: State) -> bool:
    """Whether the side on roll may well have thrown what it cannot play."""
    try:
        return no_play_share(state.position()) >= NO_PLAY
    except (PositionError, ValueError):
        return False
