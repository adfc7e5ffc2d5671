"""Placements as numbers, so that thousands of them are compared at once.

A **code** says what stands on one site: `16 * White's checkers + Black's`, so 0 for an empty site
and at most 255, 15 of each. A placement is 26 codes in the order of its sites (`OFF` 0, points 1 to
24, `BAR` 25), N placements are an array (N, 26). A log table over the counts of one site, (16, 16)
with White's count first, is the same table over codes when it is flattened to (256,). Nothing
outside this file multiplies or divides by 16.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rules.board import BySide, Placement, Side

COUNTS: Final = 16
"""Counts that a code can say of one side on one site, 0 to 15."""
CODES: Final = COUNTS * COUNTS
SITES: Final = 26
TALL: Final = 5
"""Checkers at a site from which on no source counts well: measured, fewer were never miscounted but
by the worst of cameras and boards."""

Codes: TypeAlias = npt.NDArray[np.int16]
"""Placements, shape (N, 26), or one of them, (26,)."""

MOST_MOVES: Final = 4
"""No turn moves more checkers than a double does."""

ONE_CHECKER: Final = BySide(COUNTS, 1)
"""What one checker of a side adds to a code."""
AXIS: Final = BySide(0, 1)
"""Where a side stands on an axis of length 2."""


def code_of(white: int, black: int) -> int:
    """The code of these counts, each 0 to 15."""
    return white * COUNTS + black


def counts_of(code: int) -> tuple[int, int]:
    """(White's, Black's) checkers of one code."""
    return divmod(int(code), COUNTS)


@lru_cache(maxsize=CODES)
def heights_near(code: int) -> tuple[int, ...]:
    """What stood on a site, and of a tall pile the heights that a turn may leave it at: nobody
    counts it, so others may read likelier than what stands there.
    """
    white, black = counts_of(code)
    if max(white, black) < TALL or min(white, black):
        return (code,)
    height = white or black
    heights = range(height - MOST_MOVES, min(height + MOST_MOVES, COUNTS - 1) + 1)
    return tuple(code_of(n, 0) if white else code_of(0, n) for n in heights)


def checkers_of(codes: Codes, side: Side) -> Codes:
    """How many checkers of a side stand there, in the shape of `codes`."""
    return codes // COUNTS if side is Side.WHITE else codes % COUNTS


def is_tall(codes: Codes, least: int = TALL) -> npt.NDArray[np.bool_]:
    """Where a pile stands that is hardly counted, of so many checkers, in the shape of `codes`;
    nowhere where a code is below 0.
    """
    tall = np.logical_or.reduce([checkers_of(codes, side) >= least for side in Side])
    return np.asarray(tall & (codes >= 0), np.bool_)


@lru_cache(maxsize=4096)
def codes_of(placement: Placement) -> Codes:
    """One placement as codes (26,), not to be written to; counts outside 0 to 15 are brought into
    that range.
    """
    white = np.clip(np.array(placement.white, np.int16), 0, COUNTS - 1)
    black = np.clip(np.array(placement.black, np.int16), 0, COUNTS - 1)
    result: Codes = (white * COUNTS + black).astype(np.int16)
    result.setflags(write=False)
    return result


def placement_from(codes: Codes) -> Placement:
    """The placement of codes (26,)."""
    pairs = [counts_of(code) for code in codes]
    return Placement(tuple(white for white, _ in pairs), tuple(black for _, black in pairs))
