"""How a story goes on where one legal turn does not explain what stands there: two turns that
nobody saw, a turn against the rules, what stands there without any explanation, a game set up anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rules.board import BAR, OFF, BySide, Side
from rules.dice import ROLLS, Roll
from rules.play import Play
from rules.position import Position, PositionError, view_of
from rules.two_turns import turns_explaining
from service.reconcile import hypotheses, likelihood
from service.reconcile.arrays import F32, F64, Bools
from service.reconcile.as_read import what_stands
from service.reconcile.codes import (
    ONE_CHECKER,
    SITES,
    TALL,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.histories import Story, TurnMade, no_charges
from service.reconcile.reel import Costs, Still, Throw
from service.reconcile.rolls import LOG_PRIOR
from service.reconcile.taken_off import may_be_taken_off
from service.reconcile.tuning import DEFAULT

_SITES = np.arange(SITES)
_ON_POINTS = (_SITES != OFF) & (_SITES != BAR)


@dataclass(frozen=True, slots=True, eq=False)
class StillRead:
    """One still as the stories are held against it: its `number`, its `table` (26, 256) of nats,
    the sites (26,) whose reading is `novel`, and what each way to go on costs.
    """

    number: int
    still: Still
    table: F32
    novel: Bools
    tuning: Costs


@dataclass(frozen=True, slots=True, eq=False)
class ThrowOption:
    """Dice that a turn may have used: the throw's index (None: not seen), log-probability of the
    rolls (21,) by what they show, what passing over the throws before it costs, nats, and when the
    first of them was seen, s.
    """

    index: int | None
    rolls: F64
    skipped: float
    began: float = -math.inf


def _standing(story: Story, look: StillRead) -> list[Codes]:
    """The likeliest placement by this still alone, (26,) each; at most one."""
    return what_stands(-look.table, story.codes, story.position.ruleset.checkers, keep=1)


def _as_read(story: Story, look: StillRead) -> list[Codes]:
    """The placement that every site by itself reads, (26,), where nothing but checkers borne off
    can be missing from it; at most one. Of tall piles borne off from it says more than what stands
    there likeliest, for which a checker off is dearer than a pile that is counted wrongly.
    """
    codes: Codes = np.where(look.still.seen, look.table.argmin(axis=1), story.codes)
    codes = codes.astype(np.int16)
    codes[OFF] = 0
    for side in Side:
        off = story.position.ruleset.checkers - int(checkers_of(codes, side).sum())
        if off < checkers_of(story.codes, side)[OFF]:
            return []
        codes[OFF] += off * ONE_CHECKER[side]
    return [codes]


def two_turns(story: Story, look: StillRead, options: Sequence[ThrowOption]) -> list[Story]:
    """Stories in which two turns passed unseen since the last still; where nobody looked, dice may
    have been left lying that the second was played with.
    """
    result = []
    position, table = story.position, look.table
    looked = -math.inf if look.still.unlooked is None else look.still.unlooked[1]
    left = [option for option in options if option.began <= looked]
    standing = {
        codes.tobytes(): codes for codes in (*_standing(story, look), *_as_read(story, look))
    }
    for codes in standing.values():
        pairs = turns_explaining(
            position,
            None,
            placement_from(codes),
            second_first_turn=story.first[position.side.other],
        )
        asked = (codes != story.codes) | look.novel
        charged = float(np.where(asked, table[_SITES, codes], 0).sum())
        for pair in sorted(pairs, key=lambda pair: _thrown_with(pair[1][0], left)[0])[:6]:
            (roll, play), (next_roll, after) = pair
            paid = story.cost + charged + options[0].skipped + _unplayed(story, pair)
            paid -= float(LOG_PRIOR[hypotheses.ROLL_INDEX[roll]])
            thrown, index, other = _thrown_with(next_roll, left)
            throws = story.throws if index is None else index + 1
            begun = TurnMade(
                roll,
                codes_of(play.placement),
                play.view,
                None,
                story.throws,
                paid,
                _other_first(pair, pairs),
            )
            made = TurnMade(
                next_roll,
                codes_of(after.placement),
                after.view,
                index,
                throws,
                paid + thrown,
                other,
            )
            longer = story.with_turn(begun, look.number, look.still)
            longer = longer.with_turn(made, look.number, look.still)
            result.append(longer)
    return result


_Pair = tuple[tuple[Roll, Play], tuple[Roll, Play]]


def _other_first(pair: _Pair, pairs: Sequence[_Pair]) -> float:
    """How likely the first of two turns was made with another roll that left the same, as far as
    the two explain what stands there.
    """
    (roll, play), _ = pair
    rolls = {made for (made, each), _ in pairs if each.view == play.view}
    shares = {made: math.exp(LOG_PRIOR[hypotheses.ROLL_INDEX[made]]) for made in rolls}
    return 1 - shares[roll] / sum(shares.values())


def _thrown_with(roll: Roll, options: Sequence[ThrowOption]) -> tuple[float, int | None, float]:
    """What a roll costs with the dice that it was likeliest thrown with, nats; the throw's index,
    None where nobody saw it; and how likely another roll left the same.
    """
    n = hypotheses.ROLL_INDEX[roll]
    cost, last = min(
        ((each.skipped - float(each.rolls[n]), each) for each in options), key=lambda c: c[0]
    )
    shares = np.exp(last.rolls + LOG_PRIOR)
    other = 0.5 if last.index is None else 1 - float(shares[n] / shares.sum())
    return cost, last.index, other


def _unplayed(story: Story, turns: Sequence[tuple[Roll, Play]]) -> float:
    """What the plays of turns cost among the legal ones of their rolls, nats."""
    paid, position = 0.0, story.position
    for roll, play in turns:
        paid -= hypotheses.legal(position, roll).share_of(play.view)
        position = position.after(play.view, story.first[position.side.other])
    return paid


def misplayed(
    story: Story, look: StillRead, options: Sequence[ThrowOption], *, knocked: bool = True
) -> list[Story]:
    """Stories in which the side on roll has left what stands there against the rules; `knocked`:
    the other side's checkers too, though it has hit none.
    """
    if not look.tuning.misplays:
        return []
    table, position = look.table, story.position
    result = []
    for codes in (_not_hit(codes, story) for codes in _standing(story, look)):
        view = view_of(placement_from(codes), position.ruleset.facing, position.side)
        unlike = (table[_SITES, codes] >= DEFAULT.differs_nats).any()
        if view is None or unlike or (codes == story.codes).all():
            # What is read of a cup or a phone is no checker: then nothing stands there for sure.
            continue
        if any(checkers_of(codes, s)[OFF] < checkers_of(story.codes, s)[OFF] for s in Side):
            # None that was borne off comes back: it never was.
            continue
        if not _goes_on(position, codes):
            # Nothing is hit here, and a checker is read on the bar, say.
            continue
        kind, astray = hypotheses.change_kind(story.codes, codes, position.side)
        if kind is hypotheses.Kind.OTHERWISE and not knocked:
            continue
        differ = codes != story.codes
        asked = np.where(differ | look.novel, table[_SITES, codes], 0).astype(np.float32)
        back = float(story.recent[:, differ].sum())
        for throw in options:
            roll = ROLLS[int(np.argmax(throw.rolls))]
            known = None if throw.index is None else roll
            if not may_be_taken_off(position, codes, known):
                # A checker fell, or its pile is misread: no turn of these dice has taken it off.
                continue
            if _piles_more_than(known, story.codes, codes, position.side):
                # Nobody can count that pile, and the roll moves fewer checkers.
                continue
            _, prior = hypotheses.slip_of(position, story.codes, codes, known, kind, astray)
            price = throw.skipped - prior
            paid = float(likelihood.in_pairs(asked[None], DEFAULT)[0]) - back
            used = story.throws if throw.index is None else throw.index + 1
            cost = story.cost + price + paid
            made = TurnMade(roll, codes, view, throw.index, used, cost, 0.0, price)
            result.append(story.with_turn(made, look.number, look.still))
    return result


def _piles_more_than(roll: Roll | None, before: Codes, after: Codes, side: Side) -> bool:
    """Whether a tall pile holds more checkers of a side's than a roll could have brought there, any
    roll where none is known.
    """
    most = 2 if roll is not None and not roll.is_double else 4
    was, now = (checkers_of(each, side).astype(np.int16) for each in (before, after))
    return bool((now - was)[(now >= TALL) & _ON_POINTS].max(initial=0) > most)


def _not_hit(codes: Codes, story: Story) -> Codes:
    """The placement (26,) with the checkers of the side on roll off that are on the bar in it and
    were not: nobody hits its own.
    """
    side = story.position.side
    hit = int(checkers_of(codes, side)[BAR]) - int(checkers_of(story.codes, side)[BAR])
    if hit <= 0:
        return codes
    off = codes.copy()
    off[BAR] -= hit * ONE_CHECKER[side]
    off[OFF] += hit * ONE_CHECKER[side]
    return off


def is_tried(
    stood: float,
    until: float,
    presses: Sequence[float] | None,
    throws: Sequence[Throw],
    own: int | None,
) -> bool:
    """Whether nobody has pressed or thrown between two times, s: a play that `stood` then may have
    been tried, and another made of its roll, rightly or not. Where nobody presses that is so while
    its `own` throw lies there; what is changed later is as likely knocked.
    """
    ended = (*(presses or ()), *(throw.began for throw in throws))
    lies = own is not None and throws[own].until >= until
    return (bool(presses) or lies) and not any(stood < at <= until for at in ended)


def _goes_on(position: Position, codes: Codes) -> bool:
    """Whether the other side may play from what stands there."""
    try:
        Position.of(placement_from(codes), position.ruleset, position.side.other)
    except PositionError:
        return False
    return True


def from_what_stands(story: Story, look: StillRead) -> list[Story]:
    """Stories that go on from what stands there, either side on roll, without explaining it."""
    result = []
    for codes in _standing(story, look):
        placement = placement_from(codes)
        charged = float(np.where(look.novel, look.table[_SITES, codes], 0).sum())
        for side in Side:
            try:
                position = Position.of(placement, story.position.ruleset, side)
            except PositionError:
                continue
            result.append(
                replace(
                    story,
                    position=position,
                    codes=codes,
                    cost=story.cost + look.tuning.lost + charged,
                    since=look.number,
                    first=BySide.both(False),
                    recent=no_charges(),
                )
            )
    return result


def set_aside(story: Story, tuning: Costs) -> list[Story]:
    """The story in which the game has ended and checkers are being set up, if films have it."""
    paid = tuning.set_up + (1.0 if story.position.is_over else tuning.new_game)
    if math.isinf(paid):
        return []
    between = story.between_nats + paid
    return [replace(story, cost=story.cost + paid, between_nats=between, between=True)]


def begun_anew(story: Story, look: StillRead) -> list[Story]:
    """Stories in which the checkers were set up anew: the game before was over, or given up."""
    table = look.table
    result = []
    for side in Side:
        opened = Story.opening_at(Position.start(story.position.ruleset, side))
        against = float(table[_SITES, opened.codes].sum())
        if against > 2 * look.tuning.one_site:
            continue
        known = story.between or story.position.is_over
        paid = 1.0 if known else look.tuning.new_game
        result.append(
            replace(
                opened,
                cost=story.cost + against + paid,
                between_nats=story.between_nats + paid,
                throws=story.throws,
                last=story.last,
                since=look.number,
                game=story.game + 1,
            )
        )
    return result
