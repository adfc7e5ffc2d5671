"""Several turns at once: the plays that stills and throws tell of, of a film or of a live table.

A verdict falls turn by turn; here what came later is known too, and a play that nothing later fits
was not made. A beam of stories (`histories`) runs over the stills. A story is a chain of turns; its
cost in nats is what the dice and the sites say against it. What keeps it honest is that **a site is
charged when its reading changes, or when a story changes what stands there**, and not again while
both stay as they are. The same misread in twenty stills is one misread; charging each still would
let a lasting error outvote every rule and explain itself by a play that was not made. A hand sets
checkers down one after another, so a turn takes back what its sites were charged in the last few
stills.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rules.board import Side
from rules.dice import ROLLS
from rules.position import Position, PositionError
from service.reconcile import hypotheses, likelihood, off_course
from service.reconcile.arrays import F32, F64, Bools, Logs
from service.reconcile.codes import CODES, SITES, Codes, codes_of
from service.reconcile.histories import (
    MEMORY,
    Marked,
    Story,
    TurnMade,
    least_cost,
    note_all_gaps,
    read_turns,
)
from service.reconcile.off_course import StillRead, ThrowOption
from service.reconcile.reel import Costs, ReadTurn, Still, Throw
from service.reconcile.rolls import LOG_PRIOR, rolls_shown
from service.reconcile.tuning import DEFAULT

_SITES = np.arange(SITES)
LATE_S: Final = DEFAULT.ask_s
"""Dice may be seen so long after a checker that was moved by them: pictures may be late."""
_MARKED_EVERY = 16
"""Stills between two places from which a film is read again."""


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """Every legal result of every roll from one position, N rows: `codes` (N, 26), `roll` (N,)
    index, `prior` (N,) nats that the choice among the roll's results costs, `changed` (N,) whether
    any checker moved, the mover's `views`.
    """

    codes: Codes
    roll: npt.NDArray[np.int8]
    prior: F64
    changed: Bools
    views: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A turn that a story may have completed: the story's whole cost then, nats, the index of its
    result, the throw it used.
    """

    cost: float
    index: int
    throw: int | None


def _least(cost: npt.NDArray[np.floating], most: int) -> npt.NDArray[np.intp]:
    """The indices of the least, in no order: `most` of them, or all."""
    if len(cost) <= most:
        return np.arange(len(cost))
    return np.argpartition(cost, most)[:most]


_Grown: TypeAlias = tuple[float, Story, _Candidate | None]
"""(cost, story, turn to be completed in it): a story one still later."""


def _as_grown(stories: Sequence[Story]) -> list[_Grown]:
    """Stories that are complete as they are."""
    return [(story.cost, story, None) for story in stories]


@dataclass
class Beam:
    """Reads what was seen over some turns, or a whole film.

    `presses`: times at which a side's turn ended, s, when they are known.
    """

    stills: Sequence[Still]
    throws: Sequence[Throw]
    presses: Sequence[float] | None = None
    tuning: Costs = field(default_factory=Costs)
    marks: list[Marked] | None = None
    """Where to go on from when the same film is read again with some stills and throws put right;
    None: it is read once.
    """

    def __post_init__(self) -> None:
        """Prepare what does not depend on any story: each still's nats by code, (26, 256)."""
        self._results: dict[tuple[tuple[int, ...], Side, bool], _Results] = {}
        self._tables: list[F32] = [
            np.minimum(np.where(s.seen[:, None], -s.logs, 0), self.tuning.one_site).astype(
                np.float32
            )
            for s in self.stills
        ]
        self._novel = self._novelties()
        # What dice show, they show in every story, whatever was made of them: none pays for it.
        self._shown = [rolls_shown(throw.rolls) for throw in self.throws]
        # No turn whose dice nobody saw pays less for its roll.
        self._unseen_roll = -float(LOG_PRIOR.max())

    def _novelties(self) -> list[Bools]:
        """By still: sites (26,) whose reading is not what it was when they were last seen."""
        result: list[Bools] = []
        kept: Logs = np.zeros((SITES, CODES), np.float32)
        ever = np.zeros(SITES, np.bool_)
        for still in self.stills:
            was, now = kept.argmax(axis=1), still.logs.argmax(axis=1)
            moved = (still.logs[_SITES, now] - still.logs[_SITES, was]) + (
                kept[_SITES, was] - kept[_SITES, now]
            ) > self.tuning.same_reading
            novel = still.seen & (~ever | moved)
            kept = np.where(novel[:, None], still.logs, kept)
            ever |= still.seen
            result.append(novel)
        return result

    def read(self, starts: Iterable[Position]) -> tuple[ReadTurn, ...]:
        """The turns of the best story that begins with any of these positions.

        They stand there at the first still; several, when the side on roll is open.
        """
        begun, stories = 0, [Story.opening_at(position) for position in starts]
        if self.marks:
            begun, stories = self.marks[-1].still, self.marks.pop().again()
        for k in range(begun, len(self.stills)):
            if self.marks is not None and k % _MARKED_EVERY == 0:
                self.marks.append(Marked.before(k, stories))
            stories = self._advance(stories, k)
        stories = sorted((self._ended(story) for story in stories), key=lambda story: story.cost)
        note_all_gaps(stories)
        return read_turns(stories[0], self.tuning)

    # One still.

    def _advance(self, stories: list[Story], k: int) -> list[Story]:
        """Every story with one more still, the best first, those that met again merged."""
        table, novel = self._tables[k], self._novel[k]
        look = StillRead(k, self.stills[k], table, novel, self.tuning)
        # Dice that came to lie there in the still before may have been thrown after its play.
        threw = any(
            t.at <= self.stills[k].until and (k == 0 or t.at > self.stills[k - 1].at)
            for t in self.throws
        )
        asks = bool(novel.any()) or threw or k == 0
        grown: list[_Grown] = []
        for rank, each in enumerate(stories):
            story = self._straightened(each, k)
            if story.between:
                paid = self.tuning.set_up if asks else 0.0
                on = replace(story, cost=story.cost + paid, between_nats=story.between_nats + paid)
                grown.append((on.cost, on, None))
                grown += _as_grown(off_course.begun_anew(self._beyond(story, k), look))
                continue
            charged = np.where(novel, table[_SITES, story.codes], 0).astype(np.float32)
            alone = float(charged.sum())
            paid = float(likelihood.in_pairs(charged[None], DEFAULT)[0]) if alone else 0.0
            stay = story.cost + paid
            askew = story.askew
            if paid < alone:
                askew = askew | (charged > DEFAULT.neighbour_nats)
                # What two neighbours pay together is what they may be given back.
                charged *= np.float32(paid / alone)
            recent = np.concatenate([charged[None], story.recent[:-1]])
            grown.append((stay, replace(story, cost=stay, recent=recent, askew=askew), None))
            if asks and not story.position.is_over:
                made = self._turns(story, k)
                grown += [(m.cost, story, m) for m in made]
                dear = min((m.cost for m in made), default=stay)
                dear = min(dear, stay) - story.cost + self._unseen_roll
                options = self._throw_options(story, k)
                if rank < 3 and dear > 2 * (options[0].skipped + self._unseen_roll):
                    second = self._throw_options(story, k, other=True)
                    grown += _as_grown(off_course.two_turns(story, look, second))
                    grown += _as_grown(off_course.from_what_stands(story, look))
                if rank < 3 and dear > self.tuning.out_of_turn:
                    grown += self._out_of_turn(story, k) + self._changed(story, k, look)
                    grown += _as_grown(off_course.misplayed(story, look, options))
            if float(table[_SITES, story.codes].sum()) > 4 * self.tuning.one_site:
                over = self._beyond(story, k)
                grown += _as_grown(off_course.begun_anew(over, look))
                grown += _as_grown(off_course.set_aside(over, self.tuning))
        return self._merged(grown, k)

    def _straightened(self, story: Story, k: int) -> Story:
        """The story with what it paid for neighbours that lay askew given back, where they read
        rightly by this still: somebody has put the checker straight.
        """
        if not story.owed or not (self._novel[k] & story.owed_at).any():
            return story
        right = self._tables[k][_SITES, story.codes] < self.tuning.same_reading
        if not right[story.owed_at].all():
            return story
        return replace(story, cost=story.cost - story.owed, owed=0.0)

    def _merged(self, grown: list[_Grown], k: int) -> list[Story]:
        """The best stories, one for each position, side, throw and game.

        The others that came to the same are noted as their rivals.
        """
        grown.sort(key=lambda g: g[0])
        kept: dict[tuple[tuple[int, ...], Side, int, int, bool], Story] = {}
        limit = grown[0][0] + self.tuning.margin
        for cost, before, made in grown:
            if cost > limit or len(kept) >= self.tuning.beam:
                break
            story = before if made is None else self._completed(before, made, k)
            key = (
                story.position.view,
                story.position.side,
                story.throws,
                story.game,
                story.between,
            )
            winner = kept.get(key)
            if winner is None:
                kept[key] = story
            elif winner.last is not None:
                winner.last.rivals.append((story.last, story.cost - winner.cost))
        return list(kept.values())

    def _turns(self, story: Story, k: int, told: Codes | None = None) -> list[_Candidate]:
        """The likeliest results of the turn that may have been completed by this still; `told`
        (26,): what stood there as the story had it until now, where it takes that back.
        """
        found = self._all_results(story)
        table, novel = self._tables[k], self._novel[k]
        differ = found.codes != story.codes
        # A changed site is charged whatever it reads; what it was charged lately is taken back;
        # others as if nothing had happened.
        asked = differ | novel | (found.codes != (story.codes if told is None else told))
        sites = np.where(asked, table[_SITES, found.codes], 0)
        room = min(MEMORY - 1, max(k - 1 - story.since, 0))
        recent = story.recent[:room]
        # What stood there meanwhile, and reads right by now, was a checker on its way.
        passed = differ | (table[_SITES, story.codes] < self.tuning.same_reading)
        here = story.cost + sites.sum(axis=1) + self._press_cost(story.since, k)
        if story.askew.any():
            lying = np.where(story.askew & ~asked, table[_SITES, found.codes], 0)
            here = here + lying.sum(axis=1) - likelihood.in_pairs(lying, DEFAULT)
        made: list[_Candidate] = []
        for throw in self._throw_options(story, k):
            # What stood so before these dice were thrown, nobody has moved by them.
            own = recent[: self._stills_since(throw.index, k)]
            back = np.where(passed, own.sum(axis=0), 0).sum(axis=1)
            lag = self.tuning.lag * (own.any(axis=1).sum() if len(own) else 0)
            cost = here - back + np.where(found.changed, lag, 0)
            cost = cost + found.prior - throw.rolls[found.roll] + throw.skipped
            if throw.index is None and not found.changed.any():
                # Closed out: such a side does not throw.
                cost = cost - throw.skipped
            elif throw.index is None:
                # Nothing changed and no dice seen: nothing says that a turn passed.
                cost = np.where(found.changed, cost, cost + self.tuning.unseen_throw)
            some = _least(cost, 4 * self.tuning.candidates)
            near = cost[some] - sites[some].sum(axis=1)
            near += likelihood.in_pairs(sites[some], DEFAULT)
            for i in _least(near, self.tuning.candidates):
                made.append(_Candidate(float(near[i]), int(some[i]), throw.index))
        made.sort(key=lambda m: m.cost)
        return made[: self.tuning.candidates]

    def _stills_since(self, throw: int | None, k: int) -> int:
        """How many of the last stills lasted until dice were thrown; all where nobody saw them."""
        if throw is None:
            return MEMORY
        thrown = self.throws[throw].began - LATE_S
        return sum(still.until >= thrown for still in self.stills[max(k - MEMORY, 0) : k])

    def _out_of_turn(self, story: Story, k: int) -> list[_Grown]:
        """Stories in which the side whose turn it was not has played."""
        position, side = story.position, story.position.side.other
        try:
            turned = Position.of(position.placement, position.ruleset, side, story.first[side])
        except PositionError:
            return []
        other = replace(story, position=turned, cost=story.cost + self.tuning.out_of_turn)
        return [(made.cost, other, made) for made in self._turns(other, k)]

    def _changed(self, story: Story, k: int, look: StillRead) -> list[_Grown]:
        """Stories in which the last turn was played otherwise after all, rightly or not."""
        last = story.last
        if last is None or last.turn.game != story.game:
            return []
        turn, side = last.turn, last.turn.side
        before = codes_of(turn.position.placement)
        # What its sites were charged when it was taken back was no misreading.
        touched = before != story.codes
        back = float(story.recent[:, touched].sum())
        again = replace(
            story,
            position=turn.position,
            codes=before,
            cost=story.cost - least_cost(turn) + self.tuning.changed - back,
            recent=np.where(touched, 0, story.recent).astype(np.float32),
            throws=story.throws if turn.throw is None else turn.throw,
            last=last.before,
            first=story.first.put(side, turn.position.first_turn),
        )
        made: list[_Grown] = [(m.cost, again, m) for m in self._turns(again, k, story.codes)]
        stood = self.stills[story.since].at
        if off_course.is_tried(stood, look.still.at, self.presses, self.throws, turn.throw):
            options, knocked = self._throw_options(again, k), bool(self.presses)
            made += _as_grown(off_course.misplayed(again, look, options, knocked=knocked))
        return made

    def _all_results(self, story: Story) -> _Results:
        """The legal results from where a story stands, computed once for all that stand there."""
        position = story.position
        key = (position.view, position.side, position.first_turn)
        found = self._results.get(key)
        if found is None:
            legals = [hypotheses.legal(position, roll) for roll in ROLLS]
            codes = np.concatenate([legal.codes for legal in legals])
            rolls = np.concatenate(
                [np.full(len(legal.codes), i, np.int8) for i, legal in enumerate(legals)]
            )
            prior = np.concatenate([-legal.shares for legal in legals])
            views = tuple(view for legal in legals for view in legal.views)
            found = _Results(codes, rolls, prior, (codes != story.codes).any(axis=1), views)
            self._results[key] = found
        return found

    def _throw_options(self, story: Story, k: int, other: bool = False) -> list[ThrowOption]:
        """Which dice the turn, or the `other` side's after it, may have used: none, or the next."""
        beyond = story.position.side if other else story.position.side.other
        # Where nobody looked, no dice could be seen.
        away = any(s.unlooked is not None for s in self.stills[story.since + 1 : k + 1])
        options = [ThrowOption(None, LOG_PRIOR, 0.0 if away else self.tuning.unseen_throw)]
        over = self.stills[story.since].at if story.since >= 0 else -math.inf
        skipped = 0.0
        for index in range(story.throws, min(len(self.throws), story.throws + 4)):
            throw = self.throws[index]
            if throw.at > self.stills[k].until:
                break
            doubt = math.log(max(throw.valid, 1e-3))
            paid = skipped - doubt + self.tuning.other_half * (throw.side is beyond)
            # Dice that were taken up before the last turn was over were thrown too early.
            paid += self.tuning.skipped_throw * (throw.until < over)
            options.append(ThrowOption(index, self._shown[index], paid, throw.began))
            skipped += self._passed_over(throw)
        return options

    def _ended(self, story: Story) -> Story:
        """The story when there is no more to be seen: the last throw may still be played, but pays
        where it lies in the other side's half; those before it that no turn used were passed over.
        """
        left = () if story.between else self.throws[story.throws :]
        paid = sum(self._passed_over(throw) for throw in left[:-1])
        if left and left[-1].side is story.position.side.other:
            paid += min(self.tuning.other_half, self._passed_over(left[-1]))
        return replace(story, cost=story.cost + paid) if paid else story

    def _beyond(self, story: Story, k: int) -> Story:
        """The story past the dice that were taken up before a still: no turn of the next game uses
        them. While checkers are set up dice may lie anywhere.
        """
        made = sum(throw.until < self.stills[k].at for throw in self.throws)
        paid = 0.0
        for throw in () if story.between else self.throws[story.throws : made]:
            paid += self._passed_over(throw)
        return replace(story, cost=story.cost + paid, throws=max(story.throws, made))

    def _passed_over(self, throw: Throw) -> float:
        """What it costs that no turn uses a throw, nats."""
        return min(self.tuning.skipped_throw, -math.log(max(1 - throw.valid, 1e-3)))

    def _completed(self, story: Story, made: _Candidate, k: int) -> Story:
        """The story with this turn taken up."""
        found = self._all_results(story)
        codes, roll = found.codes[made.index], int(found.roll[made.index])
        same = (found.codes == codes).all(axis=1)
        logs = self.throws[made.throw].rolls if made.throw is not None else np.zeros(len(ROLLS))
        shares = np.exp(LOG_PRIOR[found.roll] + logs[found.roll] - found.prior)
        turn = TurnMade(
            ROLLS[roll],
            codes,
            found.views[made.index],
            made.throw,
            made.throw + 1 if made.throw is not None else story.throws,
            made.cost,
            1 - float(shares[made.index] / shares[same].sum()),
        )
        longer = story.with_turn(turn, k, self.stills[k])
        # The same sites as were weighed together: one of the two may read anew and be left alone.
        asked = (codes != story.codes) | self._novel[k]
        denied = np.where(asked, self._tables[k][_SITES, codes], 0)[None]
        alone = bool(likelihood.in_pairs(denied, DEFAULT)[0] >= denied.sum())
        askew = np.zeros(SITES, np.bool_) if alone else denied[0] > DEFAULT.neighbour_nats
        lying = np.where(story.askew & ~asked, self._tables[k][_SITES, codes], 0)[None]
        owed = float(lying.sum() - likelihood.in_pairs(lying, DEFAULT)[0])
        return replace(longer, askew=askew, owed=owed, owed_at=lying[0] > 0)

    def _press_cost(self, since: int, k: int) -> float:
        """What presses that are missing, or too many, cost a turn between two stills, nats."""
        if self.presses is None:
            return 0.0
        begin = self.stills[since].until if since >= 0 else -math.inf
        pressed = sum(begin < t <= self.stills[k].until + 2.0 for t in self.presses)
        return self.tuning.unpressed * abs(pressed - 1)
