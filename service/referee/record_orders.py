"""What people may tell the table about the record: a play or roll that was written wrongly, a
position to go on from."""

from __future__ import annotations

from typing import Final

from rules.board import Placement
from rules.dice import Roll
from rules.infraction import Infraction
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.referee.args import FlagArg, PairArg, PlacementArg, RollArg, SideArg, WholeArg
from service.referee.dice import closed_out, enter_roll, moves_text
from service.referee.draft import Draft
from service.referee.inputs import Order
from service.referee.left_otherwise import PLAYED_ON
from service.referee.match import finish_game
from service.referee.orders import (
    NEEDED_PLACEMENT,
    REASON,
    ROLL,
    enter_declared_roll,
    expect,
)
from service.referee.refusal import OrderError
from service.referee.state import Phase, PlayLine

SEQ: Final = WholeArg("seq", "the number of the play's entry")
NEEDED_SEQ: Final = WholeArg("seq", "the number of the play's entry", True)
NEEDED_ROLL: Final = RollArg("roll", "the two dice as they were", True)
REWIND: Final = FlagArg("rewind", "the game goes back to just after the play")
POSITION: Final = PlacementArg("placement", "where every checker stands", True)
ON_ROLL: Final = SideArg("on_roll", "whose turn it is", True)
CUBE: Final = WholeArg("cube", "the cube's value; absent = as it is", False, 1, 1 << 20)
CUBE_OWNER: Final = SideArg("cube_owner", "who owns the cube; absent = the centre")
FIRST_TURNS: Final = PairArg("first_turns", "whether White and Black still have their first turn")

OF_THE_TABLE: Final = frozenset({PLAYED_ON, e.Standing.UNRESOLVED.value})
"""What the table gives for its reason where nobody has said anything."""


def _in_own_words(order: Order) -> str:
    """The reason that a person gave: with a full stop where it is the very word by which the record
    knows what the table put right by itself.
    """
    said = REASON.of(order)
    return f"{said}." if said in OF_THE_TABLE else said


def set_position(draft: Draft, order: Order) -> None:
    """Set up a position."""
    state = draft.state
    if state.match.ruleset is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    placement, side = POSITION.of(order), ON_ROLL.of(order)
    try:
        Position.of(placement, state.match.ruleset, side)
    except PositionError as error:
        raise OrderError("bad_position", "a position of this ruleset", str(error)) from None
    draft.say(
        e.PositionSet(
            placement,
            side,
            CUBE.maybe(order),
            CUBE_OWNER.lenient(order),
            FIRST_TURNS.of(order),
            _in_own_words(order),
        )
    )
    closed_out(draft)


def _line(draft: Draft, order: Order) -> PlayLine:
    about = SEQ.of(order)
    found = next((p for p in draft.state.match.plays if p.seq == about), None)
    if found is None:
        raise OrderError("no_play", "the number of a play of this match", str(about))
    return found


def correct_roll(draft: Draft, order: Order) -> None:
    """Correct a roll of the record, or that of the turn in progress."""
    thrown = NEEDED_ROLL.of(order)
    if SEQ.maybe(order) is None:
        expect(draft, Phase.MOVING, Phase.PRESSED)
        _correct_present_roll(draft, thrown)
        return
    line = _line(draft, order)
    _say_correction(draft, order, line, thrown, line.placement)


def _correct_present_roll(draft: Draft, thrown: Roll) -> None:
    state = draft.state
    if state.phase is Phase.PRESSED:
        enter_declared_roll(draft, thrown)
        return
    draft.say(e.RollWithdrawn(state.game.on_roll, state.turn.roll, "misread"))
    enter_roll(draft, thrown, e.DiceOrigin.ENTERED, None)


def correct_play(draft: Draft, order: Order) -> None:
    """Correct a play of the record; a game that it ended, or that ended after it, is open again
    where it goes back to just after the play.
    """
    line, placement = _line(draft, order), NEEDED_PLACEMENT.of(order)
    assert draft.state.match.ruleset is not None
    try:
        Position.of(placement, draft.state.match.ruleset, line.side.other)
    except PositionError as error:
        raise OrderError(
            "cannot_stand",
            "a board that can be played on",
            str(error),
            "say where every checker stood",
        ) from None
    rewinds = REWIND.of(order)
    if rewinds:
        _reopen_game(draft, line)
    _say_correction(draft, order, line, ROLL.maybe(order) or line.roll, placement, rewinds)
    if rewinds and not finish_game(draft):
        closed_out(draft)


def _reopen_game(draft: Draft, line: PlayLine) -> None:
    """Take back the end of the game that the play belongs to, with its points. Raises OrderError
    where another game has begun since.
    """
    state = draft.state
    if line.game != state.game.number:
        raise OrderError(
            "not_now",
            f"a play of game {state.game.number}",
            f"one of game {line.game}, with another game begun since",
            "correct it without going back; put the score right with amend",
        )
    ended = next((g for g in state.match.finished if g.number == line.game), None)
    if ended is not None:
        score = state.match.score.put(ended.winner, state.match.score[ended.winner] - ended.points)
        draft.say(e.GameReopened(ended.seq, ended.number, (score.white, score.black)))


def _say_correction(
    draft: Draft,
    order: Order,
    line: PlayLine,
    thrown: Roll | None,
    placement: Placement,
    rewinds: bool = False,
) -> None:
    """The play with this roll and result instead, judged anew."""
    ruleset = draft.state.match.ruleset
    assert ruleset is not None and line.before is not None
    position = Position.of(line.before, ruleset, line.side, line.first_turn)
    found = judge(position, thrown, placement)
    text = str(found) if isinstance(found, Play) else moves_text(position, placement)
    broken = found.code.value if isinstance(found, Infraction) else ""
    draft.say(
        e.PlayCorrected(
            line.seq,
            thrown,
            e.DiceOrigin.ENTERED,
            text,
            placement,
            broken,
            rewinds,
            _in_own_words(order),
        )
    )
