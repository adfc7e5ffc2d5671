"""What the table waits for, in one code with its arguments: the prompt that every face puts into
words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.axes import Opening, ShishBesh
from rules.board import Side
from service.reconcile import OtherRoll
from service.referee.attendance import awaits_confirmation
from service.referee.match import match_of
from service.referee.state import QUESTIONS, Alert, Phase, State
from service.show.document import PromptArgs, PromptDocument

CODES: Final = {
    "match": "set up a match",
    "confirm_match": "both players confirm length and clock",
    "set_up_board": "put the checkers at the start",
    "opening_roll": "each side throws one die (or both, where the ruleset says so)",
    "opening_again": "equal dice: throw again",
    "say_opening": "the opening dice lie there and were not read: say them, or play on",
    "roll": "roll",
    "roll_or_double": "roll, or double first",
    "answer_double": "take or drop (beaver where allowed)",
    "play": "play the roll",
    "press_no_play": "no play: press the clock (or lift the dice)",
    "judging": "the table is looking; keep hands away for a moment",
    "say_roll": "the dice were not read and nothing explains the play alone: say the roll",
    "choose_play": "two plays look alike: say which it was",
    "other_roll": "the dice say one roll, the checkers another: say which",
    "correct_play": "the play is not legal: put it right",
    "explain": "board and record differ: put the board right, or say what happened",
    "premature_choice": "the other side rolled early: let it stand, or have it rolled again",
    "answer_resignation": "accept or refuse the resignation",
    "director": "frozen: the director rules",
    "resume": "adjourned: resume the match",
    "next_game": "set the board up for the next game",
    "nothing": "the match is over",
}
"""Every code with its meaning in English; the faces have their own words."""


def waits_for(state: State) -> PromptDocument:
    """What the table waits for: code, whose move it is, and what the code's words need."""
    code, side, args = _WAITS[state.phase](state)
    if state.turn.resigning and state.phase in (
        Phase.TO_ROLL,
        Phase.MOVING,
        Phase.DOUBLED,
        Phase.PRESSED,
    ):
        code, side, args = (
            "answer_resignation",
            state.turn.resigning[0].other,
            {"level": state.turn.resigning[1]},
        )
    return {"code": code, "side": side.value if side else None, "args": args}


Found = tuple[str, Side | None, PromptArgs]


def _simple(code: str) -> Callable[[State], Found]:
    return lambda state: (code, None, {})


def _opening(state: State) -> Found:
    ruleset = state.match.ruleset
    both = ruleset is not None and ruleset.opening is Opening.TWO_DICE_EACH
    shish_besh = ruleset is not None and ruleset.shish_besh is ShishBesh.STARTS
    asked = any(a.matter == "say_roll" for a in state.alerts)
    thrown = "opening_again" if state.turn.opening else "opening_roll"
    return (
        "say_opening" if asked else thrown,
        None,
        {
            "thrown": list(state.turn.opening),
            "each": 2 if both else 1,
            "shish_besh": shish_besh,
            "likely": [{"white": list(w), "black": list(b)} for w, b in state.watch.likely],
        },
    )


def _setting_up(state: State) -> Found:
    if not awaits_confirmation(state):
        return "set_up_board", None, {}
    missing = [side for side in Side if not state.match.confirmed[side]]
    return "confirm_match", missing[0] if len(missing) == 1 else None, {}


def _to_roll(state: State) -> Found:
    if state.turn.premature is not None and state.turn.premature_by is state.game.on_roll:
        return (
            "premature_choice",
            state.game.on_roll.other,
            {"roll": [state.turn.premature.high, state.turn.premature.low]},
        )
    if state.turn.stuck:
        return "press_no_play", state.game.on_roll, {}
    if "say_roll" in state.watch.warned:
        return "say_roll", state.game.on_roll, {}
    return ("roll_or_double" if may_double(state) else "roll"), state.game.on_roll, {}


def may_double(state: State) -> bool:
    """Whether the side on roll may double now, by the match as it was agreed."""
    return state.phase is Phase.TO_ROLL and match_of(state).may_offer(state.game.on_roll)


def _moving(state: State) -> Found:
    return ("press_no_play" if state.turn.stuck else "play"), state.game.on_roll, {}


def question_of(state: State) -> Alert | None:
    """The question about the turn that was ended which stands open; None while none does."""
    if state.phase is not Phase.PRESSED:
        return None
    asked = (a for a in state.alerts if a.matter in QUESTIONS)
    return next(asked, None)


def _pressed(state: State) -> Found:
    asked = question_of(state)
    # Who may not be told sees what a table that is still looking would show.
    if asked is None or asked.told not in ("board", "teaching"):
        return "judging", state.game.on_roll, {}
    verdict = state.watch.verdict
    if isinstance(verdict, OtherRoll):
        read, played = verdict.read, verdict.options[0][1]
        return (
            asked.matter,
            state.game.on_roll,
            {"read": [read.high, read.low], "roll": [played.high, played.low]},
        )
    return asked.matter, None if asked.matter == "choose_play" else state.game.on_roll, {}


def difference_is_told(state: State) -> bool:
    """Whether players may know that board and record differ: a wrong play may be why."""
    told = next((a.told for a in state.alerts if a.matter == "differs"), "board")
    return told in ("board", "teaching")


def _differs(state: State) -> Found:
    if difference_is_told(state):
        return "explain", None, {}
    return "judging", state.game.on_roll, {}


def _illegal(state: State) -> Found:
    speaks = state.turn.notice is not None and state.turn.notice.told in ("board", "teaching")
    # Who may not be told sees what a table that is still looking would show.
    return (
        ("correct_play" if speaks else "judging"),
        state.game.on_roll,
        {"code": state.turn.notice.code} if speaks and state.turn.notice else {},
    )


_WAITS: Final[dict[Phase, Callable[[State], Found]]] = {
    Phase.IDLE: _simple("match"),
    Phase.SETTING_UP: _setting_up,
    Phase.OPENING: _opening,
    Phase.TO_ROLL: _to_roll,
    Phase.DOUBLED: lambda s: (
        "answer_double",
        s.turn.offer[0].other if s.turn.offer else s.game.on_roll.other,
        {"value": s.turn.offer[1] if s.turn.offer else s.game.cube},
    ),
    Phase.MOVING: _moving,
    Phase.PRESSED: _pressed,
    Phase.ILLEGAL: _illegal,
    Phase.DIFFERS: _differs,
    Phase.GAME_OVER: _simple("next_game"),
    Phase.MATCH_OVER: _simple("nothing"),
    Phase.FROZEN: _simple("director"),
    Phase.ADJOURNED: _simple("resume"),
}
