"""Journals that earlier versions wrote, kept as they are: each opens, verifies, replays to what it
said then, and can be continued.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from service.journal.chain import line, link
from service.journal.entries import TABLE, Noted
from service.journal.store import Reader, Store
from service.record.match_record import match_records
from service.referee.step import replay
from tests.service.journal.golden_journal import summary

KEPT = sorted((Path(__file__).parent / "data").glob("*.journal"))


def test_there_is_one_for_every_format() -> None:
    assert [p.stem for p in KEPT] == ["format-1"]


@pytest.mark.parametrize("kept", KEPT, ids=lambda p: p.stem)
def test_a_kept_journal_says_what_it_said(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    shutil.copy(kept, path)
    with Reader(path) as reader:
        entries = reader.read()
        assert reader.broken is None and len(entries) > 50
    state = replay(entries)
    wanted = json.loads(kept.with_suffix(".json").read_text(encoding="utf-8"))
    seen = summary(state)
    assert {k: seen[k] for k in wanted} == wanted
    assert match_records(entries)[0].final().score.black == state.match.score.black
    with Store.open(path) as store:
        store.append([(state.at, 1.9e9, TABLE, Noted("continued"))])
    with Reader(path) as reader:
        assert len(reader.read()) == len(entries) + 1


def test_this_version_writes_the_same_bytes(tmp_path: Path) -> None:
    """As long as the format has not changed, an entry read from a kept journal is spelt again as it
    was.
    """
    path = tmp_path / KEPT[-1].name
    shutil.copy(KEPT[-1], path)
    with Reader(path) as reader:
        before = "0" * 64
        for entry in reader.read():
            assert (
                link(before, line(entry.seq, entry.at, entry.wall, entry.by, entry.body))
                == entry.hash
            )
            before = entry.hash
