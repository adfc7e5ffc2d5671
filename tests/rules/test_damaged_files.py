"""Match files damaged at random are read, or refused with a short reason; what is read keeps its
score in every format. `make fuzz-files` tries fifty thousand.
"""

from __future__ import annotations

from tests.rules.damaged_files import damaged, sources, tried

COUNT = 300


def test_a_damaged_file_is_read_or_refused() -> None:
    found = sources()
    assert sum(tried(*damaged(number, found)) for number in range(COUNT))
