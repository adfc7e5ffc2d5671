"""The tournament's routes: the director's desk, and what the public may know (E)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, Response

from rules.axes import RulesetError
from rules.event import EventError
from service.hall.config import HallConfig
from service.hall.day_document import tournament_out
from service.hall.day_schema import (
    BackIn,
    PlayerIn,
    PlayersIn,
    PlayIn,
    PrizesIn,
    ResultIn,
    RoundTimeIn,
    SeatIn,
    StageIn,
    TournamentIn,
    TournamentOut,
)
from service.hall.floor import Floor, played_at
from service.hall.hall import Hall
from service.hall.view import MatchLine
from service.journal import entries_hall as e
from service.journal.entry import Body, Who
from service.journal.plain import plain_name
from service.journal.sqlite_file import StoreError
from service.referee.event import event_written
from service.settings import version
from service.tournament.day import BRACKETS, Day, Place
from service.tournament.field import Entrant, TournamentError
from service.tournament.papers import (
    draw_sheet,
    entrants_as_csv,
    entrants_from_csv,
    field_as_json,
    meetings_as_csv,
    standings_as_csv,
)
from service.tournament.stages import field_of, placings, seated_of
from service.tournament.standings import USUAL
from service.web.authority import RefusedRequest, problem, visitor_of
from service.web.pages import Lang, render_page
from service.web.policy import Right, Visitor

router = APIRouter(tags=["hall"])
API: Final = "/api/v1/hall/tournament"
RIGHTS: Final = {
    ("GET", "/hall"): Right.LIVE,
    ("GET", "/event"): Right.OPEN,
    ("GET", API): Right.READ,
    ("POST", API): Right.MANAGE,
    ("PUT", f"{API}/prizes"): Right.MANAGE,
    ("PUT", f"{API}/stages/{{number}}"): Right.MANAGE,
    ("POST", f"{API}/players"): Right.MANAGE,
    ("PUT", f"{API}/players/{{name}}"): Right.MANAGE,
    ("POST", f"{API}/players/{{name}}/{{act}}"): Right.MANAGE,
    ("POST", f"{API}/next"): Right.MANAGE,
    ("POST", f"{API}/back"): Right.MANAGE,
    ("PUT", f"{API}/rounds/{{number}}"): Right.MANAGE,
    ("PUT", f"{API}/rounds/{{number}}/time"): Right.MANAGE,
    ("POST", f"{API}/matches/{{ident}}/seat"): Right.ARBITRATE,
    ("POST", f"{API}/matches/{{ident}}/result"): Right.ARBITRATE,
    ("DELETE", f"{API}/matches/{{ident}}/result"): Right.ARBITRATE,
    ("GET", f"{API}/{{paper}}.csv"): Right.READ,
    ("GET", f"{API}.json"): Right.READ,
}
Number = Annotated[int, Path(ge=1, le=999)]
Name = Annotated[str, Path(min_length=1, max_length=80)]
Ident = Annotated[str, Path(pattern=r"^\d{1,3}\.\d{1,4}$")]
Acts = Callable[[Day], Sequence[Body]]


@router.get("/hall", include_in_schema=False)
async def round_page(request: Request, lang: Lang = None) -> HTMLResponse:
    """The director's desk: the round that is played."""
    return render_page(request, "hall_round.html", lang)


@router.get("/event", include_in_schema=False)
async def event_page(request: Request, lang: Lang = None) -> HTMLResponse:
    """What everybody may know: who plays where, standings, the bracket, one player's day."""
    return render_page(request, "hall_event.html", lang)


def _hall(request: Request) -> Hall:
    found: Hall = request.app.state.hall
    return found


def _floor(request: Request) -> Floor:
    floor = _hall(request).floor
    if floor is None:
        raise problem(503, "not_ready", "a hall that has started", "", "try again in a second")
    return floor


def _who(request: Request) -> Who:
    visitor = visitor_of(request)
    return Who(visitor.name or visitor.role.value, visitor.role)


def _sees_all(visitor: Visitor) -> bool:
    return visitor.view == "staff" and visitor.tables is None


def _known(request: Request) -> Day:
    """The tournament as this visitor may know it."""
    if _sees_all(visitor_of(request)):
        return _floor(request).book.day
    _floor(request)
    return _hall(request).told()


def _refused(error: Exception) -> RefusedRequest:
    code = "not_kept" if isinstance(error, StoreError) else "tournament"
    return problem(503 if code == "not_kept" else 409, code, str(error))


async def _done(request: Request, work: Awaitable[object]) -> TournamentOut:
    """The tournament after a piece of work; what cannot be is 409, what could not be kept 503."""
    try:
        await work
    except (TournamentError, EventError, RulesetError, StoreError, ValueError) as error:
        raise _refused(error) from error
    return _out(request)


async def _say(request: Request, acts: Acts) -> TournamentOut:
    return await _done(request, _floor(request).book.say(_who(request), acts))


def _out(request: Request) -> TournamentOut:
    hall, floor = _hall(request), _floor(request)
    staff = _sees_all(visitor_of(request))
    views = hall.views if staff else hall.guests.views

    def line_at(place: Place) -> MatchLine | None:
        view = views.get(place.table)
        return played_at(place, view) if view else None

    day = _known(request)
    if not staff:
        return tournament_out(day, line_at)
    return tournament_out(day, line_at, floor.problems, floor.free(), floor.book.acts)


@router.get(API)
async def tournament(request: Request) -> TournamentOut:
    """The tournament that is on: rounds, standings or bracket, who plays where; for whoever is not
    of the hall's staff as late as the tables' own feeds.
    """
    return _out(request)


@router.post(API)
async def open_tournament(request: Request, given: TournamentIn) -> TournamentOut:
    """Open a tournament; the one before is over, and stays in the hall's journal."""
    plans = tuple(_plan(request, stage) for stage in given.stages)
    opened = e.TournamentOpened(
        plain_name(given.name, 80), plans, given.pool, tuple(given.prizes), version()
    )
    return await _say(request, lambda _: [opened])


def _plan(request: Request, given: StageIn) -> e.StagePlan:
    _check_event(request, given)
    return e.StagePlan(**given.model_dump())


def _check_event(request: Request, given: PlayIn) -> None:
    config: HallConfig = _hall(request).config
    if given.event:
        try:
            event_written(given.event, "the event", config.rules_text)
        except (EventError, RulesetError) as error:
            raise problem(422, "event_file", "an event file", str(error)) from error


@router.put(f"{API}/prizes")
async def set_prizes(request: Request, given: PrizesIn) -> TournamentOut:
    """What is played for: percents by place of a pool in the smallest coin."""
    planned = e.PrizesPlanned(given.pool, tuple(given.prizes))
    return await _say(request, lambda _: [planned])


@router.put(f"{API}/stages/{{number}}")
async def plan_stage(request: Request, number: Number, given: StageIn) -> TournamentOut:
    """Plan a stage that is not drawn yet otherwise, or one more after the last."""
    planned = e.StagePlanned(number - 1, _plan(request, given))
    return await _say(request, lambda _: [planned])


@router.post(f"{API}/players")
async def enter_players(request: Request, given: PlayersIn) -> TournamentOut:
    """Enter players: a name a line, or CSV with a header; all or none. Whoever is entered after
    the first round plays from the next.
    """

    def acts(day: Day) -> list[Body]:
        joins = len(day.rounds) + 1
        return [
            e.PlayerEntered(x.name, x.club, x.rating, max(joins, x.joins))
            for x in players_in(given.text)
        ]

    return await _say(request, acts)


def players_in(text: str) -> tuple[Entrant, ...]:
    """Players from CSV with a header, or from plain lines: name, and perhaps club and rating.
    Raises TournamentError.
    """
    head = text.lstrip("\ufeff").split("\n", 1)[0].lower()
    names = [word.strip() for word in head.replace(";", ",").replace("\t", ",").split(",")]
    lines = text.lstrip("\ufeff").replace("\t", ",")
    if "name" in names:
        return entrants_from_csv(text)
    return entrants_from_csv("name,club,rating\n" + lines)


@router.put(f"{API}/players/{{name}}")
async def amend_player(request: Request, name: Name, given: PlayerIn) -> TournamentOut:
    """Put a player's name, club or rating right, everywhere."""
    amended = e.PlayerAmended(
        name, plain_name(given.name, 80), plain_name(given.club, 80), given.rating
    )
    return await _say(request, lambda _: [amended])


@router.post(f"{API}/players/{{name}}/{{act}}")
async def player_act(request: Request, name: Name, act: str) -> TournamentOut:
    """`leave`: plays no more, and loses what was to play; `return`; `strike`: was never there."""
    if act == "leave":
        return await _done(request, _floor(request).leave(_who(request), name))
    acts: dict[str, Body] = {"return": e.PlayerReturned(name), "strike": e.PlayerStruck(name)}
    if act not in acts:
        raise problem(404, "no_act", "leave, return or strike", act)
    return await _say(request, lambda _: [acts[act]])


@router.post(f"{API}/next")
async def pair_next(request: Request) -> TournamentOut:
    """Pair the next round, and call its matches to free tables."""
    return await _done(request, _floor(request).pair(_who(request), secrets.randbelow(10**6)))


@router.post(f"{API}/back")
async def take_round_back(request: Request) -> TournamentOut:
    """Take back the pairing of the last round, while it has no result."""
    return await _say(request, lambda day: [e.RoundTakenBack(len(day.rounds))])


@router.put(f"{API}/rounds/{{number}}")
async def plan_round(request: Request, number: Number, given: PlayIn) -> TournamentOut:
    """One round is played otherwise than its stage."""
    _check_event(request, given)
    planned = e.RoundPlanned(number, given.length, given.ruleset, given.clock, given.event)
    return await _say(request, lambda _: [planned])


@router.put(f"{API}/rounds/{{number}}/time")
async def time_round(request: Request, number: Number, given: RoundTimeIn) -> TournamentOut:
    """When a round begins: on the wall, and from when who is not there is late."""
    return await _say(request, lambda _: [e.RoundTimed(number, given.starts)])


@router.post(f"{API}/matches/{{ident}}/seat")
async def seat(request: Request, ident: Ident, given: SeatIn) -> TournamentOut:
    """Call a match to this table; an empty one takes it off its table."""
    if given.table and given.table not in _hall(request).names():
        raise problem(404, "no_table", "a table of this hall", given.table)
    if not given.table:
        return await _say(request, lambda _: [e.MatchSeated(ident, "")])
    return await _done(request, _floor(request).seat(_who(request), ident, given.table))


@router.post(f"{API}/matches/{{ident}}/result")
async def enter_result(request: Request, ident: Ident, given: ResultIn) -> TournamentOut:
    """Enter a result by hand."""
    result = e.ResultEntered(ident, given.ending, given.score, given.walkover)
    return await _say(request, lambda _: [result])


@router.delete(f"{API}/matches/{{ident}}/result")
async def take_result_back(request: Request, ident: Ident, given: BackIn) -> TournamentOut:
    """Take a result back: the match is open again, and the next result is the director's word."""
    return await _say(request, lambda _: [e.ResultTakenBack(ident, given.reason)])


@router.get(f"{API}/{{paper}}.csv", response_class=Response)
async def paper_csv(request: Request, paper: str) -> Response:
    """Papers of the stage that is on, as CSV: `players`, `meetings`, `standings` or `draw`."""
    day, at = _known(request), _known(request).current
    bracket = at >= 0 and day.stages[at].plan.system in BRACKETS
    if paper == "players":
        text = entrants_as_csv(day.entrants)
    elif paper == "meetings" and at >= 0:
        text = meetings_as_csv(
            m for g in range(len(day.stages[at].groups)) for m in field_of(day, at, g).meetings
        )
    elif paper == "standings" and at >= 0 and not bracket:
        text = standings_as_csv((line for g in placings(day, at) for line in g), USUAL)
    elif paper == "draw" and bracket:
        text = draw_sheet(seated_of(day, at))
    else:
        raise problem(404, "no_paper", "players, meetings, standings or draw", paper)
    headers = {"content-disposition": f'attachment; filename="{paper}-{int(time.time())}.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get(f"{API}.json", response_class=Response)
async def paper_json(request: Request) -> Response:
    """Players and meetings of the stage that is on, as JSON."""
    day = _known(request)
    if day.current < 0:
        raise problem(404, "no_paper", "a tournament with a round", "none")
    return Response(field_as_json(field_of(day, day.current)), media_type="application/json")
