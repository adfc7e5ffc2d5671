"""Who plays on from a board that differs from the record: nobody has said how it came to stand so,
and the game goes on from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.board import Side
from rules.position import Position, PositionError
from service.reconcile import (
    Agreed,
    Evidence,
    Expectation,
    Pending,
    decide,
    standing,
    unbiased,
)
from service.referee.inputs import PlayedOn
from service.referee.state import State
from service.referee.turn import PASSING
from service.session import dice as session_dice

ASTRAY: Final = frozenset({"doubt", "unsettled"})
"""Pending for a reason that tells of no play that may still be going on."""


def watch_play_on(state: State, evidence: Evidence, now: float) -> list[PlayedOn]:
    """Whose play stands there, made from what stood there when board and record were found to
    differ; whether nothing that a side may be about to play explains what stands there now.
    """
    base = state.watch.base
    if state.match.ruleset is None:
        return []
    stands = standing(evidence, now, state.match.ruleset.checkers)
    if base is None:
        return [PlayedOn(None, astray=True, stands=stands)]
    stood, since = base
    known = state.watch.played_on
    after = tuple(t for t in evidence.dice if t.first_at > since)
    own = after if known is None else tuple(t for t in after if t.first_at <= known[1])
    begun = replace(unbiased(evidence, stood), dice=own)
    made: list[Agreed] = []
    astray, hidden = True, False
    for side in Side:
        try:
            position = Position.of(stood, state.match.ruleset, side, state.game.first_turns[side])
        except PositionError:
            continue
        asked = Expectation(position, since=since, dice_area=session_dice.area_of(state, side))
        verdict = decide(begun, asked, now)
        if isinstance(verdict, Agreed) and verdict.play.moves:
            made.append(verdict)
        astray &= isinstance(verdict, Pending) and verdict.reason in ASTRAY
        hidden |= isinstance(verdict, Pending) and verdict.reason in PASSING
    lying = [t for t in own if t.gone_at is None]
    return [
        PlayedOn(
            made[0] if len(made) == 1 else None,
            hidden=hidden,
            astray=astray and not made,
            thrown_at=max((t.first_at for t in after), default=None),
            lifted=bool(own) and not lying,
            stands=stands,
        )
    ]
