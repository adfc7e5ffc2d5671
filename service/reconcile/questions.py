"""What is asked of a turn that was ended and is not certain: which play, or which roll."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from rules.dice import ROLLS, Roll
from rules.judge import judge as judged_by_rules
from rules.play import Play, plays
from service.reconcile import report
from service.reconcile.answers import Expectation, OtherRoll
from service.reconcile.codes import codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import Kind
from service.reconcile.tuning import DEFAULT
from service.reconcile.weigh import Weighed

LEAST_POSSIBLE: Final = 1 - DEFAULT.agree
"""A question is asked as long as legal plays are so likely: that it was none is not agreed."""
LIKELY: Final = 0.5
"""What is named must be so likely, that is likelier than all else together (0.3-0.7): a play of
another roll of everything, a placement that is illegal of everything illegal. A cost that a person
chose.
"""


def roll_judged_by(expectation: Expectation, weighed: Weighed) -> Roll | None:
    """The roll that an infraction is judged by: as announced, else as the dice say, else None."""
    if expectation.roll is not None:
        return expectation.roll
    top = int(np.argmax(weighed.roll_prior))
    return ROLLS[top] if math.exp(float(weighed.roll_prior[top])) >= 0.95 else None


def _roll_that_lay(evidence: Evidence, weighed: Weighed) -> Roll | None:
    """The roll of two dice that lay flat and were the only ones of this turn, whether or not it was
    announced; None where that is not sure.
    """
    thrown = [t for t in evidence.dice if not t.stale]
    alone = len(thrown) == 2 and all(t.seen_again and t.flat >= 0.5 for t in thrown)
    top = int(np.argmax(weighed.roll_prior))
    sure = math.exp(float(weighed.roll_prior[top])) >= evidence.tuning.roll_read
    return ROLLS[top] if alone and sure else None


def open_question(weighed: Weighed) -> tuple[tuple[Play, Roll, float], ...] | None:
    """The legal plays still possible, best first; None when hardly any legal play is."""
    if math.exp(weighed.mass(weighed.legal)) < LEAST_POSSIBLE:
        return None
    rows = np.flatnonzero(weighed.kind == Kind.LEGAL)
    order = rows[np.argsort(-weighed.post[rows], kind="stable")[:5]]
    options: list[tuple[Play, Roll, float]] = []
    for i in order:
        share = math.exp(float(weighed.post[i]))
        roll = ROLLS[int(weighed.roll[i])]
        play = plays(weighed.turn.position, roll).find(placement_from(weighed.codes[i]))
        if play is not None and (share >= LEAST_POSSIBLE or not options):
            options.append((play, roll, share))
    return tuple(options) or None


def other_roll_asked(
    evidence: Evidence,
    expectation: Expectation,
    weighed: Weighed,
    options: tuple[tuple[Play, Roll, float], ...] | None,
    now: float,
) -> OtherRoll | None:
    """The question which roll it was, where what likely stands there is no play of the one read, or
    of the one that lay there though it was not announced: in the wrong half, say.
    """
    read = expectation.roll or _roll_that_lay(evidence, weighed)
    if read is None or expectation.roll_declared or not options or options[0][1] == read:
        return None
    placement = options[0][0].placement
    same = tuple(o for o in options if o[0].placement == placement)
    share = sum(p for *_, p in same)
    found = judged_by_rules(weighed.turn.position, read, placement)
    # It may be half of a play as well: that stands there is what the question says.
    stands = (weighed.codes == codes_of(placement)).all(axis=1)
    if math.exp(weighed.mass(stands)) < LIKELY or isinstance(found, Play):
        return None
    return OtherRoll(read, found, placement, same, share, report.grounds_of(weighed, now))


def is_same_board(weighed: Weighed, options: tuple[tuple[Play, Roll, float], ...]) -> bool:
    """Whether what stands there is certain and only its meaning is not: waiting tells no more."""
    codes = codes_of(options[0][0].placement)
    return weighed.mass((weighed.codes == codes).all(axis=1)) > math.log(DEFAULT.infer)
