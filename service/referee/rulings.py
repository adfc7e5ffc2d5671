"""What is said about a match rather than in it: setting it, the director, clocks, penalties,
appeals, adjourning, amending.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rules.board import Colour, Corner, Seating, Side
from rules.conduct import Penalty, Step, after_premature_roll, consequences
from rules.event import EventFile
from rules.game import GameAwarded
from service.journal import entries as e
from service.journal.codec import CodecError, Json, frozen_json
from service.referee.clock import new_clock, ticking
from service.referee.draft import Draft
from service.referee.event import event_of
from service.referee.inputs import Order, OrderError
from service.referee.match import applied, end_game, match_of, stop_clock
from service.referee.orders import (
    AT_TABLE,
    WRITERS,
    Act,
    expect,
    number_arg,
    seq_arg,
    side_arg,
    text_arg,
)
from service.referee.state import Phase

RULERS: Final = frozenset({e.Role.ARBITER, e.Role.DIRECTOR, e.Role.CONSOLE})
CLOCKS: Final = ("ours", "external", "none")
NAME_LENGTH: Final = 80


def _name(order: Order, key: str) -> str:
    """A player's name without controls or marks that turn text round; cut to what a page can show."""
    value = unicodedata.normalize("NFC", text_arg(order, key, 400))
    return "".join(
        c
        for c in value
        if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co") or c in "\u200c\u200d"
    )[:NAME_LENGTH].strip()


def _mapping(order: Order, key: str) -> Mapping[str, Json]:
    value = order.args.get(key) or {}
    if not isinstance(value, Mapping):
        raise OrderError("bad_argument", f"{key} as a mapping", str(value)[:40])
    try:
        frozen = frozen_json(value, key)
    except CodecError as error:
        raise OrderError("bad_argument", f"{key} as plain JSON", str(error)[:80]) from None
    assert isinstance(frozen, Mapping)
    return frozen


def set_match(draft: Draft, order: Order) -> None:
    """`ruleset`, `options`, `length` (null: money), `white`, `black`, `seating`, `clock` (ours,
    external, none; absent: the event's), `event` (its keys, by section), `score`, `rules_text`."""
    expect(draft, Phase.IDLE, Phase.MATCH_OVER, Phase.SETTING_UP)
    args = order.args
    length = None if args.get("length") is None else int(number_arg(order, "length", 1, 999))
    clock = args.get("clock")
    if clock is not None and clock not in CLOCKS:
        raise OrderError("bad_clock", "ours, external or none", str(clock)[:40])
    score = args.get("score", (0, 0))
    if (
        not isinstance(score, list | tuple)
        or len(score) != 2
        or not all(type(n) is int and -99 <= n <= 999 for n in score)
    ):
        raise OrderError("bad_score", "score as [white's, black's]", str(score)[:40])
    seating = {"white": "light", "home": "south-east", **_mapping(order, "seating")}
    body = e.MatchSet(
        text_arg(order, "ruleset") or "backgammon",
        _mapping(order, "options"),
        length,
        _name(order, "white"),
        _name(order, "black"),
        seating,
        str(clock or ""),
        _mapping(order, "event"),
        (score[0], score[1]),  # type: ignore[arg-type]
        text_arg(order, "rules_text", 200_000),
    )
    event = _check(body)
    draft.say(body if clock else replace(body, clock=event.clocking.value))


def _check(body: e.MatchSet) -> EventFile:
    """The event of a match; what could not be folded is refused: nothing is written that cannot be
    read again.
    """
    try:
        event = event_of(body)
        event.match_rules()
        if body.clock == "ours" and event.clock_plan() is None:
            raise ValueError(
                "clock: ours needs a clock in the event, with a bank where there is no match length"
            )
        new_clock(body, event)
        Seating(Colour(body.seating["white"]), Corner(body.seating["home"]))
        unknown = set(body.seating) - {"white", "home"}
        if unknown:
            raise ValueError(f"seating has no {', '.join(sorted(unknown))}")
    except (ValueError, TypeError, KeyError) as error:
        raise OrderError(
            "bad_match", "a ruleset, options, event, clock and seating that exist", str(error)[:300]
        ) from None
    return event


def amend(draft: Draft, order: Order) -> None:
    """`what` (white, black, length, score, seating), `value`, `reason`: something said wrongly is
    put right.
    """
    state = draft.state
    if state.match.setting is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    what, value = text_arg(order, "what"), order.args.get("value")
    before: Json
    match what:
        case "white" | "black":
            value = _name(order, "value")
            before = state.match.names[Side(what)]
        case "length":
            value = None if value is None else int(number_arg(order, "value", 1, 999))
            before = state.match.length
        case "score":
            if (
                not isinstance(value, list | tuple)
                or len(value) != 2
                or not all(type(n) is int and -99 <= n <= 999 for n in value)
            ):
                raise OrderError("bad_score", "value as [white's, black's]", str(value)[:40])
            value, before = tuple(value), tuple(state.match.score)
        case "seating":
            value, before = _mapping(order, "value"), state.match.setting.seating
            _check(replace(state.match.setting, seating=value))
        case _:
            raise OrderError(
                "bad_argument", "what as white, black, length, score or seating", what[:40]
            )
    draft.say(e.MatchAmended(what, value, before, text_arg(order, "reason")))
    _end_won_match(draft, "amended")


def _end_won_match(draft: Draft, reason: str) -> None:
    """After a change of score or length the match may be won."""
    length, score = draft.state.match.length, draft.state.match.score
    if length is None:
        return
    there = [side for side, points in score.items() if points >= length]
    if there and draft.state.phase in (Phase.SETTING_UP, Phase.GAME_OVER):
        ahead = Side.WHITE if score.white >= score.black else Side.BLACK
        winner = there[0] if len(there) == 1 else ahead
        draft.say(e.MatchEnded(winner, (score.white, score.black), reason))


# The director.


def call_director(draft: Draft, order: Order) -> None:
    """Anybody at the table calls; both clocks stop."""
    _halt(draft, "director_called")
    draft.say(e.DirectorCalled(order.by.side, text_arg(order, "reason")))
    draft.alert("director_called", order.by.side, told="arbiter")


def _halt(draft: Draft, reason: str) -> None:
    if ticking(draft.state.match.clock):
        stop_clock(draft, reason)


def _go_on(draft: Draft, reason: str) -> None:
    clock = draft.state.match.clock
    if clock is not None and clock.running is not None and clock.is_paused:
        draft.say(e.ClockStarted(clock.running, round(draft.now, 4), reason))


def freeze(draft: Draft, order: Order) -> None:
    """A dispute: the table is judged no further until `unfreeze`."""
    if draft.state.phase is Phase.FROZEN:
        raise OrderError("not_now", "a table that is not frozen", "frozen")
    _halt(draft, "frozen")
    draft.say(e.Frozen(text_arg(order, "reason")))


def unfreeze(draft: Draft, order: Order) -> None:
    """Play goes on where it was, and so does the clock that ran."""
    expect(draft, Phase.FROZEN)
    draft.say(e.Unfrozen(text_arg(order, "reason")))
    _go_on(draft, "unfrozen")


def rule(draft: Draft, order: Order) -> None:
    """`text` with the reason, `about` an entry; opens the appeal window of the event."""
    text = text_arg(order, "text", 2000)
    if not text:
        raise OrderError("bad_text", "a ruling with its reason", "nothing")
    about = None if order.args.get("about") is None else seq_arg(order, "about")
    draft.say(
        e.Ruled(text, about, round(draft.now + 60 * draft.state.match.event.appeal_minutes, 3))
    )


def appeal(draft: Draft, order: Order) -> None:
    """`ruling` (its number), `reason`."""
    about = seq_arg(order, "ruling")
    found = next((r for r in draft.state.match.rulings if r.seq == about), None)
    if found is None or found.appealed:
        raise OrderError("no_ruling", "a ruling whose appeal window is open", str(about))
    draft.say(e.Appealed(about, order.by.side, text_arg(order, "reason")))
    draft.alert("appeal", order.by.side, about=about, told="arbiter")


def close_appeal(draft: Draft, order: Order) -> None:
    """`ruling`, `decision`: what the committee or the chief arbiter decided."""
    about = seq_arg(order, "ruling")
    if not any(r.seq == about for r in draft.state.match.rulings):
        raise OrderError("no_ruling", "a ruling that is open", str(about))
    draft.say(e.AppealClosed(about, text_arg(order, "decision") or "upheld"))


def penalise_by_order(draft: Draft, order: Order) -> None:
    """`side`, `penalty` (warning, time, points, game, match), `amount` (seconds or points),
    `reason`.
    """
    side, kind = side_arg(Order("", {"side": order.args.get("side")})), text_arg(order, "penalty")
    amount = number_arg(order, "amount", 0, 36_000) if order.args.get("amount") is not None else 0.0
    if kind not in ("warning", "time", "points", "game", "match"):
        raise OrderError(
            "bad_argument", "penalty as warning, time, points, game or match", kind[:40]
        )
    if kind == "time" and draft.state.match.clock is None:
        raise OrderError("no_clock", "a clock of ours", "none", "penalise otherwise")
    if draft.state.match.setting is None or draft.state.phase is Phase.MATCH_OVER:
        raise OrderError("not_now", "a match in progress", draft.state.phase.value)
    penalise(draft, side, Step(Penalty(kind), int(amount)), text_arg(order, "reason"))


def penalise(draft: Draft, side: Side, step: Step, reason: str) -> None:
    """Carry a penalty out: what it does to score, game and match is `rules.conduct`'s answer."""
    state, kind = draft.state, step.penalty.value
    actions = consequences(match_of(state), side, step, state.match.event.points_lost, reason)
    if step.penalty is Penalty.TIME and state.match.clock is not None:
        draft.say(e.Penalised(side, kind, float(step.amount), reason))
        _adjust(
            draft, side, max(state.match.clock.left(side, draft.now) - step.amount, 0.0), reason
        )
        return
    if not actions:
        draft.say(e.Penalised(side, kind, float(step.amount), reason))
    for action in actions:
        after = applied(draft.state, action)
        score = (after.score.white, after.score.black)
        draft.say(
            e.Penalised(
                side,
                kind,
                float(step.amount),
                reason,
                None if isinstance(action, GameAwarded) else score,
            )
        )
        if isinstance(action, GameAwarded):
            end_game(draft, after, "ruled")
        elif after.is_over:
            _halt(draft, "match_over")
            draft.say(e.MatchEnded(after.winner, score, reason or "ruled"))


def _adjust(draft: Draft, side: Side, bank: float, reason: str) -> None:
    clock = draft.state.match.clock
    assert clock is not None
    draft.say(e.ClockAdjusted(side, round(bank, 3), round(clock.left(side, draft.now), 3), reason))


def adjust_clock(draft: Draft, order: Order) -> None:
    """`side`, `bank` in seconds, `reason`."""
    if draft.state.match.clock is None:
        raise OrderError("no_clock", "a clock of ours", "none")
    side = side_arg(Order("", {"side": order.args.get("side")}))
    _adjust(draft, side, number_arg(order, "bank", 0, 360_000), text_arg(order, "reason"))


def stop_clocks(draft: Draft, order: Order) -> None:
    """Both clocks rest; `reason`.

    A player may do so only where the event lets one pause after the other's premature roll.
    """
    early = draft.state.turn.premature is not None and "pause" in after_premature_roll(
        draft.state.match.event.premature_roll
    )
    if order.by.role is e.Role.PLAYER and not early:
        raise OrderError(
            "not_yours",
            "an arbiter, the director, an annotator or the console",
            "player",
            "call the director",
        )
    if not ticking(draft.state.match.clock):
        raise OrderError("not_now", "a clock that runs", "none")
    stop_clock(draft, text_arg(order, "reason") or "ordered")


def start_clocks(draft: Draft, order: Order) -> None:
    """`side` whose clock runs; absent = whose it was."""
    state = draft.state
    if state.match.clock is None or ticking(state.match.clock):
        raise OrderError(
            "not_now",
            "a clock that rests",
            "none of ours" if state.match.clock is None else "it runs",
        )
    side = side_arg(
        Order("", {"side": order.args.get("side")}), state.match.clock.running or state.game.on_roll
    )
    draft.say(e.ClockStarted(side, round(draft.now, 4), text_arg(order, "reason") or "ordered"))


def acknowledge(draft: Draft, order: Order) -> None:
    """`alert`: its id."""
    name = text_arg(order, "alert")
    if not any(a.alert == name for a in draft.state.alerts):
        raise OrderError("no_alert", "an alert that is open", name[:40])
    draft.say(e.AlertAcknowledged(name))


def adjourn(draft: Draft, order: Order) -> None:
    """Stop here, to go on at this score, position, roll and clocks; `reason`."""
    if draft.state.phase in (Phase.IDLE, Phase.MATCH_OVER, Phase.ADJOURNED):
        raise OrderError("not_now", "a match in progress", draft.state.phase.value)
    _halt(draft, "adjourned")
    draft.say(e.Adjourned(text_arg(order, "reason")))


def resume_match(draft: Draft, order: Order) -> None:
    """Go on with an adjourned match."""
    expect(draft, Phase.ADJOURNED)
    draft.say(e.Resumed(text_arg(order, "reason")))
    _go_on(draft, "resumed")


def end_match(draft: Draft, order: Order) -> None:
    """`winner` (white, black or absent: nobody), `reason`: retired, not shown up, or a money
    session over.
    """
    if draft.state.phase in (Phase.IDLE, Phase.MATCH_OVER):
        raise OrderError("not_now", "a match in progress", draft.state.phase.value)
    winner = order.args.get("winner")
    _halt(draft, "match_over")
    side = None if winner is None else side_arg(Order("", {"side": winner}))
    score = draft.state.match.score
    reason = text_arg(order, "reason") or "ended"
    draft.say(e.MatchEnded(side, (score.white, score.black), reason))


RULINGS: Final[Mapping[str, tuple[Act, frozenset[e.Role]]]] = {
    "set_match": (set_match, AT_TABLE),
    "amend": (amend, WRITERS),
    "call_director": (call_director, AT_TABLE),
    "freeze": (freeze, WRITERS),
    "unfreeze": (unfreeze, RULERS),
    "rule": (rule, RULERS),
    "appeal": (appeal, AT_TABLE),
    "close_appeal": (close_appeal, RULERS),
    "penalise": (penalise_by_order, RULERS),
    "adjust_clock": (adjust_clock, RULERS),
    "stop_clocks": (stop_clocks, AT_TABLE),
    "start_clocks": (start_clocks, AT_TABLE),
    "acknowledge": (acknowledge, AT_TABLE),
    "adjourn": (adjourn, AT_TABLE),
    "resume": (resume_match, AT_TABLE),
    "end_match": (end_match, WRITERS),
}
"""Every order about a match: what it does, and the roles that may give it."""
