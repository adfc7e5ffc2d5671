"""The state at any instant: the same as a replay, for a few hundred entries' work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from service.journal.entries import TABLE, Noted, TableOpened
from service.journal.store import Reader, Store
from service.referee.fold import fold, replay
from service.web import instants as module
from service.web.chronicle import Chronicle
from service.web.delay import ROUNDED_S, Cut
from service.web.instants import MOST, SPACING, Instants, Marks
from tests.service.web.test_delay import played


def test_every_instant_and_number_is_what_a_replay_says(tmp_path: Path) -> None:
    table = played(tmp_path)
    with Reader(table.journal) as reader:
        found = reader.read()
    instants = Instants(Chronicle(table.journal))
    instants.marks = Marks(spacing=5, most=4)
    before = [e.at - 2 * ROUNDED_S for e in reversed(found)]
    for at in [*(e.at for e in found), *before, 1e9, -1.0]:
        assert instants.state(Cut(at)) == replay(e for e in found if e.at <= at + ROUNDED_S)
        assert instants.state(Cut(wall=at + found[0].wall)) is not None
    for seq in range(1, len(found) + 1):
        assert instants.before(seq) == replay(found[: seq - 1])
    for seq in (0, len(found) + 1):
        with pytest.raises(ValueError, match="entries 1 to"):
            instants.before(seq)
    table.turn()
    assert instants.state(Cut()).seq == table.state.seq, "what was added is taken in"
    table.close()


def test_another_journal_in_its_place_is_read_from_its_start(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    for name, count in ((path, 30), (other, 3)):
        with Store.open(name) as store:
            store.append([(1.0, 1.0, TABLE, TableOpened(name.name, "0"))])
            store.append([(float(n), 1.0, TABLE, Noted("x")) for n in range(2, count)])
    instants = Instants(Chronicle(path))
    assert instants.state(Cut()).seq == 29
    path.unlink()
    shutil.copy(other, path)
    assert (instants.state(Cut()).seq, instants.state(Cut()).table) == (2, "b")


def test_a_request_costs_a_few_hundred_entries_however_long_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, count, folded = tmp_path / "j", 5000, 0

    def counted(*given: object) -> object:
        nonlocal folded
        folded += 1
        return fold(*given)  # type: ignore[arg-type]

    with Store.open(path) as store:
        store.append([(float(n), 1.0 + n, TABLE, Noted("x")) for n in range(count)])
    instants = Instants(Chronicle(path))
    instants.state(Cut())
    monkeypatch.setattr(module, "fold", counted)
    for n in (0, 1, 399, 400, 2718, count - 1):
        folded = 0
        assert instants.state(Cut(float(n))).seq == n + 1
        assert folded <= SPACING


def test_marks_are_bounded() -> None:
    marks = Marks(spacing=1, most=8)
    with_entries = [e for e, _ in module_chain(500)]
    marks.add(with_entries)
    assert len(marks.kept) <= 8 < MOST
    gaps = [b.seq - a.seq for a, b in zip(marks.kept, [*marks.kept[1:], marks.last], strict=True)]
    assert max(gaps) <= marks.spacing
    for seq in (1, 77, 499):
        found = marks.nearest(lambda mark, seq=seq: mark.seq <= seq)
        assert 0 <= seq - found.seq <= marks.spacing


def module_chain(count: int) -> list[tuple[object, bytes]]:
    from service.journal.chain import chain

    return list(chain((float(n), 1.0, TABLE, Noted("x")) for n in range(count)))
