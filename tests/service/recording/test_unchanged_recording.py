"""A raw recording that was made before the rooms of `service` were built, orders in it: it gives
the bodies it gave, sentences aside, and the same bytes each time.

`replayed.journal` is what it gives since a corrected roll judges its play anew and a press before a
roll accuses nobody: nothing else changed against the journal that the table wrote meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from service.journal.store import Reader
from service.recording.format import OrderTaken, Recording
from service.table.replay import replayed
from tests.service.unchanged import bodies_in, bodies_of, differences

EVENING = Path(__file__).parent / "data/evening"
WRITTEN = Path(__file__).parent / "data/replayed.journal"
"""What its replay wrote when its answer was last looked at."""


def test_a_recording_made_before_gives_the_same_bodies(tmp_path: Path) -> None:
    found = Recording(EVENING)
    assert found.problem is None and found.header.exact
    assert sum(isinstance(item, OrderTaken) for item in found.items) > 50
    replayed(found, tmp_path / "now.journal")
    with Reader(tmp_path / "now.journal") as reader:
        now = bodies_of(entry.body for entry in reader.read())
    assert list(differences(bodies_in(WRITTEN), now)) == []


def test_the_same_recording_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Whatever order sets and mappings of text have there."""
    heads = []
    for seed in ("1", "2"):
        journal = tmp_path / f"{seed}.journal"
        subprocess.run(
            [sys.executable, "-m", "service.cli", "replay", EVENING, "--journal", journal],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        with Reader(journal) as reader:
            heads.append((len(reader.read()), reader.head))
    assert heads[0] == heads[1]
