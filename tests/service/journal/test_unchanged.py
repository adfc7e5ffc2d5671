"""Journals that were written before the rooms of `service` were built: they verify, read, and fold
to what they folded to, sentences aside; and the same inputs give the same entries now.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from service.journal.chain import chain
from service.journal.entries import KINDS
from service.journal.store import Reader
from service.referee.step import replay
from tests.service.hands import Hands
from tests.service.journal.golden_journal import summary
from tests.service.journal.mishaps import mishaps
from tests.service.unchanged import bodies_in, bodies_of, differences

DATA = Path(__file__).parent / "data"
BEFORE = sorted(path.with_suffix(".journal") for path in DATA.glob("*.jsonl"))


@pytest.mark.parametrize("kept", BEFORE, ids=lambda path: path.stem)
def test_a_journal_made_before_folds_to_the_same_documents(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / kept.name
    shutil.copy(kept, path)
    with Reader(path) as reader:
        entries = reader.read()
        assert reader.broken is None
    documents = [json.loads(line) for line in kept.with_suffix(".jsonl").open(encoding="utf-8")]
    assert documents[-1]["seq"] == len(entries)
    for document in documents:
        now = summary(replay(entries[: document["seq"]]))
        assert list(differences(document, now, f"after {document['seq']}")) == []


def test_between_them_they_hold_every_kind_of_entry() -> None:
    kinds = {kind for journal in DATA.glob("*.journal") for kind, _ in bodies_in(journal)}
    assert set(KINDS) <= kinds, "write one with the new kind (README.md says how)"


def test_the_same_story_is_told_in_the_same_entries() -> None:
    """As told since explanations that explain nothing are left out of the grounds; the others are
    what was said before.
    """
    told = [body for _, _, body in mishaps().said]
    assert list(differences(bodies_in(DATA / "mishaps-12.journal"), bodies_of(told))) == []


def test_the_same_story_gives_the_same_bytes_twice() -> None:
    def spelt(hands: Hands) -> list[bytes]:
        return [text for _, text in chain((at, 0.0, by, body) for at, by, body in hands.said)]

    assert spelt(mishaps()) == spelt(mishaps())


def test_what_differs_is_named() -> None:
    before = {"a": [1, {"why": "x", "p": 0.5}], "b": None}
    assert not list(
        differences(before, {"a": [1, {"why": "y", "p": 0.5000001}], "b": None, "c": 1})
    )
    assert sorted(differences(before, {"a": [1, {"p": 0.6}]})) == [
        ".a[1].p: 0.5 before, 0.6 now",
        ".b: gone",
    ]
    assert list(differences([1, 2], [1])) == [": 2 values before, 1 now"]
    assert list(differences({"b": True}, {"b": False})) == [".b: True before, False now"]
