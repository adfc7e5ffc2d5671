"""A place that goes on being read otherwise than the record has it: people are asked to compare."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.board import OFF, Placement, Side
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entries import READ_SO
from service.reconcile import Denial, Evidence
from service.reconcile.codes import codes_of
from service.reconcile.evidence import Witness
from service.referee.inputs import RecordDenied
from service.referee.step import step
from tests.service.hands import begun
from tests.service.telling_hands import TellingHands

W, B = Side.WHITE, Side.BLACK
TURNS = (
    (W, (3, 1), ((8, 5), (6, 5))),
    (B, (4, 2), ((8, 4), (6, 4))),
    (W, (6, 5), ((24, 18), (18, 13))),
    (B, (5, 3), ((8, 3), (6, 3))),
    (W, (2, 1), ((13, 11), (6, 5))),
    (B, (6, 4), ((13, 7), (13, 9))),
    (W, (2, 1), ((13, 11), (6, 5))),
)


def evening(
    site: int,
    read: tuple[int, int],
    *,
    board: bool = False,
    fixed: bool = False,
    turns: int = len(TURNS),
) -> TellingHands:
    """Turns after which a site reads so many of either side to the camera."""
    hands = TellingHands(board=board)
    begun(hands, W, clock="none", length=5)
    for side, roll, moves in TURNS[:turns]:
        hands.throw(*roll, side=side)
        # It begins under a hand: what changes by itself is a lamp.
        hands.hand_over = True
        hands.wait(0.4).eyes["camera"].misreads[site] = read
        hands.move(*moves, side=side).wait(2)
        alerts = [a for a in hands.state.alerts if a.matter == "denied"]
        if fixed and alerts:
            placement = {side.value: list(hands.placement.counts(side)) for side in (W, B)}
            on_roll = hands.state.game.on_roll.value
            hands.order("set_position", placement=placement, on_roll=on_roll)
        hands.lift().wait(2)
    return hands


def told(hands: TellingHands) -> list[tuple[str, int, int, int]]:
    """Every alert of the evening: whose, its point, what is read and what is recorded."""
    found = (e for e in hands.bodies("alert_raised") if e.matter == "denied")
    return [(e.code, e.facts["point"], e.facts["seen"], e.facts["recorded"]) for e in found]


def test_a_low_point_that_goes_on_reading_one_fewer_is_told_once() -> None:
    assert told(evening(1, (0, 1))) == [("black", 24, 1, 2)]


@pytest.mark.parametrize(
    ("site", "read", "board"),
    [
        (1, (0, 1), True),
        (12, (0, 4), False),
        (10, (1, 0), False),
    ],
)
def test_what_another_source_reads_rightly_a_pile_and_one_checker_too_many_are_no_news(
    site: int, read: tuple[int, int], board: bool
) -> None:
    assert told(evening(site, read, board=board)) == []


def test_a_person_who_says_that_the_record_is_right_is_not_asked_again() -> None:
    hands = evening(1, (0, 1), fixed=True)
    assert told(hands) == [("black", 24, 1, 2)]
    assert not [a for a in hands.state.alerts if a.matter == "denied"]


def test_lines_that_were_read_as_a_person_says_it_stands_are_put_right_with_the_record() -> None:
    """The first was sure, so the checker went after it; every later line had it one time too many.
    What stands there is what was said.
    """
    hands = evening(1, (0, 1), turns=6)
    recorded = hands.state.game.placement
    assert recorded is not None
    stands = recorded.moved(B, 1, OFF)
    placement = {side.value: list(stands.counts(side)) for side in (W, B)}
    hands.order("set_position", placement=placement, on_roll=hands.state.game.on_roll.value)
    hands.wait(0.4)
    plays = hands.state.match.plays
    said = hands.bodies("corrected")
    assert [body.about for body in said] == [line.seq for line in plays[1:]]
    assert {body.reason for body in said} == {READ_SO}
    assert [line.placement.black[1] for line in plays] == [2, 1, 1, 1, 1]
    assert hands.state.game.placement == stands == plays[-1].placement


def read_as(placement: Placement) -> Evidence:
    """What a camera that sees this placement surely has said."""
    new = Witness.new(Source.CAMERA)
    mean = np.full((26, 256), -20.0, np.float32)
    mean[np.arange(26), codes_of(placement)] = 0.0
    frames = np.full(26, 8, np.int32)
    seen = replace(new, mean=mean.reshape(26, 16, 16), frames=frames, rests=8)
    return Evidence(placement, 0.0, (seen,))


def test_the_next_place_is_told_without_the_one_that_people_have_heard_of() -> None:
    record = Position.start(ruleset("backgammon"), W).placement
    one, other = record.moved(B, 1, OFF), record.moved(W, 24, OFF)
    denial = Denial()
    for _ in range(3):
        denial = denial.settled(read_as(one), record)
    assert denial.placement == one
    denial = denial.heard()
    for _ in range(3):
        denial = denial.settled(read_as(one.moved(W, 24, OFF)), record)
    assert denial.placement == other


def read_after(plays: list[tuple[Placement, Placement]], *, in_doubt: bool = False) -> Denial:
    """What is denied after lines of the record, each with what is read of it; `in_doubt`: the first
    of them is.
    """
    denial = Denial()
    for n, (record, read) in enumerate(plays):
        denial = denial.settled(read_as(read), record, in_doubt=in_doubt and n == 0)
    return denial


def one_gone(steps: tuple[tuple[int, int], ...], site: int) -> list[tuple[Placement, Placement]]:
    """White's moves one after another, with a checker read as gone from a site all the while."""
    record = Position.start(ruleset("backgammon"), W).placement
    found = [(record, record.moved(W, site, OFF))]
    for source, target in steps:
        record = record.moved(W, source, target)
        found.append((record, record.moved(W, site, OFF)))
    return found


ONTO_EIGHT = ((13, 8), (6, 5), (6, 5))


def test_a_line_in_doubt_is_put_right_where_what_is_read_follows_the_plays() -> None:
    lines = one_gone(ONTO_EIGHT, 8)
    assert read_after(lines, in_doubt=True).right == lines[-1][1]
    assert read_after(lines[:2], in_doubt=True).right is None


@pytest.mark.parametrize(
    ("steps", "in_doubt"),
    [(ONTO_EIGHT, False), (((6, 5), (6, 5), (13, 7)), True)],
)
def test_a_sure_line_and_a_place_where_nothing_was_played_are_left_to_people(
    steps: tuple[tuple[int, int], ...], in_doubt: bool
) -> None:
    denial = read_after(one_gone(steps, 8), in_doubt=in_doubt)
    assert denial.right is None
    assert denial.placement is not None


def test_a_reading_that_does_not_follow_the_plays_is_a_misread() -> None:
    lines = one_gone(ONTO_EIGHT, 8)
    stuck = [(record, record.with_counts(W, lines[0][1].counts(W))) for record, _ in lines]
    assert read_after(stuck, in_doubt=True).right is None


def test_one_that_may_not_have_been_borne_off_was_not() -> None:
    taken = one_gone(ONTO_EIGHT, 8)
    lines = [(read, record) for record, read in taken]
    denial = Denial()
    for n, (record, read) in enumerate(lines):
        denial = denial.settled(read_as(read), record, in_doubt=n == 0, kept=(W,))
    assert denial.right == lines[-1][1]
    assert read_after(lines, in_doubt=True).right is None


def test_one_that_may_not_have_been_borne_off_lies_on_the_pile_that_reads_higher() -> None:
    """A checker was moved too far, onto a pile: it is missing here, and the pile reads one more."""
    taken = one_gone(ONTO_EIGHT, 8)
    lines = [(record, read.moved(W, OFF, 13)) for record, read in taken]
    denial = Denial()
    for n, (record, read) in enumerate(lines):
        denial = denial.settled(read_as(read), record, in_doubt=n == 0, kept=(W, B))
    assert denial.right == lines[-1][1]
    assert denial.right.white[OFF] == 0


def test_what_is_sure_is_put_right_before_the_next_throw_and_people_may_say_otherwise() -> None:
    hands = evening(1, (0, 1), turns=5)
    stands = hands.placement.moved(B, 1, OFF)
    outcome = step(hands.state, RecordDenied(stands, sure=True), hands.now)
    kinds = [(entry.kind, getattr(entry, "matter", "")) for entry in outcome.entries]
    assert kinds == [("position_set", ""), ("alert_raised", "unanswered")]
    assert outcome.state.game.placement == stands
    assert not [a for a in outcome.state.alerts if a.matter == "denied"]


@pytest.mark.parametrize(("came_by_the_record", "put_right"), [(False, True), (True, False)])
def test_a_checker_gone_from_a_few_that_were_read_rightly_before_is_put_right(
    came_by_the_record: bool, put_right: bool
) -> None:
    """Where it came by a line in doubt, it may be one that the camera cannot see there."""
    lines = one_gone(((6, 5), (6, 5), (13, 7)), 8)
    before = Position.start(ruleset("backgammon"), W).placement
    if came_by_the_record:
        before = before.moved(W, 8, 13)
    denial = read_after([(before, before), *lines], in_doubt=True)
    assert denial.right == (lines[-1][1] if put_right else None)


@pytest.mark.parametrize(("target", "put_right"), [(9, True), (OFF, False), (13, True)])
def test_a_checker_that_goes_on_reading_elsewhere_is_put_right(
    target: int, put_right: bool
) -> None:
    """Knocked over to another point or onto a pile, and nobody saw it."""
    record = Position.start(ruleset("backgammon"), W).placement
    reads = record.moved(W, 8, target)
    assert read_after([(record, record), *[(record, reads)] * 2]).right is None
    denial = read_after([(record, record)] * 5 + [(record, reads)] * 3)
    assert denial.right == (reads if put_right else None)


@pytest.mark.parametrize(
    ("pile_since", "right_before", "put_right"),
    [(0, True, True), (0, False, False), (1, True, False)],
)
def test_a_checker_that_reads_on_a_pile_since_the_very_line_that_it_is_gone_is_put_right(
    pile_since: int, right_before: bool, put_right: bool
) -> None:
    """It was knocked there, nobody saw it, and nobody answered: 36 lines (376000 e1 g3)."""
    record = Position.start(ruleset("backgammon"), W).placement.moved(W, 13, 8)
    gone, both = record.moved(W, 8, OFF), record.moved(W, 8, 6)
    denial = Denial().settled(read_as(record if right_before else record.moved(W, 13, 6)), record)
    for n in range(3 + pile_since):
        denial = denial.settled(read_as(both if n >= pile_since else gone), record)
    assert denial.right == (both if put_right else None)


@pytest.mark.parametrize(("unexplained", "asked"), [(B, True), (None, False)])
@pytest.mark.parametrize("stands", [5, 6])
def test_a_pile_is_compared_where_nobody_knows_how_it_came_to_stand(
    stands: int, unexplained: Side | None, asked: bool
) -> None:
    """Borne off from it while nobody looked: the record had one too many to the end of the game."""
    record = Position.start(ruleset("backgammon"), W).placement
    for _ in range(stands - 5):
        record = record.moved(W, 8, 6)
    read = record.moved(W, 6, OFF)
    seen = read_as(read)
    denial = Denial().settled(seen, record, in_doubt=True, unexplained=unexplained)
    for _ in range(2):
        denial = denial.settled(seen, record)
    assert denial.placement == (read if asked else None)
    assert denial.right is None


@pytest.mark.parametrize(
    ("unexplained", "read_so", "put_right"),
    [(B, False, True), (B, True, False), (None, False, False)],
)
def test_a_pile_that_the_record_has_guessed_higher_is_put_right(
    unexplained: Side | None, read_so: bool, put_right: bool
) -> None:
    """A checker was taken off against the rules, and the record laid it on a pile: it had one too
    many for 23 turns. Where the pile was read so for once, it may be a misread.
    """
    before = Position.start(ruleset("backgammon"), W).placement
    record = before.moved(W, 8, 6)
    read = record.moved(W, 6, OFF)
    denial = Denial().settled(read_as(before), before)
    first = read_as(record if read_so else read)
    denial = denial.settled(first, record, in_doubt=True, unexplained=unexplained)
    for _ in range(3):
        denial = denial.settled(read_as(read), record)
    assert denial.right == (read if put_right else None)


@pytest.mark.parametrize(
    ("whose", "played", "rightly_before", "put_right"),
    [
        (W, False, True, True),
        (B, False, True, False),
        (W, False, False, False),
        (W, True, True, False),
    ],
)
def test_a_pile_that_reads_lower_from_an_unexplained_line_of_its_own_side_on_is_put_right(
    whose: Side, played: bool, rightly_before: bool, put_right: bool
) -> None:
    """White took a checker off early and nobody said so: nine turns were played from one too many
    (361500 e4 g1). What read so before already, or since a line of the other side, was a misread,
    and forty-four were wrong where it was put right (366000 e5 g2); so were twenty where a play
    explained the line, whose dice alone nobody had read (371000 e1 g1).
    """
    record = Position.start(ruleset("backgammon"), W).placement
    read = record.moved(W, 6, OFF)
    then = codes_of(record if rightly_before else read)
    first = read_as(read)
    first = replace(first, witnesses=tuple(replace(w, read_as=then) for w in first.witnesses))
    denial = Denial().settled(read_as(record), record)
    denial = denial.settled(first, record, in_doubt=True, unexplained=whose, played=played)
    for _ in range(2):
        denial = denial.settled(read_as(read), record)
    assert denial.right == (read if put_right else None)


@pytest.mark.parametrize(("in_doubt", "put_right"), [(True, True), (False, False)])
def test_a_table_that_was_opened_again_knows_which_of_its_last_lines_were_in_doubt(
    in_doubt: bool, put_right: bool
) -> None:
    """A position was taken as it stood, the table was opened again, and seven lines had a checker
    that stood nowhere (387000 e0 g2).
    """
    record = Position.start(ruleset("backgammon"), W).placement
    read = record.moved(W, 8, OFF)
    denial = Denial.resumed(record, 0 if in_doubt else Denial().sure_for)
    assert not denial.is_new
    for n, target in enumerate((5, 4, 3)):
        moved = record.moved(W, 6, target)
        denial = denial.settled(read_as(read.moved(W, 6, target)), moved)
        assert (denial.right is not None) is (put_right and n == 2)
