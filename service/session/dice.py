"""Whose dice lie there: this turn's, the last roller's, or the opponent's who could not wait.

One shared pair or a pair each, picked up early or left lying, pushed aside to make room for a
checker: what tells them apart is when a die was first seen, and in whose half it lies. Dice that
lay there already when the camera began to look are left out: it is not known who threw them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.event import DiceArea
from rules.position import PositionError
from service.reconcile import (
    ONE_THROW_S,
    WHOLE_FIELD,
    Agreed,
    Area,
    Evidence,
    Matches,
    NoDice,
    Pending,
    RollProblem,
    RollRead,
    RollUnread,
    Track,
    no_play_share,
    placement_seen,
    right_half,
    roll_of_dice,
)
from service.referee.event import seating_of
from service.referee.inputs import Input, NextRollWatched, RollWatched
from service.referee.state import Phase, State
from service.referee.unpressed import dance_thrown_over
from service.referee.waiting import TOUCHED_S
from service.session.halves import area_of, is_half_ignored
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
    there = _Thrown(state, tuple(t for t in dice if not t.stale), _known_since(dice, looking_since))
    before = state.phase in (Phase.TO_ROLL, Phase.DOUBLED)
    return _split_before_roll(state, there) if before else _split_after_roll(state, there)


@dataclass(frozen=True, slots=True)
class _Thrown:
    """The dice that are not the last roller's, and since when it is `known` who threw them."""

    state: State
    fresh: Dice
    known: float

    def thrown_into(self, die: Track, area: Area) -> bool:
        """Whether a die was thrown into an area, wherever it was pushed since."""
        return _inside(_before_push(self.fresh, die, _soon(self.state)), area)


def _split_before_roll(state: State, there: _Thrown) -> SplitDice:
    """The dice of a turn whose roll is not known yet."""
    whole, own = is_half_ignored(state), area_of(state, state.game.on_roll)
    # After a restart the last roller's dice may still lie in its half.
    news = tuple(
        t
        for t in there.fresh
        if t.first_at > there.known or (not whole and there.thrown_into(t, own))
    )
    over = _over_since(state, news)
    late = tuple(t for t in news if t.gone_at is None and t.first_at > over)
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
    fresh, known = there.fresh, there.known
    whole, other = is_half_ignored(state), area_of(state, state.game.on_roll.other)
    ended = state.phase in (Phase.PRESSED, Phase.ILLEGAL)
    began = state.match.pressed_at if ended else state.match.rolled_at
    after = tuple(t for t in fresh if t.first_at > max(began, known) and t.gone_at is None)
    late = tuple(t for t in after if there.thrown_into(t, other))
    if not whole and ended and state.press_ends_turn and state.turn.roll is not None:
        # Whoever pressed has played a roll that is known: it throws no other, wherever these lie.
        late = after
    if not whole and not state.press_ends_turn and (ended or state.watch.rest_since is not None):
        # Where no press is waited for, halves are not kept either.
        since = began if ended else (state.watch.rest_since or began)
        late = tuple(t for t in after if t in late or t.first_at > since)
    late = () if _only_pushed(state, fresh, late) else late
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
    return SplitDice(tuple(t for t in fresh if t not in late + theirs), late)


def _known_since(dice: Dice, looking_since: float) -> float:
    """From when on it is known that dice which come to lie there were thrown then: a while after
    the camera began to look, or once it has seen others taken up.
    """
    lifted = [t.last_at for t in dice if t.gone_at is not None and t.seen_again]
    return min([looking_since + GLANCE_S, *(at for at in lifted if at >= looking_since)])


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


def _only_pushed(state: State, fresh: Dice, late: Dice) -> bool:
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
    over, or may be, the opponent's throw that shows the same is the likelier.
    """
    ended = state.phase in (Phase.PRESSED, Phase.ILLEGAL)
    over = ended or state.turn.stuck or state.watch.rest_since is not None
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
    if lifted and (touched is not None or (_may_have_no_play(state) and not _leaned(lifted))):
        # What lay there before a checker was touched is what it was touched for.
        since.append(max(*(t.last_at for t in lifted), (touched or -math.inf) - TOUCHED_S))
    return min(since)


def _is_untouched(state: State) -> bool:
    """Whether no checker was moved by a side that may have thrown before its roll is known."""
    watch = state.watch
    return not state.turn.stuck and watch.rest_since is None and watch.touched_since is None


def _leaned(lifted: list[Track]) -> bool:
    """Whether one of the dice that were lifted last lay cocked: both are thrown again."""
    last = max(t.last_at for t in lifted)
    return any(last - t.last_at < ONE_LIFT_S and t.flat < LEANS for t in lifted)


ONE_LIFT_S: Final = 1.0
"""Dice of one throw are taken up within so long of each other, s."""
LEANS: Final = 0.5
"""A die that is less likely than this to lie flat is thrown again."""
NO_PLAY: Final = 0.1
"""With so great a share of rolls that cannot be played, dice that were lifted over an unmoved board
were played out rather than thrown again."""


def _may_have_no_play(state: State) -> bool:
    """Whether the side on roll may well have thrown what it cannot play."""
    try:
        return no_play_share(state.position()) >= NO_PLAY
    except (PositionError, ValueError):
        return False


def _may_be_the_others(state: State) -> bool:
    """Whether a throw in the other side's half may be that side's: the side on roll had no play,
    and nobody saw what it threw; or the other one throws again after a dance.
    """
    if state.press_ends_turn:
        return False
    return _may_have_no_play(state) or dance_thrown_over(state) is not None


def always_plays(state: State) -> bool:
    """Whether the side on roll has a play with every throw."""
    try:
        return no_play_share(state.position()) == 0
    except (PositionError, ValueError):
        return False


def with_dice_of_turn(state: State, evidence: Evidence, looking_since: float) -> Evidence:
    """The evidence that the play is judged by: without dice thrown in the next turn or before."""
    mine = split_dice(state, evidence.dice, looking_since).mine
    stale = tuple(t for t in evidence.dice if t.stale)
    return (
        evidence
        if len(mine) + len(stale) == len(evidence.dice)
        else replace(evidence, dice=mine + stale)
    )


def _is_own_play(state: State) -> bool:
    """Whether what was moved before the roll was announced is a play of the side on roll, or half
    of one: dice in the other half, and that side's own checkers moved, are its turn out of turn.
    """
    verdict = state.watch.verdict
    return (isinstance(verdict, Agreed) and bool(verdict.play.moves)) or (
        isinstance(verdict, Pending) and verdict.reason in OWN_PLAY
    )


OWN_PLAY: Final = frozenset({"half_made", "hit_checker"})
"""Pending for a reason that tells of a play of the side on roll."""


def watch_roll(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """What the dice of the side on roll show before its play, and the opponent's if any lie."""
    dice = split_dice(state, evidence.dice, looking_since)
    seen = roll_of_dice(replace(evidence, dice=dice.mine), now, area_of(state, state.game.on_roll))
    if (
        isinstance(seen, RollProblem)
        and seen.kind == "wrong_half"
        and state.watch.touched_since is not None
        and _is_own_play(state)
    ):
        before = tuple(t for t in dice.mine if t.first_at < state.watch.touched_since)
        played = roll_of_dice(replace(evidence, dice=before), now, WHOLE_FIELD)
        if isinstance(played, RollRead):
            return [RollWatched(played, elsewhere=True)]
    old_lie_there = any(t.stale and t.gone_at is None for t in evidence.dice)
    if isinstance(seen, RollProblem) and (
        (seen.kind in ("missing", "wrong_half") and old_lie_there)
        or (seen.kind == "wrong_half" and _may_be_the_others(state))
    ):
        # Nobody has rolled while the last roller's dice still lie there; one of them was pushed.
        seen = RollUnread()
    mine = [t for t in dice.mine if t.gone_at is None]
    lying = tuple(t.where for t in mine)
    half = right_half(seating_of(state), state.game.on_roll)
    learned = is_half_ignored(state) and state.match.event.dice_area is DiceArea.RIGHT_HALF
    return [
        RollWatched(
            seen,
            elsewhere=learned and not any(_inside(t, half) for t in mine),
            lying=lying,
            thrown_over_at=_thrown_at(dice.late),
            stirred_at=evidence.stirred_at,
        ),
        *_next_roll(state, evidence, dice.late, now),
    ]


def _thrown_at(dice: Dice) -> float | None:
    """When the first of these dice was seen, None for no dice."""
    return min((t.first_at for t in dice), default=None)


def after_double(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """What dice show that were thrown over the checkers as they stood, the doubler's or the other
    side's: it was taken.
    """
    placement = state.game.placement
    if placement is None or not isinstance(placement_seen(evidence, placement, now), Matches):
        return []
    return watch_roll(state, evidence, looking_since, now)


def roll_and_next(
    state: State, evidence: Evidence, looking_since: float, now: float
) -> list[Input]:
    """This turn's dice while its play is made or judged, and the opponent's next throw."""
    dice = split_dice(state, evidence.dice, looking_since)
    found: list[Input] = []
    lying = [t for t in dice.mine if t.gone_at is None]
    if state.phase is Phase.MOVING:
        known = max(state.match.rolled_at, looking_since + GLANCE_S)
        again = tuple(t for t in lying if t.first_at > known)
        if _only_pushed(state, tuple(t for t in evidence.dice if not t.stale), again):
            again = ()
        if again and len(again) == len(lying) and not _other_threw_before(state, evidence, again):
            seen = roll_of_dice(
                replace(evidence, dice=again), now, area_of(state, state.game.on_roll)
            )
            found.append(RollWatched(seen, again=True))
        else:
            seen = RollUnread() if lying else NoDice()
            found.append(RollWatched(seen, thrown_over_at=_thrown_at(dice.late)))
    elif state.phase is Phase.PRESSED and state.turn.roll is None:
        # A throw in the other half is the opponent's, whenever the camera began to look again.
        own = area_of(state, state.game.on_roll)
        new = tuple(t for t in dice.mine if t.first_at > state.match.pressed_at and _inside(t, own))
        found.append(
            RollWatched(
                roll_of_dice(replace(evidence, dice=new), now, area_of(state, state.game.on_roll))
            )
        )
    return [*found, *_next_roll(state, evidence, dice.late, now)]


def _other_threw_before(state: State, evidence: Evidence, again: Dice) -> bool:
    """Whether the other side has thrown since this roll, in its own half, before these dice came:
    then they are no second throw of the same turn.
    """
    if is_half_ignored(state):
        return False
    other = area_of(state, state.game.on_roll.other)
    before = min(t.first_at for t in again) - ONE_THROW_S
    since = [t for t in evidence.dice if state.match.rolled_at < t.first_at < before]
    return sum(_inside(t, other) for t in since if t.seen_again and not t.stale) >= 2


def _next_roll(state: State, evidence: Evidence, late: Dice, now: float) -> list[Input]:
    """What the opponent's dice show, thrown before this turn was decided; nothing when none lie."""
    if len(late) >= 2:
        seen = roll_of_dice(
            replace(evidence, dice=late), now, area_of(state, state.game.on_roll.other)
        )
        return [NextRollWatched(seen, min(t.first_at for t in late))]
    alone = len(late) == 1 and now - late[0].first_at >= evidence.tuning.die_missing_s
    if alone and not any(t.gone_at is None and t not in late for t in evidence.dice):
        # Its fellow is not seen, but nobody leaves one die of the last roll in the other half.
        return [NextRollWatched(RollUnread(), late[0].first_at)]
    return [NextRollWatched(NoDice())] if state.watch.next_roll is not None else []
