"""A whole film at once: the plays of a recorded game, from stills of one camera and nothing else.

Live, a verdict falls turn by turn; here the future is known too, and a play that nothing later fits was not made. A beam of stories runs
over the stills. A story is a chain of turns; its cost in nats is what the dice and the sites say against it. Two rules keep it honest:

- **A site is charged once for as long as its checkers stand still**, by the mean over that window. The same misread in twenty stills is one
  misread; charging each still would let a lasting error outvote every rule and explain itself by a play that nobody made.
- **A turn is sure only by its distance from the best story without it.** Stories that meet again in the same position are compared where
they
  part, and the turns between carry the gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rules.board import Placement, Side
from rules.dice import ROLLS, Roll
from rules.judge import turns_explaining
from rules.play import Play, plays
from rules.position import Position
from service.reconcile import hypotheses
from service.reconcile.evidence import COUNTS, SITES, Logs
from service.reconcile.hypotheses import placement_codes_of, placement_from
from service.reconcile.likelihood import Codes, shared
from service.reconcile.tuning import DEFAULT, Tuning

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Still:
    """The board at rest for a while: mean log tables (26, 256), 0 at the best and 0 throughout where `seen` (26,) is false."""

    frame: int
    at: float
    until: float
    logs: Logs
    seen: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Throw:
    """Two dice that lay there together: log-likelihood of the 21 rolls (0 at the best) and P(it is a valid roll: both flat, both dice)."""

    frame: int
    at: float
    until: float
    rolls: Floats
    valid: float


@dataclass(frozen=True, slots=True)
class FilmTuning:
    """What a story pays, nats. See `Tuning` for what is shared with the live verdict."""

    one_site: float = 5.0
    """Most against a story from one site over one window (3-10)."""
    unseen_throw: float = 4.0
    """A turn whose dice no still shows."""
    skipped_throw: float = 5.0
    """A valid throw that no turn uses."""
    unseen_turn: float = 5.0
    """A turn whose result no still shows, the next turn being on top of it."""
    new_game: float = 8.0
    unpressed: float = 2.5
    """A turn that ends without a press where presses are known, or a press without a turn's end."""
    beam: int = 32
    margin: float = 22.0
    """A story so far behind the best is dropped."""
    candidates: int = 14
    """Results of one turn followed up, by one still's word."""
    reach: float = 14.0
    """A result so far behind the turn's best, by one still's word, is not followed up."""
    interesting: float = 1.5
    """A still that speaks so much against nothing having changed asks for turns."""


@dataclass(eq=False)
class Link:
    """One turn of a story. `gap`: how far behind the best story without it lies."""

    turn: Turn
    before: Link | None
    number: int
    gap: float = math.inf


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as read. `throw` index of the throw it used, None when none was seen; `frame` and `at` of the still that first shows its
    result; `game` counts from 1; `other_rolls`: P(another roll made the same board)."""

    position: Position
    roll: Roll
    view: tuple[int, ...]
    throw: int | None
    frame: int
    at: float
    game: int
    other_rolls: float

    @property
    def side(self) -> Side:
        return self.position.side

    @property
    def play(self) -> Play:
        found = plays(self.position, self.roll).with_result(self.view)
        assert found is not None, "the view came from these plays"
        return found


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """A turn and how sure: `gap` nats to the best story without it, `confidence` the probability made of it and of the roll's doubt."""

    turn: Turn
    gap: float
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class _Story:
    position: Position
    codes: Codes
    start: npt.NDArray[np.intp]
    """Still at which each site's window begins."""
    closed: float
    open: float
    prior: float
    throws: int
    """Throws before this index are used or passed over."""
    last: Link | None
    since: int
    """Still at which the last turn ended."""
    first: tuple[bool, bool] = (True, True)
    """White's and Black's own first turn is still to come."""
    game: int = 1

    @property
    def cost(self) -> float:
        return self.closed + self.open + self.prior


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """Every legal result of every roll from one position."""

    codes: Codes
    roll: npt.NDArray[np.int8]
    prior: Floats
    changed: npt.NDArray[np.bool_]
    views: tuple[tuple[int, ...], ...]


@dataclass
class Film:
    """Reads one film. `presses`: times at which a side's turn ended, when they are known."""

    stills: Sequence[Still]
    throws: Sequence[Throw]
    presses: Sequence[float] | None = None
    tuning: FilmTuning = field(default_factory=FilmTuning)
    shared_tuning: Tuning = field(default_factory=lambda: replace(DEFAULT, one_source_nats=1e6))
    """A film has one source, so there is nothing to weigh it against: no cap on all of it."""

    def __post_init__(self) -> None:
        logs = np.stack([np.where(s.seen[:, None], np.maximum(s.logs, -25.0), 0.0) for s in self.stills]).astype(np.float32)
        self._sum = np.concatenate([np.zeros((1, SITES, COUNTS * COUNTS), np.float32), np.cumsum(logs, axis=0, dtype=np.float32)])
        seen = np.stack([s.seen for s in self.stills]).astype(np.int32)
        self._count = np.concatenate([np.zeros((1, SITES), np.int32), np.cumsum(seen, axis=0)])
        self._results: dict[tuple[object, ...], _Results] = {}

    def read(self, starts: Iterable[Position]) -> tuple[ReadTurn, ...]:
        """The turns of the best story from any of these positions, which stand there at the first still (the side on roll may be open)."""
        stories = [self._opened(position) for position in starts]
        for k in range(len(self.stills)):
            grown: list[_Story] = []
            for story in stories:
                grown += self._grown(story, k)
            stories = self._pruned(grown)
        stories.sort(key=lambda s: s.cost)
        best = stories[0]
        for other in stories[1:]:
            self._part(best.last, other.last, other.cost - best.cost)
        chain: list[ReadTurn] = []
        link = best.last
        while link is not None:
            sure = 1 / (1 + math.exp(-min(link.gap, 40.0)))
            chain.append(ReadTurn(link.turn, link.gap, sure * (1 - link.turn.other_rolls)))
            link = link.before
        return tuple(reversed(chain))

    def _opened(self, position: Position) -> _Story:
        codes = placement_codes_of(position.placement)
        first = (position.first_turn, position.first_turn)
        return _Story(position, codes, np.zeros(SITES, np.intp), 0.0, 0.0, 0.0, 0, None, -1, first)

    # Costs.

    def _window(self, codes: Codes, start: npt.NDArray[np.intp], end: int) -> npt.NDArray[np.float32]:
        """Mean deficits by site of windows that end before still `end`: (N, 26) or (26,). Few readings weigh less, as in the live
        verdict."""
        sites = np.arange(SITES)
        total = self._sum[end, sites, codes] - self._sum[start, sites, codes]
        count = self._count[end] - self._count[start, sites]
        weight = np.where(count > 0, np.minimum(1.0, 0.6 + 0.2 * (count - 1)) / np.maximum(count, 1), 0.0)
        result: npt.NDArray[np.float32] = np.maximum(-total * weight, 0).astype(np.float32)
        return result

    def _open_cost(self, story: _Story, k: int) -> float:
        raw = self._window(story.codes, story.start, k + 1)[None, :]
        return float(shared(raw, self.tuning.one_site, self.shared_tuning)[0])

    def _here(self, codes: Codes, k: int) -> npt.NDArray[np.float32]:
        """Deficits of placements by still `k` alone, (N,)."""
        raw = self._window(codes, np.full(SITES, k, np.intp), k + 1)
        return shared(raw, self.tuning.one_site, self.shared_tuning)

    # Growth.

    def _grown(self, story: _Story, k: int) -> list[_Story]:
        stay = replace(story, open=self._open_cost(story, k))
        result = [stay]
        alone = float(self._here(story.codes[None, :], k)[0])
        throw_waits = story.throws < len(self.throws) and self.throws[story.throws].at <= self.stills[k].until
        if (alone > self.tuning.interesting or throw_waits) and not story.position.is_over:
            result += self._turned(story, k, alone)
        if alone > self.tuning.one_site:
            result += self._new_game(story, k, alone)
        return result

    def _new_game(self, story: _Story, k: int, alone: float) -> list[_Story]:
        """Stories in which the checkers were set up anew: the game before was over, or given up."""
        rules = story.position.ruleset
        result = []
        for side in Side:
            position = Position.start(rules, side)
            codes = placement_codes_of(position.placement)
            if float(self._here(codes[None, :], k)[0]) > alone - self.tuning.one_site:
                continue
            paid = 1.0 if story.position.is_over else self.tuning.new_game
            opened = self._opened(position)
            closed = story.closed + float(np.minimum(self._window(story.codes, story.start, k), self.tuning.one_site).sum())
            fresh = replace(opened, start=np.full(SITES, k, np.intp), closed=closed, prior=story.prior + paid, throws=story.throws)
            fresh = replace(fresh, last=story.last, since=k, game=story.game + 1)
            result.append(replace(fresh, open=self._open_cost(fresh, k)))
        return result

    def _turned(self, story: _Story, k: int, alone: float) -> list[_Story]:
        """Stories in which the turn was completed by still `k`."""
        found = self._all_results(story)
        here = self._here(found.codes, k)
        priced: list[tuple[float, int, int | None, float]] = []
        for throw, rolls, passed in self._throw_options(story, k):
            paid = found.prior - rolls[found.roll] + passed
            cost = here + paid
            if throw is None:
                # Nothing changed and no dice seen: nothing says that a turn passed.
                cost = np.where(found.changed, cost, cost + 4.0)
            order = np.argsort(cost, kind="stable")[: self.tuning.candidates]
            priced += [(float(cost[i]), int(i), throw, float(paid[i])) for i in order]
        priced.sort(key=lambda c: c[0])
        limit = min(priced[0][0], alone + 6.0) + self.tuning.reach
        result = [self._completed(story, found, i, k, throw, paid) for c, i, throw, paid in priced[: self.tuning.candidates] if c <= limit]
        if alone > 6.0 and float(here.min()) > 5.0:
            result += self._two_turns(story, k)
        return result

    def _all_results(self, story: _Story) -> _Results:
        position = story.position
        key = (position.view, position.side, position.first_turn)
        found = self._results.get(key)
        if found is None:
            codes, rolls, priors = [], [], []
            views: list[tuple[int, ...]] = []
            for i, roll in enumerate(ROLLS):
                legal = hypotheses.legal(position, roll)
                codes.append(legal.codes)
                rolls.append(np.full(len(legal.codes), i, np.int8))
                views += legal.views
                priors.append(np.full(len(legal.codes), math.log(len(legal.codes))))
            stacked = np.concatenate(codes)
            found = _Results(stacked, np.concatenate(rolls), np.concatenate(priors), (stacked != story.codes).any(axis=1), tuple(views))
            self._results[key] = found
        return found

    def _throw_options(self, story: _Story, k: int) -> list[tuple[int | None, Floats, float]]:
        """Which dice the turn may have used: (throw, log-likelihood of the rolls, what passing over others costs)."""
        weights = np.log(np.array([r.weight for r in ROLLS]) / 36.0)
        options: list[tuple[int | None, Floats, float]] = [(None, weights, self.tuning.unseen_throw)]
        passed = 0.0
        for index in range(story.throws, len(self.throws)):
            throw = self.throws[index]
            if throw.at > self.stills[k].until:
                break
            doubt = -math.log(max(throw.valid, 1e-3))
            options.append((index, throw.rolls + weights, passed + doubt))
            passed += min(self.tuning.skipped_throw, -math.log(max(1 - throw.valid, 1e-3)))
        return options

    def _completed(self, story: _Story, found: _Results, i: int, k: int, throw: int | None, paid: float) -> _Story:
        roll = ROLLS[int(found.roll[i])]
        codes = found.codes[i]
        same = (found.codes == codes).all(axis=1)
        options = self.throws[throw].rolls if throw is not None else np.zeros(len(ROLLS))
        weights = np.array([r.weight for r in ROLLS])[found.roll] * np.exp(options[found.roll] - found.prior)
        other = 1 - float(weights[i] / weights[same].sum())
        return self._after(story, roll, codes, found.views[i], k, throw, paid, other)

    def _after(
        self, story: _Story, roll: Roll, codes: Codes, view: tuple[int, ...], k: int, throw: int | None, paid: float, other: float
    ) -> _Story:
        changed = codes != story.codes
        closed, start = story.closed, story.start
        if changed.any():
            # The hand was at the changed sites for a few stills: their windows end where that is cheapest, not before the last turn.
            ends = list(range(k, max(k - 4, story.since), -1)) or [k]
            cheapest = min(
                float(np.minimum(self._window(story.codes, story.start, e)[changed], self.tuning.one_site).sum()) + 0.7 * (k - e)
                for e in ends
                if (story.start[changed] <= e).all()
            )
            closed += cheapest
            start = np.where(changed, k, story.start)
        side = story.position.side
        first = (False, story.first[1]) if side is Side.WHITE else (story.first[0], False)
        next_first = first[0] if side.other is Side.WHITE else first[1]
        position = story.position.after(view, next_first)
        still = self.stills[k]
        turn = Turn(story.position, roll, view, throw, still.frame, still.at, story.game, other)
        link = Link(turn, story.last, story.last.number + 1 if story.last else 0)
        paid += self._press_cost(story.since, k)
        grown = _Story(
            position,
            codes,
            start,
            closed,
            0.0,
            story.prior + paid,
            throw + 1 if throw is not None else story.throws,
            link,
            k,
            first,
            story.game,
        )
        return replace(grown, open=self._open_cost(grown, k))

    def _press_cost(self, since: int, k: int) -> float:
        if self.presses is None:
            return 0.0
        begin = self.stills[since].until if since >= 0 else -math.inf
        pressed = sum(begin < t <= self.stills[k].until + 2.0 for t in self.presses)
        return self.tuning.unpressed * abs(pressed - 1) if pressed != 1 else 0.0

    def _two_turns(self, story: _Story, k: int) -> list[_Story]:
        """Stories in which two turns passed unseen since the last still."""
        table = np.maximum(self.stills[k].logs, -self.tuning.one_site)
        result = []
        for codes in hypotheses.what_stands(table, story.codes, story.position.ruleset.checkers, keep=1):
            second_first = story.first[0] if story.position.side is Side.BLACK else story.first[1]
            pairs = turns_explaining(story.position, None, placement_from(codes), second_first_turn=second_first)
            for (roll, play), (then, answer) in pairs[:6]:
                found = self._all_results(story)
                middle = placement_codes_of(play.placement)
                index = int(np.flatnonzero((found.codes == middle).all(axis=1))[0])
                once = self._after(story, roll, middle, play.view, k, None, float(found.prior[index]) + 3.6 + self.tuning.unseen_turn, 0.5)
                result.append(
                    self._after(once, then, placement_codes_of(answer.placement), answer.view, k, None, 6.0 + self.tuning.unseen_throw, 0.5)
                )
        return result

    # Comparing stories.

    def _pruned(self, stories: list[_Story]) -> list[_Story]:
        stories.sort(key=lambda s: s.cost)
        kept: dict[tuple[object, ...], _Story] = {}
        best = stories[0].cost
        for story in stories:
            key = (story.position.view, story.position.side, story.throws, story.game)
            winner = kept.get(key)
            if winner is not None:
                self._part(winner.last, story.last, story.cost - winner.cost)
            elif len(kept) < self.tuning.beam and story.cost <= best + self.tuning.margin:
                kept[key] = story
        return list(kept.values())

    def _part(self, winner: Link | None, loser: Link | None, gap: float) -> None:
        """Note the gap on every turn that the winner has and the loser has not."""
        mine: list[Link] = []
        a, b = winner, loser
        while a is not b:
            if b is None or (a is not None and a.number >= b.number):
                assert a is not None
                mine.append(a)
                a = a.before
            else:
                b = b.before
        other: set[tuple[object, ...]] = set()
        b = loser
        while b is not a and b is not None:
            other.add(_what(b.turn))
            b = b.before
        for link in mine:
            if _what(link.turn) not in other:
                link.gap = min(link.gap, gap)


def _what(turn: Turn) -> tuple[object, ...]:
    return (turn.game, turn.side, turn.roll, turn.view)


__all__ = ["Film", "FilmTuning", "Placement", "ReadTurn", "Still", "Throw", "Turn"]
