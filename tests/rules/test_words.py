"""Every infraction has words in every language, with the same facts; what a language's file may
hold.
"""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from rules.infraction import WORDS, Broken, Infraction
from rules.words import WordsError, languages, read_messages

FACTS = {
    "point": 7,
    "count": 2,
    "whose": "mover's",
    "roll": "31",
    "die": 6,
    "limit": 1,
    "length": 6,
}


def named(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("code", Broken, ids=lambda c: c.value)
def test_every_infraction_has_its_words(code: Broken) -> None:
    assert named(WORDS[code]) <= set(FACTS)
    for lang in languages():
        words = Infraction(code, tuple(FACTS.items())).why(lang)
        assert words.strip()
        assert "{" not in words
    translated = languages()["fa"].messages[WORDS[code]]
    assert named(translated) == named(WORDS[code])
    assert not set(Infraction(code, tuple(FACTS.items())).why("fa")) & set(
        string.ascii_letters + string.digits
    )


def test_every_code_is_its_own() -> None:
    assert len({c.value for c in Broken}) == len(Broken) == len(WORDS)
    with pytest.raises(ValueError, match="no words in 'xx'"):
        Infraction(Broken.HEAD).why("xx")


FILES = {
    "plain": ('msgid "one"\nmsgstr "یک"\n', {"one": "یک"}),
    "over several lines": ('msgid ""\n"one "\n"two"\nmsgstr "a"\n"b"', {"one two": "ab"}),
    "header": ('msgid ""\nmsgstr ""\n"A: b\\n"\n"C: d\\n"\n', {"": "A: b\nC: d\n"}),
    "comments": ('# x\n#: a.py\nmsgid "a"\nmsgstr "b"\n#~ msgid "old"\n', {"a": "b"}),
    "not yet": ('msgid "a"\nmsgstr ""\n', {"a": ""}),
    "fuzzy is not yet": (
        '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d"',
        {"a": "", "c": "d"},
    ),
    "no empty line between": ('msgid "a"\nmsgstr "b"\nmsgid "c"\nmsgstr "d"', {"a": "b", "c": "d"}),
    "escapes": (r'msgid "a \"b\" \\ \t"' + '\nmsgstr "c"', {'a "b" \\ \t': "c"}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_words(name: str, tmp_path: Path) -> None:
    text, wanted = FILES[name]
    (tmp_path / "takhte.po").write_text(text, encoding="utf-8")
    assert read_messages(tmp_path / "takhte.po") == wanted


WRONG = {
    "plural": ('msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n', "line 2"),
    "context": ('msgctxt "a"\nmsgid "b"\nmsgstr "c"\n', "line 1"),
    "no quotes": ('msgid "a"\nmsgstr b\n', "line 2: expected quotes"),
    "open quotes": ('msgid "a\n', "line 1"),
    "no msgid": ('msgstr "b"\n', "line 1"),
    "nothing to go on with": ('"b"\n', "line 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_words_is_refused_by_line(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    (tmp_path / "takhte.po").write_text(text, encoding="utf-8")
    with pytest.raises(WordsError, match=said):
        read_messages(tmp_path / "takhte.po")
