"""Both catalogues say the field's words as docs/words.md has them, and no page says a code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from firmware_bridge.findings import FINDINGS
from rules.conduct import CONDUCT
from rules.infraction import WORDS
from rules.words import languages
from service.journal.entries import KINDS
from service.journal.saying import ALERTS, NOTES, RECORD, entry_words
from service.web.assembled import STATIC
from service.web.catalogue import messages
from tests.service.web.codes import source

ROOT = Path(__file__).resolve().parents[3]
TABLES = (ROOT / "docs" / "words.md").read_text(encoding="utf-8").split("\n| English |")[1:]
FA = languages()["fa"].messages
JS = STATIC / "js"


def rows(table: str) -> list[list[str]]:
    lines = [line for line in table.splitlines()[2:] if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    return [[c.strip().strip("`").replace("\\|", "|") for c in row] for row in cells]


TERMS, NEVER, NEVER_ENGLISH = map(rows, TABLES)


@pytest.mark.parametrize("row", NEVER, ids=lambda r: r[1])
def test_persian_never_says(row: list[str]) -> None:
    said, never = re.compile(row[0]), re.compile(row[1])
    assert not {k: v for k, v in FA.items() if k and said.search(k) and never.search(v)}


@pytest.mark.parametrize("row", NEVER_ENGLISH, ids=lambda r: r[1])
def test_english_never_says(row: list[str]) -> None:
    assert not [k for k in messages() if re.search(row[1], k)]


@pytest.mark.parametrize("row", TERMS, ids=lambda r: r[0])
def test_each_term_is_said(row: list[str]) -> None:
    """A term that no message says any more has no place in the list."""
    wanted = [re.sub(r"[«»]| \(.*\)", "", word) for word in row[1].split("، ")]
    assert any(word in said for said in FA.values() for word in wanted)


def words_of(script: str, name: str) -> set[str]:
    """The keys of a table of words in a page's script."""
    text = (JS / script).read_text(encoding="utf-8")
    table = re.search(rf"const {name} = \{{\n(.*?)^\}};", text, re.DOTALL | re.MULTILINE)
    assert table, f"{script} has no {name}"
    return set(re.findall(r"^  (\w+):", table[1], re.MULTILINE))


def every_code(*places: tuple[str, int]) -> set[str]:
    """Every code that one of these calls can be given there; an expression that cannot be followed
    to its codes fails.
    """
    found = [source().said(callee, index) for callee, index in places]
    assert not set().union(*(unknown for _, unknown in found))
    return set().union(*(codes for codes, _ in found))


def test_every_refusal_is_given_by_something_and_has_words() -> None:
    places = (("OrderError", 0), ("Refusal", 0), ("problem", 1))
    assert every_code(*places) == words_of("refusals.js", "REASONS")


def test_every_alert_is_raised_by_something_and_has_words() -> None:
    assert every_code(("alert", 0)) | {RECORD} == words_of("prompts.js", "MATTERS")
    assert {matter for matter, _ in ALERTS} <= words_of("prompts.js", "MATTERS")


def test_every_infraction_is_found_by_the_judge_or_entered_by_the_table_or_a_person() -> None:
    assert {code.value for code in CONDUCT} <= every_code(("Noted", 0))
    judge = (ROOT / "rules" / "judge.py").read_text(encoding="utf-8")
    assert {code.name for code in set(WORDS) - CONDUCT} == set(re.findall(r"Broken\.(\w+)", judge))


def test_every_note_has_words() -> None:
    for matter in {*every_code(("Noted", 0)), *NOTES, *(code.value for code in WORDS)}:
        said = entry_words("noted", {"matter": matter, "text": "button"})
        bare = any(code.value == matter and "{" in words for code, words in WORDS.items())
        assert bare or set(said) == set(languages()), matter
        assert not re.search(r"\w_\w", said.get("en", ""))


def test_an_arbiters_page_offers_each_note_in_the_rules_own_words() -> None:
    text = (JS / "arbiter" / "notes.js").read_text(encoding="utf-8")
    offered = dict(re.findall(r'^  (\w+): \(\) => say\("(.*)"\),$', text, re.MULTILINE))
    assert offered == {code.value: WORDS[code] for code in CONDUCT}


def test_a_cube_that_may_not_be_turned_says_why_in_the_trail() -> None:
    said = entry_words("noted", {"matter": "cube_out_of_turn", "text": "crawford"})
    assert said["fa"] == FA["The cube does not count in the Crawford game."]


def test_everything_that_a_test_of_the_board_finds_has_words() -> None:
    assert set(FINDINGS) == words_of("sensor_words.js", "FINDINGS")


def test_every_kind_of_entry_has_words() -> None:
    table, hall = words_of("trail.js", "WORDS"), words_of("hall_round.js", "ACTS")
    assert set(KINDS) == table | hall
    assert not table & hall


def test_every_result_and_end_has_words() -> None:
    results = {"single", "gammon", "backgammon", "mars", "super_mars"}
    assert results | {"left_in_home", "left_in_home_or_bar", "aziz"} <= words_of(
        "prompts.js", "RESULTS"
    )
    ends, _ = source().said("GameEnded", 3)
    assert ends == words_of("sheet.js", "ENDS")


def test_no_reason_that_the_table_gives_is_shown_as_a_persons() -> None:
    text = (JS / "trail.js").read_text(encoding="utf-8")
    lists = {
        name: set(re.findall(r'"(\w+)"', text.split(f"const {name} = [")[1].split("]")[0]))
        for name in ("REASON_HIDDEN", "OWN_REASONS")
    }
    for kind in words_of("trail.js", "WORDS"):
        body = KINDS[kind]
        names = [field.name for field in fields(body)]
        if "reason" in names and kind not in lists["REASON_HIDDEN"]:
            given, _ = source().said(body.__name__, names.index("reason"), "reason")
            assert given <= lists["OWN_REASONS"], kind


REASONS = [
    "the board has said nothing for 3 s",
    "the board restarted",
    "the pictures have come to their end; the last one stays",
    "no new picture for 4 s",
    "no board is connected",
    "awaited: no phone sends pictures: open the camera's page on it",
    "awaited: no camera at /dev/video0 (there is no camera on this machine): plug it in",
    "awaited: no board is plugged in (none of the USB ids of an Arduino Mega)",
]


@pytest.mark.parametrize("reason", REASONS)
def test_what_a_source_says_has_words(reason: str) -> None:
    """A reason without a pattern is said in general where the page is not English."""
    text = (JS / "sensor_words.js").read_text(encoding="utf-8")
    patterns = re.findall(r"/(\S.*?)/(i?),", text)
    assert any(re.search(p, reason, re.IGNORECASE if i else 0) for p, i in patterns)
