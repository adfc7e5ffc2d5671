"""What a turn left that was entered as likely only, and that stood otherwise, as play has gone on
from there: the line of the record is put right, where nobody says how it came to.
"""

from __future__ import annotations

from typing import Final

from rules.board import Placement, Side
from rules.dice import Roll
from rules.judge import judge, rolls_explaining
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import AGREED_AT
from service.referee.dice import moves_text
from service.referee.draft import Draft
from service.referee.state import Phase, PlayLine, State

PLAYED_ON: Final = "played_on"
"""The reason of a position that nobody set: both sides went on from it."""


def say_position(draft: Draft, stands: Placement, on_roll: Side) -> None:
    """The record has the board as it stands: nobody knows how it came to, and both sides went on
    from there.
    """
    first = draft.state.game.first_turns
    draft.say(
        e.PositionSet(stands, on_roll, first_turns=(first.white, first.black), reason=PLAYED_ON)
    )


def say_changed_play(draft: Draft, stands: Placement, on_roll: Side) -> bool:
    """Whether the line before was put right as another play of its roll, or of one of those that it
    may have been, which is what stood there when `on_roll` went on from it: it was changed after it
    had stood, or was put right by its side. A checker that is knocked leaves other pips, and so no
    play of the same roll.
    """
    state = draft.state
    line, ruleset = state.match.plays[-1] if state.match.plays else None, state.match.ruleset
    if line is None or line.by_hand or line.before is None or ruleset is None:
        return False
    if line.game != state.game.number or line.side is on_roll or line.placement == stands:
        return False
    if line.placement != state.game.placement or state.game.on_roll is not on_roll:
        return False
    try:
        began = Position.of(line.before, ruleset, line.side, line.first_turn)
    except PositionError:
        return False
    changed = _changed_play(line, began, stands)
    if changed is None:
        return False
    made, roll = changed
    if state.phase is Phase.DIFFERS:
        draft.say(e.Recovered("explained"))
    draft.say(
        e.PlayCorrected(
            line.seq,
            roll,
            line.origin if roll == line.roll else e.DiceOrigin.INFERRED,
            str(made),
            stands,
            rewinds=True,
            reason=PLAYED_ON,
        )
    )
    return True


def _changed_play(
    line: PlayLine, began: Position, stands: Placement
) -> tuple[Play, Roll | None] | None:
    """The play of a line's roll that leaves what stands there, and that roll; None where none does.
    Where nobody read the roll it is one that explains the line as well as what stands there now, or
    None where several do; a line by which nothing moved may have been too many to tell.
    """
    if line.roll is not None:
        made = judge(began, line.roll, stands)
        return (made, line.roll) if isinstance(made, Play) else None
    before = {roll for roll, _ in rolls_explaining(began, line.placement)}
    found = [(made, roll) for roll, made in rolls_explaining(began, stands) if roll in before]
    if not found or not found[0][0].moves or began.placement == line.placement:
        return None
    return found[0][0], found[0][1] if len(found) == 1 else None


def say_what_was_left(draft: Draft, stands: Placement, on_roll: Side) -> bool:
    """The record has the board as it stood when `on_roll` played from it: as what the turn before
    left, where that was another play of its roll, or was entered as the likeliest play and may have
    moved otherwise, which is returned, else as it is.
    """
    if say_changed_play(draft, stands, on_roll):
        return True
    state = draft.state
    line = state.match.plays[-1] if state.match.plays else None
    text = "" if line is None else _moved_otherwise(state, line, stands, on_roll)
    if line is None or not text:
        say_position(draft, stands, on_roll)
        return False
    if state.phase is Phase.DIFFERS:
        draft.say(e.Recovered("explained"))
    unresolved = e.Standing.UNRESOLVED.value
    draft.say(
        e.PlayCorrected(
            line.seq, line.roll, line.origin, text, stands, rewinds=True, reason=unresolved
        )
    )
    return True


def played_over_likely(state: State, stands: Placement) -> tuple[Placement, Play] | None:
    """What the side on roll played from, and its play of the roll as read, where what stands there
    is that together with what the turn before left otherwise than as its likeliest play; else None.
    """
    side, roll, ruleset = state.game.on_roll, state.turn.roll, state.match.ruleset
    before = state.game.placement
    if roll is None or ruleset is None or before is None or not state.match.plays:
        return None
    start = before.with_counts(side.other, stands.counts(side.other))
    if start == before or not _moved_otherwise(state, state.match.plays[-1], start, side):
        return None
    try:
        position = Position.of(start, ruleset, side, state.game.first_turns[side])
    except PositionError:
        return None
    found = judge(position, roll, stands)
    return (start, found) if isinstance(found, Play) else None


def _moved_otherwise(state: State, line: PlayLine, stands: Placement, on_roll: Side) -> str:
    """The moves that leave what stands there instead of a play that was the likeliest of those
    asked about, nobody having answered; "" where the line is sure, or more than one of its checkers
    stands elsewhere: that is no slip, what is read is wrong.
    """
    p, ruleset = line.probability, state.match.ruleset
    sure = line.by_hand or line.standing is not None or p is None or p >= AGREED_AT
    if sure or line.game != state.game.number or line.side is on_roll:
        return ""
    if line.before is None or ruleset is None or line.placement != state.game.placement:
        return ""
    pairs = zip(line.placement.counts(line.side), stands.counts(line.side), strict=True)
    if sum(max(0, now - then) for then, now in pairs) != 1:
        return ""
    try:
        return moves_text(Position.of(line.before, ruleset, line.side, line.first_turn), stands)
    except PositionError:
        return ""
