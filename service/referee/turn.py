"""The course of a turn: dice, press, verdict. Each function looks at one input in one phase and
says what follows from it.

**Never accuse falsely** is kept here by four habits:

1. An illegal play is only acted on in phase PRESSED, that is after the turn was ended, on a verdict
   that reconcile gives at rest.
2. Anything doubtful is a question (choose_play, say_roll), asked of both sides, never an
   accusation.
3. Dice problems are announced after they have lain there for a while, once a throw, and only as
   long as the turn has no valid roll.
4. Who is told is the event's choice: `Draft.who_hears` is asked each time, and the board makes no
   sound of what it may not say.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from rules.clock import press
from rules.conduct import News, PrematureRoll
from rules.dice import Roll
from rules.infraction import Broken
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import (
    Agreed,
    Ambiguous,
    Blind,
    Differs,
    Illegal,
    Pending,
    Verdict,
)
from service.referee.clock import ticking
from service.referee.dice import (
    closed_out,
    enter_roll,
    moves_text,
    position,
)
from service.referee.draft import Draft
from service.referee.match import finish_game
from service.referee.state import Phase

RELEASED_S: Final = 1.0
"""A whole play that stood at rest for so long was set down, not slid over."""
ASK_S: Final = 6.0
"""After so long without a verdict after the press, people are asked."""
DIFFERS_S: Final = 3.0
"""Before a roll, the board stands otherwise than the record for so long before anybody is told."""


# The end of a turn.


def end_turn(draft: Draft, side: Side, at: float, source: str) -> None:
    """The turn of the side on roll is over; now its play is judged."""
    state = draft.state
    clock = state.match.clock
    bank = used = None
    if clock is not None and ticking(clock) and clock.running is side:
        used = round(clock.turn_time(at), 3)
        bank = round(press(clock, side, max(at, clock.since or at)).bank(side), 3)
    draft.say(e.TurnPressed(side, round(at, 4), source, bank, used))


# Verdicts.


def on_verdict(draft: Draft, verdict: Verdict) -> None:
    """What reconcile makes of the board, by phase."""
    draft.watch(verdict=verdict)
    match draft.state.phase:
        case Phase.PRESSED:
            _judge_press(draft, verdict)
        case Phase.ILLEGAL:
            if isinstance(verdict, Agreed):
                agree(draft, verdict)
        case Phase.MOVING:
            _watch_play(draft, verdict)
        case Phase.TO_ROLL:
            _before_roll(draft, verdict)
        case Phase.DIFFERS:
            _watch_difference(draft, verdict)
        case _:
            pass


def _judge_press(draft: Draft, verdict: Verdict) -> None:
    state = draft.state
    match verdict:
        case Agreed():
            agree(draft, verdict)
        case Illegal():
            if not _hand_back_early_press(draft, verdict):
                notice(draft, verdict)
        case Differs():
            differ(draft, verdict)
        case Ambiguous():
            ask_both_sides(draft, "choose_play")
        case Pending() | Blind():
            if draft.now - max(state.match.pressed_at, state.watch.asked_since) >= ASK_S:
                ask_both_sides(draft, "say_roll" if state.turn.roll is None else "choose_play")


def _hand_back_early_press(draft: Draft, verdict: Illegal) -> bool:
    """Whether a press came before anything was moved: a slip, not a play, and the turn goes back
    with its clock. Where the board may not speak it stays what the rules call it, and is told as
    such.
    """
    side = draft.state.game.on_roll
    early = verdict.infraction.code is Broken.NOTHING_MOVED
    if not early or draft.who_hears(News.ILLEGAL_PLAY) != "board":
        return False
    draft.say(e.Noted(Broken.PRESSED_EARLY.value, side))
    draft.say(e.HandedBack(side.other, round(draft.now, 4), draft.state.turn.roll is not None))
    draft.sound("ask")
    return True


def ask_both_sides(draft: Draft, what: str) -> None:
    """Ask both sides, once a turn; the options are in the state document."""
    # After a restart the question may stand open already.
    if draft.once(what) and not any(a.matter == what for a in draft.state.alerts):
        draft.alert(what, draft.state.game.on_roll, about=draft.state.seq)
        draft.sound("ask")


PASSING: Final = frozenset({"hand", "unseen", "unsettled", "dice"})
"""Pending for a reason that says nothing against the play that stood a moment ago."""


def _watch_release(draft: Draft, verdict: Verdict) -> None:
    """Where a checker set down stays, or one touched is moved: half a play stood at rest and was
    taken back, as far as sensors know. For the director to see; nothing follows by itself.
    """
    event, since = draft.state.match.event, draft.state.watch.half_since
    if not (event.release_is_final or event.touch_move) or not isinstance(verdict, Pending):
        return
    if verdict.reason == "half_made":
        if since is None:
            draft.watch(half_since=draft.now)
    elif verdict.reason == "nothing_moved" and since is not None:
        draft.watch(half_since=None)
        code = Broken.RELEASE_IS_FINAL if event.release_is_final else Broken.TOUCH_MOVE
        if draft.now - since >= RELEASED_S and draft.once(code.value):
            side = draft.state.game.on_roll
            seq = draft.say(e.Noted(code.value, side, "taken back"))
            draft.alert(code.value, side, about=seq, news=News.TOUCH)


def _watch_play(draft: Draft, verdict: Verdict) -> None:
    """Before the press: remember since when a whole legal play stands, and which."""
    _watch_release(draft, verdict)
    watch = draft.state.watch
    if isinstance(verdict, Agreed) and draft.state.position().after(verdict.play.view).is_over:
        # The last checker borne off ends the game, pressed or not.
        agree(draft, verdict)
    elif isinstance(verdict, Agreed):
        same = isinstance(watch.whole, Agreed) and watch.whole.play.view == verdict.play.view
        if not same:
            _note_changed_play(draft, verdict)
        draft.watch(whole=verdict, rest_since=watch.rest_since if same else draft.now)
    elif watch.rest_since is not None and not (
        isinstance(verdict, Pending) and verdict.reason in PASSING
    ):
        draft.watch(whole=None, rest_since=None)


def _note_changed_play(draft: Draft, verdict: Agreed) -> None:
    """Where a checker set down stays (`release_is_final`): another whole play stood at rest before
    this one. For the director to see.
    """
    state, stood = draft.state, draft.state.watch.whole
    since = state.watch.rest_since
    if (
        not state.match.event.release_is_final
        or not isinstance(stood, Agreed)
        or since is None
        or draft.now - since < RELEASED_S
    ):
        return
    if stood.play.moves and draft.once("release_is_final"):
        seq = draft.say(
            e.Noted("release_is_final", state.game.on_roll, f"{stood.play}; {verdict.play}")
        )
        draft.alert("release_is_final", state.game.on_roll, about=seq, news=News.CONDUCT)


def _before_roll(draft: Draft, verdict: Verdict) -> None:
    """Nobody should be touching a checker: a board that stands otherwise for a while differs. What
    one turn explains is a turn being played with dice that were not read; it is judged when it is
    ended, like any other."""
    touched = not (isinstance(verdict, Pending) and verdict.reason == "nothing_moved")
    if draft.state.watch.touched != touched:
        draft.watch(touched=touched)
    if not isinstance(verdict, Differs):
        _watch_play(draft, verdict)
    elif verdict.sites and not (
        verdict.explanations and verdict.explanations[0].kind in ("unchanged", "turn")
    ):
        if _lasts(draft):
            differ(draft, verdict)
        return
    if draft.state.watch.doubt_since is not None:
        draft.watch(doubt_since=None)


def _lasts(draft: Draft) -> bool:
    """Whether what is noticed now has lasted for a while; the first time begins that while."""
    since = draft.state.watch.doubt_since
    if since is None:
        draft.watch(doubt_since=draft.now)
    return since is not None and draft.now - since >= DIFFERS_S


def agree(draft: Draft, verdict: Agreed) -> None:
    """The board shows a legal play."""
    origin = e.DiceOrigin[verdict.dice.name]
    thrown = None if origin is e.DiceOrigin.UNKNOWN else verdict.roll
    enter_play(draft, verdict.play, thrown, origin, verdict.probability, verdict.grounds)
    if verdict.accident:
        draft.say(e.Noted(verdict.accident, verdict.play.side, ",".join(map(str, verdict.sites))))
        draft.alert(verdict.accident, None, about=draft.state.seq)
        draft.watch(sites=verdict.sites)


def enter_play(
    draft: Draft,
    made: Play,
    thrown: Roll | None,
    origin: e.DiceOrigin,
    p: float | None,
    evidence: e.Grounds | None = None,
    by_hand: bool = False,
    recovered: bool = False,
) -> None:
    """A legal play becomes part of the record, and the next turn begins."""
    state = draft.state
    if state.turn.notice is not None and not recovered:
        draft.say(e.IllegalCorrected(state.turn.notice.side, state.turn.notice.seq))
    pictures = tuple(p for p in (state.match.picture, draft.picture("played")) if p)
    probability = None if p is None else round(p, 6)
    draft.say(
        e.PlayEntered(
            made.side,
            thrown,
            origin,
            str(made),
            made.placement,
            probability,
            by_hand,
            evidence=evidence or e.Grounds(),
            pictures=pictures,
            recovered=recovered,
        )
    )
    _begin_turn(draft)


def _begin_turn(draft: Draft) -> None:
    if finish_game(draft):
        return
    closed_out(draft)
    early = draft.state.turn.premature
    if early is not None and draft.state.match.event.premature_roll is PrematureRoll.STANDS:
        enter_roll(draft, early, e.DiceOrigin.READ, None)


def notice(draft: Draft, verdict: Illegal) -> None:
    """At the press and at rest the board stands as no rule allows."""
    side = draft.state.game.on_roll
    facts, code = dict(verdict.infraction.facts), verdict.infraction.code.value
    nearest = tuple(str(p) for p in verdict.infraction.nearest)
    told = draft.who_hears(News.ILLEGAL_PLAY)
    pictures = tuple(p for p in (draft.state.match.picture, draft.picture("illegal")) if p)
    seq = draft.say(
        e.IllegalNoticed(
            side,
            code,
            facts,
            verdict.roll,
            verdict.placement,
            nearest,
            told,
            round(verdict.probability, 6),
            verdict.grounds,
            pictures,
        )
    )
    draft.alert("illegal", side, code, facts, seq, News.ILLEGAL_PLAY)
    if told == "board":
        draft.sound("error")
    count, limit = (
        draft.state.match.illegal[side],
        draft.state.match.event.illegal_limit,
    )
    if 0 < limit < count:
        draft.alert("illegal_limit", side, str(count), about=seq, told="arbiter")


def stand(draft: Draft, standing: e.Standing) -> None:
    """The illegal play that was noticed is part of the record after all, if the board it left can
    be played on.
    """
    found = draft.state.turn.notice
    if found is None:
        return
    state = draft.state
    try:
        assert state.match.ruleset is not None
        Position.of(found.placement, state.match.ruleset, found.side.other)
    except PositionError:
        # A checker missing or two sides on one point: no game goes on from there.
        if draft.once("cannot_stand"):
            draft.alert(
                "cannot_stand", found.side, found.code, found.facts, found.seq, News.ILLEGAL_PLAY
            )
        return
    text = moves_text(position(draft), found.placement)
    draft.say(e.IllegalStood(found.side, found.seq, standing))
    draft.say(
        e.PlayEntered(
            found.side,
            found.roll,
            e.DiceOrigin.READ if found.roll else e.DiceOrigin.UNKNOWN,
            text,
            found.placement,
            found.probability,
            infraction=found.code,
            standing=standing,
            evidence=found.evidence,
            pictures=found.pictures,
        )
    )
    _begin_turn(draft)


def differ(draft: Draft, verdict: Differs) -> None:
    """Board and record differ: one explanation left is taken, else people are asked while the clock
    goes on.
    """
    sure = verdict.certain
    if (
        sure is not None
        and sure.kind in ("turn", "turns")
        and draft.state.phase is not Phase.DIFFERS
    ):
        enter_explained(draft, sure.turns, sure.p, verdict.grounds)
        return
    options = tuple(
        " ".join(f"{r}: {p}" for r, p in x.turns) or x.kind for x in verdict.explanations
    )
    draft.say(
        e.BoardDiffered(
            "board_and_record_differ",
            verdict.sites,
            options,
            verdict.grounds,
            (draft.picture("differs"),),
        )
    )
    draft.watch(verdict=verdict)
    draft.alert("differs", None, about=draft.state.seq)
    draft.sound("ask")


def enter_explained(
    draft: Draft,
    turns: tuple[tuple[Roll, Play], ...],
    p: float | None,
    evidence: e.Grounds | None,
    by_hand: bool = False,
) -> None:
    """One or two turns that passed unseen become part of the record."""
    for thrown, made in turns:
        known = draft.state.turn.roll
        origin = e.DiceOrigin.READ if known == thrown else e.DiceOrigin.INFERRED
        enter_play(draft, made, thrown, origin, p, evidence, by_hand=by_hand, recovered=True)
        if draft.state.phase is not Phase.TO_ROLL:
            break


def _watch_difference(draft: Draft, verdict: Verdict) -> None:
    """While board and record differ: put right, it goes on; explained by turns alone and left so
    for a while, they are recorded.
    """
    certain = verdict.certain if isinstance(verdict, Differs) else None
    if certain is not None and isinstance(verdict, Differs) and certain.kind in ("turn", "turns"):
        if _lasts(draft):
            draft.say(e.Recovered("explained"))
            enter_explained(draft, certain.turns, certain.p, verdict.grounds)
        return
    if draft.state.watch.doubt_since is not None:
        draft.watch(doubt_since=None)
    if certain is not None and certain.kind == "unchanged":
        draft.say(e.Recovered("restored"))
