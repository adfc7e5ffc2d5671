"""One request to a table's socket, for programs that wait for its answer (E). Imports nothing
heavy: the small parent of the family asks as well.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from service.journal.codec import Json

PATIENCE: Final = 5.0
"""Seconds to wait for an answer: a second more than the table takes to say that it is busy."""


def ask(path: Path, request: Mapping[str, Json], patience: float = PATIENCE) -> dict[str, Json]:
    """One request to the table that listens at `path`, and its answer.

    Raises OSError when no table listens or answers.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(patience)
        line.connect(str(path))
        line.sendall(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        with line.makefile("rb") as incoming:
            text = incoming.readline()
    if not text:
        raise ConnectionError(
            f"{path}: the table closed the line without an answer; look at its log"
        )
    answer: dict[str, Json] = json.loads(text)
    return answer
