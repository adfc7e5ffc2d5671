"""The figures count what they say they count."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from vision.evaluate import ErrorCounts, compare, table

DIE = {
    "center_px": [100, 100],
    "bbox_px": [90, 90, 110, 110],
    "value": 3,
    "status": "flat",
    "in_image": True,
    "visible": 1.0,
}
TRUTH: dict[str, Any] = {
    "camera": {},
    "points": {
        str(p): {"light": 2 if p == 6 else 0, "dark": 3 if p == 8 else 0} for p in range(1, 25)
    },
    "point_visible": {str(p): 1.0 for p in range(1, 25)},
    "bar": {"light": 0, "dark": 1},
    "dice": [DIE, {**DIE, "center_px": [200, 100], "value": None, "status": "cocked"}],
    "cube": {"present": False},
}
SAID: dict[str, Any] = {
    "points": {p: {**c, "confidence": 1.0} for p, c in TRUTH["points"].items()},
    "bar": {"light": 0, "dark": 1, "confidence": 0.97},
    "dice": [
        {"value": d["value"], "status": d["status"], "center_px": d["center_px"]}
        for d in TRUTH["dice"]
    ],
    "cube": {"present": False},
}


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    said = copy.deepcopy(SAID)
    at: Any = said
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return said


CASES: dict[str, tuple[dict[str, Any] | None, dict[str, float | None]]] = {
    "perfect": (
        SAID,
        {
            "occupied": 1,
            "wrong": 0,
            "silent": 0,
            "boards": 1,
            "ece": 0,
            "dice": 1,
            "d_prec": 1,
            "d_value": 1,
            "ck_rec": 1,
            "cube": 1,
        },
    ),
    "one point silent": (
        changed(("points", "6"), None),
        {"occupied": 0.5, "wrong": 0, "silent": 1 / 24, "boards": 0},
    ),
    "one empty point wrong": (
        changed(("points", "7"), {"light": 1, "dark": 0, "confidence": 1.0}),
        {"occupied": 1, "wrong": 1 / 24, "boards": 0, "ece": 1 / 24},
    ),
    "bar forgotten": (
        changed(("bar",), {"light": 0, "dark": 0, "confidence": 0.8}),
        {"occupied": 1, "boards": 0, "bar": 0},
    ),
    "wrong value": (changed(("dice", 0, "value"), 4), {"dice": 1, "d_value": 0}),
    "a die too many": (
        changed(("dice",), [*SAID["dice"], {**SAID["dice"][0], "center_px": [500, 500]}]),
        {"dice": 1, "d_prec": 2 / 3},
    ),
    "no board": (None, {"found": 0, "occupied": 0, "wrong": 0, "silent": 1, "dice": 0}),
}


@pytest.mark.parametrize("name", CASES)
def test_counts(name: str) -> None:
    said, want = CASES[name]
    tally = ErrorCounts()
    compare(tally, TRUTH, said)
    row = tally.row()
    assert {k: row[k] for k in want} == pytest.approx(want)
    assert "occupied" in table({"all": tally})


OFF_CASES: dict[str, tuple[tuple[int, int], tuple[int, int] | None, dict[str, float | None]]] = {
    "right": ((3, 0), (3, 0), {"off": 1, "off_none": None, "off_bad": 0}),
    "wrong": ((3, 0), (4, 0), {"off": 0, "off_bad": 1}),
    "silent": ((3, 0), None, {"off": 0, "off_bad": 0}),
    "none off, and said so": ((0, 0), (0, 0), {"off": None, "off_none": 1, "off_bad": 0}),
    "none off, silent": ((0, 0), None, {"off_none": 0, "off_bad": 0}),
    "none off, one claimed": ((0, 0), (0, 1), {"off_none": 0, "off_bad": 1}),
}


@pytest.mark.parametrize("name", OFF_CASES)
def test_counts_of_what_is_borne_off(name: str) -> None:
    there, said, want = OFF_CASES[name]
    tally = ErrorCounts()
    off = None if said is None else {"light": said[0], "dark": said[1], "confidence": 0.9}
    compare(
        tally, TRUTH | {"off_in_image": {"light": there[0], "dark": there[1]}}, SAID | {"off": off}
    )
    row = tally.row()
    assert {k: row[k] for k in want} == want


def test_pictures_without_a_word_on_trays_do_not_count() -> None:
    tally = ErrorCounts()
    compare(tally, TRUTH, SAID | {"off": {"light": 1, "dark": 1, "confidence": 0.9}})
    assert {tally.row()[k] for k in ("off", "off_none", "off_bad")} == {None}
