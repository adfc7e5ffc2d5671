"""The pages' files travel packed, and are the same files for whoever unpacks them."""

from __future__ import annotations

import asyncio
import os
import re
import struct
from pathlib import Path

import anyio.to_thread
import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from service.web.assembled import STATIC
from service.web.static_files import PackedFiles
from tests.service.web.serve import Served

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


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=10-", 206, slice(10, None)),
        ("bytes=-7", 206, slice(-7, None)),
        ("bytes=0-999999999", 206, slice(None)),
        ("bytes=999999999-", 416, slice(0)),
        ("bytes=9-3", 416, slice(0)),
        ("bytes=0-1,5-6", 200, slice(None)),
        ("lines=0-1", 200, slice(None)),
        ("bytes=-", 200, slice(None)),
    ],
)
def test_a_range_is_of_the_file_itself(asked: str, status: int, part: slice) -> None:
    answer = get(STATIC, "js/board.js", {"range": asked})
    assert answer.status_code == status
    assert answer.content == (STATIC / "js/board.js").read_bytes()[part]


@pytest.mark.parametrize("name", ["js", "js/nothing.js", "x" * 5000, "js/a%00b", "..%2fapp.py", ""])
def test_what_is_no_file_is_not_found(name: str) -> None:
    assert get(STATIC, name).status_code == 404


def test_no_file_waits_for_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crowd that asks for files has no way to fill the threads that others wait for."""

    async def none_left(*_: object, **__: object) -> None:
        raise AssertionError("a file was asked for beside the event loop")

    monkeypatch.setattr(anyio.to_thread, "run_sync", none_left)
    app = PackedFiles(directory=STATIC)
    app.config_checked = True
    for headers in ({}, PLAIN, {"range": "bytes=0-9"}):
        scope = {
            "type": "http",
            "method": "GET",
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        }
        answer = asyncio.run(app.get_response("js/board.js", scope))
        assert answer.status_code in (200, 206) and answer.body


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


def test_a_home_screen_gets_icons_of_the_sizes_that_are_told(served: Served) -> None:
    """iOS takes no SVG, and an installable page must have 192 and 512."""
    told = httpx.get(f"{served.url}/manifest.json").json()["icons"]
    sizes = {icon["src"]: icon["sizes"] for icon in told if icon["type"] == "image/png"}
    linked = re.search(r'rel="apple-touch-icon" href="([^"]+)"', httpx.get(served.url).text)
    assert linked
    for address, size in {**sizes, linked[1]: "180x180"}.items():
        answer = httpx.get(served.url + address)
        assert answer.headers["content-type"] == "image/png"
        wide, high = struct.unpack(">II", answer.content[16:24])
        assert f"{wide}x{high}" == size
    assert {"192x192", "512x512"} <= set(sizes.values())
