"""`takhte read`: pictures in, positions out (E)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2

from vision.calibrate import BoardNotFound, as_seen, find_board
from vision.dice.alone import find_dice_alone
from vision.frame import Frame, PictureError, load_scaled, rescaled
from vision.geometry import BoardMap, GeometryError
from vision.networks import Networks
from vision.overlay import draw_prediction
from vision.prediction import lone_die_json, predict, prediction_json, prediction_text
from vision.reader import fit_to
from vision.sets import Palette
from vision.tune import Tuned, TuneError, tuned_from


def corners_argument(text: str) -> list[tuple[float, float]]:
    """Eight numbers x,y,x,y,... as four corners. Raises argparse.ArgumentTypeError."""
    try:
        numbers = [float(v) for v in text.replace(";", ",").split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"eight numbers x,y,x,y,x,y,x,y are needed, got {text!r}"
        ) from error
    if len(numbers) != 8:
        raise argparse.ArgumentTypeError(
            "eight numbers are needed (top left, top right, bottom right, bottom left), got"
            f" {len(numbers)}"
        )
    return [(numbers[i], numbers[i + 1]) for i in range(0, 8, 2)]


def parser() -> argparse.ArgumentParser:
    """What `takhte read` takes."""
    p = argparse.ArgumentParser(
        "takhte read",
        description="Read boards from pictures: checkers, dice and cube, with confidences.",
    )
    p.add_argument("pictures", nargs="+", type=Path, metavar="PICTURE")
    p.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="where the board lies, as --save-map wrote it for the same camera",
    )
    p.add_argument(
        "--save-map",
        type=Path,
        metavar="FILE",
        help="write where the board of the first picture lies",
    )
    p.add_argument(
        "--corners",
        type=corners_argument,
        metavar="X,Y,X,Y,X,Y,X,Y",
        help="the field's corners in pixels: TL, TR, BR, BL as the picture shows them",
    )
    p.add_argument(
        "--orientation",
        type=int,
        choices=(0, 180),
        help="180: the camera is turned, point 1 is in the picture's top left",
    )
    p.add_argument(
        "--tuned",
        type=Path,
        metavar="FILE",
        help="what `takhte tune` learned of this table: the colours of its sets",
    )
    p.add_argument("--json", type=Path, metavar="DIR", help="write one prediction a picture")
    p.add_argument(
        "--overlay",
        type=Path,
        metavar="DIR",
        help="write each picture with what was believed drawn on it",
    )
    p.add_argument(
        "--dice",
        action="store_true",
        help="read dice alone: a tower's tray, a table or a close-up, no board is looked for",
    )
    return p


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when every picture was read, 1 when one could not be (each such picture gets a line
    on stderr and the rest goes on).
    """
    a = parser().parse_args(arguments)
    given: BoardMap | None = None
    tuned: Tuned | None = None
    if a.tuned is not None:
        try:
            tuned = tuned_from(a.tuned.read_text())
        except (OSError, TuneError, UnicodeDecodeError) as error:
            print(f"takhte read: {a.tuned}: {error}", file=sys.stderr)
            return 1
    if a.map is not None:
        try:
            given = BoardMap.from_json(a.map.read_text())
        except (OSError, GeometryError, UnicodeDecodeError) as error:
            print(f"takhte read: {a.map}: {error}", file=sys.stderr)
            return 1
    for folder in (a.json, a.overlay):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    failed, networks = 0, Networks(temperature=tuned.temperature if tuned else 1.0)
    palette = tuned.palette if tuned else None
    for path in a.pictures:
        try:
            if a.dice:
                read_dice(path, networks, a)
            else:
                read_one(path, given, networks, a, palette)
        except (PictureError, BoardNotFound, GeometryError) as error:
            failed += 1
            print(f"takhte read: {path.name}: {error}", file=sys.stderr)
            if a.json is not None:
                (a.json / f"{path.stem}.json").write_text(
                    json.dumps(
                        {"points": {str(n): None for n in range(1, 25)}, "error": str(error)}
                    )
                )
    return 1 if failed else 0


def read_dice(path: Path, networks: Networks, a: argparse.Namespace) -> None:
    """Nothing; the dice of one picture are read, printed and written. Raises PictureError."""
    pixels, factor = load_scaled(path)
    found = find_dice_alone(pixels, networks.dice_finder, networks.dice_reader)
    said = [lone_die_json(die, factor) for die in found]
    shown = ", ".join(f"{d['value'] or '?'} {d['status']}" for d in said) or "none"
    print(f"{path.name}: dice: {shown}")
    if a.json is not None:
        (a.json / f"{path.stem}.json").write_text(json.dumps({"dice": said}))


def read_one(
    path: Path,
    given: BoardMap | None,
    networks: Networks,
    a: argparse.Namespace,
    palette: Palette | None = None,
) -> None:
    """Nothing; one picture is read, and all that was asked for printed and written.

    Raises PictureError, BoardNotFound, GeometryError.
    """
    pixels, factor = load_scaled(path)
    frame = Frame(pixels)
    if given is not None:
        board_map = as_seen(frame, fit_to(given, frame), networks)
        if a.orientation is not None:
            board_map = board_map.facing(a.orientation)
    else:
        corners = None if a.corners is None else [rescaled(c, 1 / factor) for c in a.corners]
        board_map = find_board(frame, networks, corners=corners, orientation=a.orientation)
    if a.save_map is not None and not a.save_map.exists():
        a.save_map.write_text(board_map.to_json())
    found = predict(frame, board_map, networks, palette=palette)
    print(prediction_text(found, path.name))
    if a.json is not None:
        (a.json / f"{path.stem}.json").write_text(json.dumps(prediction_json(found, factor=factor)))
    if a.overlay is not None:
        cv2.imwrite(str(a.overlay / f"{path.stem}.jpg"), draw_prediction(frame, found))


if __name__ == "__main__":
    raise SystemExit(main())
