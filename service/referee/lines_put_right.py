"""Lines that were wrong already when the record is put right: they are corrected, so that what
stands there now follows from them. Nothing of it changes what stands there, or whose turn it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rules.board import Placement, Side
from rules.dice import Roll
from rules.judge import judge, rolls_explaining
from rules.play import Play
from rules.position import Position, PositionError
from rules.ruleset import Ruleset
from service.journal import entries as e
from service.reconcile import AGREED_AT
from service.referee.dice import moves_text
from service.referee.draft import Draft
from service.referee.inputs import LinesWrong
from service.referee.state import PlayLine, State


def on_lines_wrong(draft: Draft, given: LinesWrong) -> None:
    """Each line since the first that was read as the record has it now is corrected by as much, if
    every later one is the same play as before; else all stay as they are.
    """
    ruleset = draft.state.match.ruleset
    if ruleset is None:
        return
    try:
        corrections = list(_corrections(ruleset, _lines_since(draft.state, ruleset, given), given))
    except _NotSoError:
        return
    for body in corrections:
        draft.say(body)


class _NotSoError(Exception):
    """A line would be no play of its roll: it was not wrong just so."""


def _lines_since(state: State, ruleset: Ruleset, given: LinesWrong) -> Sequence[PlayLine]:
    """The lines to correct, the earliest first: of this game, each from where the one before it
    left the board; none where somebody has said one of them, or one is said to be against the
    rules. The line before them is one of them where its side has changed it after it had stood.
    """
    played = [
        line
        for line in state.match.plays
        if line.game == state.game.number and line.seq <= given.last
    ]
    n = next((n for n, line in enumerate(played) if line.seq >= given.first), len(played))
    if n == len(played) or played[-1].placement != given.recorded:
        return ()
    n -= n > 0 and _was_changed(ruleset, played[n - 1], played[n], given)
    # Whoever knocked a checker did so after a play that was sure.
    n += not _is_wrong_itself(ruleset, played[n], given)
    lines = played[n:]
    linked = all(before.placement == line.before for before, line in pairwise(lines))
    blamed = any(line.infraction and line.standing is not e.Standing.UNRESOLVED for line in lines)
    return lines if linked and not blamed and not any(line.by_hand for line in lines) else ()


def _was_changed(ruleset: Ruleset, line: PlayLine, after: PlayLine, given: LinesWrong) -> bool:
    """Whether a line may have been changed to another play of its roll before the one `after` it
    was made, the other side's own checkers being where they are on record.
    """
    ours = after.side
    if given.recorded.counts(ours) != given.right.counts(ours) or line.side is ours:
        return False
    return _is_other_play(ruleset, line, given)


def _is_wrong_itself(ruleset: Ruleset, line: PlayLine, given: LinesWrong) -> bool:
    """Whether a line may have left what it should have, and no checker was knocked after it: one of
    its own side stands otherwise, and nobody was sure of it when it was entered, or that is another
    play of its roll.
    """
    own = given.recorded.counts(line.side) != given.right.counts(line.side)
    return own and (is_doubtful(line) or _is_other_play(ruleset, line, given))


def is_doubtful(line: PlayLine) -> bool:
    """Whether nobody was sure of a line when it was entered."""
    p = line.probability
    unsure = p is None or p < AGREED_AT
    return not line.by_hand and (line.standing is not None or line.roll is None or unsure)


def _is_other_play(ruleset: Ruleset, line: PlayLine, given: LinesWrong) -> bool:
    """Whether what a line should have left is another play of the roll that was read."""
    left = _as_right(line.placement, given)
    if line.before is None or left is None or line.origin is e.DiceOrigin.INFERRED:
        return False
    began = _began(ruleset, line, line.before)
    return line.roll is not None and _played(began, line.roll, left) is not None


def _corrections(
    ruleset: Ruleset, lines: Sequence[PlayLine], given: LinesWrong
) -> Iterator[e.PlayCorrected]:
    """Each line as it should have been said. Raises _NotSoError."""
    for n, line in enumerate(lines):
        before, after = line.before, _as_right(line.placement, given)
        otherwise = None if before is None else _as_right(before, given)
        if before is None or after is None:
            raise _NotSoError
        own = n == 0 and _is_wrong_itself(ruleset, line, given)
        began = _began(ruleset, line, before) if own else None
        shifted = None if otherwise is None else _began(ruleset, line, otherwise)
        if _began(ruleset, line, after) is None:
            raise _NotSoError
        yield _correction(line, began, shifted, after)


def _began(ruleset: Ruleset, line: PlayLine, placement: Placement) -> Position | None:
    """A line's side to play from this placement; None where no position has the checkers so."""
    try:
        return Position.of(placement, ruleset, line.side, line.first_turn)
    except PositionError:
        return None


def _correction(
    line: PlayLine, began: Position | None, shifted: Position | None, after: Placement
) -> e.PlayCorrected:
    """One line with what it left: the first as another play from where it `began`, as far as its
    roll tells; each as the same play from what the record has there now (`shifted`). What no play
    explains is unresolved: nobody knows how it came to stand. Raises _NotSoError.
    """
    roll, origin = line.roll, line.origin
    found = _played(began, roll, after)
    if found is None and began is not None and origin is e.DiceOrigin.INFERRED:
        # The roll was told by the play alone, which was another one.
        explained = rolls_explaining(began, after)
        found = explained[0][1] if explained else None
        roll = explained[0][0] if len(explained) == 1 else None if explained else line.roll
        origin = e.DiceOrigin.UNKNOWN if roll is None else origin
    found = found or _played(shifted, roll, after)
    if found is not None:
        return e.PlayCorrected(line.seq, roll, origin, str(found), after, reason=e.READ_SO)
    unresolved = e.Standing.UNRESOLVED
    position = began or shifted
    if (began is None and line.standing is not unresolved) or position is None:
        raise _NotSoError
    text, broken = moves_text(position, after), line.infraction if began is None else ""
    return e.PlayCorrected(line.seq, roll, origin, text, after, broken, reason=unresolved.value)


def _played(began: Position | None, roll: Roll | None, after: Placement) -> Play | None:
    """The play of a roll, or of any where none was read, that leaves this; None where none does."""
    found = None if began is None else judge(began, roll, after)
    return found if isinstance(found, Play) else None


def _as_right(placement: Placement, given: LinesWrong) -> Placement | None:
    """A placement changed by what the record was wrong by; None where a side has too few there."""
    for side in Side:
        pairs = zip(given.recorded.counts(side), given.right.counts(side), strict=True)
        counts = [
            n + right - wrong
            for n, (wrong, right) in zip(placement.counts(side), pairs, strict=True)
        ]
        if min(counts) < 0:
            return None
        placement = placement.with_counts(side, tuple(counts))
    return placement
