"""Both records a desk can have, the journal's file and the hall's model, keep one contract."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from service.hall.desk import ModelRecord
from service.hall.ledger import Ledger
from service.hall.model import Model
from service.journal.chain import GENESIS, JournalError
from service.journal.entries import TABLE, Noted, TableOpened
from service.journal.store import Reader, Store
from service.web.chronicle import Chronicle
from service.web.delay import Cut, Past
from service.web.instants import Instants
from service.web.ports import TableRecord, row_of


def written(path: Path, name: str, count: int) -> Path:
    with Store.open(path) as store:
        store.append([(0.0, 1.8e9, TABLE, TableOpened(name, "0"))])
        store.append([(float(n), 1.8e9 + n, TABLE, Noted("x")) for n in range(1, count)])
    return path


def model_of(path: Path, folder: Path) -> tuple[Model, Callable[[Path], None]]:
    """A model that holds a journal's rows, and what puts another journal in their place."""
    model = Model(folder / "model.db", "")

    def replace(other: Path) -> None:
        with Reader(other) as reader:
            rows = list(reader.tail())
        epoch = model.ledgers["t1"].epoch + 1 if model.ledgers else 1
        model._db.executemany(
            "INSERT INTO entry VALUES ('t1', ?, ?, ?, ?)",
            [(epoch, seq, text, sealed) for seq, text, sealed in rows],
        )
        model.ledgers = {"t1": Ledger(epoch, rows[-1][0], rows[-1][2])}

    replace(path)
    return model, replace


@pytest.fixture(params=["file", "model"])
def record(
    request: pytest.FixtureRequest, tmp_path: Path
) -> tuple[TableRecord, Callable[[Path], None]]:
    """(a record of 30 entries, what puts another journal in its place)"""
    path = written(tmp_path / "a", "a", 30)
    if request.param == "model":
        model, replace = model_of(path, tmp_path)
        return ModelRecord(model, "t1"), replace

    def copied(other: Path) -> None:
        path.unlink()
        shutil.copy(other, path)

    return Chronicle(path), copied


Made = tuple[TableRecord, Callable[[Path], None]]


def test_rows_come_in_order_with_their_hash(record: Made) -> None:
    rows = list(record[0].rows())
    assert [row["seq"] for row in rows] == list(range(1, 31))
    assert [row["seq"] for row in record[0].rows(27, 2)] == [28, 29]
    assert row_of(record[0], 30) == rows[29]
    assert row_of(record[0], 31) is None
    assert len({row["hash"] for row in rows}) == 30


def test_a_cursor_hands_out_each_entry_once(record: Made) -> None:
    with record[0].cursor() as cursor:
        assert [e.seq for e in cursor.read(3)] == [1, 2, 3]
        found = cursor.read()
        assert [e.seq for e in found] == list(range(4, 31))
        assert cursor.read() == ()
    middle = found[9]
    with record[0].cursor((middle.seq, middle.hash)) as cursor:
        assert cursor.read(1)[0].seq == middle.seq + 1


def test_a_cursor_begins_after_no_entry_that_is_not_there(record: Made, tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        record[0].cursor((5, GENESIS))
    with record[0].cursor() as cursor:
        last = cursor.read()[-1]
    record[1](written(tmp_path / "b", "b", 3))
    with pytest.raises(JournalError):
        record[0].cursor((last.seq, last.hash))


def test_another_record_in_its_place_is_read_from_its_start(record: Made, tmp_path: Path) -> None:
    instants = Instants(record[0])
    assert instants.state(Cut()).seq == 30
    assert Past(record[0]).state(Cut(4.0)).seq == 5
    record[1](written(tmp_path / "b", "b", 3))
    assert (instants.state(Cut()).seq, instants.state(Cut()).table) == (3, "b")
