"""A play that somebody says: a legal one, an illegal one that is to stand, or one that the record
does not allow while the board shows just that, so that it is the record which is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.board import Placement
from rules.dice import Roll
from rules.infraction import Broken, Infraction
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import Illegal, OtherRoll, Recalled, TurnTold
from service.referee.dice import moves_text
from service.referee.draft import Draft
from service.referee.entering import begin_turn
from service.referee.inputs import Order
from service.referee.recalled_turns import enter_recalled
from service.referee.state import Phase, State
from service.referee.turn import enter_story


def origin_said(state: State, thrown: Roll | None) -> e.DiceOrigin:
    """How a roll that goes with a declared play is known."""
    if thrown is None:
        return e.DiceOrigin.UNKNOWN
    return state.match.origin if thrown == state.turn.roll else e.DiceOrigin.ENTERED


def recover(draft: Draft) -> None:
    """What was declared explains a board that differed."""
    if draft.state.phase is Phase.DIFFERS:
        draft.say(e.Recovered("chosen"))


def took_as_seen(
    draft: Draft, order: Order, thrown: Roll | None, said: Placement, broken: Infraction
) -> bool:
    """Whether a play that is `broken` by the record was taken all the same: the board shows what is
    said, so what it was played from is what the record has wrong, or it was a slip. It is called
    neither legal nor illegal. A player's word about his own play is not taken so, and a notice
    that it was illegal is answered by the other side.
    """
    state = draft.state
    own = order.by.role is e.Role.PLAYER and order.by.side is state.game.on_roll
    if own or state.phase not in (Phase.PRESSED, Phase.DIFFERS) or not _is_seen(state, said):
        return False
    if _ends_a_story(draft, thrown, said) or _is_others_play(draft, thrown, said):
        return True
    if broken.code in NO_PLAY_OF_HIS:
        return False
    try:
        assert state.match.ruleset is not None
        Position.of(said, state.match.ruleset, state.game.on_roll.other)
    except PositionError:
        return False
    enter_said(draft, thrown, said, e.Standing.UNRESOLVED)
    return True


NO_PLAY_OF_HIS: Final = frozenset(
    {Broken.OPPONENT_MOVED, Broken.CHECKER_MISSING, Broken.CHECKER_ADDED}
)
"""What no hand does that only plays its own checkers: other turns passed, or what is seen is not
all that stands there."""


def _ends_a_story(draft: Draft, thrown: Roll | None, said: Placement) -> bool:
    """Whether what is said is the last turn of what would explain a board that differs: the word
    tells which of the explanations it was.
    """
    offered = draft.state.watch.offered
    if draft.state.phase is not Phase.DIFFERS or offered is None or thrown is None:
        return False
    for each in offered.explanations:
        if each.turns and each.placement == said and each.turns[-1][0] == thrown:
            recover(draft)
            # Of its roll nothing is open any more.
            told = replace(each, open_rolls=each.open_rolls - {len(each.turns) - 1})
            enter_story(draft, told, offered.grounds, by_hand=True)
            return True
    return False


def _is_seen(state: State, said: Placement) -> bool:
    """Whether what was last seen at rest is what is said."""
    watch = state.watch
    if state.phase is Phase.DIFFERS:
        base = watch.next_base or watch.base
        return base is not None and base[0] == said
    if isinstance(watch.verdict, Illegal | OtherRoll):
        return watch.verdict.placement == said
    return watch.stood == said


def _is_others_play(draft: Draft, thrown: Roll | None, said: Placement) -> bool:
    """Whether the other side played so, and the turn before passed without a play that anybody saw:
    then its play is what is entered.
    """
    state = draft.state
    before, ruleset, side = state.game.placement, state.match.ruleset, state.game.on_roll.other
    assert before is not None and ruleset is not None
    if thrown is None or state.turn.roll is not None:
        return False
    try:
        start = Position.of(before, ruleset, side, state.game.first_turns[side])
    except PositionError:
        return False
    made = judge(start, thrown, said)
    if not isinstance(made, Play) or not made.moves:
        return False
    turn = TurnTold(side, said, made, thrown, False, draft.now, unresolved=True)
    enter_recalled(draft, Recalled((turn,), 0, 1.0, start), e.Grounds())
    return True


def enter_said(
    draft: Draft,
    thrown: Roll | None,
    said: Placement,
    standing: e.Standing,
    broken: Infraction | None = None,
) -> None:
    """What a person says was played becomes part of the record although no rule allows it from what
    the record has: as the infraction that it is said to be, or as what nobody has resolved.
    """
    recover(draft)
    state = draft.state
    side = state.game.on_roll
    if state.phase is Phase.TO_ROLL and thrown is not None:
        draft.say(e.RollEntered(side, thrown, e.DiceOrigin.ENTERED))
    if broken is not None:
        noticed = draft.state.turn.notice
        draft.say(e.IllegalStood(side, noticed.seq if noticed else 0, standing))
    draft.say(
        e.PlayEntered(
            side,
            thrown,
            origin_said(state, thrown),
            moves_text(state.position(), said),
            said,
            None,
            True,
            broken.code.value if broken else "",
            standing,
            {"facts": dict(broken.facts)} if broken else {},
            (draft.picture("stands"),),
        )
    )
    begin_turn(draft)
