"""The camera's picture on the air: a real camera process behind a real MJPEG address, cropped,
delayed, with consent, or a reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

from rules.words import LOCALE, languages
from service.web.delay import Delay
from service.web.gallery import (
    REASONS,
    VIEWERS,
    VIEWERS_PER_ADDRESS,
    FullError,
    placeholder,
)
from tests.service.web.browser import launch, opened, problems
from tests.service.web.serve import Served
from vision.camera.camera import Camera, open_camera

T = TypeVar("T")
S = "/api/v1/tables/t1/stream"
GUEST = {"via": "1.1 x"}
PICTURES, PACE = 240, 0.1
BOX = (40, 30, 240, 160)
PATIENCE = 60.0


def until(ask: Callable[[], T | None], why: str) -> T:
    end = time.monotonic() + PATIENCE
    while not (answer := ask()):
        assert time.monotonic() < end, f"{why} never came true"
        time.sleep(0.02)
    return answer


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures that say their own number: a grey board in a red room."""
    folder = tmp_path_factory.mktemp("film")
    left, top, width, height = BOX
    for k in range(PICTURES):
        image = np.full((240, 320, 3), (0, 0, 255), np.uint8)
        image[top : top + height, left : left + width] = 8 + k
        cv2.imwrite(str(folder / f"{k:04}.png"), image)
    return folder


@pytest.fixture
def camera(film: Path) -> Iterator[Camera]:
    """The table's camera: it takes an MJPEG address, as a phone's, and hands it on."""
    phone = open_camera(str(film), pace=PACE, broadcast=True)
    address = until(lambda: phone.broadcast, "the phone's address")
    until(phone.latest, "the phone's picture")
    table = open_camera(address, broadcast=True, cropped=20.0)
    until(table.latest, "the table's picture")
    yield table
    table.close()
    phone.close()


@pytest.fixture
def airing(tmp_path: Path, camera: Camera) -> Iterator[Served]:
    served = Served(tmp_path, picture_megabytes=64, picture_rate=20.0)
    served.table.camera = camera
    yield served
    served.close()


def number(jpeg: bytes) -> int:
    """Which picture this is; fails where anything but the board is in it."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None and image.shape == (BOX[3], BOX[2], 3), "cropped to the board"
    assert float(image.max(axis=2).astype(int).mean() - image.min(axis=2).mean()) < 12, (
        "no red room"
    )
    return round(float(image[20:-20, 20:-20].mean())) - 8


def still(served: Served, **more: Any) -> tuple[str, bytes]:
    """(why not, JPEG) for a guest, or as `more` says."""
    answer = httpx.get(f"{served.url}{S}.jpg", timeout=10, **{"headers": GUEST, **more})
    assert answer.status_code == 200 and answer.headers["content-type"] == "image/jpeg"
    return answer.headers.get("x-why", ""), answer.content


def parts(answer: httpx.Response) -> Iterator[bytes]:
    """The pictures of an MJPEG answer."""
    data = b""
    for chunk in answer.iter_raw():
        data += chunk
        while (head := data.find(b"\r\n\r\n")) >= 0:
            length = int(data[:head].rsplit(b"Content-Length:", 1)[1])
            if len(data) < head + 4 + length:
                break
            yield data[head + 4 : head + 4 + length]
            data = data[head + 4 + length :]


def test_nothing_leaves_before_the_board_was_found_and_then_only_the_board(
    airing: Served, camera: Camera
) -> None:
    assert until(lambda: still(airing)[0] == "no-board" and still(airing), "no board")[
        1
    ] == placeholder("no-board", "en")
    camera.crop(BOX)
    number(until(lambda: (found := still(airing))[0] == "" and found, "a picture")[1])
    camera.crop(None)
    until(lambda: still(airing)[0] == "no-board", "the board is gone")


def test_nothing_younger_than_the_delay_leaves_by_still_or_stream_whoever_asks(
    airing: Served, camera: Camera
) -> None:
    """Each picture that a guest or the stream gets is compared with when the camera took it; the
    delay is raised and lowered meanwhile.
    """
    taken: dict[int, float] = {}

    def watch() -> None:
        frame = camera.latest()
        if frame is not None:
            seen = round(float(frame.pixels[60:150, 80:240].mean())) - 8
            taken.setdefault(seen, frame.seen_at)

    delays, desk = airing.app.state.delays, airing.app.state.desks["t1"]
    for feed in ("public", "overlay"):
        delays.set(feed, Delay(2))
    desk.delayed()
    camera.crop(BOX)
    checked, last = 0, -1

    def check(jpeg: bytes, why: str, delay: float) -> None:
        nonlocal checked, last
        if why or jpeg in placeholders():
            return
        found, now = number(jpeg), time.monotonic()
        if found in taken:
            assert now - taken[found] >= delay, (
                f"picture {found} left after {now - taken[found]:.2f} s"
            )
            checked += 1
        assert found >= last, "it went back in time"
        last = found

    def look(delay: float, times: int) -> None:
        goal = checked + times
        end = time.monotonic() + PATIENCE
        while checked < goal:
            assert time.monotonic() < end
            watch()
            for query in ("", "?feed=overlay", "?feed=overlay&lang=fa"):
                answer = httpx.get(
                    f"{airing.url}{S}.jpg{query}", headers=GUEST if not query else {}, timeout=10
                )
                check(answer.content, answer.headers.get("x-why", ""), delay)

    look(2, 30)
    for feed in ("public", "overlay"):
        delays.set(feed, Delay(4))
    desk.delayed()
    assert still(airing) == ("waiting", placeholder("waiting", "en"))
    look(4, 30)
    for feed in ("public", "overlay"):
        delays.set(feed, Delay(1))
    desk.delayed()
    with httpx.stream("GET", f"{airing.url}{S}.mjpg?feed=overlay", timeout=20) as answer:
        goal = checked + 10
        for jpeg in parts(answer):
            watch()
            check(jpeg, "", 1)
            if checked >= goal:
                break


def placeholders() -> set[bytes]:
    return {placeholder(why, code) for why in REASONS for code in languages()}


def test_staff_see_live_and_players_what_guests_see(airing: Served, camera: Camera) -> None:
    camera.crop(BOX)
    airing.app.state.delays.set("public", Delay(3600))
    airing.app.state.desks["t1"].delayed()
    number(
        until(
            lambda: (found := still(airing, headers={}))[0] == "" and found, "the console's picture"
        )[1]
    )
    assert still(airing)[0] == "waiting"
    from service.journal.entry import Role
    from service.web.policy import Visitor

    token = airing.app.state.access.open_session(Visitor("p", Role.PLAYER, "white"))
    assert still(airing, headers={"authorization": f"Bearer {token}"})[0] == "waiting"
    about = httpx.get(airing.url + S).json()
    assert (
        about["shared"]
        and about["why"] == ""
        and about["megabytes_most"] == 64
        and about["kept"] >= 1
    )
    assert httpx.get(airing.url + S, headers=GUEST).status_code == 401


def test_after_a_restart_of_the_web_process_the_delay_holds(airing: Served, camera: Camera) -> None:
    camera.crop(BOX)
    airing.app.state.delays.set("overlay", Delay(0))
    query = {"params": {"feed": "overlay"}}
    until(lambda: still(airing, **query)[0] == "", "a picture")
    airing.app.state.delays.set("overlay", Delay(600))
    airing.leave()
    again = Served(
        airing.table.journal.parent, table=airing.table, picture_megabytes=64, picture_rate=20.0
    )
    try:
        until(lambda: again.app.state.desks["t1"].gallery.shelf.count >= 5, "pictures that wait")
        assert still(again, **query) == ("waiting", placeholder("waiting", "en"))
    finally:
        again.leave()


def test_without_consent_nothing_is_taken_in_and_nothing_leaves(
    tmp_path: Path, camera: Camera
) -> None:
    served = Served(tmp_path)
    served.table.camera = camera
    camera.crop(BOX)
    try:
        for headers in ({}, GUEST):
            assert still(served, headers=headers) == ("off", placeholder("off", "en"))
        with httpx.stream(
            "GET", f"{served.url}{S}.mjpg", headers={**GUEST, "accept-language": "fa"}, timeout=20
        ) as answer:
            assert next(parts(answer)) == placeholder("off", "fa")
        assert httpx.get(served.url + S).json()["shared"] is False
        assert not served.app.state.desks["t1"].gallery.shelf.count
    finally:
        served.close()


def test_a_camera_that_stops_is_said(airing: Served, camera: Camera) -> None:
    camera.crop(BOX)
    until(lambda: still(airing)[0] == "", "a picture")
    airing.table.camera = None
    camera.close()
    # The hand-worked table says "off" where it has no camera; what is shown is never an old
    # picture.
    until(lambda: still(airing)[0] in ("no-camera", "off"), "word that there is no picture")


def test_viewers_are_limited(served: Served) -> None:
    import asyncio

    gallery = served.app.state.desks["t1"].gallery

    async def crowd(address: str, most: int) -> int:
        watching = []
        try:
            for _ in range(most + 1):
                viewer = await gallery.watch("public", address)
                await anext(viewer)
                watching.append(viewer)
        except FullError:
            return len(watching)
        finally:
            for viewer in watching:
                await viewer.aclose()
        return -1

    assert asyncio.run(crowd("192.0.2.7", VIEWERS)) == VIEWERS_PER_ADDRESS
    assert asyncio.run(crowd("127.0.0.1", VIEWERS)) == VIEWERS
    assert gallery.viewers == 0


def test_every_reason_has_its_picture_in_every_language() -> None:
    for code in languages():
        found = {path.name for path in (LOCALE / code / "air").iterdir()}
        assert found == {f"{why}.jpg" for why in REASONS}
    assert placeholder("off", "../fa") == placeholder("off", "xx") == placeholder("off", "en")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("consent", "words"), [(64, "Shared: guests and the stream"), (0, "Not shared: nobody outside")]
)
def test_the_arbiters_page_says_whether_it_is_shared(
    tmp_path: Path, consent: int, words: str
) -> None:
    served = Served(tmp_path, picture_megabytes=consent)
    try:
        with (
            sync_playwright() as playwright,
            opened(launch(playwright), served.url + "/arbiter") as page,
        ):
            expect(page.locator("#sharing")).to_contain_text(words)
            page.locator("#air").click()
            expect(page.get_by_role("dialog")).to_contain_text(words)
            assert not problems(page)
    finally:
        served.close()
