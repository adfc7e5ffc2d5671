"""A table's files written as a table writes them, each word of it said once it may be relied on:
`python -m tests.service.journal.power_story FOLDER SAID`, for being traced.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from service.journal.entries import TABLE, Adjourned, Body, Noted
from service.journal.keys import key_path, table_key
from service.journal.mending import open_mended


def main(folder: Path, said: Path) -> None:
    """Three lives: entries one and several at a time, heartbeats, a game's end, clean stops, and a
    journal deleted while it was written.
    """
    telling = os.open(said, os.O_WRONLY | os.O_CREAT, 0o600)
    journal = folder / "t.journal"

    def tell(text: str) -> None:
        os.write(telling, f"{text}\n".encode())

    tell(f"key {table_key(key_path(journal)).public_key().public_bytes_raw().hex()}")
    number = 0
    for life in range(3):
        with open_mended(journal, f"life-{life}") as store:
            assert store.seq == number
            for step in range(26):
                many = 1 + step * 7 % 4
                bodies: list[Body] = [
                    Noted("slow_turn", text=f"{number} ماندن " * (step % 9)) for _ in range(many)
                ]
                if step == 20:
                    bodies.append(Adjourned("supper"))
                if (life, step) == (2, 12):
                    journal.unlink()
                number += len(bodies)
                store.append([(number + 0.5, 1.8e9 + number, TABLE, body) for body in bodies])
                tell(f"entry {store.seq} {store.head}")
                if step % 3 == 2:
                    store.beat(number + 0.9, 1.8e9 + number, {"position": number})
                    tell(f"beat {number + 0.9}")
    os.close(telling)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
