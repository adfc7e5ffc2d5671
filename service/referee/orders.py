"""What people may tell the table during play: games begun, dice, plays, the end of a turn.

Cube and resignations are in `cube_orders`, what is put right in `record_orders`, ruling in
`rulings`; `order_table` names them all. An order is refused with OrderError and changes nothing, or
it is carried out and stands in the journal with the name of who gave it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from rules.board import Placement, Side
from rules.dice import Roll
from rules.infraction import Broken, Infraction
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.journal.entries import Facts
from service.reconcile import Ambiguous, Differs, OtherRoll
from service.referee.args import FacesArg, PlacementArg, RollArg, SideArg, TextArg, WholeArg
from service.referee.attendance import (
    awaits_confirmation,
    before_first_game,
    open_game,
    take_place,
)
from service.referee.dice import (
    closed_out,
    enter_roll,
    thrown_opening,
)
from service.referee.draft import Draft
from service.referee.entering import end_turn, enter_play, let_other_roll_stand, stand
from service.referee.inputs import Order, Press
from service.referee.match import opening_starter, starts_next
from service.referee.presses import on_press
from service.referee.refusal import OrderError
from service.referee.said_plays import (
    NO_PLAY_OF_HIS,
    enter_said,
    origin_said,
    recover,
    took_as_seen,
)
from service.referee.state import QUESTIONS, SAID_NOT_SO, Phase, State
from service.referee.turn import enter_story, explanation_text

Act: TypeAlias = Callable[[Draft, Order], None]

SIDE: Final = SideArg("side", "whose word it is; a player's own where it is absent")
ANSWERING: Final = SideArg("side", "who answers; whoever was asked where it is absent")
STARTER: Final = SideArg("starter", "who begins; absent where it is thrown for")
ROLL: Final = RollArg("roll", "the two dice")
WHITE_DICE: Final = FacesArg("white", "in the opening: what White threw")
BLACK_DICE: Final = FacesArg("black", "in the opening: what Black threw")
PLACEMENT: Final = PlacementArg("placement", "what stands on the board after it")
NEEDED_PLACEMENT: Final = PlacementArg("placement", "what stands on the board after it", True)
INDEX: Final = WholeArg("index", "which of the options in the state document", True, 0, 20)
REASON: Final = TextArg("reason", "why, for the record")


ROLL_SAID: Final = "roll_said"
"""The matter of an alert: one side says what the other threw, or both threw in the opening."""


def expect(draft: Draft, *phases: Phase) -> None:
    """Raises OrderError in any other phase."""
    if draft.state.phase not in phases:
        wanted = " or ".join(p.value for p in phases)
        raise OrderError(
            "not_now", f"the table in phase {wanted}", f"phase {draft.state.phase.value}"
        )


def own_turn(order: Order, side: Side) -> None:
    """Raises OrderError where a player speaks for the other side."""
    by = order.by.side
    if order.by.role is e.Role.PLAYER and by not in (None, side):
        raise OrderError(
            "not_yours", f"{side.value}'s own word", f"{by.value if by else 'nobody'}'s"
        )


def answering(order: Order, side: Side) -> None:
    """Raises OrderError where the answer is another side's than the one that was asked."""
    own_turn(order, side)
    named = ANSWERING.maybe(order)
    if named is not None and named is not side:
        raise OrderError(
            "not_yours", f"the answer of {side.value}, who was asked", f"{named.value}'s"
        )


def start_game_order(draft: Draft, order: Order) -> None:
    """Begin a game; the set-up is taken as said."""
    if awaits_confirmation(draft.state) and order.by.role not in e.RULERS:
        raise OrderError(
            "not_confirmed",
            "both players' word that they are there and agree with length and clock",
            "less than that",
            "each presses his own clock button, or confirms on the page",
        )
    if draft.state.watch.sites:
        sites = ",".join(map(str, draft.state.watch.sites))
        seq = draft.say(e.Noted(Broken.WRONG_SETUP.value, None, sites))
        draft.alert(Broken.WRONG_SETUP.value, None, "", {}, seq)
    named = STARTER.maybe(order)
    open_game(draft, named if named is not None else starts_next(draft.state))
    closed_out(draft)


def confirm(draft: Draft, order: Order) -> None:
    """Say that a side is there and agrees; whoever speaks for both confirms for both."""
    if not before_first_game(draft.state):
        raise OrderError("not_now", "a match whose first game has not begun", "one that has begun")
    named = SIDE.maybe(order) or order.by.side
    for side in Side if named is None else (named,):
        own_turn(order, side)
        take_place(draft, side, "page")


# Dice and plays.


def declare_roll(draft: Draft, order: Order) -> None:
    """Enter a roll, or the opening throw."""
    if draft.state.phase is Phase.OPENING:
        white, black = WHITE_DICE.of(order), BLACK_DICE.of(order)
        both = {"white": "".join(map(str, white)), "black": "".join(map(str, black))}
        # Refused here where it is no opening throw, not only once both have said it.
        opening_starter(draft.state, white, black)
        if _both_say(draft, order, None, both):
            thrown_opening(draft, white, black, e.DiceOrigin.ENTERED, None)
    else:
        thrown = ROLL.of(order)
        if _both_say(draft, order, draft.state.game.on_roll, {"roll": str(thrown)}):
            enter_declared_roll(draft, thrown)


def _both_say(draft: Draft, order: Order, whose: Side | None, facts: Facts) -> bool:
    """Whether a roll counts as said: by the side that threw it (`whose`; None for both), by whoever
    speaks for both, or by the other side too. Else both are told what the one has said.
    """
    speaker = order.by.side if order.by.role is e.Role.PLAYER else None
    if speaker is None or speaker is whose:
        return True
    said = [a for a in draft.state.alerts if a.matter == ROLL_SAID and a.facts == facts]
    if any(a.side is speaker.other for a in said):
        return True
    if not said:
        draft.alert(ROLL_SAID, speaker, "roll" if whose else "opening", facts)
    return False


def enter_declared_roll(draft: Draft, thrown: Roll) -> None:
    """Enter a roll that somebody says; a turn that was pressed without it is judged with it."""
    state = draft.state
    pressed = state.phase is Phase.PRESSED
    enter_roll(draft, thrown, e.DiceOrigin.ENTERED, None)
    if pressed:
        # The turn was ended already; only its dice were missing.
        end_turn(draft, state.game.on_roll, state.match.pressed_at, "page")


def declare_play(draft: Draft, order: Order) -> None:
    """Enter a play by its result: a legal one, or what the board shows although the record does not
    allow it.
    """
    state = draft.state
    thrown, said = ROLL.maybe(order) or state.turn.roll, NEEDED_PLACEMENT.of(order)
    found = judge(state.position(), thrown, said)
    if isinstance(found, Infraction):
        if took_as_seen(draft, order, thrown, said, found):
            return
        raise OrderError(
            "illegal",
            "a legal play",
            found.code.value,
            f"{found.why()} {_what_else(found)}",
        )
    recover(draft)
    if draft.state.phase is Phase.DOUBLED:
        raise OrderError("not_now", "an answer to the double first", "a play")
    enter_play(draft, found, thrown, origin_said(state, thrown), None, by_hand=True)


def _what_else(broken: Infraction) -> str:
    """What may be done about a play that the record does not allow."""
    if broken.code in NO_PLAY_OF_HIS:
        return "If the board stands so, an arbiter, a director or the console can set the position."
    return "It can be let stand all the same."


def let_stand(draft: Draft, order: Order) -> None:
    """Let the illegal play that was noticed stand, or the one that is named."""
    state = draft.state
    if order.by.role is e.Role.PLAYER and order.by.side is state.game.on_roll:
        raise OrderError(
            "not_yours",
            "the other side's or an arbiter's word",
            f"{state.game.on_roll.value}'s own",
            "only the opponent may let it stand",
        )
    standing = e.Standing.RULED if order.by.role in e.RULERS else e.Standing.ACCEPTED
    doubt = state.watch.verdict
    if (
        state.phase is Phase.PRESSED
        and isinstance(doubt, OtherRoll)
        and order.args.get(PLACEMENT.name) is None
    ):
        let_other_roll_stand(draft, doubt, standing)
    elif state.phase is Phase.ILLEGAL and order.args.get(PLACEMENT.name) is None:
        stand(draft, standing)
        if draft.state.phase is Phase.ILLEGAL:
            raise OrderError(
                "cannot_stand",
                "a board that can be played on",
                "checkers missing or both sides on a point",
                "put them right first",
            )
    else:
        _let_declared_stand(draft, order, standing)


def _let_declared_stand(draft: Draft, order: Order, standing: e.Standing) -> None:
    state = draft.state
    placement = PLACEMENT.of(order)
    assert state.match.ruleset is not None
    thrown = ROLL.maybe(order) or state.turn.roll
    found = judge(state.position(), thrown, placement)
    if isinstance(found, Play):
        raise OrderError("legal", "an illegal play", str(found), "use declare_play")
    try:
        Position.of(placement, state.match.ruleset, state.game.on_roll.other)
    except PositionError as error:
        raise OrderError(
            "cannot_stand", "a board that can be played on", str(error), "put checkers right first"
        ) from None
    enter_said(draft, thrown, placement, standing, found)


def choose_explanation(draft: Draft, order: Order) -> None:
    """Choose what happened, of an ambiguous play or of a board that differs."""
    verdict, index = draft.state.watch.verdict, INDEX.of(order)
    phase = draft.state.phase
    if (
        phase is Phase.PRESSED
        and isinstance(verdict, Ambiguous | OtherRoll)
        and index < len(verdict.options)
    ):
        made, thrown, p = verdict.options[index]
        enter_play(draft, made, thrown, e.DiceOrigin.ENTERED, p, verdict.grounds, by_hand=True)
    elif (found := _offered(draft.state, index)) is not None:
        offered, index = found
        _explain(draft, offered, index)
    else:
        raise OrderError(
            "no_question",
            "an open question with that many answers",
            f"index {index} in phase {phase.value}",
        )


def _offered(state: State, index: int) -> tuple[Differs, int] | None:
    """The explanation that was offered under this number, where it still is one: whatever is seen
    at this very moment, the answer is to what was asked.
    """
    offered, difference = state.watch.offered, state.turn.difference
    if offered is None or difference is None or index >= len(difference.options):
        return None
    asked = difference.options[index]
    for now, each in enumerate(offered.explanations):
        if explanation_text(each) == asked:
            return offered, now
    return None


def not_so(draft: Draft, order: Order) -> None:
    """The board does not stand as the table takes it: nothing is recorded until people say what
    happened, or put the board right.
    """
    verdict = draft.state.watch.verdict
    if not draft.state.watch.warned & QUESTIONS or not isinstance(verdict, Ambiguous | OtherRoll):
        raise OrderError("no_question", "an open question", f"phase {draft.state.phase.value}")
    taken = verdict.options[0][0].placement
    # Who was not asked is not told what came of it.
    told = next((a.told for a in draft.state.alerts if a.matter in QUESTIONS), "")
    options = tuple(f"{roll}: {play}" for play, roll, _ in verdict.options)
    draft.say(
        e.BoardDiffered(
            SAID_NOT_SO,
            tuple(s for s, differs in enumerate(_apart(draft, taken)) if differs),
            options,
            verdict.grounds,
            (draft.picture("differs"),),
        )
    )
    draft.alert("differs", None, about=draft.state.seq, told=told)


def _apart(draft: Draft, placement: Placement) -> tuple[bool, ...]:
    """By site, whether a placement differs from the record."""
    before = draft.state.game.placement
    assert before is not None
    return tuple(
        (a, b) != (c, d)
        for a, b, c, d in zip(
            before.white, before.black, placement.white, placement.black, strict=True
        )
    )


def _explain(draft: Draft, verdict: Differs, index: int) -> None:
    chosen = verdict.explanations[index]
    recover(draft)
    if chosen.kind in ("set", "start"):
        anew = chosen.kind == "start"
        draft.say(
            e.PositionSet(
                chosen.placement,
                draft.state.game.on_roll,
                first_turns=(anew, anew),
                reason="chosen",
            )
        )
    elif chosen.turns:
        enter_story(draft, chosen, verdict.grounds, by_hand=True)


def end_turn_order(draft: Draft, order: Order) -> None:
    """End a turn from the page."""
    on_press(draft, Press(SIDE.own(order, draft.state.game.on_roll), draft.now, "page"))


def premature_stands(draft: Draft, order: Order) -> None:
    """The interrupted side lets the early roll stand."""
    thrown = _premature(draft, order)
    enter_roll(draft, thrown, e.DiceOrigin.READ, None)


def premature_again(draft: Draft, order: Order) -> None:
    """The interrupted side has the early roll thrown again."""
    thrown = _premature(draft, order)
    draft.say(e.RollWithdrawn(draft.state.game.on_roll, thrown, "premature"))


def _premature(draft: Draft, order: Order) -> Roll:
    thrown = draft.state.turn.premature
    if (
        thrown is None
        or draft.state.phase is not Phase.TO_ROLL
        or draft.state.turn.premature_by is not draft.state.game.on_roll
    ):
        raise OrderError(
            "no_question",
            "a roll thrown too early, after the turn it interrupted",
            f"phase {draft.state.phase.value}",
        )
    answering(order, interrupted(draft.state))
    return thrown


def interrupted(state: State) -> Side:
    """The side whose turn a premature roll interrupted."""
    early = state.turn.premature_by
    return state.game.on_roll if early is None else early.other


def roll_again(draft: Draft, order: Order) -> None:
    """Both sides agree that the roll does not count."""
    reason = REASON.of(order) or "agreed"
    draft.say(e.RollWithdrawn(draft.state.game.on_roll, draft.state.turn.roll, reason))
