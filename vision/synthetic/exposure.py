"""Lamps, sensor and coder between a painted scene and its file."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.arrays import F32, Pixels
from vision.synthetic.look import Look


def expose(image: F32, rng: np.random.Generator, look: Look) -> Pixels:
    """Lamps, the sensor and the coder between the scene and the file."""
    height, width = image.shape[:2]
    lit = np.empty((2, 2), np.float32)
    lit[:] = rng.uniform(1 - look.uneven, 1 + look.uneven, (2, 2))
    lamps = cv2.resize(lit, (width, height), interpolation=cv2.INTER_LINEAR)
    image = np.asarray(image * lamps[..., None], np.float32)
    if rng.random() < 0.35:
        # Glare of a lamp, or the bars of a window.
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        cx, cy, sx, sy = (
            rng.uniform(0, width),
            rng.uniform(0, height),
            rng.uniform(0.04, 0.25) * width,
            rng.uniform(0.04, 0.25) * width,
        )
        glow = np.exp(-(((xx - cx) / sx) ** 2) - ((yy - cy) / sy) ** 2)
        image = np.asarray(image + (rng.uniform(20, 130) * glow)[..., None], np.float32)
    if rng.random() < 0.2:
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        a, w = rng.uniform(0, math.pi), rng.uniform(0.06, 0.3) * width
        stripe = ((xx * math.cos(a) + yy * math.sin(a)) / w % 2 < rng.uniform(0.3, 1.5)).astype(
            np.float32
        )
        depth = rng.uniform(0.15, 0.55)
        soft = cv2.GaussianBlur(stripe, (0, 0), rng.uniform(0.6, 6))
        image = np.asarray(image * (1 - depth * soft)[..., None], np.float32)
    gain = rng.uniform(0.6, 1.3)
    balance = gain * rng.uniform(0.9, 1.1, 3).astype(np.float32)
    image = np.asarray(image * balance, np.float32)
    if rng.random() < 0.5:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.1)), np.float32)
    noise = rng.standard_normal((height, width, 1), dtype=np.float32) + 0.5 * rng.standard_normal(
        (height, width, 3), dtype=np.float32
    )
    image = np.asarray(image + noise * rng.uniform(0.5, 7), np.float32)
    out: Pixels = np.clip(
        255 * (np.clip(image, 0, 420) / 255) ** rng.uniform(0.8, 1.25), 0, 255
    ).astype(np.uint8)
    ok, packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))])
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR) if ok else None
    return out if decoded is None else decoded.astype(np.uint8, copy=False)
