"""Position ID, Match ID and XGID: against gnubg's own, and round trips."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.apply import apply
from rules.board import Placement, Side
from rules.dice import Roll
from rules.game import (
    ActionError,
    GamePhase,
    Offered,
    OpeningDice,
    PointsAdjusted,
    ResignOffered,
    Rolled,
    Starts,
)
from rules.match import Match, MatchRules
from rules.move import write_play
from rules.notation.drawing import draw_position
from rules.notation.errors import CannotCarryError, NotationError
from rules.notation.ids import (
    read_fields,
    read_match,
    read_position_id,
    write_match_id,
    write_position_id,
)
from rules.notation.plays import read_play
from rules.notation.xgid import read_xgid, write_xgid
from rules.play import plays
from rules.position import Position
from rules.ruleset import catalogue, ruleset
from tests.bench.rules import as_gnubg, random_positions
from tests.rules.gnubg import PROGRAM
from tests.rules.making import random_record

W, B = Side.WHITE, Side.BLACK


def positions(count: int = 300) -> list[Position]:
    return [position for position, _ in random_positions(11, count)]


def matches() -> list[Match]:
    """Every state of some random matches."""
    found = []
    for length in (0, 1, 5):
        rules = MatchRules.of(ruleset("backgammon"), length, automatic_doubles=0)
        found += [after for _, _, after in random_record(length, rules, games=3).replay()]
    return found


def test_the_start() -> None:
    assert write_position_id(Position.start(ruleset("backgammon"), W)) == "4HPwATDgc/ABMA"


def test_position_ids_are_gnubgs() -> None:
    gnubg_nn = pytest.importorskip("gnubg_nn")
    for position in positions():
        assert write_position_id(position) == gnubg_nn.position_id(
            [list(half) for half in as_gnubg(position.view)]
        )


def test_position_ids_round_trip() -> None:
    for position in positions():
        for side in Side:
            seen = Position(position.ruleset, side, position.view)
            assert read_position_id(write_position_id(seen), side=side) == seen


def test_match_ids_and_xgids_round_trip() -> None:
    for match in matches():
        if match.game.side is None or match.game.phase is GamePhase.OVER:
            continue
        board = write_position_id(
            Position.of(match.game.placement, match.rules.ruleset, match.game.side)
        )
        again = read_match(board, write_match_id(match), match.rules)
        shared = ("placement", "side", "roll", "crawford", "phase")
        if match.game.phase is not GamePhase.BEAVERED:
            for name in shared:
                assert getattr(again.game, name) == getattr(match.game, name), name
        seen = read_xgid(write_xgid(match), match.rules)
        for name in shared:
            assert getattr(seen.game, name) == getattr(match.game, name), name
        for other in (again, seen):
            assert (other.score, other.game.cube.value, other.game.cube.owner) == (
                match.score,
                match.game.cube.value,
                match.game.cube.owner,
            )


def test_gnubg_shows_the_same_ids_for_our_xgids(tmp_path: Path) -> None:
    rng = random.Random(4)
    seen = [
        m
        for m in matches()
        if m.game.side is not None
        and m.game.phase in (GamePhase.TO_ROLL, GamePhase.ROLLED)
        and not m.rules.is_money
    ]
    chosen = rng.sample(seen, 25)
    script = tmp_path / "commands"
    lines = [
        "set automatic game off",
        "set automatic roll off",
        "set display off",
        "set player 0 human",
        "set player 1 human",
    ]
    for match in chosen:
        lines += ["set seed 17", f"set xgid {write_xgid(match)}", "show board"]
    script.write_text("\n".join(lines) + "\n")
    assert PROGRAM is not None, (
        "gnubg is not installed: make test installs it, or apt-get install gnubg"
    )
    done = subprocess.run(
        [PROGRAM, "-t", "-q", "-r", "-c", str(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    # The seed's line tells where one board's output ends; gnubg draws some boards twice.
    shown = [
        re.findall(r"Position ID: (\S+)\s+Match ID   : (\S+)", part)
        for part in done.stdout.split("Seed set to")[1:]
    ]
    pairs = [pair for *_, pair in shown]
    for match, (position_id, match_id) in zip(chosen, pairs, strict=True):
        assert match.game.side is not None
        assert position_id == write_position_id(
            Position.of(match.game.placement, match.rules.ruleset, match.game.side)
        )
        ours, theirs = read_fields(write_match_id(match)), read_fields(match_id)
        for name in ("cube", "crawford", "die1", "die2", "length"):
            assert ours[name] == theirs[name], (name, write_xgid(match))
        assert by_turn(ours) == by_turn(theirs), write_xgid(match)


def by_turn(said: dict[str, int]) -> tuple[int, int, int]:
    """The cube's owner (0 on roll, 1 the other, 3 centred) and both scores, on roll first: gnubg
    changes the players over as it likes.
    """
    mover = said["on_roll"]
    scores = (said["score0"], said["score1"])
    return (
        said["owner"] if said["owner"] == 3 else said["owner"] ^ mover,
        scores[mover],
        scores[1 - mover],
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4HPwATDgc/ABM",
        "4HPwATDgc/ABM!",
        "//////////////",
        "4HPwATDgc/ABMA==",
        "AAAAAAAAAAAAAA4",
        "4HPwATDgc/AB\x00A",
        "é" * 14,
    ],
)
def test_broken_position_ids(text: str) -> None:
    with pytest.raises(NotationError):
        read_position_id(text)


@pytest.mark.parametrize("text", ["", "cAkAAAAAAAA", "////////////", "cAkAAAAA AAA", "é" * 12])
def test_broken_match_ids(text: str) -> None:
    with pytest.raises(NotationError):
        read_fields(text)


@given(
    st.text(max_size=120)
    | st.from_regex(
        r"XGID=[-A-Oa-o]{26}:[0-9]{1,2}:-?[01]:-?1:(00|[1-6]{2}|D|B|R)"
        r":[0-9]:[0-9]:[0-3]:[0-9]{1,2}:[0-9]{1,2}"
    )
)
def test_any_xgid_is_read_or_refused(text: str) -> None:
    try:
        match = read_xgid(text)
    except NotationError:
        return
    again = read_xgid(write_xgid(match))
    assert again.game.placement == match.game.placement


@given(st.binary(min_size=10, max_size=10))
def test_any_bits_are_a_position_or_refused(bits: bytes) -> None:
    import base64

    try:
        position = read_position_id(base64.b64encode(bits).decode().rstrip("="))
    except NotationError:
        return
    assert read_position_id(write_position_id(position)) == position


def test_narde_has_no_such_ids() -> None:
    match = apply(Match.start(MatchRules.of(ruleset("narde"))), Starts(W))
    with pytest.raises(CannotCarryError, match="opposite ways"):
        write_position_id(match.game.position)
    with pytest.raises(CannotCarryError, match="opposite ways"):
        write_xgid(match)


def test_an_offer_and_a_resignation_in_an_xgid() -> None:
    match = apply(Match.start(MatchRules.of(ruleset("backgammon"), 7)), Starts(B))
    offered = apply(match, Offered(B))
    assert ":1:D:" in write_xgid(offered)
    resigning = apply(match, ResignOffered(B, 2))
    assert ":R:" in write_xgid(resigning)
    assert read_fields(write_match_id(resigning))["resigned"] == 2
    assert apply(apply(match, PointsAdjusted(W, 3)), Rolled(B, Roll(3, 1))).score.white == 3
    with pytest.raises(ActionError):
        apply(match, OpeningDice((1,), (2,)))


def test_plays_round_trip_through_their_notation() -> None:
    """What is written names the checkers: the same counts for the mover, so the same result among
    the plays.
    """
    for name in catalogue():
        for position, roll in random_positions(2, 60, name):
            for play in plays(position, roll):
                net = [0] * 26
                for source, target in read_play(str(play)):
                    net[source] -= 1
                    net[target] += 1
                own = [0] * 26
                for move in play.moves:
                    own[move.source] -= 1
                    own[move.target] += 1
                assert net == own, str(play)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("13/8*(2)", [(13, 8), (13, 8)]),
        ("13/8(2)*", [(13, 8), (13, 8)]),
        ("bar/22*/16 6/OFF", [(25, 22), (22, 16), (6, 0)]),
        ("no play", []),
        ("Cannot Move", []),
        ("25/20 3/0", [(25, 20), (3, 0)]),
        ("13-8 24-23", [(13, 8), (24, 23)]),
    ],
)
def test_how_plays_are_read(text: str, pairs: list[tuple[int, int]]) -> None:
    assert read_play(text) == pairs


@pytest.mark.parametrize(
    "text", ["13", "13/", "/8", "13-", "13/26", "13/8(0)", "13/8(5)", "8/bar", "a/b", "13/8((2))"]
)
def test_what_is_no_play(text: str) -> None:
    with pytest.raises(NotationError, match="line 4, column 7"):
        read_play(text, 4, 7)


def test_writing_stops_where_it_hits() -> None:
    position = Position.of(
        Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {20: 1, 18: 1, 12: 13}), ruleset("backgammon"), W
    )
    texts = {str(play) for play in plays(position, Roll(4, 2))}
    assert {"24/20*/18*", "24/20* 24/22", "13/9 8/6"} <= texts
    assert write_play([]) == "no play"


def test_the_drawing() -> None:
    text = draw_position(Position.start(ruleset("narde"), W).placement)
    assert text.splitlines()[0] == "+13-14-15-16-17-18-+---+19-20-21-22-23-24-+"
    assert "15" in text
