"""Languages are complete: every message of every page, placeholders kept, the right choice for a
visitor.
"""

from __future__ import annotations

import re

import pytest

from rules.words import LOCALE, languages, read_messages
from service.web.catalogue import catalogue_text, messages
from service.web.words import choose_language

OTHERS = [code for code in languages() if code != "en"]


def test_persian_is_there() -> None:
    fa = languages()["fa"]
    assert (fa.name, fa.direction, fa.with_digits("40%")) == ("فارسی", "rtl", "۴۰٪")


@pytest.mark.parametrize("code", OTHERS)
def test_the_file_is_as_the_catalogue_writes_it(code: str) -> None:
    path = LOCALE / code / "takhte.po"
    known = read_messages(path)
    assert path.read_text(encoding="utf-8") == catalogue_text(known[""], known)


@pytest.mark.parametrize("code", OTHERS)
def test_every_message_is_translated_and_none_is_stale(code: str) -> None:
    said, known = set(messages()), set(languages()[code].messages)
    assert said == known, (
        f"run python -m service.web.catalogue and translate: {sorted(said ^ known)[:5]}"
    )


@pytest.mark.parametrize("code", OTHERS)
def test_placeholders_survive_translation(code: str) -> None:
    fields = re.compile(r"\{\w+\}")
    wrong = {
        k: v
        for k, v in languages()[code].messages.items()
        if set(fields.findall(k)) != set(fields.findall(v))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("wanted", "accepts", "default", "found"),
    [
        ("fa", "en", "", "fa"),
        (None, "fa-IR,fa;q=0.9,en;q=0.8", "", "fa"),
        (None, "de,en;q=0.5", "", "en"),
        (None, "de", "", "en"),
        (None, "de", "fa", "fa"),
        ("xx", "", "", "en"),
        (None, "", "", "en"),
    ],
)
def test_the_language_of_a_visitor(
    wanted: str | None, accepts: str, default: str, found: str
) -> None:
    assert choose_language(wanted, accepts, default).code == found


def test_values_are_filled_in() -> None:
    assert languages()["fa"].say("to {n} points", n=7) == "تا 7 امتیاز"
    assert languages()["en"].say("anything {else}") == "anything {else}"
