"""Real match files as others would have written them say the same match; `make round-trip` tries a
folder in every variant, and gnubg.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.variants import cut_differences, difference, plain, variants

DATA = Path(__file__).parent.parent / "data/matches"


@pytest.mark.parametrize(
    "name", ["match8782362_3364d8.mat", "match892340_3f4210.mat", "charlot_excerpt.sgf"]
)
def test_a_variant_of_a_file_is_the_same_match(name: str) -> None:
    text, base = plain(DATA / name)
    wrong = [f"cut: {why}" for why in cut_differences(text, name, base)]
    for what, data in variants(name, text):
        wrong += [f"{what}: {why}" for why in difference(what, data, name, base)]
    assert not wrong
