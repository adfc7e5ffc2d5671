"""Placements as numbers: one coding, in one file, and a room with one face."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import Placement, Side
from service.reconcile.codes import (
    AXIS,
    CODES,
    COUNTS,
    ONE_CHECKER,
    SITES,
    checkers_of,
    code_of,
    codes_of,
    counts_of,
    placement_from,
)
from service.reconcile.evidence import log_table

SERVICE = Path(__file__).resolve().parents[3] / "service"
counts = st.lists(st.integers(0, COUNTS - 1), min_size=SITES, max_size=SITES).map(tuple)
placements = st.builds(Placement, counts, counts)


def test_every_pair_of_counts_has_a_code_of_its_own() -> None:
    pairs = [(white, black) for white in range(COUNTS) for black in range(COUNTS)]
    assert [code_of(*pair) for pair in pairs] == list(range(CODES))
    assert [counts_of(code) for code in range(CODES)] == pairs


@settings(max_examples=50, deadline=None)
@given(placements)
def test_a_placement_comes_back_from_its_codes(placement: Placement) -> None:
    codes = codes_of(placement)
    assert codes.shape == (SITES,)
    assert placement_from(codes) == placement
    for side in Side:
        assert tuple(checkers_of(codes, side)) == placement.counts(side)


def test_counts_that_no_code_says_are_brought_into_its_range() -> None:
    lost = Placement.of({24: -1, 6: 17}, {1: 15})
    assert placement_from(codes_of(lost)) == Placement.of({6: 15}, {1: 15})


@settings(max_examples=50, deadline=None)
@given(placements, st.integers(1, 24), st.sampled_from(list(Side)))
def test_one_checker_more_is_one_step(placement: Placement, site: int, side: Side) -> None:
    codes = codes_of(placement).copy()
    if placement.counts(side)[site] == COUNTS - 1:
        return
    codes[site] += ONE_CHECKER[side]
    assert checkers_of(codes, side)[site] == placement.counts(side)[site] + 1
    assert checkers_of(codes, side.other)[site] == placement.counts(side.other)[site]


@pytest.mark.parametrize("pair", [(0, 0), (5, 0), (0, 3), (2, 1), (15, 15)])
def test_a_log_table_flattened_is_one_over_codes(pair: tuple[int, int]) -> None:
    flat = log_table(((*pair, 1.0),), 1e-4).reshape(CODES)
    assert counts_of(int(flat.argmax())) == pair


def test_sides_have_an_axis_of_their_own() -> None:
    assert sorted(AXIS) == [0, 1]
    assert np.zeros((2, SITES))[AXIS[Side.BLACK]].shape == (SITES,)


def test_nothing_but_the_coding_multiplies_or_divides_by_it() -> None:
    found = [
        f"{path.relative_to(SERVICE)}:{node.lineno}"
        for room in ("reconcile", "film")
        for path in sorted((SERVICE / room).glob("*.py"))
        if path.name != "codes.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.FloorDiv | ast.Mod)
        and any(isinstance(n, ast.Name) and n.id == "COUNTS" for n in (node.left, node.right))
    ]
    assert not found, f"use service.reconcile.codes: {found}"


def test_other_rooms_ask_the_face() -> None:
    """Only `film`, the same filter over a whole recording, and `amend`, which runs it again, know
    the room's modules.
    """
    found = [
        f"{path.relative_to(SERVICE)}:{node.lineno} {node.module}"
        for path in sorted(SERVICE.rglob("*.py"))
        if path.parent.name not in ("reconcile", "film", "amend")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("service.reconcile.")
    ]
    assert not found, f"import from service.reconcile: {found}"
