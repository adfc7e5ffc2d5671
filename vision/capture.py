"""`takhte capture`: pictures of a club's own board, put right by a person and given back to measure
and teach with; cut to the board, so that nobody's face is in them.  (E)

    takhte read P.jpg --json SAID        # then put SAID/P.json right: every point, or null
    takhte capture P.jpg --said SAID --consent "Club X, CC0" --out GIVEN
    python -m vision evaluate GIVEN
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F64, Pixels
from vision.frame import PictureError, load_scaled, rescaled
from vision.geometry import GeometryError, from_corners
from vision.prediction import DieJson, PredictionJson
from vision.scene_truth import LabelledPhoto, PhotoDie, PhotoLabel, PhotoPoint

AROUND: Final = 1.6
"""Point widths of rail, tray and table that are kept around the field."""
_QUALITY: Final = 92


class GivenPictures(TypedDict):
    """`manifest.json` of pictures given back, as `python -m vision evaluate` reads it."""

    images: list[LabelledPhoto]
    consent: dict[str, str]


def board_alone(pixels: Pixels, corners: npt.ArrayLike) -> tuple[Pixels, F64]:
    """The picture cut to the board and `AROUND` it, black beyond, and the field's corners in it.

    Raises GeometryError for corners that no board has.
    """
    height, width = pixels.shape[:2]
    found = from_corners(corners, (width, height))
    x, y = found.width / 2 + AROUND, found.height / 2 + AROUND
    edge = found.project([(-x, y, 0), (x, y, 0), (x, -y, 0), (-x, -y, 0)])
    (left, top), (right, bottom) = edge.min(0), edge.max(0)
    x0, y0 = max(0, int(left)), max(0, int(top))
    x1, y1 = min(width, int(right) + 1), min(height, int(bottom) + 1)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(inside, edge.round().astype(np.int32), 1)
    kept = np.where(inside[..., None] > 0, pixels, 0)[y0:y1, x0:x1]
    return np.ascontiguousarray(kept, np.uint8), found.corners() - (x0, y0)


def label_of(said: PredictionJson, corners: F64, shift: F64, factor: float = 1.0) -> PhotoLabel:
    """What a person says stands there, by its place in the picture. `corners`: of the field in the
    picture that is given; `shift`: its top left in the one that was read, which is `factor` times
    smaller than what was said of it. Raises ValueError.
    """
    points: list[PhotoPoint | None] = []
    turned = said["board"]["orientation"] == 180
    for number in range(1, 25):
        pair = said["points"][str((number + 11) % 24 + 1 if turned else number)]
        points.append(
            None if pair is None else {"light": int(pair["light"]), "dark": int(pair["dark"])}
        )
    shown = [pair for pair in points if pair is not None]
    for side, count in (
        ("light", sum(pair.get("light", 0) for pair in shown)),
        ("dark", sum(pair.get("dark", 0) for pair in shown)),
    ):
        if count > 15:
            raise ValueError(f"{count} {side} checkers, a set has fifteen: put the points right")
    return {
        "corners_px": [[round(float(v), 1) for v in corner] for corner in corners],
        "points": points,
        "bar": {"light": int(said["bar"]["light"]), "dark": int(said["bar"]["dark"])},
        "dice": [_die(die, shift, factor) for die in said["dice"] if die["center_px"] is not None],
    }


def _die(die: DieJson, shift: F64, factor: float) -> PhotoDie:
    x, y = rescaled(die["center_px"] or (0.0, 0.0), 1 / factor)
    label: PhotoDie = {"cx": round(x - float(shift[0]), 1), "cy": round(y - float(shift[1]), 1)}
    if die["value"] is None:
        label["uncertain"] = True
    else:
        label["value"] = die["value"]
    if die["status"] == "cocked":
        label["cocked"] = True
    return label


def capture(picture: Path, said: PredictionJson, out: Path) -> LabelledPhoto:
    """The row of a picture that was cut and written to `out`, named by what it shows: whether it
    will teach or measure hangs on that name alone. Raises PictureError, GeometryError, ValueError.
    """
    pixels, factor = load_scaled(picture)
    marked = [corner for corner in said["board"]["corners_px"] if corner is not None]
    field = np.array([rescaled(corner, 1 / factor) for corner in marked], np.float64)
    kept, corners = board_alone(pixels, field)
    label = label_of(said, corners, (field - corners).mean(0), factor)
    # Encoded anew: nothing of the camera, the place or the time goes along.
    _, data = cv2.imencode(".jpg", kept, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    name = f"given_{zlib.crc32(data.tobytes())}.jpg"
    (out / name).write_bytes(data.tobytes())
    return {"file": name, "label": label}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every picture was written, 1 when one could not be, 2 when asked wrongly."""
    p = argparse.ArgumentParser(
        "takhte capture", description="Give back pictures of your own board, put right by you."
    )
    p.add_argument("pictures", nargs="+", type=Path, metavar="PICTURE")
    p.add_argument(
        "--said",
        type=Path,
        required=True,
        metavar="DIR",
        help="what `takhte read --json DIR` wrote of them, put right by hand",
    )
    p.add_argument(
        "--consent",
        required=True,
        metavar="WHO, LICENCE",
        help="who gives them and under which licence, as it is to be written beside them",
    )
    p.add_argument("--out", type=Path, required=True, metavar="DIR")
    a = p.parse_args(arguments)
    a.out.mkdir(parents=True, exist_ok=True)
    manifest = a.out / "manifest.json"
    failed = 0
    try:
        given: GivenPictures = (
            json.loads(manifest.read_text()) if manifest.exists() else {"images": [], "consent": {}}
        )
    except ValueError as error:
        print(f"takhte capture: {manifest} cannot be read ({error})", file=sys.stderr)
        return 1
    for picture in a.pictures:
        try:
            said = json.loads((a.said / f"{picture.stem}.json").read_text())
            row = capture(picture, said, a.out)
        except (OSError, PictureError, GeometryError, ValueError, KeyError, TypeError) as error:
            failed += 1
            print(
                f"takhte capture: {picture.name}: {error}; expected its picture, and in"
                f" {a.said}/{picture.stem}.json what `takhte read --json` writes",
                file=sys.stderr,
            )
            continue
        given["images"] = [i for i in given["images"] if i["file"] != row["file"]] + [row]
        given["consent"][row["file"]] = a.consent
        print(f"{picture.name}: {a.out / row['file']}")
    manifest.write_text(json.dumps(given, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
