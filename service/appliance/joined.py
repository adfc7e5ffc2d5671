"""What a table knows of the hall that it has joined: one small file beside the journal (E)."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path


class JoinedError(ValueError):
    """The file, or what a hall answered, is not what it should be."""


@dataclass(frozen=True, slots=True)
class Joined:
    """`hall` is the hall's public key as text, `nats` where its server listens, `table` this
    table's name there, `page` the hall's pages. `certificate` is that of the line, empty for a line
    that is not encrypted."""

    hall: str
    nats: str
    table: str
    page: str = ""
    certificate: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.hall):
            raise JoinedError(f"hall: expected a public key of 64 digits, got {self.hall[:20]!r}")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", self.table):
            raise JoinedError(
                f"table: expected 1 to 32 letters, digits, - or _, got {self.table[:40]!r}"
            )
        if not re.fullmatch(r"nats://[^\s/@]{1,200}:\d{1,5}", self.nats):
            raise JoinedError(f"nats: expected nats://host:port, got {self.nats[:60]!r}")


def joined_path(journal: Path) -> Path:
    """Where a table keeps what it knows of its hall, beside its journal."""
    return journal.with_suffix(".hall.json")


def load_joined(path: Path) -> Joined:
    """What the file says. Raises JoinedError, FileNotFoundError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Joined(**{name: str(value) for name, value in found.items()})
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise JoinedError(f"{path}: {error}; join the hall anew with takhte join") from None


def save_joined(path: Path, joined: Joined) -> None:
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(joined), indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
