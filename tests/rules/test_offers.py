"""Every option of every ruleset is asked for in words, or is named as what nobody is asked."""

from __future__ import annotations

import pytest

from rules.axes import AXES, RulesetError
from rules.offers import ASKED, NOT_ASKED, OFFERS, messages_of_offers, offers, value_of
from rules.ruleset import catalogue, load_rulesets, varied
from rules.words import languages
from tests.rules.test_cases import CASES, readings


def test_every_axis_is_asked_for_or_named_as_not() -> None:
    assert ASKED | set(NOT_ASKED) == set(AXES)
    assert not ASKED & set(NOT_ASKED)


@pytest.mark.parametrize("name", catalogue())
def test_every_choice_can_be_chosen_and_is_said_back(name: str) -> None:
    ruleset = catalogue()[name]
    for offer in offers(ruleset):
        assert value_of(ruleset, offer.axis) in [c.value for c in offer.choices], offer.axis
        for choice in offer.choices:
            if choice.value == "":
                continue
            try:
                chosen = varied(ruleset, {offer.axis: choice.value})
            except RulesetError:
                # 6-5 starts only where both throw two dice: the page asks for it there alone.
                assert offer.axis == "shish_besh"
                chosen = varied(ruleset, {offer.axis: choice.value, "opening": "two_dice_each"})
            assert value_of(chosen, offer.axis) == choice.value


def test_every_reading_of_the_sources_is_a_choice() -> None:
    """What the given cases call another reading can be chosen on the page."""
    others = {(c["ruleset"], alt) for path in CASES for _, c, alt, _ in readings(path) if alt}
    assert len(others) > 5
    for name, alt in others:
        ruleset, (written, _, value) = catalogue()[name], alt.partition("=")
        field = AXES[written if written in AXES else "start"].field
        (asked,) = (o for o in offers(ruleset) if AXES[o.axis].field == field)
        chosen = value_of(varied(ruleset, {written: value}), asked.axis)
        assert chosen in [c.value for c in asked.choices], (name, alt)


def test_a_clubs_own_start_is_a_ruleset_of_its_own() -> None:
    (own,) = load_rulesets('[x]\ninherits = "nard"\nstart = {24 = 15}\n', "x.toml").values()
    assert "start" not in {o.axis for o in offers(own)}


def test_the_words_are_in_every_language() -> None:
    for code, language in languages().items():
        for text in messages_of_offers():
            assert code == "en" or language.messages.get(text), (code, text)


def test_an_axis_is_asked_for_once() -> None:
    assert len({offer.axis for offer in OFFERS}) == len(OFFERS)
