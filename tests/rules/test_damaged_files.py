"""Match files damaged at random are read, or refused with a short reason; what is read keeps its
score in every format. `make fuzz-files` tries fifty thousand.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from rules.notation.convert import WRITERS, read_file, write_file
from rules.notation.errors import CannotCarryError, NotationError
from rules.notation.record import MatchRecord
from tests.rules.making import hard_records

COUNT: Final = int(os.environ.get("DAMAGED", "300"))
PARTS: Final = 4
"""The files are tried in so many tests of their own."""
DATA: Final = Path(__file__).parent.parent / "data/matches"
Damage = Callable[[random.Random, bytes], bytes]


def _flipped(rng: random.Random, data: bytes) -> bytes:
    worse = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        worse[rng.randrange(len(worse))] ^= 1 << rng.randrange(8)
    return bytes(worse)


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def _rows(rng: random.Random, data: bytes) -> bytes:
    """Rows that come twice, in another order, or not at all."""
    rows = data.split(b"\n")
    at, other = rng.randrange(len(rows)), rng.randrange(len(rows))
    return b"\n".join(
        rng.choice(
            (
                [*rows[:at], rows[other], *rows[at:]],
                [*rows[:at], *rows[at + rng.randint(1, 3) :]],
                [*rows[:at], rows[other], *rows[at + 1 :]],
            )
        )
    )


STRANGE: Final = ("9" * 40, "-1", "0", "۳۱", "³", "NaN", "\x00", "\u202e", "(", "[", "\\", "64: ??")


def _strange(rng: random.Random, data: bytes) -> bytes:
    """A number or sign that no program writes, where a number stood."""
    found = list(re.finditer(rb"\d+", data)) or [re.match(b"", data)]
    one = rng.choice(found)
    assert one is not None
    return data[: one.start()] + rng.choice(STRANGE).encode() + data[one.end() :]


def _encoded(rng: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    if rng.random() < 0.5:
        text = text.replace("\n", rng.choice(("\r\n", "\r", "\n\r", "\u2028")))
    return text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig", "utf-16-le")))


DAMAGES: Final[tuple[Damage, ...]] = (_flipped, _cut, _rows, _strange, _encoded)


def _sources() -> list[tuple[str, bytes]]:
    found = [(path.name, path.read_bytes()) for path in sorted(DATA.iterdir())]
    found = [(name, data) for name, data in found if not name.endswith(".md")]
    for name, record in hard_records().items():
        for ending in WRITERS:
            found.append((f"{name}{ending}", write_file(record, "x" + ending).encode()))
    return found


def _as_written(record: MatchRecord) -> None:
    """What was read can be written, and says the same score again."""
    for ending in (".mat", ".sgf", ".json"):
        try:
            text = write_file(record, "x" + ending)
        except CannotCarryError:
            continue
        assert read_file(text.encode(), "x" + ending).final().score == record.final().score, ending


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_file_is_read_or_refused(part: int) -> None:
    sources, read = _sources(), 0
    for number in range(part, COUNT, PARTS):
        rng = random.Random(number)
        name, data = rng.choice(sources)
        for _ in range(rng.randint(1, 3)):
            data = rng.choice(DAMAGES)(rng, data) or b"x"
        try:
            record = read_file(data, name)
        except NotationError as error:
            assert len(str(error)) < 400, (number, name)
        else:
            read += 1
            try:
                _as_written(record)
            except (AssertionError, NotationError) as error:
                raise AssertionError(f"file {number}, {name}: {error}") from error
        try:
            read_file(data, name, until_trouble=True)
        except NotationError as error:
            assert len(str(error)) < 400, (number, name)
    assert read
