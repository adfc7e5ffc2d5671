"""What version 1 kept as sentences becomes code and facts, or stays as it was said; what an entry
says is the same words before and after.
"""

from __future__ import annotations

import json

import pytest

from rules.infraction import WORDS, Broken
from rules.words import languages
from service.journal.chain import JournalError, chain, parse_entry
from service.journal.entries import AlertRaised, IllegalNoticed, PlayEntered
from service.journal.kept_words import WORDS_OF_VERSION_1
from service.journal.lifting import facts_of
from service.journal.saying import alert_words, entry_words, words_for
from tests.rules.test_words import FACTS, named
from tests.service.journal.golden_journal import eventful

EMPTY = [0] * 26
NOTICED = {
    "side": "white",
    "code": "blocked_point",
    "roll": [3, 1],
    "placement": {"white": EMPTY, "black": EMPTY},
}
PLAYED = {
    "side": "white",
    "roll": None,
    "origin": "entered",
    "notation": "",
    "placement": {"white": EMPTY, "black": EMPTY},
}
BLOCKED = {
    "en": "The 5-point is held by the opponent; a checker cannot land there.",
    "fa": "خانهٔ ۵ را حریف بسته است؛ آن‌جا نمی‌شود نشست.",
}
OTHERWISE = {"en": "Point 5 is theirs.", "tr": "5 kapalı."}


def sealed(kind: str, body: object, version: int = 1) -> bytes:
    by = {"name": "table", "role": "referee", "side": None}
    line = {"seq": 1, "at": 0.0, "wall": 0.0, "by": by, "kind": kind, "v": version, "body": body}
    return json.dumps(line).encode()


@pytest.mark.parametrize("code", sorted(WORDS_OF_VERSION_1))
def test_the_facts_of_every_infraction_are_got_back_from_the_words_it_had(code: str) -> None:
    then = WORDS_OF_VERSION_1[code]
    facts = {k: v for k, v in FACTS.items() if k in named(then)}
    assert facts_of(code, {"en": then.format_map(facts)}) == facts
    assert named(WORDS[Broken(code)]) <= set(facts)
    assert set(words_for(code, facts)) == set(languages())


NOTICE = {"alert": "a1", "matter": "illegal", "code": "blocked_point"}
BODIES = {
    "noticed": ("illegal_noticed", NOTICED | {"why": BLOCKED}, {"point": 5}),
    "noticed otherwise": ("illegal_noticed", NOTICED | {"why": OTHERWISE}, {"said": OTHERWISE}),
    "of a code that is gone": (
        "illegal_noticed",
        NOTICED | {"code": "old", "why": BLOCKED},
        {"said": BLOCKED},
    ),
    "alert": ("alert_raised", NOTICE | {"why": BLOCKED}, {"point": 5}),
    "alert cannot stand": (
        "alert_raised",
        NOTICE | {"matter": "cannot_stand", "why": BLOCKED},
        {"point": 5},
    ),
    "alert of little": ("alert_raised", {"alert": "a1", "matter": "flag", "code": "flag_fell"}, {}),
    "alert of a source": (
        "alert_raised",
        {"alert": "a1", "matter": "source_lost", "code": "camera", "why": {"en": "gone"}},
        {"reason": "gone"},
    ),
    "alert otherwise": ("alert_raised", NOTICE | {"why": OTHERWISE}, {"said": OTHERWISE}),
    "played": (
        "played",
        PLAYED | {"infraction": "blocked_point", "evidence": {"why": BLOCKED}},
        {"point": 5},
    ),
    "played as told": (
        "played",
        PLAYED | {"infraction": "blocked_point", "evidence": {"why": OTHERWISE}},
        {"said": OTHERWISE},
    ),
    "played legally": ("played", PLAYED | {"evidence": {"rows": []}}, None),
}


@pytest.mark.parametrize("name", BODIES)
def test_an_old_entry_is_read_as_code_and_facts(name: str) -> None:
    kind, given, facts = BODIES[name]
    text = sealed(kind, given)
    entry = parse_entry(text, "")
    assert entry.text == text
    match entry.body:
        case PlayEntered(evidence=evidence):
            assert evidence.get("facts") == facts and "why" not in evidence
        case IllegalNoticed() | AlertRaised():
            assert entry.body.facts == facts


@pytest.mark.parametrize("name", BODIES)
def test_what_an_old_entry_said_it_says_still(name: str) -> None:
    """As it was sealed, and as it is read."""
    kind, given, _ = BODIES[name]
    kept = entry_words(kind, given)
    match parse_entry(sealed(kind, given), "").body:
        case IllegalNoticed(code=code, facts=facts):
            assert words_for(code, facts) == kept
        case AlertRaised(matter=matter, code=code, facts=facts):
            assert alert_words(matter, code, facts) == kept
        case PlayEntered(evidence=evidence):
            assert entry_words("played", given | {"evidence": evidence}) == kept
    assert bool(kept) == (name not in ("alert of little", "played legally"))


WRONG = {
    "no words": ("illegal_noticed", NOTICED),
    "words that are a list": ("illegal_noticed", NOTICED | {"why": [1]}),
    "an alert's that are text": ("alert_raised", {"alert": "a1", "matter": "flag", "why": "x"}),
    "a play's that are text": ("played", PLAYED | {"evidence": {"why": "x"}}),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_never_was_an_entry_is_refused(name: str) -> None:
    kind, given = WRONG[name]
    with pytest.raises(JournalError, match="expected a mapping"):
        parse_entry(sealed(kind, given), "")


def test_code_and_facts_that_no_words_fit_say_nothing() -> None:
    assert words_for("no_such_rule", {"point": 5}) == {} == words_for("blocked_point", {})
    assert alert_words("flag", "flag_fell", {}) == {} == alert_words("source_lost", "camera", {})


def test_no_entry_holds_a_sentence_of_ours() -> None:
    """So that a journal is the same bytes whatever languages there are."""
    sentences = 0
    for entry, text in chain((at, 0.0, by, body) for at, by, body in eventful().said):
        words = entry_words(entry.body.kind, json.loads(text)["body"])
        sentences += bool(words)
        lost = isinstance(entry.body, AlertRaised) and entry.body.matter == "source_lost"
        assert lost or not [said for said in words.values() if said in text.decode()]
    assert sentences >= 4
