"""Folding the journal: what each entry makes of the state. The only place where a `State` changes.

An entry carries what was decided (scores, cube values, who begins), so folding asks no rule: a
journal written under an older version of the rules still says what was ruled then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from rules.board import Side
from rules.dice import Roll
from rules.position import Position
from service.journal import entries as e
from service.journal.chain import Entry
from service.referee.clock import CLOCK_FOLDS, new_clock
from service.referee.event import event_of
from service.referee.phases import HALTED, HELD, following, trigger
from service.referee.state import (
    Alert,
    At,
    Difference,
    Finished,
    Notice,
    Phase,
    PlayLine,
    Ruling,
    State,
    Watch,
)


def _index(side: Side) -> int:
    return 0 if side is Side.WHITE else 1


def put(pair: tuple[Any, Any], side: Side, value: Any) -> tuple[Any, Any]:
    """A (White's, Black's) pair with one side's value replaced."""
    return (value, pair[1]) if side is Side.WHITE else (pair[0], value)


def fold(state: State, seq: int, at: float, by: e.Who, body: e.Body) -> State:
    """The state after one more entry.

    Raises OutOfOrderError when the machine does not allow it here.
    """
    phase = following(state.phase, state.before, body)
    change = FOLDS.get(type(body))
    after = change(state, body, At(seq, at, by)) if change else state
    after = _close_alerts(after, body)
    before = after.before
    if phase in HALTED and trigger(body) in HELD:
        before = Phase.TO_ROLL
    if phase is not state.phase and phase in (Phase.FROZEN, Phase.ADJOURNED, Phase.DIFFERS):
        # A table frozen while it was adjourned, or twice, still goes back to where play stopped.
        before = state.before if state.phase in (Phase.FROZEN, Phase.ADJOURNED) else state.phase
        if state.phase is Phase.DIFFERS and phase is not Phase.DIFFERS:
            before = Phase.DIFFERS if state.difference else state.before
    return replace(after, seq=seq, at=at, phase=phase, before=before)


def replay(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state that these entries make, from an empty table unless given."""
    folded = state or State()
    for entry in entries:
        folded = fold(folded, entry.seq, entry.at, entry.by, entry.body)
    return folded


Fold = Callable[[State, Any, At], State]


def _opened(state: State, body: e.TableOpened, at: At) -> State:
    return replace(state, table=body.table)


def _restarted(state: State, body: e.Restarted, at: At) -> State:
    return replace(state, watch=Watch())


def _match_set(state: State, body: e.MatchSet, at: At) -> State:
    event = event_of(body)
    return State(
        table=state.table,
        setting=body,
        ruleset=event.rules(),
        event=event,
        names=(body.white, body.black),
        length=body.length,
        score=body.score,
        clock=new_clock(body, event),
        alerts=state.alerts,
        lost=state.lost,
    )


def _amended(state: State, body: e.MatchAmended, at: At) -> State:
    value: Any = body.value
    match body.what:
        case "white" | "black":
            return replace(state, names=put(state.names, Side(body.what), value))
        case "length":
            return replace(state, length=value)
        case "score":
            return replace(state, score=(value[0], value[1]))
        case "seating":
            return (
                replace(state, setting=replace(state.setting, seating=value))
                if state.setting
                else state
            )
        case _:
            return state


def _game_started(state: State, body: e.GameStarted, at: At) -> State:
    assert state.ruleset is not None
    side = body.starter or Side.WHITE
    return replace(
        state,
        placement=Position.start(state.ruleset, Side.WHITE).placement,
        game=body.number,
        crawford=body.crawford,
        crawford_played=state.crawford_played or body.crawford,
        game_seq=at.seq,
        on_roll=side,
        first_turns=(True, True),
        cube=1,
        cube_owner=None,
        cube_turned=False,
        automatic=0,
        result="",
        **_TURN,
        turn_began=at.at,
        watch=Watch(),
    )


_TURN: Final[Mapping[str, Any]] = {
    "roll": None,
    "premature": None,
    "opening": (),
    "stuck": False,
    "offer": None,
    "notice": None,
    "difference": None,
    "resigning": None,
}
"""What every new turn begins without."""


def _position_set(state: State, body: e.PositionSet, at: At) -> State:
    return replace(
        state,
        placement=body.placement,
        on_roll=body.on_roll,
        first_turns=body.first_turns,
        cube=body.cube_value or state.cube,
        cube_owner=body.cube_owner if body.cube_value else state.cube_owner,
        cube_turned=body.cube_owner is not None if body.cube_value else state.cube_turned,
        game=max(state.game, 1),
        **_TURN,
        turn_began=at.at,
        watch=Watch(),
    )


def _opening(state: State, body: e.OpeningThrown, at: At) -> State:
    automatic = state.automatic + (body.cube_value is not None)
    state = replace(
        state,
        opening=body.white + body.black,
        cube=body.cube_value or state.cube,
        automatic=automatic,
        watch=Watch(),
    )
    if body.starter is None:
        return state
    roll = Roll.of(body.white[0], body.black[0]) if body.plays else None
    return replace(
        state,
        on_roll=body.starter,
        roll=roll,
        origin=body.origin,
        rolled_at=at.at,
        turn_began=at.at,
    )


def _rolled(state: State, body: e.RollEntered, at: At) -> State:
    watch = replace(state.watch, roll=None, problem="", called="", next_roll=None, empty_since=None)
    picture = body.pictures[-1] if body.pictures else state.picture
    return replace(
        state,
        roll=body.roll,
        origin=body.origin,
        rolled_at=at.at,
        premature=None,
        picture=picture,
        watch=watch,
    )


def _neshast(state: State, body: e.Neshast, at: At) -> State:
    return replace(state, stuck=True)


def _dice_called(state: State, body: e.DiceCalled, at: At) -> State:
    return replace(state, premature=body.roll) if body.problem == "premature" else state


def _withdrawn(state: State, body: e.RollWithdrawn, at: At) -> State:
    if body.side is state.on_roll:
        return replace(state, roll=None, premature=None, stuck=False, watch=Watch())
    return replace(state, premature=None)


def _offered(state: State, body: e.CubeOffered, at: At) -> State:
    return replace(state, offer=(body.side, body.value))


def _taken(state: State, body: e.CubeTaken | e.CubeBeavered, at: At) -> State:
    offer = (body.side, body.value) if isinstance(body, e.CubeBeavered) else None
    return replace(
        state, cube=body.value, cube_owner=body.side, cube_turned=True, offer=offer, watch=Watch()
    )


def _pressed(state: State, body: e.TurnPressed, at: At) -> State:
    watch = replace(
        state.watch, verdict=None, whole=None, rest_since=None, doubt_since=None, empty_since=None
    )
    used = state.clock_used or body.source in ("button", "page")
    return replace(state, pressed_at=body.pressed_at, clock_used=used, resigning=None, watch=watch)


def _handed_back(state: State, body: e.HandedBack, at: At) -> State:
    return replace(state, watch=replace(state.watch, doubt_since=None, empty_since=None))


def _played(state: State, body: e.PlayEntered, at: At) -> State:
    number = len(state.plays) - sum(1 for p in state.plays if p.game != state.game) + 1
    line = PlayLine(
        at.seq, state.game, number, body.side, body.roll, body.origin, body.notation, body.placement, body.probability, body.infraction,
        body.standing, body.by_hand, None, body.pictures,
    )  # fmt: skip
    next_roll = state.watch.next_roll
    return replace(
        state,
        placement=body.placement,
        on_roll=body.side.other,
        first_turns=put(state.first_turns, body.side, False),
        plays=(*state.plays, line),
        picture=body.pictures[-1] if body.pictures else state.picture,
        **{**_TURN, "premature": state.premature},
        turn_began=state.pressed_at if state.pressed_at > state.turn_began else at.at,
        watch=Watch(next_roll=next_roll),
    )


def _noticed(state: State, body: e.IllegalNoticed, at: At) -> State:
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
    return replace(
        state,
        notice=notice,
        illegal=put(state.illegal, body.side, state.illegal[_index(body.side)] + 1),
    )


def _stood(state: State, body: e.IllegalStood, at: At) -> State:
    # One that stands without having been noticed first (by order) counts as well.
    if state.notice is None:
        return replace(
            state, illegal=put(state.illegal, body.side, state.illegal[_index(body.side)] + 1)
        )
    return state


def _differs(state: State, body: e.BoardDiffered, at: At) -> State:
    return replace(state, difference=Difference(at.seq, body.reason, body.sites, body.options))


def _recovered(state: State, body: e.Recovered, at: At) -> State:
    return replace(
        state, difference=None, watch=replace(state.watch, doubt_since=None, verdict=None)
    )


def _flagged(state: State, body: e.Flagged, at: At) -> State:
    return replace(state, flags=put(state.flags, body.side, body.violation))


def _resigned(state: State, body: e.Resigned, at: At) -> State:
    return replace(state, resigning=(body.side, body.level) if body.answer == "offered" else None)


def _game_ended(state: State, body: e.GameEnded, at: At) -> State:
    line = Finished(
        body.number, body.winner, body.points, body.reason, body.result, body.score, at.seq
    )
    return replace(
        state,
        score=body.score,
        finished=(*state.finished, line),
        **_TURN,
        result=body.winner.value,
        watch=Watch(),
    )


def _match_ended(state: State, body: e.MatchEnded, at: At) -> State:
    return replace(
        state, score=body.score, result=body.winner.value if body.winner else "none", **_TURN
    )


def _ruled(state: State, body: e.Ruled, at: At) -> State:
    return replace(state, rulings=(*state.rulings, Ruling(at.seq, body.text, body.appeal_until)))


def _penalised(state: State, body: e.Penalised, at: At) -> State:
    return replace(state, score=body.score) if body.score is not None else state


def _appealed(state: State, body: e.Appealed, at: At) -> State:
    return replace(
        state,
        rulings=tuple(
            replace(r, appealed=True) if r.seq == body.ruling else r for r in state.rulings
        ),
    )


def _appeal_closed(state: State, body: e.AppealClosed, at: At) -> State:
    return replace(state, rulings=tuple(r for r in state.rulings if r.seq != body.ruling))


def _alert(state: State, body: e.AlertRaised, at: At) -> State:
    alert = Alert(body.alert, body.matter, body.side, body.code, body.facts, body.told, at.seq)
    return replace(state, alerts=(*state.alerts, alert))


def _acknowledged(state: State, body: e.AlertAcknowledged, at: At) -> State:
    # Acknowledged alerts leave the state: the journal keeps them, and the state stays small over a
    # long day.
    return replace(state, alerts=tuple(a for a in state.alerts if a.alert != body.alert))


def _corrected(state: State, body: e.PlayCorrected, at: At) -> State:
    plays = tuple(
        (
            replace(
                p,
                roll=body.roll,
                origin=body.origin,
                text=body.notation,
                placement=body.placement,
                infraction=body.infraction,
                amended=at.seq,
            )
            if p.seq == body.about
            else p
        )
        for p in state.plays
    )
    if not body.rewinds:
        return replace(state, plays=plays)
    kept = tuple(p for p in plays if p.seq <= body.about)
    side = next((p.side for p in kept if p.seq == body.about), state.on_roll.other)
    first = (not any(p.side is s and p.game == state.game for p in kept) for s in Side)
    white, black = first
    return replace(
        state,
        plays=kept,
        placement=body.placement,
        on_roll=side.other,
        first_turns=(white, black),
        **_TURN,
        turn_began=at.at,
        watch=Watch(),
    )


def _lost(state: State, body: e.SourceLost, at: At) -> State:
    return replace(state, lost={**state.lost, body.source: body.reason})


def _back(state: State, body: e.SourceBack, at: At) -> State:
    return replace(state, lost={k: v for k, v in state.lost.items() if k != body.source})


CLOSES: Final[Mapping[type[e.Body], frozenset[str]]] = {
    e.RollEntered: frozenset({"dice"}),
    e.OpeningThrown: frozenset({"dice"}),
    e.TurnPressed: frozenset({"missed_press", "slow_play"}),
    e.PlayEntered: frozenset(
        {"say_roll", "choose_play", "missed_press", "slow_play", "hit_checker", "dice"}
    ),
    e.Recovered: frozenset({"differs"}),
    e.PositionSet: frozenset(
        {"differs", "say_roll", "choose_play", "hit_checker", "dice", "cannot_stand"}
    ),
    e.GameEnded: frozenset(
        {
            "dice",
            "say_roll",
            "choose_play",
            "missed_press",
            "slow_play",
            "hit_checker",
            "differs",
            "cannot_stand",
        }
    ),
    e.SourceBack: frozenset({"source_lost"}),
}
"""Alerts that are over by themselves once this happened; all others wait for somebody to
acknowledge them.
"""


def _close_alerts(state: State, body: e.Body) -> State:
    matters = CLOSES.get(type(body))
    if not matters or not any(a.matter in matters for a in state.alerts):
        return state
    source = body.source if isinstance(body, e.SourceBack) else None
    kept = tuple(
        a
        for a in state.alerts
        if a.matter not in matters or (source is not None and a.code != source)
    )
    return replace(state, alerts=kept)


def _then(first: Fold | None, second: Fold) -> Fold:
    return (
        second
        if first is None
        else lambda state, body, at: second(first(state, body, at), body, at)
    )


_BASE: Final[Mapping[type[e.Body], Fold]] = {
    e.TableOpened: _opened,
    e.Restarted: _restarted,
    e.MatchSet: _match_set,
    e.MatchAmended: _amended,
    e.GameStarted: _game_started,
    e.PositionSet: _position_set,
    e.OpeningThrown: _opening,
    e.RollEntered: _rolled,
    e.Neshast: _neshast,
    e.DiceCalled: _dice_called,
    e.RollWithdrawn: _withdrawn,
    e.CubeOffered: _offered,
    e.CubeTaken: _taken,
    e.CubeBeavered: _taken,
    e.TurnPressed: _pressed,
    e.HandedBack: _handed_back,
    e.PlayEntered: _played,
    e.IllegalNoticed: _noticed,
    e.IllegalStood: _stood,
    e.BoardDiffered: _differs,
    e.Recovered: _recovered,
    e.Flagged: _flagged,
    e.Resigned: _resigned,
    e.GameEnded: _game_ended,
    e.MatchEnded: _match_ended,
    e.Ruled: _ruled,
    e.Penalised: _penalised,
    e.Appealed: _appealed,
    e.AppealClosed: _appeal_closed,
    e.AlertRaised: _alert,
    e.AlertAcknowledged: _acknowledged,
    e.PlayCorrected: _corrected,
    e.SourceLost: _lost,
    e.SourceBack: _back,
}


def _folds() -> Mapping[type[e.Body], Fold]:
    folds: dict[type[e.Body], Fold] = dict(_BASE)
    for kind, change in CLOCK_FOLDS.items():
        folds[kind] = _then(folds.get(kind), change)
    return folds


FOLDS: Final = _folds()
