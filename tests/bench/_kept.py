"""Pieces of a long run, kept as they are done: a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path


def edition_of(sources: Iterable[Path]) -> str:
    """A mark of all that a figure hangs on: kept ones of another edition do not count."""
    parts = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in sorted(sources))
    return hashlib.sha256(parts).hexdigest()[:16]


def kept_lines(path: Path | None) -> list[str]:
    """The whole lines of a file; the last is none where the run was killed while it wrote."""
    if path is None or not path.exists():
        return []
    return [line for line in path.read_text(encoding="utf-8").splitlines(True) if line[-1] == "\n"]


@dataclass
class Kept:
    """Pieces by their names, a line of JSON each in `path`; nothing is kept without one."""

    path: Path | None
    edition: str
    _known: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for line in map(json.loads, kept_lines(self.path)):
            if line["edition"] == self.edition:
                self._known[line["piece"]] = line["figures"]

    def of(self, piece: str, play: Callable[[], list[float]]) -> list[float]:
        """The figures of a piece: those that were kept, or played now and kept."""
        if piece not in self._known:
            self._known[piece] = play()
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                whole = "".join(kept_lines(self.path))
                line = {"edition": self.edition, "piece": piece, "figures": self._known[piece]}
                part = self.path.with_name(self.path.name + ".part")
                part.write_text(whole + json.dumps(line) + "\n", encoding="utf-8")
                part.replace(self.path)
        return self._known[piece]
