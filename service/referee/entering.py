"""What becomes part of the record: a play that is agreed on, an illegal one that is noticed or
stands, one that nobody said how it was rolled, turns that passed unseen.
"""

from __future__ import annotations

from rules.board import Placement, Side
from rules.clock import press
from rules.conduct import News, PrematureRoll
from rules.dice import Roll
from rules.infraction import Broken
from rules.judge import rolls_explaining
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import OUTSIDE, Agreed, Explanation, Illegal, OtherRoll
from service.referee.clock import ticking
from service.referee.dice import closed_out, enter_roll, moves_text, position
from service.referee.draft import Draft
from service.referee.left_otherwise import (
    played_over_likely,
    say_changed_play,
    say_position,
    say_what_was_left,
)
from service.referee.match import finish_game
from service.referee.state import Phase, PlayLine, State


def end_turn(draft: Draft, side: Side, at: float, source: str) -> None:
    """The turn of the side on roll is over; now its play is judged."""
    state = draft.state
    clock = state.match.clock
    bank = used = None
    if clock is not None and ticking(clock) and clock.running is side:
        used = round(clock.turn_time(at), 3)
        bank = round(press(clock, side, max(at, clock.since or at)).bank(side), 3)
    draft.say(e.TurnPressed(side, round(at, 4), source, bank, used))


def agree(draft: Draft, verdict: Agreed, *, recovered: bool = False) -> None:
    """The board shows a legal play, or did when it had been made (`recovered`)."""
    origin = e.DiceOrigin[verdict.dice.name]
    thrown = None if origin is e.DiceOrigin.UNKNOWN else verdict.roll
    p, grounds = verdict.probability, verdict.grounds
    enter_play(draft, verdict.play, thrown, origin, p, grounds, recovered=recovered)
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
    if state.turn.stuck and state.turn.roll is None and not by_hand:
        # Who is closed out throws nothing: the dice that lie there are the other side's.
        thrown, origin = None, e.DiceOrigin.UNKNOWN
    if origin is e.DiceOrigin.READ and state.turn.roll is None and _is_half_disputed(state):
        # They were played as they lay, whatever was said of it: this table throws where there is
        # room.
        draft.say(e.Noted("dice_anywhere", made.side))
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
    begin_turn(draft)


def _is_half_disputed(state: State) -> bool:
    """Whether the dice of this turn were called for lying in the other half."""
    return any(a.matter == "dice" and a.code in OUTSIDE for a in state.alerts)


def begin_turn(draft: Draft) -> None:
    """The next turn, unless the game is over."""
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
    draft.watch(raised_at=draft.now)
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
    begin_turn(draft)


def enter_explained(
    draft: Draft,
    story: Explanation,
    p: float | None,
    evidence: e.Grounds | None,
    by_hand: bool = False,
) -> None:
    """One or two turns that passed unseen become part of the record."""
    for n, (roll, made) in enumerate(story.turns):
        known = draft.state.turn.roll
        origin = e.DiceOrigin.READ if known == roll else e.DiceOrigin.INFERRED
        thrown = roll if n not in story.open_rolls or known == roll else None
        origin = e.DiceOrigin.UNKNOWN if thrown is None else origin
        enter_play(draft, made, thrown, origin, p, evidence, by_hand=by_hand, recovered=True)
        if draft.state.phase is not Phase.TO_ROLL:
            break


def enter_revised(
    draft: Draft,
    turns: tuple[tuple[Roll, Play], ...],
    p: float | None,
    evidence: e.Grounds,
) -> None:
    """The last turn was played otherwise than it was entered, as is seen by now: an entry says so,
    and the turn in progress goes on from there, with its play where that stands as well.
    """
    (roll, play), *after = turns
    state = draft.state
    line, known = state.match.plays[-1], state.match.origin
    text, placement = str(play), play.placement
    # What nobody knew of it, nobody knows yet: several rolls may have been played so.
    unread = line.origin is e.DiceOrigin.INFERRED and _rolls_to(state, line, placement) > 1
    known_roll = None if line.roll is None or unread else roll
    origin = e.DiceOrigin.UNKNOWN if unread else line.origin
    pressed, ended = state.phase is Phase.PRESSED, state.match.pressed_at
    draft.say(e.PlayCorrected(line.seq, known_roll, origin, text, placement, rewinds=True))
    for thrown, made in after:
        if pressed:
            # The turn seems to begin with the correction; dice were thrown over it long before.
            end_turn(draft, made.side, ended, e.SEEN_LATER)
        enter_play(draft, made, thrown, known, p, evidence)


def _rolls_to(state: State, line: PlayLine, placement: Placement) -> int:
    """How many rolls leave this placement where a line of the record was played from."""
    if line.before is None or state.match.ruleset is None:
        return 0
    began = Position.of(line.before, state.match.ruleset, line.side, line.first_turn)
    return len(rolls_explaining(began, placement))


def enter_played_on(
    draft: Draft, start: Placement, turn: tuple[Roll, Play], p: float | None, evidence: e.Grounds
) -> None:
    """A turn played from what no play of the turn before left: a checker was knocked, or an illegal
    play stood. Nobody objected, so the record has the board as it stood, and the play.
    """
    thrown, made = turn
    state = draft.state
    origin = state.match.origin if state.turn.roll == thrown else e.DiceOrigin.INFERRED
    if say_what_was_left(draft, start, made.side) or state.phase is not Phase.PRESSED:
        ended = max(state.match.pressed_at, state.turn.began)
        end_turn(draft, made.side, min(ended, draft.now), e.SEEN_LATER)
    enter_play(draft, made, thrown, origin, p, evidence)
    ask_to_compare(draft)


def take_position(draft: Draft, stands: Placement, on_roll: Side) -> None:
    """Play goes on from what stands there: the record has the board as it stands, and says that
    nobody knows how it came to, unless it is another play of the last turn's roll.
    """
    ruleset = draft.state.match.ruleset
    assert ruleset is not None
    try:
        Position.of(stands, ruleset, on_roll)
    except PositionError:
        return
    if not say_changed_play(draft, stands, on_roll):
        say_position(draft, stands, on_roll)
    if not finish_game(draft):
        closed_out(draft)


def put_right(draft: Draft, stands: Placement) -> None:
    """The record has the board as it has stood for some turns, and people may say that it was
    otherwise; the next is not thrown for yet.
    """
    state = draft.state
    assert state.match.ruleset is not None
    try:
        Position.of(stands, state.match.ruleset, state.game.on_roll)
    except PositionError:
        return
    say_position(draft, stands, state.game.on_roll)
    if finish_game(draft):
        return
    closed_out(draft)
    ask_to_compare(draft)


def ask_to_compare(draft: Draft) -> None:
    """Until the next play that is certain people may say that it was otherwise: what it was played
    from is what stood there, and nobody knows how it came to.
    """
    if draft.state.phase is Phase.TO_ROLL:
        plays = draft.state.match.plays
        about = plays[-1].seq if plays else draft.state.seq
        draft.alert("unanswered", None, about=about, told=draft.who_hears(News.DICE))


def enter_out_of_turn(draft: Draft, made: Agreed) -> None:
    """The side whose turn it was not has thrown and played: the record says so, the play stands
    unless people say otherwise, and they are told.
    """
    draft.say(
        e.PlayEntered(
            made.play.side,
            made.roll,
            e.DiceOrigin[made.dice.name],
            str(made.play),
            made.play.placement,
            round(made.probability, 6),
            infraction=Broken.OUT_OF_TURN.value,
            standing=e.Standing.NEXT_ROLL,
            evidence=made.grounds,
            pictures=(draft.picture("played"),),
        )
    )
    begin_turn(draft)
    tell_out_of_turn(draft, made.play.side)


def tell_out_of_turn(draft: Draft, side: Side) -> None:
    """Whoever may hear of it is told that a side has played whose turn it was not."""
    about = draft.state.match.plays[-1].seq
    code = Broken.OUT_OF_TURN.value
    draft.alert("illegal", side, code, about=about, news=News.ILLEGAL_PLAY)
    if draft.who_hears(News.ILLEGAL_PLAY) == "board":
        draft.sound("ask")


def leave_unresolved(draft: Draft, doubt: OtherRoll) -> None:
    """The checkers stand as another roll than the one read would leave them, and nobody said which:
    the record has the roll as read, the play as it stands, and that it was never resolved.
    """
    _enter_with_roll_read(draft, doubt, e.Standing.UNRESOLVED)


def leave_as_it_stands(
    draft: Draft, stands: Placement, p: float | None, evidence: e.Grounds
) -> None:
    """Nobody said how it came that the checkers stand as no play leaves them: the record has the
    roll as read and the checkers as they stand, accuses nobody, and says that it was never
    resolved.
    """
    side, roll = draft.state.game.on_roll, draft.state.turn.roll
    told = played_over_likely(draft.state, stands)
    if told is not None and roll is not None:
        enter_played_on(draft, told[0], (roll, told[1]), p, evidence)
        return
    try:
        assert draft.state.match.ruleset is not None
        Position.of(stands, draft.state.match.ruleset, side.other)
    except PositionError:
        return
    draft.say(
        e.PlayEntered(
            side,
            draft.state.turn.roll,
            draft.state.match.origin if draft.state.turn.roll else e.DiceOrigin.UNKNOWN,
            moves_text(position(draft), stands),
            stands,
            None if p is None else round(p, 6),
            standing=e.Standing.UNRESOLVED,
            evidence=evidence,
            pictures=(draft.picture("stands"),),
        )
    )
    begin_turn(draft)


def let_other_roll_stand(draft: Draft, doubt: OtherRoll, standing: e.Standing) -> None:
    """Somebody says that the roll was the one read: the play is illegal, and stands."""
    draft.say(e.IllegalStood(draft.state.game.on_roll, 0, standing))
    _enter_with_roll_read(draft, doubt, standing)


def _enter_with_roll_read(draft: Draft, doubt: OtherRoll, standing: e.Standing) -> None:
    draft.say(
        e.PlayEntered(
            draft.state.game.on_roll,
            doubt.read,
            e.DiceOrigin.READ,
            moves_text(position(draft), doubt.placement),
            doubt.placement,
            round(doubt.probability, 6),
            infraction=doubt.infraction.code.value,
            standing=standing,
            evidence=doubt.grounds,
            pictures=(draft.picture("stands"),),
        )
    )
    begin_turn(draft)
