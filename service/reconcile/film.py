"""A whole film at once: the plays of a recorded game, from stills of one camera and nothing else.

Live, a verdict falls turn by turn; here the future is known too, and a play that nothing later fits was not made. A beam of stories runs
over the stills. A story is a chain of turns; its cost in nats is what the dice and the sites say against it. Two rules keep it honest:

- **A site is charged when its reading changes, or when a story changes what stands there**, and not again while both stay as they are. The
  same misread in twenty stills is one misread; charging each still would let a lasting error outvote every rule and explain itself by a
  play that nobody made. A hand sets checkers down one after another, so a turn takes back what its sites were charged in the last few
  stills.
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
from service.reconcile.likelihood import Codes

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
    """What a story pays, nats."""

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
    candidates: int = 12
    """Results of one turn followed up."""
    lag: float = 0.7
    """Each still that a play took longer to make than to be seen begun."""
    same_reading: float = 1.0
    """A reading that moved less than this at its best count has not changed."""


@dataclass(eq=False)
class Link:
    """One turn of a story. `gap`: how far behind the best story without it lies. `rivals`: stories that came to the same position as the
    one that ends here, each with how much dearer it was; they count when this one turns out to be part of the best."""

    turn: Turn
    before: Link | None
    number: int
    gap: float = math.inf
    rivals: list[tuple[Link | None, float]] = field(default_factory=list)


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
    cost: float
    recent: npt.NDArray[np.float32]
    """(MEMORY, 26) what each site was charged in the last stills, the newest first."""
    throws: int
    """Throws before this index are used or passed over."""
    last: Link | None
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
        self._tables = [np.minimum(np.where(s.seen[:, None], -s.logs, 0), self.tuning.one_site).astype(np.float32) for s in self.stills]
        self._novel = self._novelties()

    def _novelties(self) -> list[npt.NDArray[np.bool_]]:
        """By still: sites whose reading is not what it was when they were last seen."""
        result = []
        kept: Logs = np.zeros((SITES, COUNTS * COUNTS), np.float32)
        ever = np.zeros(SITES, np.bool_)
        for still in self.stills:
            was, now = kept.argmax(axis=1), still.logs.argmax(axis=1)
            moved = (still.logs[_SITES, now] - still.logs[_SITES, was]) + (kept[_SITES, was] - kept[_SITES, now]) > self.tuning.same_reading
            novel = still.seen & (~ever | moved)
            kept = np.where(novel[:, None], still.logs, kept)
            ever |= still.seen
            result.append(novel)
        return result

    def read(self, starts: Iterable[Position]) -> tuple[ReadTurn, ...]:
        """The turns of the best story from any of these positions, which stand there at the first still (the side on roll may be open)."""
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
        return _Story(position, codes, 0.0, np.zeros((MEMORY, SITES), np.float32), 0, None, -1, first)

    # One still.

    def _step(self, stories: list[_Story], k: int) -> list[_Story]:
        """Every story with one more still, the best first, those that met again joined."""
        table, novel = self._tables[k], self._novel[k]
        threw = any(t.at <= self.stills[k].until and (k == 0 or t.at > self.stills[k - 1].until) for t in self.throws)
        asks = bool(novel.any()) or threw or k == 0
        grown: list[tuple[float, _Story, _Made | None]] = []
        for rank, story in enumerate(stories):
            charged = np.where(novel, table[_SITES, story.codes], 0).astype(np.float32)
            stay = story.cost + float(charged.sum())
            grown.append((stay, replace(story, cost=stay, recent=np.concatenate([charged[None], story.recent[:-1]])), None))
            if asks and not story.position.is_over:
                made = self._turns(story, k, charged)
                grown += [(m.cost, story, m) for m in made]
                dear = min((m.cost for m in made), default=stay)
                if rank < 3 and min(dear, stay) - story.cost > 12.0:
                    grown += [(s.cost, s, None) for s in self._two_turns(story, k)]
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
            key = (grown_story.position.view, grown_story.position.side, grown_story.throws, grown_story.game)
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
        # A changed site is charged whatever it reads; what it was charged lately is taken back; others as if nothing had happened.
        sites = np.where(differ | novel, table[_SITES, found.codes], 0)
        room = min(MEMORY - 1, max(k - 1 - story.since, 0))
        recent = story.recent[:room]
        back = np.where(differ, recent.sum(axis=0), 0).sum(axis=1)
        lag = self.tuning.lag * (recent.any(axis=1).sum() if room else 0)
        here = story.cost + sites.sum(axis=1) - back + np.where(found.changed, lag, 0) + self._press_cost(story.since, k)
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
            rolls = np.concatenate([np.full(len(legal.codes), i, np.int8) for i, legal in enumerate(legals)])
            prior = np.concatenate([np.full(len(legal.codes), math.log(len(legal.codes))) for legal in legals])
            views = tuple(view for legal in legals for view in legal.views)
            found = _Results(codes, rolls, prior, (codes != story.codes).any(axis=1), views)
            self._results[key] = found
        return found

    def _throw_options(self, story: _Story, k: int) -> list[tuple[int | None, Floats, float]]:
        """Which dice the turn may have used: (throw, log-likelihood of the rolls, what passing over others costs)."""
        options: list[tuple[int | None, Floats, float]] = [(None, _WEIGHTS, self.tuning.unseen_throw)]
        passed = 0.0
        for index in range(story.throws, min(len(self.throws), story.throws + 4)):
            throw = self.throws[index]
            if throw.at > self.stills[k].until:
                break
            options.append((index, throw.rolls + _WEIGHTS, passed - math.log(max(throw.valid, 1e-3))))
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
        return self._after(story, ROLLS[roll], codes, found.views[made.index], k, made.throw, throws, made.cost, other)

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
        link = Link(turn, story.last, story.last.number + 1 if story.last else 0)
        return _Story(position, codes, cost, np.zeros((MEMORY, SITES), np.float32), throws, link, k, first, story.game)

    def _press_cost(self, since: int, k: int) -> float:
        if self.presses is None:
            return 0.0
        begin = self.stills[since].until if since >= 0 else -math.inf
        pressed = sum(begin < t <= self.stills[k].until + 2.0 for t in self.presses)
        return self.tuning.unpressed * abs(pressed - 1)

    def _two_turns(self, story: _Story, k: int) -> list[_Story]:
        """Stories in which two turns passed unseen since the last still."""
        result = []
        for codes in hypotheses.what_stands(-self._tables[k], story.codes, story.position.ruleset.checkers, keep=1):
            second_first = story.first[0] if story.position.side is Side.BLACK else story.first[1]
            pairs = turns_explaining(story.position, None, placement_from(codes), second_first_turn=second_first)
            charged = float(np.where((codes != story.codes) | self._novel[k], self._tables[k][_SITES, codes], 0).sum())
            for (roll, play), (then, answer) in pairs[:6]:
                paid = story.cost + charged + 12.0 + self.tuning.unseen_throw + self.tuning.unseen_turn
                once = self._after(story, roll, placement_codes_of(play.placement), play.view, k, None, story.throws, paid, 0.5)
                after = placement_codes_of(answer.placement)
                result.append(self._after(once, then, after, answer.view, k, None, story.throws, paid, 0.5))
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
            result.append(replace(opened, cost=story.cost + paid, throws=story.throws, last=story.last, since=k, game=story.game + 1))
        return result

    # Comparing stories.

    def _part(self, winner: Link | None, loser: Link | None, gap: float) -> None:
        """Note the gap on every turn that the winner has and the loser has not."""
        mine: list[Link] = []
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
    """A turn that a story may have completed: its whole cost, the index of its result, the throw it used."""

    cost: float
    index: int
    throw: int | None


def _what(turn: Turn) -> tuple[object, ...]:
    return (turn.game, turn.position.side, turn.roll, turn.view)


__all__ = ["Film", "FilmTuning", "Placement", "ReadTurn", "Still", "Throw", "Turn"]
