"""The pages' files travel packed, and are the same files for whoever unpacks them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from service.web.assembled import STATIC
from service.web.static_files import PackedFiles

PLAIN = {"accept-encoding": "identity"}
TEXT = ["js/board.js", "css/table.css", "schema/state-1.json"]


def get(folder: Path, name: str, headers: dict[str, str] | None = None) -> httpx.Response:
    """What a browser gets that asks for a file of the folder."""
    app = Starlette(routes=[Mount("/static", PackedFiles(directory=folder))])

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            return await client.get(f"/static/{name}", headers=headers)

    return asyncio.run(ask())


@pytest.mark.parametrize("name", TEXT)
def test_text_travels_packed_and_unpacks_to_the_file(name: str) -> None:
    answer = get(STATIC, name)
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.content == (STATIC / name).read_bytes()
    assert int(answer.headers["content-length"]) < len(answer.content) / 2


@pytest.mark.parametrize("name", TEXT)
def test_whoever_takes_no_gzip_gets_the_file_itself(name: str) -> None:
    packed, plain = (get(STATIC, name, h) for h in ({}, PLAIN))
    assert "content-encoding" not in plain.headers
    assert plain.content == (STATIC / name).read_bytes()
    assert plain.headers["content-type"] == packed.headers["content-type"]
    assert plain.headers["etag"] != packed.headers["etag"]
    assert plain.headers["vary"] == "accept-encoding"


def test_fonts_and_pictures_are_left_as_they_are() -> None:
    for name in ("font/vazirmatn-latin.woff2", "font/vazirmatn-arabic.woff2"):
        answer = get(STATIC, name)
        assert "content-encoding" not in answer.headers
        assert answer.content == (STATIC / name).read_bytes()


def test_a_range_is_of_the_file_itself() -> None:
    answer = get(STATIC, "js/board.js", {"range": "bytes=0-9"})
    assert answer.status_code == 206
    assert answer.content == (STATIC / "js/board.js").read_bytes()[:10]


@pytest.mark.parametrize("headers", [{}, PLAIN])
def test_a_browser_that_has_it_is_told_so(headers: dict[str, str]) -> None:
    tag = get(STATIC, "js/board.js", headers).headers["etag"]
    again = get(STATIC, "js/board.js", {**headers, "if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag


def test_a_changed_file_is_packed_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.css"
    for n, text in enumerate(("a{}" * 100, "b{}" * 100)):
        file.write_text(text)
        os.utime(file, ns=(n, n))
        assert get(tmp_path, "a.css").text == text
