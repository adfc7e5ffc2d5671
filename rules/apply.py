"""`apply(match, action) -> match`: the one way anything happens to a match.

Values in, values out: `apply` never changes a match, it returns the next one or raises ActionError
and nothing has happened.
"""

from __future__ import annotations

from dataclasses import replace

from rules.axes import NextStart, Opening, Win
from rules.board import Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import (
    MOVES_ON,
    Action,
    ActionError,
    Beavered,
    Corrected,
    Dropped,
    Game,
    GameAwarded,
    GamePhase,
    GameResult,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Passed,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    ResignRefused,
    Rolled,
    Starts,
    Taken,
    awaits_last_roll,
    is_drawn,
    opening_winner,
    resignation_values,
    result_of,
    start_game,
)
from rules.infraction import Infraction
from rules.judge import judge
from rules.match import Match, Score
from rules.position import PositionError


def apply(match: Match, action: Action) -> Match:
    """The match after an action.

    Raises ActionError when it cannot be done now; the match is unchanged then.
    """
    if not isinstance(action, Action):
        raise ActionError(f"{action!r} is no action")
    game = match.game
    if match.is_over and not isinstance(action, (Corrected, PointsAdjusted)):
        raise ActionError("the match is over; only the arbiter can change it now")
    phases = MOVES_ON.get(type(action))
    if phases is not None and game.phase not in phases:
        wanted = " or ".join(sorted(phase.value for phase in phases))
        raise ActionError(
            f"{type(action).__name__} comes in phase {wanted}; the game is in phase"
            f" {game.phase.value}"
        )
    if game.resigning and isinstance(
        action, (Rolled, Played, Offered, Taken, Dropped, Beavered, Passed)
    ):
        raise ActionError("a resignation is offered: accept or refuse it first")
    return _done(match, action)


def _done(match: Match, action: Action) -> Match:
    """The match after an action that may come now."""
    match action:
        case OpeningDice():
            return _opening(match, action)
        case Starts():
            return _starts(match, action)
        case Rolled():
            return _rolled(match, action)
        case Played():
            return _played(match, action)
        case Passed():
            return _passed(match, action)
        case Offered():
            return _offered(match, action)
        case Taken():
            return _taken(match, action)
        case Dropped():
            return _dropped(match, action)
        case Beavered():
            return _beavered(match, action)
        case ResignOffered():
            return _resign_offered(match, action)
        case ResignAccepted():
            return _resign_accepted(match, action)
        case ResignRefused():
            return _resign_refused(match, action)
        case NextGame():
            return _next_game(match, action)
        case GameAwarded():
            return _game_awarded(match, action)
        case MatchAwarded():
            return _match_awarded(match, action)
        case PointsAdjusted():
            return _points_adjusted(match, action)
        case Corrected():
            return _corrected(match, action)


def _expect(side: Side, expected: Side | None, what: str) -> None:
    if expected is not None and side is not expected:
        raise ActionError(f"it is {expected.value}'s to {what}, not {side.value}'s")


def _opening(match: Match, action: OpeningDice) -> Match:
    game, rules = match.game, match.rules
    winner = opening_winner(rules.ruleset, action)
    if winner is None:
        tied_dice = len(action.white) == len(action.black) == 1
        if tied_dice and game.cube.automatic < rules.automatic_doubles:
            return replace(match, game=replace(game, cube=game.cube.doubled_automatically()))
        return match
    if rules.ruleset.opening is Opening.PLAY_THE_DICE:
        return _starts(match, Starts(winner, Roll.of(action.white[0], action.black[0])))
    return _starts(match, Starts(winner))


def _starts(match: Match, action: Starts) -> Match:
    phase = GamePhase.TO_ROLL if action.roll is None else GamePhase.ROLLED
    game = replace(match.game, phase=phase, side=action.side, roll=action.roll, starter=action.side)
    return replace(match, game=game)


def _rolled(match: Match, action: Rolled) -> Match:
    _expect(action.side, match.game.side, "roll")
    return replace(match, game=replace(match.game, phase=GamePhase.ROLLED, roll=action.roll))


def _played(match: Match, action: Played) -> Match:
    game = match.game
    _expect(action.side, game.side, "play")
    if not action.stands:
        try:
            verdict = judge(game.position, game.roll, action.after)
        except PositionError as error:
            raise ActionError(
                f"the board before this play is no position ({error}); let it stand, or correct the"
                " board"
            ) from None
        if isinstance(verdict, Infraction):
            raise ActionError(f"not legal: {verdict.why()}")
    return _turn_over(match, replace(game, placement=action.after))


def _turn_over(match: Match, game: Game) -> Match:
    side = game.side
    assert side is not None
    done = replace(game, roll=None, taken_turns=game.taken_turns | {side})
    if awaits_last_roll(game.ruleset, done.placement, game.starter, side):
        return replace(match, game=replace(done, phase=GamePhase.TO_ROLL, side=side.other))
    if is_drawn(game.ruleset, done.placement):
        return _won(match, done, side.other, 0, None, "drawn")
    for who in (side, side.other):
        if done.placement.counts(who)[0] >= game.ruleset.checkers:
            win, points = result_of(done.placement, game.ruleset, who)
            return _won(match, done, who, _worth(match, game, points), win, "played")
    return replace(match, game=replace(done, phase=GamePhase.TO_ROLL, side=side.other))


def _worth(match: Match, game: Game, points: int) -> int:
    """Points with the cube; under Jacoby a gammon counts only once the cube was turned."""
    if match.rules.jacoby and game.cube.limit and not game.cube.turned:
        points = 1
    return points * game.cube.value


def _won(match: Match, game: Game, winner: Side, points: int, win: Win | None, how: str) -> Match:
    result = GameResult(winner, points, win, how)
    score = match.score.plus(winner, points)
    over = not match.rules.is_money and score.of(winner) >= match.rules.length
    return replace(
        match,
        game=replace(game, phase=GamePhase.OVER, roll=None, resigning=None, result=result),
        score=score,
        results=(*match.results, result),
        crawford_played=match.crawford_played or game.crawford,
        winner=winner if over else match.winner,
    )


def _passed(match: Match, action: Passed) -> Match:
    _expect(action.side, match.game.side, "play")
    if not match.game.closed_out:
        raise ActionError(
            "a side need not roll only while no roll at all can be played; roll the dice"
        )
    return _turn_over(match, match.game)


def _offered(match: Match, action: Offered) -> Match:
    why = match.why_no_offer(action.side)
    if why:
        raise ActionError(why)
    return replace(match, game=replace(match.game, phase=GamePhase.OFFERED))


def _answerer(game: Game) -> Side:
    assert game.side is not None
    return game.side.other if game.phase is GamePhase.OFFERED else game.side


def _taken(match: Match, action: Taken) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    # A beaver is accepted without the cube moving: it was redoubled already and stays with the
    # beaverer.
    cube = game.cube.taken(action.side) if game.phase is GamePhase.OFFERED else game.cube
    return replace(match, game=replace(game, phase=GamePhase.TO_ROLL, cube=cube))


def _dropped(match: Match, action: Dropped) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    # Dropping loses the value before the offer; before a beaver that is half of what the cube
    # shows.
    points = game.cube.value if game.phase is GamePhase.OFFERED else game.cube.value // 2
    return _won(match, game, action.side.other, points, None, "dropped")


def _beavered(match: Match, action: Beavered) -> Match:
    game = match.game
    _expect(action.side, _answerer(game), "answer the cube")
    if not match.rules.beavers:
        raise ActionError("beavers were not agreed; take or drop")
    if game.cube.value * 4 > game.cube.limit:
        raise ActionError(
            f"a beaver would pass the cube's limit of {game.cube.limit}; take or drop"
        )
    cube = game.cube.taken(action.side).taken(action.side)
    return replace(match, game=replace(game, phase=GamePhase.BEAVERED, cube=cube))


def _resign_offered(match: Match, action: ResignOffered) -> Match:
    values = resignation_values(match.rules.ruleset)
    if action.value not in values:
        raise ActionError(
            f"one may resign {', '.join(map(str, values))} in this game; got {action.value}"
        )
    return replace(match, game=replace(match.game, resigning=(action.side, action.value)))


def _resign_accepted(match: Match, action: ResignAccepted) -> Match:
    game = match.game
    if game.resigning is None:
        raise ActionError("nobody has offered to resign")
    loser, value = game.resigning
    _expect(action.side, loser.other, "answer the resignation")
    return _won(match, game, loser.other, _worth(match, game, value), None, "resigned")


def _resign_refused(match: Match, action: ResignRefused) -> Match:
    game = match.game
    if game.resigning is None:
        raise ActionError("nobody has offered to resign")
    _expect(action.side, game.resigning[0].other, "answer the resignation")
    return replace(match, game=replace(game, resigning=None))


def _next_game(match: Match, action: NextGame) -> Match:
    rules, last = match.rules, match.game.result
    starter = None
    if last is not None and last.how != "drawn" and rules.ruleset.next_start is NextStart.WINNER:
        starter = last.winner
    game = start_game(
        rules.ruleset,
        Cube(limit=rules.highest_cube),
        match.game.number + 1,
        _crawford_is_next(match),
        starter,
    )
    return replace(match, game=game)


def _game_awarded(match: Match, action: GameAwarded) -> Match:
    if action.points < 0:
        raise ActionError(f"a game is awarded for 0 points or more; got {action.points}")
    return _won(match, match.game, action.side, action.points, None, "awarded")


def _match_awarded(match: Match, action: MatchAwarded) -> Match:
    game = match.game
    if game.phase is not GamePhase.OVER:
        game = replace(
            game,
            phase=GamePhase.OVER,
            roll=None,
            resigning=None,
            result=GameResult(action.side, 0, None, "awarded"),
        )
    return replace(match, game=game, winner=action.side)


def _points_adjusted(match: Match, action: PointsAdjusted) -> Match:
    new = match.score.of(action.side) + action.points
    if action.floor is not None:
        new = max(new, min(action.floor, match.score.of(action.side)))
    score = match.score.plus(action.side, new - match.score.of(action.side))
    return _with_winner(_opened_at(replace(match, score=score)))


def _with_winner(match: Match) -> Match:
    """The winner again, after a ruling changed score or length."""
    length = match.rules.length
    there = [side for side in Side if length and match.score.of(side) >= length]
    return replace(match, winner=max(there, key=match.score.of, default=None))


def _corrected(match: Match, action: Corrected) -> Match:
    if action.reopen:
        match = _reopened(match)
    game = match.game
    side = game.side if action.side is None else action.side
    roll, phase = game.roll, game.phase
    if action.roll is not None:
        roll, phase = action.roll, GamePhase.ROLLED
    elif action.undo_roll or (
        action.side is not None
        and game.phase in (GamePhase.OPENING, GamePhase.ROLLED)
        and action.side is not game.side
    ):
        roll, phase = None, GamePhase.TO_ROLL
    if side is None and phase is not GamePhase.OPENING:
        raise ActionError("say whose turn it is: nobody is on roll before the opening")
    turns = game.taken_turns
    if action.first_turn is not None and side is not None:
        turns = turns - {side} if action.first_turn else turns | {side}
    changed = replace(
        game,
        placement=game.placement if action.after is None else action.after,
        side=side,
        cube=game.cube if action.cube is None else action.cube,
        roll=roll,
        phase=phase,
        taken_turns=turns,
    )
    match = replace(match, game=changed)
    if action.length is not None:
        match = replace(match, rules=replace(match.rules, length=action.length))
    if action.score is not None:
        match = replace(match, score=Score(*action.score))
    if action.crawford_played is not None:
        played = action.crawford_played
        game = replace(match.game, crawford=match.game.crawford and not played)
        match = replace(match, game=game, crawford_played=played)
    if action.length is None and action.score is None:
        return match
    return _with_winner(_opened_at(match))


def _opened_at(match: Match) -> Match:
    """The match whose score was set: a first game that has not begun is the Crawford game where a
    side needs one point.
    """
    game = match.game
    if game.number > 1 or game.phase is not GamePhase.OPENING or match.results:
        return match
    return replace(match, game=replace(game, crawford=_crawford_is_next(match)))


def _crawford_is_next(match: Match) -> bool:
    needs_one = [side for side in Side if match.away(side) == 1]
    return match.rules.crawford and not match.crawford_played and len(needs_one) == 1


def _reopened(match: Match) -> Match:
    game, last = match.game, match.game.result
    if game.phase is not GamePhase.OVER or last is None:
        raise ActionError("only a game that is over can be reopened")
    side = game.side
    return replace(
        match,
        game=replace(
            game, phase=GamePhase.OPENING if side is None else GamePhase.TO_ROLL, result=None
        ),
        score=match.score.plus(last.winner, -last.points),
        results=match.results[:-1] if match.results[-1:] == (last,) else match.results,
        crawford_played=match.crawford_played and not game.crawford,
        winner=None,
    )
