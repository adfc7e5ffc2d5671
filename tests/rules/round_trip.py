"""A folder of match files through every format and through gnubg: `make round-trip MATCHES=FOLDER`.

Each file is read, written in every format and read again; the .mat and SGF that were written are
read by gnubg, and so is the file itself where gnubg reads its kind. Compared are plays, cubes and
resignations, each game's winner and points, the score it began with, the match's length, the
Crawford game, Jacoby and, between our own readers, the cube's limit. Every difference is printed.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rules.board import Side
from rules.game import Offered, ResignOffered
from rules.match import MatchRules
from rules.notation.convert import read_file, write_file
from rules.notation.errors import NotationError
from rules.notation.record import GameRecord, MatchRecord, games
from tests.rules.gnubg import SIDES, expected, games_of, replayed

READ = (".mat", ".txt", ".sgf", ".xg")
WRITTEN = (".mat", ".sgf", ".json")
GNUBG_READS = (".mat", ".txt", ".sgf")


@dataclass(frozen=True)
class GameFrame:
    """What surrounds a game's plays: the score it began with, whether it is the Crawford game, and
    who won how much (None and 0 where nobody did).
    """

    score: tuple[int, int]
    crawford: bool
    winner: Side | None
    points: int


@dataclass(frozen=True)
class MatchFrame:
    """The match's length (0 for money), whether Jacoby holds, and each game's frame."""

    length: int
    jacoby: bool
    games: tuple[GameFrame, ...]


def frame_of(record: MatchRecord) -> MatchFrame:
    """The frame of a record of ours."""
    rules = record.rules
    return MatchFrame(rules.length, rules.is_money and rules.jacoby, tuple(_frames(record)))


def _frames(record: MatchRecord) -> Iterator[GameFrame]:
    for game in games(record):
        score, (winner, points) = game.opening.score, game.gain
        yield GameFrame((score.white, score.black), game.opening.game.crawford, winner, points)


def gnubg_frame(sgf: str) -> MatchFrame:
    """The same of what gnubg saved."""
    found, length, jacoby = [], 0, False
    for tree in re.split(r"\n?\(;FF", sgf)[1:]:
        root = tree.split("\n;", 1)[0]
        info = {key: int(value) for key, value in re.findall(r"\[(\w+):(\d+)\]", root)}
        said = re.search(r"RU\[([^\]]*)\]", root)
        rules = said[1].split(":") if said else []
        result = re.search(r"RE\[([WB])\+(\d+)", root)
        length, jacoby = info.get("length", 0), "Jacoby" in rules
        found.append(
            GameFrame(
                (info.get("ws", 0), info.get("bs", 0)),
                "CrawfordGame" in rules,
                SIDES[result[1]] if result else None,
                int(result[2]) if result else 0,
            )
        )
    return MatchFrame(length, jacoby, tuple(found))


def by_our_readers(record: MatchRecord) -> Iterator[tuple[str, str]]:
    """(format, difference) of what is not the same after writing and reading again."""
    for ending in WRITTEN:
        again = read_file(write_file(record, "x" + ending).encode(), "x" + ending)
        if again.actions != record.actions:
            yield ending, "other actions"
        if frame_of(again) != frame_of(record):
            yield ending, "another winner, score, Crawford game or Jacoby"
        if _agreed(again.rules) != _agreed(record.rules):
            yield ending, "another length, Crawford or Jacoby rule, ruleset or limit of the cube"
        if dict(again.names) != dict(record.names):
            yield ending, "other names"


def _agreed(rules: MatchRules) -> tuple[object, ...]:
    return rules.ruleset, rules.length, rules.crawford, rules.jacoby, rules.highest_cube


def by_gnubg(record: MatchRecord, sgf: str) -> Iterator[str]:
    """What gnubg, having read a file, has otherwise than the record."""
    if games_of(sgf, record.start().game.placement) != expected(record):
        yield "gnubg has other plays, cubes or resignations"
    ours, theirs = frame_of(record), gnubg_frame(sgf)
    if theirs.length != ours.length:
        yield f"gnubg has a match to {theirs.length}, we to {ours.length}"
    if theirs.jacoby != ours.jacoby:
        yield "gnubg has Jacoby otherwise"
    for number, (game, mine, its) in enumerate(
        zip(games(record), ours.games, theirs.games, strict=False), start=1
    ):
        if mine != its and not _as_good(game, mine, its):
            yield f"game {number}: gnubg has {its}, we {mine}"
    if len(ours.games) != len(theirs.games):
        yield f"gnubg has {len(theirs.games)} games, we {len(ours.games)}"


def _as_good(game: GameRecord, mine: GameFrame, its: GameFrame) -> bool:
    """Whether only the points differ of a dropped or played-out game that a file pays otherwise:
    gnubg counts those itself.
    """
    result = game.after.game.result
    return (
        result is not None
        and result.how in ("played", "dropped")
        and its.points == result.points
        and (mine.score, mine.crawford, mine.winner) == (its.score, its.crawford, its.winner)
    )


def main(words: list[str]) -> int:
    """Returns 0 where nothing differs, 1 where something does, 2 where there is no such folder."""
    folder = Path(words[0]) if words else Path()
    files = sorted(
        p for p in folder.rglob("*") if p.suffix.lower() in READ and p.name != "manifest.json"
    )
    if not words or not files:
        print("say a folder with match files: make round-trip MATCHES=/a/folder", file=sys.stderr)
        return 2
    differences: list[str] = []
    records: dict[Path, MatchRecord] = {}
    for path in files:
        try:
            records[path] = read_file(path.read_bytes(), path.name)
        except NotationError as error:
            differences.append(f"{path.name}: refused: {error}")
    for path, record in records.items():
        differences += [f"{path.name} as {end}: {why}" for end, why in by_our_readers(record)]
    differences += list(_through_gnubg(records))
    kinds = Counter(path.suffix.lower() for path in records)
    print(
        f"{len(records)} of {len(files)} files read"
        f" ({', '.join(f'{n} {kind}' for kind, n in kinds.items())}):"
        f" {sum(len(games(r)) for r in records.values())} games,"
        f" {sum(isinstance(a, Offered) for r in records.values() for a in r.actions)} doubles,"
        f" {sum(isinstance(a, ResignOffered) for r in records.values() for a in r.actions)}"
        f" resignations; each written as {', '.join(WRITTEN)} and read again, by gnubg too what it"
        f" reads: {len(differences)} differences"
    )
    for line in differences:
        print(f"  {line}")
    return bool(differences)


def _through_gnubg(records: dict[Path, MatchRecord]) -> Iterator[str]:
    """What gnubg has otherwise, of what was written and of the files themselves; of those it may
    warn.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for written in (True, False):
            cases: list[tuple[str, MatchRecord, Path]] = []
            for path, record in records.items():
                for ending in (".mat", ".sgf") if written else ():
                    file = folder / f"{len(cases)}{ending}"
                    file.write_text(write_file(record, file.name))
                    cases.append((f"{path.name} as {ending}", record, file))
                if not written and path.suffix.lower() in GNUBG_READS:
                    cases.append((f"{path.name} itself", record, path))
            saved = replayed([file for _, _, file in cases], folder, strict=written)
            for (what, record, _), sgf in zip(cases, saved, strict=True):
                for why in by_gnubg(record, sgf):
                    yield f"{what}: {why}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
