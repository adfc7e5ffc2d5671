"""What entries of play make of the state: dice, cube, press, plays and what was wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rules.board import BySide, Side
from rules.dice import Roll
from service.journal import entries as e
from service.referee.fold_thinking import thinking_goes_on, thinking_stopped
from service.referee.folds import Fold, fold_of
from service.referee.state import (
    QUESTIONS,
    At,
    Difference,
    Notice,
    PlayLine,
    State,
    TurnState,
    Watch,
)


def _behind(state: State, at: At) -> tuple[float, float]:
    """The stretch in which the record was behind, now that it has caught up: from the beginning of
    the turn before the one in progress, whose end may have been seen late, or before the first of
    several that are told at once.
    """
    began, told = state.game.behind
    before = state.match.before_play
    since = state.turn.began if before is None else before[1].began
    return (began if told == at.at else min(since, at.at), at.at)


def _position(state: State, body: e.PositionSet, at: At) -> State:
    game = replace(
        state.game,
        placement=body.placement,
        on_roll=body.on_roll,
        first_turns=BySide(*body.first_turns),
        number=max(state.game.number, 1),
        behind=_behind(state, at),
    )
    if body.cube_value:
        # What a person says of the cube stands, wherever it was seen to come to lie before.
        game = replace(
            game,
            behind=(at.at, at.at),
            cube_since=at.at,
            cube=body.cube_value,
            cube_owner=body.cube_owner,
            cube_turned=body.cube_owner is not None,
        )
    # Where play went on from what stood there, the turn in progress began so.
    began = state.turn.began if body.reason == "played_on" else at.at
    return replace(state, game=game, turn=TurnState(began=began), watch=Watch())


def _opening(state: State, body: e.OpeningThrown, at: At) -> State:
    game = replace(
        state.game,
        cube=body.cube_value or state.game.cube,
        automatic=state.game.automatic + (body.cube_value is not None),
        # Nobody doubles before the opening: what came there before is left over.
        cube_since=at.at,
    )
    turn = replace(state.turn, opening=body.white + body.black)
    state = replace(state, game=game, turn=turn, watch=Watch())
    if body.starter is None:
        return state
    roll = Roll.of(body.white[0], body.black[0]) if body.plays else None
    return replace(
        state,
        match=replace(state.match, origin=body.origin, rolled_at=at.at),
        game=replace(game, on_roll=body.starter, starter=body.starter),
        turn=replace(turn, roll=roll, began=at.at),
    )


def _roll(state: State, body: e.RollEntered, at: At) -> State:
    picture = body.pictures[-1] if body.pictures else state.match.picture
    turn = state.turn
    if turn.premature_by is body.side:
        turn = replace(turn, premature=None, premature_by=None)
    match = replace(
        state.match,
        origin=body.origin,
        rolled_at=at.at,
        picture=picture,
        dice_read=state.match.dice_read + (body.origin is e.DiceOrigin.READ),
    )
    return replace(
        state,
        match=match,
        turn=replace(turn, roll=body.roll),
        watch=replace(
            state.watch, roll=None, problem="", called="", next_roll=None, empty_since=None
        ),
    )


def _neshast(state: State, body: e.Neshast, at: At) -> State:
    return replace(state, turn=replace(state.turn, stuck=True))


def _dice_call(state: State, body: e.DiceCalled, at: At) -> State:
    if body.problem != "premature":
        return state
    turn = replace(state.turn, premature=body.roll, premature_by=body.side)
    return replace(state, turn=turn)


def _withdrawal(state: State, body: e.RollWithdrawn, at: At) -> State:
    turn = replace(state.turn, premature=None, premature_by=None)
    if body.side is state.game.on_roll:
        return replace(state, turn=replace(turn, roll=None, stuck=False), watch=Watch())
    return replace(state, turn=turn)


def _offer(state: State, body: e.CubeOffered, at: At) -> State:
    if body.source == e.SEEN_LATER:
        return state
    turn = replace(
        state.turn,
        offer=(body.side, body.value),
        offered_at=at.at,
        offer_seen=body.source == "camera",
        laid_back=False,
        timed_from=at.at,
    )
    return replace(state, turn=turn)


def _no_offer(state: State, body: e.CubeWithdrawn, at: At) -> State:
    turn = replace(state.turn, offer=None, offer_seen=False, laid_back=True, timed_from=at.at)
    game = replace(state.game, cube_since=at.at)
    return replace(state, game=game, turn=turn, watch=Watch())


def _take(state: State, body: e.CubeTaken | e.CubeBeavered, at: At) -> State:
    game = replace(state.game, cube=body.value, cube_owner=body.side, cube_turned=True)
    if isinstance(body, e.CubeTaken) and body.source == e.SEEN_LATER:
        return replace(state, game=game)
    offer = (body.side, body.value) if isinstance(body, e.CubeBeavered) else None
    return replace(
        state,
        game=game,
        # A beaver is said by people: wherever the cube lies then, it is no double that was none.
        turn=replace(state.turn, offer=offer, offer_seen=False, timed_from=at.at),
        watch=Watch(),
    )


def _press(state: State, body: e.TurnPressed, at: At) -> State:
    used = state.match.clock_used or body.source in ("button", "page")
    # A turn that was over before it is told answers no resignation that was offered meanwhile.
    later = body.source == e.SEEN_LATER
    resigning = state.turn.resigning if later else None
    return replace(
        state,
        game=replace(state.game, behind=_behind(state, at)) if later else state.game,
        match=replace(
            state.match, pressed_at=body.pressed_at, pressed_by=body.source, clock_used=used
        ),
        turn=replace(state.turn, resigning=resigning),
        watch=replace(
            state.watch,
            warned=state.watch.warned - QUESTIONS,
            verdict=None,
            whole=None,
            left=state.watch.whole,
            rest_since=None,
            doubt_since=None,
            empty_since=None,
            early_press=None,
            pressed_again=None,
            asked=None,
            stood=None,
            next_thrown=None,
        ),
    )


def _hand_back(state: State, body: e.HandedBack, at: At) -> State:
    return replace(state, watch=replace(state.watch, doubt_since=None, empty_since=None))


def _reopening(state: State, body: e.TurnReopened, at: At) -> State:
    match = state.match
    assert match.before_play is not None
    game, turn = match.before_play
    line = match.plays[-1]
    return replace(
        state,
        # The roll is on record and nobody doubts it; its dice were the last turn's.
        match=replace(match, plays=match.plays[:-1], before_play=None, origin=e.DiceOrigin.ENTERED),
        game=game,
        turn=replace(turn, roll=line.roll, began=at.at, reopened=True),
        watch=Watch(),
    )


def _play(state: State, body: e.PlayEntered, at: At) -> State:
    match, game, turn = state.match, state.game, state.turn
    line = PlayLine(
        seq=at.seq,
        game=game.number,
        number=sum(1 for p in match.plays if p.game == game.number) + 1,
        side=body.side,
        roll=body.roll,
        origin=body.origin,
        text=body.notation,
        placement=body.placement,
        probability=body.probability,
        infraction=body.infraction,
        standing=body.standing,
        by_hand=body.by_hand,
        pictures=body.pictures,
        before=game.placement,
        first_turn=game.first_turns[body.side],
    )
    # Of turns that were recalled each began when the one before it was over; of one that somebody
    # says nobody has told when it was.
    recalled = match.pressed_by == e.SEEN_LATER and not body.by_hand
    pressed = match.pressed_at > turn.began or recalled
    if body.side is not game.on_roll:
        # Whoever has played out of turn may have doubled before.
        game = replace(game, behind=(turn.began, at.at))
    return replace(
        state,
        match=replace(
            match,
            plays=(*match.plays, line),
            picture=body.pictures[-1] if body.pictures else match.picture,
            before_play=(game, turn),
        ),
        game=replace(
            game,
            placement=body.placement,
            on_roll=body.side.other,
            first_turns=game.first_turns.put(body.side, False),
        ),
        turn=TurnState(
            began=match.pressed_at if pressed else at.at,
            premature=turn.premature,
            premature_by=turn.premature_by,
            resigning=turn.resigning,
        ),
        watch=Watch(next_roll=state.watch.next_roll),
    )


def _illegal_play(state: State, body: e.IllegalNoticed, at: At) -> State:
    notice = Notice(
        at.seq,
        body.side,
        body.code,
        body.facts,
        body.roll,
        body.placement,
        body.told,
        body.probability,
        body.evidence,
        body.pictures,
        body.nearest,
    )
    return replace(_one_more_illegal(state, body.side), turn=replace(state.turn, notice=notice))


def _one_more_illegal(state: State, side: Side) -> State:
    illegal = state.match.illegal.put(side, state.match.illegal[side] + 1)
    return replace(state, match=replace(state.match, illegal=illegal))


def _illegal_stands(state: State, body: e.IllegalStood, at: At) -> State:
    # One that stands without having been noticed first (by order) counts as well.
    return _one_more_illegal(state, body.side) if state.turn.notice is None else state


def _difference(state: State, body: e.BoardDiffered, at: At) -> State:
    difference = Difference(at.seq, body.reason, body.sites, body.options)
    return replace(state, turn=replace(state.turn, difference=difference))


def _recovery(state: State, body: e.Recovered, at: At) -> State:
    return replace(
        state,
        game=replace(state.game, behind=_behind(state, at)),
        turn=replace(state.turn, difference=None),
        watch=replace(state.watch, doubt_since=None, verdict=None),
    )


def _resignation(state: State, body: e.Resigned, at: At) -> State:
    resigning = (body.side, body.level) if body.answer == "offered" else None
    turn = replace(state.turn, resigning=resigning)
    return replace(state, turn=(thinking_stopped if resigning else thinking_goes_on)(turn, at.at))


def _correction(state: State, body: e.PlayCorrected, at: At) -> State:
    plays: tuple[PlayLine, ...] = ()
    for line in state.match.plays:
        if line.seq == body.about:
            line = _corrected(line, body, at)
        elif plays and plays[-1].amended == at.seq and plays[-1].game == line.game:
            line = replace(line, before=body.placement)
        plays += (line,)
    if not body.rewinds:
        return replace(state, match=replace(state.match, plays=plays))
    kept = tuple(p for p in plays if p.seq <= body.about)
    game = state.game
    side = next((p.side for p in kept if p.seq == body.about), game.on_roll.other)
    begun = [p.side for p in kept if p.game == game.number]
    return replace(
        state,
        match=replace(state.match, plays=kept, result="", before_play=None),
        game=replace(
            game,
            placement=body.placement,
            on_roll=side.other,
            first_turns=BySide(Side.WHITE not in begun, Side.BLACK not in begun),
        ),
        turn=TurnState(began=at.at),
        watch=Watch(),
    )


def _noted(state: State, body: e.Noted, at: At) -> State:
    if body.matter != "dice_anywhere":
        return state
    elsewhere = state.match.dice_elsewhere + 1
    return replace(state, match=replace(state.match, dice_elsewhere=elsewhere))


def _corrected(line: PlayLine, body: e.PlayCorrected, at: At) -> PlayLine:
    """A line of the record as it should have been said. An illegal play that nobody had noticed
    stands as one after which the opponent rolled on; what nobody can say, unresolved.
    """
    unresolved = body.reason == e.Standing.UNRESOLVED.value
    otherwise = e.Standing.UNRESOLVED if unresolved else None
    return replace(
        line,
        roll=body.roll,
        origin=body.origin,
        text=body.notation,
        placement=body.placement,
        infraction=body.infraction,
        standing=(line.standing or e.Standing.NEXT_ROLL) if body.infraction else otherwise,
        amended=at.seq,
    )


PLAY_FOLDS: Final[Mapping[type[e.Body], Fold]] = dict(
    (
        fold_of(e.Noted, _noted),
        fold_of(e.PositionSet, _position),
        fold_of(e.OpeningThrown, _opening),
        fold_of(e.RollEntered, _roll),
        fold_of(e.Neshast, _neshast),
        fold_of(e.DiceCalled, _dice_call),
        fold_of(e.RollWithdrawn, _withdrawal),
        fold_of(e.CubeOffered, _offer),
        fold_of(e.CubeTaken, _take),
        fold_of(e.CubeWithdrawn, _no_offer),
        fold_of(e.CubeBeavered, _take),
        fold_of(e.TurnPressed, _press),
        fold_of(e.HandedBack, _hand_back),
        fold_of(e.TurnReopened, _reopening),
        fold_of(e.PlayEntered, _play),
        fold_of(e.IllegalNoticed, _illegal_play),
        fold_of(e.IllegalStood, _illegal_stands),
        fold_of(e.BoardDiffered, _difference),
        fold_of(e.Recovered, _recovery),
        fold_of(e.Resigned, _resignation),
        fold_of(e.PlayCorrected, _correction),
    )
)
