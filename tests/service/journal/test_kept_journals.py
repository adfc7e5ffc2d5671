"""Journals that earlier versions wrote, kept as they are: each opens, verifies, replays to what it
said then, and can be continued.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.journal.chain import line, link
from service.journal.entries import TABLE, AlertRaised, IllegalNoticed, Noted
from service.journal.store import Reader, Store
from service.record import command
from service.record.archive import read_archive, write_archive
from service.record.match_record import match_records
from service.record.score_sheet import score_sheets
from service.referee.step import replay
from tests.service.journal.golden_journal import summary

TOLD = (IllegalNoticed, AlertRaised)
KEPT = sorted((Path(__file__).parent / "data").glob("format-*.journal"))


def test_there_is_one_for_every_format() -> None:
    """Format 1 kept an infraction's sentences, format 2 keeps code and facts."""
    assert [p.stem for p in KEPT] == ["format-1", "format-2"]


def holds(seen: Any, wanted: Any) -> bool:
    """Whether everything that was said then is said now; later versions may add keys."""
    if isinstance(wanted, dict):
        return all(k in seen and holds(seen[k], v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return len(seen) == len(wanted) and all(map(holds, seen, wanted))
    return bool(seen == wanted)


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
    assert holds(seen, wanted)
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


@pytest.mark.parametrize("kept", KEPT, ids=lambda p: p.stem)
def test_a_kept_journal_is_handed_on_as_it_was_sealed(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    shutil.copy(kept, path)
    with Reader(path) as reader:
        entries = reader.read()
    key = Ed25519PrivateKey.generate()
    archive = read_archive(write_archive(entries, key, "t1", "0.1.0"))
    assert archive.head == entries[-1].hash
    assert [e.text for e in archive.entries] == [e.text for e in entries]
    before = "0" * 64
    for entry in entries:
        assert link(before, entry.text) == entry.hash
        before = entry.hash


def test_what_was_kept_as_a_sentence_is_read_as_facts(tmp_path: Path) -> None:
    bodies = []
    for kept in KEPT:
        path = tmp_path / kept.name
        shutil.copy(kept, path)
        with Reader(path) as reader:
            bodies.append([e.body for e in reader.read() if isinstance(e.body, TOLD)])
    first, second = bodies
    assert any(isinstance(b, IllegalNoticed) and b.facts == {"roll": "21"} for b in first)
    assert [(b.kind, b.facts) for b in first] == [(b.kind, b.facts) for b in second]


@pytest.mark.parametrize("kept", KEPT, ids=lambda p: p.stem)
def test_a_kept_journal_is_shown_in_words_and_as_it_was_sealed(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / kept.name
    shutil.copy(kept, path)
    with Reader(path) as reader:
        entries = reader.read()
    assert command.main(["show", str(path), "--kind", "illegal_noticed"]) == 0
    assert "This is not a 21." in capsys.readouterr().out
    assert command.main(["show", str(path), "--json"]) == 0
    for entry, shown in zip(entries, capsys.readouterr().out.splitlines(), strict=True):
        found = json.loads(shown)
        assert found.pop("hash") == entry.hash and found == json.loads(entry.text)
    (sheet,) = score_sheets(entries)
    said = {json.dumps(row["why"], ensure_ascii=False) for row in sheet["illegal"]}
    assert any(" 21." in text and "(۲۱)" in text for text in said)
