"""Real match files as other programs, systems and people would have written them: each variant says
the same match.

    python -m tests.rules.variants FOLDER

Every .mat and .sgf of the folder in every variant is read, compared with the file itself, written
in every format and read again; some of what was written is read by gnubg, in one process. Files cut
short are read up to there.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rules.notation.convert import read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.matwrite import cuts
from rules.notation.record import MatchRecord
from tests.rules.gnubg import replayed
from tests.rules.round_trip import by_gnubg, by_our_readers

Variant = Callable[[str], str | bytes]
ROW = re.compile(r"^( *\d+\))(.*)$")
RIGHT = re.compile(r"(?<=\S) {2,}(?=\S)")
WORDS = re.compile(r"Doubles|Takes|Drops|Wins|Cannot Move")
NAMES = re.compile(r"^ *(\S.*?) *: *(\d+) +(\S.*?) *: *(\d+) *$")


def _rows(change: Callable[[str], str]) -> Variant:
    """A variant that changes the rows of the games alone."""

    def variant(text: str) -> str:
        return "\n".join(
            change(line) if ROW.match(line) or re.match(r" +(Wins|Los)", line) else line
            for line in text.split("\n")
        )

    return variant


def _everywhere(pattern: str, by: str, flags: int = 0) -> Variant:
    return lambda text: re.sub(pattern, by, text, flags=flags)


def _in_rows(pattern: str, by: str) -> Variant:
    return _rows(lambda line: re.sub(pattern, by, line))


def _names(left: str, right: str, form: str = " {} : {}                 {} : {}") -> Variant:
    """Other players, in the row of names and in the tags."""

    def variant(text: str) -> str:
        lines = []
        for line in text.split("\n"):
            found = NAMES.match(line)
            if found:
                line = form.format(left or found[1], found[2], right or found[3], found[4])
            elif left and line.startswith("; [Player"):
                continue
            lines.append(line)
        return "\n".join(lines)

    return variant


def _narrow(line: str) -> str:
    """The right player's cell near the left's, and where that is empty not much further."""
    row = ROW.match(line)
    if row is None:
        return re.sub(r"^ {20,}(?=Wins|Los)", " " * 26, line)
    if re.match(r" {12,}", row[2]):
        return row[1] + " " * 20 + row[2].strip()
    return row[1] + RIGHT.sub("   ", row[2], count=1)


def _tabbed(line: str) -> str:
    row = ROW.match(line)
    if row is None:
        return re.sub(r"^ {20,}", "\t\t\t\t", line)
    if re.match(r" {12,}", row[2]):
        return row[1] + "\t\t\t\t" + row[2].strip()
    return row[1] + RIGHT.sub("\t\t", row[2], count=1)


def _one_by_one(line: str) -> str:
    return re.sub(r"(?<= )(\S+?)\((\d)\)", lambda m: " ".join([m[1]] * int(m[2])), line)


def _chained(line: str) -> str:
    """`24/20 20/16` as `24/20/16`."""
    while (found := re.search(r"(?<= )(\S+/)(\d+)(\*?) \2/(\S+)", line)) is not None:
        line = (
            line[: found.start()]
            + f"{found[1]}{found[2]}{found[3]}/{found[4]}"
            + (" " * (len(found[2]) + 1) + line[found.end() :])
        )
    return line


def _resultless(text: str) -> str:
    """Without the rows that say who won, which the score of the next game says as well."""
    games = re.split(r"(?m)^(?= *Game \d)", text)
    kept = [re.sub(r"(?m)^ +Wins .*\n", "", game) for game in games[:-1]]
    return "".join((*kept, games[-1]))


BOX = "+------+\n|  Monte Carlo 1993: 7 games  |\n+------+\n"
REMARKS = (
    "; | Remarks: Game 1, Move 2 of A --> 11: 3/2 was good |\n"
    ';\n; [Video "https://x.example/?a=1"]\n'
)
MAT: Mapping[str, Variant] = {
    "CRLF": _everywhere("\n", "\r\n"),
    "CR": _everywhere("\n", "\r"),
    "mark of UTF-8": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16, the other way about": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "Windows letters": lambda text: text.encode("cp1252", "replace"),
    "blanks at the ends": _everywhere(r"(?m)$", "   "),
    "tabs at the ends": _everywhere(r"(?m)$", "\t"),
    "blank rows between": _everywhere("\n", "\n\n"),
    "blank rows at the end": lambda text: text + "\n \n\t\n\n",
    "no end of the last row": lambda text: text.rstrip(),
    "an end of file of old": lambda text: text + "\x1a",
    "tabs before the right cell": _rows(_tabbed),
    "narrow columns": _rows(_narrow),
    "a row of names padded further": _names("", "", " {} : {}" + " " * 40 + "{} : {}"),
    "a row of names without blanks": _names("", "", "{}: {}    {}: {}"),
    "games without a blank": _everywhere(r"(?m)^ +(?=Game )", ""),
    "the length without a blank": _everywhere(r"(?m)^ +(?=\d+ point match)", ""),
    "the length in capitals": _everywhere("point match", "Point Match"),
    "words in small letters": lambda text: WORDS.sub(lambda m: m[0].lower(), text),
    "two signs of equality": _everywhere("Doubles =>", "Doubles ==>"),
    "one taker": _in_rows(r"\bTakes\b", "Take"),
    "who accepts and rejects": lambda text: text.replace("Takes", "Accepts").replace(
        "Drops", "Rejects"
    ),
    "a colon behind the game": _everywhere(r"(?m)^( *Game \d+) *$", r"\1:"),
    "more behind the game": _everywhere(r"(?m)^( *Game \d+) *$", r"\1 - at night"),
    "commas between moves": _in_rows(r"(?<=[\d)*fr]) (?=(\d\d?|bar)/)", ", "),
    "hyphens in moves": _in_rows(r"(?<=\d)/(?=[\do])", "-"),
    "what somebody thought": _in_rows(r"(/\d+)(?=  |$)", r"\1?!"),
    "remarks behind #": _everywhere(r"(?m)^(?= *\d+\))", "# 31: 8/5\n"),
    "the players' tags crossed": lambda text: re.sub(
        r"(?m)^; \[Player ([12]) ", lambda m: f"; [Player {3 - int(m[1])} ", text
    ),
    "who passes": _in_rows(r"\bDrops\b", "Passes"),
    "one point alone": _in_rows(r"Wins (\d+) points?", r"Wins \1 point"),
    "points always": _in_rows(r"Wins (\d+) points?", r"Wins \1 points"),
    "the match in other letters": _in_rows(r"and the match", "and the      Match"),
    "bar and off as numbers": _rows(
        lambda line: re.sub(r"(?i)\bbar\b", "25", re.sub(r"(?i)\boff\b", "0", line))
    ),
    "bar and off in capitals": _rows(
        lambda line: re.sub(
            r"(?i)\bbar\b", "Bar", re.sub(r"(?i)\boff\b|/0\b", "/Off", line)
        ).replace("//", "/")
    ),
    "one move at a time": _rows(_one_by_one),
    "moves in one go": _rows(_chained),
    "hits not marked": _in_rows(r"\*", ""),
    "remarks in the head": lambda text: REMARKS + text,
    "a box above the match": lambda text: BOX + text,
    "remarks between the rows": _everywhere(r"(?m)^(?= *\d+\))", "; what a move: 31: 8/5\n"),
    "no tags": _everywhere(
        r"(?m)^; \[(?!Jacoby|Crawford|CubeLimit|Beaver|Variation|Match).*\n", ""
    ),
    "Persian names": _names("بهرام گور", "شهرزاد ۲"),
    "names with quotes": _names('O\'Neil "X"', "D'Arc [b]; c"),
    "long names": _names("A" * 60, "B" * 60, " {} : {}  {} : {}"),
    "names like cells": _names("31: Takes 2", "Wins (x) : 3"),
    "ratings behind the names": _names("", "", " {},1859 : {}            {}, 1512.25 : {}"),
    "no results between games": _resultless,
    "numbers of rows without blanks": _rows(lambda line: re.sub(r"^ +(?=\d+\))", "", line)),
    "a blank after the dice": _in_rows(r"(\d\d): ?", r"\1 :  "),
}
SGF: Mapping[str, Variant] = {
    "CRLF": MAT["CRLF"],
    "UTF-16": MAT["UTF-16"],
    "mark of UTF-8": MAT["mark of UTF-8"],
    "on one row": _everywhere("\n", ""),
    "blank rows between": MAT["blank rows between"],
    "text before": lambda text: "written by a program\n" + text,
    "remarks at each node": _everywhere(r"\n;(?=[WB]\[)", r"\n;C[a \\] remark; (with brackets\\)]"),
    "words in capitals": lambda text: re.sub(
        r"\[(double|take|drop)\]", lambda m: m[0].upper(), text
    ),
}
CUTS = 12
"""Places at which each file is cut."""


def variants(name: str, text: str) -> Iterator[tuple[str, bytes]]:
    """Each variant of a file that is another text, with what it is called."""
    for what, change in (SGF if name.endswith(".sgf") else MAT).items():
        said = change(text)
        data = said if isinstance(said, bytes) else said.encode()
        if data != text.encode():
            yield what, data


def difference(what: str, data: bytes, name: str, base: MatchRecord) -> Iterator[str]:
    """In what a variant is another match than the file."""
    try:
        found = read_file(data, name)
    except NotationError as error:
        yield f"refused: {error}"
        return
    if found.actions != base.actions:
        yield "other actions"
    if found.rules != base.rules:
        yield "other rules"
    if "names" not in what and dict(found.names) != dict(base.names):
        yield f"other names: {found.names}"
    if "names" in what and len(set(found.names.values())) < 2:
        yield f"names lost: {found.names}"
    yield from _written(found)


def _written(record: MatchRecord) -> Iterator[str]:
    try:
        for ending, why in by_our_readers(record):
            yield f"as {ending}: {why}"
    except NotationError as error:
        yield f"written, and refused: {error}"


def cut_differences(text: str, name: str, base: MatchRecord) -> Iterator[str]:
    """In what a file cut short says otherwise than the whole, as far as it goes."""
    rng = random.Random(name)
    for _ in range(CUTS):
        at = rng.randrange(len(text))
        try:
            found = read_file(text[:at].encode(), name, until_trouble=True)
        except NotationError:
            continue
        # The last turn may be cut in two, and then stands for another.
        same = [a == b for a, b in zip(found.actions, base.actions, strict=False)]
        if not all(same[:-4]):
            yield f"cut at {at}: other actions from {same.index(False)} of {len(same)} on"
        # A move cut in two may be one that no dice make: .mat says then that it cut the game there.
        for why in () if cuts(write_file(found, "x.mat")) else _written(found):
            yield f"cut at {at}, {why}"


def plain(path: Path) -> tuple[str, MatchRecord]:
    """A file's text with one kind of end of line, and the match that it tells."""
    text = path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text, read_file(text.encode(), path.name)


def main(words: list[str]) -> int:
    """Returns 0 where nothing differs, 1 where something does."""
    files = sorted(p for p in Path(words[0]).iterdir() if p.suffix in (".mat", ".sgf"))
    every = int(words[1]) if len(words) > 1 else 25
    count = wrong = 0
    shown: list[tuple[str, MatchRecord]] = []
    for path in files:
        text, base = plain(path)
        found = [f"cut: {why}" for why in cut_differences(text, path.name, base)]
        for what, data in variants(path.name, text):
            count += 1
            new = [f"{what}: {why}" for why in difference(what, data, path.name, base)]
            found += new
            if not new and count % every == 0:
                shown.append((f"{path.name}, {what}", read_file(data, path.name)))
        wrong += len(found)
        for line in found:
            print(f"{path.name}: {line}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        written = []
        for number, (_, record) in enumerate(shown):
            for ending in (".mat", ".sgf"):
                written.append((number, Path(folder) / f"{number}{ending}"))
                written[-1][1].write_text(write_file(record, "x" + ending))
        saved = replayed([file for _, file in written], Path(folder))
        for (number, file), sgf in zip(written, saved, strict=True):
            for why in by_gnubg(shown[number][1], sgf):
                wrong += 1
                print(f"{shown[number][0]} as {file.suffix}: {why}")
    print(
        f"{count} variants of {len(files)} files, {len(shown)} of them through gnubg, and"
        f" {CUTS * len(files)} files cut short: {wrong} differences"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
