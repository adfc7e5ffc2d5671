"""How evidence is weighed: blame shared, frames not counted twice, conservation, dice."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, Observation, SiteReading, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import (
    Agreed,
    Evidence,
    hypotheses,
    observe,
)
from service.reconcile.as_read import what_stands
from service.reconcile.codes import code_of, codes_of, placement_from
from service.reconcile.evidence import log_table
from service.reconcile.hypotheses import Kind, change_kind, slip_of
from service.reconcile.likelihood import shared
from service.reconcile.settle import current_voices
from service.reconcile.tuning import DEFAULT, REACHES, UNMEASURED
from service.reconcile.weigh import weigh
from tests.service.tables import Table, die, play_of, start, two

deficits = st.lists(st.floats(0, 40, width=32), min_size=26, max_size=26)


@settings(max_examples=60, deadline=None)
@given(deficits)
def test_shared_blame_never_exceeds_the_plain_sum_nor_any_cap(raw: list[float]) -> None:
    row = np.array([raw], np.float32)
    one = 6.5
    cost = float(shared(row, one, DEFAULT)[0])
    assert cost <= float(np.minimum(row, one).sum()) + 1e-3
    assert cost <= DEFAULT.one_source_nats + 1e-3
    assert cost >= min(float(np.minimum(row, one).max()), DEFAULT.one_source_nats) - 1e-3


NEIGHBOURS = [
    ((5, 6), True),
    ((12, 13), False),
    ((1, 24), False),
    ((18, 19), True),
    ((3, 7), False),
]


@pytest.mark.parametrize(("sites", "share"), NEIGHBOURS)
def test_two_neighbours_share_one_smear_and_others_do_not(
    sites: tuple[int, int], share: bool
) -> None:
    row = np.zeros((1, 26), np.float32)
    row[0, list(sites)] = 9.0
    cost = float(shared(row, 6.5, DEFAULT)[0])
    assert cost == pytest.approx(7.5 if share else 13.0)


def test_a_hundred_frames_weigh_as_one() -> None:
    placement = start("backgammon").placement
    reading = SiteReading(6, ((5, 0, 1.0), (4, 0, 0.01)), 1e-6)
    evidence = Evidence.fresh(placement, 0.0)
    found = []
    for n in range(100):
        evidence = observe(
            evidence, Observation(Source.CAMERA, 0.1 * n, n, sites=(reading,)), 0.1 * n
        )
        witness = evidence.witness(Source.CAMERA)
        assert witness is not None
        found.append(float(witness.mean[6, 4, 0]))
    assert found[-1] == pytest.approx(math.log(0.01), abs=1e-3)


def test_an_observation_out_of_order_changes_nothing() -> None:
    evidence = Evidence.fresh(start("backgammon").placement, 0.0)
    later = observe(evidence, Observation(Source.CAMERA, 2.0, 5), 2.0)
    assert observe(later, Observation(Source.CAMERA, 1.0, 4, Condition.MOVING), 2.1) is later


def test_a_reading_beyond_fifteen_or_not_a_number_is_left_out() -> None:
    table = log_table(((99, 0, 1.0), (2, 0, 0.5), (3, 0, float("inf"))), 1e-3)
    assert table.shape == (16, 16)
    assert np.isfinite(table).all()
    assert int(table.argmax()) == 2 * 16


placements = st.builds(
    lambda points, seed: _laid(points, seed),
    st.lists(st.integers(1, 24), min_size=15, max_size=15),
    st.integers(0, 2**16),
)


def _laid(points: list[int], seed: int) -> Placement:
    white, black = [0] * 26, [0] * 26
    for n, p in enumerate(points):
        white[p if p % 2 else p - 1] += 1
        black[24 - (seed + 5 * n) % 12 * 2] += 1
    return Placement(tuple(white), tuple(black))


@settings(max_examples=30, deadline=None)
@given(placements)
def test_what_is_seen_clearly_stands_there_whatever_stood_before(placement: Placement) -> None:
    truth = codes_of(placement)
    table = np.full((26, 256), -9.0, np.float32)
    table[np.arange(26), truth] = 0.0
    before = codes_of(start("backgammon").placement)
    assert placement_from(what_stands(table, before, 15)[0]) == placement


def test_a_pile_has_what_a_turn_leaves_of_it_though_five_other_heights_read_likelier() -> None:
    """The board feels nine checkers and one more as twelve to fifteen: none has fallen off."""
    before = codes_of(Placement.of({1: 9, 2: 3, 18: 1, 24: 2}, {19: 5, 20: 5, 21: 5}))
    after = Placement.of({1: 10, 2: 2, 16: 1, 24: 2}, {19: 5, 20: 5, 21: 5})
    table = np.full((26, 256), -9.0, np.float32)
    table[np.arange(26), codes_of(after)] = 0
    table[OFF] = 0
    table[1] = -9.0
    table[1, [code_of(n, 0) for n in range(5, 16)]] = -4.0
    table[1, [code_of(n, 0) for n in range(11, 16)]] = [-2, -1, 0, -1, -2]
    assert placement_from(what_stands(table, before, 15)[0]) == after


KINDS = [
    ("nothing", [], Kind.BEFORE),
    ("a legal-looking move", [(Side.WHITE, 13, 7)], Kind.MOVED),
    ("four of a double", [(Side.WHITE, 13, 10)] * 4, Kind.MOVED),
    ("the opponent's checker", [(Side.BLACK, 12, 15)], Kind.OTHERWISE),
    ("a checker taken away", [(Side.BLACK, 12, 0)], Kind.OTHERWISE),
]


@pytest.mark.parametrize(
    ("name", "moves", "kind"), KINDS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_a_change_means(name: str, moves: list[tuple[Side, int, int]], kind: Kind) -> None:
    position = start("backgammon")
    after = position.placement
    for move in moves:
        after = after.moved(*move)
    assert change_kind(codes_of(position.placement), codes_of(after), Side.WHITE)[0] is kind


@pytest.mark.parametrize(
    ("moved", "learned"),
    [
        # A checker was moved at places that no play touched, and that had read right.
        ({8: (2, 0), 7: (1, 0)}, False),
        # One pile alone reads otherwise: the lamp, or a hand.
        ({8: (2, 0)}, True),
    ],
)
def test_a_checker_moved_since_the_play_stood_is_no_misread(
    moved: dict[int, tuple[int, int]], learned: bool
) -> None:
    position = start("backgammon")
    table = Table(position, None, sources=(Source.CAMERA,))
    table.rest(1.2)
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence)
    table.misread = {(Source.CAMERA, site): counts for site, counts in moved.items()}
    table.hand().rest(1.2)
    played = play_of(position, Roll(4, 2), "24/20 13/11")
    witness = Evidence.fresh(played, table.now, table.evidence).witness(Source.CAMERA)
    assert witness is not None
    assert {bool(witness.bias[site] > 0) for site in moved} == {learned}


@pytest.mark.parametrize("source", REACHES)
def test_a_source_nobody_measured_carries_no_further_than_any_measured_one(source: Source) -> None:
    measured = REACHES[source]
    assert all(
        getattr(UNMEASURED, f.name) <= getattr(measured, f.name)
        for f in dataclasses.fields(UNMEASURED)
    )


def test_in_a_race_whoever_can_bear_off_two_does() -> None:
    """As often as people were counted to bear off fewer than could be borne off."""
    rules = ruleset("backgammon")
    stands = Placement.of({3: 2, 2: 4, 1: 3, OFF: 6}, {22: 6, 23: 6, 24: 3})
    found = hypotheses.legal(Position.of(stands, rules, Side.WHITE), Roll.of(2, 1))
    most = max(view[25] for view in found.views)
    share = sum(
        math.exp(s) for v, s in zip(found.views, found.shares, strict=True) if v[25] == most
    )
    assert share == pytest.approx(1 - hypotheses.FEWER_OFF)
    assert math.fsum(np.exp(found.shares)) == pytest.approx(1)
    hit = Placement.of({3: 2, 2: 4, 1: 3, OFF: 6}, {22: 6, 23: 6, 24: 2, 25: 1})
    alike = hypotheses.legal(Position.of(hit, rules, Side.WHITE), Roll.of(2, 1))
    assert len(set(alike.shares.tolist())) == 1, "who may still be hit plays as is safe"


def test_a_checker_borne_off_from_before_the_home_is_no_half_of_a_play() -> None:
    rules = ruleset("backgammon")
    home = Placement.of({6: 5, 3: 5, 1: 5}, {20: 8, 24: 7})
    outside = Placement.of({13: 1, 6: 4, 3: 5, 1: 5}, {20: 8, 24: 7})
    assert hypotheses.may_bear_off(Position.of(home, rules, Side.WHITE))
    assert not hypotheses.may_bear_off(Position.of(outside, rules, Side.WHITE))


def test_half_of_a_play_is_weighed_where_a_play_of_other_dice_leaves_the_same() -> None:
    """5/1 of 54, which 31 leaves as well, was no rival of 5/off 1/off by 51, after which two fewer
    stand on a pile that nobody counts, and every later play was wrong (269000 e1 g1).
    """
    before = Placement.of({1: 6, 2: 3, 3: 3, 5: 1, OFF: 2}, {20: 2, 21: 3, 22: 1, 23: 4, 24: 5})
    after = before.moved(Side.WHITE, 5, 1)
    pile = SiteReading(1, ((7, 0, 0.87), (5, 0, 0.07), (6, 0, 0.03)), 1e-4)
    others = [
        SiteReading(site, ((after.white[site], after.black[site], 1.0),), 1e-4)
        for site in range(2, 26)
    ]
    dice = (die(5, 0.8), die(4, 0.6, sure=0.95))
    evidence = Evidence.fresh(before, 0.0)
    for n in range(8):
        at = 1 + n / 4
        seen = Observation(Source.CAMERA, at, n, Condition.AT_REST, (pile, *others), dice)
        evidence = observe(evidence, seen, at)
    turn = hypotheses.LegalResults(Position.of(before, ruleset("backgammon"), Side.WHITE))
    weighed = weigh(evidence, turn, current_voices(evidence, 3.0), Roll(5, 4), declared=False)
    half = (weighed.codes == codes_of(after)).all(axis=1) & (weighed.kind == Kind.HALF)
    assert weighed.mass(half) > math.log(0.1)


@pytest.mark.parametrize(("target", "kind"), [(18, Kind.OTHERWISE), (19, Kind.HALF)])
def test_who_has_moved_one_checker_by_one_die_has_hit_none_but_where_it_stands(
    target: int, kind: Kind
) -> None:
    """A checker that has hit and lies towards the point before reads there: no half of a play."""
    stood = Placement.of({19: 1, 6: 5, 4: 5, 1: 4}, {12: 1, 13: 1, 24: 5, 23: 5, 20: 3})
    position = Position.of(stood, ruleset("backgammon"), Side.BLACK)
    source = target - 6
    after = stood.moved(Side.BLACK, source, target).moved(Side.WHITE, 19, BAR)
    before, codes = codes_of(stood), codes_of(after)
    first, astray = change_kind(before, codes, Side.BLACK)
    assert slip_of(position, before, codes, Roll(6, 1), first, astray)[0] is kind


@pytest.mark.parametrize("thrown", [Roll(4, 3), Roll(3, 1)])
def test_a_hit_checker_in_a_hand_is_as_likely_as_the_roll_that_hit_it(thrown: Roll) -> None:
    """Half of the 4-3 that lay there was for sure the whole 3-1 that nobody threw, 24/20*
    (379500 e1 g2).
    """
    began = start("backgammon").placement.moved(Side.WHITE, 8, 5)
    position = Position.of(began, ruleset("backgammon"), Side.BLACK)
    table = Table(position, None)
    left = began.moved(Side.BLACK, 1, 5).moved(Side.WHITE, 5, OFF)
    verdict = table.play(left, two(thrown)).verdict()
    if thrown == Roll(3, 1):
        assert isinstance(verdict, Agreed)
        assert (str(verdict.play), verdict.accident) == ("24/20*", "hit_checker")
    else:
        assert not isinstance(verdict, Agreed)
