"""What dice, cube and stillness cost on one core, beside the recipe every public board reader
shares (warp, median, Hough circles).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from tests.vision import scenes_dice as scenes
from vision.arrays import Pixels
from vision.dice.cube import find_cube
from vision.dice.dice import find_dice, look_for_dice
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.steady import Steady, next_steady
from vision.train.dice import solids as paint
from vision.train.dice.tracing import Pose, paint_solid, random_lighting


@dataclass(frozen=True)
class Size:
    """How often each thing is done, 12 times at most: each time takes a frame of its own."""

    times: int = 12


SMALLEST: Final = Size(times=4)


def picture(board: BoardMap) -> Pixels:
    rng = np.random.default_rng(1)
    canvas = cv2.resize(scenes.empty_board(1), (1280, 960), interpolation=cv2.INTER_CUBIC).astype(
        np.float32
    )
    lamp = random_lighting(rng, 1.0)
    for x, y in ((-3.0, 0.5), (-2.2, -0.4), (3.0, 1.0), (4.0, -1.0)):
        die = paint.random_die(rng)
        paint_solid(canvas, board, die, Pose((x, y, die.edge / 2), paint.lying(rng), 0.0), lamp)
    return scenes.noisy(np.clip(canvas, 0, 255).astype(np.uint8), 2)


def hough(pixels: Pixels, board: BoardMap) -> None:
    """The shared recipe: true corners, warp to 1200 pixels, median 5, circles of 0.78 to 1.12 of
    half a point's width.
    """
    size = (1200, 1020)
    m = cv2.getPerspectiveTransform(
        board.corners().astype(np.float32),
        np.array([(0, 0), (size[0], 0), size, (0, size[1])], np.float32),
    )
    grey = cv2.medianBlur(cv2.cvtColor(cv2.warpPerspective(pixels, m, size), cv2.COLOR_BGR2GRAY), 5)
    half = size[0] / board.width / 2
    cv2.HoughCircles(
        grey,
        cv2.HOUGH_GRADIENT,
        1,
        half * 1.4,
        param1=100,
        param2=18,
        minRadius=int(0.78 * half),
        maxRadius=int(1.12 * half),
    )


def best(run: Callable[[int], object], times: int) -> float:
    """Milliseconds of processor time of the quickest of several runs: what the work costs when
    nobody disturbs it.
    """
    spent = []
    for k in range(times):
        begun = time.thread_time()
        run(k)
        spent.append(time.thread_time() - begun)
    return 1000 * min(spent)


def main(size: Size) -> None:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    board = scenes.board_map().scaled(2.0)
    pixels = picture(board)
    frames = [Frame(scenes.noisy(pixels, k), 0.1 * k, k) for k in range(13)]
    recipe = best(lambda _: hough(pixels, board), size.times)
    networks, prepared = Networks(), PreparedMap(board)

    def dice_and_cube(k: int) -> object:
        things = look_for_dice(
            frames[k].pixels, prepared, networks.dice_finder, networks.dice_reader
        )
        return find_dice(things, board), find_cube(frames[k].pixels, things, board, networks.cube)

    dice = best(dice_and_cube, size.times)
    state = [Steady()]

    def still(k: int) -> None:
        state[0] = next_steady(state[0], frames[k], board)[0]

    unchanged = best(still, size.times)
    cv2.setNumThreads(threads)
    print(
        f"1280x960, one core: Hough recipe {recipe:.1f} ms; dice and cube {dice:.1f} ms"
        f" ({dice / recipe:.2f}x)"
    )
    print(
        f"a frame in which nothing changed {unchanged:.1f} ms ({unchanged / recipe:.2f}x):"
        f" {state[0].nothing_changed}"
    )
