"""A tournament as its pages show it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from service.hall.config import WallEvent
from service.hall.day_schema import (
    ActOut,
    BoutOut,
    DayMatchOut,
    EntrantOut,
    LineOut,
    RoundOut,
    RulesOut,
    SeatOut,
    StageOut,
    TournamentOut,
)
from service.hall.view import MatchLine
from service.journal import entries_hall as e
from service.journal.chain import Entry
from service.journal.codec import encode
from service.tournament.day import BRACKETS, Day, Place, Round
from service.tournament.field import TournamentError
from service.tournament.papers import cross_table
from service.tournament.round_robin import without_early_leavers
from service.tournament.seating import Seat, Sitter, Vacant
from service.tournament.stages import (
    field_of,
    finishing_order,
    is_over,
    next_round,
    placings,
    prizes_won,
    seated_of,
)

SHOWN_ACTS: Final = 40
LineAt = Callable[[Place], MatchLine | None]


def in_a_line(day: Day) -> WallEvent:
    """The tournament as the wall's head has it."""
    last = day.rounds[-1].matches if day.rounds else ()
    two = [m for m in last if m.second is not None]
    coming = [day.starts[n] for n in sorted(day.starts) if n > len(day.rounds)]
    return {
        "name": day.name,
        "round": len(day.rounds),
        "finished": sum(m.id in day.outcomes for m in two),
        "matches": len(two),
        "starts": coming[0] if coming else None,
        "over": is_over(day),
    }


def tournament_out(
    day: Day,
    line_at: LineAt,
    problems: Mapping[str, str] | None = None,
    free: Sequence[str] = (),
    acts: Sequence[Entry] = (),
) -> TournamentOut:
    """The whole of it; `problems` None: for the public, who learn only what is told."""
    last = day.rounds[-1].matches if day.rounds else ()
    two = [m for m in last if m.second is not None]
    won = prizes_won(day) if day.opened else {}
    return TournamentOut(
        name=day.name,
        stages=[_stage(day, i) for i in range(len(day.stages))],
        rounds=[_round(day, r, line_at, problems or {}) for r in day.rounds],
        entrants=[
            EntrantOut(
                name=x.name,
                club=x.club,
                rating=x.rating,
                joins=x.joins,
                left=x.name in day.left,
                prize=won.get(x.name, 0),
            )
            for x in day.entrants
        ],
        finished=sum(m.id in day.outcomes for m in two),
        matches=len(two),
        over=day.opened and is_over(day),
        pool=day.pool,
        winners=[list(names) for names in finishing_order(day, day.current)]
        if day.current >= 0
        else [],
        next=_why_not(day) if problems is not None else "",
        rules=_rules(day) if problems is not None else None,
        free=list(free),
        acts=[_act(entry) for entry in reversed(acts[-SHOWN_ACTS:])],
    )


def _rules(day: Day) -> RulesOut | None:
    planned = day.plans.get(len(day.rounds) + 1)
    if planned is None or not (planned.length or planned.event):
        return None
    return RulesOut(length=planned.length, event=planned.event)


def _why_not(day: Day) -> str:
    try:
        next_round(day, 0)
    except TournamentError as error:
        return str(error)
    return ""


def _round(day: Day, played: Round, line_at: LineAt, problems: Mapping[str, str]) -> RoundOut:
    return RoundOut(
        number=played.number,
        stage=played.stage,
        starts=day.starts.get(played.number),
        matches=[_match(day, played.number, m, line_at, problems) for m in played.matches],
    )


def _match(
    day: Day, number: int, match: e.PairedMatch, line_at: LineAt, problems: Mapping[str, str]
) -> DayMatchOut:
    place, out = day.places.get(match.id), day.outcomes.get(match.id)
    line = line_at(place) if place is not None and out is None else None
    state: Literal["bye", "waiting", "called", "playing", "over"]
    if match.second is None:
        state = "bye"
    elif out is not None:
        state = "over"
    elif place is None:
        state = "waiting"
    else:
        state = "playing" if line is not None and line.begun else "called"
    score = list(out.score) if out is not None and out.score else None
    if line is not None and line.begun:
        turned = match.first == line.black
        score = list(line.score[::-1] if turned else line.score)
    return DayMatchOut(
        id=match.id,
        round=number,
        first=match.first,
        second=match.second or "",
        bout=match.bout,
        group=match.group,
        table=place.table if place else "",
        state=state,
        ending=out.ending.value if out else "",
        score=score,
        walkover=bool(out and out.walkover),
        reported=bool(out and out.table),
        problem=problems.get(match.id, ""),
    )


def _stage(day: Day, at: int) -> StageOut:
    stage = day.stages[at]
    drawn = bool(stage.groups)
    bracket = stage.plan.system in BRACKETS
    return StageOut(
        system=stage.plan.system,
        rounds=stage.plan.rounds,
        take=stage.plan.take,
        groups=stage.plan.groups,
        length=stage.plan.length,
        ruleset=stage.plan.ruleset,
        drawn=drawn,
        tables=[] if bracket or not drawn else _tables(day, at),
        bouts=_bouts(day, at) if bracket and drawn else [],
    )


def _tables(day: Day, at: int) -> list[list[LineOut]]:
    found = []
    for group, lines in enumerate(placings(day, at)):
        field = field_of(day, at, group)
        if day.stages[at].plan.system in ("round_robin", "groups"):
            field = without_early_leavers(field)
        cells = cross_table(field, lines)
        found.append(
            [
                LineOut(
                    place=line.place,
                    name=line.name,
                    club=day.entrant(line.name).club,
                    points=line.points,
                    breaks=list(line.breaks),
                    cells=list(row),
                    left=line.name in day.left,
                )
                for line, row in zip(lines, cells, strict=True)
            ]
        )
    return found


def _bouts(day: Day, at: int) -> list[BoutOut]:
    return [
        BoutOut(
            bout=s.bout.name,
            part=s.bout.stage,
            round=s.bout.round,
            number=s.bout.number,
            seats=[_seat(s.first), _seat(s.second)],
            winner=s.winner.name if isinstance(s.winner, Sitter) else "",
        )
        for s in seated_of(day, at)
    ]


def _seat(seat: Seat) -> SeatOut:
    if isinstance(seat, Sitter):
        return SeatOut(name=seat.name, state="sits")
    return SeatOut(name="", state="nobody" if seat is Vacant.NOBODY else "undecided")


def _act(entry: Entry) -> ActOut:
    """Who did what: the entry's kind and its plain facts in their order."""
    facts = encode(entry.body)
    said = facts.values() if isinstance(facts, Mapping) else ()
    return ActOut(
        seq=entry.seq,
        at=entry.wall,
        by=entry.by.name,
        kind=entry.body.kind,
        facts=[str(v) for v in said if isinstance(v, str | int) and not isinstance(v, bool)],
    )
