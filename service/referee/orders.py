"""What people may tell the table during play: dice, plays, cube, resignations, corrections. Ruling
is in `service.referee.rulings`.

An order is refused with OrderError and changes nothing, or it is carried out and stands in the
journal with the name of who gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import (
    Beavered,
    Dropped,
    Offered,
    ResignAccepted,
    ResignOffered,
    ResignRefused,
    Taken,
)
from rules.infraction import Infraction
from rules.judge import judge
from rules.play import Play
from rules.position import Position, PositionError
from service.journal import entries as e
from service.journal.codec import CodecError, decode
from service.reconcile import Ambiguous, Differs
from service.referee.dice import (
    closed_out,
    enter_roll,
    moves_text,
    thrown_opening,
)
from service.referee.draft import Draft
from service.referee.inputs import Order, OrderError, Press
from service.referee.match import applied, begin_game, end_game, starts_next, whole_roll
from service.referee.state import PLAYING, Phase, PlayLine
from service.referee.turn import end_turn, enter_play, explained, on_press, stand

Act = Callable[[Draft, Order], None]

AT_TABLE: Final = frozenset(
    {e.Role.PLAYER, e.Role.ANNOTATOR, e.Role.ARBITER, e.Role.DIRECTOR, e.Role.CONSOLE}
)
WRITERS: Final = AT_TABLE - {e.Role.PLAYER}


def side_arg(order: Order, default: Side | None = None) -> Side:
    """The side that an order is about: named, or whoever gives it."""
    value = order.args.get("side")
    if value in ("white", "black"):
        return Side(value)
    side = order.by.side or default
    if value is None and side is not None:
        return side
    raise OrderError("bad_side", "a side, white or black", str(value)[:40])


def placement_arg(order: Order, key: str = "placement") -> Placement:
    try:
        return decode(Placement, order.args.get(key), key)
    except CodecError as error:
        raise OrderError(
            "bad_placement",
            'a placement {"white": [26 ints], "black": [26 ints]}',
            str(error)[:120],
        ) from None


def text_arg(order: Order, key: str, most: int = 400) -> str:
    value = order.args.get(key, "")
    if not isinstance(value, str) or len(value) > most:
        raise OrderError("bad_text", f"{key} as a text of at most {most} letters", str(value)[:40])
    return value


def number_arg(order: Order, key: str, low: float, high: float) -> float:
    value = order.args.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise OrderError("bad_number", f"{key} from {low:g} to {high:g}", str(value)[:40])
    return float(value)


def seq_arg(order: Order, key: str) -> int:
    return int(number_arg(order, key, 1, 1e9))


def faces_arg(order: Order, key: str) -> tuple[int, ...]:
    """One die's face, or two as a list."""
    value = order.args.get(key, ())
    faces = value if isinstance(value, list | tuple) else (value,)
    if len(faces) > 2 or not all(
        isinstance(d, int) and not isinstance(d, bool) and 1 <= d <= 6 for d in faces
    ):
        raise OrderError("bad_roll", f"{key} as one face of 1 to 6, or two", str(value)[:40])
    return tuple(d for d in faces if isinstance(d, int))


def expect(draft: Draft, *phases: Phase) -> None:
    if draft.state.phase not in phases:
        wanted = " or ".join(p.value for p in phases)
        raise OrderError(
            "not_now", f"the table in phase {wanted}", f"phase {draft.state.phase.value}"
        )


def own_turn(draft: Draft, order: Order, side: Side) -> None:
    """A player speaks for itself only."""
    if order.by.role is e.Role.PLAYER and order.by.side not in (None, side):
        raise OrderError(
            "not_yours",
            f"{side.value}'s own word",
            f"{order.by.side.value if order.by.side else 'nobody'}'s",
        )


# Beginning.


def start_game_order(draft: Draft, order: Order) -> None:
    """`starter` (white, black or absent for an opening throw); the set-up is taken as said."""
    expect(draft, Phase.SETTING_UP, Phase.GAME_OVER)
    named = order.args.get("starter")
    starter = (
        side_arg(Order("", {"side": named})) if named is not None else starts_next(draft.state)
    )
    begin_game(draft, starter)
    closed_out(draft)


def set_position(draft: Draft, order: Order) -> None:
    """`placement`, `on_roll`, and where needed `cube`, `cube_owner`, `first_turns`: for study, or
    to go on from a position played by hand."""
    state = draft.state
    if state.match.ruleset is None:
        raise OrderError("no_match", "a match that is set", "none", "set a match first")
    placement, side = placement_arg(order), side_arg(Order("", {"side": order.args.get("on_roll")}))
    try:
        Position.of(placement, state.match.ruleset, side)
    except PositionError as error:
        raise OrderError("bad_position", "a position of this ruleset", str(error)) from None
    owner = order.args.get("cube_owner")
    cube = None if order.args.get("cube") is None else int(number_arg(order, "cube", 1, 1 << 20))
    first = order.args.get("first_turns", (False, False))
    if not isinstance(first, list | tuple) or len(first) != 2:
        raise OrderError("bad_first_turns", "first_turns as [white's, black's]", str(first)[:40])
    cube_owner = Side(owner) if owner in ("white", "black") else None
    draft.say(
        e.PositionSet(
            placement,
            side,
            cube,
            cube_owner,
            (bool(first[0]), bool(first[1])),
            text_arg(order, "reason"),
        )
    )
    closed_out(draft)


# Dice and plays.


def declare_roll(draft: Draft, order: Order) -> None:
    """`roll` [a, b]; in the opening `white` and `black`, the faces of each side's dice."""
    state = draft.state
    if state.phase is Phase.OPENING:
        thrown_opening(
            draft, faces_arg(order, "white"), faces_arg(order, "black"), e.DiceOrigin.ENTERED, None
        )
        return
    expect(draft, Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED)
    thrown_roll = whole_roll(order.args.get("roll"))
    pressed = state.phase is Phase.PRESSED
    enter_roll(draft, thrown_roll, e.DiceOrigin.ENTERED, None)
    if pressed:
        # The turn was ended already; only its dice were missing.
        end_turn(draft, state.game.on_roll, state.match.pressed_at, "page")


def declare_play(draft: Draft, order: Order) -> None:
    """A legal play by its result: `placement`, with `roll` where it is not known yet."""
    expect(draft, Phase.TO_ROLL, Phase.MOVING, Phase.PRESSED, Phase.ILLEGAL, Phase.DIFFERS)
    state = draft.state
    given = (
        whole_roll(order.args["roll"]) if order.args.get("roll") is not None else state.turn.roll
    )
    placement = placement_arg(order)
    found = judge(state.position(), given, placement)
    if isinstance(found, Infraction):
        raise OrderError(
            "illegal",
            "a legal play",
            found.code.value,
            found.why() + " Use let_stand if it stands all the same.",
        )
    origin = (
        state.match.origin
        if given == state.turn.roll and given
        else e.DiceOrigin.ENTERED
        if given
        else e.DiceOrigin.UNKNOWN
    )
    _recover(draft, "chosen")
    _settle_illegal_phase(draft)
    enter_play(draft, found, given, origin, None, by_hand=True)


def _recover(draft: Draft, how: str) -> None:
    if draft.state.phase is Phase.DIFFERS:
        draft.say(e.Recovered(how))


def _settle_illegal_phase(draft: Draft) -> None:
    """Where the table came back to a moment before the press, the turn counts as ended by whoever
    speaks.
    """
    if draft.state.phase is Phase.DOUBLED:
        raise OrderError("not_now", "an answer to the double first", "a play")


def let_stand(draft: Draft, order: Order) -> None:
    """The illegal play that was noticed stands; or, with `placement`, this one does although it is
    illegal.
    """
    state = draft.state
    expect(draft, Phase.ILLEGAL, Phase.MOVING, Phase.PRESSED, Phase.TO_ROLL, Phase.DIFFERS)
    ruled = order.by.role in (e.Role.ARBITER, e.Role.DIRECTOR, e.Role.CONSOLE)
    standing = e.Standing.RULED if ruled else e.Standing.ACCEPTED
    if order.by.role is e.Role.PLAYER and order.by.side is state.game.on_roll:
        raise OrderError(
            "not_yours",
            "the other side's or an arbiter's word",
            f"{state.game.on_roll.value}'s own",
            "only the opponent may let it stand",
        )
    if state.phase is Phase.ILLEGAL and order.args.get("placement") is None:
        stand(draft, standing)
        if draft.state.phase is Phase.ILLEGAL:
            raise OrderError(
                "cannot_stand",
                "a board that can be played on",
                "checkers missing or both sides on a point",
                "put them right first",
            )
        return
    placement = placement_arg(order)
    assert state.match.ruleset is not None
    given = (
        whole_roll(order.args["roll"]) if order.args.get("roll") is not None else state.turn.roll
    )
    found = judge(state.position(), given, placement)
    if isinstance(found, Play):
        raise OrderError("legal", "an illegal play", str(found), "use declare_play")
    try:
        Position.of(placement, state.match.ruleset, state.game.on_roll.other)
    except PositionError as error:
        raise OrderError(
            "cannot_stand", "a board that can be played on", str(error), "put checkers right first"
        ) from None
    _recover(draft, "chosen")
    if draft.state.phase is Phase.TO_ROLL and given is not None:
        draft.say(e.RollEntered(draft.state.game.on_roll, given, e.DiceOrigin.ENTERED))
    noticed = draft.state.turn.notice
    draft.say(e.IllegalStood(state.game.on_roll, noticed.seq if noticed else 0, standing))
    origin = (
        state.match.origin
        if given == state.turn.roll and given
        else e.DiceOrigin.ENTERED
        if given
        else e.DiceOrigin.UNKNOWN
    )
    evidence: e.Grounds = {"facts": dict(found.facts)}
    text = moves_text(state.position(), placement)
    broken, pictures = found.code.value, (draft.picture("stands"),)
    draft.say(
        e.PlayEntered(
            state.game.on_roll,
            given,
            origin,
            text,
            placement,
            None,
            True,
            broken,
            standing,
            evidence,
            pictures,
        )
    )
    closed_out(draft)


def choose_explanation(draft: Draft, order: Order) -> None:
    """`index` of the options in the state document: of an ambiguous play, or of a board that
    differs.
    """
    verdict = draft.state.watch.verdict
    index = int(number_arg(order, "index", 0, 20))
    if (
        draft.state.phase is Phase.PRESSED
        and isinstance(verdict, Ambiguous)
        and index < len(verdict.options)
    ):
        made, thrown, p = verdict.options[index]
        enter_play(draft, made, thrown, e.DiceOrigin.ENTERED, p, verdict.grounds, by_hand=True)
    elif (
        draft.state.phase is Phase.DIFFERS
        and isinstance(verdict, Differs)
        and index < len(verdict.explanations)
    ):
        chosen = verdict.explanations[index]
        draft.say(e.Recovered("chosen"))
        if chosen.kind in ("set", "start"):
            anew = chosen.kind == "start"
            draft.say(
                e.PositionSet(
                    chosen.placement,
                    draft.state.game.on_roll,
                    first_turns=(anew, anew),
                    reason=f"{chosen.kind}, chosen",
                )
            )
        elif chosen.turns:
            explained(draft, chosen.turns, None, verdict.grounds, by_hand=True)
    else:
        raise OrderError(
            "no_question",
            "an open question with that many answers",
            f"index {index} in phase {draft.state.phase.value}",
        )


def end_turn_order(draft: Draft, order: Order) -> None:
    """End the turn from the page; `side` where it is not one's own."""
    on_press(draft, Press(side_arg(order, draft.state.game.on_roll), draft.now, "page"))


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
    if thrown is None or draft.state.phase is not Phase.TO_ROLL:
        raise OrderError(
            "no_question",
            "a roll thrown too early, after the turn it interrupted",
            f"phase {draft.state.phase.value}",
        )
    own_turn(draft, order, draft.state.game.on_roll.other)
    return thrown


def roll_again(draft: Draft, order: Order) -> None:
    """Both sides agree that the roll does not count."""
    expect(draft, Phase.MOVING)
    draft.say(
        e.RollWithdrawn(
            draft.state.game.on_roll, draft.state.turn.roll, text_arg(order, "reason") or "agreed"
        )
    )


# Cube and resignation.


def offer(draft: Draft, order: Order) -> None:
    """Double. What stands illegally from the turn before now stands for good."""
    if draft.state.phase is Phase.ILLEGAL:
        stand(draft, e.Standing.NEXT_ROLL)
    side = side_arg(order, draft.state.game.on_roll)
    own_turn(draft, order, side)
    expect(draft, Phase.TO_ROLL)
    after = applied(draft.state, Offered(side))
    draft.say(
        e.CubeOffered(side, after.game.cube.value * 2, text_arg(order, "source") or "buttons")
    )
    draft.sound("ask")


def _answerer(draft: Draft) -> Side:
    expect(draft, Phase.DOUBLED)
    found = draft.state.turn.offer
    assert found is not None
    return found[0].other


def take_cube(draft: Draft, order: Order) -> None:
    """Take the double; after a beaver, play on."""
    side = _answerer(draft)
    own_turn(draft, order, side)
    cube = applied(draft.state, Taken(side)).game.cube
    # A beaver that is accepted leaves the cube where it is.
    assert cube.owner is not None
    draft.say(e.CubeTaken(cube.owner, cube.value, text_arg(order, "source") or "buttons"))


def drop(draft: Draft, order: Order) -> None:
    """Drop the double: the game ends at the cube's value before it."""
    side = _answerer(draft)
    own_turn(draft, order, side)
    after = applied(draft.state, Dropped(side))
    draft.say(e.CubeDropped(side, text_arg(order, "source") or "buttons"))
    end_game(draft, after, "dropped")


def beaver(draft: Draft, order: Order) -> None:
    """Take and redouble at once, where that was agreed."""
    side = _answerer(draft)
    own_turn(draft, order, side)
    cube = applied(draft.state, Beavered(side)).game.cube
    draft.say(e.CubeBeavered(side, cube.value))


def resign(draft: Draft, order: Order) -> None:
    """`level` 1, 2 or 3 times the cube."""
    if draft.state.phase not in PLAYING | {Phase.OPENING}:
        expect(draft, Phase.TO_ROLL)
    side, level = side_arg(order), int(number_arg(order, "level", 1, 100))
    own_turn(draft, order, side)
    applied(draft.state, ResignOffered(side, level))
    draft.say(e.Resigned(side, level))
    draft.sound("ask")


def _resigning(draft: Draft) -> tuple[Side, int]:
    if draft.state.turn.resigning is None:
        raise OrderError("no_question", "a resignation that was offered", "none")
    return draft.state.turn.resigning


def accept_resignation(draft: Draft, order: Order) -> None:
    """The other side accepts; the game ends."""
    loser, level = _resigning(draft)
    own_turn(draft, order, loser.other)
    after = applied(draft.state, ResignAccepted(loser.other))
    draft.say(e.Resigned(loser, level, "accepted"))
    end_game(draft, after, "resigned")


def refuse_resignation(draft: Draft, order: Order) -> None:
    """The other side refuses; play goes on."""
    loser, level = _resigning(draft)
    own_turn(draft, order, loser.other)
    applied(draft.state, ResignRefused(loser.other))
    draft.say(e.Resigned(loser, level, "refused"))


# Corrections of what was recorded.


def _line(draft: Draft, order: Order) -> PlayLine:
    about = seq_arg(order, "seq")
    found = next((p for p in draft.state.match.plays if p.seq == about), None)
    if found is None:
        raise OrderError("no_play", "the number of a play of this match", str(about))
    return found


def correct_roll(draft: Draft, order: Order) -> None:
    """`seq` of a play, `roll` as it was: the play stays.

    Or without `seq`: the roll of the turn in progress.
    """
    thrown = whole_roll(order.args.get("roll"))
    if order.args.get("seq") is None:
        expect(draft, Phase.MOVING, Phase.PRESSED)
        roll_in_progress(draft, thrown)
        return
    line = _line(draft, order)
    draft.say(
        e.PlayCorrected(
            line.seq,
            thrown,
            e.DiceOrigin.ENTERED,
            line.text,
            line.placement,
            line.infraction,
            False,
            text_arg(order, "reason"),
        )
    )


def roll_in_progress(draft: Draft, thrown: Roll) -> None:
    state = draft.state
    if state.phase is Phase.PRESSED:
        declare_roll(draft, Order("declare_roll", {"roll": [thrown.high, thrown.low]}, draft.by))
        return
    draft.say(e.RollWithdrawn(state.game.on_roll, state.turn.roll, "misread"))
    enter_roll(draft, thrown, e.DiceOrigin.ENTERED, None)


def correct_play(draft: Draft, order: Order) -> None:
    """`seq` of a play, `placement` after it, `roll` where that was wrong too.

    With `rewind` the game goes back to just after it.
    """
    line, placement = _line(draft, order), placement_arg(order)
    thrown = whole_roll(order.args["roll"]) if order.args.get("roll") is not None else line.roll
    assert draft.state.match.ruleset is not None
    before, first = _before(draft, line)
    try:
        Position.of(placement, draft.state.match.ruleset, line.side.other)
    except PositionError as error:
        raise OrderError(
            "cannot_stand",
            "a board that can be played on",
            str(error),
            "say where every checker stood",
        ) from None
    position = Position.of(before, draft.state.match.ruleset, line.side, first)
    found = judge(position, thrown, placement)
    text = str(found) if isinstance(found, Play) else moves_text(position, placement)
    broken = found.code.value if isinstance(found, Infraction) else ""
    rewinds = order.args.get("rewind") is True
    draft.say(
        e.PlayCorrected(
            line.seq,
            thrown,
            e.DiceOrigin.ENTERED,
            text,
            placement,
            broken,
            rewinds,
            text_arg(order, "reason"),
        )
    )


def _before(draft: Draft, line: PlayLine) -> tuple[Placement, bool]:
    """What stood before a play of the record, and whether it was its side's first turn."""
    assert draft.state.match.ruleset is not None
    earlier = [p for p in draft.state.match.plays if p.game == line.game and p.seq < line.seq]
    start = Position.start(draft.state.match.ruleset, Side.WHITE).placement
    return (earlier[-1].placement if earlier else start), not any(
        p.side is line.side for p in earlier
    )


ORDERS: Final[Mapping[str, tuple[Act, frozenset[e.Role]]]] = {
    "start_game": (start_game_order, AT_TABLE),
    "next_game": (start_game_order, AT_TABLE),
    "set_position": (set_position, WRITERS),
    "declare_roll": (declare_roll, AT_TABLE),
    "declare_play": (declare_play, AT_TABLE),
    "let_stand": (let_stand, AT_TABLE),
    "choose_explanation": (choose_explanation, AT_TABLE),
    "press": (end_turn_order, AT_TABLE),
    "premature_stands": (premature_stands, AT_TABLE),
    "premature_again": (premature_again, AT_TABLE),
    "roll_again": (roll_again, AT_TABLE),
    "offer": (offer, AT_TABLE),
    "take": (take_cube, AT_TABLE),
    "drop": (drop, AT_TABLE),
    "beaver": (beaver, AT_TABLE),
    "resign": (resign, AT_TABLE),
    "accept_resignation": (accept_resignation, AT_TABLE),
    "refuse_resignation": (refuse_resignation, AT_TABLE),
    "correct_roll": (correct_roll, WRITERS),
    "correct_play": (correct_play, WRITERS),
}
"""Every order of play: what it does, and the roles that may give it."""
