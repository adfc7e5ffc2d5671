"""Ratings: the published formula's numbers, and files of formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.players.formulas import FormulaError, own_formulas, read_formulas

FIBS, ELO = own_formulas()["fibs"], own_formulas()["elo"]
OLD = (1000, 1000)


@pytest.mark.parametrize(
    ("winner", "loser", "length", "experience", "gained", "lost"),
    [
        (1500, 1500, 1, OLD, 2, 2),
        (1500, 1500, 9, OLD, 6, 6),
        (1850, 1750, 9, OLD, 4.9740, 4.9740),
        (1750, 1850, 9, OLD, 7.0260, 7.0260),
        # A newcomer's first match: K is 5 less a hundredth of its points, for him alone.
        (1500, 1500, 1, (0, 1000), 9.98, 2),
        (1500, 1500, 4, (396, 390), 4, 4.24),
    ],
)
def test_fibs(
    winner: float,
    loser: float,
    length: int,
    experience: tuple[int, int],
    gained: float,
    lost: float,
) -> None:
    found = FIBS.changes(winner, loser, length, experience)
    assert found == pytest.approx((gained, lost), abs=1e-4)


def test_elo_knows_no_length() -> None:
    assert ELO.changes(1900, 1500, 25, (0, 0)) == pytest.approx((32 / 11, 32 / 11))


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(1, 999))
def test_who_wins_never_loses_points(winner: float, loser: float, length: int) -> None:
    for formula in own_formulas().values():
        gained, lost = formula.changes(winner, loser, length, OLD)
        assert gained == lost >= 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[x", "expected TOML"),
        ("x = 1", r"expected \[x\] with a title"),
        ('[x]\ntitle = "X"\nstart = "1500"', "start: expected a number, came '1500'"),
        ('[x]\ntitle = "X"\nstart = inf', "at most a million"),
        ('[x]\ntitle = "X"\nspeed = 1', "came speed"),
        (
            '[x]\ntitle = "X"\nstart = 1\nfactor = 1\nlength_power = 1\nscale = 0\nramp = 1',
            "scale above 0",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        read_formulas(text, "ratings.toml")
