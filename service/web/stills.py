"""Board and score as PNG pictures, for mixers that know no browser; after the overlay's delay. (E)

A picture of what is not known is there too, as large and wholly transparent: a mixer that asks once
a second shows nothing then, and no error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

import resvg_py
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from rules.axes import Facing
from rules.board import Colour, Corner, Placement, Seating, Side
from rules.cube import Cube
from rules.dice import Roll
from service.report.drawn import HEIGHT, TOP, WIDTH, board_svg
from service.show import score_picture
from service.show.document import StateDocument
from service.web.broadcast import FOUND, At, shown_on_air
from service.web.pages import Lang, language_of
from service.web.schema import TableName

router = APIRouter(tags=["broadcast"])
ANSWERS: Final = {**FOUND, 200: {"content": {"image/png": {}}}}
Width = Annotated[int, Query(ge=160, le=3840, description="pixels; the height goes with it")]
FONT: Final = str(Path(__file__).parent / "data" / "vazirmatn-600.ttf")
_IN_FONT: Final = (
    *((0x20, 0xFF), (0x2010, 0x203A), (0x2066, 0x2069)),
    *((0x600, 0x6FF), (0x200C, 0x200F)),
)
"""Letters that the font has which ships."""


@router.get("/score.png", response_class=Response, responses=ANSWERS)
async def score_png(
    request: Request,
    table: TableName | None = None,
    at: At = None,
    lang: Lang = None,
    theme: score_picture.Theme = "glass",
    width: Width = score_picture.WIDTH,
) -> Response:
    """The score as the overlay has it: names, pips, cube, clocks, points, roll."""
    language = language_of(request, lang)
    return await _picture(
        request, table, at, width, lambda shown: score_picture.score_svg(shown, language, theme)
    )


@router.get("/board.png", response_class=Response, responses=ANSWERS)
async def board_png(
    request: Request, table: TableName | None = None, at: At = None, width: Width = 960
) -> Response:
    """The board as the overlay has it, from White's seat: checkers, cube and roll."""
    return await _picture(request, table, at, width, drawn_board)


async def _picture(
    request: Request,
    table: str | None,
    at: float | None,
    width: int,
    draw: Callable[[StateDocument | None], str],
) -> Response:
    shown = await shown_on_air(request, table, at)
    picture = await run_in_threadpool(lambda: png_of(draw(shown), width))
    return Response(picture, media_type="image/png")


def drawn_board(shown: StateDocument | None) -> str:
    """The board of a document as SVG, an empty picture where no game is on it."""
    if shown is None or not shown["match"]["game"]:
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 2 * TOP}"/>'
    board, roll, cube = shown["board"], shown["dice"]["roll"], shown["cube"]
    owner = None if cube["owner"] == "centre" else Side(cube["owner"])
    return board_svg(
        Placement(tuple(board["white"]), tuple(board["black"])),
        cube=Cube(cube["value"], owner) if cube["in_use"] else None,
        roll=Roll.of(roll[0], roll[1]) if roll else None,
        side=Side(shown["on_roll"]) if shown["on_roll"] else None,
        seating=Seating(Colour(board["seating"]["white"]), Corner(board["seating"]["home"])),
        facing=Facing(board["facing"]),
    )


@lru_cache(maxsize=32)
def png_of(svg: str, width: int) -> bytes:
    """A drawing as PNG. The last few are kept: what does not change is drawn once for everybody."""
    # This machine's fonts are looked for where they are needed alone: that takes a while.
    ours = all(any(low <= ord(c) <= high for low, high in _IN_FONT) for c in svg)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=[FONT],
            sans_serif_family="Vazirmatn",
            skip_system_fonts=ours,
        )
    )
