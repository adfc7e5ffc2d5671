"""How far what was said can be relied on, beside how often it is right: claims made with near
certainty that are false, boards found where they are not, and which way round they were said to
lie; and all of it as one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

SURE: Final = 0.99
"""A claim made with so much confidence is one that a record is built on."""
BAR: Final = 10_000
"""So many of them must hold before "never a sure falsehood" means something."""
SURE_WAY: Final = 0.9
FAR: Final = 0.5
"""Points by which a corner may be wrong before all that is read there is chance."""
NEAR: Final = 0.1
"""Points by which the corners of a board found well are off at the most."""


@dataclass(slots=True)
class Counts:
    """How often each thing happened, by name."""

    n: dict[str, int] = field(default_factory=dict)

    def add(self, key: str, number: int = 1) -> None:
        """Nothing; one more of a kind is counted."""
        self.n[key] = self.n.get(key, 0) + number

    def share(self, a: str, b: str) -> float | None:
        """What part of `b` are `a` (0-1), None when there are no `b`."""
        total = self.n.get(b, 0)
        return self.n.get(a, 0) / total if total else None


def count_claim(counts: Counts, confidence: float, *, right: bool, in_view: bool) -> None:
    """Nothing; what was said of one point is counted by how sure it was said."""
    sure = confidence >= SURE
    counts.add("claims")
    counts.add("claims_sure", int(sure))
    counts.add("claims_sure_false", int(sure and not right))
    counts.add("wrong_90", int(in_view and not right and confidence >= 0.9))
    counts.add("in_view_sure", int(in_view and right and sure))


def count_bar(counts: Counts, confidence: float, *, right: bool, empty: bool) -> None:
    """Nothing; what was said of one bar is counted, those with checkers apart too."""
    sure = confidence >= SURE
    counts.add("bars")
    counts.add("bars_sure", int(sure))
    counts.add("bars_sure_false", int(sure and not right))
    counts.add("full_bars", int(not empty))
    counts.add("full_bars_right", int(not empty and right))
    counts.add("full_bars_sure", int(not empty and sure))


def count_map(
    counts: Counts,
    said: npt.ArrayLike,
    true: npt.ArrayLike,
    way: tuple[int, float] | None,
    true_way: int,
) -> None:
    """Nothing; a board that was found cold is counted. `said`, `true`: corners (4 x 2) TL TR BR BL;
    `way`: which way round it was said to lie and how sure, None where that is not asked.
    """
    found, wanted = np.asarray(said, np.float64), np.asarray(true, np.float64)
    unit = float(np.linalg.norm(wanted[[1, 2]] - wanted[[0, 3]], axis=1).mean()) / 13
    gaps = np.linalg.norm(wanted[:, None] - found[None], axis=2).min(1)
    counts.add("maps")
    counts.add("maps_far", int(gaps.max() >= FAR * unit))
    counts.add("maps_near", int(gaps.max() <= NEAR * unit))
    if way is not None:
        sure = way[1] >= SURE_WAY
        counts.add("ways")
        counts.add("ways_sure", int(sure))
        counts.add("ways_sure_false", int(sure and way[0] != true_way))


_ROWS: Final = (
    ("occupied points right", "occupied_right", "occupied"),
    ("false claims on points in view", "wrong", "in_view"),
    ("  of them said with 0.9 or more", "wrong_90", "wrong"),
    ("points in view of which nothing is said", "silent", "in_view"),
    ("true points in view said with 0.99 or more", "in_view_sure", "in_view"),
    ("boards wholly right", "boards_right", "boards"),
    ("bars with checkers right", "full_bars_right", "full_bars"),
    ("  of them said with 0.99 or more", "full_bars_sure", "full_bars"),
    ("all bars said with 0.99 or more", "bars_sure", "bars"),
    ("  of them false", "bars_sure_false", "bars_sure"),
    ("dice found", "dice_found", "dice"),
    ("dice: precision", "dice_found", "dice_said"),
    ("dice: value right", "value_right", "value"),
    ("cocked or on a checker: recall", "cocked_right", "cocked"),
    ("cocked or on a checker: precision", "cocked_right", "cocked_said"),
    ("cube right", "cube_right", "cube"),
    ("pictures of dice alone: all faces right", "alone_right", "alone"),
    ("  their dice: face right", "alone_dice_right", "alone_dice"),
    ("  their dice: precision", "alone_dice_right", "alone_dice_said"),
    ("boards found", "found", "pictures"),
    ("  of them a corner half a point off", "maps_far", "maps"),
    ("  of them every corner within 0.1", "maps_near", "maps"),
    ("corners given 0.5 to 1 point off: refused", "moved_far_refused", "moved_far"),
    ("corners given 0.1 of a point off: read", "moved_near_read", "moved_near"),
    ("which way round said with 0.9 or more", "ways_sure", "ways"),
    ("  of them wrong", "ways_sure_false", "ways_sure"),
)


def review_table(columns: Mapping[str, Counts]) -> str:
    """The table by which the room is judged, a column for each way of reading, with counts; its
    last line says how many claims of near certainty were false.
    """
    lines = [f"{'':44}" + "".join(f"{name:>24}" for name in columns)]
    for label, part, whole in _ROWS:
        cells = (_cell(counts, part, whole) for counts in columns.values())
        lines.append(f"{label:44}" + "".join(f"{cell:>24}" for cell in cells))
    cells = (
        f"{c.n.get('claims_sure_false', 0)} of {c.n.get('claims_sure', 0)}"
        for c in columns.values()
    )
    lines.append(
        f"{'claims of 0.99 or more that are false':44}" + "".join(f"{c:>24}" for c in cells)
    )
    fewest = min((c.n.get("claims_sure", 0) for c in columns.values()), default=0)
    if fewest < BAR:
        lines.append(f"({BAR:,} such claims are the bar; {fewest:,} were made here at the least)")
    return "\n".join(lines)


def _cell(counts: Counts, part: str, whole: str) -> str:
    share = counts.share(part, whole)
    return "-" if share is None else f"{counts.n.get(part, 0)}/{counts.n[whole]} {share:7.1%}"
