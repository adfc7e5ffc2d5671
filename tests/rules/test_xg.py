"""eXtreme Gammon's own files, beside an independent reader and beside the same match as SGF."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path

import pytest
from gvformat import xg as peer

from rules.board import Side
from rules.game import Corrected, Dropped, Offered, OpeningDice, Played, Rolled, Starts, Taken
from rules.notation.convert import read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.record import games
from rules.notation.xg import MOST_RECORDS, RECORD, read_xg
from tests.rules.gnubg import expected, games_of, replayed

FILES = sorted((Path(__file__).parent.parent / "data/matches").glob("*.xg"))
SGF = FILES[0].parent / "charlot_excerpt.sgf"
SCORES = {"charlot1-charlot2.xg": (9, 2), "ronde1.xg": (1, 7)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_real_file_is_read(path: Path) -> None:
    record = read_xg(path.read_bytes())
    final = record.final()
    assert (final.score.white, final.score.black) == SCORES[path.name]
    assert not record.remarks
    assert not [a for a in record.actions if isinstance(a, Played) and a.stands]
    assert not [a for a in record.actions if isinstance(a, Corrected)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_an_independent_reader_finds_the_same(path: Path) -> None:
    record = read_xg(path.read_bytes())
    records = peer.read_xg(path)
    thrown = [sorted(r["dice"]) for kind, r in records if kind == "move"]
    rolled = [a.roll for a in record.actions if isinstance(a, (Rolled, Starts)) and a.roll]
    opened = [(a.white[0], a.black[0]) for a in record.actions if isinstance(a, OpeningDice)]
    assert sorted(thrown) == sorted(
        [sorted((r.high, r.low)) for r in rolled] + [sorted(o) for o in opened]
    )
    assert len([a for a in record.actions if isinstance(a, Offered)]) == len(
        [r for kind, r in records if kind == "cube" and r["doubled"] == 1]
    )
    assert len([a for a in record.actions if isinstance(a, (Taken, Dropped))]) == len(
        [r for kind, r in records if kind == "cube" and r["doubled"] == 1]
    )


def test_xg_and_sgf_hold_the_same_match() -> None:
    """The excerpt is what another program wrote of the same three games."""
    ours = games(read_xg(FILES[0].read_bytes()))[:3]
    theirs = games(read_file(SGF.read_bytes(), "x.sgf"))[:3]
    for mine, other in zip(ours, theirs, strict=True):
        assert [a for _, a, _ in mine.steps if isinstance(a, (Rolled, Played))] == [
            a for _, a, _ in other.steps if isinstance(a, (Rolled, Played))
        ]
        assert mine.gain == other.gain


def test_gnubg_replays_what_was_read(tmp_path: Path) -> None:
    cases = [(path, ending) for path in FILES for ending in (".mat", ".sgf")]
    files = []
    for number, (path, ending) in enumerate(cases):
        files.append(tmp_path / f"{number}{ending}")
        files[-1].write_text(write_file(read_xg(path.read_bytes()), "x" + ending))
    for (path, ending), text in zip(cases, replayed(files, tmp_path), strict=True):
        record = read_xg(path.read_bytes())
        theirs = games_of(text, record.start().game.placement)
        assert theirs == expected(record), (path.name, ending)


def packed(records: bytes) -> bytes:
    head = bytearray(64)
    head[:4] = b"RGMH"
    struct.pack_into("<I", head, 8, 64)
    return bytes(head) + zlib.compress(records)


def unpacked(data: bytes) -> bytes:
    size, picture = (struct.unpack_from("<I", data, at)[0] for at in (8, 20))
    return zlib.decompressobj().decompress(data[size + picture :])


def test_damaged_files_are_read_or_refused() -> None:
    rng, data = random.Random(5), FILES[0].read_bytes()
    records = bytearray(unpacked(data))
    for _ in range(150):
        worse = bytearray(records)
        for _ in range(rng.randrange(1, 4)):
            worse[rng.randrange(len(worse) // RECORD) * RECORD + rng.randrange(120)] ^= (
                1 << rng.randrange(8)
            )
        try:
            write_file(read_xg(packed(bytes(worse))), "x.json")
        except NotationError as error:
            assert len(str(error)) < 400 and "line " not in str(error)
    for cut in (0, 3, 20, 5_000, len(data) // 2, len(data) - 600):
        with pytest.raises(NotationError):
            read_xg(data[:cut])


def test_what_stands_before_the_trouble_is_kept() -> None:
    records = unpacked(FILES[0].read_bytes())
    whole = read_xg(packed(records))
    broken = packed(records[: 60 * RECORD] + b"\0" * 8 + bytes([3]) + b"\7" * (RECORD - 9))
    with pytest.raises(NotationError, match="record 61"):
        read_xg(broken)
    kept = read_xg(broken, until_trouble=True)
    assert kept.actions == whole.actions[: len(kept.actions)] and "record 61" in kept.remarks[-1]


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    records = bytes(8) + bytes([6]) + bytes(RECORD - 9)
    head = unpacked(FILES[0].read_bytes())[:RECORD]
    with pytest.raises(NotationError, match=f"more than {MOST_RECORDS} records"):
        read_xg(packed(head + records * (MOST_RECORDS + 10)))


def test_it_is_known_by_its_first_letters() -> None:
    record = read_file(FILES[1].read_bytes(), "match.mat")
    assert record.names[Side.WHITE]
