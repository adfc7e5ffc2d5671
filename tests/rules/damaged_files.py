"""Match files damaged at random: each is read, or refused with a short reason; what is read keeps
its score in every format.

    python -m tests.rules.damaged_files [count=50000] [keep=build/fuzz-files] [part=1/2]

Goes on where it was stopped; what fails is printed and kept in `keep/failed.txt`, by its number and
the file that was damaged: `only=NUMBER` tries that one again.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rules.notation.convert import WRITERS, read_file, write_file
from rules.notation.errors import CannotCarryError, NotationError
from rules.notation.record import MatchRecord
from tests.rules.making import hard_records

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


def sources() -> list[tuple[str, bytes]]:
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


def damaged(number: int, found: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """The file of that number: its name, and what is left of it."""
    rng = random.Random(number)
    name, data = rng.choice(found)
    for _ in range(rng.randint(1, 3)):
        data = rng.choice(DAMAGES)(rng, data) or b"x"
    return name, data


def tried(name: str, data: bytes) -> bool:
    """Whether the file was read. Raises AssertionError where it should have gone otherwise."""
    read = False
    try:
        record = read_file(data, name)
    except NotationError as error:
        assert len(str(error)) < 400, f"{name}: the reason has {len(str(error))} characters"
    else:
        read = True
        try:
            _as_written(record)
        except (AssertionError, NotationError) as error:
            raise AssertionError(f"{name}: {error}") from error
    try:
        read_file(data, name, until_trouble=True)
    except NotationError as error:
        assert len(str(error)) < 400, f"{name}: the reason has {len(str(error))} characters"
    return read


def main(argv: list[str]) -> int:
    """0 where nothing failed, now or before it was stopped."""
    given = dict(word.split("=", 1) for word in argv)
    found = sources()
    if "only" in given:
        print("read" if tried(*damaged(int(given["only"]), found)) else "refused")
        return 0
    keep = Path(given.get("keep", "build/fuzz-files"))
    keep.mkdir(parents=True, exist_ok=True)
    part, parts = map(int, given.get("part", "1/1").split("/"))
    reached, failed = keep / f"reached-{part}-of-{parts}.txt", keep / "failed.txt"
    first = int(reached.read_text()) if reached.exists() else part - 1
    read, began = 0, time.monotonic()
    for number in range(first, int(given.get("count", "50000")), parts):
        name, data = damaged(number, found)
        try:
            read += tried(name, data)
        except Exception as error:
            with failed.open("a") as file:
                file.write(f"{number} {name}: {type(error).__name__} {str(error)[:300]}\n")
            print(f"FAILED {number} {name}: {type(error).__name__} {str(error)[:300]}", flush=True)
        if (number // parts) % 250 == 249:
            reached.write_text(str(number + parts))
            seconds = time.monotonic() - began
            print(f"{number + parts} tried, {read} of them read, {seconds:.0f} s", flush=True)
    wrong = failed.read_text().splitlines() if failed.exists() else []
    print(f"done; {len(wrong)} failed", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
