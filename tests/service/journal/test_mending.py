"""A journal's file lost, cut, flipped, replaced or deleted, at rest and while it is written: every
acknowledged entry is there at the next start, or its loss is named.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from service.journal.chain import BrokenChainError, Entry
from service.journal.entries import TABLE, Adjourned, Body, Noted
from service.journal.mending import open_mended
from service.journal.store import MissingEntriesError, Reader, Store, missing_end
from service.journal.tail import read_tail, tail_path

SUFFIXES = ("", "-wal", ".tail")


def say(store: Store, count: int, *last: Body) -> None:
    """So many entries, at most seven in a commit."""
    first = store.seq
    for begin in range(first, first + count, 7):
        numbers = range(begin, min(begin + 7, first + count))
        texts = {n: Noted("slow_turn", text=f"n {n} – ماندن") for n in numbers}
        store.append([(n + 0.5, 1.8e9 + n, TABLE, body) for n, body in texts.items()])
    for body in last:
        store.append([(store.seq + 0.5, 1.8e9, TABLE, body)])


def killed(path: Path, folder: Path) -> Path:
    """What a kill -9 at this moment leaves on the disk."""
    folder.mkdir()
    for suffix in SUFFIXES:
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copy(source, folder / source.name)
    return folder / path.name


def wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


def entries_in(path: Path) -> tuple[Entry, ...]:
    with Reader(path) as reader:
        found = reader.read()
        assert reader.broken is None
        return found


LOSSES: dict[str, Callable[[Path], None]] = {
    "its log lost": lambda p: wal(p).unlink(),
    "its log cut to nothing": lambda p: wal(p).write_bytes(b""),
    "its log cut in half": lambda p: wal(p).write_bytes(
        wal(p).read_bytes()[: wal(p).stat().st_size // 2]
    ),
    "the log's head flipped": lambda p: flip(wal(p), 9),
    "the log's first frame flipped": lambda p: flip(wal(p), 700),
    "the log's middle flipped": lambda p: flip(wal(p), wal(p).stat().st_size // 2),
}


@pytest.mark.parametrize("many", [6, 130])
@pytest.mark.parametrize("name", LOSSES)
def test_what_the_log_has_lost_is_brought_back(name: str, many: int, tmp_path: Path) -> None:
    """As in R1 of the review: three bytes of the log once took all that was acknowledged."""
    with Store.open(tmp_path / "t.journal") as store:
        say(store, many // 2)
        store.beat(99.0, 1.8e9)
        say(store, many - many // 2)
        expected = store._entries[:]
        path = killed(store.path, tmp_path / "after")
    LOSSES[name](path)
    with pytest.raises(MissingEntriesError, match="the end is missing"):
        Store.open(path)
    with open_mended(path, "today") as store:
        assert list(store.past) == expected
        (found,) = store.mended
        assert (found.code, found.entries, found.last) == ("mended", many, 0)
        assert found.kept is not None and found.kept.exists()
        beat = store.heartbeat()
        assert beat is not None and beat.at >= expected[-1].at
    assert missing_end(path) is None


def test_a_log_flipped_anywhere_loses_nothing(tmp_path: Path) -> None:
    chance = random.Random(23)
    with Store.open(tmp_path / "t.journal") as store:
        say(store, 20)
        expected = store._entries[:]
        for trial in range(12):
            path = killed(store.path, tmp_path / str(trial))
            for _ in range(3):
                flip(wal(path), chance.randrange(wal(path).stat().st_size))
            with open_mended(path, "today") as again:
                assert list(again.past) == expected, trial


@pytest.mark.parametrize("many", [1, 2, 5])
def test_rows_deleted_from_the_end_are_known(many: int, tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store:
        say(store, 70)
        store.beat(1.0, 1.8e9)
        head = store.head
    db = sqlite3.connect(path)
    db.executescript(f"DROP TRIGGER entries_remain; DELETE FROM entries WHERE seq > {70 - many}")
    db.close()
    assert missing_end(path) is not None
    with open_mended(path, "today") as store:
        (found,) = store.mended
        if many == 1:
            assert found.code == "mended" and store.head == head
        else:
            assert (found.first, found.last, found.head) == (71 - many, 70, head)
            assert store.seq == 70 - many, "what cannot be had is named, never made up"


def test_a_journal_deleted_at_rest_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store:
        say(store, 8)
    path.unlink()
    with open_mended(path, "today") as store:
        (found,) = store.mended
        assert (found.code, found.first, found.last, store.seq) == ("missing", 1, 8, 0)
        say(store, 1)
    with open_mended(path, "today") as store:
        assert not store.mended, "it is said once"


def test_another_journal_in_its_place_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with Store.open(tmp_path / name / "t.journal") as store:
            say(store, 5 if name == "one" else 9, Adjourned(name))
    shutil.copy(tmp_path / "two" / "t.journal", tmp_path / "one" / "t.journal")
    with pytest.raises(MissingEntriesError, match="not the journal that was written here"):
        Store.open(tmp_path / "one" / "t.journal")
    with open_mended(tmp_path / "one" / "t.journal", "today") as store:
        (found,) = store.mended
        assert (found.code, found.last, store.seq) == ("missing", 6, 10)


def test_a_damaged_second_copy_costs_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.journal") as store:
        say(store, 6)
        for at in (3, 200, tail_path(store.path).stat().st_size - 4):
            path = killed(store.path, tmp_path / f"flipped-{at}")
            flip(tail_path(path), at)
            with open_mended(path, "today") as again:
                assert list(again.past) == store._entries and not again.mended


# While it is written.


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def emptied(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(0)


MISHAPS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "cut to nothing": emptied,
    "replaced": replaced,
    "its log deleted": lambda p: wal(p).unlink(),
    "its log cut": lambda p: emptied(wal(p)),
    "the folder deleted": lambda p: shutil.rmtree(p.parent),
    "the folder moved": lambda p: p.parent.rename(p.parent.with_name("elsewhere")),
}


@pytest.mark.parametrize("by_beat", [True, False], ids=["heartbeat", "entry"])
@pytest.mark.parametrize("name", MISHAPS)
def test_a_file_lost_while_it_is_written_is_written_anew(
    name: str, by_beat: bool, tmp_path: Path
) -> None:
    path = tmp_path / "home" / "t.journal"
    store = Store.open(path)
    say(store, 60)
    store.beat(60.0, 1.8e9)
    say(store, 3)
    MISHAPS[name](path)
    if by_beat:
        store.beat(63.0, 1.8e9)
    else:
        say(store, 1)
    (found,) = store.mended
    assert found.code == "rewritten" and not found.last
    say(store, 2)
    expected = store._entries[:]
    after = killed(path, tmp_path / "after")
    store.close()
    with open_mended(after, "today") as again:
        assert list(again.past) == expected and not again.mended
        assert again.heartbeat() is not None
    assert list(entries_in(path)) == expected


def test_a_reader_goes_on_in_the_file_that_was_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store, Reader(path) as reader:
        say(store, 4)
        assert len(reader.read()) == 4
        path.unlink()
        say(store, 2)
        assert [e.seq for e in reader.read()] == [5, 6]


def test_a_second_copy_that_is_deleted_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store:
        say(store, 4)
        tail_path(path).unlink()
        say(store, 1)
        assert [row.seq for row in read_tail(tail_path(path))] == [1, 2, 3, 4, 5]
        assert not store.mended


# Copies.


def test_the_file_alone_is_the_whole_record_after_a_clean_stop(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store, Reader(path) as page:
        say(store, 44)
        page.read()
        store.close()
        alone = tmp_path / "stick.journal"
        shutil.copy(path, alone)
        assert len(entries_in(alone)) == 44, "although the page reads on"


@pytest.mark.parametrize("last", [None, Adjourned("")])
def test_the_log_is_folded_in_now_and_then(last: Body | None, tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.journal") as store:
        say(store, 50 if last is None else 3, *([last] if last else []))
        store.beat(1.0, 1.8e9)
        path = killed(store.path, tmp_path / "after")
        wal(path).unlink()
        assert entries_in(path) == tuple(store._entries)
        assert len(read_tail(tail_path(path))) == 1


def test_nobody_else_may_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    path.touch(0o644)
    with Store.open(path) as store:
        say(store, 1)
        for suffix in SUFFIXES:
            assert path.with_name(path.name + suffix).stat().st_mode & 0o777 == 0o600


def test_a_break_in_the_middle_names_what_comes_after(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with Store.open(path) as store:
        say(store, 9)
    db = sqlite3.connect(path)
    db.executescript("DROP TRIGGER entries_stay; UPDATE entries SET text = 'x' WHERE seq = 4")
    db.close()
    with pytest.raises(BrokenChainError):
        Store.open(path)
    with open_mended(path, "today") as store:
        (found,) = store.mended
        assert (store.seq, found.first, found.last) == (3, 4, 9)
