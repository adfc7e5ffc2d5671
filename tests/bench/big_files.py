"""Match files of 4 MB made to be slow, in every format that is read: none may take a reader over
2 s or 200 MB. `python -m tests.bench big_files megabytes=1` for smaller ones.

Each is read in a process of its own, which says its processor time and its memory at its highest.
"""

from __future__ import annotations

import functools
import json
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rules.match import MatchRules
from rules.notation.convert import write_file
from rules.notation.record import MatchRecord
from rules.notation.xg import RECORD
from rules.ruleset import ruleset
from tests.bench.rules import DATA
from tests.rules.making import random_record

MOST_SECONDS: Final = 2.0
MOST_MEGABYTES: Final = 200.0


@dataclass(frozen=True)
class Size:
    """How large the files are, and which shapes are tried: every first, every fifth."""

    megabytes: float = 4.0
    every: int = 1


SMALLEST: Final = Size(megabytes=0.2, every=5)


class TooSlowError(AssertionError):
    """What took too long or too much memory, a line each."""


@functools.cache
def session() -> MatchRecord:
    """As long a money session by chance as is made here."""
    return random_record(3, MatchRules.of(ruleset("backgammon"), 0, automatic_doubles=0), games=999)


HEAD: Final = " 0 point match\n\n"
GAME: Final = " Game 1\n A : 0                           B : 0\n"
SPREAD: Final = ";AE[a:y]AW[x][w][v][u][t][s][r][q][p][o][n][m][l][k][j]AB[a]"
"""Fifteen blots: the most boards that equal dice can lead to."""

CORRECTED: Final = {"do": "corrected", "side": "white"}

REPEATED: Final[Mapping[str, tuple[str, str, str]]] = {
    # name: (ending, what stands first, what is repeated until the file is full)
    "one line": (".mat", "", "x"),
    "empty rows": (".mat", " 7 point match\n", "\n"),
    "tags": (".mat", "", '; [A "b"]\n'),
    "tags never closed": (".mat", "", "; [" + " " * 990 + "\n"),
    "remarks": (".mat", HEAD + GAME, " ; x\n"),
    "games": (".mat", HEAD, GAME),
    "cubes": (".mat", HEAD + GAME, " 1)  Doubles => 2                 Takes\n"),
    "rolls alone": (".mat", HEAD + GAME, " 1) 11:                          11:\n"),
    "many cells": (".mat", HEAD + GAME, " 1) " + "11: " * 240 + "\n"),
    "boards told": (".mat", HEAD + GAME, " 1) 11: " + "Illegal play (" * 70 + "\n"),
    "boards set up": (".mat", HEAD + GAME, "; Set Pos=-b----E-C---eE---c-e----B-/0\n"),
    "tabs": (".mat", HEAD + GAME, "\t" * 120 + "\n 1) 11:\t\t\t11:\n"),
    "a long chain": (".mat", HEAD + GAME, " 1) 11: " + "8/" * 480 + "7\n"),
    "there and back": (
        ".mat",
        HEAD + GAME + "  1) 31: 8/5 6/5                 42: 8/4 6/4\n",
        "  2) 11: 24/20                   11: 24/20\n  3) 11: 20/24                   11: 20/24\n",
    ),
    "nodes": (".sgf", "(;GM[6]", ";W[11]"),
    "empty nodes": (".sgf", "(;GM[6]", ";"),
    "trees": (".sgf", "", "(;GM[6])"),
    "matches": (".sgf", "", "(;GM[6]MI[game:0])"),
    "a long value": (".sgf", "(;GM[6]C[", "x"),
    "escapes": (".sgf", "(;GM[6]C[", "\\]"),
    "values": (".sgf", "(;GM[6]C", "[]"),
    "properties": (".sgf", "(;GM[6]", "C[]"),
    "stones": (".sgf", "(;GM[6];AE", "[a:y]"),
    "blanks": (".sgf", "", " "),
    "blanks in a node": (".sgf", "(;GM[6]", " "),
    "brackets": (".sgf", "", "("),
    "tags of ours": (".sgf", "(;GM[6]TG", "[a:1]"),
    "lists": (".json", "", "["),
    "objects": (".json", "", '{"a":'),
    "numbers": (".json", "[", "1.5,"),
    "a long number": (".json", '{"format":"takhte-match","version":', "9"),
    "small objects": (".json", "[", '{"":0},'),
    "text": (".json", '{"format":"', "é"),
    "nothing": (".xg", "RGMH", "\0"),
}


def _json(**told: object) -> bytes:
    """A session of ours with something else in it."""
    return json.dumps({**json.loads(write_file(session(), "x.json")), **told}).encode()


def _sgf(again: str, first: str = "") -> bytes:
    """One game, these nodes again and again until just before there are too many."""
    return f"(;GM[6]{first}{again * (59_000 // again.count(';'))})".encode()


def _spread() -> bytes:
    white, black = [0] * 26, [14, 1, *[0] * 24]
    white[10:25] = [1] * 15
    moved = [*white[:20], 2, *white[21:24], 0, 0]
    turn = [
        {"do": "corrected", "side": "white", "after": {"white": white, "black": black}},
        {"do": "rolled", "side": "white", "roll": [1, 1]},
        {"do": "played", "side": "white", "after": {"white": moved, "black": black}},
    ]
    return _json(actions=turn * 6_000)


def _packed(records: bytes) -> bytes:
    head = bytearray(64)
    head[:4] = b"RGMH"
    struct.pack_into("<I", head, 8, 64)
    return bytes(head) + zlib.compress(records)


def _records() -> list[bytes]:
    data = (DATA / "charlot1-charlot2.xg").read_bytes()
    size, picture = (struct.unpack_from("<I", data, at)[0] for at in (8, 20))
    whole = zlib.decompressobj().decompress(data[size + picture :])
    return [whole[at : at + RECORD] for at in range(0, len(whole), RECORD)]


def _games() -> bytes:
    """The first game again and again, as many records as are read."""
    records = _records()
    starts = [number for number, record in enumerate(records) if record[8] == 1]
    game = b"".join(records[starts[0] : starts[1]])
    return _packed(records[0] + game * (20_000 * RECORD // len(game)))


MADE: Final[Mapping[str, tuple[str, Callable[[], bytes]]]] = {
    "a long session": (".mat", lambda: write_file(session(), "x.mat").encode()),
    "a long session, sgf": (".sgf", lambda: write_file(session(), "x.sgf").encode()),
    "a long session, json": (".json", lambda: write_file(session(), "x.json").encode()),
    "many tags": (".json", lambda: _json(tags=[["a", "b"]] * 330_000)),
    "corrections": (".json", lambda: _json(actions=[CORRECTED] * 20_000)),
    "boards": (".sgf", lambda: _sgf(";AE[a:y]AW[a][b]AB[x][w]")),
    "other boards": (
        ".sgf",
        lambda: _sgf(";AE[a:y]AW[a][b]AB[x][w];AE[a:y]AW[a][c]AB[x][w]"),
    ),
    "fifteen blots": (".sgf", lambda: _sgf(SPREAD + ";W[11xwwvvuut]")),
    "fifteen blots, illegal": (".sgf", lambda: _sgf(SPREAD + ";W[11xt]")),
    "there and back, sgf": (".sgf", lambda: _sgf(";W[66hbhb];B[66qwqw];W[66bhbh];B[66wqwq]")),
    "fifteen blots, there and back": (
        ".sgf",
        lambda: _sgf(";W[11xt];B[11ab];W[11tx];B[11ba]", SPREAD),
    ),
    "set cubes": (".sgf", lambda: _sgf(";CV[2];CV[4]")),
    "fifteen blots, json": (".json", _spread),
    "games again": (".xg", _games),
    "a bomb": (".xg", lambda: _packed(_records()[0] + (bytes(8) + b"\6" + bytes(2_551)) * 200_000)),
}


def made(shape: str, megabytes: float) -> tuple[str, bytes]:
    """A shape's ending and bytes."""
    if shape in MADE:
        ending, make = MADE[shape]
        return ending, make()
    ending, first, again = REPEATED[shape]
    return ending, (first + again * int(megabytes * 1e6 / len(again.encode()))).encode()


def main(size: Size) -> None:
    """Reads them all. Raises TooSlowError naming each that is over the limits."""
    over = []
    names = [*REPEATED, *MADE][:: size.every]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            ending, data = made(name, size.megabytes)
            path = Path(folder) / f"x{ending}"
            path.write_bytes(data)
            done = subprocess.run(
                [sys.executable, "-m", "tests.bench._reading", str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, memory, said = done.stdout.strip().split(" ", 2)
            line = f"{name} ({ending}, {len(data) / 1e6:.1f} MB): {seconds} s, {memory} MB; {said}"
            print(line, flush=True)
            if float(seconds) > MOST_SECONDS or float(memory) > MOST_MEGABYTES:
                over.append(line)
    print(f"{len(names)} shapes: {len(over)} over {MOST_SECONDS:g} s or {MOST_MEGABYTES:g} MB")
    if over:
        raise TooSlowError("\n" + "\n".join(over))
