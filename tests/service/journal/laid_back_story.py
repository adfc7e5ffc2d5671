"""Makes the kept journal of a cube that was knocked onto the field and laid back, and of doubles
told by where it lay: `python -m tests.service.journal.laid_back_story FOLDER`. Run once, with the
version that brought `cube_withdrawn`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rules.observation import CubeOwner
from tests.service.hands import Hands, begun
from tests.service.journal.conduct_story import write_kept, write_summaries


def laid_back() -> Hands:
    """Two doubles that were none, the second of them over a throw, and one that was taken."""
    hands = Hands(now=100.0)
    begun(hands, length=3, white="Ana", black="بهرام", clock="ours")
    hands.show_cube(None, CubeOwner.CENTRE)
    hands.show_cube(None, CubeOwner.FIELD)
    hands.show_cube(None, CubeOwner.CENTRE, seconds=4.0)
    hands.throw(3, 1)
    hands.play_any().press()
    hands.show_cube(None, CubeOwner.FIELD)
    hands.show_cube(None, CubeOwner.CENTRE, seconds=1.2)
    hands.throw(4, 2)
    hands.play_any().press()
    hands.show_cube(None, CubeOwner.FIELD)
    hands.show_cube(None, CubeOwner.BLACK)
    hands.throw(6, 5)
    hands.play_any().press()
    return hands


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_kept(laid_back(), folder, "laid-back")
    write_summaries(folder / "laid-back.journal")
