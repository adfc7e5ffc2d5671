"""A tournament as its director's acts make it: entries in, one value out.

Nothing is in a `Day` that `service.tournament.stages` can work out. An act that cannot be raises
TournamentError and changes nothing, so the same fold guards the desk and reads the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from service.journal import entries_hall as e
from service.journal.entry import Body
from service.tournament.field import Ending, Entrant, TournamentError

SYSTEMS: Final = ("swiss", "halves", "round_robin", "groups", "single", "double", "consolation")
BRACKETS: Final = frozenset({"single", "double", "consolation"})
SWISS: Final = frozenset({"swiss", "halves"})


@dataclass(frozen=True, slots=True)
class EventStage:
    """A stage, its players in the order of its draw by group (none until it is drawn)."""

    plan: e.StagePlan
    groups: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name in group)


@dataclass(frozen=True, slots=True)
class Round:
    """A round's matches; `starts`: seconds since 1970."""

    number: int
    stage: int
    matches: tuple[e.PairedMatch, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a match is played, and how far that table's record had got when it was sent there."""

    table: str
    epoch: int
    seq: int


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match ended; `table` is whose record says so, "" for the director's word."""

    ending: Ending
    score: tuple[int, int] | None = None
    walkover: bool = False
    table: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A tournament so far. `left`: who left, in the order they did; `deaf`: matches whose table is
    asked no more, since what it reported was taken back.
    """

    name: str = ""
    stages: tuple[EventStage, ...] = ()
    entrants: tuple[Entrant, ...] = ()
    left: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    outcomes: Mapping[str, MatchOutcome] = field(default_factory=dict)
    deaf: frozenset[str] = frozenset()
    plans: Mapping[int, e.RoundPlanned] = field(default_factory=dict)
    starts: Mapping[int, float] = field(default_factory=dict)
    pool: int = 0
    prizes: tuple[int, ...] = ()

    @property
    def opened(self) -> bool:
        return bool(self.stages)

    @property
    def current(self) -> int:
        """The stage that was drawn last; -1 before the first."""
        return max((i for i, stage in enumerate(self.stages) if stage.groups), default=-1)

    def match(self, ident: str) -> e.PairedMatch:
        """The match of this id. Raises TournamentError."""
        for round_ in self.rounds:
            for match in round_.matches:
                if match.id == ident:
                    return match
        raise TournamentError(f"expected a match of this tournament, got {ident}; look again")

    def entrant(self, name: str) -> Entrant:
        """The player of this name. Raises TournamentError."""
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        raise TournamentError(f"expected a player of this tournament, got {name}; enter them first")

    def open_matches(self) -> tuple[e.PairedMatch, ...]:
        """Matches of two that have no result yet."""
        return tuple(
            m
            for r in self.rounds
            for m in r.matches
            if m.second is not None and m.id not in self.outcomes
        )


def with_act(day: Day, body: Body) -> Day:
    """The tournament after one more act. Raises TournamentError."""
    if not isinstance(body, e.TournamentOpened) and not day.opened:
        raise TournamentError("expected a tournament to be opened first; open one")
    change = _ACTS.get(type(body))
    return change(day, body) if change else day


def _check_plan(plan: e.StagePlan) -> None:
    if plan.system not in SYSTEMS:
        raise TournamentError(
            f"expected one of {', '.join(SYSTEMS)}, got {plan.system!r}; choose one of them"
        )
    if plan.system in SWISS and plan.rounds < 1:
        raise TournamentError("expected how many rounds a Swiss has, got none; say how many")
    if plan.system == "groups" and plan.groups < 1:
        raise TournamentError("expected how many groups, got none; say how many")


def _opened(day: Day, act: e.TournamentOpened) -> Day:
    if not act.stages:
        raise TournamentError("expected a stage or more, got none; plan one")
    for plan in act.stages:
        _check_plan(plan)
    stages = tuple(EventStage(plan) for plan in act.stages)
    return Day(act.name, stages, pool=act.pool, prizes=act.prizes)


def _planned(day: Day, act: e.StagePlanned) -> Day:
    _check_plan(act.plan)
    if not day.current < act.stage <= len(day.stages):
        raise TournamentError(
            f"expected a stage that is not drawn yet, got stage {act.stage + 1}; change a later one"
        )
    stages = (*day.stages[: act.stage], EventStage(act.plan), *day.stages[act.stage + 1 :])
    return replace(day, stages=stages)


def _entered(day: Day, act: e.PlayerEntered) -> Day:
    if any(x.name == act.name for x in day.entrants):
        raise TournamentError(f"{act.name} is entered already; add a first name or a number")
    entrant = Entrant(act.name, act.club, act.rating, act.joins)
    stages = day.stages
    at = day.current
    if at >= 0 and stages[at].plan.system in SWISS:
        names = (*stages[at].names, act.name)
        stages = (*stages[:at], replace(stages[at], groups=(names,)), *stages[at + 1 :])
    return replace(day, entrants=(*day.entrants, entrant), stages=stages)


def _amended(day: Day, act: e.PlayerAmended) -> Day:
    old = day.entrant(act.before)
    if act.name != act.before and any(x.name == act.name for x in day.entrants):
        raise TournamentError(f"{act.name} is entered already; add a first name or a number")

    def said(name: str | None) -> str | None:
        return act.name if name == act.before else name

    def named(name: str) -> str:
        return act.name if name == act.before else name

    entrant = replace(old, name=act.name, club=act.club, rating=act.rating)
    return replace(
        day,
        entrants=tuple(entrant if x is old else x for x in day.entrants),
        left=tuple(map(named, day.left)),
        stages=tuple(
            replace(s, groups=tuple(tuple(map(named, g)) for g in s.groups)) for s in day.stages
        ),
        rounds=tuple(
            replace(
                r,
                matches=tuple(
                    replace(m, first=named(m.first), second=said(m.second)) for m in r.matches
                ),
            )
            for r in day.rounds
        ),
    )


def _struck(day: Day, act: e.PlayerStruck) -> Day:
    day.entrant(act.name)
    if any(act.name in (m.first, m.second) for r in day.rounds for m in r.matches):
        raise TournamentError(f"{act.name} was paired already; let them leave instead")
    return replace(
        day,
        entrants=tuple(x for x in day.entrants if x.name != act.name),
        left=tuple(n for n in day.left if n != act.name),
        stages=tuple(
            replace(s, groups=tuple(tuple(n for n in g if n != act.name) for g in s.groups))
            for s in day.stages
        ),
    )


def _left(day: Day, act: e.PlayerLeft) -> Day:
    old = day.entrant(act.name)
    if act.name in day.left:
        raise TournamentError(f"{act.name} has left already")
    gone = replace(old, leaves=max(act.leaves, old.joins))
    entrants = tuple(gone if x is old else x for x in day.entrants)
    return replace(day, entrants=entrants, left=(*day.left, act.name))


def _returned(day: Day, act: e.PlayerReturned) -> Day:
    old = day.entrant(act.name)
    if act.name not in day.left:
        raise TournamentError(f"{act.name} has not left")
    at = day.current
    if at >= 0 and act.name in day.stages[at].names and day.stages[at].plan.system in BRACKETS:
        raise TournamentError(
            f"{act.name} left a knock-out: others have gone on in their place; rule otherwise"
        )
    back = replace(old, leaves=None)
    return replace(
        day,
        entrants=tuple(back if x is old else x for x in day.entrants),
        left=tuple(n for n in day.left if n != act.name),
    )


def _drawn(day: Day, act: e.StageDrawn) -> Day:
    if act.stage != day.current + 1 or act.stage >= len(day.stages):
        raise TournamentError(f"expected stage {day.current + 2} to be drawn, got {act.stage + 1}")
    for group in act.groups:
        for name in group:
            day.entrant(name)
    stage = replace(day.stages[act.stage], groups=act.groups)
    return replace(day, stages=(*day.stages[: act.stage], stage, *day.stages[act.stage + 1 :]))


def _paired(day: Day, act: e.RoundPaired) -> Day:
    if act.round != len(day.rounds) + 1 or act.stage != day.current:
        raise TournamentError(f"expected round {len(day.rounds) + 1}, got {act.round}; look again")
    seen: set[str] = set()
    for match in act.matches:
        for name in (match.first, match.second):
            if name is None:
                continue
            day.entrant(name)
            if name in seen:
                raise TournamentError(f"{name}: expected one match in a round, got two")
            seen.add(name)
    return replace(day, rounds=(*day.rounds, Round(act.round, act.stage, act.matches)))


def _round_back(day: Day, act: e.RoundTakenBack) -> Day:
    last = day.rounds[-1] if day.rounds else None
    if last is None or last.number != act.round:
        raise TournamentError(f"only the last round can be taken back, got round {act.round}")
    ids = {m.id for m in last.matches}
    played = [m for m in last.matches if m.id in day.outcomes and not day.outcomes[m.id].walkover]
    if played:
        raise TournamentError(
            f"round {act.round}: {played[0].first} - {played[0].second} has a result; take it back"
            " first"
        )
    stages = day.stages
    if not any(r.stage == last.stage for r in day.rounds[:-1]):
        # Its stage begins again, with a draw of its own.
        stages = (
            *stages[: last.stage],
            EventStage(stages[last.stage].plan),
            *stages[last.stage + 1 :],
        )
    return replace(
        day,
        stages=stages,
        rounds=day.rounds[:-1],
        places={k: v for k, v in day.places.items() if k not in ids},
        outcomes={k: v for k, v in day.outcomes.items() if k not in ids},
        deaf=day.deaf - ids,
    )


def _timed(day: Day, act: e.RoundTimed) -> Day:
    starts = {k: v for k, v in day.starts.items() if k != act.round}
    return replace(day, starts=starts if act.starts is None else starts | {act.round: act.starts})


def _seated(day: Day, act: e.MatchSeated) -> Day:
    match = day.match(act.match)
    if match.second is None:
        raise TournamentError(f"{match.first} has a bye: nobody plays")
    open_ = {m.id for m in day.open_matches()}
    here = [i for i, p in day.places.items() if p.table == act.table and i in open_]
    if act.table and any(i != act.match for i in here):
        other = day.match(next(i for i in here if i != act.match))
        raise TournamentError(
            f"table {act.table}: {other.first} - {other.second} is played there; choose another"
        )
    places = {k: v for k, v in day.places.items() if k != act.match}
    if act.table:
        places[act.match] = Place(act.table, act.epoch, act.seq)
    return replace(day, places=places, deaf=day.deaf - {act.match})


def _result(day: Day, act: e.ResultEntered) -> Day:
    match = day.match(act.match)
    if match.second is None:
        raise TournamentError(f"{match.first} has a bye: there is no result to enter")
    if act.match in day.outcomes:
        raise TournamentError(
            f"{match.first} - {match.second} has a result already; take it back first"
        )
    if act.ending not in tuple(Ending):
        raise TournamentError(
            f"expected first, second, drawn or neither, got {act.ending!r}; choose one of them"
        )
    if match.bout and act.ending == Ending.DRAWN:
        raise TournamentError(f"{match.bout}: a knock-out has no draws; play it out")
    outcome = MatchOutcome(Ending(act.ending), act.score, act.walkover, act.table)
    return replace(day, outcomes={**day.outcomes, act.match: outcome})


def _result_back(day: Day, act: e.ResultTakenBack) -> Day:
    match = day.match(act.match)
    if act.match not in day.outcomes:
        raise TournamentError(
            f"{match.first} - {match.second} has no result; there is none to undo"
        )
    outcomes = {k: v for k, v in day.outcomes.items() if k != act.match}
    return replace(day, outcomes=outcomes, deaf=day.deaf | {act.match})


_B = TypeVar("_B", bound=Body)


def _act(kind: type[_B], change: Callable[[Day, _B], Day]) -> Callable[[Day, Body], Day]:
    def checked(day: Day, body: Body) -> Day:
        assert isinstance(body, kind)
        return change(day, body)

    return checked


_ACTS: Final[Mapping[type[Body], Callable[[Day, Body], Day]]] = {
    e.TournamentOpened: _act(e.TournamentOpened, _opened),
    e.StagePlanned: _act(e.StagePlanned, _planned),
    e.PrizesPlanned: _act(
        e.PrizesPlanned, lambda day, act: replace(day, pool=act.pool, prizes=act.prizes)
    ),
    e.PlayerEntered: _act(e.PlayerEntered, _entered),
    e.PlayerAmended: _act(e.PlayerAmended, _amended),
    e.PlayerStruck: _act(e.PlayerStruck, _struck),
    e.PlayerLeft: _act(e.PlayerLeft, _left),
    e.PlayerReturned: _act(e.PlayerReturned, _returned),
    e.StageDrawn: _act(e.StageDrawn, _drawn),
    e.RoundPaired: _act(e.RoundPaired, _paired),
    e.RoundTakenBack: _act(e.RoundTakenBack, _round_back),
    e.RoundTimed: _act(e.RoundTimed, _timed),
    e.RoundPlanned: _act(
        e.RoundPlanned, lambda day, act: replace(day, plans={**day.plans, act.round: act})
    ),
    e.MatchSeated: _act(e.MatchSeated, _seated),
    e.ResultEntered: _act(e.ResultEntered, _result),
    e.ResultTakenBack: _act(e.ResultTakenBack, _result_back),
}
