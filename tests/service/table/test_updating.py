"""An update of the board's firmware beside a running table: whatever happens on the way is said,
and the port comes back.
"""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.errors import BridgeError
from firmware_bridge.loader_drive import Loader
from service.table import updating
from service.table.sources import PortState
from service.table.updating import BoardUpdate, Programmer, UpdateEnded


def updated(folder: Path) -> BoardUpdate:
    """An update that has ended, as the table hears it: the port is let go, then free again."""
    heard: queue.SimpleQueue[object] = queue.SimpleQueue()
    loader = Loader(drives=lambda: ())
    update = BoardUpdate(reference_board(), None, folder, None, None, heard.put, loader)
    assert heard.get(timeout=60) == PortState(ok=False, reason=updating.AWAY)
    assert heard.get(timeout=60) == UpdateEnded()
    assert not update.running
    return update


@pytest.mark.parametrize("found", [(), ("/dev/ttyACM0", "/dev/ttyUSB3")])
def test_without_one_port_nothing_is_written(
    found: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "find_boards", lambda: found)
    update = updated(tmp_path)
    assert update.document()["trouble"] == "no_port"
    assert all(address in update.document()["said"] for address in found)
    assert not list(tmp_path.iterdir())


def test_what_nobody_foresaw_gives_the_port_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(loader: Loader) -> str:
        raise BridgeError("a system that nobody knew")

    monkeypatch.setattr(updating, "only_address", breaks)
    update = updated(tmp_path)
    assert (update.trouble, update.said) == (updating.FAILED, "a system that nobody knew")


def test_a_table_that_ends_ends_the_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """And starts none after it; a program that hangs is ended too."""
    programmer = Programmer()
    assert programmer([sys.executable, "-c", ""]) == 0
    with monkeypatch.context() as hurried:
        hurried.setattr(updating, "RUN_S", 0.2)
        assert programmer([sys.executable, "-c", "import time; time.sleep(60)"]) != 0
    assert programmer([sys.executable, "-c", ""]) == 0
    assert programmer(["/no/such/avrdude"]) != 0
    programmer.stop()
    assert programmer([sys.executable, "-c", ""]) != 0
