"""What becomes of a turn that was asked about when nobody answers and play goes on: the evening
never stops for a question. What is likely is entered as such, what is not stands unresolved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.axes import HOME
from rules.board import BAR, OFF, POINTS, Placement, Side
from rules.conduct import News
from rules.dice import Roll
from rules.infraction import Broken, Infraction
from rules.judge import judge, rolls_explaining
from rules.play import Play, plays
from rules.position import Position, absolute_site, view_of
from service.journal import entries as e
from service.reconcile import Agreed, Ambiguous, Illegal, OtherRoll, is_one_shifted, misses_one
from service.referee.asking import (
    LIKELY_LEGAL,
    TELLS_S,
    ask_both_sides,
    is_likely_legal,
    next_turn_will_tell,
)
from service.referee.draft import Draft
from service.referee.entering import (
    agree,
    ask_to_compare,
    enter_play,
    leave_as_it_stands,
    leave_unresolved,
    stand,
    take_position,
)
from service.referee.state import QUESTIONS, Phase, State
from service.referee.waiting import HEARD_S, STAYS_S

ONE_ROLL: Final = 0.99
"""A roll that explains a play with this share of it is recorded; below, the roll stays open."""


def go_on_without_an_answer(draft: Draft) -> None:
    """The opponent rolls while the table still asks, or has noticed something: nobody objects."""
    state, asked = draft.state, _question(draft)
    if state.phase is Phase.ILLEGAL:
        stand(draft, e.Standing.NEXT_ROLL)
    elif isinstance(asked, Illegal | OtherRoll) and _leave_not_over(draft, asked):
        return
    elif isinstance(asked, OtherRoll) and "other_roll" in state.watch.warned:
        leave_unresolved(draft, asked)
    elif isinstance(asked, Illegal) and "choose_play" in state.watch.warned:
        stands = _but_for_what_fell(state, asked.placement)
        if not _leave_shifted(draft, stands):
            leave_as_it_stands(draft, stands, asked.probability, asked.grounds)
    elif not (isinstance(asked, Ambiguous) and _take_likeliest(draft, asked)):
        left, stood = state.watch.left, state.watch.stood
        if left is not None and stood in (None, left.play.placement) and began_surely(state):
            agree(draft, left)
        else:
            _leave_what_stood(draft)


def _leave_not_over(draft: Draft, asked: Illegal | OtherRoll) -> bool:
    """Whether what stands there, and no play of the roll leaves, would have ended the game, while
    somebody throws on: nobody has won, a checker fell. The play of the roll that is nearest is
    entered, and people may say that it was otherwise.
    """
    state, nearest = draft.state, asked.infraction.nearest
    began = state.position()
    view = view_of(asked.placement, began.ruleset.facing, began.side)
    if view is None or not began.after(view).is_over or not nearest or state.turn.roll is None:
        return False
    enter_play(draft, nearest[0], state.turn.roll, state.match.origin, None, asked.grounds)
    ask_to_compare(draft)
    return True


def _leave_shifted(draft: Draft, stands: Placement) -> bool:
    """Whether the side whose turn was ended is closed out: it throws nothing and moves nothing, so
    the record has its turn without a play, and the board as it stands, of which nobody knows how
    it came to.
    """
    state, side = draft.state, draft.state.game.on_roll
    if not state.turn.stuck or state.turn.roll is not None:
        return False
    made = next(
        (p for _, p in rolls_explaining(state.position(), state.position().placement)), None
    )
    if made is None or made.moves:
        return False
    enter_play(draft, made, None, e.DiceOrigin.UNKNOWN, None)
    take_position(draft, stands, side.other)
    return True


def began_surely(state: State) -> bool:
    """Whether nobody doubts what this turn was played from: a play that nobody could say is looked
    at once more together with the one that followed it.
    """
    plays = state.match.plays
    return not plays or plays[-1].standing is not e.Standing.UNRESOLVED


_NOT_READ: Final = (e.DiceOrigin.INFERRED, e.DiceOrigin.UNKNOWN)


def perhaps_due(state: State) -> bool:
    """Whether the side whose turn it is not by the record may be due all the same: the last line
    has it out of turn already, and nobody plays so twice running, or nobody read the dice of that
    line, and it may have been another's, or the same play seen twice; or play went on from a board
    of which nobody knows who had left it so.
    """
    last = state.match.plays[-1] if state.match.plays else None
    if last is None or last.game != state.game.number:
        return False
    if state.game.placement != last.placement and state.game.behind[1] > state.turn.began:
        return True
    if last.side is state.game.on_roll:
        return False
    return last.infraction == Broken.OUT_OF_TURN.value or last.origin in _NOT_READ


def _question(draft: Draft) -> Ambiguous | Illegal | OtherRoll | None:
    """What is asked of what stood there before play went on; None where that is something else by
    now.
    """
    watch = draft.state.watch
    stood, verdict = watch.stood, watch.verdict
    if isinstance(verdict, Ambiguous | Illegal | OtherRoll):
        # The likeliest of what hardly can be is none where something else was seen to stand there.
        seen_else = stood is not None and _is_doubtful(verdict) and not _is_answer(verdict, stood)
        return None if seen_else else verdict
    asked = watch.asked
    if asked is None or stood is None:
        return asked
    if isinstance(asked, Ambiguous):
        asked = _as_seen_since(asked, stood)
    return asked if _is_answer(asked, stood) else None


def _as_seen_since(asked: Ambiguous, stood: Placement) -> Ambiguous:
    """What was asked about with the answers alone that leave what was seen to stand there since,
    where some do: 2-1 was the likeliest while the camera was away, and when it came back the pile
    stood as after 1-1 (369500, evening 5).
    """
    left = [option for option in asked.options if option[0].placement == stood]
    if not left:
        return asked
    share = sum(p for *_, p in left)
    options = tuple((made, thrown, p / share) for made, thrown, p in left)
    return replace(asked, options=options, legal=None, stands=None)


def _is_doubtful(asked: Ambiguous | Illegal | OtherRoll) -> bool:
    """Whether what is asked about has a place standing as it does not, or is no play of the roll
    that was read.
    """
    return isinstance(asked, OtherRoll) or (isinstance(asked, Ambiguous) and asked.denied)


def _is_answer(asked: Ambiguous | Illegal | OtherRoll, stood: Placement) -> bool:
    """Whether what stood there is what was asked about."""
    if not isinstance(asked, Ambiguous):
        return stood == asked.placement
    answers = {made.placement for made, *_ in asked.options} | {asked.stands and asked.stands[0]}
    # A checker that lies between two points is read on the wrong one, by itself; what was asked
    # weighs that.
    return stood in answers or is_one_shifted(asked.options[0][0].placement, stood)


def _but_for_what_fell(state: State, read: Placement) -> Placement:
    """What is `read` there, or what stood there when the turn was over, where that alone has a
    checker on the board that nobody may bear off: it fell since, or its pile is misread.
    """
    stood, began = state.watch.stood, state.position()
    back = stood is not None and misses_one(began, read) and not misses_one(began, stood)
    return stood if stood is not None and back else read


BY_HAND: Final = frozenset({"button", "page", "phone"})
"""What ends a turn for sure: somebody pressed."""


def _take_likeliest(draft: Draft, verdict: Ambiguous) -> bool:
    """Whether what was asked and not answered could be entered as the likeliest play, or as it
    stands where no play is likely: then its probability marks it as doubtful in the record.
    """
    state = draft.state
    asked = verdict.stands is not None and "choose_play" in state.watch.warned
    if verdict.stands is not None and asked and not _hides_one(state, verdict):
        leave_as_it_stands(draft, *verdict.stands, verdict.grounds)
        return True
    made, thrown, p = verdict.options[0]
    same = [o for o in verdict.options if o[0].placement == made.placement]
    share = sum(o[2] for o in same)
    # A board on which nothing moved is no sign of a play, unless somebody ended the turn: dice that
    # were picked up to be thrown again look the same.
    ended = state.match.pressed_by in BY_HAND | {"next_roll"}
    if not (made.moves or ended) or share < 0.5:
        return False
    read = state.turn.roll
    if read is not None and all(o[1] != read for o in same):
        found = judge(state.position(), read, made.placement)
        if isinstance(found, Infraction):
            options = tuple(same)
            leave_unresolved(
                draft, OtherRoll(read, found, made.placement, options, share, verdict.grounds)
            )
            return True
        made, thrown, p = found, read, share
    only = p >= ONE_ROLL * share
    origin = state.match.origin if thrown == read else e.DiceOrigin.INFERRED
    told = next((a.told for a in state.alerts if a.matter == "choose_play"), "")
    enter_play(
        draft,
        made,
        thrown if only else None,
        origin if only else e.DiceOrigin.UNKNOWN,
        share,
        verdict.grounds,
    )
    if told and draft.state.phase is Phase.TO_ROLL:
        # The next play that is certain, or a person, ends it: until then the record may be wrong.
        draft.alert("unanswered", None, about=draft.state.match.plays[-1].seq, told=told)
    return True


def _hides_one(state: State, verdict: Ambiguous) -> bool:
    """Whether what reads as if a checker were off that nobody may bear off is explained by a play
    that laid it on a pile: of a roll that nobody read, and nobody counts the pile.
    """
    began = state.position()
    gone = verdict.stands is not None and misses_one(began, verdict.stands[0])
    return (
        gone and state.turn.roll is None and not misses_one(began, verdict.options[0][0].placement)
    )


def enter_or_wait(draft: Draft, asked: Ambiguous) -> bool:
    """Whether nobody needs to be asked yet: it was the last play of the game and is entered, or the
    next turn will tell.
    """
    return _enter_last_play(draft, asked) or next_turn_will_tell(draft, asked)


def _enter_last_play(draft: Draft, asked: Ambiguous) -> bool:
    """Whether the play that is likeliest by far leaves nothing of its side on the board, which has
    stood so since its dice were lifted, or it pressed: no throw comes that would tell, so it is
    entered and the game is over.
    """
    made, began = likely_play(asked), draft.state.position()
    if made is None or not began.after(made.view).is_over:
        return False
    share = sum(p for play, _, p in asked.options if play.placement == made.placement)
    # A play that some place denies, or of a roll that was not the one read, ends no game.
    sure = share >= LIKELY_LEGAL and is_likely_legal(draft, asked)
    stood = draft.now - draft.state.match.pressed_at >= STAYS_S
    return stood and sure and _take_likeliest(draft, asked)


def likely_play(asked: Ambiguous | Illegal | OtherRoll | None) -> Play | None:
    """The play that moved checkers and that is likelier than everything else together, of those
    asked about; None where none is.
    """
    if not isinstance(asked, Ambiguous) or asked.stands is not None:
        return None
    made = asked.options[0][0]
    share = sum(p for play, _, p in asked.options if play.placement == made.placement)
    return made if made.moves and share >= 0.5 else None


def shifted_since(draft: Draft, now: Placement) -> Agreed | None:
    """The whole play that had been left standing before the turn was ended or as it was, where
    nobody ended it by a press and what stands there `now` is that play with one checker shifted to
    the point beside it: somebody brushed against it.
    """
    set_down = draft.state.watch.set_down
    stood = set_down[0] if set_down is not None else draft.state.watch.left
    if draft.state.match.pressed_by in BY_HAND or not isinstance(stood, Agreed):
        return None
    return stood if is_one_shifted(stood.play.placement, now) else None


def _leave_what_stood(draft: Draft) -> None:
    """Nobody said what it was that could not be seen well, or that no play explains: a play is
    entered, else people are asked, and then play goes on from what stood there.
    """
    state, stood = draft.state, draft.state.watch.stood
    if stood is None:
        thrown, looked = state.watch.next_thrown, state.watch.verdict is not None
        # Nobody has looked at the checkers since the turn was ended: what stands there may be sure.
        if thrown is not None and draft.now - thrown >= (HEARD_S if looked else TELLS_S):
            ask_both_sides(draft, "choose_play", News.ILLEGAL_PLAY)
        return
    read = state.turn.roll
    found = None if read is None else judge(state.position(), read, stood)
    shifted = shifted_since(draft, stood)
    if shifted is not None:
        agree(draft, shifted, recovered=True)
    elif read is not None and isinstance(found, Play):
        enter_play(draft, found, read, state.match.origin, None)
    elif not state.watch.warned & QUESTIONS:
        ask_both_sides(draft, "choose_play", News.ILLEGAL_PLAY)
    elif read is None or stood == state.game.placement:
        stood = with_fallen_of_next(state.position().placement, stood, state.game.on_roll.other)
        danced = [made for _, made in rolls_explaining(state.position(), stood) if not made.moves]
        if read is None and danced:
            # A throw that nobody read, which left the checkers where they were.
            enter_play(draft, danced[0], None, e.DiceOrigin.UNKNOWN, None)
        else:
            take_position(draft, stood, state.game.on_roll.other)
    else:
        stood = with_gone_laid(state.position(), read, stood)
        leave_as_it_stands(draft, stood, None, e.Grounds())


def with_gone_laid(began: Position, roll: Roll, stood: Placement) -> Placement:
    """What stood there, with one checker of the side on roll that is gone from outside its home,
    though it may not bear off, where a die of the roll takes it and its side stands already: a
    point there reads one too few. Unchanged where that is nowhere, or two places.
    """
    side, facing = began.side, began.ruleset.facing
    then, now = began.placement.counts(side), stood.counts(side)
    fewer = [site for site in POINTS if now[site] < then[site]]
    if now[OFF] != then[OFF] + 1 or len(fewer) != 1 or not misses_one(began, stood):
        return stood
    source = absolute_site(facing, side, fewer[0])
    moves = {move for play in plays(began, roll) for move in play.moves}
    laid = {
        absolute_site(facing, side, move.target)
        for move in moves
        if move.source == source > HOME and move.target in POINTS
    }
    there = [site for site in laid if now[site] > 0]
    return stood.moved(side, OFF, there[0]) if len(there) == 1 else stood


def with_fallen_of_next(recorded: Placement, stood: Placement, side: Side) -> Placement:
    """What stood there when a side threw after the other's turn, with its checkers back that were
    gone by then: nobody bears off in the other's turn. One on whose point the other stands was hit.
    """
    then, now, other = recorded.counts(side), stood.counts(side), stood.counts(side.other)
    fewer = [site for site in POINTS for _ in range(then[site] - now[site])]
    for site in fewer[: max(0, now[OFF] - then[OFF])]:
        stood = stood.moved(side, OFF, BAR if other[site] else site)
    return stood
