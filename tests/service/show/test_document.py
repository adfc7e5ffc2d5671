"""The state document has one definition: what is made from it is as it says, and documents are."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest

from rules.board import Side
from service.journal.store import Reader
from service.referee.fold import fold
from service.referee.state import Finished, State
from service.show.compose import table_document
from service.show.document import StateDocument, TableDocument, is_table_document
from service.show.scene import scene_document
from service.web.schema import StateAnswer
from service.web.view import visible
from tests.service.hands import Hands, begun

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "service/web/static/schema/state-1.json").read_text())


def test_schema_and_page_types_are_as_the_definition_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/state_types.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_api_describes_its_answer_by_the_same_schema() -> None:
    described = StateAnswer.model_json_schema()
    for key in ("properties", "required"):
        assert described[key] == SCHEMA[key]


@pytest.mark.parametrize("view", ["public", "player", "staff"])
def test_every_document_of_a_kept_journal_fits_the_schema(view: str) -> None:
    validator = jsonschema_rs.Draft202012Validator(SCHEMA)
    state = State()
    with Reader(ROOT / "tests/service/journal/data/format-1.journal") as reader:
        entries = reader.read()
    for entry in entries:
        state = fold(state, entry.seq, entry.at, entry.by, entry.body)
        shown = visible(
            table_document(state, entry.at, scene_document(state, entry.at)), view, delay=1.5
        )
        errors = [f"{e.instance_path}: {e.message[:200]}" for e in validator.iter_errors(shown)]
        assert not errors, (entry.seq, errors)


def test_every_key_of_a_document_is_in_the_definition_and_the_other_way_round() -> None:
    hands = begun(Hands(), clock="ours", white="Ana", black="Bo")
    hands.throw(3, 1)
    found = table_document(hands.state, hands.now, scene_document(hands.state, hands.now))
    shown = visible(found, "staff", held=3)
    at_times = {"trouble", "film", "note"}
    assert set(found) == set(TableDocument.__annotations__) - at_times
    assert set(shown) == set(StateDocument.__annotations__) - at_times


def test_only_a_document_of_this_version_is_taken_for_one() -> None:
    found = table_document(State(), 0.0)
    assert is_table_document(found) and is_table_document(json.loads(json.dumps(found)))
    assert not is_table_document({**found, "schema": "takhte-state/2"})
    assert not is_table_document({k: v for k, v in found.items() if k != "dice"})
    assert not is_table_document([]) and not is_table_document(None)


@pytest.mark.parametrize(
    ("ruleset", "nard", "result"), [("backgammon", False, "gammon"), ("nard", True, "mars")]
)
def test_nard_is_told_in_its_own_words(ruleset: str, nard: bool, result: str) -> None:
    hands = begun(Hands(), ruleset=ruleset, length=5)
    ended = Finished(1, Side.WHITE, 2, "borne_off", "gammon", (2, 0), 9)
    match = replace(hands.state.match, finished=(ended,))
    state = replace(hands.state, match=match)
    found = table_document(state, hands.now, scene_document(state, hands.now))
    assert (found["match"]["nard"], found["games"][0]["result"]) == (nard, result)
