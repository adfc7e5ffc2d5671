"""The last turns of a live table, remembered as they were seen, and what they tell when the turn in
progress alone does not.

A verdict looks at one turn; where board and record have parted, that is too little: a press was
forgotten, dice were not read, somebody played out of turn. `Recollection` keeps the board at rest
between hands (stills), the dice that lay there and the presses, since a turn or two before this
one; `recall` reads the turns from them with the very filter that reads films (`beam`). It says only
turns that are over, and only as far as no other story comes near.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from rules.board import BySide, Side
from rules.dice import ROLLS, Roll
from rules.judge import rolls_explaining
from rules.observation import Condition, Observation
from rules.play import Play
from rules.position import Position, PositionError
from service.reconcile import likelihood, rolls, tracks
from service.reconcile.arrays import Bools, Nats
from service.reconcile.beam import Beam
from service.reconcile.codes import SITES, Codes, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.histories import fits
from service.reconcile.hypotheses import no_play_share
from service.reconcile.reel import Costs, ReadTurn, Still, Throw
from service.reconcile.rolls import Area
from service.reconcile.settle import current_voices, seen_by_any
from service.reconcile.tracks import Track
from service.reconcile.tuning import DEFAULT

LIVE: Final = Costs(one_site=8.0, beam=16, candidates=8, margin=18.0, misfit=16.0)
"""Live, few stories are kept, since the memory is short and the answer is due now; two sources may
say more of a site than one; and a board that keeps denying one site is not explained.
"""
QUIET_S: Final = 0.8
"""For so long the board lies still before it is asked what the last turns were."""
SURE_TURN: Final = 0.98
"""So sure is each turn that is told once the turn after it was seen as well: one site that nothing
explains is a misread, a checker that stands elsewhere shows at two …"""
SURE_LAST: Final = 0.995
"""… and so sure the last, after which nothing was seen yet, and one that was out of turn."""
AT_ONCE_S: Final = 0.05
"""Dice that end a turn are seen so long after its end at the most: they are not its own."""
ONE_THROW_S: Final = 1.5
"""Dice of one throw come to rest within so long of each other."""
PICKED_UP_S: Final = 0.5
"""So long after dice came to rest the hand that threw them may still be seen going away."""
STILL_S: Final = 0.2
"""A board that rested for less was only crossed by hands."""
MOST_STILLS: Final = 60
"""So many are remembered at the most: some ten turns; a board that is never quiet forgets."""
MOST_TURNS: Final = 2
"""Turns of the record that are looked at again."""
STANDS_SO: Final = LIVE.misfit + LIVE.one_site
"""Unexplained nats at which a story is as likely wrong as right where the board bears it out."""
BORNE_OUT: Final = 2
"""So many turns that are sure tell what stood there after one that is not."""
SURE_ROLL: Final = 0.98
"""A turn whose roll is less sure than this is entered without one."""
SAME_THROW: Final = 0.5
"""A throw that is less likely than this to be the roll a play was made with speaks against it."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a turn began by the record: its position, and when, in table time."""

    at: float
    position: Position


@dataclass(frozen=True, slots=True, eq=False)
class Recollection:
    """What was seen since the first of the `anchors`, which are this turn's beginning and those of
    the turns before it that nobody vouched for.

    `since`: when what is seen now began to rest or to move; `presses`: whose, and when; `halves`:
    where each side throws, None where people throw where there is room.
    """

    anchors: tuple[Anchor, ...]
    stills: tuple[Still, ...] = ()
    dice: tuple[Track, ...] = ()
    presses: tuple[tuple[Side, float], ...] = ()
    since: float = -math.inf
    halves: BySide[Area] | None = None

    def moved_on(self, ended: float) -> bool:
        """Whether the other side has thrown since a turn was ended, and checkers were touched since
        then: what stands there now is no longer what that turn left.
        """
        thrown = [t.first_at for t in self.dice if t.first_at > ended and t.seen > 1]
        return bool(thrown) and self.since > min(thrown) + PICKED_UP_S

    def thrown_since(self, began: float) -> int:
        """How many times dice were thrown since a turn began, as far as they were seen."""
        times = sorted(t.first_at for t in self.dice if t.first_at > began and t.seen > 1)
        return sum(
            later - earlier > ONE_THROW_S
            for earlier, later in itertools.pairwise((-math.inf, *times))
        )

    def seen_otherwise(self, evidence: Evidence, until: float, codes: Codes) -> Nats:
        """The most that a board at rest has said since this turn began, and from before a time on,
        against each site (26,) standing as `codes` (26,) has it, nats.
        """
        stills = [s for s in self.stills if self.anchors[-1].at <= s.at <= until]
        resting = _still_of(evidence, self.since) if self.since <= until else None
        if resting is not None:
            stills.append(resting)
        against: Nats = np.zeros(SITES, np.float32)
        for still in stills:
            denied = np.where(still.seen, -still.logs[np.arange(SITES), codes], 0)
            against = np.maximum(against, denied).astype(np.float32)
        return against

    def saw(self, evidence: Evidence, until: float, codes: Codes) -> Bools:
        """The sites (26,) at which a board at rest was seen to stand as `codes` (26,) has it, after
        this turn began and from before a time on.
        """
        stills = [s for s in self.stills if s.until >= self.anchors[-1].at and s.at <= until]
        resting = _still_of(evidence, self.since) if self.since <= until else None
        found = np.zeros(SITES, np.bool_)
        for still in [*stills, resting] if resting is not None else stills:
            denied = -still.logs[np.arange(SITES), codes]
            found |= still.seen & (denied < evidence.tuning.differs_nats)
        return found

    @classmethod
    def begun(cls, position: Position, now: float) -> Recollection:
        """A memory that begins with a position that is certain."""
        return cls((Anchor(now, position),), since=now)

    def with_turn(self, position: Position, began: float, most: int = MOST_TURNS) -> Recollection:
        """A turn was recorded, and the next began from this position; `most`: how many turns may
        be looked at again, one where those before are certain.
        """
        anchors = (*self.anchors, Anchor(began, position))[-most:]
        first = anchors[0].at
        return replace(
            self,
            anchors=anchors,
            stills=tuple(s for s in self.stills if s.until >= first)[-MOST_STILLS:],
            dice=tuple(t for t in self.dice if t.last_at >= first),
            presses=tuple(p for p in self.presses if p[1] > first),
        )

    def begun_again(self, position: Position) -> Recollection:
        """The turn in progress is another than was thought: the last one goes on, or the opening
        throw says who plays.
        """
        same = [a for a in self.anchors if a.position == position]
        first = same[-1] if same else Anchor(self.anchors[-1].at, position)
        return replace(self, anchors=(first,))

    def pressed(self, side: Side, at: float) -> Recollection:
        """A clock was pressed."""
        return replace(self, presses=(*self.presses, (side, at))[-MOST_STILLS:])

    def after(self, before: Evidence, evidence: Evidence, seen: Observation) -> Recollection:
        """The memory after one more observation, by the evidence without it and with it."""
        dice = self.dice
        if seen.dice is not None and seen.condition in (Condition.AT_REST, Condition.MOVING):
            still = seen.condition is Condition.AT_REST
            dice = tracks.follow_dice(dice, seen.dice, seen.seen_at, still=still)
        changed = _changed_at(evidence)
        if changed <= self.since:
            return self if dice is self.dice else replace(self, dice=dice)
        stills = self.stills
        rested = _still_of(before, self.since)
        if rested is not None:
            stills = (*stills, rested)[-MOST_STILLS:]
        return replace(self, dice=dice, stills=stills, since=changed)


@dataclass(frozen=True, slots=True)
class TurnTold:
    """A turn that was seen to its end: its play, the roll where it is sure, whether it was `read`,
    when the turn was over, whether it was the other side's turn, and whether its dice lay there
    read as the `roll` while the checkers were played otherwise: nobody has said which it was.
    """

    play: Play
    roll: Roll | None
    read: bool
    ended: float
    out_of_turn: bool = False
    unresolved: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """The turns since the first anchor that are over, where they explain what is seen.

    `revised`: the first of them is the turn before this one, played otherwise than it was entered.
    `start`: what they were played from, where what led there is not sure.
    """

    turns: tuple[TurnTold, ...]
    revised: bool
    p: float
    start: Position | None = None


def _changed_at(evidence: Evidence) -> float:
    """When a source last saw something move, or a site change, s."""
    times = [float(w.since.max()) for w in evidence.witnesses if w.rests]
    return max([evidence.stirred_at, *times])


def _still_of(evidence: Evidence, since: float) -> Still | None:
    """What the sources at rest say stands there since then; None when it did not rest."""
    sources = [w for w in evidence.witnesses if w.condition is Condition.AT_REST]
    if not sources:
        return None
    until = max(w.seen_at for w in sources)
    if until - since < STILL_S or any(w.condition is Condition.MOVING for w in evidence.witnesses):
        return None
    voices = tuple(v for v in current_voices(evidence, until) if v.speaks.any())
    settled = codes_of(evidence.placement)
    tabled = [(v, likelihood.log_tables(v, settled, evidence.tuning)) for v in voices]
    logs = likelihood.summed_tables(tabled, evidence.tuning)
    logs = (logs - logs.max(axis=1, keepdims=True)).astype(np.float32)
    return Still(-1, since, until, logs, seen_by_any(voices))


def recall(memory: Recollection, evidence: Evidence) -> Recalled | None:
    """The turns that are over and not yet recorded, as far as what was seen tells them for sure;
    None when it tells none.
    """
    resting = _still_of(evidence, memory.since)
    if resting is None or resting.until - resting.at < QUIET_S:
        return None
    first = memory.anchors[0]
    stills = tuple(s for s in (*memory.stills, resting) if s.until >= first.at)
    # What lay there when the first turn began is nobody's throw of these.
    dice = [t for t in memory.dice if t.first_at > first.at - AT_ONCE_S]
    throws = rolls.throws_of(dice, (), evidence.tuning, memory.halves)
    reads = resting.logs.argmax(axis=1).tobytes()
    seen = tuple((still.at, still.until) for still in stills[:-1])
    shown = tuple((throw.at, int(throw.rolls.argmax())) for throw in throws)
    return _recall(_Asked(memory.anchors, memory.presses, seen, shown, reads, stills, throws))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What turns are read from. It is the same question as long as no still, throw or press was
    added and each site reads alike (`reads`).
    """

    anchors: tuple[Anchor, ...]
    presses: tuple[tuple[Side, float], ...]
    seen: tuple[tuple[float, float], ...]
    shown: tuple[tuple[float, int], ...]
    reads: bytes
    stills: tuple[Still, ...] = field(compare=False)
    throws: tuple[Throw, ...] = field(compare=False)


@functools.lru_cache(maxsize=16)
def _recall(asked: _Asked) -> Recalled | None:
    presses = [at for _, at in asked.presses] or None
    beam = Beam(asked.stills, asked.throws, presses, LIVE)
    return _news(asked, beam.read([asked.anchors[0].position]))


def _news(asked: _Asked, read: tuple[ReadTurn, ...]) -> Recalled | None:
    """What the turns that were read add to the record, or put right in it."""
    known = _is_recorded(asked, read)
    revised = len(asked.anchors) > 1 and not known
    if revised and not _revises(asked, read):
        return None
    told, p = _told_from(asked, read, known, asked.anchors[known].position.side, revised)
    # What is recorded already is put right together with the turn that bears it out, or alone as
    # long as nobody has thrown over it: the other half of the play came after the dice were lifted.
    alone = len(read) == 1 and p >= SURE_LAST and _was_completed(asked, read[0])
    if told and (len(told) > revised or alone):
        return Recalled(told, revised, p)
    return None if told else _later_news(asked, read, known)


def _told_from(
    asked: _Asked, read: tuple[ReadTurn, ...], first: int, due: Side, revised: bool = False
) -> tuple[tuple[TurnTold, ...], float]:
    """The turns that are over and sure, from this one on, whose side is `due`, up to the first that
    is not; and how sure they are.
    """
    doubtful = STANDS_SO if _stands_now(asked, read) else LIVE.misfit
    p = p_told = 1.0
    told: list[TurnTold] = []
    for n, each in enumerate(read[first:], first):
        after = read[n + 1] if n + 1 < len(read) else None
        ended = _ended(asked, each, after)
        if ended is None and n == 0 and revised:
            # As the record has it, it was over then.
            ended = asked.anchors[1].at
        if ended is None:
            break
        made = _told(asked, each, ended)
        passed = _passed_unseen(asked, each) if made.play.side is not due else None
        wrong_side = made.play.side is not due and passed is None
        if after is None or made.play.moves:
            # A turn in which nothing moved leaves what stood there, and the next bears it out.
            p = min(p, each.left * fits(each.unexplained, doubtful))
        if p < (SURE_LAST if after is None or wrong_side else SURE_TURN):
            break
        if made.unresolved and (n + 2 >= len(read) or (n == 0 and revised)):
            # Two turns must have been played from there: a checker that lies between two points
            # reads wrongly for one. What is recorded already stands.
            break
        if wrong_side and (revised or not made.read):
            # Two unlikely things at once, or one that no dice bear out: people say what happened.
            break
        if passed is not None:
            told.append(passed)
        told.append(replace(made, out_of_turn=wrong_side))
        due, p_told = made.play.side.other, p
    return tuple(told), p_told


def _was_completed(asked: _Asked, first: ReadTurn) -> bool:
    """Whether the last turn of the record was read with dice that lay there, none were thrown
    since, and the board stands as it is read.
    """
    throw = first.turn.throw
    last = throw is not None and throw == len(asked.throws) - 1
    return last and first.turn.other_rolls <= 1 - SURE_ROLL and _stands_now(asked, (first,))


def _stands_now(asked: _Asked, read: tuple[ReadTurn, ...]) -> bool:
    """Whether the board stands now, everywhere, as the last of these turns left it: what was read
    otherwise on the way was a hand, a checker that lay askew, a lamp.
    """
    if not read:
        return False
    now, codes = asked.stills[-1], codes_of(read[-1].turn.play.placement)
    denied = np.where(now.seen, -now.logs[np.arange(SITES), codes], 0)
    return bool(now.seen[1:].all() and (denied < DEFAULT.differs_nats).all())


def _later_news(asked: _Asked, read: tuple[ReadTurn, ...], known: int) -> Recalled | None:
    """The turns that are sure after one that is not, where what stood there between is sure: nobody
    knows how it came to, and play went on from there.
    """
    for doubtful in range(known, len(read) - BORNE_OUT):
        if read[doubtful].placed < SURE_LAST:
            continue
        told, p = _told_from(asked, read, doubtful + 1, read[doubtful + 1].turn.side)
        if len(told) >= BORNE_OUT and not any(turn.out_of_turn for turn in told):
            return Recalled(told, False, p, read[doubtful + 1].turn.position)
    return None


def _is_recorded(asked: _Asked, read: tuple[ReadTurn, ...]) -> bool:
    """Whether the first turn that was read is the one that the record has already."""
    if len(asked.anchors) == 1 or not read:
        return False
    recorded, play = asked.anchors[1].position, read[0].turn.play
    return play.placement == recorded.placement and play.side is recorded.side.other


def _revises(asked: _Asked, read: tuple[ReadTurn, ...]) -> bool:
    """Whether the first turn that was read may stand in place of the last line of the record."""
    return bool(read) and read[0].turn.side is asked.anchors[0].position.side


def _passed_unseen(asked: _Asked, each: ReadTurn) -> TurnTold | None:
    """The turn of the side whose turn it was, before one of the other side's, where it may have
    thrown unseen and had no play: nobody is said to have played out of turn then.
    """
    played = each.turn.position
    try:
        position = Position.of(played.placement, played.ruleset, played.side.other)
    except PositionError:
        return None
    if no_play_share(position) < 1 - SURE_TURN:
        return None
    stood = next((p for _, p in rolls_explaining(position, played.placement) if not p.moves), None)
    thrown = None if each.turn.throw is None else asked.throws[each.turn.throw]
    ended = each.turn.at if thrown is None else thrown.began - AT_ONCE_S
    return None if stood is None else TurnTold(stood, None, False, ended)


def _told(asked: _Asked, each: ReadTurn, ended: float) -> TurnTold:
    """One turn that is over: another followed, other dice were thrown, or its side pressed."""
    turn = each.turn
    thrown = asked.throws[turn.throw] if turn.throw is not None else None
    read = False
    if thrown is not None:
        shares = np.exp(thrown.rolls + rolls.LOG_PRIOR)
        share = float(shares[ROLLS.index(turn.roll)] / shares.sum())
        if share < SAME_THROW and float(shares.max() / shares.sum()) >= DEFAULT.roll_read:
            # A play of another roll than the one that lay there: nobody says which it was.
            lay = ROLLS[int(shares.argmax())]
            return TurnTold(turn.play, lay, True, ended, unresolved=True)
        read = share >= DEFAULT.roll_read
    sure = turn.other_rolls <= 1 - SURE_ROLL
    return TurnTold(turn.play, turn.roll if sure else None, read, ended)


def _ended(asked: _Asked, each: ReadTurn, after: ReadTurn | None) -> float | None:
    """When a turn was over, s; None while it may still go on."""
    turn = each.turn
    used = turn.throw if turn.throw is not None else -1
    pressed = [at for side, at in asked.presses if side is turn.side and at >= turn.at - 0.3]
    thrown = [t.began - AT_ONCE_S for t in asked.throws[used + 1 :] if t.at > turn.at]
    if after is not None:
        thrown.append(after.turn.at)
    found = pressed[:1] + thrown[:1]
    return min(found) if found else None
