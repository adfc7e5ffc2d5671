"""What entries about a match make of the state: setting and amending it, games that begin and end,
rulings, alerts, sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rules.board import BySide, Side
from rules.position import Position
from service.journal import entries as e
from service.referee.clock import new_clock
from service.referee.event import SETTINGS, event_of, with_clock
from service.referee.folds import Fold, fold_of
from service.referee.state import (
    CUBE_OUT_OF_TURN,
    NEITHER,
    Alert,
    At,
    ChosenEvent,
    Finished,
    GameState,
    MatchState,
    Ruling,
    State,
    TurnState,
    Watch,
)


def _table_opened(state: State, body: e.TableOpened, at: At) -> State:
    return replace(state, table=body.table)


def _restart(state: State, body: e.Restarted, at: At) -> State:
    return replace(state, watch=Watch())


def _event_chosen(state: State, body: e.EventChosen, at: At) -> State:
    chosen = ChosenEvent(body.event, body.rules_text)
    own = chosen if at.by.name == SETTINGS else state.of_settings
    return replace(state, chosen=chosen, of_settings=own)


def _match_set(state: State, body: e.MatchSet, at: At) -> State:
    event = event_of(body)
    match = MatchState(
        setting=body,
        since=at.seq,
        ruleset=event.rules(),
        event=event,
        names=BySide(body.white, body.black),
        length=body.length,
        score=BySide(*body.score),
        clock=new_clock(body, event),
    )
    return State(
        table=state.table,
        chosen=state.chosen,
        of_settings=state.of_settings,
        match=match,
        alerts=state.alerts,
        lost=state.lost,
    )


def _amendment(state: State, body: e.MatchAmended, at: At) -> State:
    match, value = state.match, body.value
    if body.what in ("white", "black") and isinstance(value, str):
        return replace(state, match=replace(match, names=match.names.put(Side(body.what), value)))
    if body.what == "length" and (value is None or isinstance(value, int)):
        return replace(state, match=replace(match, length=value, confirmed=NEITHER))
    if body.what == "crawford" and isinstance(value, bool):
        game = replace(state.game, crawford=state.game.crawford and not value)
        return replace(state, match=replace(match, crawford_played=value), game=game)
    if body.what == "clock" and isinstance(value, Mapping) and match.setting:
        setting = with_clock(match.setting, value)
        event = event_of(setting)
        clock = new_clock(replace(setting, score=(match.score.white, match.score.black)), event)
        match = replace(match, setting=setting, event=event, clock=clock, clock_used=False)
        return replace(state, match=replace(match, confirmed=NEITHER))
    if body.what == "score" and isinstance(value, list | tuple):
        white, black = value
        if isinstance(white, int) and isinstance(black, int):
            return replace(state, match=replace(match, score=BySide(white, black)))
    if body.what == "seating" and isinstance(value, Mapping) and match.setting:
        setting = replace(match.setting, seating=value)
        return replace(state, match=replace(match, setting=setting))
    return state


def _game_start(state: State, body: e.GameStarted, at: At) -> State:
    match = state.match
    assert match.ruleset is not None
    return replace(
        state,
        match=replace(
            match,
            crawford_played=match.crawford_played or body.crawford,
            result="",
            due=None,
            rests_for="",
            before_play=None,
        ),
        game=GameState(
            number=body.number,
            seq=at.seq,
            crawford=body.crawford,
            placement=Position.start(match.ruleset, Side.WHITE).placement,
            on_roll=body.starter or Side.WHITE,
            starter=body.starter,
        ),
        turn=TurnState(began=at.at),
        watch=Watch(),
    )


def _game_end(state: State, body: e.GameEnded, at: At) -> State:
    line = Finished(
        body.number, body.winner, body.points, body.reason, body.result, body.score, at.seq
    )
    match = replace(
        state.match,
        score=BySide(*body.score),
        finished=(*state.match.finished, line),
        result=body.winner.value,
    )
    return replace(state, match=match, turn=TurnState(began=state.turn.began), watch=Watch())


def _game_reopening(state: State, body: e.GameReopened, at: At) -> State:
    finished = tuple(g for g in state.match.finished if g.seq != body.about)
    match = replace(state.match, finished=finished, score=BySide(*body.score), result="")
    return replace(state, match=match)


def _match_end(state: State, body: e.MatchEnded, at: At) -> State:
    result = body.winner.value if body.winner else "none"
    match = replace(state.match, score=BySide(*body.score), result=result)
    return replace(state, match=match, turn=TurnState(began=state.turn.began))


def _flag(state: State, body: e.Flagged, at: At) -> State:
    flags = state.match.flags.put(body.side, body.violation)
    return replace(state, match=replace(state.match, flags=flags))


def _ruling(state: State, body: e.Ruled, at: At) -> State:
    rulings = (*state.match.rulings, Ruling(at.seq, body.text, body.appeal_until))
    return replace(state, match=replace(state.match, rulings=rulings))


def _penalty(state: State, body: e.Penalised, at: At) -> State:
    if body.score is None:
        return state
    return replace(state, match=replace(state.match, score=BySide(*body.score)))


def _appeal(state: State, body: e.Appealed, at: At) -> State:
    rulings = tuple(
        replace(r, appealed=True) if r.seq == body.ruling else r for r in state.match.rulings
    )
    return replace(state, match=replace(state.match, rulings=rulings))


def _appeal_end(state: State, body: e.AppealClosed, at: At) -> State:
    rulings = tuple(r for r in state.match.rulings if r.seq != body.ruling)
    alerts = tuple(
        replace(a, settled=True) if a.matter == "appeal" and a.about == body.ruling else a
        for a in state.alerts
    )
    return replace(state, match=replace(state.match, rulings=rulings), alerts=alerts)


def _alert(state: State, body: e.AlertRaised, at: At) -> State:
    alert = Alert(
        body.alert,
        body.matter,
        body.side,
        body.code,
        body.facts,
        body.told,
        at.seq,
        about=body.about,
    )
    return replace(state, alerts=(*state.alerts, alert))


def _acknowledgement(state: State, body: e.AlertAcknowledged, at: At) -> State:
    # Acknowledged alerts leave the state: the journal keeps them, and the state stays small over a
    # long day.
    return replace(state, alerts=tuple(a for a in state.alerts if a.alert != body.alert))


def _call(state: State, body: e.MatchCalled, at: At) -> State:
    return replace(state, match=replace(state.match, due=body.due))


def _confirmation(state: State, body: e.Confirmed, at: At) -> State:
    confirmed = state.match.confirmed.put(body.side, True)
    return replace(state, match=replace(state.match, confirmed=confirmed))


def _phone_press(state: State, body: e.PhonePressed, at: At) -> State:
    return replace(state, phones={**state.phones, body.device: body.number})


def _note(state: State, body: e.Noted, at: At) -> State:
    if body.matter != CUBE_OUT_OF_TURN:
        return state
    refused = state.game.cube_refused | {body.text}
    return replace(state, game=replace(state.game, cube_refused=refused))


def _source_loss(state: State, body: e.SourceLost, at: At) -> State:
    return replace(state, lost={**state.lost, body.source: body.reason})


def _source_return(state: State, body: e.SourceBack, at: At) -> State:
    return replace(state, lost={k: v for k, v in state.lost.items() if k != body.source})


MATCH_FOLDS: Final[Mapping[type[e.Body], Fold]] = dict(
    (
        fold_of(e.TableOpened, _table_opened),
        fold_of(e.Restarted, _restart),
        fold_of(e.EventChosen, _event_chosen),
        fold_of(e.MatchSet, _match_set),
        fold_of(e.MatchAmended, _amendment),
        fold_of(e.GameStarted, _game_start),
        fold_of(e.GameEnded, _game_end),
        fold_of(e.GameReopened, _game_reopening),
        fold_of(e.MatchEnded, _match_end),
        fold_of(e.Flagged, _flag),
        fold_of(e.Ruled, _ruling),
        fold_of(e.Penalised, _penalty),
        fold_of(e.Appealed, _appeal),
        fold_of(e.AppealClosed, _appeal_end),
        fold_of(e.AlertRaised, _alert),
        fold_of(e.AlertAcknowledged, _acknowledgement),
        fold_of(e.MatchCalled, _call),
        fold_of(e.Confirmed, _confirmation),
        fold_of(e.PhonePressed, _phone_press),
        fold_of(e.Noted, _note),
        fold_of(e.SourceLost, _source_loss),
        fold_of(e.SourceBack, _source_return),
    )
)
