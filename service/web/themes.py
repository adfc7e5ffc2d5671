"""Themes of the overlay: files of the club's own in the folder `air` of the data folder, given out
as far as they are understood. (E)

A theme holds nothing of a table, and whoever watches may read it: what it says of people are
pictures and countries that the club put there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.web.api import FAILURES
from service.web.authority import problem

router = APIRouter(tags=["broadcast"], responses={404: FAILURES[404]})
FOLDER: Final = "air"
LARGEST_PICTURE: Final = 2_000_000
LARGEST_THEME: Final = 200_000
KINDS: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}
FILE: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,60}\.(png|jpg|jpeg|webp)$"
PictureFile = Annotated[str, Field(pattern=FILE)]
ThemeName = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{1,32}$")]


class PersonOut(BaseModel):
    """Who somebody is on the air."""

    model_config = ConfigDict(extra="forbid")
    country: Annotated[str, Field(max_length=12)] = ""
    picture: PictureFile | None = None
    """A portrait or a flag."""
    badge: PictureFile | None = None
    """A club's."""


class ThemeOut(BaseModel):
    """How the overlay looks; what is not said is as it is built in."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "base": "glass",
                    "layout": "side",
                    "colours": {"card": "#10203ae6", "accent": "#ffb000"},
                    "round": "Round 3",
                    "sponsor": "Cafe Naderi",
                    "people": {"Mahsa Rahimi": {"country": "IRI", "picture": "mahsa.jpg"}},
                }
            ]
        },
    )
    base: Literal["glass", "paper"] = "glass"
    layout: Literal["corner", "line", "side", "full", "pip"] = "corner"
    font: Literal["vazirmatn", "sans", "serif", "mono"] = "vazirmatn"
    colours: dict[
        Literal["card", "ink", "soft", "edge", "accent", "accent_ink"],
        Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$")],
    ] = Field(default_factory=dict)
    round: Annotated[str, Field(max_length=80)] = ""
    third: Annotated[str, Field(max_length=140)] = ""
    sponsor: Annotated[str, Field(max_length=80)] = ""
    sponsor_picture: PictureFile | None = None
    logo: PictureFile | None = None
    people: dict[str, PersonOut] = Field(default_factory=dict, max_length=500)


@router.get("/themes/{name}.json", response_model=ThemeOut)
async def theme(request: Request, name: ThemeName) -> ThemeOut:
    """A theme of the overlay, from `air/NAME.json` in the data folder."""
    path: Path = request.app.state.config.folder / FOLDER / f"{name}.json"
    try:
        with path.open(encoding="utf-8") as file:
            return ThemeOut.model_validate_json(file.read(LARGEST_THEME))
    except OSError as error:
        raise problem(
            404, "no_theme", f"a file {FOLDER}/{name}.json in the data folder", name, "write it"
        ) from error
    except (ValidationError, UnicodeDecodeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        where = "/".join(map(str, first["loc"])) if first else "its letters"
        raise problem(
            422,
            "bad_theme",
            f"a theme as docs/broadcast.md describes it: {first['msg'] if first else 'UTF-8'}",
            where,
            f"mend {FOLDER}/{name}.json",
        ) from error


@router.get("/themes/pictures/{file}", response_class=Response)
async def theme_picture(request: Request, file: Annotated[str, InPath(pattern=FILE)]) -> Response:
    """A picture that a theme names, from the folder `air` of the data folder."""
    assert re.fullmatch(FILE, file)
    path: Path = request.app.state.config.folder / FOLDER / file
    try:
        if path.stat().st_size > LARGEST_PICTURE:
            raise OSError("too large")
        data = path.read_bytes()
    except OSError as error:
        raise problem(
            404,
            "no_picture",
            f"a picture {FOLDER}/{file} of at most {LARGEST_PICTURE // 1_000_000} MB",
            file,
            "put it there",
        ) from error
    kind = KINDS[path.suffix.lower()]
    return Response(data, media_type=kind, headers={"cache-control": "max-age=60"})
