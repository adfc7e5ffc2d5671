"""The arrays of this room by what they hold: shapes stand in each docstring."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
"""Networks' inputs and answers, painted colours, tables for cv2.remap."""
F64 = npt.NDArray[np.float64]
"""Places, probabilities, rotations."""
I64 = npt.NDArray[np.int64]
"""Counts and labels."""
Mask = npt.NDArray[np.bool_]
"""Which of the others' elements are meant."""
Pixels = npt.NDArray[np.uint8]
"""A picture, rows from the top, height x width x 3 (BGR) unless said otherwise."""
