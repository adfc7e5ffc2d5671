"""A whole film at once: the plays of a recorded game, from stills of one camera and nothing else.

Live, a verdict falls turn by turn; here the future is known too, and a play that nothing later fits
was not made. A beam of stories runs over the stills. A story is a chain of turns; its cost in nats
is what the dice and the sites say against it. Two rules keep it honest:

- **A site is charged when its reading changes, or when a story changes what stands there**, and not
  again while both stay as they are. The
  same misread in twenty stills is one misread; charging each still would let a lasting error
  outvote every rule and explain itself by a play that nobody made. A hand sets checkers down one
  after another, so a turn takes back what its sites were charged in the last few stills.
- **A turn is sure only by its distance from the best story without it.** Stories that meet again in
  the same position are compared where
they
  part, and the turns between carry the gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rules.board import Side
from rules.dice import ROLLS, Roll
from rules.judge import turns_explaining
from rules.position import Position, PositionError
from service.film.reel import FilmTuning, Floats, ReadTurn, Still, Throw, Turn
from service.reconcile import hypotheses
from service.reconcile.arrays import Logs
from service.reconcile.codes import CODES, SITES, Codes, codes_of, placement_from


@dataclass(eq=False)
class Step:
    """One turn of a story. `gap`: how far behind the best story without it lies. `rivals`: stories
    that came to the same position as the one that ends here, each with how much dearer it was; they
    count when this one turns out to be part of the best."""

    turn: Turn
    before: Step | None
    number: int
    cost: float = 0.0
    """Of the whole story when the turn was completed."""
    gap: float = math.inf
    rivals: list[tuple[Step | None, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Story:
    position: Position
    codes: Codes
    cost: float
    recent: npt.NDArray[np.float32]
    """(MEMORY, 26) what each site was charged in the last stills, the newest first."""
    throws: int
    """Throws before this index are used or passed over."""
    last: Step | None
    since: int
    """Still at which the last turn ended."""
    first: tuple[bool, bool] = (True, True)
    """White's and Black's own first turn is still to come."""
    game: int = 1


MEMORY = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """Every legal result of every roll from one position."""

    codes: Codes
    roll: npt.NDArray[np.int8]
    prior: Floats
    changed: npt.NDArray[np.bool_]
    views: tuple[tuple[int, ...], ...]


_SITES = np.arange(SITES)
_WEIGHTS: Floats = np.log(np.array([r.weight for r in ROLLS]) / 36.0)


@dataclass
class Film:
    """Reads one film. `presses`: times at which a side's turn ended, when they are known."""

    stills: Sequence[Still]
    throws: Sequence[Throw]
    presses: Sequence[float] | None = None
    tuning: FilmTuning = field(default_factory=FilmTuning)

    def __post_init__(self) -> None:
        self._results: dict[tuple[object, ...], _Results] = {}
        self._tables = [
            np.minimum(np.where(s.seen[:, None], -s.logs, 0), self.tuning.one_site).astype(
                np.float32
            )
            for s in self.stills
        ]
        self._novel = self._novelties()

    def _novelties(self) -> list[npt.NDArray[np.bool_]]:
        """By still: sites whose reading is not what it was when they were last seen."""
        result = []
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
        """The turns of the best story from any of these positions, which stand there at the first
        still (the side on roll may be open).
        """
        stories = [self._opened(position) for position in starts]
        for k in range(len(self.stills)):
            stories = self._step(stories, k)
        best = stories[0]
        for other in stories[1:]:
            self._part(best.last, other.last, other.cost - best.cost)
        link = best.last
        while link is not None:
            for rival, gap in link.rivals:
                self._part(link, rival, gap)
            link = link.before
        return self._judged(best)

    def _judged(self, best: _Story) -> tuple[ReadTurn, ...]:
        """The best story's turns with their confidence: by the rivals, by other rolls of the same
        board, and by how badly it fits around them."""
        links: list[Step] = []
        link = best.last
        while link is not None:
            links.append(link)
            link = link.before
        links.reverse()
        # What was charged from one turn to the next beyond what every turn pays; what came after
        # the last is the last's.
        misfit = [
            link.cost - (link.before.cost if link.before else 0.0) - self._fare(link.turn)
            for link in links
        ]
        misfit.append(best.cost - (links[-1].cost if links else 0.0))
        for n, link in enumerate(links[1:], start=1):
            before = links[n - 1].turn
            if (
                link.turn.game == before.game
                and link.turn.position.view != before.position.after(before.view).view
            ):
                # The story was lost between these two.
                misfit[n] = max(misfit[n], self.tuning.lost)
        chain: list[ReadTurn] = []
        for n, link in enumerate(links):
            around = max(misfit[max(n - 1, 0) : n + 3])
            fits = 1 / (1 + math.exp(min((around - self.tuning.misfit) / 2.0, 40.0)))
            sure = 1 / (1 + math.exp(-min(link.gap, 40.0)))
            chain.append(
                ReadTurn(link.turn, link.gap, sure * fits * (1 - link.turn.other_rolls), around)
            )
        return tuple(chain)

    def _fare(self, turn: Turn) -> float:
        """What any turn pays: the chance of its roll, and of its play among the legal ones."""
        index = hypotheses.ROLL_INDEX[turn.roll]
        return math.log(len(hypotheses.legal(turn.position, turn.roll).codes)) - float(
            _WEIGHTS[index]
        )

    def _opened(self, position: Position) -> _Story:
        codes = codes_of(position.placement)
        first = (position.first_turn, position.first_turn)
        return _Story(
            position, codes, 0.0, np.zeros((MEMORY, SITES), np.float32), 0, None, -1, first
        )

    # One still.

    def _step(self, stories: list[_Story], k: int) -> list[_Story]:
        """Every story with one more still, the best first, those that met again joined."""
        table, novel = self._tables[k], self._novel[k]
        threw = any(
            t.at <= self.stills[k].until and (k == 0 or t.at > self.stills[k - 1].until)
            for t in self.throws
        )
        asks = bool(novel.any()) or threw or k == 0
        grown: list[tuple[float, _Story, _Made | None]] = []
        for rank, story in enumerate(stories):
            charged = np.where(novel, table[_SITES, story.codes], 0).astype(np.float32)
            stay = story.cost + float(charged.sum())
            grown.append(
                (
                    stay,
                    replace(
                        story, cost=stay, recent=np.concatenate([charged[None], story.recent[:-1]])
                    ),
                    None,
                )
            )
            if asks and not story.position.is_over:
                made = self._turns(story, k, charged)
                grown += [(m.cost, story, m) for m in made]
                dear = min((m.cost for m in made), default=stay)
                if rank < 3 and min(dear, stay) - story.cost > 12.0:
                    grown += [(s.cost, s, None) for s in self._two_turns(story, k)]
                    grown += [(s.cost, s, None) for s in self._lost(story, k)]
            if float(table[_SITES, story.codes].sum()) > 4 * self.tuning.one_site:
                grown += [(s.cost, s, None) for s in self._new_game(story, k)]
        return self._joined(grown, k)

    def _joined(self, grown: list[tuple[float, _Story, _Made | None]], k: int) -> list[_Story]:
        grown.sort(key=lambda g: g[0])
        kept: dict[tuple[object, ...], _Story] = {}
        limit = grown[0][0] + self.tuning.margin
        for cost, story, made in grown:
            if cost > limit or len(kept) >= self.tuning.beam:
                break
            grown_story = story if made is None else self._completed(story, made, k)
            key = (
                grown_story.position.view,
                grown_story.position.side,
                grown_story.throws,
                grown_story.game,
            )
            winner = kept.get(key)
            if winner is None:
                kept[key] = grown_story
            elif winner.last is not None:
                winner.last.rivals.append((grown_story.last, grown_story.cost - winner.cost))
        return list(kept.values())

    def _turns(self, story: _Story, k: int, charged: npt.NDArray[np.float32]) -> list[_Made]:
        """The likeliest results of the turn that the side on roll may have completed by this still."""
        found = self._all_results(story)
        table, novel = self._tables[k], self._novel[k]
        differ = found.codes != story.codes
        # A changed site is charged whatever it reads; what it was charged lately is taken back;
        # others as if nothing had happened.
        sites = np.where(differ | novel, table[_SITES, found.codes], 0)
        room = min(MEMORY - 1, max(k - 1 - story.since, 0))
        recent = story.recent[:room]
        back = np.where(differ, recent.sum(axis=0), 0).sum(axis=1)
        lag = self.tuning.lag * (recent.any(axis=1).sum() if room else 0)
        here = (
            story.cost
            + sites.sum(axis=1)
            - back
            + np.where(found.changed, lag, 0)
            + self._press_cost(story.since, k)
        )
        made: list[_Made] = []
        for throw, rolls, passed in self._throw_options(story, k):
            cost = here + found.prior - rolls[found.roll] + passed
            if throw is None:
                # Nothing changed and no dice seen: nothing says that a turn passed.
                cost = np.where(found.changed, cost, cost + 4.0)
            few = min(self.tuning.candidates, len(cost) - 1)
            order = np.argpartition(cost, few)[:few] if few else np.zeros(1, np.intp)
            made += [_Made(float(cost[i]), int(i), throw) for i in order]
        made.sort(key=lambda m: m.cost)
        return made[: self.tuning.candidates]

    def _all_results(self, story: _Story) -> _Results:
        position = story.position
        key = (position.view, position.side, position.first_turn)
        found = self._results.get(key)
        if found is None:
            legals = [hypotheses.legal(position, roll) for roll in ROLLS]
            codes = np.concatenate([legal.codes for legal in legals])
            rolls = np.concatenate(
                [np.full(len(legal.codes), i, np.int8) for i, legal in enumerate(legals)]
            )
            prior = np.concatenate(
                [np.full(len(legal.codes), math.log(len(legal.codes))) for legal in legals]
            )
            views = tuple(view for legal in legals for view in legal.views)
            found = _Results(codes, rolls, prior, (codes != story.codes).any(axis=1), views)
            self._results[key] = found
        return found

    def _throw_options(self, story: _Story, k: int) -> list[tuple[int | None, Floats, float]]:
        """Which dice the turn may have used:

        (throw, log-likelihood of the rolls, what passing over others costs).
        """
        options: list[tuple[int | None, Floats, float]] = [
            (None, _WEIGHTS, self.tuning.unseen_throw)
        ]
        passed = 0.0
        for index in range(story.throws, min(len(self.throws), story.throws + 4)):
            throw = self.throws[index]
            if throw.at > self.stills[k].until:
                break
            options.append(
                (index, throw.rolls + _WEIGHTS, passed - math.log(max(throw.valid, 1e-3)))
            )
            passed += min(self.tuning.skipped_throw, -math.log(max(1 - throw.valid, 1e-3)))
        return options

    def _completed(self, story: _Story, made: _Made, k: int) -> _Story:
        found = self._all_results(story)
        codes, roll = found.codes[made.index], int(found.roll[made.index])
        same = (found.codes == codes).all(axis=1)
        logs = self.throws[made.throw].rolls if made.throw is not None else np.zeros(len(ROLLS))
        shares = np.exp(_WEIGHTS[found.roll] + logs[found.roll] - found.prior)
        other = 1 - float(shares[made.index] / shares[same].sum())
        throws = made.throw + 1 if made.throw is not None else story.throws
        return self._after(
            story,
            ROLLS[roll],
            codes,
            found.views[made.index],
            k,
            made.throw,
            throws,
            made.cost,
            other,
        )

    def _after(
        self,
        story: _Story,
        roll: Roll,
        codes: Codes,
        view: tuple[int, ...],
        k: int,
        throw: int | None,
        throws: int,
        cost: float,
        other: float,
    ) -> _Story:
        side = story.position.side
        first = (False, story.first[1]) if side is Side.WHITE else (story.first[0], False)
        position = story.position.after(view, first[0] if side.other is Side.WHITE else first[1])
        still = self.stills[k]
        turn = Turn(story.position, roll, view, throw, still.frame, still.at, story.game, other)
        link = Step(turn, story.last, story.last.number + 1 if story.last else 0, cost)
        return _Story(
            position,
            codes,
            cost,
            np.zeros((MEMORY, SITES), np.float32),
            throws,
            link,
            k,
            first,
            story.game,
        )

    def _press_cost(self, since: int, k: int) -> float:
        if self.presses is None:
            return 0.0
        begin = self.stills[since].until if since >= 0 else -math.inf
        pressed = sum(begin < t <= self.stills[k].until + 2.0 for t in self.presses)
        return self.tuning.unpressed * abs(pressed - 1)

    def _two_turns(self, story: _Story, k: int) -> list[_Story]:
        """Stories in which two turns passed unseen since the last still."""
        result = []
        for codes in hypotheses.what_stands(
            -self._tables[k], story.codes, story.position.ruleset.checkers, keep=1
        ):
            second_first = story.first[0] if story.position.side is Side.BLACK else story.first[1]
            pairs = turns_explaining(
                story.position, None, placement_from(codes), second_first_turn=second_first
            )
            charged = float(
                np.where(
                    (codes != story.codes) | self._novel[k], self._tables[k][_SITES, codes], 0
                ).sum()
            )
            for (roll, play), (then, answer) in pairs[:6]:
                paid = (
                    story.cost + charged + 12.0 + self.tuning.unseen_throw + self.tuning.unseen_turn
                )
                once = self._after(
                    story,
                    roll,
                    codes_of(play.placement),
                    play.view,
                    k,
                    None,
                    story.throws,
                    paid,
                    0.5,
                )
                after = codes_of(answer.placement)
                result.append(
                    self._after(once, then, after, answer.view, k, None, story.throws, paid, 0.5)
                )
        return result

    def _lost(self, story: _Story, k: int) -> list[_Story]:
        """Stories that give up explaining how the board came to stand so, and go on from there with
        either side on roll.
        """
        result = []
        for codes in hypotheses.what_stands(
            -self._tables[k], story.codes, story.position.ruleset.checkers, keep=1
        ):
            placement = placement_from(codes)
            paid = (
                story.cost
                + self.tuning.lost
                + float(np.where(self._novel[k], self._tables[k][_SITES, codes], 0).sum())
            )
            for side in Side:
                try:
                    position = Position.of(placement, story.position.ruleset, side)
                except PositionError:
                    continue
                fresh = replace(
                    story, position=position, codes=codes, cost=paid, since=k, first=(False, False)
                )
                result.append(replace(fresh, recent=np.zeros((MEMORY, SITES), np.float32)))
        return result

    def _new_game(self, story: _Story, k: int) -> list[_Story]:
        """Stories in which the checkers were set up anew: the game before was over, or given up."""
        table = self._tables[k]
        result = []
        for side in Side:
            opened = self._opened(Position.start(story.position.ruleset, side))
            against = float(table[_SITES, opened.codes].sum())
            if against > 2 * self.tuning.one_site:
                continue
            paid = against + (1.0 if story.position.is_over else self.tuning.new_game)
            result.append(
                replace(
                    opened,
                    cost=story.cost + paid,
                    throws=story.throws,
                    last=story.last,
                    since=k,
                    game=story.game + 1,
                )
            )
        return result

    # Comparing stories.

    def _part(self, winner: Step | None, loser: Step | None, gap: float) -> None:
        """Note the gap on every turn that the winner has and the loser has not."""
        mine: list[Step] = []
        a, b = winner, loser
        other: set[tuple[object, ...]] = set()
        while a is not b:
            if a is not None and (b is None or a.number >= b.number):
                mine.append(a)
                a = a.before
            else:
                assert b is not None
                other.add(_what(b.turn))
                b = b.before
        for link in mine:
            if _what(link.turn) not in other:
                link.gap = min(link.gap, gap)


@dataclass(frozen=True, slots=True)
class _Made:
    """A turn that a story may have completed: its whole cost, the index of its result, the throw it
    used.
    """

    cost: float
    index: int
    throw: int | None


def _what(turn: Turn) -> tuple[object, ...]:
    return (turn.game, turn.position.side, turn.roll, turn.view)


__all__ = ["Film", "FilmTuning", "ReadTurn", "Still", "Throw", "Turn"]
