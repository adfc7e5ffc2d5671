"""The pipe: the cases through a real process, and lines that no one should send."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.pipe import COMMANDS, LONGEST_LINE, reply_to

CASES = sorted((Path(__file__).parent.parent / "data/cases").glob("*.jsonl.gz"))
START = {
    "ruleset": "backgammon",
    "pts": [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2],
    "dice": [3, 1],
}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=10), inner, max_size=5)
    ),
    max_leaves=40,
)


def piped(command: str, lines: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "rules", command],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def asked(command: str, **changes: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(reply_to(command, json.dumps(START | changes).encode()))
    return reply


def test_every_case_through_the_process() -> None:
    lines, expected = [], []
    for path in CASES:
        with gzip.open(path, "rt") as file:
            for case in map(json.loads, file):
                request = {
                    key: case[key]
                    for key in (
                        "ruleset",
                        "pts",
                        "bar",
                        "off",
                        "obar",
                        "ooff",
                        "dice",
                        "first_turn",
                    )
                }
                for alt, results in [(None, case["successors"]), *case.get("alt", {}).items()]:
                    lines.append(
                        json.dumps(request | ({"options": dict([alt.split("=")])} if alt else {}))
                    )
                    expected.append({"successors": sorted(results)})
    assert piped("successors", lines) == expected


def test_judge_names_the_play_or_the_rule() -> None:
    legal = [-2, 0, 0, 0, 1, 4, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    assert asked(
        "judge",
        after=[
            -2,
            0,
            0,
            0,
            2,
            4,
            0,
            2,
            0,
            0,
            0,
            -5,
            5,
            0,
            0,
            0,
            -3,
            0,
            -5,
            0,
            0,
            0,
            0,
            2,
            0,
            0,
            0,
            0,
        ],
    ) == {"play": "8/5 6/5"}
    broken = asked("judge", after=legal)
    assert (broken["infraction"], set(broken["why"])) == ("both_dice", {"en", "fa"})
    assert len(broken["nearest"]) == 3
    assert (
        "31"
        in asked(
            "judge",
            dice=None,
            after=[
                -2,
                0,
                0,
                0,
                2,
                4,
                0,
                2,
                0,
                0,
                0,
                -5,
                5,
                0,
                0,
                0,
                -3,
                0,
                -5,
                0,
                0,
                0,
                0,
                2,
                0,
                0,
                0,
                0,
            ],
        )["rolls"]
    )


def test_nulls_are_what_is_not_said() -> None:
    assert asked("successors", options=None, bar=None, first_turn=None, off=None) == asked(
        "successors"
    )
    assert asked("successors", options={"bearoff": None}) == asked("successors")


def test_options_as_words_or_values() -> None:
    assert asked("successors", options={"doubles": "2", "higher_die": "false"}) == asked(
        "successors", options={"doubles": 2, "higher_die": False}
    )
    assert "literal_origin" in json.dumps(
        asked("perft", ruleset="nard-himly", options={"start": "nowhere"}, pts=None)
    )
    assert (
        asked(
            "perft", ruleset="nard-himly", options={"start": "literal_origin"}, pts=None, dice=None
        )["count"]
        > 0
    )


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b"{",
        b"{}",
        b'{"ruleset": 7}',
        b'{"ruleset": "chess"}',
        b"[" * 50_000,
        b"9" * 50_000,
        b" " * (LONGEST_LINE + 1),
        *(
            json.dumps(START | change).encode()
            for change in (
                {"dice": [7, 1]},
                {"dice": [1]},
                {"dice": "31"},
                {"dice": [True, 1]},
                {"dice": [1.0, 2]},
                {"pts": [0] * 24},
                {"pts": [0] * 23},
                {"pts": [10**50] + [0] * 23},
                {"bar": -1},
                {"bar": True},
                {"off": 10**30},
                {"options": []},
                {"options": {"speed": 1}},
                {"options": {"start": {"24": 0}}},
                {"options": {"doubles": 3}},
                {"options": {"start": {"24": 15, "1": 15}}},
                {"options": {"prime": {"length": {"deep": 1}}}},
                {"first_turn": "yes"},
                {"after": [0] * 27},
            )
        ),
    ],
)
@pytest.mark.parametrize("command", ["successors", "judge"])
def test_what_cannot_be_answered_says_so(command: str, line: bytes) -> None:
    if command == "successors" and b"after" in line:
        return
    reply = json.loads(reply_to(command, line))
    assert set(reply) == {"error"}
    assert 0 < len(reply["error"]) < 500


@given(st.binary(max_size=200), st.sampled_from(sorted(COMMANDS)))
def test_any_bytes_get_an_answer(line: bytes, command: str) -> None:
    assert isinstance(json.loads(reply_to(command, line)), dict)


@given(
    st.dictionaries(
        st.sampled_from(
            ["ruleset", "options", "pts", "bar", "dice", "after", "first_turn", "depth"]
        ),
        JSON,
    )
)
def test_any_values_get_an_answer(changes: dict[str, Any]) -> None:
    line = json.dumps(START | changes).encode()
    for command in COMMANDS:
        assert isinstance(json.loads(reply_to(command, line)), dict)


def test_the_process_outlives_bad_lines_and_keeps_the_count() -> None:
    good = json.dumps(START)
    replies = piped("successors", [good, "", "x" * 250_000, "{}", good])
    assert [set(r) for r in replies] == [
        {"successors"},
        {"error"},
        {"error"},
        {"error"},
        {"successors"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "rules", "chess"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "successors" in done.stderr
