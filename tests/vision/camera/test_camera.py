"""Cameras against real files, folders and a server on the loopback; no device is needed."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import pytest

from vision.arrays import Pixels
from vision.camera.camera import Camera, CameraError, open_camera
from vision.camera.controls import hold, release
from vision.camera.memory import FeedState, FeedStatus, PictureMemory, create_memory
from vision.camera.sources import SourceError, bounded_picture, check_source, open_source
from vision.camera.stream import PictureServer
from vision.frame import Frame

PATIENCE = 60.0
"""Seconds after which a wait is called hopeless; nothing here asserts how quick a thing is."""


T = TypeVar("T")


def until(ask: Callable[[], T | None]) -> T:
    end = time.monotonic() + PATIENCE
    while not (answer := ask()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return answer


def grey(level: int, size: tuple[int, int] = (96, 72)) -> Pixels:
    return np.full((size[1], size[0], 3), level, np.uint8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for k in range(4):
        cv2.imwrite(str(tmp_path / f"{k}.png"), grey(40 * k + 20))
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "match.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, (96, 72))
    for k in range(6):
        writer.write(grey(30 * k + 20))
    writer.release()
    return path


@pytest.fixture
def opened() -> Iterator[Callable[..., Camera]]:
    cameras: list[Camera] = []

    def start(*args: object, **kwargs: object) -> Camera:
        cameras.append(open_camera(*args, **kwargs))  # type: ignore[arg-type]
        return cameras[-1]

    yield start
    for camera in cameras:
        camera.close()


def test_folder_is_played_to_its_end(folder: Path, opened: Callable[..., Camera]) -> None:
    camera = opened(str(folder), pace=0.01)
    assert math.isinf(camera.age(0.0)) or camera.latest() is not None
    until(lambda: camera.ended)
    frame = camera.latest()
    assert (
        frame is not None
        and frame.number == 4
        and frame.pixels.shape == (72, 96, 3)
        and int(frame.pixels.mean()) == 140
    )
    assert camera.problem is None
    now = time.monotonic()
    assert 0 <= camera.age(now) <= now - frame.seen_at + 1


def test_video_comes_by_its_own_stamps(video: Path, opened: Callable[..., Camera]) -> None:
    source = open_source(str(video))
    dues = []
    while (got := source.read()) is not None:
        dues.append(got[1])
    source.close()
    assert len(dues) == 6 and dues[0] < 0.05 and np.allclose(np.diff(dues), 0.04, atol=0.005)
    camera = opened(str(video))
    until(lambda: camera.ended)
    frame = camera.latest()
    assert frame is not None and frame.number == 6 and abs(float(frame.pixels.mean()) - 170) < 6


def test_one_picture(folder: Path, opened: Callable[..., Camera]) -> None:
    camera = opened(str(folder / "2.png"))
    until(lambda: camera.ended)
    assert camera.latest() is not None


def test_stream_over_the_loopback_and_back(folder: Path, opened: Callable[..., Camera]) -> None:
    first = opened(str(folder), pace=0.2, broadcast=True)
    address = until(lambda: first.broadcast)
    second = opened(address)
    frame = until(second.latest)
    assert frame.pixels.shape == (72, 96, 3) and second.problem is None
    until(lambda: first.ended)
    last = until(lambda: (f := second.latest()) and abs(float(f.pixels.mean()) - 140) < 3 and f)
    assert last.number >= 1
    with urllib.request.urlopen(
        address.replace("stream.mjpg", "frame.jpg"), timeout=PATIENCE
    ) as answer:
        still = cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR)
    assert still is not None and abs(float(still.mean()) - 140) < 3
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address.replace("stream.mjpg", "passwd"), timeout=PATIENCE)


def test_lost_address_is_told_and_found_again(folder: Path, opened: Callable[..., Camera]) -> None:
    first = opened(str(folder), pace=0.2, broadcast=True)
    address = until(lambda: first.broadcast)
    second = opened(address)
    until(second.latest)
    first.close()
    assert "tried again" in until(lambda: second.problem)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "no camera was named"),
        ("nowhere.mp4", "there is no"),
        ("gopher://table", "expected http, https, rtsp"),
        ("empty", "holds no pictures"),
    ],
)
def test_what_can_never_work_is_refused_at_once(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CameraError, match=words):
        open_camera(str(tmp_path / name) if name and "://" not in name else name)


def test_no_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, who may read everything: ask as somebody else would be answered.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(CameraError, match=r"chmod u\+r"):
        open_camera(str(folder))
    with pytest.raises(SourceError, match="group video"):
        check_source("/dev/null")


def test_text_as_video_and_missing_device(tmp_path: Path, opened: Callable[..., Camera]) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("Dear board,\n" * 200)
    camera = opened(str(text))
    assert "not a video" in until(lambda: camera.problem)
    assert camera.latest() is None and not camera.ended
    absent = opened("977")
    assert "no camera at /dev/video977" in until(lambda: absent.problem)
    with pytest.raises(SourceError) as error:
        check_source("977")
    assert error.value.retry


def test_child_killed_is_started_again(folder: Path, opened: Callable[..., Camera]) -> None:
    camera = opened(str(folder), pace=60.0)
    until(camera.latest)
    os.kill(camera._process.pid, signal.SIGKILL)
    assert "being started again" in until(lambda: camera.problem)
    assert camera.latest() is not None, "the last picture stays"
    until(lambda: camera.problem is None)
    again = camera.latest()
    assert again is not None and again.number == 2


def test_nothing_is_left_when_the_parent_is_killed(folder: Path) -> None:
    shared = Path("/dev/shm")
    before = set(shared.iterdir()) if shared.is_dir() else set()
    script = (
        "import sys, time\nfrom vision.camera.camera import open_camera\n"
        "c = open_camera(sys.argv[1], pace=60.0)\n"
        "while c.latest() is None: time.sleep(0.02)\n"
        "print(c._process.pid, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    until(lambda: not _alive(child))
    assert not shared.is_dir() or set(shared.iterdir()) <= before


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_memory_gives_whole_pictures_and_words() -> None:
    fd = create_memory()
    writer, reader = PictureMemory(fd), PictureMemory(fd)
    assert reader.newest() is None and reader.seen_at() is None
    for k in range(7):
        writer.publish(Frame(grey(k, (64 + k, 70)), 5.0 + k, k))
    frame = reader.newest()
    assert (
        frame is not None
        and frame.number == 6
        and frame.seen_at == 11.0
        and frame.pixels.shape == (70, 70, 3)
        and frame.pixels.max() == 6
    )
    writer.say(FeedStatus(FeedState.TROUBLE, "ausgefallen – کابل", 8080))
    assert reader.status() == FeedStatus(FeedState.TROUBLE, "ausgefallen – کابل", 8080)
    for memory in (writer, reader):
        memory.close()
    os.close(fd)


@pytest.mark.parametrize("shape", [(80, 90), (80, 90, 4), (80, 90, 1)])
def test_any_picture_is_made_to_fit(shape: tuple[int, ...]) -> None:
    assert bounded_picture(np.full(shape, 300, np.uint16)).shape == (80, 90, 3)
    with pytest.raises(SourceError, match="got 2x3"):
        bounded_picture(np.zeros((3, 2, 3), np.uint8))


def test_huge_picture_is_shrunk() -> None:
    small = bounded_picture(np.zeros((4000, 8000, 3), np.uint8))
    assert (
        small.shape[0] * small.shape[1] <= 16_000_000
        and abs(small.shape[1] / small.shape[0] - 2) < 0.01
    )


class _Webcam:
    """A webcam as V4L2 shows it: an automatic exposure that drifts until it is switched off, no
    focus motor.
    """

    def __init__(self) -> None:
        self.settings: dict[int, float] = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 3,
            cv2.CAP_PROP_EXPOSURE: 156,
            cv2.CAP_PROP_AUTO_WB: 1,
            cv2.CAP_PROP_WB_TEMPERATURE: 4600,
        }

    def get(self, control: int, /) -> float:
        return self.settings.get(control, 0.0)

    def set(self, control: int, value: float, /) -> bool:
        if control not in self.settings:
            return False
        self.settings[control] = value
        return True


def test_controls_are_held_and_given_back() -> None:
    webcam = _Webcam()
    held = hold(webcam)
    assert dict(held.values) == {"exposure": 156, "white balance": 4600} and held.not_held == (
        "focus",
    )
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1 and webcam.get(cv2.CAP_PROP_AUTO_WB) == 0
    release(webcam, held)
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3 and webcam.get(cv2.CAP_PROP_AUTO_WB) == 1


def test_a_cropped_broadcast_hands_on_the_box_and_nothing_before(
    tmp_path: Path, opened: Callable[..., Camera]
) -> None:
    for k in range(300):
        cv2.imwrite(str(tmp_path / f"{k:03}.png"), np.hstack([grey(20), grey(200)]))
    camera = opened(str(tmp_path), pace=0.1, broadcast=True, cropped=30.0)
    address = until(lambda: camera.broadcast).replace("stream.mjpg", "frame.jpg")
    until(camera.latest)

    def still() -> list[Pixels]:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                return [
                    np.asarray(
                        cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR),
                        np.uint8,
                    )
                ]
        except urllib.error.HTTPError as error:
            assert error.code == 503
            return []

    assert not camera.shows
    camera.crop((96, 10, 60, 40))
    shown = until(still)[0]
    assert shown.shape == (40, 60, 3) and abs(float(shown.mean()) - 200) < 4
    os.kill(camera._process.pid, signal.SIGKILL)
    until(lambda: camera.problem)
    until(lambda: camera.problem is None)
    address = until(lambda: camera.broadcast).replace("stream.mjpg", "frame.jpg")
    again = until(still)[0]
    assert again.shape == (40, 60, 3), (
        "a camera process that was started again is told the box again"
    )
    with pytest.raises(CameraError, match="60 pictures"):
        open_camera(str(tmp_path), broadcast=True, cropped=0)


@pytest.mark.parametrize(
    "box",
    [
        (-50, -50, 96, 96),
        (90, 60, 500, 500),
        (0, 0, 10_000, 10_000),
        (500, 500, 10, 10),
        (0, 0, 0, 0),
    ],
)
def test_a_box_that_hangs_over_the_edge_is_cut_or_shows_nothing(
    box: tuple[int, int, int, int],
) -> None:
    server = PictureServer(cropped=30.0)
    server.show(grey(7))
    server.crop(box)
    server.show(grey(7))
    turn, jpeg = server.next(0) if box[0] < 96 and box[2] else (0, b"")
    assert bool(jpeg) is (box[0] < 96 and box[2] > 0) and turn == bool(jpeg)
    server.crop(None)
    assert server._picture is None
    server.close()
