"""`takhte forget`: the name is nowhere any more, and the record still proves what it proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rules.board import Side
from service.appliance import forget
from service.journal.chain import BrokenChainError, Entry, checked_entries, seal_entry
from service.journal.entries import (
    MatchAmended,
    MatchEnded,
    MatchSet,
    NamesErased,
    Penalised,
    Role,
    Ruled,
    TableOpened,
    Who,
)
from service.journal.erasures import Erasures, statement, text_digest
from service.journal.keys import key_path, table_key
from service.journal.sqlite_file import Row, write_anew
from service.journal.store import InUseError, Reader, Store
from service.journal.tail import tail_path
from service.players.book import BOOK, PlayerBook
from service.record.archive import ArchiveError, read_archive, write_archive
from service.record.command import main as journal_command
from service.record.score_sheet import score_sheets
from service.referee.fold import replay
from service.web.access import Access
from service.web.policy import Visitor

NAME, OTHER = "Reza Karimi", "Jan"
TABLE, ARBITER = Who("", Role.REFEREE), Who("reza  karimi", Role.ARBITER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table's folder after an evening of two matches."""
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "takhte.toml").write_text(f"[table]\ndata = '{data}'\n")
    first, second = (
        MatchSet(ruleset="backgammon", length=3, white=NAME, black=OTHER),
        MatchSet(ruleset="backgammon", length=3, white=OTHER, black="Mahsa"),
    )
    with Store.open(data / "t1.journal") as store:
        for at, by, body in (
            (0.0, TABLE, TableOpened("t1", "takhte")),
            (1.0, TABLE, first),
            (2.0, ARBITER, Ruled("Reza Karimi plays on, and KARIMI alone is left")),
            (3.0, TABLE, second),
            (4.0, TABLE, Ruled("nobody said anything")),
        ):
            store.append([(at, 1.8e9 + at, by, body)])
    return data


def run(folder: Path, name: str = "reza karimi") -> int:
    return forget.main([name, "--settings", str(folder.parent / "takhte.toml")])


def test_the_name_is_gone_and_the_record_still_proves_itself(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = folder / "t1.journal"
    with Reader(journal) as reader:
        before = reader.read()
    assert run(folder) == 0
    assert "out of 2 entries (2, 3)" in capsys.readouterr().out
    for path in folder.rglob("*"):
        if path.is_file():
            assert NAME.encode() not in path.read_bytes(), path
            assert b"reza" not in path.read_bytes().lower(), path
    with Reader(journal) as reader:
        after = reader.read()
        assert reader.broken is None
    assert [e.hash for e in after[:-1]] == [e.hash for e in before]
    assert isinstance(after[-1].body, NamesErased) and set(after[-1].body.entries) == {"2", "3"}
    assert replay(after).match.names.white == OTHER
    assert [e.body for e in after if e.seq in (1, 4, 5)] == [before[i].body for i in (0, 3, 4)]
    noted = f"{before[-1].hash[:16]}@{len(before)}"
    assert journal_command(["verify", str(journal), "--head", noted]) == 0
    said = capsys.readouterr().out
    assert "6 entries" in said and "SOUND BUT FOR 2 ENTRIES (2, 3)" in said
    assert journal_command(["show", str(journal)]) == 0
    assert "SOUND BUT FOR 2 ENTRIES" in capsys.readouterr().err
    with Store.open(journal) as store:
        store.append([(9.0, 1.8e9, TABLE, Ruled("it goes on"))])
    archive = write_archive(store.past, table_key(key_path(journal)), "t1", "takhte")
    assert read_archive(archive).head == after[-1].hash
    assert run(folder) == 0, "a second time nothing is left to do"


def rows_of(journal: Path) -> list[Row]:
    with Reader(journal) as reader:
        assert reader.broken is None
        return [(e.seq, e.text, e.hash) for e in reader.read()]


def checked(rows: list[Row]) -> tuple[Entry, ...]:
    stated = Erasures(lambda: (text for _, text, _ in rows))
    return tuple(checked_entries(rows, explained=stated.explains))


def test_what_was_erased_cannot_be_filled_with_something_else(folder: Path) -> None:
    """Neither the text of an erased entry nor that of any other can be changed afterwards."""
    assert run(folder) == 0
    rows = rows_of(folder / "t1.journal")
    assert checked(rows)
    for at in range(len(rows)):
        seq, text, sealed = rows[at]
        other = text.replace(b'"at":', b'"at":1')
        assert other != text
        with pytest.raises(BrokenChainError) as caught:
            checked([*rows[:at], (seq, other, sealed), *rows[at + 1 :]])
        assert caught.value.seq == seq


def with_a_lie(rows: list[Row], at: int, old: bytes, new: bytes, key: Ed25519PrivateKey) -> Row:
    """Change an entry's text in place; the entry that passes it off as an erasure."""
    seq, text, sealed = rows[at]
    assert old in text
    rows[at] = (seq, text.replace(old, new), sealed)
    digests = {str(seq): text_digest(rows[at][1])}
    body = statement(len(rows) + 1, digests, key)
    by = Who("", Role.CONSOLE)
    entry, lie = seal_entry(rows[-1][2], len(rows) + 1, 99.0, 1.8e9, by, body)
    return entry.seq, lie, entry.hash


@pytest.fixture
def played(folder: Path) -> tuple[Path, Ed25519PrivateKey]:
    """A journal with a result in it, and its table's key."""
    journal = folder / "t1.journal"
    with Store.open(journal) as store:
        store.append([(5.0, 1.8e9, TABLE, MatchEnded(winner=Side.WHITE, score=(3, 0)))])
        store.append([(6.0, 1.8e9, ARBITER, Penalised(Side.WHITE, "points", 1.0, "late"))])
        store.append([(7.0, 1.8e9, TABLE, MatchAmended("score", [3, 1]))])
    return journal, table_key(key_path(journal))


@pytest.mark.parametrize(
    ("at", "old", "new"),
    [
        (5, b'"winner":"white"', b'"winner":"black"'),
        (6, b'"amount":1.0', b'"amount":2.0'),
        (7, b"[3,1]", b"[1,3]"),
    ],
)
def test_a_result_is_never_passed_off_as_an_erasure(
    played: tuple[Path, Ed25519PrivateKey], at: int, old: bytes, new: bytes
) -> None:
    """Not even by whoever has the table's key."""
    journal, key = played
    rows = rows_of(journal)
    rows.append(with_a_lie(rows, at, old, new, key))
    with pytest.raises(BrokenChainError) as caught:
        checked(rows)
    assert caught.value.seq == at + 1


def test_an_erasure_that_nobody_signed_or_another_key_did(
    played: tuple[Path, Ed25519PrivateKey], capsys: pytest.CaptureFixture[str]
) -> None:
    journal, key = played
    old, new = b"nobody said anything", b"somebody said a lot "
    # Signed by a key that is not the table's: links hold, and no face calls it sound.
    rows = rows_of(journal)
    stranger = Ed25519PrivateKey.generate()
    rows.append(with_a_lie(rows, 4, old, new, stranger))
    entries = checked(rows)
    archive = write_archive(entries, key, "t1", "takhte")
    with pytest.raises(ArchiveError, match="erased with the key"):
        read_archive(archive)
    journal.unlink()
    write_anew(journal, rows, None)
    tail_path(journal).unlink()
    assert journal_command(["verify", str(journal)]) == 1
    assert "what they said is not proven" in capsys.readouterr().err
    # The signature of another statement.
    seq, text, _ = rows[-1]
    body = json.loads(text)["body"]
    assert body["signature"].encode() in text
    entry, lie = seal_entry(
        rows[-2][2],
        seq,
        99.0,
        1.8e9,
        Who("", Role.CONSOLE),
        NamesErased(body["entries"], body["key"], "00" * 64),
    )
    with pytest.raises(BrokenChainError) as caught:
        checked([*rows[:-1], (seq, lie, entry.hash)])
    assert caught.value.seq == 5


def test_who_decided_stays_and_that_is_said(
    played: tuple[Path, Ed25519PrivateKey], capsys: pytest.CaptureFixture[str]
) -> None:
    journal, _ = played
    assert run(journal.parent) == 1
    said = capsys.readouterr()
    assert "1 entries keep it (7)" in said.err and "delete the journal" in said.err
    assert "out of 2 entries (2, 3)" in said.out
    (first, second) = score_sheets(checked(rows_of(journal)))
    assert (first["erased"], second["erased"]) == ([2, 3], [])


def test_a_name_that_is_also_a_word_of_the_record(folder: Path) -> None:
    with Store.open(folder / "t1.journal") as store:
        body = MatchSet(ruleset="backgammon", length=3, white="White", black="our")
        store.append([(7.0, 1.8e9, TABLE, body)])
    for name in ("white", "our"):
        assert run(folder, name) in (0, 1)
    with Reader(folder / "t1.journal") as reader:
        last = [e for e in reader.read() if isinstance(e.body, MatchSet)][-1]
        assert reader.broken is None
    assert isinstance(last.body, MatchSet)
    assert (last.body.white, last.body.black) == ("", "")
    assert last.body.seating == {"white": "light", "home": "south-east"}


def test_players_accounts_devices_and_pictures_go_too(folder: Path) -> None:
    access = Access(folder / "access.db")
    access.set_account("sara", "a long password", Role.DIRECTOR, None)
    access.set_account(NAME, "a long password", Role.ARBITER, None)
    token = access.open_session(Visitor("Reza Karimi", Role.PLAYER))
    access.audit(NAME, "signed in")
    access.audit("sara", f"account {NAME} set to arbiter")
    book = PlayerBook(folder / BOOK)
    book.follow("t1", lambda place: Reader(folder / "t1.journal", place))
    assert run(folder) == 0
    assert [a.name for a in access.accounts()] == ["sara"]
    assert access.visitor(token).role is Role.GUEST
    assert not [line for line in access.audited() if "Reza" in str(line)]
    assert NAME not in {p.name for p in book.players()}


def test_what_it_cannot_put_right_it_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "old").mkdir()
    (folder / "old/notes.txt").write_text("Reza Karimi owes a coffee")
    (folder / "old/log.jsonl").write_text(json.dumps({"white": "Reza Karimi"}))
    (folder / "old/other.txt").write_text("Reza Karimian does not")
    assert run(folder) == 1
    said = capsys.readouterr().err
    assert "notes.txt: still holds the name" in said and "log.jsonl" in said
    assert "other.txt" not in said


def test_a_table_that_runs_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(folder / "t1.journal"):
        assert run(folder) == 1
    assert "another takhte writes this journal" in capsys.readouterr().err
    assert issubclass(InUseError, OSError)
