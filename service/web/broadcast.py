"""What goes on the air: the overlay, the same as JSON and text for other mixers, and the delays of
everything public. (E)
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Final, Literal, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from starlette.concurrency import run_in_threadpool

from rules.board import Side
from rules.move import NO_PLAY
from service.show.document import SCHEMA, PlayDocument, StateDocument
from service.show.score_picture import needs, pips_of, time_words
from service.web.api import FAILURES, UNREADABLE
from service.web.authority import desk_of, visitor_of
from service.web.delay import FEEDS, Delay, Delays
from service.web.desk import Desk, encode_document
from service.web.obs import scene_collection
from service.web.pages import Lang, render_page
from service.web.push import Push, Target
from service.web.schema import (
    DelayIn,
    DelayOut,
    DelaysOut,
    PushIn,
    PushOut,
    Responses,
    StateAnswer,
    TableName,
)

router = APIRouter(tags=["broadcast"])
FOUND: Responses = {404: FAILURES[404], 422: FAILURES[422]}
At = Annotated[
    float | None,
    Query(ge=0, le=1e9, description="table time: one frozen instant, never younger than the delay"),
]


Key = Literal[
    "table",
    "length",
    "game",
    "event",
    "crawford",
    "white_name",
    "white_score",
    "white_clock",
    "white_needs",
    "white_pips",
    "black_name",
    "black_score",
    "black_clock",
    "black_needs",
    "black_pips",
    "on_roll",
    "roll",
    "cube",
    "cube_owner",
    "last_play",
]
UNKNOWN: Final[tuple[Key, ...]] = get_args(Key)


def _desk(request: Request, table: str | None) -> Desk:
    return desk_of(request, table or request.app.state.config.name)


async def shown_on_air(
    request: Request, table: str | None, at: float | None
) -> StateDocument | None:
    """What the overlay shows now, or showed at an instant; None where nothing is known."""
    found = _desk(request, table)
    if at is None:
        return found.document("overlay")
    return await run_in_threadpool(found.past, "overlay", at)


@router.get("/overlay", include_in_schema=False)
async def overlay(request: Request, lang: Lang = None) -> HTMLResponse:
    """A transparent 1920x1080 page for OBS and its like; see docs/broadcast.md for what its address
    may say.
    """
    return render_page(request, "overlay.html", lang)


@router.get("/overlay.json", response_model=StateAnswer, responses=FOUND)
async def overlay_json(request: Request, table: TableName | None = None, at: At = None) -> Response:
    """The state document as the overlay shows it: public, after the overlay's delay."""
    shown = await shown_on_air(request, table, at)
    nothing = {"schema": SCHEMA, "table": _desk(request, table).name, "seq": 0, "at": 0.0}
    return Response(encode_document(shown or nothing), media_type="application/json")


@router.get(
    "/state.txt", response_class=Response, responses={**FOUND, 200: {"content": {"text/plain": {}}}}
)
async def state_txt(
    request: Request,
    table: TableName | None = None,
    key: Annotated[
        Key | None,
        Query(description="one value alone, without its name"),
    ] = None,
) -> PlainTextResponse:
    """Names, scores, cube, roll and last play as `key=value` lines, for mixers that read text
    files; after the overlay's delay.
    """
    found = lines(_desk(request, table).document("overlay"))
    if key is not None:
        return PlainTextResponse(found[key])
    return PlainTextResponse("".join(f"{name}={value}\n" for name, value in found.items()))


@router.get("/obs.json", include_in_schema=False)
async def obs_scenes(request: Request) -> Response:
    """A scene collection for OBS: a scene for each layout, each with the overlay of this machine as
    its browser source. `table` and `lang` of the address go into the overlay's.
    """
    asked = {k: v for k, v in request.query_params.items() if k in ("table", "lang", "theme")}
    base = f"{request.url.scheme}://{request.headers['host']}/overlay"
    return Response(
        json.dumps(scene_collection(base, asked), indent=1),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="takhte-obs.json"'},
    )


def lines(shown: StateDocument | None) -> dict[str, str]:
    """The state in a few words. What is not known is empty."""
    if shown is None:
        return {**dict.fromkeys(UNKNOWN, ""), "delay": "0", "held": ""}
    match, cube, plays = shown["match"], shown["cube"], shown["plays"]
    out = {
        "table": shown["table"],
        "length": str(match["length"] or ""),
        "game": str(match["game"] or ""),
        "event": str(match["event"].get("name") or ""),
        "crawford": "yes" if match["crawford"] else "",
    }
    for side, player, clock in (
        ("white", match["players"]["white"], shown["clock"]["white"]),
        ("black", match["players"]["black"], shown["clock"]["black"]),
    ):
        out[f"{side}_name"] = player["name"]
        out[f"{side}_score"] = str(player["score"])
        out[f"{side}_clock"] = time_words(clock["bank"]) if clock else ""
        out[f"{side}_needs"] = str(needs(shown, Side(side)) or "")
        out[f"{side}_pips"] = str(pips_of(shown, Side(side))) if match["game"] else ""
    out["on_roll"] = shown["on_roll"] or ""
    out["roll"] = _digits(shown["dice"]["roll"])
    out["cube"] = str(cube["value"]) if cube["in_use"] else ""
    out["cube_owner"] = cube["owner"] if cube["in_use"] else ""
    out["last_play"] = _last_play(plays[-1], match["nard"]) if plays else ""
    out["delay"] = f"{shown['delay_s']:g}"
    out["held"] = str(shown.get("held_s") or "")
    return {key: " ".join(value.split()) for key, value in out.items()}


def _last_play(play: PlayDocument, nard: bool) -> str:
    """The roll and its play; where there was none, nard has a word of its own for it."""
    text = "neshast" if nard and play["text"] == NO_PLAY else play["text"]
    return f"{_digits(play['roll'])}: {text}"


def _digits(roll: list[int] | None) -> str:
    return "".join(map(str, roll or []))


def _delays_now(delays: Delays) -> DelaysOut:
    out = {}
    for feed in FEEDS:
        kept, held = delays[feed], math.ceil(delays.held(feed))
        out[feed] = DelayOut(seconds=kept.seconds, fine=kept.fine, total=kept.total, held_s=held)
    return DelaysOut(**out)


@router.get(
    "/api/v1/push",
    response_model=PushOut,
    responses={k: v for k, v in FAILURES.items() if k in (401, 403)},
)
async def push(request: Request) -> PushOut:
    """Where the state is sent, and whether that goes well. The token is never told."""
    found: Push = request.app.state.push
    return PushOut(
        url=found.target.url,
        has_token=bool(found.target.token),
        sent=found.sent,
        problem=found.problem,
    )


@router.put(
    "/api/v1/push",
    response_model=PushOut,
    responses={**{k: v for k, v in FAILURES.items() if k != 404}, **UNREADABLE},
)
async def set_push(request: Request, given: PushIn) -> PushOut:
    """Send the public state to a website after each change, as late as the feed `push` says.

    An empty address stops it.
    """
    found: Push = request.app.state.push
    found.set(Target(given.url, given.token))
    request.app.state.access.audit(visitor_of(request).name, f"push to {given.url or 'nowhere'}")
    return await push(request)


@router.get(
    "/api/v1/delays",
    response_model=DelaysOut,
    responses={k: v for k, v in FAILURES.items() if k in (401, 403)},
)
async def delays(request: Request) -> DelaysOut:
    """How far each feed lags behind the table."""
    return _delays_now(request.app.state.delays)


@router.put("/api/v1/delays/{feed}", response_model=DelaysOut, responses={**FAILURES, **UNREADABLE})
async def set_delay(
    request: Request, feed: Literal["public", "overlay", "push"], given: DelayIn
) -> DelaysOut:
    """Set a feed's delay. A longer one takes effect at once: the feed says nothing until what it
    showed last is old enough. A shorter one catches up at once."""
    found: Delays = request.app.state.delays
    found.set(feed, Delay(given.seconds, given.fine))
    request.app.state.access.audit(
        visitor_of(request).name, f"delay of {feed} set to {given.seconds:g} {given.fine:+g} s"
    )
    for each in request.app.state.desks.values():
        each.delayed()
    return _delays_now(found)
