"""A film's last turn where nothing could be moved: no play and no later throw tells of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from rules.dice import ROLLS
from rules.play import plays
from service.reconcile.reel import ReadTurn, Throw, Turn

_READ: Final = 0.9
"""Two flat dice are read so surely, or nobody can say that they could not be played."""


def with_last_dance(turns: tuple[ReadTurn, ...], throws: Sequence[Throw]) -> tuple[ReadTurn, ...]:
    """The turns, and one more where dice that were thrown once after them, and read, leave nothing
    to move to whose turn it is: a double that follows is then the other side's.
    """
    if not turns:
        return turns
    last = turns[-1]
    position = last.turn.position.after(last.turn.view)
    later = [n for n, throw in enumerate(throws) if throw.began > last.turn.at]
    if position.is_over or len(later) != 1:
        return turns
    throw = throws[later[0]]
    likely = np.exp(throw.rolls - np.logaddexp.reduce(throw.rolls))
    best = int(likely.argmax())
    sure = float(likely[best]) * throw.valid
    if sure < _READ or plays(position, ROLLS[best]).results != {position.view}:
        return turns
    turn = Turn(
        position, ROLLS[best], position.view, later[0], throw.frame, throw.at, last.turn.game, 0.0
    )
    confidence = sure * last.placed
    gap = math.log(sure / max(1 - sure, 1e-9))
    return (*turns, ReadTurn(turn, gap, confidence, 0.0, last.placed, last.left, 0.0))
