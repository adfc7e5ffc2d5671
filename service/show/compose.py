"""The table's document, made from the referee's state alone.

What a viewer may see of it is decided in `service.web.view`; what the board itself may show, in
`service.show.scene`. Lists that grow (plays, games) are built once per entry, not once per
observation.
"""

from __future__ import annotations

import functools
from typing import Final

from rules.axes import Win
from rules.board import Placement, Side
from rules.conduct import Listener, News, after_premature_roll, may_be_told
from rules.dice import Roll
from rules.game import resignation_values, resignation_win
from rules.observation import DEVICES
from rules.ruleset import Ruleset
from service.journal.entries import DiceOrigin
from service.journal.saying import alert_words, words_for
from service.reconcile import Agreed, Ambiguous, Blind, Differs, Illegal, OtherRoll, Pending, Track
from service.referee.clock_document import clock_document
from service.referee.event import seating_of
from service.referee.match import match_rules
from service.referee.state import Alert, Finished, Phase, PlayLine, State
from service.show.document import (
    SCHEMA,
    AlertDocument,
    BeliefDocument,
    BoardDocument,
    CubeDocument,
    DiceDocument,
    DieDocument,
    DifferenceDocument,
    EarlyDocument,
    GameDocument,
    IllegalDocument,
    MatchDocument,
    PlacementDocument,
    PlayDocument,
    PlayerDocument,
    QuestionDocument,
    ResignationDocument,
    SeatingDocument,
    SourceDocument,
    TableDocument,
)
from service.show.prompt import question_of, waits_for
from service.show.scene_document import SceneDocument


def table_document(
    state: State, now: float, scene: SceneDocument | None = None, dice: tuple[Track, ...] = ()
) -> TableDocument:
    """The whole state document at table time `now` (seconds).

    `scene` is what lights and clock face show (`service.show.scene.scene_document`), `dice` the
    dice as they lie (`Session.evidence.dice`).
    """
    return {
        "schema": SCHEMA,
        "table": state.table,
        "seq": state.seq,
        "at": round(now, 3),
        "phase": state.phase.value,
        "waits_for": waits_for(state),
        "match": _match(state),
        "board": _board(state),
        "on_roll": state.game.on_roll.value if state.game.number else None,
        "dice": _dice(state, dice),
        "cube": _cube(state),
        "clock": clock_document(
            state.match.clock,
            state.match.setting.clock if state.match.setting else "none",
            now,
            state.match.flags,
        ),
        "plays": _plays(state.match.plays),
        "games": _games(state.match.finished, state.match.ruleset),
        "alerts": [_alert(a, state.match.since) for a in state.alerts],
        "rulings": [
            {"seq": r.seq, "text": r.text, "until": r.until, "appealed": r.appealed}
            for r in state.match.rulings
        ],
        "sources": {name: _source(state, name) for name in DEVICES},
        "illegal": _illegal(state),
        "differs": _differs(state),
        "question": _question(state),
        "premature": _roll(state.turn.premature),
        "early": _early(state),
        "resigning": {"side": state.turn.resigning[0].value, "level": state.turn.resigning[1]}
        if state.turn.resigning
        else None,
        "scene": scene or {"lights": {}, "clock_face": {}},
        "belief": _belief(state),
    }


def _early(state: State) -> EarlyDocument | None:
    side = state.turn.premature_by
    if side is None:
        return None
    choices = after_premature_roll(state.match.event.premature_roll)
    return {"side": side.value, "choices": list(choices)}


def _roll(roll: Roll | None) -> list[int] | None:
    return None if roll is None else [roll.high, roll.low]


def _side(side: Side | None) -> str | None:
    return None if side is None else side.value


def _match(state: State) -> MatchDocument:
    return {
        "length": state.match.length,
        "ruleset": state.match.ruleset.name if state.match.ruleset else None,
        "title": state.match.ruleset.titles() if state.match.ruleset else {},
        "options": dict(state.match.setting.options) if state.match.setting else {},
        "game": state.game.number,
        "crawford": state.game.crawford,
        "players": {"white": _player(state, Side.WHITE), "black": _player(state, Side.BLACK)},
        "event": dict(state.match.setting.event) if state.match.setting else {},
        "result": state.match.result or None,
        "beavers": state.match.ruleset is not None and match_rules(state).beavers,
        "nard": state.match.ruleset is not None and not state.match.ruleset.has_cube,
        "resignations": _resignations(state.match.ruleset) if state.match.ruleset else [],
    }


@functools.lru_cache(maxsize=64)
def _resignations(ruleset: Ruleset) -> list[ResignationDocument]:
    return [
        {"level": level, "result": result_word(ruleset, resignation_win(ruleset, level))}
        for level in resignation_values(ruleset)
    ]


def result_word(ruleset: Ruleset, win: Win) -> str:
    """What players of a ruleset call a result: in games without a cube a gammon is a mars."""
    return win.value if ruleset.has_cube else _WITHOUT_CUBE.get(win, win.value)


_WITHOUT_CUBE: Final = {Win.GAMMON: "mars", Win.BACKGAMMON: "super_mars"}


def _player(state: State, side: Side) -> PlayerDocument:
    return {
        "name": state.match.names[side],
        "score": state.match.score[side],
        "colour": seating_of(state).colour_of(side).value,
        "illegal": state.match.illegal[side],
    }


def _seating(state: State) -> SeatingDocument:
    seating = seating_of(state)
    return {"white": seating.white.value, "home": seating.home.value}


def placement_document(placement: Placement) -> PlacementDocument:
    """Each side's 26 counts, by site."""
    return {"white": list(placement.white), "black": list(placement.black)}


def _board(state: State) -> BoardDocument:
    placement = state.game.placement
    facing = state.match.ruleset.facing.value if state.match.ruleset else "mirror"
    return {
        "white": list(placement.white) if placement else [0] * 26,
        "black": list(placement.black) if placement else [0] * 26,
        "seating": _seating(state),
        "facing": facing,
        "checkers": _checkers(state.match.ruleset),
    }


def _checkers(ruleset: Ruleset | None) -> int:
    return ruleset.checkers if ruleset else 15


def _dice(state: State, dice: tuple[Track, ...]) -> DiceDocument:
    return {
        "roll": _roll(state.turn.roll),
        "origin": state.match.origin.value if state.turn.roll else None,
        "problem": state.watch.called or None,
        "opening": list(state.turn.opening),
        "no_play": state.turn.stuck,
        "seen": [_die(t) for t in dice if t.gone_at is None],
    }


def _die(track: Track) -> DieDocument:
    face = max(range(6), key=lambda i: track.logs[i]) + 1
    status = max(track.status, key=lambda s: track.status[s])
    return {
        "where": [round(track.where[0], 3), round(track.where[1], 3)],
        "value": face,
        "status": status.value,
        "old": track.stale,
    }


def _cube(state: State) -> CubeDocument:
    in_use = bool(state.match.ruleset and match_rules(state).highest_cube)
    return {
        "in_use": in_use and not state.game.crawford,
        "value": state.game.cube,
        "owner": _side(state.game.cube_owner) or "centre",
        "offered_by": _side(state.turn.offer[0]) if state.turn.offer else None,
        "offered_value": state.turn.offer[1] if state.turn.offer else None,
    }


@functools.lru_cache(maxsize=64)
def _plays(plays: tuple[PlayLine, ...]) -> list[PlayDocument]:
    return [
        {
            "game": p.game,
            "number": p.number,
            "side": p.side.value,
            "roll": _roll(p.roll),
            "origin": p.origin.value
            if p.origin is not DiceOrigin.UNKNOWN or p.roll is None
            else None,
            "text": p.text,
            "seq": p.seq,
            "probability": p.probability,
            "infraction": p.infraction or None,
            "standing": p.standing.value if p.standing else None,
            "by_hand": p.by_hand,
            "amended": p.amended,
            "pictures": list(p.pictures),
        }
        for p in plays
    ]


@functools.lru_cache(maxsize=64)
def _games(games: tuple[Finished, ...], ruleset: Ruleset | None) -> list[GameDocument]:
    return [
        {
            "game": g.number,
            "winner": g.winner.value,
            "points": g.points,
            "reason": g.reason,
            "result": result_word(ruleset, Win(g.result)) if ruleset and g.result else g.result,
            "score": {"white": g.score[0], "black": g.score[1]},
            "seq": g.seq,
        }
        for g in games
    ]


def _alert(alert: Alert, match_since: int) -> AlertDocument:
    return {
        "id": alert.alert,
        "kind": alert.matter,
        "side": _side(alert.side),
        "code": alert.code,
        "facts": dict(alert.facts),
        "why": alert_words(alert.matter, alert.code, alert.facts),
        "told": alert.told,
        "seq": alert.seq,
        "acknowledged_by": alert.acknowledged_by,
        "earlier": alert.seq < match_since,
        "settled": alert.settled,
    }


def _source(state: State, name: str) -> SourceDocument:
    reason = state.lost.get(name)
    return {"state": "ok", "reason": ""} if reason is None else {"state": "lost", "reason": reason}


def _illegal(state: State) -> IllegalDocument | None:
    notice = state.turn.notice
    if notice is None:
        return None
    return {
        "seq": notice.seq,
        "side": notice.side.value,
        "code": notice.code,
        "facts": dict(notice.facts),
        "why": words_for(notice.code, notice.facts),
        "told": notice.told,
        "roll": _roll(notice.roll),
        "placement": placement_document(notice.placement),
        "pictures": list(notice.pictures),
        # A hint: in the document only where players may have it; an arbiter finds it in the entry.
        "nearest": list(notice.nearest)
        if may_be_told(state.match.event.monitor, News.HINT, Listener.PLAYERS)
        else [],
    }


def _differs(state: State) -> DifferenceDocument | None:
    difference = state.turn.difference if state.phase is Phase.DIFFERS else None
    if difference is None:
        return None
    return {
        "seq": difference.seq,
        "reason": difference.reason,
        "sites": list(difference.sites),
        "options": list(difference.options),
    }


def _question(state: State) -> QuestionDocument | None:
    """What people are asked of a turn that was ended, with the answers there are."""
    verdict, asked = state.watch.verdict, question_of(state)
    if asked is None or not isinstance(verdict, Ambiguous | OtherRoll):
        return None
    return {
        "code": asked.matter,
        "read": _roll(verdict.read if isinstance(verdict, OtherRoll) else state.turn.roll),
        "told": asked.told,
        "answers": [{"text": str(play), "roll": _roll(roll)} for play, roll, _ in verdict.options],
    }


_NAMES: Final = {
    Pending: "pending",
    Agreed: "agreed",
    Ambiguous: "ambiguous",
    OtherRoll: "other_roll",
    Illegal: "illegal",
    Blind: "blind",
    Differs: "differs",
}


def _belief(state: State) -> BeliefDocument:
    verdict = state.watch.verdict
    name = next((n for kind, n in _NAMES.items() if isinstance(verdict, kind)), "pending")
    found: BeliefDocument = {
        "verdict": name,
        "probability": getattr(verdict, "probability", None),
        "differs": [],
        "options": [],
    }
    if isinstance(verdict, Ambiguous | OtherRoll):
        found["options"] = [
            {
                "text": str(play),
                "roll": _roll(roll),
                "p": p,
                "placement": placement_document(play.placement),
            }
            for play, roll, p in verdict.options
        ]
    if isinstance(verdict, Differs):
        found["differs"] = list(verdict.sites)
    return found
