"""Claims of near certainty, maps and ways round are counted as the table says."""

from __future__ import annotations

import pytest

from vision.claims import Counts, count_bar, count_claim, count_map, review_table

SQUARE = [[100, 100], [1400, 100], [1400, 1000], [100, 1000]]
"""Corners of a board whose points are 100 pixels wide."""


@pytest.mark.parametrize(
    ("confidence", "right", "want"),
    [
        (0.995, True, {"claims_sure": 1, "claims_sure_false": 0, "in_view_sure": 1, "wrong_90": 0}),
        (
            0.995,
            False,
            {"claims_sure": 1, "claims_sure_false": 1, "in_view_sure": 0, "wrong_90": 1},
        ),
        (0.93, False, {"claims_sure": 0, "claims_sure_false": 0, "wrong_90": 1}),
        (0.7, False, {"claims_sure": 0, "claims_sure_false": 0, "wrong_90": 0}),
    ],
)
def test_a_claim_is_counted_by_how_sure_it_was_made(
    confidence: float, right: bool, want: dict[str, int]
) -> None:
    counts = Counts()
    count_claim(counts, confidence, right=right, in_view=True)
    assert counts.n["claims"] == 1 and {k: counts.n[k] for k in want} == want


def test_a_sure_falsehood_about_a_hidden_point_is_one_too() -> None:
    counts = Counts()
    count_claim(counts, 0.999, right=False, in_view=False)
    assert counts.n["claims_sure_false"] == 1 and counts.n["wrong_90"] == 0


def test_bars_with_checkers_are_counted_apart() -> None:
    counts = Counts()
    count_bar(counts, 0.999, right=True, empty=True)
    count_bar(counts, 0.6, right=True, empty=False)
    count_bar(counts, 0.995, right=False, empty=False)
    assert counts.n == {
        "bars": 3,
        "bars_sure": 2,
        "bars_sure_false": 1,
        "full_bars": 2,
        "full_bars_right": 1,
        "full_bars_sure": 1,
    }
    lines = review_table({"cold": counts}).splitlines()
    assert any(line.startswith("bars with checkers right") and "1/2" in line for line in lines)


@pytest.mark.parametrize(("shift", "far"), [(20, 0), (70, 1)])
@pytest.mark.parametrize("first", [0, 2], ids=["as seen", "turned"])
def test_a_corner_half_a_point_off_is_far_however_corners_are_numbered(
    shift: int, far: int, first: int
) -> None:
    counts = Counts()
    said = [[x + shift * (i == 1), y] for i, (x, y) in enumerate(SQUARE)]
    count_map(counts, said[first:] + said[:first], SQUARE, None, 0)
    assert counts.n == {"maps": 1, "maps_far": far, "maps_near": 0}


@pytest.mark.parametrize(
    ("way", "sure", "false"), [((180, 0.95), 1, 1), ((0, 0.95), 1, 0), ((180, 0.6), 0, 0)]
)
def test_which_way_round_is_judged_where_it_was_said_surely(
    way: tuple[int, float], sure: int, false: int
) -> None:
    counts = Counts()
    count_map(counts, SQUARE, SQUARE, way, 0)
    assert (counts.n["ways"], counts.n["ways_sure"], counts.n["ways_sure_false"]) == (
        1,
        sure,
        false,
    )


def test_the_table_says_how_far_from_the_bar_its_claims_are() -> None:
    counts = Counts({"claims_sure": 12_000, "claims_sure_false": 1, "occupied": 4})
    counts.add("occupied_right", 3)
    table = review_table({"cold": counts})
    assert "1 of 12000" in table and "3/4" in table and "are the bar" not in table
    assert "0 were made" in review_table({"cold": Counts()})
