"""The journal's file: durable, append only, one writer, damage found and set aside."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import Placement, Side
from rules.dice import Roll
from service.journal.chain import (
    GENESIS,
    BrokenChainError,
    JournalError,
    NewerJournalError,
    chain,
    checked_entries,
    clock_trust,
    parse_entry,
)
from service.journal.codec import CodecError, canonical, decode, encode
from service.journal.entries import (
    KINDS,
    TABLE,
    Body,
    DiceOrigin,
    Noted,
    PlayEntered,
    Role,
    RollEntered,
    TableOpened,
    Who,
)
from service.journal.mending import open_mended
from service.journal.store import InUseError, NotStoredError, Reader, Store

Line = tuple[float, float, Who, Body]


def lines(count: int, start: int = 0) -> list[Line]:
    who = Who("Ayşe یاس", Role.PLAYER, Side.WHITE)
    return [
        (
            n + 0.25,
            1.8e9 + n,
            who if n % 2 else TABLE,
            Noted("slow_turn", Side.BLACK, f"n {n} – ماندن"),
        )
        for n in range(start, start + count)
    ]


def write(path: Path, count: int) -> None:
    with Store.open(path) as store:
        store.append(lines(count))


def tamper(path: Path, sql: str) -> None:
    db = sqlite3.connect(path)
    db.executescript("DROP TRIGGER entries_stay; DROP TRIGGER entries_remain;" + sql)
    db.commit()
    db.close()


def test_what_was_appended_is_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t.takhte"
    with Store.open(path) as store:
        first = store.append(lines(3))
        second = store.append(lines(2, start=3))
        with Reader(path) as reader:
            assert reader.read() == first + second
            third = store.append(lines(1, start=5))
            assert reader.read() == third
            assert reader.read() == ()
            assert reader.head == store.head
    with Store.open(path) as again:
        assert again.past == first + second + third
        assert again.seq == 6


def test_only_one_writer(tmp_path: Path) -> None:
    with Store.open(tmp_path / "j"), pytest.raises(InUseError, match="another takhte"):
        Store.open(tmp_path / "j")
    Store.open(tmp_path / "j").close()


def test_nothing_is_rewritten(tmp_path: Path) -> None:
    write(tmp_path / "j", 2)
    db = sqlite3.connect(tmp_path / "j")
    for sql in ("UPDATE entries SET hash = ''", "DELETE FROM entries"):
        with pytest.raises(sqlite3.IntegrityError, match="entries append"):
            db.execute(sql)
    db.close()


def test_heartbeat_outlives_the_process(tmp_path: Path) -> None:
    with Store.open(tmp_path / "j") as store:
        assert store.heartbeat() is None
        store.beat(1.5, 1.8e9, {"a": 1})
        store.beat(2.5, 1.8e9 + 1, {"a": 2})
    with Store.open(tmp_path / "j") as store:
        beat = store.heartbeat()
        assert beat is not None and (beat.at, beat.data) == (2.5, {"a": 2})


TAMPERED = {
    "a changed text": (
        "UPDATE entries SET text = replace(CAST(text AS TEXT), 'slow', 'fast') WHERE seq = 4",
        4,
    ),
    "a changed hash": ("UPDATE entries SET hash = 'x' WHERE seq = 4", 4),
    "a lost line": ("DELETE FROM entries WHERE seq = 4", 4),
    "a torn tail": ("UPDATE entries SET text = substr(text, 1, 20) WHERE seq = 6", 6),
    "an added line": ("INSERT INTO entries VALUES (7, 'x', 'y')", 7),
    "two lines changed round": (
        (
            "UPDATE entries SET seq = 99 WHERE seq = 2; UPDATE entries SET seq = 2 WHERE seq = 3;"
            " UPDATE entries SET seq = 3 WHERE seq = 99"
        ),
        2,
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_found_and_set_aside(name: str, tmp_path: Path) -> None:
    path, (sql, bad) = tmp_path / "j", TAMPERED[name]
    with Store.open(path) as store:
        whole = store.append(lines(6))
        sound = whole[: bad - 1]
        store.beat(9.0, 1.8e9)
    tamper(path, sql)
    with pytest.raises(BrokenChainError) as caught:
        Store.open(path)
    assert caught.value.seq == bad
    with Reader(path) as reader:
        assert reader.read() == sound
        assert reader.broken is not None and reader.broken.seq == bad
        assert reader.read() == ()
    with open_mended(path, "2026-11-21") as store:
        (found,) = store.mended
        damaged = found.kept
        assert damaged is not None and damaged.exists()
        # The last entry stands twice; what lies before it does not, once the log is folded in.
        lost = (0, 0) if bad >= 6 else (bad, 6)
        assert (found.first, found.last) == lost, "what is missing is named"
        assert store.past == (whole if bad >= 6 else sound)
        beat = store.heartbeat()
        assert beat is not None and beat.at == 9.0
        store.append(lines(1, start=20))
    with pytest.raises(BrokenChainError):
        Store.open(damaged)


def test_every_truncation_is_refused_or_sound(tmp_path: Path) -> None:
    """Whatever prefix of the file survives, a reader returns a prefix of the entries or one clear
    error, never something else.
    """
    path = tmp_path / "j"
    write(path, 40)
    whole = path.read_bytes()
    with Reader(path) as reader:
        entries = reader.read()
    for cut in range(0, len(whole), 997):
        torn = tmp_path / f"torn{cut}"
        torn.write_bytes(whole[:cut])
        try:
            with Reader(torn) as reader:
                found = reader.read()
        except JournalError:
            continue
        assert found == entries[: len(found)]


@pytest.mark.parametrize(
    "content", [b"not a database, a text file\n" * 40, b"SQLite format 3\x00" + bytes(4000)]
)
def test_no_journal_is_said_so(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(JournalError, match="expected a takhte journal"):
        Store.open(tmp_path / "j")
    with pytest.raises(JournalError, match="found no file"):
        Reader(tmp_path / "none")


def test_newer_journals_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "j"
    write(path, 1)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    for opening in (Store.open, Reader):
        with pytest.raises(
            NewerJournalError, match="format 99, written by a later takhte"
        ) as caught:
            opening(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("wall", "said"), [(0.0, "none"), (1.7e9, "none"), (1.8e9, "machine")])
def test_a_date_that_cannot_be_right_is_said_so(wall: float, said: str) -> None:
    assert clock_trust(wall) == said


def test_a_kind_of_the_future_is_refused() -> None:
    (_, text), *_ = chain([(0.0, 0.0, TABLE, Noted("x"))])
    for old, new in ((b'"kind":"noted"', b'"kind":"teleported"'), (b'"v":1', b'"v":2')):
        with pytest.raises(NewerJournalError, match="use a later one"):
            parse_entry(text.replace(old, new), "")


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Store.open(path) as store:
        store.append(lines(2))
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        many = [(3.0, 1.8e9, TABLE, Noted("x", text="y" * 9000))]
        with pytest.raises(NotStoredError, match="free space"):
            store.append(many)
        assert store.seq == 2
        store._db.execute("PRAGMA max_page_count = 10000")
        store.append(many)
    with Store.open(path) as store:
        assert store.seq == 3


placements = st.builds(Placement, *[st.tuples(*[st.integers(0, 15)] * 26)] * 2)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
bodies: st.SearchStrategy[Body] = st.one_of(
    st.builds(Noted, texts, st.none() | st.sampled_from(Side), texts),
    st.builds(
        RollEntered,
        st.sampled_from(Side),
        st.builds(Roll.of, st.integers(1, 6), st.integers(1, 6)),
        st.sampled_from(DiceOrigin),
    ),
    st.builds(
        PlayEntered,
        st.sampled_from(Side),
        st.none(),
        st.sampled_from(DiceOrigin),
        texts,
        placements,
        st.none() | st.floats(0, 1),
        evidence=st.dictionaries(
            texts, st.integers() | st.floats(-1, 1) | st.tuples(texts, st.booleans()), max_size=3
        ),
    ),
    st.builds(TableOpened, texts, texts),
)


@settings(max_examples=60)
@given(st.lists(bodies, max_size=6))
def test_lines_come_back_as_they_went(bodies: list[Body]) -> None:
    sealed = list(chain([(i / 3, 1e9 + i, TABLE, b) for i, b in enumerate(bodies)]))
    assert [e for e, _ in sealed] == list(
        checked_entries([(e.seq, text, e.hash) for e, text in sealed])
    )
    assert [e.body for e, _ in sealed] == bodies


@settings(max_examples=60)
@given(st.data(), st.lists(bodies, min_size=1, max_size=3))
def test_any_flipped_byte_breaks_the_chain(data: st.DataObject, bodies: list[Body]) -> None:
    rows = [(e.seq, text, e.hash) for e, text in chain([(0.0, 0.0, TABLE, b) for b in bodies])]
    which = data.draw(st.integers(0, len(rows) - 1))
    seq, text, sealed = rows[which]
    at = data.draw(st.integers(0, len(text) - 1))
    rows[which] = (
        seq,
        text[:at] + bytes([text[at] ^ (1 << data.draw(st.integers(0, 7)))]) + text[at + 1 :],
        sealed,
    )
    with pytest.raises(BrokenChainError) as caught:
        list(checked_entries(rows, GENESIS))
    assert caught.value.seq == which + 1


@settings(max_examples=80)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda x: st.lists(x, max_size=3) | st.dictionaries(texts, x, max_size=3),
    )
)
def test_hostile_bodies_get_a_clear_error(data: object) -> None:
    for kind in KINDS.values():
        try:
            value = decode(kind, data)
        except CodecError as error:
            assert str(error)
        else:
            assert decode(kind, encode(value)) == value
            canonical(encode(value))
