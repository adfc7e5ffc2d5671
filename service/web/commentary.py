"""What a commentator is told beyond the record: pips, the plays of the game, and the positions to
be judged. Pure.

Luck of a roll is the equity of its best play less the equity before the roll, both cubeful and both
from the average over all rolls one ply ahead: gnubg's own definition. The opening roll has none,
since nobody was on roll before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules import game as do
from rules.board import Side
from rules.judge import judge
from rules.match import Match
from rules.notation.errors import NotationError
from rules.notation.record import GameRecord, MatchRecord, games
from rules.notation.xgid import write_xgid
from rules.play import Play
from rules.position import Position, movers_counts
from rules.race import (
    CubeAdvice,
    effective_pips,
    is_race,
    keith_advice,
    keith_count,
    pip_count,
    ward_advice,
    ward_counts,
)
from service.journal.chain import Entry
from service.record.match_record import match_records
from service.report.decisions import known_to_engines, unrolled
from service.report.gnubg import AnalysisError, Verdict
from service.web.commentary_schema import (
    BestOut,
    CommentaryOut,
    CubeAdviceOut,
    CubeOut,
    RaceOut,
    TroubleOut,
    TurnOut,
)
from service.web.records import PUBLIC
from service.web.schema import SideName
from service.web.weighing import NO_COSTS, MatchCosts


@dataclass(frozen=True, slots=True)
class AnalysedTurn:
    """One turn of the game.

    `before` and `rolled` are XGIDs, empty where there is nothing to judge.
    """

    side: Side
    roll: str
    text: str = ""
    before: str = ""
    rolled: str = ""
    passed: str = ""
    """The opponent's position when there was no play."""
    asked: str = ""
    """The position with its roll, the opening's too: what the play is weighed by."""


@dataclass(frozen=True, slots=True)
class Commentary:
    """The game in progress, or the last one.

    `now` and `decision` are XGIDs of the moment: before the roll, and with it.
    """

    number: int = 0
    pips: tuple[int, int] | None = None
    turns: tuple[AnalysedTurn, ...] = ()
    judged: bool = False
    """Whether gnubg knows this game's rules."""
    side: Side | None = None
    now: str = ""
    decision: str = ""
    record: MatchRecord | None = None
    """The match that the game belongs to, where engines know its rules."""
    position: Position | None = None
    """The position of the side on roll."""
    seq: int = 0
    """The newest entry that spectators may read."""

    def questions(self) -> tuple[str, ...]:
        """Every position to be judged, the newest first."""
        found = [self.now, self.decision]
        for turn in reversed(self.turns):
            found += [turn.before, turn.rolled, turn.passed]
        return tuple(dict.fromkeys(x for x in found if x))


def commentary(entries: Iterable[Entry]) -> Commentary:
    """The last game of the last match of a journal.

    Empty where no match was set up or the record cannot be followed.
    """
    every = tuple(entries)
    seq = max((entry.seq for entry in every if entry.body.kind in PUBLIC), default=0)
    kept = match_records(every)
    if not kept:
        return Commentary(seq=seq)
    try:
        played = games(kept[-1])
    except NotationError:
        return Commentary(seq=seq)
    if not played:
        return Commentary(seq=seq)
    judged = known_to_engines(kept[-1].rules.ruleset)
    return replace(_of(played[-1], judged), seq=seq, record=kept[-1] if judged else None)


def _of(game: GameRecord, judged: bool) -> Commentary:
    match = game.after
    ruleset, phase = match.rules.ruleset, match.game.phase
    placement = match.game.placement
    white, black = (pip_count(placement, ruleset.facing, side) for side in Side)
    open_ = judged and phase not in (do.GamePhase.OPENING, do.GamePhase.OVER)
    return Commentary(
        game.number,
        (white, black),
        tuple(_turns(game, judged)),
        judged,
        match.game.side if phase is not do.GamePhase.OVER else None,
        _xgid(unrolled(match)) if open_ else "",
        _xgid(match) if open_ and phase is do.GamePhase.ROLLED else "",
        position=match.game.position if open_ else None,
    )


def _turns(game: GameRecord, judged: bool) -> Iterable[AnalysedTurn]:
    before = ""
    for earlier, action, after in game.steps:
        if isinstance(action, do.Rolled):
            before = _xgid(unrolled(earlier)) if judged else ""
        elif isinstance(action, do.Passed):
            yield AnalysedTurn(action.side, "")
        elif isinstance(action, do.Played) and earlier.game.roll is not None:
            found = judge(earlier.game.position, earlier.game.roll, action.after)
            none = isinstance(found, Play) and not found.moves
            rolled = _xgid(earlier) if before else ""
            passed = (
                _xgid(unrolled(after))
                if before and none and after.game.phase is do.GamePhase.TO_ROLL
                else ""
            )
            yield AnalysedTurn(
                action.side,
                str(earlier.game.roll),
                str(found) if isinstance(found, Play) else "",
                before,
                rolled,
                passed,
                _xgid(earlier) if judged else "",
            )
            before = ""
        elif isinstance(action, do.Corrected):
            before = ""


def _xgid(match: Match) -> str:
    try:
        return write_xgid(match)
    except NotationError:
        return ""


def luck(turn: AnalysedTurn, known: Mapping[str, Verdict]) -> float | None:
    """How much better than the average this roll was, in equity; None where that is not known."""
    before, rolled = known.get(turn.before), known.get(turn.rolled)
    if before is None or rolled is None or before.one_ply is None:
        return None
    if rolled.plays:
        return rolled.plays[0][1] - before.one_ply
    after = known.get(turn.passed)
    return (
        -after.static - before.one_ply if after is not None and after.static is not None else None
    )


def commentary_shown(
    table: str,
    found: Commentary,
    known: Mapping[str, Verdict],
    trouble: AnalysisError | None,
    weighed: MatchCosts = NO_COSTS,
) -> CommentaryOut:
    """The answer for the page; `trouble` is why gnubg says nothing, None when it does. `weighed` is
    what the match's decisions cost, as far as it was worked out.
    """
    rows: list[TurnOut] = []
    total: dict[Side, float] = dict.fromkeys(Side, 0.0)
    for turn in found.turns:
        gained = luck(turn, known)
        if gained is not None:
            total[turn.side] += gained
        side, rounded = side_name(turn.side), _rounded(gained)
        cost, better = weighed.costs.get(turn.asked, (None, ""))
        rows.append(
            TurnOut(
                side=side,
                roll=turn.roll,
                text=turn.text,
                luck=rounded,
                cost=_rounded(cost),
                better=better,
            )
        )
    now, decision = known.get(found.now), known.get(found.decision)
    judged = found.judged and any(row.luck is not None for row in rows)
    best = decision.plays[:3] if decision else ()
    pending = sum(x not in known for x in questions_of(found)) if trouble is None else 0
    return CommentaryOut(
        table=table,
        seq=found.seq,
        game=found.number,
        pips={"white": found.pips[0], "black": found.pips[1]} if found.pips else None,
        turns=rows,
        judged=found.judged,
        side=side_name(found.side) if found.side else None,
        equity=_rounded(now.equity) if now else None,
        chances=[round(p, 4) for p in now.chances] if now else [],
        best=[BestOut(text=text, equity=_rounded(equity)) for text, equity in best],
        luck={side_name(side): round(total[side], 3) for side in Side} if judged else None,
        cube=_cube(now) if now and not found.decision else None,
        race=_race(found.position),
        course=list(weighed.course),
        pending=pending + weighed.pending,
        trouble=TroubleOut(code=trouble.code, line=str(trouble)) if trouble else None,
    )


def _cube(now: Verdict) -> CubeOut | None:
    """The cube's verdict, None where there is none to offer."""
    if now.no_double is None or now.take is None:
        return None
    doubled = min(now.take, 1.0)
    return CubeOut(
        no_double=round(now.no_double, 3),
        take=round(now.take, 3),
        drop=1.0,
        double=doubled >= now.no_double,
        takes=now.take <= 1.0,
    )


def _race(position: Position | None) -> RaceOut | None:
    """A race's counts, None while there is contact."""
    if position is None or not is_race(position):
        return None
    own, theirs = movers_counts(position.placement, position.ruleset.facing, position.side)
    ward = ward_counts(own, theirs)
    return RaceOut(
        keith=[keith_count(own), keith_count(theirs)],
        keith_says=_advice(keith_advice(own, theirs)),
        ward=[round(float(count), 1) for count in ward],
        ward_says=_advice(ward_advice(own, theirs)),
        effective=[
            None if counted is None else round(counted, 2)
            for counted in (effective_pips(own), effective_pips(theirs))
        ],
    )


def _advice(found: CubeAdvice) -> CubeAdviceOut:
    """What a formula says, as the API writes it."""
    return CubeAdviceOut(double=found.double, redouble=found.redouble, take=found.take)


def side_name(side: Side) -> SideName:
    """A side as the API writes it."""
    return "white" if side is Side.WHITE else "black"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def questions_of(found: Commentary) -> Sequence[str]:
    """The positions that gnubg is asked about, as XGIDs; none under rules that it does not know."""
    return found.questions() if found.judged else ()
