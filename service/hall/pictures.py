"""A picture kept as evidence at a table, asked for by the hall: both ends of the question (E).

Nothing of it goes through the stream, and the hall keeps none: the table answers the hall's own
signed question over its encrypted line, in parts, since a message has its bounds.
"""

from __future__ import annotations

import base64
import re
import secrets
from pathlib import Path
from typing import Final

from service.hall.line import Line, LineDownError
from service.hall.wire import Command
from service.referee.refusal import AnswerLine, Found, Refusal
from service.web.ports import TableDownError
from service.web.tablelink import RefusedError

ASKED: Final = "picture"
"""What such a question is called where orders have their names."""
PART: Final = 256 * 1024
LARGEST_PICTURE: Final = 4_000_000
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_GONE: Final = "pictures are kept as long as the event or the machine says"


def part_of(folder: Path, picture: object, start: object) -> AnswerLine:
    """The table's answer: so much of a picture as one message holds, and the length of all of it.
    Blocking.
    """
    if not isinstance(picture, str) or not _ID.fullmatch(picture) or not isinstance(start, int):
        return Refusal("no_picture", "the id of a picture", str(picture)[:80], _GONE).answer_json()
    try:
        whole = (folder / f"{picture}.jpg").read_bytes()
    except OSError:
        gone = Refusal("no_picture", "a picture that is still kept", picture, _GONE)
        return gone.answer_json()
    part = base64.b64encode(whole[max(0, start) :][:PART]).decode()
    return {"ok": True, "result": {"bytes": len(whole), "part": part}}


async def picture_from(line: Line, table: str, picture: str, until: float) -> bytes:
    """The picture, from its table, by this table time. Raises TableDownError, RefusedError."""
    found, size = b"", 1
    while len(found) < size:
        asked = Command(
            secrets.token_hex(8),
            1,
            table,
            ASKED,
            {"picture": picture, "from": len(found)},
            "hall",
            "arbiter",
            until,
        )
        try:
            answer = await line.order(asked)
        except LineDownError as error:
            raise TableDownError(str(error)) from error
        if isinstance(answer, Refusal):
            raise RefusedError(answer)
        size, part = _read(answer.result if isinstance(answer, Found) else None)
        found += part
    return found


def _read(result: object) -> tuple[int, bytes]:
    """How long the picture is, and a part of it. Raises TableDownError."""
    match result:
        case {"bytes": int(size), "part": str(text)} if 0 < size <= LARGEST_PICTURE and text:
            try:
                return size, base64.b64decode(text, validate=True)
            except ValueError:
                pass
    raise TableDownError("expected a part of a picture, got something else: ask again")
