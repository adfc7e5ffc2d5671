"""How long the camera's room takes, beside the recipe that every public reader shares (warp,
median, Hough circles): process time of one core, then wall time of all cores, ours with a pool of
one thread beside it, the recipe with OpenCV's own threads.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.calibrate import find_board
from vision.checkers import read_checkers
from vision.dice.dice import look_for_dice
from vision.evaluate import labelled_pictures
from vision.frame import Frame, load_picture
from vision.geometry import BoardMap
from vision.networks import Networks
from vision.pool import WorkPool
from vision.prepared import PreparedMap
from vision.reader import Eye, read_next, read_picture
from vision.synthetic.scene import paint

NETWORKS = Networks()
START = {
    24: (2, 0),
    13: (5, 0),
    8: (3, 0),
    6: (5, 0),
    1: (0, 2),
    12: (0, 5),
    17: (0, 3),
    19: (0, 5),
}


@dataclass(frozen=True)
class Size:
    """How many of the boards are read (a painted one and four traced), how often each thing is
    done, and how often a board is searched for.
    """

    boards: int = 5
    times: int = 7
    searches: int = 3


SMALLEST: Final = Size(boards=2, times=1, searches=1)


def hough_recipe(pixels: Pixels, board_map: BoardMap) -> int:
    """Warp to 1200 pixels, median of 5, circles of half a point's width; gives their number."""
    height = round(1200 * board_map.height / board_map.width)
    target = np.array([(0, 0), (1200, 0), (1200, height), (0, height)], np.float32)
    warp = cv2.getPerspectiveTransform(board_map.corners().astype(np.float32), target)
    grey = cv2.cvtColor(
        cv2.medianBlur(cv2.warpPerspective(pixels, warp, (1200, height)), 5), cv2.COLOR_BGR2GRAY
    )
    half = 600 / board_map.width
    found = cv2.HoughCircles(
        grey,
        cv2.HOUGH_GRADIENT,
        1,
        1.4 * half,
        param1=100,
        param2=18,
        minRadius=round(0.78 * half),
        maxRadius=round(1.12 * half),
    )
    return 0 if found is None else found.shape[1]


def fastest(work: Callable[[], object], times: int) -> float:
    """Milliseconds of process time, the best of several: other programs' work does not count."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best * 1000


def soonest(works: dict[str, Callable[[], object]], times: int) -> dict[str, float]:
    """Milliseconds on the wall, the best of several of each; done in turn, so that what else the
    machine does slows all alike.
    """
    best = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - began)
    return {name: seconds * 1000 for name, seconds in best.items()}


def full(pixels: Pixels, board_map: BoardMap, pool: WorkPool | None = None) -> object:
    return read_picture(Frame(pixels.copy()), board_map, NETWORKS, pool=pool)


def checkers(pixels: Pixels, board_map: BoardMap) -> object:
    return read_checkers(pixels.copy(), PreparedMap(board_map), NETWORKS.checkers, NETWORKS.piles)


def dice(pixels: Pixels, board_map: BoardMap) -> object:
    return look_for_dice(
        pixels.copy(), PreparedMap(board_map), NETWORKS.dice_finder, NETWORKS.dice_reader
    )


def boards() -> list[tuple[Pixels, BoardMap]]:
    """The four traced boards of the tests and a painted start position: the recipe's time hangs on
    what there is to be seen.
    """
    scene = paint(np.random.default_rng(5), START, size=(1280, 960))
    found = [(scene.frame.pixels, scene.board_map)]
    for case in labelled_pictures(Path(__file__).resolve().parent.parent / "data" / "vision"):
        pixels = load_picture(case.path)
        found.append(
            (
                pixels,
                find_board(
                    Frame(pixels), NETWORKS, corners=case.corners, orientation=case.orientation
                ),
            )
        )
    return found


def beside_the_recipe(size: Size) -> None:
    """Each board's full read and its parts in units of the recipe's time on the same picture."""
    ratios: dict[str, list[float]] = {}
    for pixels, board_map in boards()[: size.boards]:
        hough = fastest(functools.partial(hough_recipe, pixels, board_map), size.times)
        # A new copy each time: nothing may be remembered of the picture before.
        works: dict[str, Callable[[], object]] = {
            "full read": functools.partial(full, pixels, board_map),
            "  checkers alone": functools.partial(checkers, pixels, board_map),
            "  dice and cube alone": functools.partial(dice, pixels, board_map),
        }
        ratios.setdefault("Hough recipe", []).append(hough)
        for name, work in works.items():
            ratios.setdefault(name, []).append(fastest(work, size.times) / hough)
    _print_ratios(ratios)


def _print_ratios(ratios: dict[str, list[float]]) -> None:
    for name, values in ratios.items():
        unit = "ms" if name == "Hough recipe" else "x Hough"
        print(
            f"{name:36}"
            + "".join(f"{v:8.2f}" for v in values)
            + f"   mean {np.mean(values):.2f} {unit}"
        )


def beside_the_recipe_on_all_cores(size: Size) -> None:
    """Wall time of each board's full read, checkers and dice side by side, in units of the
    recipe's wall time on the same picture; OpenCV has its own threads in both.
    """
    ratios: dict[str, list[float]] = {}
    with ThreadPoolExecutor(1) as pool:
        for pixels, board_map in boards()[: size.boards]:
            took = soonest(
                {
                    "Hough recipe": functools.partial(hough_recipe, pixels, board_map),
                    "full read with a pool": functools.partial(full, pixels, board_map, pool),
                    "full read without": functools.partial(full, pixels, board_map),
                },
                3 * size.times,
            )
            hough = took.pop("Hough recipe")
            ratios.setdefault("Hough recipe", []).append(hough)
            for name, ms in took.items():
                ratios.setdefault(name, []).append(ms / hough)
    _print_ratios(ratios)


def main(size: Size) -> None:
    print(f"Wall time, {cv2.getNumberOfCPUs()} cores:")
    beside_the_recipe_on_all_cores(size)
    print("Process time, one core:")
    cv2.setNumThreads(1)
    beside_the_recipe(size)
    pixels, board_map = boards()[1]
    frame = Frame(pixels)
    noise = np.random.default_rng(6)

    def next_frame(number: int) -> Frame:
        shaken = frame.pixels.astype(np.int16) + noise.integers(
            -2, 3, frame.pixels.shape, dtype=np.int16
        )
        return Frame(np.clip(shaken, 0, 255).astype(np.uint8), number * 0.1, number)

    eye = Eye.of(board_map, NETWORKS)
    # A board begun with something over it is at rest a second later.
    stream = [next_frame(i) for i in range(16)]
    for still in stream[:14]:
        eye, _ = read_next(eye, still)
    hough = fastest(lambda: hough_recipe(frame.pixels, board_map), size.times)
    for name, ms in (
        (
            "a frame in which nothing changed",
            fastest(lambda: read_next(eye, stream[15]), size.times),
        ),
        (
            "finding the board",
            fastest(
                lambda: find_board(Frame(frame.pixels.copy()), NETWORKS, orientation=0),
                size.searches,
            ),
        ),
    ):
        print(f"{name:36}{ms:8.1f} ms{ms / hough:8.2f} x Hough")
