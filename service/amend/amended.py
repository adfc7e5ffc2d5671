"""A match put right: the record with what a person said of it, and what follows read again. Pure.

A play that comes after one that was put right was recorded from a board that carried the old fault:
where its sites still read as they did then, they are taken to stand as they were put right. What is
legal with that is taken; where nothing is, the nearest legal play stands for it and is doubtful.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from rules import game as do
from rules.board import Placement, Side
from rules.dice import Roll
from rules.judge import judge, nearest, rolls_explaining
from rules.match import Match, MatchRules
from rules.notation.record import MatchRecord
from rules.play import Play, plays
from rules.position import PositionError
from service.amend.edits import (
    CubeSaid,
    GameEnds,
    MatchSaid,
    PlayGone,
    PlayMissed,
    PlaySaid,
    Said,
    ScoreSaid,
)
from service.amend.recorded import RecordedMatch, RecordedTurn
from service.amend.rows import AmendedMatch, Amending

REASON: Final = "put right after the match"
NOT_SAID: Final = "how the game ended is not on record"
_CUBE: Final = (do.Offered, do.Taken, do.Dropped, do.Beavered)
_ENDS: Final = (do.ResignOffered, do.ResignAccepted, do.ResignRefused, do.GameAwarded)


def amended(base: RecordedMatch, said: Iterable[Said]) -> AmendedMatch:
    """The record with everything that was said, later sayings of one thing over earlier ones."""
    by_mark: dict[int, list[Said]] = {}
    rules, names = base.rules, dict(base.names)
    marks = sorted({0, *(turn.mark for turn in base.turns)})
    for one in said:
        if isinstance(one, MatchSaid):
            rules = _of_length(rules, one.length)
            names = {Side.WHITE: one.white or "White", Side.BLACK: one.black or "Black"}
        else:
            # A play that a film is read without any more leaves its mark to the one before.
            near = max(mark for mark in marks if mark <= one.mark)
            exact = isinstance(one, PlaySaid | PlayGone)
            if not exact or near == one.mark:
                by_mark.setdefault(near, []).append(one)
    start = Match.start(rules, names)
    work = Amending(base, start, by_mark, start)
    _between(work, 0, base.opening, last=not base.turns)
    for number, turn in enumerate(base.turns):
        _turn(work, turn)
        _between(work, turn.mark, turn.between, last=number == len(base.turns) - 1)
    record = MatchRecord(rules, names, tuple(work.actions), base.tags, tuple(work.remarks))
    return AmendedMatch(record, tuple(work.rows))


def _of_length(rules: MatchRules, length: int) -> MatchRules:
    """The rules of a match of another length; of another kind, its usual ones."""
    if bool(rules.length) == bool(length):
        return replace(rules, length=length)
    return MatchRules.of(rules.ruleset, length, cube_limit=rules.cube_limit)


# One turn.


def _turn(w: Amending, turn: RecordedTurn) -> None:
    """Take up a recorded play as it is, as it was said, or as it follows from what was said."""
    if w.of(turn.mark, PlayGone):
        w.recorded = turn.after
        return
    game = w.match.game
    if w.left_out or w.match.is_over or game.phase is do.GamePhase.OVER:
        w.left_out = True
        w.remarks.append(f"{turn.side.value}: a play after the game was over was left out")
        return
    edits = w.of(turn.mark, PlaySaid)
    edit = edits[-1] if edits and isinstance(edits[-1], PlaySaid) else None
    roll = edit.roll if edit is not None and edit.roll is not None else turn.roll
    if roll == turn.roll:
        # What cannot be done here any more is no loss: the dice are brought about below.
        kept = len(w.remarks)
        for action in turn.dice:
            w.act(action)
        del w.remarks[kept:]
    if turn.roll is None and edit is None and w.match.game.closed_out:
        before = w.match
        w.act(do.Passed(turn.side))
        w.recorded = turn.after
        w.row("play", turn.mark, before, side=turn.side)
        return
    target, why = _placement(w, turn, roll, edit)
    base = w.base.doubt(turn.mark)
    if base.confidence is not None and base.confidence < w.base.sure:
        why = ("unsure", *why)
    _play(w, turn.mark, turn.side, roll, target, (*base.why, *why), said=edit is not None)
    w.recorded = turn.after


def _placement(
    w: Amending, turn: RecordedTurn, roll: Roll | None, edit: PlaySaid | None
) -> tuple[Placement, tuple[str, ...]]:
    """The board that the play left, and what is doubtful about that."""
    if edit is not None:
        return edit.placement, ()
    stood, recorded = w.match.game.placement, w.recorded
    if recorded is None or recorded == stood:
        return turn.after, ()
    if roll is None:
        return turn.after, ("follows",)
    try:
        position = replace(w.match.game, side=turn.side).position
    except (PositionError, do.ActionError):
        return turn.after, ("follows",)
    choices = list(_carried(stood, recorded, turn.after))
    for choice in (*choices, turn.after):
        if isinstance(judge(position, roll, choice), Play):
            return choice, ()
    found = nearest(plays(position, roll), choices[0], 1)
    return (found[0].placement if found else stood), ("follows",)


def _carried(stood: Placement, recorded: Placement, after: Placement) -> Iterator[Placement]:
    """What a later reading says once its fault is taken out: a site that reads as it did then
    stands as it was put right; one that changed since speaks for itself, or changed by as much.
    """
    for by_change in (False, True):
        sides = []
        for side in Side:
            now, was, read = stood.counts(side), recorded.counts(side), after.counts(side)
            sides.append(
                tuple(
                    n if r == w else max(0, n + r - w) if by_change else r
                    for n, w, r in zip(now, was, read, strict=True)
                )
            )
        yield Placement(*sides)


def _play(
    w: Amending,
    mark: int,
    side: Side,
    roll: Roll | None,
    after: Placement,
    why: tuple[str, ...],
    *,
    said: bool,
    added: bool = False,
) -> None:
    """Do a play, whatever brings the match to it; one that is not legal stands."""
    game = w.match.game
    if roll is None:
        try:
            turns = rolls_explaining(replace(game, side=side).position, after)
        except (PositionError, do.ActionError):
            turns = ()
        roll = game.roll or (turns[0][0] if turns else Roll(2, 1))
    _dice(w, side, roll)
    before, text = w.match, ""
    try:
        found = judge(before.game.position, roll, after)
    except (PositionError, do.ActionError):
        found = None
    if isinstance(found, Play):
        text = str(found)
    elif "illegal" not in why:
        why = (*why, "illegal")
    if not w.act(do.Played(side, after, stands=not isinstance(found, Play))):
        w.act(do.Corrected(after=after, side=side.other, undo_roll=True, reason=REASON))
    w.row(
        "play",
        mark,
        before,
        side=side,
        roll=roll,
        text=text,
        why=tuple(dict.fromkeys(why)),
        said=said,
        added=added,
    )
    _ended_by_itself(w, mark, before)


def _dice(w: Amending, side: Side, roll: Roll) -> None:
    """Bring the match to this side's roll."""
    game = w.match.game
    match game.phase:
        case do.GamePhase.OPENING:
            w.act(do.Starts(side, roll))
        case do.GamePhase.TO_ROLL if game.side is side:
            w.act(do.Rolled(side, roll))
        case do.GamePhase.ROLLED if game.side is side and game.roll == roll:
            pass
        case _:
            w.act(do.Corrected(side=side, roll=roll, undo_roll=True, reason=REASON))
            if w.match.game.phase is do.GamePhase.TO_ROLL:
                w.act(do.Rolled(side, roll))


def _ended_by_itself(w: Amending, mark: int, before: Match, why: tuple[str, ...] = ()) -> None:
    result = w.match.game.result
    if before.game.result is None and result is not None:
        done, points = result.how, result.points
        w.row("end", mark, before, side=result.winner, done=done, value=points, why=why)


# What is done between two plays.


def _between(w: Amending, mark: int, actions: tuple[do.Action, ...], *, last: bool) -> None:
    """What was done after the play of this mark: as recorded, but for what was said."""
    cubes, ends = w.of(mark, CubeSaid), w.of(mark, GameEnds)
    missed, scores = w.of(mark, PlayMissed), w.of(mark, ScoreSaid)
    nexts = [n for n, action in enumerate(actions) if isinstance(action, do.NextGame)]
    cut = nexts[0] if nexts else len(actions)
    here, then = actions[:cut], actions[cut:]
    if cubes and isinstance(cubes[-1], CubeSaid):
        here = tuple(action for action in here if not isinstance(action, _CUBE))
        _cube(w, mark, cubes[-1])
    for one in missed:
        if isinstance(one, PlayMissed):
            _missed(w, mark, one)
    if ends:
        here = tuple(action for action in here if not isinstance(action, _ENDS))
    for action in here:
        _as_recorded(w, mark, action)
    if ends and isinstance(ends[-1], GameEnds):
        _give_up(w, mark, ends[-1])
    for action in then:
        if isinstance(action, do.NextGame):
            _next_game(w, mark)
        else:
            _as_recorded(w, mark, action)
    if scores and isinstance(scores[-1], ScoreSaid):
        before, told = w.match, scores[-1]
        w.act(do.Corrected(score=(told.white, told.black), reason=REASON))
        w.row("score", mark, before, said=True)
    if last and w.rows and w.match.game.result is None and not w.match.is_over:
        w.row("end", mark, w.match, done="open", why=("open",))


def _as_recorded(w: Amending, mark: int, action: do.Action) -> None:
    before = w.match
    if not w.act(action):
        return
    why = w.base.between.get(mark, "")
    if isinstance(action, _CUBE):
        done, value = _DONE[type(action)], w.match.game.cube.value
        unsure = (why,) if why == "cube_unsure" else ()
        w.row("cube", mark, before, side=action.side, done=done, value=value, why=unsure)
    _ended_by_itself(w, mark, before, (why,) if why == "end_unsure" else ())


_DONE: Final[Mapping[type, str]] = {
    do.Offered: "double",
    do.Taken: "take",
    do.Dropped: "drop",
    do.Beavered: "beaver",
}


def _cube(w: Amending, mark: int, said: CubeSaid) -> None:
    side = w.match.game.side
    if said.answer == "none" or side is None:
        return
    answers: dict[str, do.Action] = {
        "take": do.Taken(side.other),
        "drop": do.Dropped(side.other),
        "beaver": do.Beavered(side.other),
    }
    for who, action in ((side, do.Offered(side)), (side.other, answers[said.answer])):
        before = w.match
        if not w.act(action):
            return
        value = w.match.game.cube.value
        w.row("cube", mark, before, side=who, done=_DONE[type(action)], value=value, said=True)
        _ended_by_itself(w, mark, before)


def _missed(w: Amending, mark: int, one: PlayMissed) -> None:
    side = w.match.game.side or one.side
    if side is None or w.match.game.result is not None:
        w.remarks.append("a play was added where no game is on")
        return
    _play(w, mark, side, one.roll, one.placement, (), said=True, added=True)


def _give_up(w: Amending, mark: int, said: GameEnds) -> None:
    if w.match.game.result is not None:
        return
    before = w.match
    kept = len(w.remarks)
    given = w.act(do.ResignOffered(said.winner.other, said.value)) and w.act(
        do.ResignAccepted(said.winner)
    )
    if not given:
        del w.remarks[kept:]
        points = said.value * max(1, before.game.cube.value)
        w.act(do.GameAwarded(said.winner, points, REASON))
    result = w.match.game.result
    points = result.points if result is not None else 0
    w.row("end", mark, before, side=said.winner, done="resigned", value=points, said=True)


def _next_game(w: Amending, mark: int) -> None:
    """The next game; one that never ended counts for nobody, and is doubtful."""
    if w.match.is_over:
        return
    if w.match.game.phase is not do.GamePhase.OVER:
        before = w.match
        w.act(do.GameAwarded(Side.WHITE, 0, NOT_SAID))
        w.row("end", mark, before, done="open", why=("open",))
    w.act(do.NextGame())
    w.recorded, w.left_out = None, False
