"""The array types of this room and of `service.film`; shapes stand in each docstring."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
"""True where something holds: of sites (26,) or of rows (N,)."""
Logs: TypeAlias = F32
"""Log-likelihoods of counts: (16, 16) of one site by White's and Black's, (26, 16, 16) of a board,
or (26, 256) of a board by code (`codes`); the greatest value of a site is 0.
"""
Nats: TypeAlias = F32
"""What speaks against hypotheses, 0 or more, in natural logarithms of odds."""
