"""Every infraction has words in every language, with the same facts, and the compiled catalogue is
what its source says.
"""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from rules.infraction import LANGUAGES, WORDS, Broken, Infraction, words_of_language

LOCALE = Path(__file__).parents[2] / "rules/locale"
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
    for lang in LANGUAGES:
        words = Infraction(code, tuple(FACTS.items())).why(lang)
        assert words.strip()
        assert "{" not in words
    translated = words_of_language("fa").gettext(WORDS[code])
    assert translated != WORDS[code]
    assert named(translated) == named(WORDS[code])
    assert not set(Infraction(code, tuple(FACTS.items())).why("fa")) & set(
        string.ascii_letters + string.digits
    )


def test_every_code_is_its_own() -> None:
    assert len({c.value for c in Broken}) == len(Broken) == len(WORDS)
    with pytest.raises(ValueError, match="no words in 'xx'"):
        Infraction(Broken.HEAD).why("xx")


@pytest.mark.parametrize(
    "source", sorted(LOCALE.glob("*/LC_MESSAGES/*.po")), ids=lambda p: p.parent.parent.name
)
def test_the_compiled_words_are_not_stale(source: Path) -> None:
    with source.open("rb") as file:
        read = read_po(file, locale=source.parent.parent.name)
    compiled = words_of_language(source.parent.parent.name)
    messages = {message.id: message.string for message in read if message.id}
    assert set(messages) == {*WORDS.values(), "mover's", "opponent's"}
    for words, translated in messages.items():
        assert compiled.gettext(str(words)) == translated, "run scripts/compile-words"
