"""Where a table listens when its journal's path is too long for a socket."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from service.journal.paths import socket_path


def test_a_long_path_s_socket_lies_where_nobody_else_can_sit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    journal = tmp_path / ("deep" * 30) / "t.journal"
    found = socket_path(journal)
    assert found == socket_path(journal) and len(str(found)) < 100 + len(str(tmp_path))
    assert found.parent.stat().st_mode & 0o777 == 0o700
    found.parent.rmdir()
    found.parent.mkdir(mode=0o755)
    found.parent.chmod(0o755)
    with pytest.raises(PermissionError, match="somebody else's"):
        socket_path(journal)
    found.parent.rmdir()
    found.parent.symlink_to(tmp_path)
    with pytest.raises(PermissionError):
        socket_path(journal)
