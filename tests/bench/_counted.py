"""One process whose work is counted: everything loaded and done once, then so many times more.

`python -m tests.bench._counted FOLDER PART TIMES`, with `picture.png` and `map.json` in FOLDER;
prints the milliseconds of process time of the fastest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path


def loop() -> None:
    """Nothing; 100,000 rounds of Python's interpreter, for comparison."""
    total = 0
    for n in range(100_000):
        total += n


def work_of(name: str, folder: Path) -> Callable[[], object]:
    """What is counted under this name: the interpreter's loop, or one thing that the camera's room
    does with the picture of a board.
    """
    if name == "loop":
        return loop
    import cv2

    from vision.calibrate import find_board
    from vision.frame import Frame, load_picture
    from vision.geometry import BoardMap
    from vision.networks import Networks
    from vision.reader import Eye, read_next, read_picture

    cv2.setNumThreads(1)
    pixels, networks = load_picture(folder / "picture.png"), Networks()
    board_map = BoardMap.from_json((folder / "map.json").read_text())
    if name == "read":
        return lambda: read_picture(Frame(pixels.copy()), board_map, networks)
    if name == "find":
        return lambda: find_board(Frame(pixels.copy()), networks, orientation=0)
    eye = Eye.of(board_map, networks)
    for number in range(3):
        eye, _ = read_next(eye, Frame(pixels.copy(), number * 0.5, number))
    return lambda: read_next(eye, Frame(pixels.copy(), 1.6, 3))


def best_of(work: Callable[[], object], times: int) -> float:
    """Milliseconds of process time of the fastest."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return 1000 * best


def main(words: list[str]) -> None:
    folder, name, times = words
    work = work_of(name, Path(folder))
    work()
    print(best_of(work, int(times)))


if __name__ == "__main__":
    main(sys.argv[1:])
