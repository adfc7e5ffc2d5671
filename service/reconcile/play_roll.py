"""Which roll a certain play was made with: announced, the only one that explains it, or unknown.

The play itself is no longer in question here (`verdict` has chosen it); several rolls may leave the
same board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rules.board import Placement
from rules.dice import ROLLS
from rules.judge import judge
from rules.play import Play, plays
from service.journal.entry import DiceOrigin
from service.reconcile import report, rolls
from service.reconcile.answers import Agreed, Expectation, OtherRoll
from service.reconcile.arrays import F64, Bools
from service.reconcile.codes import placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import ROLL_INDEX, Kind
from service.reconcile.one_turn import AT_ONCE_S
from service.reconcile.weigh import Weighed


@dataclass(frozen=True, slots=True, eq=False)
class CertainPlay:
    """One legal result, all but certain: its `rows` (N,) in `weighed`, one or more a roll, and the
    probability of them together.

    `accident` hit_checker when the hit checker is not on the bar, and the `sites` where it shows;
    "" otherwise.
    """

    weighed: Weighed
    rows: Bools
    probability: float
    accident: str = ""
    sites: tuple[int, ...] = ()

    def by_roll(self) -> F64:
        """Log posterior of this play with each of the 21 rolls, -inf where that roll has it not.
        What lies otherwise beside a play says nothing of its roll.
        """
        found = np.full(len(ROLLS), -math.inf)
        for row in np.flatnonzero(self.rows & (self.weighed.kind == Kind.LEGAL)):
            index = self.weighed.roll[row]
            found[index] = np.logaddexp(found[index], self.weighed.post[row])
        return found

    @property
    def placement(self) -> Placement:
        """What the play leaves on the board."""
        first = int(np.flatnonzero(self.rows)[0])
        return placement_from(self.weighed.codes[self.weighed.parent[first]])

    def play_with(self, index: int) -> Play:
        """The play as made with the roll of this index."""
        found = plays(self.weighed.turn.position, ROLLS[index]).find(self.placement)
        assert found is not None, "a legal row came from these very plays"
        return found

    def agreed(self, index: int, origin: DiceOrigin, now: float) -> Agreed:
        """The verdict that it was made with the roll of this index."""
        return Agreed(
            self.play_with(index),
            ROLLS[index],
            origin,
            self.probability,
            report.grounds_of(self.weighed, now),
            self.accident,
            self.sites,
        )


def with_its_roll(
    evidence: Evidence, expectation: Expectation, certain: CertainPlay, now: float
) -> Agreed | OtherRoll:
    """The play with the roll that it was made with; `OtherRoll` when the roll announced and the
    play contradict each other.
    """
    if expectation.roll is None:
        return _with_unannounced_roll(evidence, certain, now)
    tuning, weighed = evidence.tuning, certain.weighed
    shares = _shares(certain.by_roll())
    top = int(np.argmax(shares))
    announced = ROLL_INDEX[expectation.roll]
    if expectation.roll_declared or top == announced:
        origin = DiceOrigin.ENTERED if expectation.roll_declared else DiceOrigin.READ
        return certain.agreed(announced, origin, now)
    allowed = plays(weighed.turn.position, expectation.roll).find(certain.placement)
    if allowed is not None and _stood_already(evidence, expectation, certain):
        return certain.agreed(announced, DiceOrigin.READ, now)
    if shares[announced] > 0 and shares[top] < tuning.infer:
        # The roll announced allows the play as well: the play stands, whichever of them was thrown.
        return certain.agreed(top, DiceOrigin.UNKNOWN, now)
    others = np.delete(weighed.roll_prior, top)
    read_so = math.exp(float(others.max())) >= tuning.roll_read
    # Of dice of which a third lies there some show the roll, or nothing tells it but the play.
    unseen = math.exp(float(weighed.roll_prior[top])) < 1 - tuning.roll_read
    if shares[top] < tuning.infer or read_so or unseen:
        found = judge(weighed.turn.position, expectation.roll, certain.placement)
        if isinstance(found, Play):
            return certain.agreed(announced, DiceOrigin.READ, now)
        order = [
            int(i) for i in np.argsort(-shares, kind="stable")[:4] if shares[i] > 1 - tuning.agree
        ]
        return OtherRoll(
            expectation.roll,
            found,
            certain.placement,
            tuple(
                (certain.play_with(i), ROLLS[i], certain.probability * float(shares[i]))
                for i in order
            ),
            certain.probability,
            report.grounds_of(weighed, now),
        )
    return certain.agreed(top, DiceOrigin.INFERRED, now)


def _stood_already(evidence: Evidence, expectation: Expectation, certain: CertainPlay) -> bool:
    """Whether the play had been made when the dice that lie there now were thrown: it is none of
    them.
    """
    memory, dice = expectation.memory, rolls.dice_of_turn(evidence)
    moved = certain.placement != certain.weighed.turn.position.placement
    if memory is None or not (dice and moved):
        return False
    thrown = max(track.first_at for track in dice) - AT_ONCE_S
    still = memory.rested_at(evidence, memory.anchors[-1].at, thrown)
    return still is not None and still.bears_out(certain.placement)


def _with_unannounced_roll(evidence: Evidence, certain: CertainPlay, now: float) -> Agreed:
    """The play with its likeliest roll: no roll was announced, so the dice were faint or unseen.

    The roll counts as known when the play alone leaves one, or when both say the same for certain.
    """
    tuning, weighed = evidence.tuning, certain.weighed
    by_roll = certain.by_roll()
    shares, alone = _shares(by_roll), _shares(by_roll - weighed.roll_prior + rolls.LOG_PRIOR)
    top = int(np.argmax(shares))
    if alone[top] < tuning.infer and shares[top] < tuning.agree:
        return certain.agreed(top, DiceOrigin.UNKNOWN, now)
    seen = rolls.dice_pair(rolls.dice_of_turn(evidence))
    read = (
        sum(t.flat >= 0.5 for t in seen) >= 2
        and math.exp(float(weighed.roll_prior[top])) >= tuning.roll_read
    )
    return certain.agreed(top, DiceOrigin.READ if read else DiceOrigin.INFERRED, now)


def _shares(logs: F64) -> F64:
    """Probabilities from logs, summing to 1."""
    result: F64 = np.exp(logs - np.logaddexp.reduce(logs))
    return result
