"""Evidence behind the record: entries in full, pictures, the export.

Staff only, never public. (E)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParam
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool

from rules.board import Side
from service.journal.paths import picture_path, plain_path
from service.web.api import FAILURES, LARGEST_SEQ, TABLE, ask_table
from service.web.authority import RefusedRequest, desk, problem
from service.web.desk import Desk
from service.web.export import bundle
from service.web.ports import NoJournalError, TableDownError, row_of
from service.web.records import readable
from service.web.schema import Answer, Responses, TableName
from service.web.tablelink import RefusedError

router = APIRouter(tags=["evidence"])
JPEG: Responses = {**FAILURES, 200: {"content": {"image/jpeg": {}}}}
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@router.get(f"{TABLE}/entries/{{seq}}", response_model=Answer, responses=FAILURES)
async def entry(
    request: Request, table: TableName, seq: Annotated[int, PathParam(ge=1, le=LARGEST_SEQ)]
) -> Answer:
    """One entry as it was sealed: who said so, from what evidence, how sure, which pictures, its
    hash; and `why` with words by language where it says which rule was broken.
    """
    try:
        found = row_of(desk(request).record, seq)
    except NoJournalError as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error
    if found is None:
        raise problem(
            404, "no_entry", "the number of an entry", str(seq), "GET .../entries lists them"
        )
    return Answer(result=readable(found, "staff"))


@router.get(f"{TABLE}/pictures/{{picture}}", response_class=FileResponse, responses=JPEG)
async def evidence_picture(request: Request, table: TableName, picture: str) -> Response:
    """A picture kept as evidence of an entry, cropped to the board; at a hall, from the table.

    It is gone after the event's `evidence_hours`, or the machine's `evidence.keep_hours`.
    """
    found = desk(request)
    folder = pictures_of(found)
    if folder is None and _ID.fullmatch(picture):
        return Response(await _from_afar(found, picture), media_type="image/jpeg")
    path = folder / f"{picture}.jpg" if folder else None
    if path is None or not _ID.fullmatch(picture) or not path.is_file():
        raise problem(
            404,
            "no_picture",
            "the id of a picture that is still kept",
            picture,
            "pictures are kept as long as the event or the machine says",
        )
    return FileResponse(path, media_type="image/jpeg")


async def _from_afar(found: Desk, picture: str) -> bytes:
    """A picture that lies at a table on another machine, which may have it no more."""
    try:
        jpeg = await found.link.ask("picture", {"picture": picture})
    except TableDownError as error:
        raise problem(503, "table_down", str(error), picture, "try again in a while") from error
    except RefusedError as error:
        raise RefusedRequest(404, error.refusal) from error
    return jpeg if isinstance(jpeg, bytes) else b""


@router.get(f"{TABLE}/camera.jpg", response_class=Response, responses=JPEG)
async def camera(
    request: Request, table: TableName, plain: bool = False, seat: Side = Side.WHITE
) -> Response:
    """The newest camera picture, with what was believed drawn on it and this seat's home below, or
    plain as the camera sees it.
    """
    journal = desk(request).journal
    try:
        if journal is None:
            raise FileNotFoundError("the table is on another machine")
        path = plain_path(journal) if plain else picture_path(journal, seat)
        jpeg = await run_in_threadpool(path.read_bytes)
    except OSError as error:
        raise problem(
            404,
            "no_camera",
            "a table with a camera that sees",
            table,
            "check the camera: takhte doctor",
        ) from error
    return Response(jpeg, media_type="image/jpeg")


@router.get(
    f"{TABLE}/export.zip",
    response_class=Response,
    responses={**FAILURES, 200: {"content": {"application/zip": {}}}},
)
async def export_match(request: Request, table: TableName, pictures: bool = True) -> Response:
    """Everything about the match in one file: journal, state, match files where they can be made,
    score sheet, pictures.
    """
    found = desk(request)
    try:
        data = await run_in_threadpool(bundle, found, pictures_of(found) if pictures else None)
    except NoJournalError as error:
        raise problem(404, "no_journal", str(error), table, "start the table") from error
    headers = {"content-disposition": f'attachment; filename="takhte-{table}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)


@router.post(
    f"{TABLE}/hardware/{{what}}", response_model=Answer, responses={**FAILURES, 409: {}, 503: {}}
)
async def hardware(request: Request, table: TableName, what: str) -> Answer:
    """What the first-use pages ask of the machine: boards, cameras, corners, the board's firmware,
    or a probe (leds, sensors, clock).
    """
    if what in ("boards", "cameras", "corners", "firmware"):
        return Answer(result=await ask_table(desk(request), what))
    if what in ("leds", "sensors", "clock"):
        return Answer(result=await ask_table(desk(request), "probe", {"what": what}))
    raise problem(
        404, "no_probe", "boards, cameras, corners, firmware, leds, sensors or clock", what
    )


def pictures_of(found: Desk) -> Path | None:
    """Where a table's evidence pictures lie, None where the table is on another machine."""
    journal = found.journal
    return journal.with_name(journal.stem + ".pictures") if journal else None
