"""What is said about a match rather than in it: setting it, the director, clocks, penalties,
appeals, adjourning, amending.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.board import Colour, Corner, Seating, Side
from rules.conduct import CONDUCT, Penalty, Step, consequences
from rules.event import EventFile
from rules.game import GameAwarded, GamePhase
from rules.text_limits import LONGEST, too_much
from service.journal import entries as e
from service.journal.codec import Json
from service.journal.plain import plain_name
from service.referee.args import (
    FlagArg,
    JsonArg,
    MappingArg,
    NumberArg,
    ScoreArg,
    SideArg,
    TextArg,
    WholeArg,
)
from service.referee.attendance import before_first_game
from service.referee.clock import new_clock, ticking
from service.referee.draft import Draft
from service.referee.event import by_section, event_keys, event_of, over_chosen
from service.referee.inputs import Args, Order
from service.referee.match import applied, end_game, match_of, stop_clock
from service.referee.orders import REASON
from service.referee.refusal import OrderError
from service.referee.state import ChosenEvent, Phase, State

CLOCKS: Final = ("ours", "external", "none")
NAME_LENGTH: Final = 80
AMENDED: Final = ("white", "black", "length", "score", "seating", "crawford")
PENALTIES: Final = ("warning", "time", "points", "game", "match")

RULESET: Final = TextArg("ruleset", "its name; backgammon where it is absent")
OPTIONS: Final = MappingArg("options", "the ruleset's axes that are chosen otherwise")
LENGTH: Final = WholeArg("length", "points; absent or null: money", False, 1, 999)
WHITE: Final = TextArg("white", "White's name")
BLACK: Final = TextArg("black", "Black's name")
SEATING: Final = MappingArg("seating", "White's checkers (light, dark) and home corner")
CLOCK: Final = TextArg("clock", "absent: the event's", False, 400, CLOCKS)
EVENT: Final = MappingArg("event", "the event file's keys, by section")
SCORE: Final = ScoreArg("score", "points that the sides begin with")
BASE: Final = MappingArg(
    "base", "an event, whole: this match and all later ones are played by it; absent: as before"
)
RULES_TEXT: Final = TextArg("rules_text", "the club's own rulesets file", False, LONGEST, (), True)
WHAT: Final = TextArg("what", "what is put right", True, 400, AMENDED)
VALUE: Final = JsonArg("value", "as it should have been said", True)
NAME_VALUE: Final = TextArg("value")
LENGTH_VALUE: Final = WholeArg("value", low=1, high=999)
SCORE_VALUE: Final = ScoreArg("value")
SEATING_VALUE: Final = MappingArg("value")
CRAWFORD_VALUE: Final = FlagArg("value")
CRAWFORD_PLAYED: Final = FlagArg(
    "crawford_played", "the Crawford game was played before, in a stretch that nobody recorded"
)
TEXT: Final = TextArg("text", "the ruling with its reason", True, 2000)
ABOUT: Final = WholeArg("about", "the entry that it is about")
RULING: Final = WholeArg("ruling", "the number of the ruling's entry", True)
DECISION: Final = TextArg("decision", "what was decided; upheld where it is absent")
OFFENDER: Final = SideArg("side", "who is penalised", True)
PENALTY: Final = TextArg("penalty", "", True, 400, PENALTIES)
AMOUNT: Final = NumberArg("amount", "seconds or points", False, 0, 36_000)
ALERT: Final = TextArg("alert", "its id", True)
MINUTES: Final = NumberArg(
    "minutes", "from now; less than 0: it should have begun before; absent: now", False, -240, 240
)
INFRACTION: Final = TextArg(
    "code", "what was seen", True, 40, tuple(sorted(code.value for code in CONDUCT))
)
SIDE_NOTED: Final = SideArg("side", "whose it was; absent: nobody's")
TEXT_NOTED: Final = TextArg("text", "in the person's own words")
WINNER: Final = SideArg("winner", "absent: nobody")


def _name(order: Order, arg: TextArg) -> str:
    """A player's name without controls or marks that turn text round, cut to what a page shows."""
    return plain_name(arg.of(order), NAME_LENGTH)


def set_match(draft: Draft, order: Order) -> None:
    """Set the match that is to be played, in the place of one that has not begun."""
    _refuse_begun(draft.state)
    clock = order.args.get("clock")
    if clock is not None and clock not in CLOCKS:
        raise OrderError("bad_clock", "ours, external or none", str(clock)[:40])
    if BASE.maybe(order) is not None:
        take_event(draft, BASE.of(order), order)
    body = e.MatchSet(
        RULESET.of(order) or "backgammon",
        OPTIONS.of(order),
        LENGTH.maybe(order),
        _name(order, WHITE),
        _name(order, BLACK),
        {**Seating().to_json(), **SEATING.of(order)},
        str(clock or ""),
        EVENT.of(order),
        SCORE.read(order.args.get("score", (0, 0))),
        _rules_text(order),
    )
    body = over_chosen(draft.state.chosen, body, order.args)
    event = check_setting(body)
    draft.say(body if clock else replace(body, clock=event.clocking.value))
    if CRAWFORD_PLAYED.of(order):
        draft.say(e.MatchAmended("crawford", True, False))


def choose_event(draft: Draft, order: Order) -> None:
    """Choose the event that every match is played by from now on."""
    take_event(draft, EVENT.of(order), order)


def take_event(draft: Draft, event: Args, order: Order) -> None:
    """Enter an event that is another than the one in force. Raises OrderError where no match could
    be played by it.
    """
    text = _rules_text(order)
    chosen = ChosenEvent(by_section(event_keys(event)), text)
    body = over_chosen(chosen, e.MatchSet("backgammon", rules_text=text), ())
    check_setting(replace(body, clock=""))
    if chosen != draft.state.chosen:
        draft.say(e.EventChosen(chosen.event, text))


def _rules_text(order: Order) -> str:
    """The club's own rulesets file, before anybody parses it. Raises OrderError."""
    text = RULES_TEXT.of(order)
    if why := too_much(text):
        raise OrderError("bad_text", "a file of rulesets that is shorter", why)
    return text


def _refuse_begun(state: State) -> None:
    """Raises OrderError where a play or a game of the match is in the record: what was played is
    not thrown away by a form.
    """
    match = state.match
    if state.phase is not Phase.MATCH_OVER and (match.plays or match.finished):
        raise OrderError(
            "match_begun",
            "a match without a play, or none",
            f"{len(match.plays)} plays and {len(match.finished)} games in the record",
            "end that match first; names, length and score of it can be amended",
        )


def check_setting(body: e.MatchSet) -> EventFile:
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
    """Put right what was said wrongly when the match was set."""
    state = draft.state
    if state.match.setting is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    what, value = WHAT.of(order), order.args.get("value")
    before: Json
    match what:
        case "white" | "black":
            value = _name(order, NAME_VALUE)
            before = state.match.names[Side(what)]
        case "length":
            value = LENGTH_VALUE.maybe(order)
            before = state.match.length
        case "score":
            value, before = SCORE_VALUE.of(order), tuple(state.match.score)
        case "seating":
            value, before = SEATING_VALUE.of(order), state.match.setting.seating
            check_setting(replace(state.match.setting, seating=value))
        case "crawford":
            value, before = CRAWFORD_VALUE.of(order), state.match.crawford_played
    draft.say(e.MatchAmended(what, value, before, REASON.of(order)))
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


def call_match(draft: Draft, order: Order) -> None:
    """Say when the match begins."""
    if not before_first_game(draft.state):
        raise OrderError("not_now", "a match whose first game has not begun", "one that has begun")
    draft.say(e.MatchCalled(round(draft.now + 60 * (MINUTES.maybe(order) or 0.0), 3)))
    draft.sound("ask")


def note(draft: Draft, order: Order) -> None:
    """Enter what a person saw."""
    side = SIDE_NOTED.maybe(order)
    draft.say(e.Noted(INFRACTION.of(order), side, TEXT_NOTED.of(order), by_hand=True))


def call_director(draft: Draft, order: Order) -> None:
    """Anybody at the table calls; both clocks stop."""
    _halt(draft, "director_called")
    draft.say(e.DirectorCalled(order.by.side, REASON.of(order)))
    side = order.by.side
    # Called again while nobody has come, it is one call still.
    if not any(a.matter == "director_called" and a.side is side for a in draft.state.alerts):
        draft.alert("director_called", side, told="arbiter")


def _halt(draft: Draft, reason: str) -> None:
    if ticking(draft.state.match.clock):
        stop_clock(draft, reason)


def _go_on(draft: Draft, reason: str) -> None:
    clock = draft.state.match.clock
    if clock is not None and clock.running is not None and clock.is_paused:
        draft.say(e.ClockStarted(clock.running, round(draft.now, 4), reason))


def freeze(draft: Draft, order: Order) -> None:
    """A dispute: the table is judged no further until `unfreeze`."""
    _halt(draft, "frozen")
    draft.say(e.Frozen(REASON.of(order)))


def unfreeze(draft: Draft, order: Order) -> None:
    """Play goes on where it was, and so does the clock that ran."""
    draft.say(e.Unfrozen(REASON.of(order)))
    _go_on(draft, "unfrozen")


def rule(draft: Draft, order: Order) -> None:
    """Enter a ruling; the appeal window of the event opens."""
    text = TEXT.of(order)
    if not text:
        raise OrderError("bad_text", "a ruling with its reason", "nothing")
    about = ABOUT.maybe(order)
    draft.say(
        e.Ruled(text, about, round(draft.now + 60 * draft.state.match.event.appeal_minutes, 3))
    )


def appeal(draft: Draft, order: Order) -> None:
    """Appeal against a ruling."""
    about = RULING.of(order)
    found = next((r for r in draft.state.match.rulings if r.seq == about), None)
    if found is None or found.appealed:
        raise OrderError("no_ruling", "a ruling whose appeal window is open", str(about))
    draft.say(e.Appealed(about, order.by.side, REASON.of(order)))
    draft.alert("appeal", order.by.side, about=about, told="arbiter")


def close_appeal(draft: Draft, order: Order) -> None:
    """Enter what was decided about a ruling."""
    about = RULING.of(order)
    if not any(r.seq == about for r in draft.state.match.rulings):
        raise OrderError("no_ruling", "a ruling that is open", str(about))
    draft.say(e.AppealClosed(about, DECISION.of(order) or "upheld"))


def penalise_by_order(draft: Draft, order: Order) -> None:
    """Give a penalty."""
    side, kind = OFFENDER.of(order), PENALTY.of(order)
    amount = AMOUNT.maybe(order) or 0.0
    if kind == "time" and draft.state.match.clock is None:
        raise OrderError("no_clock", "a clock of ours", "none", "penalise otherwise")
    if kind == "game" and match_of(draft.state).game.phase is GamePhase.OVER:
        raise OrderError(
            "not_now",
            "a game in progress, which the penalty gives to the other side",
            "no game: the last is over, the next has not begun",
            "give points, or begin the next game first",
        )
    penalise(draft, side, Step(Penalty(kind), int(amount)), REASON.of(order))


def penalise(draft: Draft, side: Side, step: Step, reason: str) -> None:
    """Carry a penalty out: what it does to score, game and match is `rules.conduct`'s answer."""
    state, kind = draft.state, step.penalty.value
    actions = consequences(match_of(state), side, step, state.match.event.points_lost, reason)
    if step.penalty is Penalty.TIME and state.match.clock is not None:
        draft.say(e.Penalised(side, kind, float(step.amount), reason))
        set_bank(
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


def set_bank(draft: Draft, side: Side, bank: float, reason: str) -> None:
    clock = draft.state.match.clock
    assert clock is not None
    draft.say(e.ClockAdjusted(side, round(bank, 3), round(clock.left(side, draft.now), 3), reason))


def acknowledge(draft: Draft, order: Order) -> None:
    """Say that an alert was looked at."""
    name = ALERT.of(order)
    if not any(a.alert == name for a in draft.state.alerts):
        raise OrderError("no_alert", "an alert that is open", name[:40])
    draft.say(e.AlertAcknowledged(name))


def adjourn(draft: Draft, order: Order) -> None:
    """Stop here, to go on later."""
    _halt(draft, "adjourned")
    draft.say(e.Adjourned(REASON.of(order)))


def resume_match(draft: Draft, order: Order) -> None:
    """Go on with an adjourned match."""
    draft.say(e.Resumed(REASON.of(order)))
    _go_on(draft, "resumed")


def end_match(draft: Draft, order: Order) -> None:
    """End the match. Players may end what has no length, and name nobody its winner."""
    side = WINNER.maybe(order)
    endless = draft.state.match.length is None
    if order.by.role is e.Role.PLAYER and (side is not None or not endless):
        raise OrderError(
            "not_yours",
            "an arbiter, the director or the console, where a match has a length",
            "player",
            "resign, or call the director",
        )
    _halt(draft, "match_over")
    score = draft.state.match.score
    reason = REASON.of(order) or "ended"
    draft.say(e.MatchEnded(side, (score.white, score.black), reason))
