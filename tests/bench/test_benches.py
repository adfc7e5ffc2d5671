"""Every benchmark runs at its smallest size, ends well and prints its figures; how large they are
is for `make bench` to say.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bench.__main__ import PARTS

FIGURES = {
    "board": [
        "decode: ",
        "damaged frames: ",
        "move to Sensed: ",
        "press to Pressed",
        "cable pulled",
        "chip reset",
        "host stalled",
        "bit errors",
        "games on the emulated board",
        "games of normal slack, every rest read by itself",
        "piles of 0 to 15 laid anew",
        "circuits that fail, ",
        "C decoder and all of core/ under sanitizers: ok",
        "Python decoder and link: ",
    ],
    "big_files": ["one line (.mat", "10 shapes: 0 over 2 s or 200 MB"],
    "encodings": ["8 of 8 plays the same, others: 0 marked doubtful, 0 not"],
    "hall": [
        "nats-server",
        "publishers of full tables",
        "ten times as fast",
        "calm again",
        "0 of 4 sockets lost",
        "table to wall: p50",
        "refused: 0",
        "bare nats-py, the same",
    ],
    "hostile": ["left alone", "amid 60 hostile sockets, 5 viewers", "5 of 5 were told", "verdicts"],
    "instants": ["folded from the start", "the first request", "a request after it"],
    "live_film": ["2 of 2 plays right, 0 more without their roll, 0 not so", "said or asked: "],
    "match_film": ["2 of 2 plays and actions of the cube right, others: 0 marked doubtful, 0 not"],
    "matches": ["30 matches", ": 0 differences"],
    "page": ["entry committed to pixels changed", "page weight in Persian", "in fa: first paint"],
    "phone": ["certificate: 2 (at most 2)", "permission: 1 (at most", "to begin: 5 (at most 5)"],
    "raspberry": ["ESTIMATE from instructions", "100,000 rounds of Python", " ms here, estimated "],
    "reconcile": ["one full read of a frame", "backgammon: verdict median", "narde: verdict"],
    "referee": [
        "session_step, whole",
        "session_step, without reconcile",
        "state document with scene",
        "replay of",
        "bytes of an entry",
        "Store.append",
        "Store.beat",
        "verify",
    ],
    "painted_dice": ["12 dice: ", "called odd", "said with 0.99 wrong"],
    "rules": ["rules.plays(position, roll).views()", "7 match files, 645 plays, 0 illegal"],
    "start": ["service.cli --help: median", "service.appliance.run --help: median"],
    "table": [
        "board ",
        "memory at its peak",
        "pictures wait",
        "the family over the demo recording",
        "service.web",
        "a day of 2000 turns",
    ],
    "overlay": ["full", "script and layout a frame"],
    "viewers": ["bare uvicorn socket", "ratio to the bare socket", "one viewer of 3 never reads"],
    "vision": ["full read", "checkers alone", "nothing changed", "finding the board"],
    "vision_dice": ["Hough recipe", "a frame in which nothing changed"],
}
"""What each part prints before its figures."""
MARKS = {
    "board": [pytest.mark.board],
    "page": [pytest.mark.browser],
    "overlay": [pytest.mark.browser],
}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_part_is_run_below() -> None:
    assert sorted(FIGURES) == PARTS


@pytest.mark.parametrize("part", [pytest.param(p, marks=MARKS.get(p, ())) for p in PARTS])
def test_a_part_ends_well_and_prints_its_figures(part: str) -> None:
    done = run("--smallest", part)
    assert done.returncode == 0, done.stdout + done.stderr
    missing = [figure for figure in FIGURES[part] if figure not in done.stdout]
    assert not missing, done.stdout


REFUSED = [
    (("nothing",), "no benchmark named nothing; there are: big_files, board, "),
    (("rules", "seconds=3"), "rules: no figure named seconds; there are: positions, rounds, "),
    (("rules", "rounds=many"), "rules: invalid literal for int()"),
    (("board", "parts=cable,glue"), "board: no part glue; there are: decode_rate, "),
]


@pytest.mark.parametrize(("words", "why"), REFUSED, ids=str)
def test_what_cannot_be_run_is_refused_in_one_line(words: tuple[str, ...], why: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(why) and done.stderr.count("\n") == 1
