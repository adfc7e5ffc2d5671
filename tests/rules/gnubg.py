"""Debian's gnubg as a second reader: give it a file, and read back what it made of it.

GPL, so only ever a separate process.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rules.board import Placement, Side
from rules.game import (
    Beavered,
    Corrected,
    Dropped,
    GameAwarded,
    Offered,
    Played,
    ResignOffered,
    Taken,
)
from rules.notation.record import MatchRecord, games

PROGRAM = shutil.which("gnubg") or (path if Path(path := "/usr/games/gnubg").exists() else None)
SIDES = {"W": Side.WHITE, "B": Side.BLACK}


@dataclass(frozen=True)
class Done:
    """One action as gnubg has it: for a play the roll and where the checkers stand afterwards."""

    side: Side
    what: str
    placement: Placement | None = None


def replayed(files: list[Path], folder: Path, *, strict: bool = True) -> list[str]:
    """What gnubg saves as SGF after reading each .mat or .sgf file, in one process.

    Fails when it died, and where `strict` when it warned.
    """
    assert PROGRAM is not None, (
        "gnubg is not installed: make test installs it, or apt-get install gnubg"
    )
    lines = [
        "set automatic game off",
        "set confirm new off",
        "set confirm save off",
        "set display off",
    ]
    for number, file in enumerate(files):
        lines.append(f'{"load match" if file.suffix == ".sgf" else "import mat"} "{file}"')
        lines.append(f'save match "{folder / f"{number}.out.sgf"}"')
    script = folder / "gnubg.commands"
    script.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [PROGRAM, "-t", "-q", "-r", "-c", str(script)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=240,
        check=False,
        cwd=folder,
    )
    said = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, said
    warned = [line for line in said.splitlines() if re.search("WARNING|Unrecogni|overflow", line)]
    assert not (strict and warned), warned
    return [(folder / f"{number}.out.sgf").read_text() for number in range(len(files))]


def games_of(sgf: str, rules_start: Placement) -> list[list[Done]]:
    """gnubg's own moves, checker by checker, by the simplest reading there is; sharing nothing with
    `rules.notation`.
    """
    found = []
    for tree in re.split(r"\n?\(;FF", sgf)[1:]:
        found.append(_actions(tree, rules_start))
    return found


def _actions(tree: str, start: Placement) -> list[Done]:
    stands = {Side.WHITE: list(start.white), Side.BLACK: list(start.black)}
    found: list[Done] = []

    def now() -> Placement:
        return Placement(tuple(stands[Side.WHITE]), tuple(stands[Side.BLACK]))

    for node in re.split(r"\n;", tree)[1:]:
        if "AE[" in node:
            stands = {side: [0] * 26 for side in Side}
            for key, side in (("AW", Side.WHITE), ("AB", Side.BLACK)):
                for letter in (
                    "".join(re.findall(rf"{key}((?:\[[a-y](?::[a-y])?\])+)", node))
                    .strip("[]")
                    .split("][")
                ):
                    for code in range(ord(letter[0]), ord(letter[-1]) + 1) if letter else ():
                        stands[side]["abcdefghijklmnopqrstuvwxy".index(chr(code)) + 1] += 1
                stands[side][0] = 15 - sum(stands[side][1:])
            if found and found[-1].placement is not None:
                found[-1] = Done(found[-1].side, found[-1].what, now())
            continue
        if rolled := re.match(r"PL\[([WB])\]DI\[(\d\d)\]", node):
            found.append(Done(SIDES[rolled[1]], "".join(sorted(rolled[2], reverse=True)), now()))
            continue
        action = re.match(r"([WB])\[(\w+)\]", node)
        if action is None:
            continue
        side, value = SIDES[action[1]], action[2]
        if value in ("double", "take", "drop"):
            found.append(Done(side, value))
            continue
        sites = ["abcdefghijklmnopqrstuvwxyz".index(letter) + 1 for letter in value[2:]]
        for source, target in zip(sites[::2], sites[1::2], strict=True):
            target = 0 if target == 26 else target
            stands[side][source] -= 1
            stands[side][target] += 1
            if target not in (0, 25) and stands[side.other][target] == 1:
                stands[side.other][target] = 0
                stands[side.other][25] += 1
        found.append(Done(side, "".join(sorted(value[:2], reverse=True)), now()))
    return found


def expected(record: MatchRecord) -> list[list[Done]]:
    """The same of a record of ours."""
    found = []
    for game in games(record):
        done = []
        for before, action, _ in game.steps:
            if isinstance(action, Played):
                done.append(Done(action.side, str(before.game.roll), action.after))
            elif isinstance(action, (Offered, Beavered)):
                done.append(Done(action.side, "double"))
            elif isinstance(action, Taken):
                done.append(Done(action.side, "take"))
            elif isinstance(action, Dropped):
                done.append(Done(action.side, "drop"))
            elif (
                isinstance(action, (ResignOffered, GameAwarded))
                and before.game.roll is not None
                and before.game.side is not None
            ):
                done.append(Done(before.game.side, str(before.game.roll), before.game.placement))
            elif (
                isinstance(action, Corrected)
                and action.after is not None
                and done
                and done[-1].placement is not None
            ):
                done[-1] = Done(done[-1].side, done[-1].what, action.after)
        last = game.after.game
        if last.roll is not None and last.side is not None:
            done.append(Done(last.side, str(last.roll), last.placement))
        found.append(done)
    return found
