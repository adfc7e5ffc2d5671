"""A table on a machine that is set up oddly: it starts, takes an order and keeps it, or says in one
line why it cannot.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.service.table.table_process import Process, numbers_in

ODD = ("LANG=C", "LC_ALL=C", "HOME=/etc/hostname", "XDG_CONFIG_HOME=/nowhere", "TZ=Mars/Olympus")


def test_an_odd_machine_is_played_on(tmp_path: Path) -> None:
    """No language, no home, no such zone, few files to open, a folder whose name no text holds."""
    few = ("sh", "-c", 'ulimit -n 64; exec "$@"', "sh", "env", *ODD)
    home = tmp_path / ("b\udcff\udcfe " + "x" * 100)
    home.mkdir()
    table = Process(home / "t1.journal", prefix=few)
    try:
        assert table.order("set_match", white="Ada", black="بهرام", length=3)["ok"]
        assert "بهرام" in str(table.state())
    finally:
        table.kill()
    count, sound = numbers_in(home / "t1.journal")
    assert sound and count >= max(table.acked)


def test_a_folder_that_cannot_be_written_is_one_line() -> None:
    words = [sys.executable, "-m", "service.table.process", "--journal", "/proc/takhte/t1.journal"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert found.returncode == 3 and "/proc/takhte" in found.stderr
    assert "Traceback" not in found.stderr and found.stderr.count("\n") <= 2
