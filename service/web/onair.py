"""The camera's picture over HTTP: as a stream, as a still, and what staff may know of it. (E)"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from service.web.api import FAILURES, TABLE
from service.web.authority import desk, problem, visitor_of
from service.web.gallery import FullError, Gallery, placeholder
from service.web.pages import Lang, language_of
from service.web.schema import Failure, Responses, StreamOut, TableName
from service.web.shelf import Shot

router = APIRouter(tags=["broadcast"])
BOUNDARY: Final = "takhte"
FULL: Responses = {503: {"model": Failure, "description": "as many watch already as may"}}
Which = Annotated[
    Literal["", "overlay"],
    Query(
        alias="feed",
        description="overlay: with the overlay's delay, whoever asks; else the visitor's own",
    ),
]


def _audience(request: Request, table: str, which: str) -> str:
    """Staff see live unless they ask for what goes on the air; everybody else, players too, what
    guests see.
    """
    if which == "overlay":
        return "overlay"
    return "staff" if visitor_of(request).view_at(table) == "staff" else "public"


def _jpeg(shot: Shot, language: str) -> bytes:
    return shot.jpeg or placeholder(shot.why, language)


@router.get(
    f"{TABLE}/stream.jpg",
    response_class=Response,
    responses={**FAILURES, 200: {"content": {"image/jpeg": {}}}},
)
async def still(
    request: Request, table: TableName, which: Which = "", lang: Lang = None
) -> Response:
    """The camera's picture, cropped to the board, after the delay; or a picture that says why there
    is none (`x-why` names it).
    """
    shot = desk(request).gallery.shown(_audience(request, table, which))
    headers = {"x-why": shot.why} if shot.why else {}
    return Response(
        _jpeg(shot, language_of(request, lang).code), media_type="image/jpeg", headers=headers
    )


@router.get(
    f"{TABLE}/stream.mjpg",
    response_class=StreamingResponse,
    responses={**FAILURES, **FULL, 200: {"content": {"multipart/x-mixed-replace": {}}}},
)
async def stream(
    request: Request, table: TableName, which: Which = "", lang: Lang = None
) -> StreamingResponse:
    """The same as MJPEG, for OBS, an `<img>` or any player: the newest picture only, each for the
    same instant in time.
    """
    gallery: Gallery = desk(request).gallery
    language = language_of(request, lang).code
    address = request.client.host if request.client else ""
    try:
        shots = await gallery.watch(_audience(request, table, which), address)
    except FullError as error:
        raise problem(
            503,
            "crowded",
            "fewer viewers of this picture",
            address,
            "close one, or try again later",
        ) from error

    async def parts() -> AsyncIterator[bytes]:
        # The boundary follows each picture at once: a browser shows a picture when it has seen its
        # end.
        yield f"--{BOUNDARY}\r\n".encode()
        async for shot in shots:
            jpeg = _jpeg(shot, language)
            head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            yield head.encode() + jpeg + f"\r\n--{BOUNDARY}\r\n".encode()

    return StreamingResponse(
        parts(),
        media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}",
        headers={"x-accel-buffering": "no"},
    )


@router.get(f"{TABLE}/stream", name="about", response_model=StreamOut, responses=FAILURES)
async def about_stream(request: Request, table: TableName) -> StreamOut:
    """Whether the picture is shared, what of it is kept in memory, and who watches."""
    gallery: Gallery = desk(request).gallery
    shelf = gallery.shelf
    return StreamOut(
        shared=bool(gallery.terms.room),
        why=gallery.shown("staff").why,
        every_s=round(shelf.spacing, 2) if gallery.terms.room else None,
        kept=shelf.count,
        megabytes=round(shelf.size / 1e6, 1),
        megabytes_most=gallery.terms.room // 1_000_000,
        viewers=gallery.viewers,
    )
