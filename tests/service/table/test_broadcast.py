"""The picture for the stream through real processes: a phone's address, the table's one camera, the
board found in it, the page.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from service.table.outputs import box_of, cropped
from tests.ports import free_port
from tests.service.table.world import running, until
from vision.camera.camera import Camera, open_camera
from vision.frame import Frame
from vision.geometry import from_corners

PHOTO = Path(__file__).parents[2] / "data/vision/board_117.jpg"


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Camera]:
    """A phone over the board: the same view again and again."""
    film = tmp_path / "film"
    film.mkdir()
    for k in range(400):
        shutil.copy(PHOTO, film / f"{k:03}.jpg")
    with open_camera(str(film), pace=0.2, broadcast=True) as camera:
        until(lambda: camera.broadcast and camera.latest(), "the phone's picture")
        yield camera


@pytest.mark.parametrize("consent", [True, False])
def test_one_camera_serves_the_referee_and_the_stream(
    tmp_path: Path, phone: Camera, consent: bool
) -> None:
    whole = cv2.imread(str(PHOTO))
    assert whole is not None and phone.broadcast is not None
    (tmp_path / "takhte.toml").write_text(
        f"[table]\ndata = '{tmp_path / 'data'}'\n[broadcast]\npicture ="
        f" {str(consent).lower()}\npicture_megabytes = 32\n"
    )
    port = free_port()
    address = f"http://127.0.0.1:{port}/api/v1/tables/t1/stream.jpg"
    with running(tmp_path, "run", "--camera", phone.broadcast, "--port", str(port)) as table:

        def answer() -> httpx.Response | None:
            try:
                return httpx.get(address, headers={"via": "1.1 x"}, timeout=10)
            except httpx.HTTPError:
                return None

        wanted = "" if consent else "off"
        found = until(
            lambda: (a := answer()) and a.headers.get("x-why", "") == wanted and a,
            "the picture",
            table,
        )
        shown = cv2.imdecode(np.frombuffer(found.content, np.uint8), cv2.IMREAD_COLOR)
        assert shown is not None
        if consent:
            assert shown.shape[0] < whole.shape[0] or shown.shape[1] < whole.shape[1], (
                "cropped to the board"
            )
        assert table.end() == 0


@pytest.mark.parametrize(
    ("corners", "box"), [(((100, 80), (540, 80), (540, 400), (100, 400)), (73, 53, 494, 374))]
)
def test_the_box_is_the_board_and_its_rails(
    corners: tuple[tuple[int, int], ...], box: tuple[int, int, int, int]
) -> None:
    board_map = from_corners(corners, (640, 480))
    assert box_of(board_map, 640, 480) == pytest.approx(box, abs=2)
    half = box_of(board_map, 320, 240)
    assert half == pytest.approx([v / 2 for v in box], abs=2)
    frame = Frame(np.zeros((480, 640, 3), np.uint8), 0.0, 1)
    assert cropped(frame.pixels, board_map).shape[:2] == box_of(board_map, 640, 480)[:1:-1]
    assert not cropped(frame.pixels, None).size, "no board, nothing to show"
