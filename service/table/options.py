"""What `takhte run` and its table share: the options and an exit status. Imports nothing heavy."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

DEMO: Final = Path(__file__).resolve().parent / "recordings" / "demo"
"""The recording that comes with the program."""
REFUSED: Final = 3
"""Exit status: starting again will not help; a person must do what the line says."""

AGAIN: Final = 4
"""Exit status: the recording is wanted from its start, in a journal of its own."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that `takhte run` and its table share."""
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help="settings file; see docs/settings.md"
    )
    parser.add_argument(
        "--camera", metavar="SOURCE", help="0, a file, a folder, http://, rtsp://, phone or none"
    )
    parser.add_argument(
        "--board",
        metavar="ADDRESS",
        help="auto, /dev/ttyACM0, socket://host:port, simulated, pi or none; see docs/boards.md",
    )
    parser.add_argument(
        "--tuned",
        metavar="FILE",
        help="what `takhte tune` learned of this table; a recording has its own",
    )
    parser.add_argument(
        "--journal", metavar="FILE", help="the match's journal; continued where it is there already"
    )
    parser.add_argument("--name", help="name of the table")
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FOLDER",
        help="record everything taken in into this new folder",
    )


def add_played(parser: argparse.ArgumentParser) -> None:
    """The options of a recording in the world's place."""
    parser.add_argument(
        "--recording", type=Path, metavar="FOLDER", help="play this recording in the world's place"
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="N",
        help="play the recording so many times as fast (as fast as its pictures can be read)",
    )


def _speed(given: str) -> float:
    speed = float(given)
    if not 0.1 <= speed <= 100:
        raise argparse.ArgumentTypeError(f"expected 0.1 to 100, got {given}")
    return speed
