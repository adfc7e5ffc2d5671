"""Table, frame, field and bar of a painted board, with nothing standing on them."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import F32, F64
from vision.geometry import BoardMap
from vision.synthetic.brush import SHIFT, fill_polygon, hull, tone
from vision.synthetic.look import Look
from vision.synthetic.texture import field_texture, fractal


def paint_ground(rng: np.random.Generator, board: BoardMap, look: Look) -> F32:
    """A picture (height x width x 3, BGR 0-255) of table, frame and field."""
    image = _table(rng, board, look)
    _paint_frame(image, board, look)
    painted = _field(rng, board, look)
    outline = _field_outline(board)
    _paint_tray_floors(image, board, look)
    inside = np.zeros(image.shape[:2], np.uint8)
    fixed = np.round(outline * (1 << SHIFT)).astype(np.int32)
    cv2.fillPoly(inside, [fixed], 255, cv2.LINE_AA, SHIFT)
    blend = (inside.astype(np.float32) / 255)[..., None]
    image = np.asarray(image * (1 - blend) + painted * blend, np.float32)
    _paint_walls(image, board, look, outline)
    _paint_bar(image, board, look)
    return image


def _table(rng: np.random.Generator, board: BoardMap, look: Look) -> F32:
    width, height = board.size
    grain = fractal(rng, height // 2, width // 2, look.table_grain * 4, look.table_grain * 4)
    colour = np.array(look.table, np.float32) * (1 + 0.08 * grain[..., None])
    image = np.asarray(cv2.resize(colour, (width, height)), np.float32)
    if look.table_check:
        yy, xx = np.mgrid[0:height, 0:width]
        odd = ((xx // look.table_check) + (yy // look.table_check)) % 2 == 1
        image[odd] *= 0.75
    return image


def _paint_frame(image: F32, board: BoardMap, look: Look) -> None:
    x, north = board.width / 2, board.height / 2 + look.rail
    west, east = -x - look.west, x + look.east

    def ring(z: float) -> F64:
        return board.project(
            [(west, north, z), (east, north, z), (east, -north, z), (west, -north, z)]
        )

    shadow = ring(0.0) + np.array(look.shadow) * board.focal * 0.0015
    fill_polygon(image, shadow, tone(image.mean((0, 1)), 0.5))
    sides = hull(np.concatenate([ring(-0.4), ring(look.rail_height)]))
    fill_polygon(image, sides, tone(look.frame, 0.55))
    fill_polygon(image, ring(look.rail_height), tone(look.frame, 1.0))


def _field(rng: np.random.Generator, board: BoardMap, look: Look) -> F32:
    """The field through the lens: each pixel of the picture looked up in the texture of the board's
    plane.
    """
    width, height = board.size
    texture, scale, margin = field_texture(rng, board, look)
    step = 8
    gx, gy = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
    at = board.unproject(np.stack([gx.ravel(), gy.ravel()], 1)).reshape(*gx.shape, 2)
    u = ((at[..., 0] + board.width / 2 + margin) * scale).astype(np.float32)
    v = ((board.height / 2 + margin - at[..., 1]) * scale).astype(np.float32)
    columns = np.arange(width, dtype=np.float32) / step
    rows = np.arange(height, dtype=np.float32) / step
    dense_x, dense_y = np.meshgrid(columns, rows)
    look_x, look_y = (
        cv2.remap(w, dense_x, dense_y, cv2.INTER_LINEAR).astype(np.float32, copy=False)
        for w in (u, v)
    )
    painted = cv2.remap(texture, look_x, look_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(painted, np.float32)


def _field_outline(board: BoardMap) -> F64:
    """The field's edge (32 x 2 pixels), eight spots a side, since a lens bends it."""
    edge = np.linspace(0, 1, 9)[:-1, None]
    quad = _field_corners(board)
    return board.project(
        np.concatenate([(1 - edge) * quad[i] + edge * quad[(i + 1) % 4] for i in range(4)])
    )


def _field_corners(board: BoardMap) -> list[F64]:
    x, y = board.width / 2, board.height / 2
    return [np.array(p) for p in ((-x, y, 0.0), (x, y, 0.0), (x, -y, 0.0), (-x, -y, 0.0))]


def _paint_tray_floors(image: F32, board: BoardMap, look: Look) -> None:
    x, y, rail, top = board.width / 2, board.height / 2, look.rail, look.rail_height
    for side, room in ((-1, look.west), (1, look.east)):
        if room <= rail + 0.3:
            continue
        a, b = side * (x + 0.3), side * (x + room - rail)
        floor = board.project([(a, y, 0), (b, y, 0), (b, -y, 0), (a, -y, 0)])
        fill_polygon(image, floor, tone(look.field, 0.8))
        for s in (-1, 1):
            pocket = [(a, s * 0.5, top), (b, s * 0.5, top), (b, s * 0.65, top), (a, s * 0.65, top)]
            fill_polygon(image, board.project(pocket), tone(look.frame, 1.05))


def _paint_walls(image: F32, board: BoardMap, look: Look, outline: F64) -> None:
    """Walls that hide a strip of the field on the near side."""
    quad, up = _field_corners(board), np.array([0, 0, look.rail_height])
    for k in range(4):
        here, beyond = quad[k], quad[(k + 1) % 4]
        wall = board.project(np.stack([here, beyond, beyond + up, here + up]))
        x, y = (float(v) for v in wall[2:].mean(0))
        floor_side = cv2.pointPolygonTest(outline.astype(np.float32), (x, y), True)
        fill_polygon(image, wall, tone(look.frame, 0.6 if floor_side > 0 else 0.75))


def _paint_bar(image: F32, board: BoardMap, look: Look) -> None:
    y, half, h = board.height / 2, look.bar / 2, look.bar_height
    base = board.project([(-half, y, 0), (half, y, 0), (half, -y, 0), (-half, -y, 0)])
    lid = board.project([(-half, y, h), (half, y, h), (half, -y, h), (-half, -y, h)])
    fill_polygon(image, hull(np.concatenate([base, lid])), tone(look.frame, 0.6))
    fill_polygon(image, lid, tone(look.bar_colour, 1.0))
    if look.hinged:
        hinge = [(-0.02, y, h), (0.02, y, h), (0.02, -y, h), (-0.02, -y, h)]
        fill_polygon(image, board.project(hinge), tone(look.bar_colour, 0.4))
