"""Games and score: the referee asks `rules.match` what follows, and writes down the answer.

The state holds only facts from the journal; a `rules.match.Match` is made from them when a question
comes, and thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rules.apply import apply
from rules.axes import NextStart, Opening, Win
from rules.board import OFF, BySide, Side
from rules.conduct import Penalty, PointsLost, Step
from rules.cube import Cube
from rules.game import (
    Action,
    ActionError,
    Game,
    GameResult,
    NextGame,
    OpeningDice,
    Played,
    awaits_last_roll,
    is_drawn,
)
from rules.game import GamePhase as GamePhase
from rules.match import Match, MatchRules, Score
from rules.position import Position
from service.journal import entries as e
from service.referee.clock import ticking
from service.referee.refusal import OrderError
from service.referee.state import Finished, Phase, State

if TYPE_CHECKING:
    from service.referee.draft import Draft

_PHASES: Final[Mapping[Phase, GamePhase]] = {
    Phase.OPENING: GamePhase.OPENING,
    Phase.TO_ROLL: GamePhase.TO_ROLL,
    Phase.DOUBLED: GamePhase.OFFERED,
    Phase.MOVING: GamePhase.ROLLED,
    Phase.PRESSED: GamePhase.ROLLED,
    Phase.ILLEGAL: GamePhase.ROLLED,
    Phase.DIFFERS: GamePhase.ROLLED,
    Phase.GAME_OVER: GamePhase.OVER,
    Phase.MATCH_OVER: GamePhase.OVER,
    Phase.SETTING_UP: GamePhase.OVER,
}


DIE_OFF_BOARD: Final = "die_off_board"
"""Why the clocks rest when a die has left the table."""


def match_rules(state: State) -> MatchRules:
    """What was agreed before the first game, with the length as it was put right since."""
    return replace(state.match.event, length=state.match.length or 0).match_rules()


def match_of(state: State) -> Match:
    """The match as `rules.match` sees it. Raises OrderError when none is set."""
    if state.match.ruleset is None or state.match.setting is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    rules = match_rules(state)
    cube = Cube(
        state.game.cube,
        state.game.cube_owner,
        rules.highest_cube,
        state.game.automatic,
        state.game.cube_turned,
    )
    phase = _PHASES.get(
        state.before if state.phase in (Phase.FROZEN, Phase.ADJOURNED) else state.phase,
        GamePhase.OVER,
    )
    if (
        phase is GamePhase.OFFERED
        and state.turn.offer
        and state.turn.offer[0] is not state.game.on_roll
    ):
        phase = GamePhase.BEAVERED
    last = state.match.finished[-1] if state.match.finished else None
    game = Game(
        state.match.ruleset,
        state.game.placement or Position.start(state.match.ruleset, Side.WHITE).placement,
        phase,
        None if phase is GamePhase.OPENING else state.game.on_roll,
        state.turn.roll,
        cube,
        frozenset(s for s in Side if not state.game.first_turns[s]),
        state.turn.resigning,
        state.game.crawford,
        state.game.number,
        GameResult(last.winner, last.points, how=_how(last)) if last else None,
        state.game.starter,
    )
    return Match(
        rules, game, Score(*state.match.score), crawford_played=state.match.crawford_played
    )


def _how(last: Finished) -> str:
    return DRAWN if last.reason == DRAWN else "played"


DRAWN: Final = "drawn"
"""The reason of a game that nobody won: both sides bore off all, one in its last turn."""


def applied(state: State, action: Action) -> Match:
    """The match after an action.

    Raises OrderError with the rules' own words when it cannot be done now.
    """
    try:
        return apply(match_of(state), action)
    except ActionError as error:
        raise OrderError(
            "not_now", "an action that the rules allow now", type(action).__name__, str(error)
        ) from None


def opening_starter(
    state: State, white: tuple[int, ...], black: tuple[int, ...]
) -> tuple[Side | None, bool, int | None]:
    """Who starts after an opening throw, whether with these dice, and the cube after an automatic
    double (None = unchanged).
    """
    match = applied(state, OpeningDice(white, black))
    cube = match.game.cube.value
    return (
        match.game.side,
        match.game.phase is GamePhase.ROLLED,
        cube if cube != state.game.cube else None,
    )


def starts_next(state: State) -> Side | None:
    """The side that starts the next game without an opening throw, None where it is thrown for."""
    return applied(state, NextGame()).game.side if state.match.finished else None


def awaits_opening_dice(state: State) -> bool:
    """Whether the first roll of the game is an opening throw that nobody has read yet: two dice
    that are not equal.
    """
    rules = state.match.ruleset
    thrown_for = rules is not None and rules.next_start is NextStart.ROLL
    plays = rules is not None and rules.opening is Opening.PLAY_THE_DICE
    begins = state.game.first_turns == BySide.both(True) and state.turn.roll is None
    return thrown_for and plays and begins


def begin_game(draft: Draft, starter: Side | None) -> None:
    """The next game, Crawford where it is its turn."""
    state = draft.state
    crawford = False
    if state.match.finished or any(state.match.score):
        crawford = _next_is_crawford(state)
    draft.say(e.GameStarted(state.game.number + 1, crawford, starter))


def _next_is_crawford(state: State) -> bool:
    rules = match_rules(state)
    needs_one = [
        side
        for side, score in state.match.score.items()
        if rules.length and rules.length - score == 1
    ]
    return rules.crawford and not state.match.crawford_played and len(needs_one) == 1


def finish_game(draft: Draft) -> bool:
    """End the game when a side has borne off all its checkers. Returns whether it did."""
    state = draft.state
    if state.game.placement is None or state.match.ruleset is None:
        return False
    played = state.game.on_roll.other
    if awaits_last_roll(state.match.ruleset, state.game.placement, state.game.starter, played):
        return False
    if is_drawn(state.match.ruleset, state.game.placement):
        end_game(draft, _borne_off(state, played), DRAWN)
        return True
    for side in (played, played.other):
        if state.game.placement.counts(side)[OFF] >= state.match.ruleset.checkers:
            won = _borne_off(state, side)
            end_game(draft, won, "borne_off")
            return True
    return False


def _borne_off(state: State, winner: Side) -> Match:
    """`rules.match` counts a game as won when the play that ends it is made: say that play once
    more, from nowhere.
    """
    match = match_of(state)
    # Whoever's last turn it was has had it.
    game = replace(match.game, side=winner, phase=GamePhase.ROLLED, resigning=None, starter=None)
    assert state.game.placement is not None
    return apply(replace(match, game=game), Played(winner, state.game.placement, stands=True))


def end_game(draft: Draft, after: Match, reason: str, resigned: Win | None = None) -> None:
    """Write down how a game ended, and the match when that was it; `resigned` says as what, where
    that is more than a single game.
    """
    result = after.game.result
    assert result is not None
    state = draft.state
    if ticking(state.match.clock):
        stop_clock(draft, "game_over")
    win = resigned or result.win
    draft.say(
        e.GameEnded(
            state.game.number,
            result.winner,
            result.points,
            reason,
            win.value if win else "",
            (after.score.white, after.score.black),
        )
    )
    draft.sound("done")
    if after.is_over:
        draft.say(e.MatchEnded(after.winner, (after.score.white, after.score.black), reason))


def stop_clock(draft: Draft, reason: str, at: float | None = None) -> None:
    """Both clocks rest."""
    clock, when = draft.state.match.clock, draft.now if at is None else at
    if clock is None:
        return
    draft.say(
        e.ClockStopped(
            round(when, 4),
            reason,
            round(clock.left(Side.WHITE, when), 3),
            round(clock.left(Side.BLACK, when), 3),
        )
    )


def penalty_facts(state: State, side: Side, step: Step) -> dict[str, int | str]:
    """What a rung of a ladder costs a side now, for the words and for the director's form: `costs`
    is what the score really loses, or the opponent's gains.
    """
    facts: dict[str, int | str] = {"penalty": step.penalty.value, "amount": step.amount}
    if step.penalty is not Penalty.POINTS:
        return facts
    lost = state.match.event.points_lost
    there = max(0, state.match.score[side])
    costs = min(step.amount, there) if lost is PointsLost.DEDUCTED else step.amount
    return facts | {"costs": costs, "lost": lost.value}
