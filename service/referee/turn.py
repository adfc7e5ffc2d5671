"""The course of a turn: dice, press, verdict. Each function looks at one input in one phase and
says what follows from it.

**Never accuse falsely** is kept here by four habits:

1. An illegal play is only acted on in phase PRESSED, that is after the turn was ended, on a verdict
   that reconcile gives at rest.
2. Anything doubtful is a question (choose_play, say_roll), asked of both sides, never an
   accusation; one that betrays a miscount goes to those alone who may hear of it.
3. Dice problems are announced after they have lain there for a while, once a throw, and only as
   long as the turn has no valid roll.
4. Who is told is the event's choice: `Draft.who_hears` is asked each time, and the board makes no
   sound of what it may not say.
"""

from __future__ import annotations

from typing import Final

from rules.conduct import News
from rules.infraction import Broken
from rules.observation import eyes_lost
from service.journal import entries as e
from service.journal.entry import DiceOrigin
from service.reconcile import (
    Agreed,
    Ambiguous,
    Blind,
    Differs,
    Explanation,
    Illegal,
    OtherRoll,
    Pending,
    Recalled,
    Verdict,
)
from service.referee.asking import (
    PRESSED_OVER,
    ask_both_sides,
    ask_which_roll,
    news_of,
    next_turn_will_tell,
)
from service.referee.draft import Draft
from service.referee.entering import (
    agree,
    end_turn,
    enter_explained,
    enter_played_on,
    enter_revised,
    notice,
)
from service.referee.recalled_turns import enter_recalled
from service.referee.released import RELEASED_S, note_changed_play, watch_release
from service.referee.set_down import awaits_what_stands
from service.referee.state import QUESTIONS, SAID_NOT_SO, Phase
from service.referee.unanswered import (
    BY_HAND,
    began_surely,
    enter_or_wait,
    likely_play,
    shifted_since,
)
from service.referee.waiting import OVER_S, STAYS_S, TOUCHED_S

STOOD_WHOLE: Final = "stood_whole"
"""Once in a turn: a whole play of it was left standing, and the checkers stand otherwise by now."""
ELSEWHERE: Final = "elsewhere"
"""Once in a turn: its dice lay in the other side's half, and may have been that side's."""
LIFTED_WAIT_S: Final = 6.0
"""So long after dice were lifted nothing is called illegal, unless the opponent throws."""
SET_UP_SITES: Final = 5
"""So many sites otherwise than before the turn: no play does that, the checkers are set up anew."""


# Verdicts.


def on_verdict(draft: Draft, verdict: Verdict, *, stood: bool = False) -> None:
    """What reconcile makes of the board, by phase. `stood`: it stood so when the turn began."""
    draft.watch(verdict=verdict)
    if isinstance(verdict, Differs) and verdict.recalled is not None:
        _recall(draft, verdict.recalled, verdict.grounds)
        return
    match draft.state.phase:
        case Phase.PRESSED:
            _judge_press(draft, verdict)
        case Phase.ILLEGAL:
            if isinstance(verdict, Agreed):
                agree(draft, verdict)
        case Phase.MOVING:
            _watch_play(draft, verdict)
        case Phase.TO_ROLL:
            _before_roll(draft, verdict, stood=stood)
        case Phase.DIFFERS:
            _watch_difference(draft, verdict)
        case _:
            pass


def _recall(draft: Draft, found: Recalled, grounds: e.Grounds) -> None:
    """Turns that were seen one after another are recorded, whatever was thought meanwhile. What a
    person said, or a notice that may still be put right, is not talked over.
    """
    difference = draft.state.turn.difference
    said = difference is not None and difference.reason == SAID_NOT_SO
    if not said and draft.state.phase is not Phase.ILLEGAL:
        enter_recalled(draft, found, grounds)


def _judge_press(draft: Draft, verdict: Verdict) -> None:
    state = draft.state
    if isinstance(verdict, Ambiguous | Illegal | OtherRoll) and verdict != state.watch.asked:
        draft.watch(asked=verdict)
    match verdict:
        case Agreed() if _next_throw_will_tell(draft, verdict):
            draft.watch(left=verdict)
        case Agreed() if state.awaits_next_throw and verdict.play.moves:
            # Nothing stood there when it was pressed: the press came before the throw, and ends no
            # play of which half may be made by now.
            _hand_back_unrolled(draft)
        case Agreed():
            agree(draft, verdict)
        case Illegal() | OtherRoll() if (
            stood := shifted_since(draft, verdict.placement)
        ) is not None:
            # The board stands otherwise by now, which is no misread of what it left.
            agree(draft, stood, recovered=True)
        case Illegal() | OtherRoll() if awaits_what_stands(draft.state, draft.now):
            pass
        case Illegal() if (
            not verdict.blames or _not_a_turn(draft, verdict) or _another_may_have_played(draft)
        ):
            ask_both_sides(draft, "choose_play", News.ILLEGAL_PLAY)
        case Illegal():
            if not (_may_go_on(draft) or _hand_back_early_press(draft, verdict)):
                notice(draft, verdict)
        case Differs() if verdict.certain is None and likely_play(state.watch.asked) is not None:
            # What stood there when it was asked about was a play: the board was knocked since.
            pass
        case Differs():
            differ(draft, verdict)
        case OtherRoll():
            ask_which_roll(draft, verdict)
        case Ambiguous() if state.awaits_next_throw and not verdict.options[0][0].moves:
            # Dice lie there by now of which not both can be read: their play will tell.
            pass
        case Ambiguous() if not enter_or_wait(draft, verdict):
            ask_both_sides(draft, "choose_play", news_of(draft, verdict))
        case Pending(reason="not_played") if state.turn.roll is None:
            # Pressed before the dice were thrown, or read: nothing was played yet.
            _hand_back_unrolled(draft)
        case Pending() if state.awaits_next_throw:
            # Dice lie there by now, and are read or played in a moment.
            pass
        case Pending() | Blind():
            if not (state.watch.warned & QUESTIONS or next_turn_will_tell(draft, verdict)):
                ask_both_sides(
                    draft,
                    "say_roll" if state.turn.roll is None else "choose_play",
                    news_of(draft, verdict),
                )


def _hand_back_unrolled(draft: Draft) -> None:
    """The turn goes on that was pressed before its dice were thrown, or read; until its side has
    pressed once more.
    """
    side, pressed_by = draft.state.game.on_roll, draft.state.match.pressed_by
    again = draft.state.watch.pressed_again
    draft.say(e.Noted("pressed_dice_unread", side, pressed_by))
    draft.say(e.HandedBack(side.other, draft.now if again is None else again[0], rolled=False))
    if again is not None:
        end_turn(draft, side, *again)


def _next_throw_will_tell(draft: Draft, verdict: Agreed) -> bool:
    """Whether nothing was moved in a turn that somebody pressed for and whose dice nobody saw: it
    had no play, or the press came before its throw, which the side that throws next will tell.
    """
    state = draft.state
    unseen = state.turn.roll is None and verdict.dice is not DiceOrigin.READ
    return (
        unseen
        and not (verdict.play.moves or state.turn.stuck or state.watch.dice_lay)
        and state.press_ends_turn
        and state.match.pressed_by in BY_HAND
        and not eyes_lost(state.lost)
        and began_surely(state)
    )


def _not_a_turn(draft: Draft, verdict: Illegal) -> bool:
    """Whether nothing was moved in a turn that nobody ended by a press: one source saw it end, the
    other nothing.
    """
    nothing = verdict.infraction.code is Broken.NOTHING_MOVED
    return nothing and draft.state.match.pressed_by in ("dice_lifted", "next_roll")


def _another_may_have_played(draft: Draft) -> bool:
    """Whether turns may have passed in this one: the other side threw or pressed before it was
    over, or it was handed back by a press; or, where no press ends it, a whole play of it had been
    left standing, or its dice may have been the other side's. What stands there is then not surely
    its play.
    """
    turn, watch = draft.state.turn, draft.state.watch
    left = not draft.state.press_ends_turn and {STOOD_WHOLE, ELSEWHERE} & watch.warned
    thrown = turn.premature is not None or watch.thrown_over is not None
    return bool(left) or thrown or turn.reopened or PRESSED_OVER in watch.warned


def _may_go_on(draft: Draft) -> bool:
    """Whether dice were lifted so lately that the rest of the play may follow: nobody has ended the
    turn by a press, and nobody has thrown.
    """
    match, watch = draft.state.match, draft.state.watch
    lifted = match.pressed_by == "dice_lifted" and watch.next_roll is None
    return lifted and draft.now - match.pressed_at < LIFTED_WAIT_S


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


PASSING: Final = frozenset({"hand", "unseen", "unsettled", "dice"})
"""Pending for a reason that says nothing against the play that stood a moment ago."""


def _watch_play(draft: Draft, verdict: Verdict) -> None:
    """Before the press: remember since when a whole legal play stands, and which."""
    if isinstance(verdict, Differs) and verdict.thrown_over:
        # The next play is about to be made from there: what the last ones were, people may say.
        differ(draft, verdict)
        return
    watch_release(draft, verdict)
    if isinstance(verdict, Pending):
        moved = verdict.likeliest not in (None, draft.state.game.placement)
        stands = moved or (draft.state.watch.may_stand and verdict.reason != "nothing_moved")
        draft.watch(may_stand=stands)
    watch = draft.state.watch
    if _ends_game(draft, verdict):
        return
    if isinstance(verdict, Agreed):
        same = isinstance(watch.whole, Agreed) and watch.whole.play.view == verdict.play.view
        if not same:
            note_changed_play(draft, verdict)
            draft.watch(thrown_over=None, played_over=None)
        draft.watch(whole=verdict, rest_since=watch.rest_since if same else draft.now)
    elif watch.rest_since is not None and not _says_nothing_against(verdict, watch.whole):
        _forget_whole(draft, watch.rest_since)


def _forget_whole(draft: Draft, since: float) -> None:
    """The whole play that had stood `since` then stands there no more."""
    whole = draft.state.watch.whole
    if whole is not None and draft.now - since >= RELEASED_S:
        draft.once(STOOD_WHOLE)
        draft.watch(set_down=(whole, since))
    draft.watch(whole=None, rest_since=None)


def _says_nothing_against(verdict: Verdict, whole: Agreed | None) -> bool:
    """Whether what is seen now says nothing against the whole play that stood a moment ago: it
    passes, and nothing else most likely stands there at rest.
    """
    if not isinstance(verdict, Pending) or verdict.reason not in PASSING:
        return False
    stood = None if whole is None else whole.play.placement
    return verdict.likeliest in (None, stood)


def _ends_game(draft: Draft, verdict: Verdict) -> bool:
    """The last checker borne off ends the game, pressed or not, when it was left so for a while or
    the checkers are being set up anew. Slow: a checker lifted in thought looks the same.
    """
    state, stood = draft.state, draft.state.watch.whole
    since = state.watch.rest_since
    if not isinstance(stood, Agreed) or since is None:
        return False
    if not state.position().after(stood.play.view).is_over:
        return False
    rested = draft.now - since
    if isinstance(verdict, Agreed) and verdict.play.view == stood.play.view:
        over = rested >= (OVER_S if state.turn.roll is None else STAYS_S)
    else:
        apart = len(getattr(verdict, "sites", ()))
        over = rested >= RELEASED_S and apart >= SET_UP_SITES
    if over:
        agree(draft, stood)
    return over


def _before_roll(draft: Draft, verdict: Verdict, *, stood: bool) -> None:
    """Nobody should be touching a checker: a board that stands otherwise for a while differs. What
    one turn explains is a turn being played with dice that were not read; it is judged when it is
    ended, like any other."""
    touched = not stood and not (isinstance(verdict, Pending) and verdict.reason == "nothing_moved")
    if touched is not (draft.state.watch.touched_since is not None):
        draft.watch(touched_since=draft.now if touched else None)
    whole, rested = draft.state.watch.whole, draft.state.watch.rest_since
    if not isinstance(verdict, Differs):
        _watch_play(draft, verdict)
    elif (
        isinstance(whole, Agreed)
        and rested is not None
        and verdict.explanations
        and verdict.explanations[0].placement != whole.play.placement
    ):
        _forget_whole(draft, rested)
    elif (
        verdict.sites
        and not (verdict.explanations and verdict.explanations[0].kind in ("unchanged", "turn"))
        and not _was_passed_over(draft.state.watch.offered, verdict)
    ):
        since, began = draft.state.watch.touched_since, draft.state.turn.began
        # What stood as recorded and was moved since is put back, as a rule, before anybody throws.
        knocked = since is not None and since - began > TOUCHED_S
        if _lasts(draft, OVER_S if knocked or stood else STAYS_S) or verdict.unwatched:
            # Turns that nobody saw have passed: what stands there is what they play from.
            differ(draft, verdict)
        return
    if draft.state.watch.doubt_since is not None:
        draft.watch(doubt_since=None)


def _was_passed_over(asked: Differs | None, verdict: Differs) -> bool:
    """Whether people were asked about the very same already, and have thrown over it: nothing has
    moved since, and they have nothing more to say.
    """
    if asked is None or not (asked.explanations and verdict.explanations):
        return False
    return asked.explanations[0].placement == verdict.explanations[0].placement


def _lasts(draft: Draft, least: float = STAYS_S) -> bool:
    """Whether what is noticed now has lasted for a while; the first time begins that while."""
    since = draft.state.watch.doubt_since
    if since is None:
        draft.watch(doubt_since=draft.now)
    return since is not None and draft.now - since >= least


def explanation_text(found: Explanation) -> str:
    """An explanation as it is offered: its turns with their rolls, or its kind."""
    return " ".join(f"{roll}: {play}" for roll, play in found.turns) or found.kind


def differ(draft: Draft, verdict: Differs) -> None:
    """Board and record differ: one explanation left is taken, else people are asked while the clock
    goes on.
    """
    sure = verdict.certain
    if sure is not None and sure.turns and draft.state.phase is not Phase.DIFFERS:
        enter_story(draft, sure, verdict.grounds)
        return
    options = tuple(explanation_text(each) for each in verdict.explanations)
    # A turn that was ended and that no play explains was played wrongly, perhaps. Before a roll
    # nobody has played: a checker was knocked, and both sides may know.
    ended = draft.state.phase is Phase.PRESSED
    told = draft.who_hears(News.ILLEGAL_PLAY if ended else News.DICE)
    draft.say(
        e.BoardDiffered(
            "board_and_record_differ",
            verdict.sites,
            options,
            verdict.grounds,
            (draft.picture("differs"),),
        )
    )
    draft.watch(verdict=verdict, offered=verdict, raised_at=draft.now)
    draft.alert("differs", None, about=draft.state.seq, told=told)
    if told == "board":
        draft.sound("ask")


def enter_story(
    draft: Draft, story: Explanation, grounds: e.Grounds, by_hand: bool = False
) -> None:
    """The turns that explain the board become part of the record."""
    p = None if by_hand else story.p
    if story.kind == "revised":
        enter_revised(draft, story.turns, p, grounds)
    elif story.from_ is not None:
        enter_played_on(draft, story.from_, story.turns[0], p, grounds)
    else:
        enter_explained(draft, story, p, grounds, by_hand=by_hand)


def _watch_difference(draft: Draft, verdict: Verdict) -> None:
    """While board and record differ: put right, it goes on; explained by turns alone and left so
    for a while, they are recorded.
    """
    if isinstance(verdict, Differs):
        draft.watch(offered=verdict)
    certain = verdict.certain if isinstance(verdict, Differs) else None
    difference = draft.state.turn.difference
    if difference is not None and difference.reason == SAID_NOT_SO:
        # A person contradicted what is seen: only a person ends it, or a board put right.
        return
    if certain is not None and isinstance(verdict, Differs) and certain.turns:
        if _lasts(draft):
            draft.say(e.Recovered("explained"))
            enter_story(draft, certain, verdict.grounds)
        return
    if draft.state.watch.doubt_since is not None:
        draft.watch(doubt_since=None)
    if certain is not None and certain.kind == "unchanged":
        draft.say(e.Recovered("restored"))
